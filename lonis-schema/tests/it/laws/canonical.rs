//! Laws of the canonical form.

use lonis_schema::json::Json;
use lonis_schema::{ContentHash, canonical, json_content_hash};

/// Checks the laws on any bytes; those that are no JSON text have none.
///
/// # Panics
/// Where one does not hold.
pub(crate) fn check(bytes: &[u8]) {
    let Some(json) = std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| Json::parse(text).ok())
    else {
        return;
    };
    let value = json.to_value();
    let text = canonical::text(&json).expect("what is read has a canonical text");
    assert_eq!(canonical::text(&value).as_ref(), Ok(&text), "by its value");

    let again = Json::parse(&text).expect("a canonical text is JSON");
    assert_eq!(again.text(), text, "no whitespace");
    assert_eq!(canonical::text(&again).as_ref(), Ok(&text), "of itself");
    assert_eq!(again, json);

    let hash = json.content_hash();
    assert_eq!(again.content_hash(), hash);
    assert_eq!(json_content_hash(&value), hash);
    assert_eq!(ContentHash::of(&value), Ok(hash));
    assert_eq!(json_content_hash(&again.to_value()), hash);
}
