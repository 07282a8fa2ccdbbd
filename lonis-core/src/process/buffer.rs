//! Read buffers, kept between calls so that a call need not touch fresh pages.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// As much as a pipe holds by default: one read empties it.
const BUFFER_BYTES: usize = 65_536;

/// Buffers that are kept. More calls at one time allocate theirs.
const KEPT_BUFFERS: usize = 16;

static KEPT: Mutex<Vec<Box<[u8]>>> = Mutex::new(Vec::new());

/// One 64 KiB buffer, given back on drop.
pub(crate) struct Buffer(Box<[u8]>);

impl Buffer {
    /// Takes a kept buffer or makes one. What an earlier call left in it is never shown: only what was read is.
    pub(crate) fn take() -> Self {
        let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self(kept.unwrap_or_else(|| vec![0; BUFFER_BYTES].into_boxed_slice()))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT_BUFFERS {
            kept.push(std::mem::take(&mut self.0));
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
