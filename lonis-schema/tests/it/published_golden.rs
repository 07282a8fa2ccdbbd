//! Compatibility with the golden blocks of the published crates, where a copy is at hand.
//!
//! `LONIS_PUBLISHED_GOLDEN` names the folder; without it the test says that it is skipped.

use golden::{Case, Family};
use lonis_schema::{SeedBlock, schemas};
use serde_json::Value;
use std::path::PathBuf;

/// The content hash of each, as the wire contract lists them.
const HASHES: &[(&str, &str)] = &[
    (
        "action",
        "a32df1076874ca48c9492c11ae0d55b8959cb4f9795e529c3b0af773a56cee62",
    ),
    (
        "answer",
        "d28cec641a4f922d2d61d9da182f1b8d4f21ad9ac0c6ae761fbc1b10e1135f7a",
    ),
    (
        "assumption",
        "74a594203d383ae8b827bf5101f4a4c2fab21b5bef1e4062cfe80237f4f35f08",
    ),
    (
        "capability",
        "d104fa8c92b1650bb9f6a6bc95c9185d18bc8ae92793f8d7c4c63a783d211669",
    ),
    (
        "decision",
        "da1cc6b1c57b9a8d0ad95ef4a0c60e8bbd5d5da1a8b402a9fe2482999ec04217",
    ),
    (
        "definition",
        "5587454c70f3b46dce0371ad51a8da6faeb9f39b6be8e0d87968dd75b7c5e86c",
    ),
    (
        "evidence",
        "264064ce8900dfee05332008b01cd3888584207e1149313b078a5b282f6e936b",
    ),
    (
        "extension",
        "609070ce50aeb064951228844787749b5088af1d748af2dbf8034bd1a71d71f6",
    ),
    (
        "intent",
        "063e92e1aa9e6fb9c2d69a1a301dc601cdaf7ad32bf74a33a6c750cb96b9d34f",
    ),
    (
        "message",
        "8eb72f98f40a3127dd590d068f3e570f9623d0bf0af1b186633950237bc46622",
    ),
    (
        "outcome",
        "fd71ca47539aa4f27864d0c4cf79565d7bc8d219624e380c8e71dcae461a899c",
    ),
    (
        "plan",
        "f3a7f603d86036f4d79e937d454f4e4025c540748813f656c800e9abdd1a9f29",
    ),
    (
        "question",
        "272bbffe11840f3ef3b63c9dbf3ca7ce54ab7da91fa7de7a6c6167f480a3deb4",
    ),
    (
        "result",
        "a9d3706349d809ccc65e3f8bc1b5a658ed86f5f2389049297ac2584c7311bb88",
    ),
    (
        "summary",
        "c749fdbce327260a033083ac52d9c68672120a380bf8950b9cbc3b8515ee722a",
    ),
];

#[test]
fn published_blocks_are_read_written_and_hashed_alike() {
    let Some(folder) = std::env::var_os("LONIS_PUBLISHED_GOLDEN").map(PathBuf::from) else {
        println!("skipped: LONIS_PUBLISHED_GOLDEN names no folder");
        return;
    };
    let cases = Family::at(folder).cases();
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(
        names,
        HASHES.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );
    let schema = schemas::find("block").expect("in the catalogue").to_value();
    let validator = jsonschema::draft202012::new(&schema).expect("the schema can be compiled");
    for (Case { name, text }, (_, hash)) in cases.iter().zip(HASHES) {
        let read = SeedBlock::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read.findings, [], "{name}");
        let instance: Value = serde_json::from_str(text).expect("JSON");
        assert!(validator.is_valid(&instance), "{name}");
        let kind_schema = schemas::find(name).expect("in the catalogue").to_value();
        assert!(
            jsonschema::draft202012::is_valid(&kind_schema, &instance["payload"]),
            "{name}"
        );
        let mut block = read.value;
        assert_eq!(
            serde_json::to_value(&block).expect("written"),
            instance,
            "{name}"
        );
        block.payload_mut();
        assert_eq!(
            serde_json::to_value(&block).expect("written"),
            instance,
            "{name}"
        );
        assert_eq!(
            block.content_hash().expect("finite").as_str(),
            *hash,
            "{name}"
        );
    }
}
