//! What holds for any bytes: bounded runs of the laws that `xtask/fuzz` runs without end.

mod canonical;
mod scanner;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Pieces that meet most branches of a reader when they are strung together.
const PIECES: [&[u8]; 40] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"a\":",
    b"\"\\u0061\":",
    b"\"b\":",
    b"\"a\"",
    b"\"\xc3\xa9\"",
    b"\"\\ud83d\\ude00\"",
    b"\"",
    b"\\",
    b"\\u00",
    b"\\ud83d",
    b"\\ude00",
    b"\\n",
    b"1",
    b"-",
    b"0",
    b"-0",
    b".5",
    b"e9",
    b"E+400",
    b"1e400",
    b"9007199254740993.0",
    b"12345678901234567890",
    b"true",
    b"null",
    b"fals",
    b" ",
    b"\r\n",
    b"\x01",
    b"\xff",
    b"\xe2\x82",
    b"\xef\xbb\xbf",
    b"{\"a\":[",
    b"]}",
    b"a plain text that is longer than a word",
];

/// Bytes that are often JSON, and often nearly so.
fn near_json() -> impl Strategy<Value = Vec<u8>> {
    let strung = vec(select(PIECES.as_slice()), 0..24).prop_map(|pieces| pieces.concat());
    let golden: Vec<String> = golden::Family::named("blocks")
        .cases()
        .into_iter()
        .map(|case| case.text)
        .collect();
    let damaged = (select(golden), any::<Index>(), any::<u8>()).prop_map(|(text, at, byte)| {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes
    });
    prop_oneof![4 => strung, 1 => damaged, 1 => vec(any::<u8>(), 0..64)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn the_scanner_keeps_its_laws(bytes in near_json()) {
        scanner::check(&bytes);
    }

    #[test]
    fn the_canonical_form_keeps_its_laws(bytes in near_json()) {
        canonical::check(&bytes);
    }
}
