use std::{
    ffi::CStr,
    fs, io,
    os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd},
    sync::{OnceLock, PoisonError},
};

use super::{CStrings, Isolation, Namespaces, Plan, SpawnError, Started, Step, posix_spawn};
use crate::Signal;

/// The way in which a child is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The `clone3` system call, with everything set before the program starts.
    Clone3,
    /// The C library's `posix_spawn`, where `clone3` is refused or this architecture has no entry code for it.
    PosixSpawn,
}

impl Backend {
    /// The backend of every plan that asks for none, decided once per process.
    pub fn chosen() -> Self {
        static CHOSEN: OnceLock<Backend> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            // A call without arguments starts nothing: a system that has it finds them invalid.
            // SAFETY: no pointer is followed for a size of zero.
            unsafe { libc::syscall(libc::SYS_clone3, 0_usize, 0_usize) };
            let answer = io::Error::last_os_error().raw_os_error();
            let refused = matches!(answer, Some(libc::ENOSYS | libc::EPERM));
            let has_entry = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
            if has_entry && !refused {
                Self::Clone3
            } else {
                Self::PosixSpawn
            }
        })
    }
}

/// What one start adds to its plan, or puts in place of a part of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// What becomes descriptors 0, 1 and 2.
    pub stdio: [BorrowedFd<'a>; 3],
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
}

impl<'a> Request<'a> {
    /// Starts with the plan's own parts, in the host's directory.
    pub fn new(stdin: BorrowedFd<'a>, stdout: BorrowedFd<'a>, stderr: BorrowedFd<'a>) -> Self {
        Self {
            stdio: [stdin, stdout, stderr],
            directory: None,
            arguments: None,
            environment: None,
            isolation: None,
            ruleset: None,
            parent_death: None,
            control_group: None,
            namespaces: Namespaces::default(),
        }
    }
}

/// A request with its plan: all that a backend reads.
pub(super) struct Start<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) program: &'a CStr,
    pub(super) arguments: &'a CStrings,
    pub(super) environment: &'a CStrings,
    pub(super) isolation: &'a Isolation,
    /// None of them below 3, so that putting one in place never overwrites another.
    pub(super) stdio: [RawFd; 3],
    pub(super) ruleset: Option<RawFd>,
    pub(super) fault: Option<SpawnError>,
}

/// Starts a program, and returns once it runs: the calling thread stands still until then.
///
/// # Errors
/// The step that failed and the system's error number. That child is gone and reaped.
pub fn spawn(plan: &Plan, request: &Request<'_>) -> Result<Started, SpawnError> {
    let mut copies = Vec::new();
    let mut stdio = [0; 3];
    for (place, source) in stdio.iter_mut().zip(request.stdio) {
        *place = lift(source, &mut copies).map_err(SpawnError::at(Step::Stdio))?;
    }
    let ruleset = request.ruleset.map(|ruleset| lift(ruleset, &mut copies));
    let mut faults = plan.faults.lock().unwrap_or_else(PoisonError::into_inner);
    let start = Start {
        request,
        program: &plan.program,
        arguments: request.arguments.unwrap_or(&plan.arguments),
        environment: request.environment.unwrap_or(&plan.environment),
        isolation: request.isolation.unwrap_or(&plan.isolation),
        stdio,
        ruleset: ruleset
            .transpose()
            .map_err(SpawnError::at(Step::Landlock))?,
        fault: faults.pop(),
    };
    drop(faults);
    match plan.backend.unwrap_or_else(Backend::chosen) {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Backend::Clone3 => super::clone3::spawn(&start),
        _ => posix_spawn::spawn(&start),
    }
}

/// A descriptor's number if it is above stdio, else that of a copy which is.
fn lift(descriptor: BorrowedFd<'_>, copies: &mut Vec<OwnedFd>) -> io::Result<RawFd> {
    if descriptor.as_raw_fd() > 2 {
        return Ok(descriptor.as_raw_fd());
    }
    // The standard library copies to 3 or above, closed on exec.
    let copy = descriptor.try_clone_to_owned()?;
    let number = copy.as_raw_fd();
    copies.push(copy);
    Ok(number)
}

/// Every open descriptor above stdio at this moment, for systems that cannot close a range.
///
/// One that another thread opens meanwhile, and does not close on exec, is missed; so this is the last way.
pub(super) fn open_above_stdio() -> Result<Vec<RawFd>, SpawnError> {
    let files = fs::read_dir("/proc/self/fd").map_err(SpawnError::at(Step::Descriptors))?;
    let numbers = files.filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok());
    Ok(numbers.filter(|number| *number > 2).collect())
}
