//! The record that every call leaves behind, beside its output or its error.

use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use crate::limits::Bound;

use super::pipes::Stream;

/// How a tool ended by itself, or was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It exited with this code.
    Exited(u8),
    /// A signal of this number ended it.
    Signaled(i32),
}

impl Status {
    /// Returns whether the tool exited with code 0.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Exited(0))
    }

    /// Returns the exit code as a shell counts it: 128 and the number for a signal.
    ///
    /// # Units and bounds
    /// 0 to 255.
    pub fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Signaled(number) => u8::try_from(128 + number).unwrap_or(u8::MAX),
        }
    }

    /// Returns the number of the signal that ended the tool.
    pub const fn signal(self) -> Option<i32> {
        match self {
            Self::Exited(_) => None,
            Self::Signaled(number) => Some(number),
        }
    }

    /// Returns the name of the signal that ended the tool, such as `SIGKILL`.
    pub fn signal_name(self) -> Option<&'static str> {
        super::signal::name(self.signal()?)
    }
}

/// What is gone when a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// The leader and all that stayed in its process group.
    Group,
    /// Every descendant, whatever it did to get away.
    Tree,
}

impl Level {
    /// Returns the word of outcomes and configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Tree => "tree",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// By what means a level was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mechanism {
    /// A session of its own, its group signalled before the leader is reaped.
    Session,
    /// A process group in the caller's session, for a tool that shares the caller's terminal.
    ProcessGroup,
    /// Orphans become children of this process and are ended and reaped here.
    ChildSubreaper,
    /// A control group of its own, killed as one.
    ControlGroup,
    /// A process namespace whose first process is the launcher.
    PidNamespace,
}

impl Mechanism {
    /// Returns the word of outcomes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::ProcessGroup => "process-group",
            Self::ChildSubreaper => "child-subreaper",
            Self::ControlGroup => "control-group",
            Self::PidNamespace => "pid-namespace",
        }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// What ends with a host that is ended by KILL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostDeath {
    /// The whole tree.
    Tree,
    /// The leader alone.
    Leader,
    /// Nothing.
    None,
}

impl HostDeath {
    /// Returns the word of outcomes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Leader => "leader",
            Self::None => "none",
        }
    }
}

/// What was in force to end the tool's processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Containment {
    /// What is gone when the call returns.
    pub level: Level,
    /// By what means.
    pub mechanism: Mechanism,
    /// What ends with a host that is ended by KILL.
    pub host_death: HostDeath,
}

/// A bound that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A process that could not be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftBehind {
    /// Its process id when the call returned.
    pub pid: u32,
    /// Why it is still there.
    pub reason: LeftBehindReason,
}

/// Why a process was left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeftBehindReason {
    /// KILL has not taken effect: the process sleeps where the kernel cannot interrupt it.
    Uninterruptible,
    /// An orphan that may belong to another live call; it is ended when those calls have ended.
    Shared,
}

impl LeftBehindReason {
    /// Returns the word of outcomes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Uninterruptible => "uninterruptible",
            Self::Shared => "shared",
        }
    }
}

/// Which code path started the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Our own spawner, over `clone3`.
    Clone3,
    /// The C library's `posix_spawn`.
    PosixSpawn,
    /// The standard library, for systems other than Linux.
    Portable,
}

impl Backend {
    /// Returns the word of outcomes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Clone3 => "clone3",
            Self::PosixSpawn => "posix-spawn",
            Self::Portable => "portable",
        }
    }
}

/// What one call did and used, whether it succeeded or not.
///
/// # Units and bounds
/// Durations are kept to the nanosecond; sizes are bytes. What was not measured is `None`, never zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// From just before the spawn until the call was over.
    pub wall: Duration,
    /// The part of `wall` in which the tool was the one waited for.
    pub tool_time: Duration,
    /// The part of `wall` in which the consumer held the call up.
    pub held_time: Duration,
    /// User and system time of the leader and of everything reaped below it.
    pub cpu: Option<Duration>,
    /// Largest resident memory seen.
    pub peak_memory_bytes: Option<u64>,
    /// Most processes seen at one time.
    pub peak_processes: Option<u64>,
    /// Bytes of input that the tool took.
    pub stdin_bytes: u64,
    /// Bytes read from stdout.
    pub stdout_bytes: u64,
    /// Bytes read from stderr.
    pub stderr_bytes: u64,
    /// How the leader ended; `None` if it was never started or could not be reaped.
    pub status: Option<Status>,
    /// The code path that started it; `None` if it was never started.
    pub backend: Option<Backend>,
    /// What was in force to end its processes; `None` if it was never started.
    pub containment: Option<Containment>,
    /// Every bound in force, and how it was held.
    pub bounds: Vec<BoundHeld>,
    /// Whether processes outlived the leader's exit, as far as that can be known, and were ended.
    pub descendants_ended: bool,
    /// The streams that were still held open when the drain grace was over.
    pub drain_cut: Vec<Stream>,
    /// Processes that could not be ended.
    pub left_behind: Vec<LeftBehind>,
    /// Names of the variables that the tool saw, never their values.
    pub environment: Vec<OsString>,
    /// Further facts about the call, as texts for people.
    pub notes: Vec<String>,
}
