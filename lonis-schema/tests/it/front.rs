//! Blocks read in one pass from the front of a text are the blocks that the slow way gives, or none.

use super::fixtures::{block_text, golden_block};
use lonis_schema::json::document;
use lonis_schema::{BlockKind, FrontReader, RawBlock, Read, ReadError, SeedBlock};
use proptest::prelude::*;

/// Envelopes around one payload: each may follow each in a stream.
const ENVELOPES: &[&str] = &[
    r#""attribution":{"identity":"tool:a","provenance":{"when":"2026-03-01T12:00:00Z","producer":"acme:a"}}"#,
    r#""attribution":{"identity":"tool:a","provenance":{"when":"2026-03-01T12:00:01Z","producer":"acme:a"}}"#,
    r#""attribution":{ "identity":"tool:a","provenance":{"when":"2026-03-01T12:00:00Z","producer":"acme:a"}}"#,
    r#""attribution":{"identity":"","provenance":{"when":"now","producer":"acme:a"}}"#,
    r#""provenance":{"input_hash":"00"},"attribution":{"identity":"a","provenance":{"when":"now","producer":"b"}}"#,
    r#""provenance":{"input_hash":"00","seed":7},"attribution":{"identity":"a","provenance":{"when":"now","producer":"b"}}"#,
    r#""provenance":{"input_hash":"00"} ,"attribution":{"identity":"a","provenance":{"when":"now","producer":"b"}}"#,
    r#""provenance":{},"attribution":{"identity":"a","provenance":{"when":"now","producer":"b"}},"warnings":["w"]"#,
    r#""attribution":{"identity":"a","provenance":{"when":"now","producer":"b"}},"bounds":{"max_items":1,"max_bytes":9}"#,
];

const PAYLOADS: &[&str] = &[
    r#"{"kind":"message","data":{"content":"a"}}"#,
    r#"{"data":{"content":"a"},"kind":"message"}"#,
    r#"{"kind":"messag\u0065","data":{"content":"\u0061"}}"#,
    r#"{"kind":"result","data":{"output":{"b":[1.50, 2],"a":"\u00e9"},"score":1}}"#,
    r#"{"kind":"acme.x","data":[1,2,"three"]}"#,
    r#"{"kind":"","data":null}"#,
    r#"{"kind":"answer","data":{"text":"a","confidence":2}}"#,
];

/// What is no block, for a reason of its own each.
const REFUSED: &[(&str, &str)] = &[
    ("/v1\"", "/v2\""),
    (r#""schema_version":"lonis.block/v1","#, ""),
    (r#","payload""#, r#","payload":null,"payload""#),
    (r#","payload""#, r#","other":1,"payload""#),
    (r#","payload""#, r#","warnings":null,"payload""#),
    (r#","payload""#, r#","warnings":[],"warnings":[],"payload""#),
    (r#","payload""#, r#","provenance":null,"payload""#),
    (
        r#","payload""#,
        r#","provenance":{"seed":1,"seed":1},"payload""#,
    ),
    (r#","payload""#, r#","\u0070ayload":1,"payload""#),
    (r#""content":"a""#, r#""content":"a","\u0063ontent":"a""#),
    (r#""content":"a""#, r#""content":"a","other":1"#),
    (r#""content":"a""#, r#""content":"\ud800""#),
    (
        r#""data":{"content":"a"}"#,
        r#""data":{"content":"a"},"data":1"#,
    ),
    (r#""data":{"content":"a"}"#, r#""data":["a"]"#),
    (r#","data":{"content":"a"}"#, ""),
];

fn text_of(envelope: &str, payload: &str) -> String {
    format!(r#"{{"schema_version":"lonis.block/v1",{envelope},"payload":{payload}}}"#)
}

/// Reads the front of `text` in both forms and compares what there is with what the slow way gives for its first
/// `length` bytes; tells whether there was a typed block.
fn check(reader: &mut FrontReader, text: &str, length: usize) -> bool {
    let slow_raw = read_scanned(&text[..length]);
    if let Some(front) = reader.raw(text) {
        assert_eq!(front.end(), length, "{text}");
        let fast = front.in_text(text).expect("the same text");
        let slow = slow_raw.expect("what is read in one pass is a block");
        assert_eq!(fast.findings, slow.findings, "{text}");
        assert_eq!(fast.value.text(), slow.value.text());
        assert_eq!(
            (fast.value.kind(), fast.value.data()),
            (slow.value.kind(), slow.value.data())
        );
        assert_eq!(typed(fast.into_raw_block()), typed(slow.into_raw_block()));
    } else {
        assert!(slow_raw.is_err(), "one pass is enough for {text}");
    }
    let Some((fast, end)) = reader.typed::<BlockKind>(text) else {
        return false;
    };
    let slow = read_slowly(&text[..length]).expect("what is read in one pass is a block");
    assert_eq!((&fast, end), (&slow, length), "{text}");
    let written =
        |read: Read<SeedBlock>| serde_json::to_string(&read.into_block()).expect("written");
    assert_eq!(written(fast), written(slow));
    true
}

fn read_scanned(text: &str) -> Result<Read<RawBlock<'_>>, ReadError> {
    RawBlock::from_scanned(document(text.as_bytes())?)
}

/// Reads what was scanned, the payload after the envelope.
fn read_slowly(text: &str) -> Result<Read<SeedBlock>, ReadError> {
    let raw = read_scanned(text)?;
    let mut typed = raw.value.typed::<BlockKind>()?;
    typed.findings.splice(0..0, raw.findings);
    Ok(typed)
}

fn typed(raw: RawBlock<'_>) -> Option<String> {
    let read = raw.typed::<BlockKind>().ok()?;
    serde_json::to_string(&read.into_block()).ok()
}

#[test]
fn every_envelope_may_follow_every_other() {
    for payload in PAYLOADS {
        for first in ENVELOPES {
            for second in ENVELOPES {
                let mut reader = FrontReader::default();
                for envelope in [first, second, first, second] {
                    let block = text_of(envelope, payload);
                    let text = format!(" \n{block}\n[");
                    assert!(check(&mut reader, &text, block.len() + 2), "{text}");
                }
            }
        }
    }
}

#[test]
fn every_kind_is_read_in_one_pass() {
    for kind in BlockKind::SEED_KINDS {
        let text = golden_block(kind).to_string();
        let sorted = serde_json::from_str::<serde_json::Value>(&text).expect("a golden block");
        let payload = format!(
            r#"{{"kind":"{kind}","data":{}}}"#,
            sorted["payload"]["data"]
        );
        let text = text_of(ENVELOPES[0], &payload);
        assert!(
            check(&mut FrontReader::default(), &text, text.len()),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_block_is_left_to_the_slow_way() {
    let right = block_text("message", r#"{"content":"a"}"#);
    for (part, wrong) in REFUSED {
        let text = right.replace(part, wrong);
        assert_ne!(text, right, "{part} is in the block");
        let mut reader = FrontReader::default();
        assert!(check(&mut reader, &right, right.len()));
        assert!(!check(&mut reader, &text, text.len()), "{text}");
        assert!(check(&mut reader, &right, right.len()), "after {text}");
        let error = SeedBlock::read(&text).expect_err("no block");
        assert_eq!(error, read_slowly(&text).expect_err("no block"), "{text}");
    }
    let mut reader = FrontReader::default();
    for length in 0..right.len() {
        let cut = &right[..length];
        assert!(
            reader.typed::<BlockKind>(cut).is_none(),
            "{cut} is not whole"
        );
        assert!(reader.raw(cut).is_none(), "{cut} is not whole");
    }
}

#[test]
fn a_block_is_found_in_no_other_text() {
    let text = block_text("acme.x", "[1]");
    let front = FrontReader::default().raw(&text).expect("a block");
    assert!(front.in_text(&text[1..]).is_none());
}

proptest! {
    #[test]
    fn a_changed_byte_gives_what_the_slow_way_gives(
        envelope in proptest::sample::select(ENVELOPES),
        payload in proptest::sample::select(PAYLOADS),
        place in any::<proptest::sample::Index>(),
        piece in proptest::sample::select(&["", "\"", ",", "}", "{", "\\", "1", " ", "null", "\u{1}", "é"][..]),
    ) {
        let mut reader = FrontReader::default();
        let right = text_of(envelope, payload);
        check(&mut reader, &right, right.len());
        let mut text = right.clone();
        let start = text.floor_char_boundary(place.index(text.len()));
        let end = text.ceil_char_boundary(start + 1);
        text.replace_range(start..end, piece);
        // What is whole before the end of the text shows by its own end.
        let length = reader.raw(&text).map_or(text.len(), |front| front.end());
        check(&mut reader, &text, length);
        check(&mut reader, &right, right.len());
    }
}
