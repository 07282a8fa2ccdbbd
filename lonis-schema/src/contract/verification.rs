//! Where the promises of a contract come from.

use crate::Json;
use crate::object_only::ObjectOnly;
use crate::words::words;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Where the promises of a contract come from.
///
/// # Wire shape
/// One of three objects, told apart by `tier`. Extra keys are ignored, another tier is an error.
/// ```
/// use lonis_schema::Verification;
/// let text = r#"{"tier":"probed","evidence_hash":"9f2c"}"#;
/// let verification: Verification = serde_json::from_str(text)?;
/// assert_eq!(verification, Verification::Probed { evidence_hash: "9f2c".into() });
/// assert_eq!(serde_json::to_string(&verification)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// A person wrote or checked them.
    Curated,
    /// A program derived them from the tool's own documents.
    AutoExtracted {
        /// What they were derived from.
        source: String,
        /// When that was done.
        extracted_at: String,
    },
    /// A program observed the tool.
    Probed {
        /// Hash of what was observed.
        evidence_hash: String,
    },
}

words! {
    /// How well a contract is verified.
    VerificationTier {
        /// A person wrote or checked it.
        Curated = "curated",
        /// A program derived it from the tool's own documents.
        AutoExtracted = "auto_extracted",
        /// A program observed the tool.
        Probed = "probed",
    }
}

impl Verification {
    /// Returns the tier alone.
    pub fn tier(&self) -> VerificationTier {
        match self {
            Self::Curated => VerificationTier::Curated,
            Self::AutoExtracted { .. } => VerificationTier::AutoExtracted,
            Self::Probed { .. } => VerificationTier::Probed,
        }
    }
}

/// The object on the wire; which members have to be strings depends on the tier.
#[derive(Deserialize)]
struct Members {
    tier: VerificationTier,
    source: Option<Json>,
    extracted_at: Option<Json>,
    evidence_hash: Option<Json>,
}

impl<'de> Deserialize<'de> for Verification {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(ObjectOnly(deserializer))?;
        Ok(match members.tier {
            VerificationTier::Curated => Self::Curated,
            VerificationTier::AutoExtracted => Self::AutoExtracted {
                source: text("source", members.source)?,
                extracted_at: text("extracted_at", members.extracted_at)?,
            },
            VerificationTier::Probed => Self::Probed {
                evidence_hash: text("evidence_hash", members.evidence_hash)?,
            },
        })
    }
}

fn text<E: Error>(key: &'static str, member: Option<Json>) -> Result<String, E> {
    let member = member.ok_or_else(|| E::missing_field(key))?;
    serde_json::from_str(member.text())
        .map_err(|_| E::custom(format_args!("`{key}` of a verification is no string")))
}

impl Serialize for Verification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            tier: VerificationTier,
            #[serde(skip_serializing_if = "Option::is_none")]
            source: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            extracted_at: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            evidence_hash: Option<&'a str>,
        }
        let mut written = Written {
            tier: self.tier(),
            source: None,
            extracted_at: None,
            evidence_hash: None,
        };
        match self {
            Self::Curated => {}
            Self::AutoExtracted {
                source,
                extracted_at,
            } => {
                written.source = Some(source);
                written.extracted_at = Some(extracted_at);
            }
            Self::Probed { evidence_hash } => written.evidence_hash = Some(evidence_hash),
        }
        written.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::Verification;

    #[test]
    fn the_tier_says_what_has_to_be_there() {
        let cases = [
            (r#"{"tier":"curated"}"#, Some(r#"{"tier":"curated"}"#)),
            (
                r#"{"source":7,"tier":"curated","more":[]}"#,
                Some(r#"{"tier":"curated"}"#),
            ),
            (
                r#"{"tier":"auto_extracted","source":"--help","extracted_at":"today","evidence_hash":null}"#,
                Some(r#"{"tier":"auto_extracted","source":"--help","extracted_at":"today"}"#),
            ),
            (r#"{"tier":"auto_extracted","source":"--help"}"#, None),
            (
                r#"{"tier":"auto_extracted","source":"--help","extracted_at":null}"#,
                None,
            ),
            (r#"{"tier":"probed","evidence_hash":5}"#, None),
            (r#"{"tier":"Curated"}"#, None),
            (r#"{"tier":{"curated":null}}"#, None),
            ("{}", None),
            (r#"["curated"]"#, None),
            (r#""curated""#, None),
        ];
        for (text, written) in cases {
            let read = serde_json::from_str::<Verification>(text)
                .map(|verification| serde_json::to_string(&verification).expect("plain strings"));
            assert_eq!(read.as_deref().ok(), written, "{text}: {read:?}");
        }
    }
}
