use std::{arch::asm, ffi::c_void};

use super::CloneArguments;

/// Makes a system call with up to five arguments and leaves `errno` alone.
///
/// # Safety
/// The arguments must be valid for that call.
pub(in crate::clone3) unsafe fn system_call(number: libc::c_long, arguments: [usize; 5]) -> isize {
    let [first, second, third, fourth, fifth] = arguments;
    let answer: isize;
    // SAFETY: the registers are those of the system's calling convention, which preserves all others.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") first => answer,
            in("x1") second, in("x2") third, in("x3") fourth, in("x4") fifth,
            options(nostack),
        );
    }
    answer
}

/// Starts a child in `entry` on the stack that the arguments name, and returns its number or a negative error number.
///
/// # Safety
/// The stack must be mapped, unused and larger than `entry` needs; with shared memory `entry` must not return, unwind, allocate
/// or take a lock, and `data` must be valid for it.
pub(in crate::clone3) unsafe fn clone3(
    arguments: &CloneArguments,
    entry: unsafe extern "C" fn(*mut c_void) -> !,
    data: *mut c_void,
) -> isize {
    let answer: isize;
    // SAFETY: the child never leaves this block: it calls `entry` on its own stack, whose top is a multiple of 16 as the
    // convention wants. The parent sees one system call.
    unsafe {
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, {data}",
            "blr {entry}",
            "brk 1",
            "2:",
            data = in(reg) data,
            entry = in(reg) entry,
            in("x8") libc::SYS_clone3,
            inlateout("x0") arguments => answer,
            in("x1") size_of::<CloneArguments>(),
        );
    }
    answer
}
