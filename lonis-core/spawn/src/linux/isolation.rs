use std::{io, ptr};

use super::step::done;

/// What a child is cut off from and held to, set before its program starts.
///
/// The default is the strict form: a session of its own, umask 077, no new privileges, core files of at most one byte.
/// The `posix-spawn` backend sets `limits`, `oom_score` and `nice` only just after the start, and neither `umask` nor
/// `no_new_privileges` at all.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Isolation {
    /// The session or group that the child leads.
    pub group: Group,
    /// Whether a SIGHUP that the host ignores stays ignored, as `nohup` wants it. Every other signal gets its default.
    pub keep_hangup: bool,
    /// File mode bits that the child cannot set.
    pub umask: u32,
    /// The value of `/proc/self/oom_score_adj`.
    ///
    /// # Units and bounds
    /// -1000 to 1000; lowering it needs privileges. Unset: the host's own.
    pub oom_score: Option<i16>,
    /// Scheduling priority.
    ///
    /// # Units and bounds
    /// -20 to 19; lowering it needs privileges. Unset: the host's own.
    pub nice: Option<i8>,
    /// Resource limits, set in this order.
    pub limits: Vec<Limit>,
    /// Whether set-user-id programs and file capabilities have no effect in the child and its descendants.
    pub no_new_privileges: bool,
}

impl Default for Isolation {
    fn default() -> Self {
        Self {
            group: Group::Session,
            keep_hangup: false,
            umask: 0o077,
            oom_score: None,
            nice: None,
            // One byte, since a limit of none does not stop a handler that the kernel pipes core files to.
            limits: vec![Limit::at_most(Resource::CoreBytes, 1)],
            no_new_privileges: true,
        }
    }
}

/// What the child leads, so that it can be signalled with all that stays in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// A session of its own, without a terminal.
    Session,
    /// A process group in the host's session, which shares its terminal.
    SharedTerminal,
}

/// A limit that the kernel holds for each process of the tree by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub(super) resource: Resource,
    /// Soft and hard, as the system's record has them.
    pub(super) values: [u64; 2],
}

impl Limit {
    /// Sets soft and hard limit to a value, or to the hard limit that this process has where that is smaller.
    ///
    /// Only a privileged process can raise a hard limit; asking for it would fail the start although the bound holds.
    pub fn at_most(resource: Resource, value: u64) -> Self {
        Self {
            resource,
            values: [value.min(present_hard(resource)); 2],
        }
    }

    /// Sets the soft limit alone, and leaves the hard one as this process has it: a default, not a bound.
    pub fn soft(resource: Resource, value: u64) -> Self {
        let hard = present_hard(resource);
        Self {
            resource,
            values: [value.min(hard), hard],
        }
    }

    /// The value in force: that of the soft limit.
    pub const fn value(&self) -> u64 {
        self.values[0]
    }

    pub(super) fn apply_to(&self, pid: libc::pid_t) -> io::Result<()> {
        let (new, no_old) = (&raw const self.values, ptr::null::<u64>());
        // SAFETY: the pair is the system's record, and no old one is asked for.
        done(unsafe { libc::syscall(libc::SYS_prlimit64, pid, self.resource, new, no_old) })
    }
}

fn present_hard(resource: Resource) -> u64 {
    let (mut present, no_new) = ([0, u64::MAX], ptr::null::<u64>());
    // SAFETY: the pair is the system's record, and stays as it is where the call fails; no new limit is given.
    unsafe { libc::syscall(libc::SYS_prlimit64, 0, resource, no_new, &raw mut present) };
    present[1]
}

/// What a [`Limit`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[repr(usize)]
pub enum Resource {
    /// Size of a core file, in bytes.
    CoreBytes = libc::RLIMIT_CORE as usize,
    /// CPU time of one process, in seconds.
    CpuSeconds = libc::RLIMIT_CPU as usize,
    /// Size of a file that is written, in bytes.
    FileBytes = libc::RLIMIT_FSIZE as usize,
    /// One more than the highest descriptor.
    OpenFiles = libc::RLIMIT_NOFILE as usize,
    /// Address space, in bytes.
    AddressSpaceBytes = libc::RLIMIT_AS as usize,
}

/// Namespaces that the child starts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Namespaces(pub(super) i32);

impl Namespaces {
    /// Users and groups, with the host's own under their own numbers: makes the others possible without privileges.
    pub const USER: Self = Self(libc::CLONE_NEWUSER);
    /// Process numbers: the child is the first process there, and all others there end when it does.
    ///
    /// As the first one it gets no signal from within that it does not handle, and has to reap what is orphaned.
    pub const PROCESSES: Self = Self(libc::CLONE_NEWPID);
    /// What is mounted where; what the host mounts later shows in none of them.
    pub const MOUNTS: Self = Self(libc::CLONE_NEWNS);
    /// Network devices and sockets.
    pub const NETWORK: Self = Self(libc::CLONE_NEWNET);

    /// These and others.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether all of the others are among these.
    pub const fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}
