use std::{error::Error, fmt, io};

/// One step on the way from the host to the new program, in the order in which they are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// The new process itself, with its stack, control group and namespaces.
    Start,
    /// Every signal back to its default.
    Signals,
    /// The host's user and group in a new user namespace.
    IdentityMap,
    /// A session or a group of its own.
    Group,
    /// The pipes onto 0, 1 and 2.
    Stdio,
    /// The signal that the child gets when its host ends.
    ParentDeath,
    /// Closing everything above stdio.
    Descriptors,
    /// Umask and working directory.
    Directory,
    /// How eagerly the kernel ends the child when memory is short.
    OomScore,
    /// Scheduling priority.
    Nice,
    /// Resource limits.
    Limits,
    /// No new privileges.
    NoNewPrivileges,
    /// The landlock ruleset.
    Landlock,
    /// The empty signal mask.
    Mask,
    /// The program replacing the child's image.
    Exec,
    /// The descriptor of the child, where it does not come with the start.
    Pidfd,
}

/// A child that did not become the program it was meant to be; it is gone and reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnError {
    step: Step,
    errno: i32,
}

impl SpawnError {
    pub(crate) const fn new(step: Step, errno: i32) -> Self {
        Self { step, errno }
    }

    /// The last failed call of this thread.
    pub(crate) fn last(step: Step) -> Self {
        Self::from_io(step, &io::Error::last_os_error())
    }

    pub(crate) fn from_io(step: Step, error: &io::Error) -> Self {
        Self::new(step, error.raw_os_error().unwrap_or_default())
    }

    /// Whether the system does not have this way of starting, or hides it behind a filter.
    pub(crate) fn is_refused_start(self) -> bool {
        self.step == Step::Start && matches!(self.errno, libc::ENOSYS | libc::EPERM)
    }

    /// The step that failed.
    pub const fn step(&self) -> Step {
        self.step
    }

    /// The error number that the system gave for it.
    pub const fn errno(&self) -> i32 {
        self.errno
    }
}

impl fmt::Display for SpawnError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = io::Error::from_raw_os_error(self.errno);
        write!(
            formatter,
            "starting a child failed at step `{:?}`: {cause}",
            self.step
        )
    }
}

impl Error for SpawnError {}

impl From<SpawnError> for io::Error {
    fn from(error: SpawnError) -> Self {
        Self::from_raw_os_error(error.errno)
    }
}
