//! The reviewed file that says which tools a client is offered, and how.
//!
//! It is closed: an unknown key refuses it. Without a file every usable tool is offered under its contract's own terms.

mod definition;
mod schema;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lonis::ToolError;
use serde::Deserialize;
use serde_json::Value;

pub(crate) use definition::{Class, INTERFACE_SCHEMA, definition, own_definition};
pub(crate) use schema::{InputSchema, MAX_ROOT_URI_BYTES, PATH_MARK, input_schema};

use crate::failure::invalid_config;
use crate::results::sha256;

/// The largest file that is read, in bytes; as for `lonis.toml`.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 20;
/// The longest name that model vendors accept with a prefix of their own, in bytes.
const MAX_NAME_BYTES: usize = 40;
/// The longest deadline, in milliseconds: a day.
const MAX_DEADLINE_MILLIS: u64 = 86_400_000;

/// What a file says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exposure {
    version: u32,
    /// The tools that are offered on other terms than those of their contracts.
    #[serde(default)]
    pub(crate) expose: Vec<Expose>,
    /// How the server answers.
    #[serde(default)]
    pub(crate) serve: Serve,
    /// The hash of the file.
    #[serde(skip)]
    pub(crate) sha256: Option<String>,
}

/// How one tool is offered.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expose {
    /// The registry id.
    pub(crate) tool: String,
    /// The name; by default the id with `-` for each `:`.
    pub(crate) name: Option<String>,
    /// The input members that are offered; by default all.
    pub(crate) fields: Option<Vec<String>>,
    /// Members that a client has to give although the contract does not ask for them.
    #[serde(default)]
    pub(crate) force_required: Vec<String>,
    /// Members that are set here and not offered.
    #[serde(default)]
    pub(crate) fixed: BTreeMap<String, Value>,
    /// The hint that nothing is changed, no looser than the contract.
    pub(crate) read_only: Option<bool>,
    /// The hint that a repeated call changes nothing more.
    pub(crate) idempotent: Option<bool>,
    /// The longest time of one call, waiting included.
    pub(crate) deadline_millis: Option<u64>,
    /// A file with the input schema of a tool whose contract has none.
    pub(crate) schema: Option<PathBuf>,
}

/// How the server answers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Serve {
    /// Whether the other tools are offered too, with the tools of this face itself.
    pub(crate) defaults: bool,
    /// The form of results.
    pub(crate) result: ResultForm,
    /// Whose version the server carries: `lonis`, or `lonis-NAME` of a provider.
    pub(crate) version_of: String,
    /// How arguments that break the schema are answered.
    pub(crate) input_errors: InputErrors,
    /// Whether a cancelled call is answered.
    pub(crate) cancelled_response: bool,
    /// Whether requests are served without a handshake too.
    pub(crate) stateless: bool,
    /// Which tools are listed.
    pub(crate) shape: Shape,
}

/// The form of results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ResultForm {
    /// The envelope, as text and as structured content.
    #[default]
    Envelope,
    /// The data of the one block, as it was received.
    Document,
}

/// How arguments that break the schema are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InputErrors {
    /// As an error of JSON-RPC.
    #[default]
    Protocol,
    /// As a result, which a model can read.
    Result,
}

/// Which tools are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shape {
    /// Each.
    #[default]
    Tools,
    /// Those to find a tool and to call it, so that a large registry costs a constant.
    Search,
}

impl Default for Serve {
    fn default() -> Self {
        Self {
            defaults: true,
            result: ResultForm::default(),
            version_of: "lonis".to_owned(),
            input_errors: InputErrors::default(),
            cancelled_response: true,
            stateless: true,
            shape: Shape::default(),
        }
    }
}

impl Exposure {
    /// Reads a file; paths in it start at its folder.
    ///
    /// # Errors
    /// `invalid_config` for a file that cannot be read or says something that is not known.
    pub(crate) fn read(path: &Path) -> Result<Self, ToolError> {
        let shown = path.display();
        let unreadable =
            |problem: &dyn std::fmt::Display| invalid_config(format!("`{shown}`: {problem}"));
        let bytes = lonis::read_regular_file(path, MAX_FILE_BYTES);
        let bytes = bytes.map_err(|error| unreadable(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| unreadable(&error))?;
        let mut exposure = Self::parse(&text).map_err(|problem| unreadable(&problem))?;
        exposure.sha256 = Some(sha256(text.as_bytes()));
        let folder = path.parent().unwrap_or(Path::new("."));
        for expose in &mut exposure.expose {
            expose.schema = expose.schema.take().map(|schema| folder.join(schema));
        }
        Ok(exposure)
    }

    /// Reads the text of a file.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let exposure: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if exposure.version != 1 {
            return Err(format!(
                "`version` is {}, this program reads 1",
                exposure.version
            ));
        }
        let range = 1..=MAX_DEADLINE_MILLIS;
        for expose in &exposure.expose {
            if let Some(millis) = expose
                .deadline_millis
                .filter(|millis| !range.contains(millis))
            {
                return Err(format!(
                    "`deadline_millis` of `{}` is {millis}, allowed are 1 to {MAX_DEADLINE_MILLIS}",
                    expose.tool
                ));
            }
        }
        let is_exact = !exposure.serve.defaults;
        if is_exact && exposure.serve.shape == Shape::Search {
            return Err(
                "`shape = \"search\"` needs the tools that `defaults = false` leaves out"
                    .to_owned(),
            );
        }
        Ok(exposure)
    }
}

/// Returns the name that an id has by default.
pub(crate) fn default_name(id: &str) -> String {
    id.replace(':', "-")
}

/// Says why a name is none that clients and model vendors accept.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(is_letter) {
        return None;
    }
    Some(format!(
        "`{}` is not 1 to {MAX_NAME_BYTES} letters, digits, `_` and `-`",
        name.escape_debug()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_closed_and_says_what_is_wrong() {
        for (text, problem) in [
            ("", "missing field `version`"),
            ("version = 2", "`version` is 2"),
            ("version = 1\nmore = 1", "unknown field `more`"),
            (
                "version = 1\n[serve]\nresults = 1",
                "unknown field `results`",
            ),
            (
                "version = 1\n[serve]\nresult = \"rows\"",
                "unknown variant `rows`",
            ),
            (
                "version = 1\n[[expose]]\nname = \"x\"",
                "missing field `tool`",
            ),
            (
                "version = 1\n[[expose]]\ntool = \"a:b\"\ndeadline_millis = 0",
                "allowed are 1",
            ),
            (
                "version = 1\n[serve]\ndefaults = false\nshape = \"search\"",
                "needs the tools",
            ),
        ] {
            let error = Exposure::parse(text).expect_err(text);
            assert!(error.contains(problem), "{text}: {error}");
        }
    }

    #[test]
    fn names_are_what_model_vendors_accept() {
        for name in ["a", "session-begin", "A_9", &"x".repeat(40)] {
            assert_eq!(name_problem(name), None, "{name}");
        }
        for name in ["", "a.b", "a b", "ü", &"x".repeat(41)] {
            assert!(name_problem(name).is_some(), "{name}");
        }
        assert_eq!(default_name("acme:kv:get"), "acme-kv-get");
    }
}
