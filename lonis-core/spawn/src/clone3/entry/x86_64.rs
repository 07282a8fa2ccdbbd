use std::{arch::asm, ffi::c_void};

use super::CloneArguments;

/// Makes a system call with up to five arguments and leaves `errno` alone.
///
/// # Safety
/// The arguments must be valid for that call.
pub(in crate::clone3) unsafe fn system_call(number: libc::c_long, arguments: [usize; 5]) -> isize {
    let [first, second, third, fourth, fifth] = arguments;
    let answer: isize;
    // SAFETY: the registers are those of the system's calling convention; the two that it overwrites are declared.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => answer,
            in("rdi") first, in("rsi") second, in("rdx") third, in("r10") fourth, in("r8") fifth,
            out("rcx") _, out("r11") _,
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
    // SAFETY: the child never leaves this block: it calls `entry` on its own stack, which the system has set to a multiple of
    // 16, so that the call leaves it aligned as the convention wants. The parent sees one system call.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, {data}",
            "call {entry}",
            "ud2",
            "2:",
            data = in(reg) data,
            entry = in(reg) entry,
            inlateout("rax") libc::SYS_clone3 => answer,
            in("rdi") arguments, in("rsi") size_of::<CloneArguments>(),
            out("rcx") _, out("r11") _,
        );
    }
    answer
}
