//! The name under which `serde_json` passes the text of a value through serde.
//!
//! The library keeps it private, and lets a text through under that name alone without reading it once more. It is
//! learned from the library that is linked, never written down here.

use std::cell::Cell;
use std::sync::OnceLock;

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde_json::value::RawValue;

/// The name of the newtype and struct that stand for a raw value.
pub(crate) fn raw_name() -> &'static str {
    static NAME: OnceLock<&'static str> = OnceLock::new();
    NAME.get_or_init(|| {
        let name = Cell::new("");
        // The listener always refuses, once it has heard the name.
        let refused = <Box<RawValue>>::deserialize(Listener(&name));
        debug_assert!(refused.is_err() && !name.get().is_empty());
        name.get()
    })
}

/// Hears what a type asks for, and gives nothing.
struct Listener<'a>(&'a Cell<&'static str>);

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("nothing to give"))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.set(name);
        Err(Error::custom("nothing to give"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::raw_name;
    use crate::Json;

    #[test]
    fn the_name_is_the_one_that_lets_texts_through() {
        assert!(!raw_name().is_empty());
        let json = Json::parse(r#"{"b":1.50,"a":"\u0061"}"#).unwrap();
        let written = serde_json::to_string(&[&json]).unwrap();
        assert_eq!(written, r#"[{"b":1.50,"a":"\u0061"}]"#);
        let value = serde_json::to_value(&json).unwrap();
        assert_eq!(value, json.to_value());
    }
}
