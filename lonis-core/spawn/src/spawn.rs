use std::{
    ffi::CStr,
    os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd},
};

use crate::{
    backend::Backend,
    c_strings::CStrings,
    isolation::{Isolation, Namespaces},
    plan::Plan,
    posix_spawn,
    signal::Signal,
    started::Started,
    step::{SpawnError, Step},
};

/// What one start adds to its plan, or puts in place of a part of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// What becomes descriptors 0, 1 and 2.
    pub stdio: [BorrowedFd<'a>; 3],
    /// Another working directory than the plan's.
    pub directory: Option<&'a CStr>,
    /// Other arguments than the plan's, the program's own name first.
    pub arguments: Option<&'a CStrings>,
    /// Another environment than the plan's.
    pub environment: Option<&'a CStrings>,
    /// Another isolation than the plan's.
    pub isolation: Option<&'a Isolation>,
    /// A landlock ruleset that the child puts itself under; without privileges this needs `no_new_privileges`.
    pub ruleset: Option<BorrowedFd<'a>>,
    /// The signal that the child gets when the **thread** that starts it ends.
    pub parent_death: Option<Signal>,
    /// The folder of a version 2 control group that the child starts in.
    pub control_group: Option<BorrowedFd<'a>>,
    /// The namespaces that the child starts in.
    pub namespaces: Namespaces,
}

impl<'a> Request<'a> {
    /// Starts with the plan's own parts.
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

/// Starts a program, and returns once it runs: the calling thread stands still until then.
///
/// What the backend cannot set is left out; [`Backend::enforcement`] tells before the start and after it. A control group or a
/// namespace is never left out.
///
/// # Errors
/// The step that failed and the system's error number. That child is gone and reaped.
pub fn spawn(plan: &Plan, request: &Request<'_>) -> Result<Started, SpawnError> {
    let lifted = Lifted::new(request)?;
    let fault = plan.faults.take();
    if let Some(backend) = plan.backend {
        return spawn_by(backend, plan, request, &lifted, fault);
    }
    let ordinary = request.control_group.is_none() && request.namespaces == Namespaces::default();
    match spawn_by(Backend::chosen(), plan, request, &lifted, fault) {
        Err(error) if ordinary && error.is_refused_start() => {
            Backend::PosixSpawn.choose();
            spawn_by(Backend::PosixSpawn, plan, request, &lifted, None)
        }
        result => result,
    }
}

fn spawn_by(
    backend: Backend,
    plan: &Plan,
    request: &Request<'_>,
    lifted: &Lifted,
    fault: Option<SpawnError>,
) -> Result<Started, SpawnError> {
    match backend {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Backend::Clone3 => crate::clone3::spawn(plan, request, lifted, fault),
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        Backend::Clone3 => Err(SpawnError::new(Step::Start, libc::ENOSYS)),
        Backend::PosixSpawn => posix_spawn::spawn(plan, request, lifted, fault),
    }
}

/// The descriptors that a child takes, none of them below 3, so that putting one in place never overwrites another.
#[derive(Debug)]
pub(crate) struct Lifted {
    pub(crate) stdio: [RawFd; 3],
    pub(crate) ruleset: Option<RawFd>,
    /// They live until the child has its own.
    _copies: Vec<OwnedFd>,
}

impl Lifted {
    fn new(request: &Request<'_>) -> Result<Self, SpawnError> {
        let mut copies = Vec::new();
        let mut lift = |descriptor: BorrowedFd<'_>, step| {
            if descriptor.as_raw_fd() > 2 {
                return Ok(descriptor.as_raw_fd());
            }
            // The standard library copies to 3 or above, closed on exec.
            let copy = descriptor.try_clone_to_owned();
            copies.push(copy.map_err(|error| SpawnError::from_io(step, &error))?);
            Ok(copies[copies.len() - 1].as_raw_fd())
        };
        let mut stdio = [0; 3];
        for (place, source) in stdio.iter_mut().zip(request.stdio) {
            *place = lift(source, Step::Stdio)?;
        }
        let ruleset = request
            .ruleset
            .map(|ruleset| lift(ruleset, Step::Landlock))
            .transpose()?;
        Ok(Self {
            stdio,
            ruleset,
            _copies: copies,
        })
    }
}
