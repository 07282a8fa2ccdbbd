//! One catalog of every failure that can cross a face of Lonis, and the normalised diagnostic made from it.
//!
//! A failure is built where it happens, from a [`Code`] of the catalog and the facts that the code declares; from it come
//! the envelope of a command, the error of a tool and the text for people. Nothing here reads or writes a file, and
//! nothing that is reported can widen what a caller may do.
//!
//! # Example
//! ```
//! use lonis_diagnostics::{Code, Diagnostic, Failure};
//! use serde_json::json;
//!
//! let busy = Diagnostic::new(Code::SessionLockBusy, "session/stage", "session `fix` is locked, waited 2000 ms")
//!     .with("waited_millis", 2000)
//!     .with_fact("session", "fix");
//! let failure = Failure::from(busy);
//! assert_eq!(failure.exit_code(), 75);
//! assert_eq!(failure.tool_error().kind().as_str(), "session/lock-busy");
//! assert_eq!(failure.envelope(None)["error"]["context"]["facts"], json!({"session": "fix"}));
//! ```

mod catalog;
mod code;
mod context;
mod diagnostic;
mod envelope;
mod failure;
mod foreign;
mod lookup;
mod plan;
mod redact;
mod render;
mod span;

pub use catalog::{
    Action, ActionKind, CATALOG_IDENTITY, CATALOG_PATH, CATALOG_SCHEMA, CATALOG_VERSION, Entry,
    Member, MemberKind, Phase, Severity,
};
pub use code::Code;
pub use context::{FailureContext, normalize_context};
pub use diagnostic::Diagnostic;
pub use envelope::{DIAGNOSTICS_SCHEMA, ERROR_KIND, success};
pub use failure::Failure;
pub use lookup::{UnknownCode, entries, nearest};
pub use plan::PolicyProposal;
pub use redact::Redactor;
pub use render::{MAX_WIDTH, MIN_WIDTH, Style, human, width_of};
pub use span::Span;
