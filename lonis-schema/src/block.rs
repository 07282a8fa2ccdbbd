//! The envelope that every tool emits through.

mod envelope;
mod front;
mod payload_text;
mod raw;
mod whole;

pub use front::{FrontBlock, FrontReader};
pub use raw::RawBlock;

use crate::canonical::{self, CanonicalError};
use crate::extent::Extent;
use crate::finding::{Breach, Checker, Finding};
use crate::read::{Read, ReadError, is_end};
use crate::{
    Attribution, BlockBounds, BlockKind, BlockPayload, ContentHash, Json, ReplayProvenance,
    SchemaVersion,
};
use envelope::{Envelope, HOST_PREFIX, envelope_accessors};
use payload_text::PayloadText;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A block of the host: any kind.
pub type SeedBlock = Block<BlockKind>;

/// One versioned, attributed, bounded and replayable object: what every tool emits.
///
/// The fields are private, so that a payload that was read keeps its text until it is changed: a block that is passed on
/// has the payload data it was received with, byte for byte.
///
/// # Wire shape
/// ```
/// use lonis_schema::SeedBlock;
/// let text = concat!(
///     r#"{"schema_version":"lonis.block/v1","#,
///     r#""attribution":{"identity":"human:ada","provenance":{"when":"2026-03-01T12:00:00Z","producer":"acme:say"}},"#,
///     r#""payload":{"kind":"message","data":{"content":"hello"}}}"#,
/// );
/// let block = SeedBlock::read(text)?.value;
/// assert_eq!(block.render_human(), "message: hello");
/// assert_eq!(serde_json::to_string(&block).unwrap(), text);
/// # Ok::<(), lonis_schema::ReadError>(())
/// ```
///
/// # Units and bounds
/// `warnings`: at most 256, of at most 4096 Unicode scalar values each.
#[derive(Debug, Clone)]
pub struct Block<P> {
    envelope: Envelope,
    payload: P,
    /// The payload data as it was received; gone once the payload is changed.
    received_data: Option<Json>,
}

/// Why a block cannot have the bounds that are declared for it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// The payload breaks a bound.
    #[error("payload breaks its bound `{bound}` of {limit}: seen {seen}")]
    Broken {
        /// The name of the bound.
        bound: &'static str,
        /// The value declared.
        limit: u64,
        /// The value seen.
        seen: u64,
    },
    /// The payload cannot be written, so that it cannot be measured.
    #[error(transparent)]
    Unwritable(#[from] CanonicalError),
}

impl<P: PartialEq> PartialEq for Block<P> {
    /// Compares the typed values, not the text they were received with.
    fn eq(&self, other: &Self) -> bool {
        self.envelope == other.envelope && self.payload == other.payload
    }
}

impl<P> Block<P> {
    /// Returns the marker of the envelope.
    pub fn schema_version(&self) -> SchemaVersion {
        SchemaVersion::BLOCK_V1
    }

    envelope_accessors!();

    /// Returns the payload.
    pub fn payload(&self) -> &P {
        &self.payload
    }

    /// Returns the payload to be changed; from here on it is written from the typed value.
    pub fn payload_mut(&mut self) -> &mut P {
        self.received_data = None;
        &mut self.payload
    }

    /// Takes the payload out.
    pub fn into_payload(self) -> P {
        self.payload
    }

    /// Returns the payload data as it was received, unless the block was built or changed here.
    pub fn received_data(&self) -> Option<&Json> {
        self.received_data.as_ref()
    }

    /// Sets the version, pins and replay declaration.
    pub fn with_provenance(mut self, provenance: ReplayProvenance) -> Self {
        self.envelope.set_provenance(provenance);
        self
    }

    /// Sets the warnings.
    pub fn with_warnings<T: Into<String>>(mut self, warnings: impl IntoIterator<Item = T>) -> Self {
        self.envelope.warnings = warnings.into_iter().map(Into::into).collect();
        self
    }
}

impl<P: BlockPayload> Block<P> {
    /// Makes a block of version 1.
    pub fn new(attribution: Attribution, payload: P) -> Self {
        Self {
            envelope: Envelope::new(attribution),
            payload,
            received_data: None,
        }
    }

    /// Declares bounds.
    ///
    /// `timeout_millis` is not checked here: it bounds the call that makes the block.
    ///
    /// # Errors
    /// [`BoundsError`], where the payload breaks them.
    pub fn with_bounds(mut self, bounds: BlockBounds) -> Result<Self, BoundsError> {
        if let Some(Breach::Bound { bound, limit, seen }) =
            self.broken_bounds(&bounds)?.into_iter().next()
        {
            return Err(BoundsError::Broken { bound, limit, seen });
        }
        self.envelope.set_bounds(bounds);
        Ok(self)
    }

    /// Reads a block, and tells which limits and formats it breaks.
    ///
    /// # Errors
    /// [`ReadError`], where the text is not strict JSON, not a block of version 1, or a payload that `P` does not have.
    ///
    /// # Example
    /// ```
    /// use lonis_schema::SeedBlock;
    /// let text = r#"{"schema_version":"lonis.block/v1",
    ///     "attribution":{"identity":"karpal","provenance":{"when":"yesterday","producer":"acme:say"}},
    ///     "payload":{"kind":"message","data":{"content":"hello"}}}"#;
    /// let read = SeedBlock::read(text)?;
    /// assert_eq!(read.findings[0].to_string(), "`/attribution/provenance/when` is not RFC 3339");
    /// assert_eq!(read.into_block().warnings(), ["host: `/attribution/provenance/when` is not RFC 3339"]);
    /// # Ok::<(), lonis_schema::ReadError>(())
    /// ```
    pub fn read(text: &str) -> Result<Read<Self>, ReadError> {
        if let Some((read, end)) = FrontReader::once().typed(text)
            && is_end(text, end)
        {
            return Ok(read);
        }
        // What is wrong, or rarely spelled so, is found in two steps: what is no block is told before what is no `P`.
        let Read {
            value: raw,
            mut findings,
        } = RawBlock::read(text)?;
        let mut read = raw.typed()?;
        findings.append(&mut read.findings);
        Ok(Read {
            value: read.value,
            findings,
        })
    }

    /// Returns the limits and formats that the block breaks; in what is built here, each of them is an error.
    ///
    /// # Errors
    /// [`CanonicalError`], where the payload cannot be written.
    pub fn check(&self) -> Result<Vec<Finding>, CanonicalError> {
        let mut checker = Checker::new();
        self.envelope.check(&mut checker);
        check_kind(self.payload.kind_name(), &mut checker);
        check_payload(&self.payload, &mut checker);
        let mut findings = checker.into_findings();
        let broken = self.broken_bounds(self.bounds())?;
        findings.extend(
            broken
                .into_iter()
                .map(|breach| Finding::new("/bounds", breach)),
        );
        Ok(findings)
    }

    /// Returns the name of the schema of the payload's kind.
    pub fn schema_id(&self) -> String {
        self.payload.schema_id()
    }

    /// Returns the payload as text for people.
    pub fn render_human(&self) -> String {
        self.payload.render_human()
    }

    /// Iterates over the warnings that the text for people does not tell: those of a host at least.
    pub fn unrendered_warnings(&self) -> impl Iterator<Item = &str> {
        let are_told = self.payload.renders_warnings();
        let warnings = self.warnings().iter().map(String::as_str);
        warnings.filter(move |warning| !are_told || warning.starts_with(HOST_PREFIX))
    }

    /// Hashes the canonical text of the typed payload.
    ///
    /// # Errors
    /// [`CanonicalError`], for NaN and infinity only.
    pub fn content_hash(&self) -> Result<ContentHash, CanonicalError> {
        match self.payload.hashed_form() {
            Some(hashed) => ContentHash::of(&hashed),
            None => ContentHash::of(&self.payload),
        }
    }

    fn broken_bounds(&self, bounds: &BlockBounds) -> Result<Vec<Breach>, CanonicalError> {
        if bounds.max_items.is_none() && bounds.max_bytes.is_none() && bounds.max_length.is_none() {
            return Ok(Vec::new());
        }
        let extent = if let Some(data) = &self.received_data {
            Extent::of(data.text())
        } else {
            let payload = canonical::compact_text(&self.payload)?;
            Extent::of(PayloadText::read(&payload)?.data)
        };
        Ok(extent.breaches(bounds).collect())
    }
}

impl<P> Read<Block<P>> {
    /// Takes the block, its findings appended to its warnings as a host does with what it receives.
    pub fn into_block(self) -> Block<P> {
        let mut block = self.value;
        block.add_host_warnings(&self.findings);
        block
    }
}

/// Longest kind of a payload, in Unicode scalar values.
const MAX_KIND_LENGTH: usize = 256;

/// Checks the kind of a payload under its place in a block.
fn check_kind(kind: &str, checker: &mut Checker) {
    checker.inside("payload", |checker| {
        if kind.is_empty() {
            checker.add("kind", Breach::Grammar("payload kind is empty".to_owned()));
        }
        checker.text("kind", kind, MAX_KIND_LENGTH);
    });
}

/// Checks the data of a payload under its place in a block.
fn check_payload<P: BlockPayload>(payload: &P, checker: &mut Checker) {
    checker.inside("payload", |checker| {
        checker.inside("data", |checker| payload.check(checker));
    });
}

impl<P: BlockPayload> Serialize for Block<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(data) = &self.received_data {
            let payload = payload_text::Written {
                kind: self.payload.kind_name(),
                data,
            };
            return self.envelope.write(serializer, &payload);
        }
        canonical::check_finite(&self.payload).map_err(serde::ser::Error::custom)?;
        self.envelope.write(serializer, &self.payload)
    }
}

impl<'de, P: BlockPayload> Deserialize<'de> for Block<P> {
    /// Reads as [`Block::read`] does, and drops the findings.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Box<serde_json::value::RawValue>>::deserialize(deserializer)?;
        Self::read(text.get())
            .map(|read| read.value)
            .map_err(serde::de::Error::custom)
    }
}
