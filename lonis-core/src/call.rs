//! What a caller asks of one call.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use lonis_schema::Json;

use crate::limits::Limits;
use crate::process::CancelToken;

/// A function that is given what a tool writes to stderr, as it is read.
pub(crate) type StderrListener = Box<dyn FnMut(&[u8]) + Send>;

/// With whom the program of a call ends, whatever happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tie {
    #[default]
    Nobody,
    Thread,
    Host,
}

/// One call of a tool: its input and how it is to run.
///
/// # Example
/// ```
/// use lonis_core::Call;
/// use lonis_core::limits::{Bound, Limits};
/// use lonis_core::process::CancelToken;
/// use serde_json::json;
///
/// let token = CancelToken::new();
/// let call = Call::new(json!({"key": "a"}))
///     .with_limits(Limits::new().with(Bound::TimeoutMillis, 500)?)
///     .with_cancel(token.clone());
/// assert_eq!(call.input().text(), r#"{"key":"a"}"#);
/// # Ok::<(), lonis_core::limits::LimitError>(())
/// ```
pub struct Call {
    pub(crate) input: Json,
    pub(crate) limits: Limits,
    pub(crate) cancel: Option<CancelToken>,
    pub(crate) on_stderr: Option<StderrListener>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) tie: Tie,
    pub(crate) is_confirmed: bool,
    pub(crate) without_pauses: bool,
}

impl Call {
    /// Makes a call with an input, under the tool's own rules.
    pub fn new(input: impl Into<Json>) -> Self {
        Self {
            input: input.into(),
            limits: Limits::new(),
            cancel: None,
            on_stderr: None,
            environment: Vec::new(),
            directory: None,
            tie: Tie::default(),
            is_confirmed: false,
            without_pauses: false,
        }
    }

    /// Sets limits of this call; what is not set in them the tool's own say.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets a token end this call.
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.cancel = Some(token);
        self
    }

    /// Gives what the tool's program writes to stderr to a function as it is read, in the thread that pulls the stream.
    pub fn on_stderr(mut self, listener: impl FnMut(&[u8]) + Send + 'static) -> Self {
        self.on_stderr = Some(Box::new(listener));
        self
    }

    /// Sets a variable of the tool's program for this call.
    pub fn with_env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Starts the tool's program in this directory for this call.
    pub fn with_cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Lets the tool's program end with this process, even where that one is killed.
    ///
    /// The program is started from a thread that is kept for it, since a stream may outlive the thread that begins it. A
    /// collected call of [`Tool::invoke`](crate::Tool::invoke) is tied to the thread that waits for it anyway.
    pub fn tied_to_host(mut self) -> Self {
        self.tie = Tie::Host;
        self
    }

    /// Lets the tool's program end with the thread that starts the call.
    ///
    /// That is cheaper than [`tied_to_host`](Self::tied_to_host), and the same for a thread that lives as long as its
    /// process.
    pub fn tied_to_thread(mut self) -> Self {
        self.tie = Tie::Thread;
        self
    }

    /// Says that somebody has agreed to this call, for a policy that asks.
    pub fn confirmed(mut self) -> Self {
        self.is_confirmed = true;
        self
    }

    /// Promises that the stream is pulled to its end without a pause, as a collected call is.
    ///
    /// Then no thread looks after the tool's program between two requests. Where the promise is broken, a cancel and the
    /// bounds that hold at all times are carried out no sooner than with the next request or the drop.
    pub fn without_pauses(mut self) -> Self {
        self.without_pauses = true;
        self
    }

    /// Returns the input.
    pub fn input(&self) -> &Json {
        &self.input
    }

    /// Returns the limits of this call alone.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

impl fmt::Debug for Call {
    /// Shows how the call runs; the input and the values of variables may be secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Call")
            .field("input_bytes", &self.input.text().len())
            .field("limits", &self.limits)
            .field("cancel", &self.cancel)
            .field(
                "environment",
                &self
                    .environment
                    .iter()
                    .map(|(name, _)| name)
                    .collect::<Vec<_>>(),
            )
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}
