//! What holds for any bytes: bounded runs of the laws that `xtask/fuzz` runs without end.

mod decoder;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Pieces that meet most branches of the decoder when they are strung together.
const PIECES: [&[u8]; 31] = [
    b"{}",
    b"{\"a\":1}",
    b"{\"a\":[{\"b\":\"x\"}]}",
    b"[",
    b"]",
    b",",
    b" ",
    b"\n",
    b"\r\n",
    b"\xef\xbb\xbf",
    b"{",
    b"}",
    b"\"a\":",
    b"1",
    b"-0.5e3",
    b"1e400",
    b"null",
    b"tru",
    b"\"\\u0061\":",
    b"\"\\ud83d\\ude00\"",
    b"\\",
    b"\"",
    b"\xc3\xa9",
    b"\xc3",
    b"\xff",
    b"\xf0\x9f\x98\x80",
    b"\xf0\x9f",
    b"x",
    b"[[",
    b"{\"a\":{\"a\":{\"a\":0}}}",
    b"\"a string that makes a value too long for the limit that the law sets\"",
];

/// Parts of blocks that are whole where they are strung together in order.
const BLOCK_PIECES: [&str; 26] = [
    r#"{"schema_version":"lonis.block/v1","#,
    r#""provenance":{"tool_version":"1","input_hash":"00"},"#,
    r#""provenance":{"tool_version":"2","replay":{"replayable":true}},"#,
    r#""provenance":{ },"#,
    r#""warnings":["w"],"#,
    r#""attribution":{"identity":"a:b","provenance":{"when":"2026-03-01T12:00:00Z","producer":"a:b"}},"#,
    r#""attribution":{"identity":"a:b","provenance":{"when":"2026-03-01T12:00:01Z","producer":"a:b"}},"#,
    r#""attribution":{"identity":"","provenance":{"when":"now","producer":"a:b"}},"#,
    r#""bounds":{"max_items":1},"#,
    r#""payload":{"kind":"t.x","data":[1,2]}}"#,
    r#""payload":{"kind":"message","data":{"content":"é"}}}"#,
    r#""payload":{"data":{"content":"a"},"kind":"message"}}"#,
    r#""payload":{"kind":"result","data":{"output":{"a":1.50},"score":1}}}"#,
    r#""payload":{"kind":"result","data":{"output":{"a":1,"a":2}}}}"#,
    r#""payload":{"kind":"message","data":{"content":1}}}"#,
    "\n",
    "\n",
    " ",
    "[",
    "]",
    ",",
    "{}",
    "\"",
    "}",
    "x",
    "\u{feff}",
];

/// Blocks that are mostly right: each part of them is there or not, is one of several, and may have something before it.
fn near_blocks() -> impl Strategy<Value = String> {
    let part = |range: std::ops::Range<usize>, weight: f64| {
        proptest::option::weighted(weight, select(&BLOCK_PIECES[range]))
            .prop_map(Option::unwrap_or_default)
    };
    let odd = || part(15..26, 0.02);
    let envelope = (
        part(0..1, 0.98),
        part(1..4, 0.5),
        odd(),
        part(4..5, 0.2),
        part(5..8, 0.98),
    );
    let rest = (
        odd(),
        part(8..9, 0.2),
        part(9..15, 0.98),
        part(15..18, 0.9),
        odd(),
    );
    let block = (envelope, rest)
        .prop_map(|((a, b, c, d, e), (f, g, h, i, j))| [a, b, c, d, e, f, g, h, i, j].concat());
    vec(block, 1..6).prop_map(|blocks| blocks.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn the_decoder_keeps_its_laws(pieces in vec(select(PIECES.as_slice()), 0..24), noise in vec(any::<u8>(), 0..4)) {
        decoder::check(&[pieces.concat(), noise].concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn blocks_are_the_same_whether_they_are_read_at_the_front_or_cut_out(output in near_blocks()) {
        decoder::check_fronts(output.as_bytes());
    }
}
