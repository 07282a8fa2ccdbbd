//! Runs of the program under test, each with a home of its own.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use lonis::ToolError;
use serde_json::Value;

/// What a machine with other work on it may take for what is promised at once; the tools of these tests stay for longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// After which no run of the tests still uses what it has made.
const A_DAY: Duration = Duration::from_hours(24);

/// The surroundings of some runs: a home and provider folder that nobody else uses.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// What one run left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "providers", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            folder,
            variables: Vec::new(),
        }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a program into the provider folder, as `lonis-NAME`.
    pub(crate) fn link(&self, name: &str, program: &Path) {
        std::os::unix::fs::symlink(
            program,
            self.path("providers").join(format!("lonis-{name}")),
        )
        .unwrap();
    }

    /// Puts a script into the provider folder, as `lonis-NAME`.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path("providers").join(format!("lonis-{name}"));
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Writes the user's file.
    pub(crate) fn config(&self, text: &str) {
        let folder = self.path("home/.config/lonis");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("lonis.toml"), text).unwrap();
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(lonis());
        command
            .args(words)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("LONIS_PROVIDER_PATH", self.path("providers"))
            .envs(self.variables.iter().cloned())
            .current_dir(self.path("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The command behind a shell that does something to its descriptors first, such as `>&-`.
    pub(crate) fn redirected(&self, words: &[&str], redirection: &str) -> Command {
        self.limited("", words, redirection)
    }

    /// The program in a shell that is given a command before it becomes the program.
    pub(crate) fn limited(&self, before: &str, words: &[&str], redirection: &str) -> Command {
        let own = self.command(words);
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{before}exec \"$0\" \"$@\" {redirection}")])
            .arg(own.get_program())
            .args(own.get_args())
            .env_clear()
            .envs(
                own.get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .current_dir(self.path("work"));
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Run {
        Run::of(self.command(words).output().unwrap())
    }

    pub(crate) fn run_with_stdin(&self, words: &[&str], stdin: &[u8]) -> Run {
        let mut child = self.command(words).stdin(Stdio::piped()).spawn().unwrap();
        // A program that refuses its arguments does not read what it is given.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Run::of(child.wait_with_output().unwrap())
    }

    pub(crate) fn start(&self, words: &[&str]) -> Child {
        self.command(words).spawn().unwrap()
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        use std::os::unix::process::ExitStatusExt;
        Self {
            code: output
                .status
                .code()
                .unwrap_or_else(|| -output.status.signal().unwrap_or(0)),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The whole of stdout as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The one error on stderr.
    pub(crate) fn error(&self) -> ToolError {
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        let error =
            ToolError::read(&self.stderr).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        assert_eq!(i32::from(error.exit_code()), self.code, "{self:?}");
        error
    }

    /// The run is a success that says nothing besides.
    pub(crate) fn ok(self) -> Self {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        self
    }

    /// The run failed with this kind and code, and wrote nothing to stdout.
    pub(crate) fn fails(self, kind: &str, code: i32) -> ToolError {
        assert_eq!(self.stdout, "", "{self:?}");
        let error = self.error();
        assert_eq!((error.kind().as_str(), self.code), (kind, code), "{self:?}");
        error
    }
}

/// The program under test, in a folder of its own: `lonis` looks beside itself, where other programs of ours are built.
///
/// The processes of one run of the tests share it, each of which may be the first to ask; so it is named after the build,
/// and only put there.
pub(crate) fn lonis() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let builds = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lonis-alone");
        let until = Instant::now() + PATIENCE;
        let (folder, program) = loop {
            match shared(&builds) {
                // Between two builds there is none for a moment.
                Err(error) if error.kind() == ErrorKind::NotFound && Instant::now() < until => {
                    std::thread::yield_now();
                }
                put => break put.unwrap(),
            }
        };
        // What is left of builds of another day. A younger one may be in use: tests of other programs build this one
        // again, and the processes of one run may see two builds.
        for earlier in std::fs::read_dir(&builds).unwrap().flatten() {
            let made = earlier.metadata().and_then(|metadata| metadata.modified());
            let is_old = made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > A_DAY));
            if is_old && earlier.path() != folder {
                let _ = std::fs::remove_dir_all(earlier.path());
            }
        }
        program
    })
}

/// Puts the program as it is built now into its folder, and returns both.
fn shared(builds: &Path) -> std::io::Result<(PathBuf, PathBuf)> {
    let built = Path::new(env!("CARGO_BIN_EXE_lonis"));
    let metadata = built.metadata()?;
    let changed = (metadata.mtime(), metadata.mtime_nsec());
    let folder = builds.join(format!("{}-{}-{}", metadata.ino(), changed.0, changed.1));
    std::fs::create_dir_all(&folder)?;
    let program = folder.join("lonis");
    match std::fs::hard_link(built, &program) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok((folder, program)),
    }
}

/// The built program of the hostile provider.
pub(crate) fn misbehave() -> PathBuf {
    misbehave::program().to_path_buf()
}
