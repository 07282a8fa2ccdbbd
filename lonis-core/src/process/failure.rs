//! Why a call failed, as far as this layer can tell. A tool's own failure is no error here: it is a status.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lonis_schema::{ErrorKind, ToolError};
use serde_json::{Map, Value};

use crate::limits::Bound;

use super::outcome::{Breach, Level};
use super::pipes::Stream;
use super::shown::Shown;
use super::system_error::SystemError;

/// A call that was refused, could not be started, or was ended by the host.
///
/// # Errors
/// Each variant names the kind that it becomes for the user of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// A bound that this machine cannot hold; nothing was started. `not_implemented`.
    #[error("`{bound}` cannot be held here: {missing}")]
    BoundNotHeld {
        /// The bound.
        bound: Bound,
        /// What is missing, as a fragment for a hint.
        missing: &'static str,
    },
    /// A containment level that this machine cannot reach; nothing was started. `not_implemented`.
    #[error("containment `{level}` cannot be reached here: {missing}")]
    LevelNotHeld {
        /// The level.
        level: Level,
        /// What is missing, as a fragment for a hint.
        missing: &'static str,
    },
    /// A program that is to have no network, on a machine that cannot close it off; nothing was started.
    /// `not_implemented`.
    #[error("the network cannot be closed off here: {missing}")]
    NetworkNotClosed {
        /// What is missing, as a fragment for a hint.
        missing: &'static str,
    },
    /// Rules that a program has to be held to, on a machine that cannot hold them; nothing was started.
    /// `not_implemented`.
    #[error("the rules of the sandbox cannot be held here: {missing}")]
    ConfinementNotHeld {
        /// What is missing, as a fragment for a hint.
        missing: &'static str,
    },
    /// An argument, name or value that no program can be given; nothing was started. `invalid_input`.
    #[error("{what} cannot be given to a program: {reason}")]
    Unusable {
        /// The thing, shown escaped.
        what: String,
        /// Why not.
        reason: &'static str,
    },
    /// The program cannot be started. `unavailable`.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The system refused to start the program, or what it runs in. `io`.
    #[error("{error}{}", Where(.path))]
    Start {
        /// The part of the start that failed.
        part: StartPart,
        /// The path concerned, if there is one.
        path: Option<PathBuf>,
        /// The system's answer.
        error: SystemError,
    },
    /// The system refused something during the call. `io`.
    #[error("{0}")]
    System(SystemError),
    /// This process discards the status of its children, so nothing can be known of a tool. `io`.
    #[error(
        "the status of a child is lost: this process ignores SIGCHLD or reaps children that are not its own"
    )]
    StatusLost,
    /// A stream was longer than allowed. `output_limit_exceeded`.
    #[error("{stream} is over its limit of {limit_bytes} bytes")]
    OutputLimit {
        /// The stream.
        stream: Stream,
        /// The limit.
        limit_bytes: u64,
    },
    /// Another bound was broken. `limit_exceeded`.
    #[error("`{}` is over its limit of {}{}", .0.bound, .0.limit, Seen(&.0.observed))]
    LimitExceeded(Breach),
    /// The caller cancelled. `cancelled`.
    #[error("the call was cancelled")]
    Cancelled,
    /// The tool time is used up. `timeout`.
    #[error("no end within {} ms", .limit.as_millis())]
    Timeout {
        /// The time that was allowed.
        limit: Duration,
        /// The tool time when the call was over.
        elapsed: Duration,
    },
    /// The absolute ceiling was reached. `timeout`, naming `max_wall_millis`.
    #[error("no end within {} ms in all, {} ms of them held by the reader", .limit.as_millis(), .held.as_millis())]
    Ceiling {
        /// The time that was allowed.
        limit: Duration,
        /// The time from the start until the call was over.
        elapsed: Duration,
        /// The part of it in which the consumer held the call up.
        held: Duration,
    },
}

impl ProcessError {
    /// Returns the kind that this is for the user of a tool; the exit code follows from it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::BoundNotHeld { .. }
            | Self::LevelNotHeld { .. }
            | Self::NetworkNotClosed { .. }
            | Self::ConfinementNotHeld { .. } => ErrorKind::NotImplemented,
            Self::Unusable { .. } => ErrorKind::InvalidInput,
            Self::Unavailable(_) => ErrorKind::Unavailable,
            Self::Start { .. } | Self::System(_) | Self::StatusLost => ErrorKind::Io,
            Self::OutputLimit { .. } => ErrorKind::OutputLimitExceeded,
            Self::LimitExceeded(_) => ErrorKind::LimitExceeded,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Timeout { .. } | Self::Ceiling { .. } => ErrorKind::Timeout,
        }
    }

    /// Returns the facts of this error, by the names that details of a [`ToolError`] have.
    pub fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        let mut add = |name: &str, value: Value| drop(details.insert(name.to_owned(), value));
        match self {
            Self::BoundNotHeld { bound, missing } => {
                add("bound", bound.name().into());
                add("hint", (*missing).into());
            }
            Self::LevelNotHeld { level, missing } => {
                add("level", level.word().into());
                add("hint", (*missing).into());
            }
            Self::NetworkNotClosed { missing } | Self::ConfinementNotHeld { missing } => {
                add("hint", (*missing).into());
            }
            Self::Unavailable(unavailable) => unavailable.add_details(&mut add),
            Self::Start { part, path, error } => {
                add("reason", part.word().into());
                add("failed_part", part.failed_part().into());
                add("errno", error.errno().into());
                if let Some(path) = path {
                    add("path", text(path));
                }
            }
            Self::System(error) => {
                add("errno", error.errno().into());
            }
            Self::StatusLost => {
                add(
                    "hint",
                    "set SIGCHLD back to its default in this process".into(),
                );
            }
            Self::OutputLimit {
                stream,
                limit_bytes,
            } => {
                add("stream", stream.word().into());
                add("limit_bytes", (*limit_bytes).into());
            }
            Self::LimitExceeded(breach) => {
                add("bound", breach.bound.name().into());
                add("limit", breach.limit.into());
                add("observed", breach.observed.into());
                add("enforced_by", breach.enforced_by.word().into());
            }
            Self::Timeout { limit, elapsed } => {
                add("timeout_millis", millis(*limit));
                add("elapsed_millis", millis(*elapsed));
            }
            Self::Ceiling {
                limit,
                elapsed,
                held,
            } => {
                add("bound", Bound::MaxWallMillis.name().into());
                add("limit_millis", millis(*limit));
                add("elapsed_millis", millis(*elapsed));
                add("held_millis", millis(*held));
            }
            Self::Unusable { .. } | Self::Cancelled => {}
        }
        details
    }
}

impl Unavailable {
    /// Gives the facts of a program that cannot be started, by the names that details have.
    fn add_details(&self, add: &mut impl FnMut(&str, Value)) {
        add("reason", self.reason.word().into());
        add("path", text(&self.program));
        match &self.reason {
            UnavailableReason::NotFound {
                target: Some(target),
            } => add("target", text(target)),
            UnavailableReason::BadInterpreter { interpreter } => {
                add("interpreter", text(interpreter));
            }
            UnavailableReason::NoexecMount { mount_point } => {
                add("mount_point", text(mount_point));
            }
            _ => {}
        }
        add("failed_part", self.reason.failed_part().into());
    }
}

impl From<ProcessError> for ToolError {
    fn from(error: ProcessError) -> Self {
        let details = error.details();
        let plain = Self::new(error.kind(), error.to_string());
        if details.is_empty() {
            plain
        } else {
            plain.with_details(Value::Object(details))
        }
    }
}

fn text(path: &Path) -> Value {
    Shown::new(path).to_string().into()
}

fn millis(time: Duration) -> Value {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into()
}

/// The path that a refusal is about, where there is one.
struct Where<'a>(&'a Option<PathBuf>);

impl fmt::Display for Where<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(path) => write!(formatter, ": `{}`", Shown::new(path)),
            None => Ok(()),
        }
    }
}

struct Seen<'a>(&'a Option<u64>);

impl fmt::Display for Seen<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(observed) => write!(formatter, ", {observed} seen"),
            None => Ok(()),
        }
    }
}

/// A program that cannot be started, found by a look before the spawn or by the answer to it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` {}", Shown::new(.program), .reason)]
#[non_exhaustive]
pub struct Unavailable {
    /// The program as it was given, or as it was resolved.
    pub program: PathBuf,
    /// What is wrong with it.
    pub reason: UnavailableReason,
}

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnavailableReason {
    /// It does not exist, or a link on the way leads nowhere.
    #[error("does not exist{}", Target(.target))]
    NotFound {
        /// Where a dangling link points.
        target: Option<PathBuf>,
    },
    /// A bare name that no folder of the child's `PATH` has.
    #[error("is in no folder of PATH")]
    NotOnPath,
    /// It is a directory.
    #[error("is a directory")]
    IsDirectory,
    /// It may not be executed.
    #[error("is not executable")]
    NotExecutable,
    /// It is a script, and its interpreter cannot be started.
    #[error("needs the interpreter `{}`, which cannot be started", Shown::new(.interpreter))]
    BadInterpreter {
        /// The interpreter that its first line names, or the loader of a binary.
        interpreter: PathBuf,
    },
    /// It is no program that this system can run; a script needs a `#!` line.
    #[error("is not a program of this system")]
    ExecFormat,
    /// It lies on a filesystem that is mounted without execution.
    #[error("lies on `{}`, which is mounted noexec", Shown::new(.mount_point))]
    NoexecMount {
        /// Where that filesystem is mounted.
        mount_point: PathBuf,
    },
}

struct Target<'a>(&'a Option<PathBuf>);

impl fmt::Display for Target<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(target) => write!(formatter, ": its link points to `{}`", Shown::new(target)),
            None => Ok(()),
        }
    }
}

impl UnavailableReason {
    /// Returns the word of `details.failed_part`.
    pub const fn failed_part(&self) -> &'static str {
        match self {
            Self::BadInterpreter { .. } => "interpreter",
            _ => "command",
        }
    }

    /// Returns the word of `details.reason`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NotFound { .. } | Self::NotOnPath => "not_found",
            Self::IsDirectory => "is_directory",
            Self::NotExecutable => "not_executable",
            Self::BadInterpreter { .. } => "bad_interpreter",
            Self::ExecFormat => "exec_format",
            Self::NoexecMount { .. } => "noexec_mount",
        }
    }
}

/// The part of a start that the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StartPart {
    /// The working directory or another private folder.
    WorkingDirectory,
    /// The program is still being written to.
    TextBusy,
    /// Arguments and environment are too long together.
    ArgumentsTooLong,
    /// No descriptor is left, here or in the whole system.
    TooManyFiles,
    /// No process may be added.
    ProcessLimit,
    /// No memory is left.
    OutOfMemory,
    /// A resource limit, a priority, a group or another setting of the child.
    Setting,
    /// Anything else on the way.
    Other,
}

impl StartPart {
    /// Returns the word of `details.failed_part`.
    pub const fn failed_part(self) -> &'static str {
        match self {
            Self::WorkingDirectory => "cwd",
            _ => "command",
        }
    }

    /// Returns the word of `details.reason`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::WorkingDirectory => "cwd",
            Self::TextBusy => "text_busy",
            Self::ArgumentsTooLong => "arg_too_long",
            Self::TooManyFiles => "too_many_files",
            Self::ProcessLimit => "process_limit",
            Self::OutOfMemory => "out_of_memory",
            Self::Setting => "setting",
            Self::Other => "other",
        }
    }
}
