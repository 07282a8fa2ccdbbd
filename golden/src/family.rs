//! The golden files of one kind of document.

use std::fs;
use std::path::{Path, PathBuf};

use crate::case::{Case, read};

/// Set to write pinned files instead of comparing with them; the difference is reviewed like code.
const BLESS_VARIABLE: &str = "LONIS_BLESS";

/// The file that pins the hashes of a family.
const HASHES_FILE: &str = "hashes.json";

/// The golden files of one kind of document.
#[derive(Debug, Clone)]
pub struct Family {
    folder: PathBuf,
}

impl Family {
    /// Opens version 1 of a family.
    ///
    /// # Panics
    /// When there is no such folder.
    ///
    /// # Example
    /// ```
    /// let blocks = golden::Family::named("blocks");
    /// assert!(blocks.cases().iter().any(|case| case.name == "message"));
    /// ```
    pub fn named(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(name).join("v1");
        assert!(
            folder.is_dir(),
            "`{}` is no golden family",
            folder.display()
        );
        Self { folder }
    }

    /// Opens a folder of documents of the same form that stands elsewhere.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The cases in the order of their names, every file of the folder among them.
    ///
    /// # Panics
    /// When a file cannot be read, or is no `.json` file: no test would read it.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<Case> = fs::read_dir(&self.folder)
            .unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()))
            .map(|entry| {
                entry
                    .expect("a folder that was opened can be listed")
                    .path()
            })
            .filter(|path| !path.ends_with(HASHES_FILE))
            .map(|path| Case::load(&path))
            .collect();
        cases.sort();
        cases
    }

    /// The case of that name.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn case(&self, name: &str) -> Case {
        Case::load(&self.folder.join(format!("{name}.json")))
    }

    /// Compares a text with the pinned file, or writes it there when blessing.
    ///
    /// # Panics
    /// When the two differ, and when the file cannot be read or written.
    pub fn assert_pinned(&self, file_name: &str, actual: &str) {
        let path = self.folder.join(file_name);
        if std::env::var_os(BLESS_VARIABLE).is_some_and(|value| value == "1") {
            fs::write(&path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let pinned = read(&path);
        assert!(
            pinned == actual,
            "`{}` pins something else; {BLESS_VARIABLE}=1 writes it anew\n{}",
            path.display(),
            first_difference(&pinned, actual),
        );
    }
}

fn first_difference(pinned: &str, actual: &str) -> String {
    let mut lines = pinned.lines().zip(actual.lines()).enumerate();
    match lines.find(|(_, (pinned, actual))| pinned != actual) {
        Some((at, (pinned, actual))) => {
            format!("line {}\n  pinned: {pinned}\n  actual: {actual}", at + 1)
        }
        None => format!(
            "{} lines are pinned, {} are there",
            pinned.lines().count(),
            actual.lines().count()
        ),
    }
}
