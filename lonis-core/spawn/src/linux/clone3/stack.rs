use std::{cell::Cell, ffi::c_void, io, ptr};

use crate::linux::step::done;

/// The child's own stack, with a part below it that nothing can be written to.
///
/// A thread keeps one for its next start: the pages of a new one would cost a tenth of a start.
pub(super) struct ChildStack(*mut c_void);

thread_local! {
    static KEPT: Cell<Option<ChildStack>> = const { Cell::new(None) };
}

/// The child needs some hundred bytes in a release build and a few thousand in a debug build.
const STACK_BYTES: usize = 64 * 1024;
/// The largest page size of the two architectures.
const GUARD_BYTES: usize = 64 * 1024;

impl ChildStack {
    pub(super) fn take() -> io::Result<Self> {
        // A thread that is ending has no place to keep one.
        KEPT.try_with(Cell::take)
            .ok()
            .flatten()
            .map_or_else(Self::map, Ok)
    }

    pub(super) fn keep(self) {
        // Where there is no place, the stack goes with the closure that holds it.
        let _ = KEPT.try_with(|kept| kept.set(Some(self)));
    }

    fn map() -> io::Result<Self> {
        let (size, access) = (
            GUARD_BYTES + STACK_BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
        );
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the system's choice.
        let mapping = unsafe { libc::mmap(ptr::null_mut(), size, access, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Self(mapping);
        // SAFETY: the lower part of the mapping, which nobody else knows.
        done(unsafe { libc::mprotect(mapping, GUARD_BYTES, libc::PROT_NONE) }).map(|()| stack)
    }

    /// The lowest usable address and the size.
    pub(super) fn place(&self) -> [u64; 2] {
        [
            (self.0.expose_provenance() + GUARD_BYTES) as u64,
            STACK_BYTES as u64,
        ]
    }
}

impl Drop for ChildStack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and the child that used it has left it.
        unsafe { libc::munmap(self.0, GUARD_BYTES + STACK_BYTES) };
    }
}
