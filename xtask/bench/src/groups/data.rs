//! What is computed for each block: parsing, checking, hashing, rendering; CPU time of the thread.

use std::hint::black_box;

use lonis::json::Scanner;
use lonis::{Json, OutputMode, RawBlock, SeedBlock, json_content_hash};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::case::{Case, Clock};
use crate::kit::Kit;

/// Repetitions in one sample.
const TIMES: u32 = 200;

const PUBLISHED_PARSE: &str = "published: parse a block";
const PUBLISHED_HASH: &str = "published: content hash";
const VALUE: &str = "serde_json: parse to Value";
const TYPED: &str = "ours: block, typed";

/// The block of the C child.
pub(super) fn block() -> &'static str {
    const SOURCE: &str = include_str!("../../children/block.json");
    SOURCE.trim_end()
}

pub(super) fn cases(_kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    let mut cases = parsing();
    cases.extend(hashing());
    cases
}

fn repeated<T: 'static>(
    name: &str,
    mut operation: impl FnMut() -> T + 'static,
    is_right: impl Fn(&T) -> bool + 'static,
) -> Case {
    let times = move || {
        for _ in 1..TIMES {
            black_box(operation());
        }
        operation()
    };
    Case::new(name, Clock::Thread, times, is_right).divided_by(TIMES)
}

fn parsing() -> Vec<Case> {
    let text = block();
    vec![
        repeated(
            TYPED,
            || SeedBlock::read(black_box(text)),
            |read| matches!(read, Ok(read) if read.findings.is_empty()),
        )
        .at_least(1.5, PUBLISHED_PARSE)
        .beside(VALUE)
        .micros_at_most(4.0),
        repeated(
            "ours: block, borrowed",
            || RawBlock::read(black_box(text)).is_ok_and(|read| read.value.kind() == "result"),
            |is_read| *is_read,
        )
        .at_least(2.5, PUBLISHED_PARSE),
        repeated(
            "ours: scan alone",
            || {
                Scanner::new()
                    .scan(black_box(text.as_bytes()))
                    .is_ok_and(|scan| matches!(scan, lonis::json::Scan::Complete { .. }))
            },
            |is_whole| *is_whole,
        )
        .beside(VALUE),
        repeated(
            PUBLISHED_PARSE,
            || serde_json::from_str::<published_schema::SeedBlock>(black_box(text)),
            Result::is_ok,
        ),
        repeated(
            VALUE,
            || serde_json::from_str::<Value>(black_box(text)),
            Result::is_ok,
        ),
    ]
}

fn hashing() -> Vec<Case> {
    const PLAIN: &str = "plain SHA-256 of the payload's text";
    let text = block();
    let ours = SeedBlock::read(text).expect("a block").value;
    let theirs: published_schema::SeedBlock = serde_json::from_str(text).expect("a block");
    let expected = ours.content_hash().expect("no number is infinite");
    let same = theirs.content_hash() == expected.as_str();
    let payload = serde_json::to_string(ours.payload()).expect("a payload is JSON");
    let input: Value = serde_json::from_str(text).expect("a block is JSON");
    let kept = Json::parse(text).expect("a block is JSON");
    let (for_value, for_published) = (input.clone(), input);
    let blocks = vec![ours.clone()];
    vec![
        repeated(
            "ours: content hash of a block",
            move || ours.content_hash(),
            move |hash| same && matches!(hash, Ok(hash) if *hash == expected),
        )
        .at_most(0.36, PUBLISHED_HASH)
        .beside(PLAIN),
        repeated(
            PUBLISHED_HASH,
            move || theirs.content_hash(),
            |hash| hash.len() == 64,
        ),
        repeated(
            PLAIN,
            move || Sha256::digest(black_box(payload.as_bytes())),
            |hash| hash.len() == 32,
        ),
        repeated(
            "ours: input hash of kept text",
            move || black_box(&kept).content_hash(),
            |hash| hash.as_str().len() == 64,
        )
        .beside("published: input hash of a value"),
        repeated(
            "ours: input hash of a value",
            move || json_content_hash(black_box(&for_value)),
            |hash| hash.as_str().len() == 64,
        )
        .beside("published: input hash of a value"),
        repeated(
            "published: input hash of a value",
            move || published_schema::block::json_content_hash(black_box(&for_published)),
            |hash| hash.len() == 64,
        ),
        repeated(
            "ours: render a block as ndjson",
            move || {
                let mut out = Vec::with_capacity(1024);
                lonis::render(black_box(&blocks), OutputMode::Ndjson, &mut out).map(|()| out)
            },
            |out| matches!(out, Ok(out) if out.len() > 500),
        ),
    ]
}
