//! The `clone3` backend: a child that shares this process's memory until its program starts.
//!
//! Nothing is copied, so a start costs the same from a host of any size. The price is that the child may do nothing
//! meanwhile but raw system calls: no allocation, no lock, no panic, nothing of the standard library that could do one
//! of them. So the parent writes down every call beforehand, in [`Orders`], and the child carries out the list in a
//! loop.
//!
//! The calling thread stands still until then, with every signal blocked, so that no handler of the host runs in the
//! child and no stop signal freezes the pair.

mod entry;
mod orders;
mod stack;

use std::{
    ffi::c_void,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
};

use self::{
    orders::{Order, Orders, shares_descriptors},
    stack::ChildStack,
};
use super::{Backend, SpawnError, Started, Step, start::Start};

/// Not the C library's constant, whose type is too small for its value.
const CLONE_INTO_CGROUP: u64 = 1 << 33;

pub(super) fn spawn(start: &Start<'_>) -> Result<Started, SpawnError> {
    if let Some(fault) = start.fault.filter(|fault| fault.step() == Step::Start) {
        return Err(fault);
    }
    let mut orders = Orders::new(start)?;
    let stack = ChildStack::take().map_err(SpawnError::at(Step::Start))?;
    let mask = exchange_mask(u64::MAX);
    let result = enter(start, &stack, &mut orders).and_then(|started| match orders.failure {
        None => Ok(started),
        Some(failure) => {
            // It has ended by itself. A host that ignores SIGCHLD has no status for it, and nobody needs one.
            let _ = started.reap();
            Err(failure)
        }
    });
    // Only now, so that a handler of the host never finds a failed child that it could reap in our place.
    exchange_mask(mask);
    stack.keep();
    result
}

fn enter(
    start: &Start<'_>,
    stack: &ChildStack,
    orders: &mut Orders<'_>,
) -> Result<Started, SpawnError> {
    let mut plain = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD;
    if shares_descriptors() {
        plain |= libc::CLONE_FILES;
    }
    let flags = unsigned(plain | start.request.namespaces.0);
    let group = start
        .request
        .control_group
        .map(|folder| unsigned(folder.as_raw_fd()));
    let flags = flags | group.map_or(0, |_| CLONE_INTO_CGROUP);
    let mut pidfd: libc::c_int = -1;
    let place = (&raw mut pidfd).expose_provenance() as u64;
    let signal = unsigned(libc::SIGCHLD);
    let [bottom, size] = stack.place();
    let group = group.unwrap_or_default();
    let arguments = [flags, place, 0, 0, signal, bottom, size, 0, 0, 0, group];
    // SAFETY: the stack is this call's alone, the child leaves it before the call returns, and `carry_out` follows the
    // rules of a child that shares memory. The orders and all that they lead to outlive the call.
    let answer = unsafe { entry::clone3(&arguments, carry_out, (&raw mut *orders).cast()) };
    let pid = libc::pid_t::try_from(answer)
        .expect("the system's process and error numbers are of this type");
    if pid < 0 {
        return Err(SpawnError::new(Step::Start, -pid));
    }
    // SAFETY: the call succeeded, so the system has put a new descriptor there that nobody else owns.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    Ok(Started::new(pid, pidfd, Backend::Clone3))
}

fn unsigned(value: i32) -> u64 {
    value.cast_unsigned().into()
}

/// Sets the calling thread's mask without the C library, which keeps two signals for itself and out of masks.
fn exchange_mask(new: u64) -> u64 {
    let mut old = 0_u64;
    let (number, how) = (libc::SYS_rt_sigprocmask, libc::SIG_SETMASK);
    // SAFETY: both masks are valid for the eight bytes that the last argument names.
    unsafe { libc::syscall(number, how, &raw const new, &raw mut old, 8_usize) };
    old
}

/// The child's first and only function.
///
/// # Safety
/// `orders` must lead to [`Orders`] that nobody touches until the child has left the shared memory.
unsafe extern "C" fn carry_out(orders: *mut c_void) -> ! {
    // SAFETY: as the caller promises.
    let orders = unsafe { &mut *orders.cast::<Orders<'_>>() };
    for order in &orders.list {
        if orders.fault.is_some_and(|fault| fault.step() == order.step) {
            orders.failure = orders.fault;
            break;
        }
        if let Some(errno) = carry_out_one(order) {
            orders.failure = Some(SpawnError::new(order.step, errno));
            break;
        }
    }
    loop {
        // SAFETY: ends this process alone.
        unsafe { libc::syscall(libc::SYS_exit_group, 127) };
    }
}

/// Makes the calls of one order in the child, and returns the error number of the first that fails.
fn carry_out_one(order: &Order) -> Option<i32> {
    let [first, second, third, fourth, fifth] = order.arguments;
    for first in first..=order.last {
        // SAFETY: an address in the list leads to what the orders borrow or own, in the record that its call takes.
        // Nothing but the child's own state changes: it shares memory with its host, handlers never, and descriptors
        // until the order that parts them, before which none touches one.
        let answer = unsafe { libc::syscall(order.number, first, second, third, fourth, fifth) };
        match order.expected {
            // Closing fails for what another thread has closed since, which is no failure.
            // SAFETY: the C library's word for this thread. It is the suspended parent's too, which has no use for it.
            _ if answer < 0 && order.number != libc::SYS_close => unsafe {
                return Some(*libc::__errno_location());
            },
            // What was looked for is not there any more.
            Some(expected) if expected != answer => return Some(libc::ESRCH),
            _ => {}
        }
    }
    None
}
