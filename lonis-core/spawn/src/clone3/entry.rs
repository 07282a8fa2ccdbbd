//! The few instructions that no library offers: a system call that touches no `errno`, and a `clone3` whose child starts in a
//! function on a stack of its own.

#[cfg_attr(target_arch = "x86_64", path = "entry/x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "entry/aarch64.rs")]
mod architecture;

pub(super) use self::architecture::{clone3, system_call};

/// The argument record of `clone3` in its third published size; members that are not used are zero.
#[derive(Debug, Default)]
#[repr(C, align(8))]
pub(super) struct CloneArguments {
    pub(super) flags: u64,
    pub(super) pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    pub(super) exit_signal: u64,
    pub(super) stack: u64,
    pub(super) stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    pub(super) control_group: u64,
}

/// Parts the system's answer: an error number is returned as its negative, in the last page of the address range.
pub(super) fn checked(answer: isize) -> Result<usize, i32> {
    match i32::try_from(answer) {
        Ok(errno @ -4095..0) => Err(-errno),
        _ => Ok(answer.cast_unsigned()),
    }
}
