//! Any executable as a sharply bounded, typed, replayable tool: all of Lonis as one crate.
//!
//! A tool takes one JSON input and gives [`Block`]s, or one [`ToolError`]. Whoever writes tools in Rust says what they
//! promise in one attribute, what they say in one enum, and leaves the command line, the checking of input and the wire
//! to [`serve`].
//!
//! # Example
//! A whole program, which any host can use; [`Provider::answer`] is what [`serve`] does, for tests.
//! ```
//! use lonis::{Attribution, Block, BlockPayload, LonisCapabilities, Provider, Tool, ToolError, parse_input};
//! use serde_json::Value;
//!
//! /// What the tools of this program say, here `acme.counted` alone.
//! #[derive(Debug, BlockPayload)]
//! #[lonis_payload(namespace = "acme")]
//! enum Acme {
//!     Counted { words: usize },
//! }
//!
//! /// What the tool reads; its JSON Schema becomes part of the contract.
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct CountInput {
//!     text: String,
//! }
//!
//! #[derive(LonisCapabilities)]
//! #[lonis(
//!     tool_id = "acme:text:count",
//!     description = "Counts words.",
//!     determinism = "deterministic",
//!     side_effects = "none",
//!     cost = "low",
//!     input = CountInput
//! )]
//! struct Count;
//!
//! impl Tool<Acme> for Count {
//!     fn invoke(&self, input: Value) -> Result<Vec<Block<Acme>>, ToolError> {
//!         let CountInput { text } = parse_input(input)?;
//!         let words = text.split_whitespace().count();
//!         let attribution = Attribution::new("acme:text:count", "acme:text:count");
//!         Ok(vec![Block::new(attribution, Acme::Counted { words })])
//!     }
//! }
//!
//! fn provider() -> Provider<Acme> {
//!     Provider::new("acme", env!("CARGO_PKG_VERSION")).tool(Count)
//! }
//!
//! // The `main` of the program is `lonis::serve(provider())`. A host asks it so:
//! let mut stdout = Vec::new();
//! let args = ["--mode", "human", "call", "acme:text:count"].map(Into::into);
//! let mut stdin = r#"{"text": "to be or not to be"}"#.as_bytes();
//! let code = provider().answer(&args, &mut stdin, &mut stdout, &mut std::io::sink());
//! assert_eq!(code, 0);
//! assert_eq!(stdout, b"acme.counted: Counted { words: 6 }\n");
//! ```
//!
//! # Features
//! - `core`, on by default: everything that runs, and [`diagnostics`] for providers that
//!   speak them. Without it there is the wire contract alone.
//! - `derive`: the two derive macros, and `schemars` for the schemas of input types.
//! - `futures`: `BlockStream::into_async`, an async stream over a running call.

#[cfg(feature = "core")]
#[doc(inline)]
pub use lonis_core::*;
#[cfg(feature = "core")]
#[doc(inline)]
pub use lonis_diagnostics as diagnostics;
#[doc(inline)]
pub use lonis_schema::*;

#[cfg(feature = "derive")]
#[doc(hidden)]
pub use lonis_schema::__private;

// The macros of the schema crate name that crate; these name the facade, which is what its users depend on.
/// Says of a tool what it is and what it promises, from one attribute.
///
/// # Example
/// ```
/// use lonis::{Capabilities, LonisCapabilities};
///
/// #[derive(LonisCapabilities)]
/// #[lonis(tool_id = "acme:kv:get", formats = [json, ndjson], exit_codes = [("ok", 0), ("no_file", 12)])]
/// struct Get;
///
/// assert_eq!(Get.tool_id().as_str(), "acme:kv:get");
/// assert_eq!(Get.exit_code_map()[1], ("no_file", 12));
/// ```
#[cfg(feature = "derive")]
#[doc(inline)]
pub use lonis_derive::FacadeCapabilities as LonisCapabilities;

/// Makes an enum the payload of blocks.
///
/// # Wire shape
/// ```
/// use lonis::BlockPayload;
///
/// #[derive(Debug, PartialEq, BlockPayload)]
/// #[lonis_payload(namespace = "acme")]
/// enum Acme {
///     Entry {
///         key: String,
///         #[serde(default, skip_serializing_if = "Option::is_none")]
///         value: Option<f64>,
///     },
///     Ready,
/// }
///
/// let entry: Acme = serde_json::from_str(r#"{"kind":"acme.entry","data":{"key":"ratio","value":1.5}}"#)?;
/// assert_eq!(entry, Acme::Entry { key: "ratio".to_owned(), value: Some(1.5) });
/// assert_eq!(serde_json::to_string(&Acme::Ready)?, r#"{"kind":"acme.ready","data":null}"#);
/// assert_eq!(Acme::Ready.schema_id(), "lonis.block/acme.ready/v1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[cfg(feature = "derive")]
#[doc(inline)]
pub use lonis_derive::FacadePayload as BlockPayload;
