//! A block whose payload is not parsed.

use super::envelope::{Envelope, envelope_accessors};
use super::front::FrontReader;
use super::payload_text::{DetachedPayload, PayloadText, Written};
use super::{Block, check_kind, check_payload};
use crate::finding::{Checker, Finding};
use crate::json::Scanned;
use crate::object_only::{ObjectOnly, object_only};
use crate::read::{DetachedDocument, Document, Read, ReadError, is_end};
use crate::{Attribution, BlockBounds, BlockPayload, Json, ReplayProvenance};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;

/// The marker of the one envelope that is read here.
pub(super) const MARKER: &str = "lonis.block/v1";

/// A block borrowed from the text it was received in: the envelope is read and checked, the payload is not parsed.
///
/// The text is strict JSON all through, the payload included. Whether the data is what its kind asks for shows when the
/// block is made [`typed`](Self::typed).
#[derive(Debug, Clone)]
pub struct RawBlock<'a> {
    document: Document<'a>,
    envelope: Envelope,
    payload: PayloadText<'a>,
}

/// The same without a claim on the text.
#[derive(Debug)]
pub(super) struct DetachedBlock {
    document: DetachedDocument,
    envelope: Envelope,
    payload: DetachedPayload,
}

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

    pub(super) fn from_parts(
        document: Document<'a>,
        envelope: Envelope,
        payload: PayloadText<'a>,
    ) -> Self {
        Self {
            document,
            envelope,
            payload,
        }
    }

    /// Lets go of the text, of which the block is a part.
    pub(super) fn detach(self, text: &str) -> DetachedBlock {
        DetachedBlock {
            document: self.document.detach(),
            envelope: self.envelope,
            payload: self.payload.detach(text),
        }
    }

    /// Returns the text of the block.
    pub fn text(&self) -> &'a str {
        self.document.value
    }

    envelope_accessors!();

    /// Returns the kind of the payload.
    pub fn kind(&self) -> &str {
        &self.payload.kind
    }

    /// Returns the payload data as it was received, whitespace included.
    pub fn data(&self) -> &'a str {
        self.payload.data
    }

    /// Parses the payload, and tells which limits and formats the payload breaks.
    ///
    /// # Errors
    /// [`ReadError::Shape`], where the data is not what its kind asks for, or `P` does not have the kind.
    pub fn typed<P: BlockPayload>(self) -> Result<Read<Block<P>>, ReadError> {
        let payload: P = self
            .payload
            .typed(self.document.has_whitespace)
            .map_err(|refusal| self.document.error(refusal, self.data(), "/payload/data"))?;
        let mut checker = Checker::new();
        check_payload(&payload, &mut checker);
        let received_data = Some(Json::from_scanned(
            self.payload.data,
            self.document.has_whitespace,
        ));
        let block = Block {
            envelope: self.envelope,
            payload,
            received_data,
        };
        Ok(Read {
            value: block,
            findings: checker.into_findings(),
        })
    }

    fn check(&self) -> Vec<Finding> {
        let mut checker = Checker::new();
        self.envelope.check(&mut checker);
        check_kind(self.kind(), &mut checker);
        self.envelope
            .measure(self.data(), self.document.has_whitespace, &mut checker);
        checker.into_findings()
    }
}

impl DetachedBlock {
    /// Takes hold of the text again.
    pub(super) fn in_text(self, text: &str) -> Option<RawBlock<'_>> {
        Some(RawBlock {
            document: self.document.in_text(text)?,
            envelope: self.envelope,
            payload: self.payload.in_text(text)?,
        })
    }
}

impl<'a> Read<RawBlock<'a>> {
    /// Takes the block, its findings appended to its warnings as a host does with what it receives.
    pub fn into_raw_block(self) -> RawBlock<'a> {
        let mut block = self.value;
        block.add_host_warnings(&self.findings);
        block
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

impl Serialize for RawBlock<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let data = Json::from_scanned(self.payload.data, self.document.has_whitespace);
        self.envelope.write(
            serializer,
            &Written {
                kind: self.kind(),
                data,
            },
        )
    }
}
