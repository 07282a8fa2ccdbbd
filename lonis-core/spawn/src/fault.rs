use std::sync::{Mutex, PoisonError};

use crate::step::{SpawnError, Step};

/// The seam of the child's system calls: what the next starts of a plan answer in place of the system.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pending: Mutex<Option<(SpawnError, u32)>>,
}

impl Faults {
    pub(crate) fn set(&self, step: Step, errno: i32, times: u32) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        *pending = (times > 0).then_some((SpawnError::new(step, errno), times));
    }

    pub(crate) fn take(&self) -> Option<SpawnError> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let (fault, times) = (*pending)?;
        *pending = (times > 1).then_some((fault, times - 1));
        Some(fault)
    }
}
