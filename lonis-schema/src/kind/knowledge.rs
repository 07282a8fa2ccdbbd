//! Knowledge: what is the case, and what things are.
//!
//! The fourth kind of this category, `capability`, is a [`ToolContract`](crate::ToolContract).

use crate::Json;
use crate::object_only::object_only;
use crate::wire_number::write_measure;
use serde::{Deserialize, Serialize};

/// Something that speaks for or against a statement.
///
/// # Units and bounds
/// `kind`: at most 256 Unicode scalar values. `summary` and `source`: 4096. `hash`: 128. `weight`: any finite double.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Evidence {
    /// What sort of evidence it is, such as `observation`.
    pub kind: String,
    /// What was seen.
    pub summary: String,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Hash of what was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// How much it counts.
    #[serde(
        default,
        serialize_with = "write_measure",
        skip_serializing_if = "Option::is_none"
    )]
    pub weight: Option<f64>,
}

/// What a thing is.
///
/// # Units and bounds
/// `id`: at most 1024 Unicode scalar values. `name`: 512. `kind`: 128. `path`, `signature`, `summary`: 4096. `docs`: 65536.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Definition {
    /// The id of the thing.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What sort of thing it is, such as `struct`.
    pub kind: String,
    /// Where it is defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// What it is, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
    /// What else is known about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<Json>,
}

/// What somebody wants.
///
/// # Units and bounds
/// `statement`: at most 4096 Unicode scalar values. `constraints`: at most 64, of at most 1024 each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Intent {
    /// What is wanted.
    pub statement: String,
    /// What has to hold all the while.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
}

object_only!(Evidence, Definition, Intent);
