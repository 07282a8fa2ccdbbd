//! What was in force to end a tool's processes, and what was left of them.

use std::fmt;

/// What is gone when a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// The leader and all that stayed in its process group.
    Group,
    /// Every descendant, whatever it did to get away.
    Tree,
    /// Every descendant, and the kernel holds them to rules for files and the network.
    Sandbox,
}

impl Level {
    /// Returns the word of outcomes and configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Tree => "tree",
            Self::Sandbox => "sandbox",
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
    /// Process numbers of its own, whose first process is a launcher and takes all others with it.
    PidNamespace,
    /// A control group of its own, killed as one.
    ControlGroup,
}

impl Mechanism {
    /// Returns the word of outcomes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::ProcessGroup => "process-group",
            Self::ChildSubreaper => "child-subreaper",
            Self::PidNamespace => "pid-namespace",
            Self::ControlGroup => "control-group",
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
#[non_exhaustive]
pub struct Containment {
    /// What is gone when the call returns.
    pub level: Level,
    /// By what means.
    pub mechanism: Mechanism,
    /// What ends with a host that is ended by KILL.
    pub host_death: HostDeath,
}

/// A process that could not be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
