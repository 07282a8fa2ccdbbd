//! Edits of one value in a structured file: the bytes of that value are spliced, all others stay.
//!
//! Each format gives a model with positions. After the splice the file is read again and must be the model with the
//! edit; where that cannot be kept, the op is refused and nothing is rewritten.

mod items;
mod json;
mod layout;
mod model;
mod toml;
mod yaml;

use serde_json::json;

use super::document::{Format, StructuredEdit, ValueChange};
use super::engine::Compiled;
use super::failure::Failure;
use super::splice::{refine, spliced};
use crate::path::WorkspacePath;
use model::{Model, deepest};

/// The most bytes of a structured file.
pub const MAX_STRUCTURED_BYTES: usize = super::definition::MAX_PARSED_BYTES;

/// The text of a file that a structured edit can read.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, Failure> {
    if bytes.len() > MAX_STRUCTURED_BYTES {
        return Err(Failure::Limit {
            what: "a file that is parsed".to_owned(),
            limit: MAX_STRUCTURED_BYTES as u64,
            observed: bytes.len() as u64,
        });
    }
    std::str::from_utf8(bytes).map_err(|error| Failure::NotText {
        offset: error.valid_up_to(),
        reason: "a byte that is not UTF-8",
    })
}

/// Compiles an edit of one value.
pub(crate) fn compile(
    path: &WorkspacePath,
    text: &str,
    edit: &StructuredEdit,
) -> Result<Compiled, Failure> {
    let format = edit
        .format
        .or_else(|| Format::of_path(path))
        .ok_or_else(|| Failure::FormatUnsupported {
            construct: format!("a file named `{}` without `format`", path.name()),
        })?;
    let before = read(format, text)?;
    if format == Format::Yaml {
        yaml::check_path(text, edit.pointer.tokens())?;
    }
    check_old(&before, edit)?;
    // Written into a file, it would be another number than was sent.
    if let Some(number) = &edit.rounded {
        return Err(Failure::FormatUnsupported {
            construct: format!("`{number}`, a whole number that is not held to the last digit,"),
        });
    }
    let after = model::edited(&before, &edit.pointer, &edit.change)?;
    let splice = match format {
        Format::Json => json::splice(text, edit)?,
        Format::Toml => toml::splice(text, edit)?,
        Format::Yaml => yaml::splice(text, edit)?,
    };
    let edited = spliced(text.as_bytes(), std::slice::from_ref(&splice));
    let is_kept = std::str::from_utf8(&edited)
        .ok()
        .and_then(|text| read(format, text).ok())
        == Some(after);
    if !is_kept {
        return Err(Failure::FormatUnsupported {
            construct: format!("what stands at `{}`", edit.pointer.as_str()),
        });
    }
    let mut members = json!({ "format": format, "pointer": edit.pointer.as_str() });
    match &edit.change {
        ValueChange::Set {
            value,
            create_parents,
        } => {
            members["value"] = value.clone();
            members["create_parents"] = json!(create_parents);
        }
        ValueChange::Remove => {}
        ValueChange::Append { value } => members["value"] = value.clone(),
    }
    let mut splices = Vec::new();
    refine(text.as_bytes(), &splice, &mut splices);
    Ok(Compiled::plain(splices, members))
}

fn read(format: Format, text: &str) -> Result<Model, Failure> {
    match format {
        Format::Json => json::read(text),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
    }
}

/// Holds the value to `old`.
fn check_old(before: &Model, edit: &StructuredEdit) -> Result<(), Failure> {
    let Some(old) = &edit.old else {
        return Ok(());
    };
    let tokens = edit.pointer.tokens();
    let Some(found) = before.at(tokens) else {
        return Err(deepest(before, &edit.pointer));
    };
    if *found == Model::of(old) {
        return Ok(());
    }
    Err(Failure::PreImage {
        what: "value",
        expected: super::report::clipped(&old.to_string(), 400),
        observed: super::report::clipped(&found.to_string(), 400),
        moved_to: None,
    })
}
