//! The programs that are measured or measured against, and the folder that everything is kept in.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::arguments::Given;

/// Paths of all that a group may start.
#[derive(Clone, Debug)]
pub(crate) struct Kit {
    /// For files of the run; removed at its end.
    pub(crate) folder: PathBuf,
    /// The child that hides nothing: see `children/child.c`.
    pub(crate) child: PathBuf,
    pub(crate) child_is_c: bool,
    /// The same child as a static Rust program.
    pub(crate) plain: PathBuf,
    /// What applies a result until it is killed.
    pub(crate) killed: PathBuf,
    /// A provider made with the facade.
    pub(crate) provider: PathBuf,
    /// The program `lonis`, linked statically.
    pub(crate) lonis: Option<PathBuf>,
    /// The published program `lonis` 0.2.
    pub(crate) published: Option<PathBuf>,
    /// The program `lonis-checker`.
    pub(crate) checker: Option<PathBuf>,
    pub(crate) ruff: Option<PathBuf>,
    pub(crate) pyrefly: Option<PathBuf>,
}

impl Kit {
    /// Finds the programs beside this one and compiles the C child.
    pub(crate) fn find(folder: &Path, given: &Given) -> io::Result<Self> {
        let own = env::current_exe()?;
        let beside = |name: &str| copied(folder, name, own.with_file_name(name));
        let given_program = |name: &str, path: &Option<PathBuf>| {
            let path = file(path.clone())?;
            Some(copied(folder, name, path))
        };
        let child = folder.join("child");
        let child_is_c = child.is_file() || compile(&child);
        Ok(Self {
            folder: folder.to_owned(),
            child: if child_is_c { child } else { beside("plain") },
            child_is_c,
            plain: beside("plain"),
            killed: beside("killed"),
            provider: beside("provider"),
            lonis: given_program("lonis", &given.lonis),
            published: given_program("published", &given.published),
            checker: given_program("checker", &given.checker),
            ruff: file(given.linters.as_ref().map(|folder| folder.join("bin/ruff"))),
            pyrefly: file(
                given
                    .linters
                    .as_ref()
                    .map(|folder| folder.join("bin/pyrefly")),
            ),
        })
    }

    /// Makes a folder for a purpose, empty at first.
    pub(crate) fn subfolder(&self, name: &str) -> PathBuf {
        let folder = self.folder.join(name);
        // The folder may be there from another case of the same group; then it is used again.
        let _ = fs::create_dir_all(&folder);
        folder
    }
}

/// Copies a program into a folder of its own, as an installation does, and returns where it is then.
///
/// Every program is measured as such a copy. What a linker leaves in memory of the file that it has just written is in
/// small pieces, which makes each start of a large program slower by half.
fn copied(folder: &Path, name: &str, program: PathBuf) -> PathBuf {
    let place = folder.join(name);
    let copy = place.join(program.file_name().unwrap_or(OsStr::new(name)));
    if copy.is_file() {
        return copy;
    }
    let made = fs::create_dir_all(&place).and_then(|()| fs::copy(&program, &copy));
    if made.is_ok() { copy } else { program }
}

/// Keeps a path where a file is.
fn file(path: Option<PathBuf>) -> Option<PathBuf> {
    path.filter(|path| path.is_file())
}

fn compile(child: &Path) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("children/child.c");
    // Alone, without a C library: what its start does would hide the rest.
    let alone = [
        "-static",
        "-nostdlib",
        "-ffreestanding",
        "-fno-stack-protector",
    ];
    // Its own copy loop must not become a call of itself.
    let loops = [
        "-O2",
        "-fno-tree-loop-distribute-patterns",
        "-fno-pie",
        "-no-pie",
    ];
    Command::new("cc")
        .args(alone)
        .args(loops)
        .arg("-o")
        .arg(child)
        .arg(source)
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Finds a program on `PATH`.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Finds the Python interpreter itself: what stands on `PATH` may be a script that looks for it.
pub(crate) fn python() -> Option<PathBuf> {
    let output = Command::new(which("python3")?)
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_file().then_some(path)
}

/// Returns the first line that a program prints.
pub(crate) fn first_line(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.lines().next()?.to_owned())
}
