//! Blocks that stand one behind the other, each read in one pass over its text.

use std::sync::Arc;

use serde::{Deserialize, de::DeserializeOwned};

use super::envelope::{Envelope, MARKER};
use super::payload_text::{Entries, PayloadText};
use super::raw::{DetachedBlock, RawBlock};
use super::{Block, check_kind, check_payload};
use crate::finding::{Checker, Finding};
use crate::json::reader::Reader;
use crate::read::{Document, Read};
use crate::{Attribution, BlockBounds, BlockPayload, Json, ReplayProvenance};

/// Longest part of an envelope that is kept for the next block, in bytes.
const MAX_KEPT_BYTES: usize = 4096;

/// Reads blocks from the front of a text that goes on, as those of a stream do.
///
/// This is the fast way for a text that mostly holds whole blocks. Where it gives nothing, the block is not whole, or it
/// is wrong, or it is spelled in a way that is rare: a [`Scanner`](crate::json::Scanner) and
/// [`RawBlock::from_scanned`] find out which, and give the same block.
///
/// The blocks of one call mostly come from one tool, in one version, for one input: what an envelope says about them in
/// the very words of the block before is shared with that one and not read again.
///
/// # Example
/// ```
/// use lonis_schema::{BlockKind, FrontReader};
/// let text = concat!(
///     r#"{"schema_version":"lonis.block/v1","#,
///     r#""attribution":{"identity":"human:ada","provenance":{"when":"2026-03-01T12:00:00Z","producer":"acme:say"}},"#,
///     r#""payload":{"kind":"message","data":{"content":"hello"}}}"#,
///     "\n[",
/// );
/// let mut reader = FrontReader::default();
/// let (read, end) = reader.typed::<BlockKind>(text).ok_or("no whole block")?;
/// assert_eq!(read.into_block().render_human(), "message: hello");
/// assert!(reader.typed::<BlockKind>(&text[end..]).is_none());
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug)]
pub struct FrontReader {
    provenance: Part<ReplayProvenance>,
    attribution: Part<Attribution>,
}

/// A block that was read with its payload not parsed, and has no claim on the text that it stands in.
#[derive(Debug)]
pub struct FrontBlock {
    block: DetachedBlock,
    findings: Vec<Finding>,
    end: usize,
}

/// One part of the envelope, as it was last.
#[derive(Debug)]
struct Part<T> {
    /// The longest text that is kept.
    max_kept_bytes: usize,
    /// How the value was spelled.
    text: String,
    /// The value, unless there is nothing that may be read as this text once more.
    value: Option<Arc<T>>,
}

/// A part that was read, and what it breaks.
struct Checked<T> {
    value: Arc<T>,
    findings: Vec<Finding>,
}

/// The members of a block that were read so far.
struct Members<P> {
    has_marker: bool,
    provenance: Option<Checked<ReplayProvenance>>,
    warnings: Option<Vec<String>>,
    attribution: Option<Checked<Attribution>>,
    bounds: Option<Box<BlockBounds>>,
    payload: Option<P>,
}

impl Default for FrontReader {
    fn default() -> Self {
        Self::keeping(MAX_KEPT_BYTES)
    }
}

impl FrontReader {
    /// Reads one block, after which no other comes.
    pub(super) fn once() -> Self {
        Self::keeping(0)
    }

    fn keeping(max_kept_bytes: usize) -> Self {
        Self {
            provenance: Part::keeping(max_kept_bytes),
            attribution: Part::keeping(max_kept_bytes),
        }
    }

    /// Reads a typed block, and tells where in the text it ends.
    pub fn typed<P: BlockPayload>(&mut self, text: &str) -> Option<(Read<Block<P>>, usize)> {
        let (mut reader, start) = Document::front(text);
        let members = self.members(&mut reader, typed_payload::<P>)?;
        let has_whitespace = reader.has_whitespace();
        let (envelope, (payload, data), mut checker) = members.into_parts()?;
        check_kind(payload.kind_name(), &mut checker);
        envelope.measure(data, has_whitespace, &mut checker);
        check_payload(&payload, &mut checker);
        let block = Block {
            envelope,
            payload,
            received_data: Some(Json::from_scanned(data, has_whitespace)),
        };
        let read = Read {
            value: block,
            findings: checker.into_findings(),
        };
        Some((read, start + reader.position()))
    }

    /// Reads a block whose payload is not parsed.
    pub fn raw(&mut self, text: &str) -> Option<FrontBlock> {
        let (read, end) = self.raw_in(text)?;
        Some(FrontBlock {
            block: read.value.detach(text),
            findings: read.findings,
            end,
        })
    }

    /// Does the same for a caller that keeps the text.
    pub(super) fn raw_in<'a>(&mut self, text: &'a str) -> Option<(Read<RawBlock<'a>>, usize)> {
        let (mut reader, start) = Document::front(text);
        let members = self.members(&mut reader, payload_text)?;
        let (envelope, payload, mut checker) = members.into_parts()?;
        check_kind(&payload.kind, &mut checker);
        envelope.measure(payload.data, reader.has_whitespace(), &mut checker);
        let end = start + reader.position();
        let document = Document::at(text, start..end, reader.has_whitespace())?;
        let read = Read {
            value: RawBlock::from_parts(document, envelope, payload),
            findings: checker.into_findings(),
        };
        Some((read, end))
    }

    fn members<'de, P>(
        &mut self,
        reader: &mut Reader<'de>,
        read_payload: impl Fn(&mut Reader<'de>) -> Option<P>,
    ) -> Option<Members<P>> {
        let mut members = Members::none();
        let mut is_first = true;
        reader.begin_object().ok()?.then_some(())?;
        while let Some(key) = reader.next_member(is_first).ok()? {
            is_first = false;
            match key {
                "schema_version" if !members.has_marker => {
                    members.has_marker = reader.next_string().ok()?? == MARKER;
                }
                "provenance" if members.provenance.is_none() => {
                    let part = &mut self.provenance;
                    members.provenance = Some(part.read(reader, key, ReplayProvenance::check)?);
                }
                "warnings" if members.warnings.is_none() => {
                    members.warnings = Some(Vec::deserialize(&mut *reader).ok()?);
                }
                "attribution" if members.attribution.is_none() => {
                    let part = &mut self.attribution;
                    members.attribution = Some(part.read(reader, key, Attribution::check)?);
                }
                "bounds" if members.bounds.is_none() => {
                    members.bounds = Some(Box::deserialize(&mut *reader).ok()?);
                }
                "payload" if members.payload.is_none() => {
                    members.payload = Some(read_payload(reader)?);
                }
                _ => return None,
            }
        }
        Some(members)
    }
}

impl<P> Members<P> {
    fn none() -> Self {
        Self {
            has_marker: false,
            provenance: None,
            warnings: None,
            attribution: None,
            bounds: None,
            payload: None,
        }
    }

    /// Puts the envelope together, where nothing is missing, and looks at what it breaks.
    fn into_parts(self) -> Option<(Envelope, P, Checker)> {
        let (attribution, payload) = (self.attribution?, self.payload?);
        if !self.has_marker {
            return None;
        }
        let mut checker = Checker::new();
        let provenance = self.provenance.map(|provenance| {
            checker.extend(provenance.findings);
            provenance.value
        });
        let warnings = self.warnings.unwrap_or_default();
        let envelope = Envelope::from_parts(provenance, warnings, attribution.value, self.bounds);
        envelope.check_warnings(&mut checker);
        checker.extend(attribution.findings);
        Some((envelope, payload, checker))
    }
}

impl<T: DeserializeOwned> Part<T> {
    fn keeping(max_kept_bytes: usize) -> Self {
        Self {
            max_kept_bytes,
            text: String::new(),
            value: None,
        }
    }

    /// Reads the member `key`, which stands next, unless it is spelled as it was last.
    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        key: &str,
        check: impl FnOnce(&T, &mut Checker),
    ) -> Option<Checked<T>> {
        if let Some(value) = self
            .value
            .as_ref()
            .filter(|_| reader.skip_equal(&self.text))
        {
            return Some(Checked {
                value: Arc::clone(value),
                findings: Vec::new(),
            });
        }
        self.value = None;
        let start = reader.position();
        let value = Arc::new(T::deserialize(&mut *reader).ok()?);
        let mut checker = Checker::new();
        checker.inside(key, |checker| check(&value, checker));
        let findings = checker.into_findings();
        let text = reader.since(start);
        // What has findings, or whitespace that the block has to be marked for, is read each time.
        if findings.is_empty() && !reader.has_whitespace() && text.len() <= self.max_kept_bytes {
            self.text.clear();
            self.text.push_str(text);
            self.value = Some(Arc::clone(&value));
        }
        Some(Checked { value, findings })
    }
}

impl FrontBlock {
    /// Returns where the block ends in the text.
    ///
    /// # Units and bounds
    /// Bytes from the start of the text.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns the block in the text that it was read from; another text may have no room for it.
    pub fn in_text(self, text: &str) -> Option<Read<RawBlock<'_>>> {
        Some(Read {
            value: self.block.in_text(text)?,
            findings: self.findings,
        })
    }
}

/// Reads a payload whose data is not looked into.
fn payload_text<'de>(reader: &mut Reader<'de>) -> Option<PayloadText<'de>> {
    let (mut kind, mut data) = (None, None);
    let mut is_first = true;
    reader.begin_object().ok()?.then_some(())?;
    while let Some(key) = reader.next_member(is_first).ok()? {
        is_first = false;
        match key {
            "kind" if kind.is_none() => kind = Some(reader.next_string().ok()??),
            "data" if data.is_none() => data = Some(reader.skip_value().ok()?),
            _ => return None,
        }
    }
    let (kind, data) = (kind?, data?);
    Some(PayloadText { kind, data })
}

/// Reads a payload, and gives the text of its data as well.
fn typed_payload<'de, P: BlockPayload>(reader: &mut Reader<'de>) -> Option<(P, &'de str)> {
    reader.begin_object().ok()?.then_some(())?;
    let (payload, data) = match reader.next_member(true).ok()?? {
        "kind" => {
            let kind = reader.next_string().ok()??;
            reader
                .next_member(false)
                .ok()?
                .filter(|key| *key == "data")?;
            let start = reader.position();
            let payload = P::deserialize(Entries::new(&kind, reader)).ok()?;
            (payload, reader.since(start))
        }
        "data" => {
            let data = reader.skip_value().ok()?;
            reader
                .next_member(false)
                .ok()?
                .filter(|key| *key == "kind")?;
            let kind = reader.next_string().ok()??;
            let mut again = Reader::again(data, reader.has_whitespace());
            (P::deserialize(Entries::new(&kind, &mut again)).ok()?, data)
        }
        _ => return None,
    };
    let is_whole = reader.next_member(false).ok()?.is_none();
    is_whole.then_some((payload, data))
}
