//! Who produced a block, when and where.

use crate::finding::{Breach, Checker};
use crate::object_only::object_only;
use crate::{ParticipantId, Timestamp};
use serde::{Deserialize, Serialize};

/// Who speaks in a block, from which point of view, and what produced it.
///
/// # Wire shape
/// ```
/// let text = r#"{"identity":"human:ada","provenance":{"when":"2026-03-01T12:00:00Z","producer":"acme:kv:get"}}"#;
/// let attribution: lonis_schema::Attribution = serde_json::from_str(text)?;
/// assert_eq!(serde_json::to_string(&attribution)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Units and bounds
/// `identity` and `viewpoint`: at most 1024 Unicode scalar values each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Attribution {
    /// Who speaks; any text is kept.
    pub identity: ParticipantId,
    /// The role or point of view that the speaker takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewpoint: Option<String>,
    /// When, where and by what the block was made.
    pub provenance: AttributionSource,
}

/// When, where and by what a block was made.
///
/// # Units and bounds
/// `when`: at most 64 Unicode scalar values, RFC 3339. `where`: at most 4096. `producer`: at most 1024.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct AttributionSource {
    /// When the block was made.
    pub when: Timestamp,
    /// Where it was made, such as a session: the key `where` on the wire.
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The program or tool that made it.
    pub producer: String,
}

object_only!(Attribution, AttributionSource);

impl Attribution {
    /// Attributes to an identity and a producer, now.
    pub fn new(identity: impl Into<ParticipantId>, producer: impl Into<String>) -> Self {
        Self::at(identity, producer, Timestamp::now())
    }

    /// Attributes to an identity and a producer at a given time.
    pub fn at(
        identity: impl Into<ParticipantId>,
        producer: impl Into<String>,
        when: Timestamp,
    ) -> Self {
        let provenance = AttributionSource {
            when,
            place: None,
            producer: producer.into(),
        };
        Self {
            identity: identity.into(),
            viewpoint: None,
            provenance,
        }
    }

    /// Sets the point of view.
    pub fn with_viewpoint(mut self, viewpoint: impl Into<String>) -> Self {
        self.viewpoint = Some(viewpoint.into());
        self
    }

    /// Sets where the block was made: the key `where` on the wire.
    pub fn with_where(mut self, place: impl Into<String>) -> Self {
        self.provenance.place = Some(place.into());
        self
    }

    pub(crate) fn check(&self, checker: &mut Checker) {
        if self.identity.as_str().is_empty() {
            checker.add(
                "identity",
                Breach::Grammar("participant id is empty".to_owned()),
            );
        }
        checker.text("identity", self.identity.as_str(), 1024);
        checker.text("viewpoint", self.viewpoint.as_deref(), 1024);
        checker.inside("provenance", |checker| self.provenance.check(checker));
    }
}

impl AttributionSource {
    fn check(&self, checker: &mut Checker) {
        if !self.when.is_rfc3339() {
            checker.add("when", Breach::Timestamp);
        }
        checker.text("when", self.when.as_str(), 64);
        checker.text("where", self.place.as_deref(), 4096);
        checker.text("producer", &*self.producer, 1024);
    }
}
