use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
};

use libc::{c_int, c_long};

// Of the system's header, which the C library has not got. The rights by the version that brought them.
const WRITE_FILE: u64 = 1 << 1;
const REMOVE_DIR: u64 = 1 << 4;
const REMOVE_FILE: u64 = 1 << 5;
/// Making directories, files, sockets, pipes, devices and links.
const MAKE: u64 = 0b111_1111 << 6;
/// Version 2: moving and linking from folder to folder.
const REFER: u64 = 1 << 13;
/// Version 3.
const TRUNCATE: u64 = 1 << 14;
/// Version 5: commands to devices.
const IOCTL_DEV: u64 = 1 << 15;
/// Version 4: binding and connecting of TCP sockets.
const TCP: u64 = 0b11;
/// Version 6: abstract Unix sockets and signals of processes outside.
const SCOPES: u64 = 0b11;

const VERSION: usize = 1;
pub(super) const PATH_BENEATH: usize = 1;

/// What the system takes of a ruleset; a version reads as much of it as it knows.
#[repr(C)]
struct Attributes {
    files: u64,
    network: u64,
    scoped: u64,
}

#[repr(C, packed)]
#[derive(Clone, Copy)]
pub(super) struct PathBeneath {
    pub(super) allowed: u64,
    pub(super) parent: c_int,
}

/// Rules that a child puts itself under for good: it changes no file, but below the folders that are allowed.
///
/// Descriptors that it has already, such as its pipes, are under no rule.
#[derive(Debug)]
pub struct Ruleset {
    descriptor: OwnedFd,
    version: u32,
}

impl Ruleset {
    /// Returns the version of landlock that is in force here; `None` where there is none.
    pub fn version() -> Option<u32> {
        // SAFETY: asks for the version, which takes no attributes.
        let answer =
            unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0_usize, 0_usize, VERSION) };
        u32::try_from(answer).ok().filter(|version| *version > 0)
    }

    /// Makes rules that allow no change of any file and, where it is asked for and known, no TCP.
    ///
    /// # Errors
    /// What the system answers: there is no landlock, or no descriptor for it.
    pub fn against_changes(without_tcp: bool) -> io::Result<Self> {
        let version = Self::version().ok_or_else(|| io::Error::from_raw_os_error(libc::ENOSYS))?;
        let since = |least: u32, rights: u64| if version >= least { rights } else { 0 };
        let attributes = Attributes {
            files: changes(version),
            network: if without_tcp { since(4, TCP) } else { 0 },
            scoped: since(6, SCOPES),
        };
        // An older version refuses members that it does not know, by their place.
        let size: usize = match version {
            ..4 => 8,
            4 | 5 => 16,
            _ => 24,
        };
        // SAFETY: the attributes are valid for the size that is named.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                &raw const attributes,
                size,
                0_usize,
            )
        };
        let descriptor = number(answer)?;
        // SAFETY: the call has just made this descriptor, and nobody else owns it.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        Ok(Self {
            descriptor,
            version,
        })
    }

    /// Allows every change below a folder, or writing to a file that is none.
    ///
    /// # Errors
    /// What the system answers.
    pub fn allow(&self, place: BorrowedFd<'_>, is_folder: bool) -> io::Result<()> {
        let all = changes(self.version);
        let rule = PathBeneath {
            allowed: if is_folder {
                all
            } else {
                all & (WRITE_FILE | TRUNCATE | IOCTL_DEV)
            },
            parent: place.as_raw_fd(),
        };
        let ruleset = self.descriptor.as_raw_fd();
        // SAFETY: the rule is of the form that its sort names, and outlives the call.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                ruleset,
                PATH_BENEATH,
                &raw const rule,
                0_usize,
            )
        };
        number(answer).map(|_| ())
    }

    /// Returns whether TCP can be kept from a child here.
    pub fn knows_tcp(&self) -> bool {
        self.version >= 4
    }
}

impl AsFd for Ruleset {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Every right of a version that changes something.
pub(super) fn changes(version: u32) -> u64 {
    let since = |least: u32, rights: u64| if version >= least { rights } else { 0 };
    WRITE_FILE
        | REMOVE_DIR
        | REMOVE_FILE
        | MAKE
        | since(2, REFER)
        | since(3, TRUNCATE)
        | since(5, IOCTL_DEV)
}

fn number(answer: c_long) -> io::Result<c_int> {
    match c_int::try_from(answer) {
        Ok(number) if number >= 0 => Ok(number),
        _ => Err(io::Error::last_os_error()),
    }
}
