use std::io;

/// What a child is cut off from and held to, set before its program starts.
///
/// The default is the strict form: a session of its own, umask 077, no new privileges, core files of at most one byte.
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
    pub(crate) resource: Resource,
    pub(crate) value: u64,
}

impl Limit {
    /// Sets soft and hard limit to a value, or to the hard limit that this process has where that is smaller.
    ///
    /// Only a privileged process can raise a hard limit; asking for it would fail the start although the bound holds.
    pub fn at_most(resource: Resource, value: u64) -> Self {
        let mut present = [0, u64::MAX];
        let no_new = std::ptr::null::<[u64; 2]>();
        // SAFETY: no new limit is given, and the pair is the system's record of a soft and a hard limit. It stays as it is where
        // the call fails.
        unsafe {
            libc::syscall(
                libc::SYS_prlimit64,
                0,
                resource.number(),
                no_new,
                &raw mut present,
            );
        }
        Self {
            resource,
            value: value.min(present[1]),
        }
    }

    /// Sets the limit of another process.
    pub(crate) fn apply_to(self, pid: libc::pid_t) -> io::Result<()> {
        let both = [self.value; 2];
        let no_old = std::ptr::null_mut::<[u64; 2]>();
        // SAFETY: the pair is the system's record of a soft and a hard limit, and no old one is asked for.
        match unsafe {
            libc::syscall(
                libc::SYS_prlimit64,
                pid,
                self.resource.number(),
                &raw const both,
                no_old,
            )
        } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// The value in force, soft and hard.
    pub const fn value(&self) -> u64 {
        self.value
    }
}

/// What a [`Limit`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// Size of a core file, in bytes.
    CoreBytes,
    /// CPU time of one process, in seconds.
    CpuSeconds,
    /// Size of a file that is written, in bytes.
    FileBytes,
    /// One more than the highest descriptor.
    OpenFiles,
    /// Address space, in bytes.
    AddressSpaceBytes,
    /// Stack of the main thread, in bytes.
    StackBytes,
}

impl Resource {
    pub(crate) const fn number(self) -> usize {
        let number = match self {
            Self::CoreBytes => libc::RLIMIT_CORE,
            Self::CpuSeconds => libc::RLIMIT_CPU,
            Self::FileBytes => libc::RLIMIT_FSIZE,
            Self::OpenFiles => libc::RLIMIT_NOFILE,
            Self::AddressSpaceBytes => libc::RLIMIT_AS,
            Self::StackBytes => libc::RLIMIT_STACK,
        };
        number as usize
    }
}

/// Namespaces that the child starts in; a tool inside a pid namespace needs a launcher that reaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Namespaces(i32);

impl Namespaces {
    /// Users and groups: makes the others possible without privileges.
    pub const USER: Self = Self(libc::CLONE_NEWUSER);
    /// Process numbers: the child is number 1, and its end is the end of all in it.
    pub const PID: Self = Self(libc::CLONE_NEWPID);
    /// Mounts.
    pub const MOUNT: Self = Self(libc::CLONE_NEWNS);
    /// System V and POSIX message objects.
    pub const IPC: Self = Self(libc::CLONE_NEWIPC);
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

    pub(crate) fn flags(self) -> u64 {
        self.0.cast_unsigned().into()
    }
}
