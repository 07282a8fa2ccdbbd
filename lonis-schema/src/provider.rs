//! What a provider says about itself and its tools.

use crate::object_only::object_only;
use crate::read::{Document, ReadError};
use crate::{SchemaVersion, object_only::ObjectOnly};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// The provider type of our own programs; it is not interpreted.
const OWN_PROVIDER_TYPE: &str = "external-executable";

/// The protocol that released providers name for the same surface as `lonis.provider/v1`.
const RELEASED_PROTOCOL: &str = "0";

/// What a provider prints for `manifest`.
///
/// # Wire shape
/// An open object: unknown keys are ignored at every level.
/// ```
/// use lonis_schema::ProviderManifest;
/// let manifest = ProviderManifest::read(
///     r#"{"name":"acme","version":"1.0.0","description":"Keys and values.","provider_type":"external-executable",
///         "protocol_version":"0","tools":["acme.kv.get"],"home":"https://example.org"}"#,
/// )?;
/// assert!(manifest.speaks_known_protocol());
/// # Ok::<(), lonis_schema::ReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ProviderManifest {
    /// The name of the provider.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it offers.
    pub description: String,
    /// What sort of provider it is; not interpreted.
    pub provider_type: String,
    /// The protocol it speaks.
    pub protocol_version: String,
    /// The native names of its tools; the tool list is authoritative.
    pub tools: Vec<String>,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Words on what it can do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
}

/// What a provider prints for `tools list`.
///
/// # Wire shape
/// An open object, or a bare array of the same entries.
/// ```
/// use lonis_schema::ProviderToolList;
/// let list = ProviderToolList::read(r#"[{"name":"acme.kv.get","since":2}]"#)?;
/// assert_eq!(serde_json::to_string(&list).unwrap(), r#"{"tools":[{"name":"acme.kv.get"}]}"#);
/// # Ok::<(), lonis_schema::ReadError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProviderToolList {
    /// The name of the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Its tools, in its own order.
    pub tools: Vec<ProviderToolSummary>,
}

/// One tool in the list of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ProviderToolSummary {
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its native name, byte for byte.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

object_only!(ProviderManifest, ProviderToolSummary);

impl ProviderManifest {
    /// Makes the manifest of a provider of ours.
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            description: description.into(),
            provider_type: OWN_PROVIDER_TYPE.to_owned(),
            protocol_version: SchemaVersion::PROVIDER_V1.to_string(),
            tools: Vec::new(),
            display_name: None,
            capabilities: Vec::new(),
        }
    }

    /// Sets the native names of the tools.
    pub fn with_tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// [`ReadError`], where the text is not strict JSON, or a key is missing or of the wrong type.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        Document::read(text).map(|(value, _)| value)
    }

    /// Returns whether the provider speaks the protocol that this host speaks: `0` and `lonis.provider/v1` are the same.
    pub fn speaks_known_protocol(&self) -> bool {
        let known = [RELEASED_PROTOCOL, SchemaVersion::PROVIDER_V1.as_str()];
        known.contains(&&*self.protocol_version)
    }
}

impl ProviderToolList {
    /// Reads a tool list, an object or a bare array.
    ///
    /// # Errors
    /// [`ReadError`], where the text is not strict JSON, or a key is missing or of the wrong type.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        Document::read(text).map(|(value, _)| value)
    }
}

impl ProviderToolSummary {
    /// Makes an entry.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Sets what the tool does.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the version.
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }
}

/// The members of a list that is an object.
#[derive(Deserialize)]
struct ListObject {
    provider: Option<String>,
    tools: Vec<ProviderToolSummary>,
}

impl<'de> Deserialize<'de> for ProviderToolList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = ProviderToolList;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with `tools`, or an array of tools")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ProviderToolList, A::Error> {
        let ListObject { provider, tools } =
            ListObject::deserialize(ObjectOnly(MapAccessDeserializer::new(map)))?;
        Ok(ProviderToolList { provider, tools })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<ProviderToolList, A::Error> {
        let tools = Vec::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(ProviderToolList {
            provider: None,
            tools,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ProviderManifest, ProviderToolList};
    use serde_json::json;

    #[test]
    fn a_manifest_is_open_and_names_the_key_that_is_wrong() {
        let whole = json!({
            "name": "acme", "version": "1", "description": "d", "provider_type": "any word",
            "protocol_version": "99", "tools": ["a.b", ""], "display_name": null, "later": {"x": [1]},
        });
        let manifest = ProviderManifest::read(&whole.to_string()).expect("open");
        assert_eq!(manifest.tools, ["a.b", ""]);
        assert!(!manifest.speaks_known_protocol());
        for key in [
            "name",
            "version",
            "description",
            "provider_type",
            "protocol_version",
            "tools",
        ] {
            let mut part = whole.clone();
            part.as_object_mut().expect("object").remove(key);
            let error = ProviderManifest::read(&part.to_string())
                .expect_err("required")
                .to_string();
            assert!(error.contains(&format!("`{key}`")), "{error}");
            part[key] = json!(7);
            let error = ProviderManifest::read(&part.to_string())
                .expect_err("a string")
                .to_string();
            assert!(error.contains(&format!("`/{key}`")), "{error}");
        }
        for text in ["[]", "null", r#"["acme","1","d","t","0",[]]"#] {
            assert!(ProviderManifest::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn both_protocol_names_are_known() {
        let mut manifest = ProviderManifest::new("acme", "1", "d");
        assert!(manifest.speaks_known_protocol());
        for (protocol, known) in [
            ("0", true),
            ("1", false),
            ("lonis.provider/v2", false),
            ("", false),
        ] {
            protocol.clone_into(&mut manifest.protocol_version);
            assert_eq!(manifest.speaks_known_protocol(), known, "{protocol}");
        }
    }

    #[test]
    fn a_list_is_an_object_or_a_bare_array() {
        let entries =
            r#"[{"name":"a.b","description":"d","version":null,"later":1},{"name":"a.c"}]"#;
        let object = ProviderToolList::read(&format!("\u{feff} {{\"x\":1,\"tools\":{entries}}} "))
            .expect("object");
        assert_eq!(ProviderToolList::read(entries).expect("array"), object);
        assert_eq!(object.tools[0].description.as_deref(), Some("d"));
        let refused = [
            r#"{"provider":"acme"}"#,
            r#"{"tools":null}"#,
            r#"{"tools":{"name":"a"}}"#,
            r#"{"tools":["a.b"]}"#,
            r#"{"tools":[["a.b"]]}"#,
            r#"[{"description":"d"}]"#,
            "[] []",
            r#""a""#,
        ];
        for text in refused {
            assert!(ProviderToolList::read(text).is_err(), "{text}");
        }
    }
}
