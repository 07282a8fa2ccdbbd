use std::{arch::asm, ffi::c_void};

/// Starts a child in `entry` on the stack that the arguments name, and returns its number or a negative error number.
///
/// The arguments are the system's record in its third published size. No library offers this call, since the child has
/// to leave it on another stack.
///
/// # Safety
/// The stack must be mapped, unused and larger than `entry` needs; with shared memory `entry` must not return, unwind,
/// allocate or take a lock, and `data` must be valid for it.
pub(super) unsafe fn clone3(
    arguments: &[u64; 11],
    entry: unsafe extern "C" fn(*mut c_void) -> !,
    data: *mut c_void,
) -> isize {
    let answer: isize;
    // SAFETY: the child never leaves this block: it calls `entry` on its own stack, whose top is a multiple of 16 as
    // the calling convention wants. The parent sees one system call, whose registers are declared.
    #[cfg(target_arch = "x86_64")]
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
            in("rdi") arguments,
            in("rsi") size_of_val(arguments),
            out("rcx") _,
            out("r11") _,
        );
    }
    // SAFETY: as above; the system preserves every register but that of its answer.
    #[cfg(target_arch = "aarch64")]
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
            in("x1") size_of_val(arguments),
        );
    }
    answer
}
