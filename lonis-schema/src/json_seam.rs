//! A JSON value kept as its text.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON value kept as its text.
#[derive(Debug, Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Returns the text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Returns the value.
    ///
    /// # Panics
    /// Never: the text was checked.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.0.get()).expect("the text is JSON")
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self(serde_json::value::to_raw_value(&value).expect("a value has a text"))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}
