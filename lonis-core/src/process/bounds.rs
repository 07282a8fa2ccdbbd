//! Which bounds are in force for a call, and by what means; what cannot be held is refused here.

use crate::limits::{Bound, Limits};

use super::failure::ProcessError;
use super::outcome::{Backend, BoundHeld, Enforcement};
use super::sampler;
use super::tree::Tree;

/// Bounds that the kernel holds for each process by itself, as limits that the child inherits to its own children.
const SET_ON_THE_CHILD: [Bound; 3] = [
    Bound::MaxFileBytes,
    Bound::MaxOpenFiles,
    Bound::MaxAddressSpaceBytes,
];

/// Returns every bound that is in force, and how.
pub(crate) fn held(limits: &Limits, backend: Backend, tree: &Tree) -> Vec<BoundHeld> {
    let held = |bound| {
        let limit = limits.value(bound)?;
        let enforced_by = enforcement(bound, tree)?;
        Some(BoundHeld {
            bound,
            limit,
            enforced_by,
            late: backend == Backend::PosixSpawn && SET_ON_THE_CHILD.contains(&bound),
        })
    };
    Bound::ALL.into_iter().filter_map(held).collect()
}

fn enforcement(bound: Bound, tree: &Tree) -> Option<Enforcement> {
    Some(match bound {
        Bound::TimeoutMillis | Bound::MaxWallMillis => Enforcement::ProcessTreeDeadline,
        Bound::MaxStdoutBytes | Bound::MaxStderrBytes => Enforcement::CombinedDrainingPipes,
        Bound::MaxFileBytes => Enforcement::FileSizeLimit,
        Bound::MaxOpenFiles => Enforcement::OpenFilesLimit,
        Bound::MaxAddressSpaceBytes => Enforcement::AddressSpaceLimit,
        // Graces bound nothing, and blocks are cut by whoever reads them.
        Bound::KillGraceMillis | Bound::DrainGraceMillis | Bound::MaxBlockBytes => return None,
        bound => return sampler::enforcement(bound, tree.control_group()),
    })
}

/// Refuses limits that nothing on this machine could hold for a program.
pub(crate) fn refuse_unheld(
    limits: &Limits,
    backend: Backend,
    has_folders: bool,
) -> Result<(), ProcessError> {
    let refuse = |bound, missing| Err(ProcessError::BoundNotHeld { bound, missing });
    if limits.value(Bound::MaxPrivateBytes).is_some() && !has_folders {
        let missing = "the call has no private folder, since its working directory is configured";
        return refuse(Bound::MaxPrivateBytes, missing);
    }
    for bound in SET_ON_THE_CHILD {
        if limits.value(bound).is_some() && backend == Backend::Portable {
            return refuse(bound, "the portable backend sets no resource limits");
        }
    }
    let sampled = [
        Bound::MaxCpuMillis,
        Bound::MaxMemoryBytes,
        Bound::MaxProcesses,
    ];
    let set = sampled
        .into_iter()
        .find(|bound| limits.value(*bound).is_some());
    match set {
        Some(bound) if !super::proc::lists_children() => {
            refuse(bound, "the kernel keeps no lists of children under /proc")
        }
        _ => Ok(()),
    }
}
