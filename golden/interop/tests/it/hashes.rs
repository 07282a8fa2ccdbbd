//! The hash of any JSON value: the golden vectors, by the published crates.

use golden::Family;
use lonis_schema::json_content_hash;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
struct Vector {
    source: String,
    sha256: String,
}

#[test]
fn every_vector_hashes_alike() {
    for case in Family::named("canonical").cases() {
        for Vector { source, sha256 } in case.parse::<Vec<Vector>>() {
            let value: Value = serde_json::from_str(&source).unwrap();
            assert_eq!(json_content_hash(&value).as_str(), sha256, "{source}");
            assert_eq!(
                published::block::json_content_hash(&value),
                sha256,
                "{source}"
            );
        }
    }
}
