//! The golden vectors of the canonical form: an implementation in another language made them, from the rules alone.
//!
//! They hold in every build of `serde_json`: `cargo xtask check` runs this crate's tests with each of its features.

use golden::{Case, Family};
use lonis_schema::json::{Json, document};
use lonis_schema::{ContentHash, canonical, json_content_hash};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
struct Vector {
    source: String,
    canonical: String,
    sha256: String,
}

#[derive(Debug, Deserialize)]
struct Refused {
    text: String,
    offset: usize,
}

#[test]
fn every_vector_has_its_text_and_hash_by_each_way() {
    let mut count = 0;
    for case in Family::named("canonical").cases() {
        for Vector {
            source,
            canonical,
            sha256,
        } in case.parse::<Vec<Vector>>()
        {
            let json = Json::parse(&source).unwrap_or_else(|error| panic!("{source}: {error}"));
            let value = json.to_value();
            assert_eq!(canonical::text(&json).unwrap(), canonical, "{source}");
            assert_eq!(canonical::text(&value).unwrap(), canonical, "{source}");
            let expected: ContentHash = sha256.parse().unwrap();
            assert_eq!(json.content_hash(), expected, "{source}");
            assert_eq!(json_content_hash(&value), expected, "{source}");
            assert_eq!(ContentHash::of(&value).unwrap(), expected, "{source}");
            // The library's own reader gives the same value where it is told to round correctly.
            let by_library: Value = serde_json::from_str(&source).unwrap();
            assert_eq!(json_content_hash(&by_library), expected, "{source}");
            let again = Json::parse(&canonical).unwrap();
            assert_eq!(
                (again.text(), again.content_hash()),
                (&*canonical, expected),
                "{source}"
            );
            assert_eq!(Json::from(value), json, "{source}");
            count += 1;
        }
    }
    assert!(count > 700, "{count} vectors");
}

#[test]
fn every_refused_text_is_refused_at_its_byte() {
    let case: Case = Family::named("json").case("refused");
    for Refused { text, offset } in case.parse::<Vec<Refused>>() {
        let error = document(text.as_bytes()).expect_err(&text);
        assert_eq!(error.offset(), offset, "{text}: {error}");
        assert!(Json::parse(&text).is_err(), "{text}");
    }
}
