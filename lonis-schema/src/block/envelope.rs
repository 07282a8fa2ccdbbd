//! Everything of a block but its payload.

use crate::finding::{Checker, Finding};
use crate::{Attribution, BlockBounds, ReplayProvenance, SchemaVersion};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Most warnings of one block.
const MAX_WARNINGS: usize = 256;

/// What a host puts before a warning of its own.
const HOST_PREFIX: &str = "host: ";

/// Everything of a block but its payload.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Envelope {
    pub(super) provenance: ReplayProvenance,
    pub(super) warnings: Vec<String>,
    pub(super) attribution: Attribution,
    pub(super) bounds: BlockBounds,
}

impl Envelope {
    pub(super) fn new(attribution: Attribution) -> Self {
        Self {
            provenance: ReplayProvenance::default(),
            warnings: Vec::new(),
            attribution,
            bounds: BlockBounds::default(),
        }
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.inside("provenance", |checker| self.provenance.check(checker));
        checker.texts("warnings", &self.warnings, MAX_WARNINGS, 4096);
        checker.inside("attribution", |checker| self.attribution.check(checker));
    }

    pub(super) fn add_host_warnings(&mut self, findings: &[Finding]) {
        for finding in findings {
            let warning = format!("{HOST_PREFIX}{finding}");
            if self.warnings.len() >= MAX_WARNINGS {
                return;
            }
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Writes the block in the order of the wire contract, without what is empty.
    pub(super) fn write<S: Serializer, P: Serialize>(
        &self,
        serializer: S,
        payload: &P,
    ) -> Result<S::Ok, S::Error> {
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
        map.serialize_entry("payload", payload)?;
        map.end()
    }
}
