//! The runtime of Lonis: tools, their streams, and other people's programs as tools.
//!
//! A [`Tool`] gives blocks for one input. A [`ToolRegistry`] holds the tools of a program, a [`BlockStream`] the blocks
//! of one call, and [`serve()`] makes a program of its author's tools that every host can use.

mod availability;
mod call;
pub mod declared;
#[cfg(test)]
mod fixture;
pub mod host;
mod input;
pub mod limits;
pub mod log;
mod nearest;
mod policy;
pub mod process;
mod provider;
mod record;
mod registry;
mod regular_file;
mod render;
mod run;
mod sandbox;
mod schema_check;
mod search;
mod secrets;
mod serve;
mod stdout;
mod stream;
pub mod subprocess;
mod tool;

pub use availability::Availability;
pub use call::Call;
pub use input::{MAX_INPUT_BYTES, parse_document, parse_input, read_input};
pub use nearest::nearest;
pub use provider::{
    ExecutableIdentity, FileIdentity, ListedTool, Listing, NativeName, NativeNameError,
    ProviderAnswers, Refusal, SubprocessProvider,
};
pub use record::{BrokenPins, CallRecord, Difference, Recorder, Recording, Verdict, whole_input};
pub use registry::ToolRegistry;
pub use regular_file::{RegularFileError, read_regular_file};
pub use render::{BlockWriter, render, render_error, render_note, write_text};
pub use run::{Delivery, collect, deliver, not_written, report, run_call, run_stream, run_tool};
pub use sandbox::Sandbox;
pub use schema_check::{SchemaBreach, SchemaCheck, SchemaCheckError};
pub use search::Search;
pub use serve::{Provider, serve, serve_words};
pub use stdout::{Stdout, stdout};
#[cfg(feature = "futures")]
pub use stream::AsyncBlockStream;
pub use stream::{BlockStream, Emitter, Stopped};
pub use subprocess::{ExitMeaning, StdoutMapping, SubprocessTool, TextEncoding};
pub use tool::Tool;
