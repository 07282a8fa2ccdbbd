//! A vertical with one dependency. No prelude, so that derived code has to name all it uses by its whole path.
#![no_implicit_prelude]
#![deny(warnings, missing_docs, unused, unreachable_pub)]

// The derive of schemars takes it from the prelude.
use ::std::convert::Into as _;
use ::std::fmt::Debug;
use ::std::string::String;

use ::lonis::schemars::JsonSchema;
use ::lonis::{BlockPayload, Capabilities, LonisCapabilities};

/// What the tool says.
#[derive(Debug, BlockPayload)]
#[lonis_payload(namespace = "acme")]
pub enum Acme {
    /// A line.
    Found {
        /// Its number.
        line: u64,
        /// Its text.
        #[serde(default, skip_serializing_if = "missing", rename = "text")]
        shown: Text,
    },
    /// The end.
    #[deprecated]
    #[expect(non_camel_case_types, reason = "a name that lints speak of, once")]
    ready_now,
}

/// A type whose name is not that of what it is.
pub type Text = ::std::option::Option<String>;
/// A name that derived code uses too, with another meaning.
#[derive(Debug)]
pub struct Result;
/// A name that derived code uses too, with another meaning.
#[derive(Debug)]
pub struct Option;

fn missing(text: &Text) -> bool {
    text.is_none()
}

/// What the tool reads.
#[derive(JsonSchema)]
#[schemars(crate = "::lonis::schemars")]
pub struct FindInput {
    /// The text to look for.
    pub pattern: String,
}

/// The tool.
#[derive(Debug, LonisCapabilities)]
#[lonis(
    tool_id = "acme:text:find",
    description = "Finds lines.",
    determinism = "deterministic",
    side_effects = "none",
    cost = "low",
    input = FindInput,
    output = ::std::vec::Vec<u64>
)]
pub struct Find;

/// Whether what was derived can be called.
pub fn works(payload: &Acme) -> bool {
    Find.declared_contract().is_some() && payload.render_human().is_empty()
}
