use std::{cell::Cell, ffi::c_void, ptr};

use crate::step::{SpawnError, Step};

/// The child's own stack, with a page below it that nothing can be written to.
///
/// The child is suspended in no call of the host's, so nothing on it has to survive; a thread keeps one for its next start.
#[derive(Debug)]
pub(super) struct ChildStack {
    mapping: *mut c_void,
}

/// A child needs some hundred bytes in a release build and a few thousand in a debug build.
pub(super) const STACK_BYTES: usize = 64 * 1024;
/// The largest page size of the two architectures.
const GUARD_BYTES: usize = 64 * 1024;

thread_local! {
    static KEPT: Cell<Option<ChildStack>> = const { Cell::new(None) };
}

impl ChildStack {
    pub(super) fn take() -> Result<Self, SpawnError> {
        // A thread that is ending has no place to keep one, and maps a new one.
        match KEPT.try_with(Cell::take) {
            Ok(Some(stack)) => Ok(stack),
            Ok(None) | Err(_) => Self::map(),
        }
    }

    pub(super) fn keep(self) {
        // Without a place to keep it, the stack is unmapped by its drop inside the closure that was not run.
        let _ = KEPT.try_with(|kept| kept.set(Some(self)));
    }

    fn map() -> Result<Self, SpawnError> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the system's choice; the whole of it is inaccessible.
        let mapping = unsafe {
            libc::mmap(
                ptr::null_mut(),
                GUARD_BYTES + STACK_BYTES,
                libc::PROT_NONE,
                flags,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(SpawnError::last(Step::Start));
        }
        let stack = Self { mapping };
        // SAFETY: the range lies inside the mapping above, which nobody else knows.
        match unsafe {
            libc::mprotect(
                stack.bottom(),
                STACK_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        } {
            0 => Ok(stack),
            _ => Err(SpawnError::last(Step::Start)),
        }
    }

    /// The lowest usable address.
    pub(super) fn bottom(&self) -> *mut c_void {
        self.mapping.wrapping_byte_add(GUARD_BYTES)
    }
}

impl Drop for ChildStack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and the child that used it has left it before `clone3` returned.
        unsafe { libc::munmap(self.mapping, GUARD_BYTES + STACK_BYTES) };
    }
}
