use std::{ffi::CString, os::fd::RawFd};

use super::Ruleset;

/// Mounts that a child makes in a mount namespace of its own, where nobody else sees them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct View {
    /// The mounts, in this order.
    pub mounts: Vec<Mount>,
    /// Folders that only stand there once all is mounted, below which a ruleset of the request allows every change.
    pub writable: Vec<CString>,
}

/// One mount of a [`View`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mount {
    /// A folder in which the changes of one lie over the files of another, which stays as it is.
    ///
    /// What is written is in no way synced.
    Overlay {
        /// The folder in which the whole is seen.
        target: CString,
        /// The system's options, which name the folders: see [`Mount::overlay`].
        options: CString,
    },
    /// A folder, with what is mounted below it, that is seen at another place as well.
    Bind {
        /// The folder.
        source: CString,
        /// The other place.
        target: CString,
    },
}

impl Mount {
    /// A folder that is seen at another place as well; `None` where a path holds a zero byte.
    pub fn bind(source: &[u8], target: &[u8]) -> Option<Self> {
        Some(Self::Bind {
            source: CString::new(source).ok()?,
            target: CString::new(target).ok()?,
        })
    }

    /// An overlay; `work` is an empty folder beside `upper`, for the system alone.
    ///
    /// `None` where a path holds a zero byte or a character that the system's options cannot name.
    pub fn overlay(lower: &[u8], upper: &[u8], work: &[u8], target: &[u8]) -> Option<Self> {
        // A colon parts lower folders, a comma options; the backslash that would escape them is no plainer.
        let is_plain = |path: &[u8]| !path.iter().any(|byte| b",:\\".contains(byte));
        if ![lower, upper, work].into_iter().all(is_plain) {
            return None;
        }
        // Marks of removed files that need no privileges; and no sync of a whole disk when the last process ends.
        let mut options = b"userxattr,volatile".to_vec();
        for (name, path) in [
            (",lowerdir=", lower),
            (",upperdir=", upper),
            (",workdir=", work),
        ] {
            options.extend_from_slice(name.as_bytes());
            options.extend_from_slice(path);
        }
        Some(Self::Overlay {
            target: CString::new(target).ok()?,
            options: CString::new(options).ok()?,
        })
    }
}

/// A rule of a ruleset whose folder is opened by the child.
pub(super) type LateRule = super::landlock::PathBeneath;

/// The rule for a folder that the child will have under a descriptor.
pub(super) fn late_rule(folder: RawFd) -> LateRule {
    super::landlock::PathBeneath {
        allowed: Ruleset::version().map_or(0, super::landlock::changes),
        parent: folder,
    }
}
