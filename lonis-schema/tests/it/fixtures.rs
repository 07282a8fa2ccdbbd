//! Documents that several tests start from.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a golden family.
pub(crate) fn golden_folder(family: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../golden")
        .join(family)
        .join("v1")
}

/// The texts of a folder of JSON files by name, in the order of the names; `hashes.json` is no case.
pub(crate) fn json_files(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| {
            let name = path
                .file_stem()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            (
                name,
                fs::read_to_string(&path).expect("the file can be read"),
            )
        })
        .filter(|(name, _)| name != "hashes")
        .collect();
    files.sort();
    files
}

/// The golden block of a kind, which has every optional member of its data.
pub(crate) fn golden_block(kind: &str) -> Value {
    let path = golden_folder("blocks").join(format!("{kind}.json"));
    let text = fs::read_to_string(path).expect("each kind has a golden block");
    serde_json::from_str(&text).expect("golden blocks are JSON")
}

/// The smallest block around a payload.
pub(crate) fn block_with(payload: &Value) -> Value {
    json!({
        "schema_version": "lonis.block/v1",
        "attribution": {
            "identity": "tool:a",
            "provenance": {"when": "2026-03-01T12:00:00Z", "producer": "acme:a"},
        },
        "payload": payload,
    })
}

/// The text of the smallest block around a kind and its data as they are spelled, in the order of the wire contract.
pub(crate) fn block_text(kind: &str, data: &str) -> String {
    let attribution =
        r#"{"identity":"tool:a","provenance":{"when":"2026-03-01T12:00:00Z","producer":"acme:a"}}"#;
    format!(
        r#"{{"schema_version":"lonis.block/v1","attribution":{attribution},"payload":{{"kind":"{kind}","data":{data}}}}}"#
    )
}

/// A message block with one member of the envelope set.
pub(crate) fn message_with(place: &str, value: Value) -> String {
    let mut block = block_with(&json!({"kind": "message", "data": {"content": "a"}}));
    let (parent, key) = place.rsplit_once('/').expect("a place below the root");
    block.pointer_mut(parent).expect("the parent is there")[key] = value;
    block.to_string()
}
