//! The golden blocks and contracts: read, written again, hashed, and accepted by their schemas.
//!
//! `LONIS_BLESS=1` writes `hashes.json` anew; the difference is to be reviewed like code.

use golden::{Case, Family};
use lonis_schema::{BlockKind, BlockPayload, SeedBlock, ToolContract, schemas};
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn every_kind_has_a_block_that_is_written_again_as_an_equal_value() {
    let cases = Family::named("blocks").cases();
    let mut names: Vec<&str> = BlockKind::SEED_KINDS.to_vec();
    names.push("extension");
    names.sort_unstable();
    assert_eq!(
        cases
            .iter()
            .map(|case| case.name.as_str())
            .collect::<Vec<_>>(),
        names
    );
    let envelope = schemas::find("block").expect("in the catalogue").to_value();
    let validator = jsonschema::draft202012::new(&envelope).expect("the schema can be compiled");
    for Case { name, text } in &cases {
        let read = SeedBlock::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read.findings, [], "{name}");
        let expected_kind = if name == "extension" {
            "acme.shelf"
        } else {
            name
        };
        assert_eq!(read.value.payload().kind_name(), expected_kind);
        let instance: Value = serde_json::from_str(text).expect("JSON");
        assert!(validator.is_valid(&instance), "{name}");
        let written = serde_json::to_value(&read.value).expect("a read block can be written");
        assert_eq!(written, instance, "{name}");
        let mut changed = read.value.clone();
        changed.payload_mut();
        assert_eq!(changed.received_data(), None);
        let typed = serde_json::to_value(&changed).expect("a typed block can be written");
        assert_eq!(typed, instance, "{name}, from the typed value");
    }
}

#[test]
fn every_block_has_its_pinned_hash() {
    let family = Family::named("blocks");
    let hashes: BTreeMap<String, String> = family
        .cases()
        .into_iter()
        .map(|Case { name, text }| {
            let block = SeedBlock::read(&text).expect("a golden block").value;
            (
                name,
                block.content_hash().expect("finite numbers").to_string(),
            )
        })
        .collect();
    let text = serde_json::to_string_pretty(&hashes).expect("plain strings");
    family.assert_pinned("hashes.json", &(text + "\n"));
}

#[test]
fn golden_contracts_are_written_again_as_they_are() {
    let schema = schemas::find("contract")
        .expect("in the catalogue")
        .to_value();
    let validator = jsonschema::draft202012::new(&schema).expect("the schema can be compiled");
    for Case { name, text } in Family::named("contracts").cases() {
        let read = ToolContract::read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read.findings, [], "{name}");
        let written = serde_json::to_string_pretty(&read.value).expect("plain data") + "\n";
        let instance: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Value>(&written).expect("JSON"),
            instance,
            "{name}"
        );
        assert!(validator.is_valid(&instance), "{name}");
    }
}
