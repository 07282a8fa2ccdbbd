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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn the_decoder_keeps_its_laws(pieces in vec(select(PIECES.as_slice()), 0..24), noise in vec(any::<u8>(), 0..4)) {
        decoder::check(&[pieces.concat(), noise].concat());
    }
}
