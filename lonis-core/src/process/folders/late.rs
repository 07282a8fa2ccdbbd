//! Removals that their calls did not wait for.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

static UNDER_WAY: Mutex<usize> = Mutex::new(0);
static FEWER: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, usize> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One removal that goes on after its call, until it is dropped.
#[derive(Debug)]
pub(super) struct Late(());

impl Late {
    pub(super) fn begin() -> Self {
        *lock() += 1;
        Self(())
    }
}

impl Drop for Late {
    fn drop(&mut self) {
        *lock() -= 1;
        FEWER.notify_all();
    }
}

/// Waits until the private folders of calls that have returned are removed; for programs that are about to end.
///
/// What a tool has filled may take longer to remove than its call should, so that it goes on in the background, which
/// ends with the process. Returns whether nothing is left to remove.
///
/// # Units and bounds
/// At most `patience`; with nothing to wait for, no time at all.
pub fn finish_removals(patience: Duration) -> bool {
    let waited = FEWER.wait_timeout_while(lock(), patience, |under_way| *under_way > 0);
    let (under_way, _) = waited.unwrap_or_else(PoisonError::into_inner);
    *under_way == 0
}
