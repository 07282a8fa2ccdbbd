use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd},
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
    let least = request.report.map_or(3, |_| 4);
    for (place, source) in stdio.iter_mut().zip(request.stdio) {
        *place = lift(source, least, &mut copies).map_err(SpawnError::at(Step::Stdio))?;
    }
    let report = request
        .report
        .map(|report| lift(report, least, &mut copies));
    let ruleset = request
        .ruleset
        .map(|ruleset| lift(ruleset, least, &mut copies));
    let mut faults = plan.faults.lock().unwrap_or_else(PoisonError::into_inner);
    let start = Start {
        request,
        program: &plan.program,
        arguments: request.arguments.unwrap_or(&plan.arguments),
        environment: request.environment.unwrap_or(&plan.environment),
        isolation: request.isolation.unwrap_or(&plan.isolation),
        stdio,
        report: report.transpose().map_err(SpawnError::at(Step::Stdio))?,
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

/// A descriptor's number if it is not among those that the child's own get, else that of a copy which is not.
fn lift(descriptor: BorrowedFd<'_>, least: RawFd, copies: &mut Vec<OwnedFd>) -> io::Result<RawFd> {
    if descriptor.as_raw_fd() >= least {
        return Ok(descriptor.as_raw_fd());
    }
    // The standard library copies to the lowest free number above stdio, closed on exec.
    let copy = descriptor.try_clone_to_owned()?;
    let number = lift(copy.as_fd(), least, copies);
    copies.push(copy);
    number
}
