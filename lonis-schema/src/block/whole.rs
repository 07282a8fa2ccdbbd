//! One block that is the whole of its text: the fast way first, and the one that says what is wrong where that gives nothing.

use super::envelope::{Envelope, MARKER};
use super::front::FrontReader;
use super::payload_text::PayloadText;
use super::raw::RawBlock;
use crate::json::Scanned;
use crate::object_only::{ObjectOnly, object_only};
use crate::read::{Document, Read, ReadError, is_end};
use crate::{Attribution, BlockBounds, ReplayProvenance};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The members of a block.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members<'a> {
    #[serde(borrow)]
    schema_version: Cow<'a, str>,
    #[serde(default, deserialize_with = "shared")]
    provenance: Option<Arc<ReplayProvenance>>,
    #[serde(default)]
    warnings: Vec<String>,
    attribution: Attribution,
    #[serde(default, deserialize_with = "boxed")]
    bounds: Option<Box<BlockBounds>>,
    #[serde(borrow)]
    payload: PayloadText<'a>,
}

/// Reads what may be absent but not `null`.
fn shared<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Arc<T>>, D::Error> {
    T::deserialize(deserializer).map(|value| Some(Arc::new(value)))
}

/// Reads the same where it is not shared.
fn boxed<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<T>>, D::Error> {
    Box::deserialize(deserializer).map(Some)
}

/// The members of a block, from an object only.
struct BlockObject<'a>(Members<'a>);

impl<'de> Deserialize<'de> for BlockObject<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Members::deserialize(ObjectOnly(deserializer)).map(Self)
    }
}

/// The marker alone, in an object of any other shape.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Self")]
struct MarkerOnly {
    schema_version: String,
}

object_only!(MarkerOnly);

impl<'a> RawBlock<'a> {
    /// Reads the envelope of a block, and tells which limits and formats it breaks.
    ///
    /// # Errors
    /// [`ReadError`], where the text is not strict JSON or not a block of version 1.
    pub fn read(text: &'a str) -> Result<Read<Self>, ReadError> {
        if let Some((read, end)) = FrontReader::once().raw_in(text)
            && is_end(text, end)
        {
            return Ok(read);
        }
        let (BlockObject(members), document) =
            Document::read(text).map_err(|error| marker_first(text, error))?;
        Self::from_members(members, document)
    }

    /// Reads the envelope of a block whose text was scanned already, as a decoder of streams does.
    ///
    /// # Errors
    /// [`ReadError`], where the value is not a block of version 1.
    pub fn from_scanned(scanned: Scanned<'a>) -> Result<Read<Self>, ReadError> {
        let (BlockObject(members), document) =
            Document::read_scanned(scanned).map_err(|error| marker_first(scanned.text(), error))?;
        Self::from_members(members, document)
    }

    fn from_members(members: Members<'a>, document: Document<'a>) -> Result<Read<Self>, ReadError> {
        if members.schema_version != MARKER {
            return Err(ReadError::Marker {
                seen: members.schema_version.into_owned(),
                expected: MARKER,
            });
        }
        let envelope = Envelope::from_parts(
            members.provenance,
            members.warnings,
            Arc::new(members.attribution),
            members.bounds,
        );
        let block = Self::from_parts(document, envelope, members.payload);
        let findings = block.check();
        Ok(Read {
            value: block,
            findings,
        })
    }
}

/// Names an unknown marker before anything that another envelope may have otherwise.
fn marker_first(text: &str, error: ReadError) -> ReadError {
    if matches!(error, ReadError::Json(_)) {
        return error;
    }
    match Document::read::<MarkerOnly>(text) {
        Ok((MarkerOnly { schema_version }, _)) if schema_version != MARKER => ReadError::Marker {
            seen: schema_version,
            expected: MARKER,
        },
        _ => error,
    }
}
