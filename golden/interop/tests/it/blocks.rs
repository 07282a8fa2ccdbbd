//! Every golden block, through both readers and both writers.

use golden::{Case, Family};
use lonis_schema::SeedBlock;
use published::block::SeedBlock as PublishedBlock;
use serde_json::Value;

#[test]
fn a_block_of_ours_is_theirs_with_the_same_hash() {
    for Case { name, text } in Family::named("blocks").cases() {
        let ours = read(&name, &text);
        let theirs: PublishedBlock =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(hash(&ours), theirs.content_hash(), "{name}");

        let mut changed = ours.clone();
        changed.payload_mut();
        for written in [
            serde_json::to_string(&ours).unwrap(),
            serde_json::to_string(&changed).unwrap(),
        ] {
            let received: PublishedBlock =
                serde_json::from_str(&written).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(received.content_hash(), hash(&ours), "{name}");
            assert_eq!(value(&received), value(&theirs), "{name}");
        }
    }
}

#[test]
fn what_they_write_is_ours_with_the_same_hash() {
    for Case { name, text } in Family::named("blocks").cases() {
        let theirs: PublishedBlock = serde_json::from_str(&text).unwrap();
        let written = serde_json::to_string(&theirs).unwrap();
        let received = read(&name, &written);
        assert_eq!(hash(&received), theirs.content_hash(), "{name}");
        assert_eq!(value(&received), value(&theirs), "{name}");
    }
}

pub(crate) fn read(name: &str, text: &str) -> SeedBlock {
    let read = SeedBlock::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read.findings, [], "{name}");
    read.value
}

pub(crate) fn hash(block: &SeedBlock) -> String {
    block.content_hash().expect("finite numbers").to_string()
}

fn value(block: &impl serde::Serialize) -> Value {
    serde_json::to_value(block).expect("a block can be written")
}
