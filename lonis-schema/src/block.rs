//! The envelope that every tool emits through.

use crate::object_only::ObjectOnly;
use crate::{
    Attribution, BlockBounds, BlockKind, BlockPayload, Json, ReplayProvenance, SchemaVersion,
};
use serde::ser::SerializeMap;
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
/// let block: SeedBlock = serde_json::from_str(text)?;
/// assert_eq!(block.render_human(), "message: hello");
/// assert_eq!(serde_json::to_string(&block)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Block<P> {
    provenance: ReplayProvenance,
    warnings: Vec<String>,
    attribution: Attribution,
    bounds: BlockBounds,
    payload: P,
    /// The payload as it was received; gone once the payload is changed.
    payload_text: Option<Json>,
}

impl<P: PartialEq> PartialEq for Block<P> {
    fn eq(&self, other: &Self) -> bool {
        self.provenance == other.provenance
            && self.warnings == other.warnings
            && self.attribution == other.attribution
            && self.bounds == other.bounds
            && self.payload == other.payload
    }
}

impl<P: BlockPayload> Block<P> {
    /// Makes a block of version 1.
    pub fn new(attribution: Attribution, payload: P) -> Self {
        Self {
            provenance: ReplayProvenance::default(),
            warnings: Vec::new(),
            attribution,
            bounds: BlockBounds::default(),
            payload,
            payload_text: None,
        }
    }

    /// Sets the version, pins and replay declaration.
    pub fn with_provenance(mut self, provenance: ReplayProvenance) -> Self {
        self.provenance = provenance;
        self
    }

    /// Sets the warnings.
    pub fn with_warnings<T: Into<String>>(mut self, warnings: impl IntoIterator<Item = T>) -> Self {
        self.warnings = warnings.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the marker of the envelope.
    pub fn schema_version(&self) -> SchemaVersion {
        SchemaVersion::BLOCK_V1
    }

    /// Returns the version, pins and replay declaration.
    pub fn provenance(&self) -> &ReplayProvenance {
        &self.provenance
    }

    /// Returns the warnings.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns who produced the block.
    pub fn attribution(&self) -> &Attribution {
        &self.attribution
    }

    /// Returns the declared bounds.
    pub fn bounds(&self) -> &BlockBounds {
        &self.bounds
    }

    /// Returns the payload.
    pub fn payload(&self) -> &P {
        &self.payload
    }

    /// Returns the payload to be changed; from here on it is written from the typed value.
    pub fn payload_mut(&mut self) -> &mut P {
        self.payload_text = None;
        &mut self.payload
    }

    /// Takes the payload out.
    pub fn into_payload(self) -> P {
        self.payload
    }

    /// Returns the name of the schema of the payload's kind.
    pub fn schema_id(&self) -> String {
        self.payload.schema_id()
    }

    /// Returns the payload as text for people.
    pub fn render_human(&self) -> String {
        self.payload.render_human()
    }
}

impl<P: Serialize> Serialize for Block<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema_version", &SchemaVersion::BLOCK_V1)?;
        if !self.provenance.is_default() {
            map.serialize_entry("provenance", &self.provenance)?;
        }
        if !self.warnings.is_empty() {
            map.serialize_entry("warnings", &self.warnings)?;
        }
        map.serialize_entry("attribution", &self.attribution)?;
        if !self.bounds.is_unbounded() {
            map.serialize_entry("bounds", &self.bounds)?;
        }
        match &self.payload_text {
            Some(text) => map.serialize_entry("payload", text)?,
            None => map.serialize_entry("payload", &self.payload)?,
        }
        map.end()
    }
}

/// The envelope as serde reads it, its payload still text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    schema_version: SchemaVersion,
    #[serde(default)]
    provenance: ReplayProvenance,
    #[serde(default)]
    warnings: Vec<String>,
    attribution: Attribution,
    #[serde(default)]
    bounds: BlockBounds,
    payload: Json,
}

impl<'de, P: BlockPayload> Deserialize<'de> for Block<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let envelope = Envelope::deserialize(ObjectOnly(deserializer))?;
        if envelope.schema_version != SchemaVersion::BLOCK_V1 {
            return Err(D::Error::custom(format_args!(
                "unknown block marker `{}`",
                envelope.schema_version
            )));
        }
        Ok(Self {
            provenance: envelope.provenance,
            warnings: envelope.warnings,
            attribution: envelope.attribution,
            bounds: envelope.bounds,
            payload: serde_json::from_str(envelope.payload.text()).map_err(D::Error::custom)?,
            payload_text: Some(envelope.payload),
        })
    }
}
