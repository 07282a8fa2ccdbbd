//! Everything of a block but its payload.

use crate::extent::Extent;
use crate::finding::{Checker, Finding};
use crate::json;
use crate::provenance::NO_PROVENANCE;
use crate::{Attribution, BlockBounds, ReplayProvenance, SchemaVersion};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The marker of the one envelope that is read here.
pub(super) const MARKER: &str = "lonis.block/v1";

/// The accessors of everything but the payload.
macro_rules! envelope_accessors {
    () => {
        /// Returns the version, pins and replay declaration.
        pub fn provenance(&self) -> &ReplayProvenance {
            self.envelope.provenance()
        }

        /// Returns the warnings.
        pub fn warnings(&self) -> &[String] {
            &self.envelope.warnings
        }

        /// Returns who produced the block.
        pub fn attribution(&self) -> &Attribution {
            &self.envelope.attribution
        }

        /// Returns the declared bounds.
        pub fn bounds(&self) -> &BlockBounds {
            self.envelope.bounds()
        }

        /// Appends findings to the warnings, as hosts do: `host: ` before each, none twice, never more than 256 in all.
        pub fn add_host_warnings(&mut self, findings: &[Finding]) {
            self.envelope.add_host_warnings(findings);
        }
    };
}
pub(super) use envelope_accessors;

/// Most warnings of one block.
const MAX_WARNINGS: usize = 256;

/// What a host puts before a warning of its own.
pub(super) const HOST_PREFIX: &str = "host: ";

/// Everything of a block but its payload.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Envelope {
    /// Shared by the blocks of a stream that have the same; none is the default.
    provenance: Option<Arc<ReplayProvenance>>,
    pub(super) warnings: Vec<String>,
    /// Shared in the same way.
    pub(super) attribution: Arc<Attribution>,
    /// Apart, since it is large and few blocks have any.
    bounds: Option<Box<BlockBounds>>,
}

impl Envelope {
    pub(super) fn new(attribution: Attribution) -> Self {
        Self {
            provenance: None,
            warnings: Vec::new(),
            attribution: Arc::new(attribution),
            bounds: None,
        }
    }

    pub(super) fn from_parts(
        provenance: Option<Arc<ReplayProvenance>>,
        warnings: Vec<String>,
        attribution: Arc<Attribution>,
        bounds: Option<Box<BlockBounds>>,
    ) -> Self {
        Self {
            provenance: provenance.filter(|provenance| !provenance.is_default()),
            warnings,
            attribution,
            bounds: bounds.filter(|bounds| !bounds.is_unbounded()),
        }
    }

    /// The version, pins and replay declaration.
    pub(super) fn provenance(&self) -> &ReplayProvenance {
        self.provenance.as_deref().unwrap_or(&NO_PROVENANCE)
    }

    pub(super) fn set_provenance(&mut self, provenance: ReplayProvenance) {
        self.provenance = (!provenance.is_default()).then(|| Arc::new(provenance));
    }

    pub(super) fn bounds(&self) -> &BlockBounds {
        self.bounds.as_deref().unwrap_or(&BlockBounds::UNBOUNDED)
    }

    pub(super) fn set_bounds(&mut self, bounds: BlockBounds) {
        self.bounds = (!bounds.is_unbounded()).then(|| Box::new(bounds));
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        if let Some(provenance) = &self.provenance {
            checker.inside("provenance", |checker| provenance.check(checker));
        }
        self.check_warnings(checker);
        checker.inside("attribution", |checker| self.attribution.check(checker));
    }

    pub(super) fn check_warnings(&self, checker: &mut Checker) {
        checker.texts("warnings", &self.warnings, MAX_WARNINGS, 4096);
    }

    /// Checks the bounds that are declared against the data of the payload.
    pub(super) fn measure(&self, data: &str, has_whitespace: bool, checker: &mut Checker) {
        let Some(bounds) = &self.bounds else { return };
        let extent = if has_whitespace {
            Extent::of(&json::compact(data))
        } else {
            Extent::of(data)
        };
        for breach in extent.breaches(bounds) {
            checker.add("bounds", breach);
        }
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
        if let Some(provenance) = &self.provenance {
            map.serialize_entry("provenance", &**provenance)?;
        }
        if !self.warnings.is_empty() {
            map.serialize_entry("warnings", &self.warnings)?;
        }
        map.serialize_entry("attribution", &*self.attribution)?;
        if let Some(bounds) = &self.bounds {
            map.serialize_entry("bounds", bounds)?;
        }
        map.serialize_entry("payload", payload)?;
        map.end()
    }
}
