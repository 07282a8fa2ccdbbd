//! By what means bounds were held, and how they were broken.

use std::fmt;

use crate::limits::Bound;

/// A bound that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Breach {
    /// The bound.
    pub bound: Bound,
    /// Its value, in the unit of its name.
    pub limit: u64,
    /// What was seen, in the same unit; `None` where the kernel acted and does not say.
    pub observed: Option<u64>,
    /// What noticed it.
    pub enforced_by: Enforcement,
}

/// By what means a bound is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Enforcement {
    /// One deadline over start, input, output, drain and reap.
    ProcessTreeDeadline,
    /// Both pipes are drained and counted.
    CombinedDrainingPipes,
    /// The control group's own counters and limits.
    ControlGroup,
    /// CPU time summed over the tree, sampled.
    ProcessTreeCpu,
    /// Resident memory summed over the tree, sampled.
    ProcessTreeRssSampled,
    /// Processes of the tree counted, sampled.
    ProcessTreeCount,
    /// A limit of the kernel on each file.
    FileSizeLimit,
    /// The size of the private folders, sampled.
    PrivateDirectoryGrowth,
    /// A limit of the kernel on open descriptors of each process.
    OpenFilesLimit,
    /// A limit of the kernel on the address space of each process.
    AddressSpaceLimit,
    /// A limit of the kernel on the CPU time of each process.
    CpuTimeLimit,
}

impl Enforcement {
    /// Returns the word of outcomes and audits.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ProcessTreeDeadline => "process-tree-deadline",
            Self::CombinedDrainingPipes => "combined-draining-pipes",
            Self::ControlGroup => "control-group",
            Self::ProcessTreeCpu => "process-tree-cpu",
            Self::ProcessTreeRssSampled => "process-tree-rss-sampled",
            Self::ProcessTreeCount => "process-tree-count",
            Self::FileSizeLimit => "file-size-limit",
            Self::PrivateDirectoryGrowth => "private-directory-growth",
            Self::OpenFilesLimit => "open-files-limit",
            Self::AddressSpaceLimit => "address-space-limit",
            Self::CpuTimeLimit => "cpu-time-limit",
        }
    }
}

impl fmt::Display for Enforcement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// A bound that was in force, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoundHeld {
    /// The bound.
    pub bound: Bound,
    /// Its value, in the unit of its name.
    pub limit: u64,
    /// By what means.
    pub enforced_by: Enforcement,
    /// Whether it was put in force only after the program had started.
    pub late: bool,
}
