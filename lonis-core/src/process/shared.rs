//! The part of a call that its consumer and the supervisor both can reach.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::control::Control;

/// A call's control, in the hands of one driver at a time.
///
/// Whoever drives the call keeps the lock, also while it waits. The supervisor never waits for it: what it finds locked
/// is being driven, and keeps its own deadlines.
pub(crate) struct Shared {
    control: Mutex<Control>,
    /// The supervisor came by while the call was locked and relies on its driver to call it again.
    missed: AtomicBool,
}

impl Shared {
    pub(crate) fn new(control: Control) -> Self {
        Self {
            control: Mutex::new(control),
            missed: AtomicBool::new(false),
        }
    }

    /// Takes the call in order to drive it.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the call unless somebody drives it, who then finds [`Shared::was_missed`] true after letting go of it.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, Control>> {
        self.missed.store(true, Ordering::SeqCst);
        // Pairs with the fence of the driver: either the lock is free by now, or the driver sees the store.
        fence(Ordering::SeqCst);
        match self.control.try_lock() {
            Ok(control) => {
                self.missed.store(false, Ordering::SeqCst);
                Some(control)
            }
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Returns whether the supervisor came by in vain; asked by a driver that has let go of the call.
    pub(crate) fn was_missed(&self) -> bool {
        fence(Ordering::SeqCst);
        self.missed.swap(false, Ordering::SeqCst)
    }
}
