use std::{ffi::CStr, os::fd::BorrowedFd};

use super::{CStrings, Isolation, Namespaces, View};
use crate::Signal;

/// What one start adds to its plan, or puts in place of a part of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// What becomes descriptors 0, 1 and 2.
    pub stdio: [BorrowedFd<'a>; 3],
    /// What becomes descriptor 3; unset, the program gets no more than the three. The `posix-spawn` backend refuses it.
    pub report: Option<BorrowedFd<'a>>,
    /// The working directory; unset, it is the host's.
    pub directory: Option<&'a CStr>,
    /// Other arguments than the plan's, the program's own name first.
    pub arguments: Option<&'a CStrings>,
    /// Another environment than the plan's.
    pub environment: Option<&'a CStrings>,
    /// Another isolation than the plan's.
    pub isolation: Option<&'a Isolation>,
    /// A landlock ruleset that the child puts itself under; without privileges this needs `no_new_privileges`. The
    /// `posix-spawn` backend leaves it out.
    pub ruleset: Option<BorrowedFd<'a>>,
    /// The signal that the child gets when the **thread** that starts it ends. The `posix-spawn` backend leaves it out.
    pub parent_death: Option<Signal>,
    /// The folder of a version 2 control group that the child starts in. The `posix-spawn` backend refuses it.
    pub control_group: Option<BorrowedFd<'a>>,
    /// The namespaces that the child starts in. The `posix-spawn` backend refuses them.
    pub namespaces: Namespaces,
    /// What the child mounts before it enters its directory; needs [`Namespaces::MOUNTS`].
    pub view: Option<&'a View>,
}

impl<'a> Request<'a> {
    /// Starts with the plan's own parts, in the host's directory.
    pub fn new(stdin: BorrowedFd<'a>, stdout: BorrowedFd<'a>, stderr: BorrowedFd<'a>) -> Self {
        Self {
            stdio: [stdin, stdout, stderr],
            report: None,
            directory: None,
            arguments: None,
            environment: None,
            isolation: None,
            ruleset: None,
            parent_death: None,
            control_group: None,
            namespaces: Namespaces::default(),
            view: None,
        }
    }
}
