use std::{
    io,
    os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd},
    sync::PoisonError,
};

use super::{Backend, Plan, Request, SpawnError, Started, Step, posix_spawn, start::Start};

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
