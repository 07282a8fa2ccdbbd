use std::{error::Error, fmt, io};

/// One step on the way from the host to the new program, in the order in which they are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// The new process itself, with its stack, control group and namespaces.
    Start,
    /// Every signal back to its default.
    Signals,
    /// A session or a group of its own.
    Group,
    /// The pipes onto 0, 1 and 2.
    Stdio,
    /// The signal that the child gets when its host ends.
    ParentDeath,
    /// Closing everything above stdio.
    Descriptors,
    /// The host's user and group in a new user namespace.
    IdentityMap,
    /// The mounts of a view.
    View,
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
    /// The child's pidfd, where it does not come with the start.
    Pidfd,
}

/// A child that did not become the program it was meant to be; it is gone and reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnError {
    step: Step,
    errno: i32,
}

impl SpawnError {
    /// Creates the error of a child that failed at a step after it was started, as a launcher reports it.
    pub const fn new(step: Step, errno: i32) -> Self {
        Self { step, errno }
    }

    pub(super) fn at(step: Step) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::new(step, error.raw_os_error().unwrap_or_default())
    }

    /// The step that failed.
    pub const fn step(&self) -> Step {
        self.step
    }

    /// The system's error number for it.
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

/// Turns the answer of a call that gives nothing into a result.
pub(super) fn done(answer: impl Into<i64>) -> io::Result<()> {
    match answer.into() {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
