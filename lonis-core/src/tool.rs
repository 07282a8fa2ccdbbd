//! The trait of everything that can be called.

use std::fmt;

use lonis_schema::{Block, BlockPayload, Capabilities, Json, ToolContract, ToolError};
use serde_json::Value;

use crate::limits::Limits;
use crate::{BlockStream, Call};

/// Something that takes one JSON input and gives blocks, or one error.
///
/// An author writes [`invoke`](Self::invoke), and [`invoke_stream`](Self::invoke_stream) where blocks come one by one.
/// Hosts call [`start`](Self::start).
///
/// # Example
/// ```
/// use lonis_core::{Call, Tool};
/// # use lonis_schema::{Attribution, Block, BlockKind, Capabilities, OutputMode, SchemaVersion, ToolError, ToolId};
/// # use lonis_schema::kind::Message;
/// # use serde_json::{Value, json};
/// # struct Greet;
/// # impl Capabilities for Greet {
/// #     fn schema_version(&self) -> SchemaVersion { SchemaVersion::TOOL_V1 }
/// #     fn tool_version(&self) -> &str { "1.0.0" }
/// #     fn output_formats(&self) -> &'static [OutputMode] { OutputMode::ALL }
/// #     fn exit_code_map(&self) -> &'static [(&'static str, u8)] { lonis_schema::exit_code::BASELINE }
/// #     fn tool_id(&self) -> ToolId { ToolId::new("acme:greet").expect("two segments") }
/// # }
/// impl Tool<BlockKind> for Greet {
///     fn invoke(&self, input: Value) -> Result<Vec<Block<BlockKind>>, ToolError> {
///         let name: String = lonis_core::parse_input(input)?;
///         let attribution = Attribution::new("acme:greet", "acme:greet");
///         let message = Message { content: format!("hello {name}"), ..Message::default() };
///         Ok(vec![Block::new(attribution, message.into())])
///     }
/// }
///
/// let blocks: Result<Vec<_>, _> = Greet.start(Call::new(json!("ada")))?.collect();
/// assert_eq!(blocks?[0].render_human(), "message: hello ada");
/// # Ok::<(), ToolError>(())
/// ```
pub trait Tool<P: BlockPayload>: Capabilities + Send + Sync {
    /// Runs one call to its end.
    ///
    /// # Errors
    /// Whatever the tool fails with; its kind decides.
    fn invoke(&self, input: Value) -> Result<Vec<Block<P>>, ToolError>;

    /// Runs one call and gives its blocks as they are made.
    ///
    /// Unless overridden the call runs to its end first.
    ///
    /// # Errors
    /// What keeps the call from starting; a later failure is the last item of the stream.
    fn invoke_stream(&self, input: Value) -> Result<BlockStream<P>, ToolError> {
        Ok(BlockStream::from_results(
            self.invoke(input)?.into_iter().map(Ok),
        ))
    }

    /// Returns what the tool promises; unless overridden what the derive declares.
    fn contract(&self) -> Option<ToolContract> {
        self.declared_contract()
    }

    /// Returns what the tool promises, or what keeps it from being known: a tool of another program may have to be asked.
    ///
    /// # Errors
    /// What keeps a provider from describing the tool; `invalid_output` for a contract of another one.
    fn try_contract(&self) -> Result<Option<ToolContract>, ToolError> {
        Ok(self.contract())
    }

    /// Says whether the tool judges its input itself, so that a program that offers it hands on every input as it came.
    ///
    /// Unless overridden an input that breaks the schema of the contract never reaches the tool. A tool that judges it
    /// itself can read it more generously than the schema that it publishes, and refuse it in a form of its own.
    fn judges_input(&self) -> bool {
        false
    }

    /// Returns the limits that a host does well to set for a call, which it is free not to.
    ///
    /// A program that offers the tool lists `timeout_millis` and `max_stdout_bytes` among them, as additions to its entry in
    /// `tools list`. Unless overridden there are none.
    fn suggested_limits(&self) -> Limits {
        Limits::new()
    }

    /// Returns a value without what the tool was given as a secret, for what is kept of a call.
    ///
    /// Unless overridden nothing is secret.
    fn without_secrets(&self, value: Json) -> Json {
        value
    }

    /// Starts a call with all that its caller asks for.
    ///
    /// Unless overridden the input becomes a `Value`, in which an integer beyond 64 bits is the nearest double, and
    /// nothing of the call but its cancel token, looked at between two blocks, is held.
    ///
    /// # Errors
    /// What keeps the call from starting; a later failure is the last item of the stream.
    fn start(&self, call: Call) -> Result<BlockStream<P>, ToolError> {
        let stream = self.invoke_stream(call.input().to_value())?;
        Ok(match call.cancel {
            Some(token) => stream.with_cancel(token),
            None => stream,
        })
    }
}

impl<P: BlockPayload> fmt::Debug for dyn Tool<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Tool({})", self.tool_id())
    }
}
