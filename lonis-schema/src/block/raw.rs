//! A block whose payload is not parsed.

use super::envelope::{Envelope, envelope_accessors};
use super::payload_text::{DetachedPayload, PayloadText, Written};
use super::{Block, check_kind, check_payload};
use crate::finding::{Checker, Finding};
use crate::read::{DetachedDocument, Document, Read, ReadError};
use crate::{Attribution, BlockBounds, BlockPayload, Json, ReplayProvenance};
use serde::{Serialize, Serializer};

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

impl<'a> RawBlock<'a> {
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

    pub(super) fn check(&self) -> Vec<Finding> {
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
