//! A JSON Schema that stands inside a contract.

use crate::Json;
use crate::finding::Breach;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Longest inline schema, in bytes of compact JSON.
const MAX_SCHEMA_BYTES: usize = 65_536;

/// Keywords whose value is data, in which `$ref` means nothing.
const DATA_KEYWORDS: &[&str] = &["const", "enum", "default", "examples"];

/// An inline schema as it came, usable or not.
///
/// One that cannot be used is dropped, yet the contract around it is not: what is wrong stays here until the contract is
/// checked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum InlineSchema {
    Usable(Json),
    Dropped(Breach),
}

impl InlineSchema {
    pub(crate) fn new(schema: Json) -> Self {
        if !schema.text().starts_with('{') {
            return Self::Dropped(Breach::NoObject);
        }
        let length = schema.text().len();
        if length > MAX_SCHEMA_BYTES {
            let reason = format!("is a schema of {length} bytes, the limit is {MAX_SCHEMA_BYTES}");
            return Self::Dropped(Breach::InlineSchema(reason));
        }
        match foreign_reference(&schema.to_value()) {
            None => Self::Usable(schema),
            Some(reference) => {
                let reference: String = reference.chars().take(128).collect();
                Self::Dropped(Breach::InlineSchema(format!(
                    "refers to `{reference}`, allowed are references inside itself"
                )))
            }
        }
    }

    pub(crate) fn usable(&self) -> Option<&Json> {
        match self {
            Self::Usable(schema) => Some(schema),
            Self::Dropped(_) => None,
        }
    }

    pub(crate) fn breach(&self) -> Option<&Breach> {
        match self {
            Self::Usable(_) => None,
            Self::Dropped(breach) => Some(breach),
        }
    }
}

/// Finds a `$ref` that leads out of the schema.
fn foreign_reference(schema: &Value) -> Option<&str> {
    let mut waiting = vec![schema];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => {
                for (key, member) in members {
                    match member {
                        Value::String(reference) if matches!(&**key, "$ref" | "$dynamicRef") => {
                            if !reference.starts_with('#') {
                                return Some(reference);
                            }
                        }
                        _ if DATA_KEYWORDS.contains(&&**key) => {}
                        _ => waiting.push(member),
                    }
                }
            }
            _ => {}
        }
    }
    None
}

impl Serialize for InlineSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.usable().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for InlineSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(Self::new)
    }
}
