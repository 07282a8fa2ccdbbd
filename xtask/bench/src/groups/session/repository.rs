//! Generated repositories: each is made once, when something is first measured in it.

use std::cell::OnceCell;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{begin, git, remove};
use crate::kit::Kit;

/// The mean length of a file of an ordinary repository: 20,000 of them are 190 MB.
const MEAN_BYTES: u64 = 9_500;

/// How many files lie in one directory.
const IN_ONE_DIRECTORY: usize = 20;

/// A repository that several cases are measured in.
#[derive(Clone)]
pub(super) struct Repository {
    root: PathBuf,
    files: usize,
    is_known: Rc<OnceCell<Result<(), String>>>,
}

impl Repository {
    /// A repository of a number of files; the groups of one run share it.
    pub(super) fn of(kit: &Kit, files: usize) -> Self {
        Self {
            root: kit.subfolder(&format!("session-{files}")),
            files,
            is_known: Rc::default(),
        }
    }

    /// Where its files lie, all of which git tracks, the store holds and the stat cache knows.
    pub(super) fn known(&self) -> Result<&Path, String> {
        self.is_known.get_or_init(|| self.know()).clone()?;
        Ok(&self.root)
    }

    fn know(&self) -> Result<(), String> {
        if self.root.join(".lonis").is_dir() {
            return Ok(());
        }
        plant(&self.root, self.files, MEAN_BYTES)?;
        git(&self.root, &["add", "-A"])?;
        begin(&self.root)?;
        begin(&self.root)
    }

    /// Acts while a directory at the root is put aside, so that what is measured has to make it anew; what it made goes.
    pub(super) fn without<T>(
        &self,
        name: &str,
        act: impl FnOnce(&Path) -> Result<T, String>,
    ) -> Result<T, String> {
        let directory = self.known()?.join(name);
        let aside = self.root.with_extension("aside");
        fs::rename(&directory, &aside).map_err(|error| error.to_string())?;
        let done = act(&self.root);
        remove(&directory)?;
        fs::rename(&aside, &directory).map_err(|error| error.to_string())?;
        done
    }
}

/// Where a file of a repository lies.
pub(super) fn file(number: usize) -> String {
    let directory = number / IN_ONE_DIRECTORY;
    format!("d{}/s{}/file{number}.rs", directory / 10, directory % 10)
}

/// Writes text files whose content and length are drawn from a fixed seed, into a repository that tracks none of them.
pub(super) fn plant(root: &Path, files: usize, mean_bytes: u64) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut random = fastrand::Rng::with_seed(7);
    for number in 0..files {
        let path = root.join(file(number));
        if number % IN_ONE_DIRECTORY == 0 {
            fs::create_dir_all(path.parent().unwrap_or(root)).map_err(failed)?;
        }
        let length = random.u64(0..=mean_bytes * 2);
        fs::write(path, text(&mut random, length)).map_err(failed)?;
    }
    git(root, &["init", "-q"])
}

/// Functions that a parser of Rust reads, and a comment that fills the rest.
fn text(random: &mut fastrand::Rng, length: u64) -> String {
    let length = usize::try_from(length).unwrap_or(0);
    let mut text = String::with_capacity(length + 256);
    loop {
        let before = text.len();
        let (name, factor) = (random.u32(0..1_000_000), random.u32(0..1000));
        // Writing to a text cannot fail.
        let _ = write!(
            text,
            "/// Gives a number.\npub fn function{name}(value: u32) -> u32 {{\n    let held = value.wrapping_add({factor});\n    \
             held * {factor}\n}}\n\n"
        );
        if text.len() > length {
            text.truncate(before);
            break;
        }
    }
    if length > text.len() + 3 {
        let rest = length - text.len() - 3;
        let _ = writeln!(text, "//{}", "-".repeat(rest));
    }
    text
}
