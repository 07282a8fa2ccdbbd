//! Why a search found nothing.

use crate::object_only::object_only;
use crate::wire_number::{count, finite};
use serde::{Deserialize, Serialize};

/// What a search that found nothing can still say.
///
/// # Wire shape
/// ```
/// use lonis_schema::NoMatchDiagnostic;
/// let text = r#"{"query":"functr","matched":0,"nearest":[{"identity":"acme:functor","score":0.8,"basis":"spelling"}],"diagnostic":"no such name"}"#;
/// let diagnostic: NoMatchDiagnostic = serde_json::from_str(text)?;
/// assert_eq!(serde_json::to_string(&diagnostic)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct NoMatchDiagnostic {
    /// What was looked for.
    pub query: String,
    /// How many things matched in part.
    #[serde(deserialize_with = "count")]
    pub matched: u64,
    /// What comes nearest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearMatch>,
    /// Why nothing was found.
    pub diagnostic: String,
}

/// Something near to what was looked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct NearMatch {
    /// What it is.
    pub identity: String,
    /// How near it is.
    #[serde(serialize_with = "finite")]
    pub score: f64,
    /// What makes it near.
    pub basis: String,
}

object_only!(NoMatchDiagnostic, NearMatch);

#[cfg(test)]
mod tests {
    use super::NoMatchDiagnostic;

    #[test]
    fn only_the_whole_closed_object_is_read() {
        let refused = [
            r#"["a",0,[],"b"]"#,
            r#"{"query":"a","matched":0}"#,
            r#"{"query":"a","matched":-1,"diagnostic":"b"}"#,
            r#"{"query":"a","matched":0,"diagnostic":"b","more":1}"#,
            r#"{"query":"a","matched":0,"nearest":null,"diagnostic":"b"}"#,
            r#"{"query":"a","matched":0,"nearest":[["a",1,"b"]],"diagnostic":"b"}"#,
        ];
        for text in refused {
            assert!(
                serde_json::from_str::<NoMatchDiagnostic>(text).is_err(),
                "{text}"
            );
        }
        let text = r#"{"query":"a","matched":2.0,"diagnostic":"b"}"#;
        assert_eq!(
            serde_json::from_str::<NoMatchDiagnostic>(text)
                .expect("whole")
                .matched,
            2
        );
    }
}
