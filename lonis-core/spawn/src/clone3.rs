//! The `clone3` backend: a child that shares this process's memory until its program starts.
//!
//! Nothing is copied, so a start costs the same from a host of any size. The price is that until then the child may do nothing
//! but raw system calls: see [`child`]. The caller's thread stands still meanwhile, with every signal blocked, so that no
//! handler of the host runs in the child and no stop signal freezes the pair.

mod child;
mod entry;
mod stack;

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use self::{
    child::Orders,
    entry::system_call,
    stack::{ChildStack, STACK_BYTES},
};
use crate::{
    backend::Backend,
    descriptors::listed_for_closing,
    isolation::Namespaces,
    plan::Plan,
    spawn::{Lifted, Request},
    started::Started,
    step::{SpawnError, Step},
};

/// Not the C library's constant, whose type is too small for its value.
const CLONE_INTO_CGROUP: u64 = 1 << 33;

pub(crate) fn spawn(
    plan: &Plan,
    request: &Request<'_>,
    lifted: &Lifted,
    fault: Option<SpawnError>,
) -> Result<Started, SpawnError> {
    if let Some(fault) = fault.filter(|fault| fault.step() == Step::Start) {
        return Err(fault);
    }
    let isolation = request.isolation.unwrap_or(&plan.isolation);
    let mut orders = Orders {
        program: &plan.program,
        arguments: request.arguments.unwrap_or(&plan.arguments),
        environment: request.environment.unwrap_or(&plan.environment),
        directory: request.directory.or(plan.directory.as_deref()),
        isolation,
        oom_score: isolation.oom_score.map(|score| score.to_string()),
        identity: request.namespaces.contains(Namespaces::USER).then(identity),
        stdio: lifted.stdio,
        ruleset: lifted.ruleset,
        listed: listed_for_closing()?,
        parent_death: request.parent_death,
        // From inside a pid namespace the host cannot be seen.
        host: (!request.namespaces.contains(Namespaces::PID)).then(std::process::id),
        fault,
        failure: None,
    };
    let stack = ChildStack::take()?;
    let started = start(request, &stack, &mut orders);
    stack.keep();
    started
}

fn identity() -> [String; 2] {
    // SAFETY: neither call takes a pointer or can fail.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    [user, group].map(|number| format!("{number} {number} 1"))
}

fn start(
    request: &Request<'_>,
    stack: &ChildStack,
    orders: &mut Orders<'_>,
) -> Result<Started, SpawnError> {
    let mut pidfd: libc::c_int = -1;
    let plain = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD;
    let mut arguments = entry::CloneArguments::default();
    arguments.flags = u64::from(plain.cast_unsigned()) | request.namespaces.flags();
    arguments.pidfd = (&raw mut pidfd).expose_provenance() as u64;
    arguments.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
    arguments.stack = stack.bottom().expose_provenance() as u64;
    arguments.stack_size = STACK_BYTES as u64;
    if let Some(control_group) = request.control_group {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.control_group = u64::from(control_group.as_raw_fd().cast_unsigned());
    }
    // Until this function returns, so that a failed child is reaped before a handler of the host hears of its end.
    let _blocked = SignalsBlocked::new();
    // SAFETY: the stack is this thread's alone, and the child leaves it before the call returns; `child::run` follows the rules
    // of a child that shares memory. The orders and all that they borrow outlive the call.
    let answer = unsafe { entry::clone3(&arguments, child::run, (&raw mut *orders).cast()) };
    let pid = entry::checked(answer).map_err(|errno| SpawnError::new(Step::Start, errno))?;
    let pid = libc::pid_t::try_from(pid).expect("the system numbers processes within this type");
    // SAFETY: the call succeeded, so the system has put a new descriptor there that nobody else owns.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    let started = Started::new(pid, pidfd, Backend::Clone3);
    let Some(failure) = orders.failure else {
        return Ok(started);
    };
    // The child has ended by itself. A host that ignores SIGCHLD has no status for it, and nobody needs one.
    let _ = started.reap();
    Err(failure)
}

/// Every signal of this thread blocked, those that the C library keeps for itself too; the mask before comes back on drop.
struct SignalsBlocked {
    before: u64,
}

impl SignalsBlocked {
    fn new() -> Self {
        Self {
            before: exchange_mask(u64::MAX),
        }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        exchange_mask(self.before);
    }
}

fn exchange_mask(new: u64) -> u64 {
    let mut old = 0_u64;
    let how = libc::SIG_SETMASK.cast_unsigned() as usize;
    let arguments = [
        how,
        (&raw const new).expose_provenance(),
        (&raw mut old).expose_provenance(),
        8,
        0,
    ];
    // SAFETY: both masks are valid for the eight bytes that the fourth argument names.
    unsafe { system_call(libc::SYS_rt_sigprocmask, arguments) };
    old
}
