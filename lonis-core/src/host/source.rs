//! The places that registrations come from.

use std::path::{Path, PathBuf};

/// Where a registration came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An executable in a provider folder.
    Folder(PathBuf),
    /// The user's file.
    UserFile(PathBuf),
    /// The project's file.
    ProjectFile(PathBuf),
    /// The file that `LONIS_CONFIG` names.
    ChosenFile(PathBuf),
}

impl Source {
    /// Returns the folder or file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Folder(path)
            | Self::UserFile(path)
            | Self::ProjectFile(path)
            | Self::ChosenFile(path) => path,
        }
    }

    /// Returns the word for the sort of source.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Folder(_) => "folder",
            Self::UserFile(_) => "user file",
            Self::ProjectFile(_) => "project file",
            Self::ChosenFile(_) => "LONIS_CONFIG",
        }
    }
}

/// A file or folder that would have been a provider, and is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The name that it would have had, or the path of a folder.
    pub name: String,
    /// Where it stands.
    pub source: Source,
    /// Why it is not used.
    pub why: String,
}
