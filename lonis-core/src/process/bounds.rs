//! Which bounds are in force for a call, and by what means; what this machine cannot hold is refused here.

use crate::limits::{Bound, Limits};

use super::failure::ProcessError;
use super::outcome::{BoundHeld, Enforcement};

/// Decides how every bound that is set will be held.
pub(crate) fn plan(limits: &Limits) -> Result<Vec<BoundHeld>, ProcessError> {
    let mut held = Vec::new();
    for bound in Bound::ALL {
        let Some(limit) = limits.value(bound) else {
            continue;
        };
        let enforced_by = match bound {
            Bound::TimeoutMillis | Bound::MaxWallMillis => Enforcement::ProcessTreeDeadline,
            Bound::MaxStdoutBytes | Bound::MaxStderrBytes => Enforcement::CombinedDrainingPipes,
            Bound::MaxFileBytes => Enforcement::FileSizeLimit,
            Bound::MaxOpenFiles => Enforcement::OpenFilesLimit,
            Bound::MaxAddressSpaceBytes => Enforcement::AddressSpaceLimit,
            // Graces bound nothing, and blocks are cut by whoever reads them.
            Bound::KillGraceMillis | Bound::DrainGraceMillis | Bound::MaxBlockBytes => continue,
            Bound::MaxCpuMillis
            | Bound::MaxMemoryBytes
            | Bound::MaxProcesses
            | Bound::MaxPrivateBytes => {
                let missing = "this version does not sample the tree of a call";
                return Err(ProcessError::BoundNotHeld { bound, missing });
            }
        };
        held.push(BoundHeld {
            bound,
            limit,
            enforced_by,
            late: false,
        });
    }
    Ok(held)
}
