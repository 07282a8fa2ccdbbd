//! What a program finds mounted: folders laid over others, or seen at another place, for it and its descendants alone.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lonis_spawn::Mount;

use super::failure::ProcessError;

/// What this machine lacks that gives a program no view.
pub(super) const NOT_MOUNTED: &str = "this process may not mount what the program is to find, or the file system cannot be laid over";
/// Why the backend cannot.
pub(super) const NO_MOUNTS: &str = "programs are started in a way that knows no mounts";

/// Mounts that a program starts with, in a namespace of its own; nothing else on the machine sees them.
///
/// A program whose view cannot be mounted is not started: the failure is [`ProcessError::ConfinementNotHeld`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    mounts: Vec<Step>,
    writable: Vec<PathBuf>,
    program: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Overlay {
        lower: PathBuf,
        upper: PathBuf,
        work: PathBuf,
        target: PathBuf,
    },
    Bind {
        source: PathBuf,
        target: PathBuf,
    },
}

impl View {
    /// Shows at `target` the files of `lower` with the changes of `upper` over them, to which further ones are added.
    ///
    /// `lower` stays as it is. `work` is an empty folder on the file system of `upper`, which the system fills and which has
    /// to be emptied before the next time. A removed file is a character device 0, 0 in `upper`; a folder that hides what
    /// `lower` has there has the attribute `user.overlay.opaque`. What is written is not synced.
    pub fn with_overlay(
        mut self,
        lower: impl Into<PathBuf>,
        upper: impl Into<PathBuf>,
        work: impl Into<PathBuf>,
        target: impl Into<PathBuf>,
    ) -> Self {
        self.mounts.push(Step::Overlay {
            lower: lower.into(),
            upper: upper.into(),
            work: work.into(),
            target: target.into(),
        });
        self
    }

    /// Shows a folder, with all that was mounted below it, at another place as well.
    pub fn with_folder(mut self, source: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        self.mounts.push(Step::Bind {
            source: source.into(),
            target: target.into(),
        });
        self
    }

    /// Lets a [`Confinement`](super::Confinement) of the program allow every change below a folder of the view.
    ///
    /// A confinement knows folders by what stands there before the start, and a folder that is mounted is another one.
    pub fn with_writable(mut self, folder: impl Into<PathBuf>) -> Self {
        self.writable.push(folder.into());
        self
    }

    /// Says where the program's own file stands outside of the view, if its path leads to it only within.
    pub fn with_program_at(mut self, file: impl Into<PathBuf>) -> Self {
        self.program = Some(file.into());
        self
    }

    pub(crate) fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// The view in the form that the system takes.
    pub(crate) fn translate(&self) -> Result<lonis_spawn::View, ProcessError> {
        let mut view = lonis_spawn::View::default();
        for step in &self.mounts {
            let mount = match step {
                Step::Overlay {
                    lower,
                    upper,
                    work,
                    target,
                } => Mount::overlay(bytes(lower), bytes(upper), bytes(work), bytes(target)),
                Step::Bind { source, target } => Mount::bind(bytes(source), bytes(target)),
            };
            view.mounts.push(mount.ok_or(UNUSABLE)?);
        }
        for folder in &self.writable {
            let folder = CString::new(bytes(folder)).map_err(|_| UNUSABLE)?;
            view.writable.push(folder);
        }
        Ok(view)
    }
}

/// A path that no mount can name.
const UNUSABLE: ProcessError = ProcessError::ConfinementNotHeld {
    missing: "a path of the view holds a character that a mount cannot name",
};

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}
