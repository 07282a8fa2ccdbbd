//! The golden blocks inside of the published package, read where cargo unpacked it.

use std::path::PathBuf;
use std::process::Command;

use golden::{Case, Family};
use serde_json::Value;

use super::blocks::{hash, read};

#[test]
fn their_golden_blocks_are_ours() {
    let Some(folder) = published_golden_folder() else {
        println!("skipped: the published package holds no golden blocks");
        return;
    };
    let cases = Family::at(folder).cases();
    assert_eq!(cases.len(), 15, "one block a kind");
    for Case { name, text } in cases {
        let mut block = read(&name, &text);
        let theirs: published::block::SeedBlock = serde_json::from_str(&text).unwrap();
        assert_eq!(hash(&block), theirs.content_hash(), "{name}");
        let expected: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_value(&block).unwrap(), expected, "{name}");
        block.payload_mut();
        assert_eq!(
            serde_json::to_value(&block).unwrap(),
            expected,
            "{name} from its typed value"
        );
    }
}

fn published_golden_folder() -> Option<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--manifest-path",
        ])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo runs this test");
    let metadata: Value =
        serde_json::from_slice(&output.stdout).expect("cargo describes the package");
    let manifest = metadata["packages"]
        .as_array()?
        .iter()
        .find_map(|package| {
            let is_published = package["name"] == "lonis-schema" && package["version"] == "0.2.0";
            package["manifest_path"].as_str().filter(|_| is_published)
        })?;
    let folder = PathBuf::from(manifest)
        .parent()?
        .join("tests/golden/blocks");
    folder.is_dir().then_some(folder)
}
