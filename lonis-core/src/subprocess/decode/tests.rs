//! Every form of output, every kind of bad byte, and that cuts change nothing.

use lonis_schema::BlockKind;

use super::*;

const LIMIT: usize = 64;

/// The values and the error of an output.
type Decoded = (Vec<String>, Option<DecodeError>);

fn drain(decoder: &mut Decoder, values: &mut Vec<String>) -> Option<DecodeError> {
    loop {
        match decoder.advance() {
            Ok(true) => values.push(decoder.value().unwrap().text().to_owned()),
            Ok(false) => return None,
            Err(error) => return Some(error),
        }
    }
}

fn decode<'a>(framing: Framing, pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut decoder = Decoder::new(framing, LIMIT);
    let mut values = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        if let Some(error) = drain(&mut decoder, &mut values) {
            return (values, Some(error));
        }
    }
    decoder.end();
    let error = drain(&mut decoder, &mut values);
    assert_eq!(decoder.values(), values.len() as u64);
    (values, error)
}

fn check(framing: Framing, output: &[u8], values: &[&str], error: Option<&str>) {
    let whole = decode(framing, [output]);
    let name = output.escape_ascii();
    assert_eq!(whole.0, values, "{name}");
    assert_eq!(
        whole.1.as_ref().map(ToString::to_string).as_deref(),
        error,
        "{name}"
    );
    assert_eq!(decode(framing, output.chunks(1)), whole, "{name} by byte");
    assert_eq!(decode(framing, output.chunks(7)), whole, "{name} by seven");
}

#[test]
fn blocks_in_every_form() {
    let two = [r#"{"a":1}"#, r#"{"b":2}"#].as_slice();
    let cases: [(&[u8], &[&str]); 16] = [
        (b"", &[]),
        (b" \r\n\t", &[]),
        (b"\xef\xbb\xbf", &[]),
        (b"[]", &[]),
        (b"[ ] [\n]", &[]),
        (b"{}", &["{}"]),
        (b"{\"a\":1}\n{\"b\":2}\n", two),
        (b"{\"a\":1}\r\n{\"b\":2}\r\n", two),
        (b"{\"a\":1}{\"b\":2}", two),
        (b"[{\"a\":1},{\"b\":2}]", two),
        (b"[\n  {\"a\":1} ,\n  {\"b\":2}\n]\n", two),
        (b"[{\"a\":1}][{\"b\":2}]", two),
        (b"\xef\xbb\xbf {\"a\":1} [{\"b\":2}]", two),
        (b"{\"a\":1} [] {\"b\":2}", two),
        (
            b"{\n  \"a\": [\n    1\n  ]\n}\n",
            &["{\n  \"a\": [\n    1\n  ]\n}"],
        ),
        ("{\"é\":\"😀\"}".as_bytes(), &["{\"é\":\"😀\"}"]),
    ];
    for (output, values) in cases {
        check(Framing::Blocks, output, values, None);
    }
}

#[test]
fn values_of_every_type() {
    let cases: [(&[u8], &[&str]); 5] = [
        (b"", &[]),
        (b"1", &["1"]),
        (
            b"\xef\xbb\xbf1 -2.50\n\"a\"[1, 2]{}nulltrue",
            &["1", "-2.50", "\"a\"", "[1, 2]", "{}", "null", "true"],
        ),
        (b"[[1],[2]]", &["[[1],[2]]"]),
        (b"12\r\n", &["12"]),
    ];
    for (output, values) in cases {
        check(Framing::Values, output, values, None);
    }
    let top = "expected a value, found";
    check(
        Framing::Values,
        b"1,2",
        &["1"],
        Some(&format!("{top} `,` at byte 1, line 1")),
    );
    check(
        Framing::Values,
        b"1\n]",
        &["1"],
        Some(&format!("{top} `]` at byte 2, line 2")),
    );
    check(
        Framing::Values,
        b"1\xef\xbb\xbf2",
        &["1"],
        Some(&format!("{top} a byte order mark at byte 1, line 1")),
    );
    check(
        Framing::Values,
        b"1 -",
        &["1"],
        Some("truncated after 1 value at byte 3, line 1"),
    );
    let overflow = "`1e400` is beyond the largest double, 1.7976931348623157e308 at byte 0, line 1";
    check(Framing::Values, b"1e400", &[], Some(overflow));
}

#[test]
fn other_things_at_top_level() {
    let block = "expected a block or an array of blocks, found";
    let element = "expected a block, found";
    let cases: [(&[u8], &[&str], String); 14] = [
        (
            b"Loading...\n{}",
            &[],
            format!("{block} `L` at byte 0, line 1"),
        ),
        (
            b"{}\n\nnull",
            &["{}"],
            format!("{block} `n` at byte 4, line 3"),
        ),
        (b"1", &[], format!("{block} `1` at byte 0, line 1")),
        (b"{},{}", &["{}"], format!("{block} `,` at byte 2, line 1")),
        (b"{}]", &["{}"], format!("{block} `]` at byte 2, line 1")),
        (b"{}}", &["{}"], format!("{block} `}}` at byte 2, line 1")),
        (
            b"{}\xef\xbb\xbf{}",
            &["{}"],
            format!("{block} a byte order mark at byte 2, line 1"),
        ),
        (
            b"\xef\xbb\xbf\xef\xbb\xbf{}",
            &[],
            format!("{block} a byte order mark at byte 3, line 1"),
        ),
        (
            b"\xc3\xa9",
            &[],
            format!("{block} `\u{e9}` at byte 0, line 1"),
        ),
        (
            b"[[{}]]",
            &[],
            "expected a block or `]`, found `[` at byte 1, line 1".to_owned(),
        ),
        (
            b"[1]",
            &[],
            "expected a block or `]`, found `1` at byte 1, line 1".to_owned(),
        ),
        (
            b"[{},]",
            &["{}"],
            format!("{element} `]` at byte 4, line 1"),
        ),
        (
            b"[{},\n null]",
            &["{}"],
            format!("{element} `n` at byte 6, line 2"),
        ),
        (
            b"[{} {}]",
            &["{}"],
            "expected `,` or `]`, found `{` at byte 4, line 1".to_owned(),
        ),
    ];
    for (output, values, error) in cases {
        check(Framing::Blocks, output, values, Some(&error));
    }
}

#[test]
fn bad_bytes_inside_of_a_block() {
    let cases: [(&[u8], &[&str], &str); 9] = [
        (
            b"{}\n{\"a\" 1}",
            &["{}"],
            "expected `:`, found `1` at byte 8, line 2",
        ),
        (
            b"{\"a\":1,\"\\u0061\":2}",
            &[],
            "duplicate key `a` at byte 7, line 1",
        ),
        (
            b"{}{\"a\":\"\\ud800\"}",
            &["{}"],
            "lone surrogate `\\ud800` at byte 8, line 1",
        ),
        (
            b"{\"a\":\"\xff\"}",
            &[],
            "byte 0xFF is not UTF-8 at byte 6, line 1",
        ),
        (
            b"{}\n{\"a\":\"\n\xff\"}",
            &["{}"],
            "control character U+000A in a string without an escape at byte 9, line 2",
        ),
        (
            b"{}\n{\"a\":\"\xe2\x28\"}",
            &["{}"],
            "byte 0xE2 is not UTF-8 at byte 9, line 2",
        ),
        (
            b"{}\xff",
            &["{}"],
            "byte 0xFF is not UTF-8 at byte 2, line 1",
        ),
        (b"\xff", &[], "byte 0xFF is not UTF-8 at byte 0, line 1"),
        (
            b"{\"a\":1}\xef\xbb",
            &["{\"a\":1}"],
            "byte 0xEF is not UTF-8 at byte 7, line 1",
        ),
    ];
    for (output, values, error) in cases {
        check(Framing::Blocks, output, values, Some(error));
    }
}

#[test]
fn an_output_that_ends_too_early() {
    let cases: [(&[u8], &[&str], &str); 7] = [
        (b"{", &[], "truncated after 0 blocks at byte 1, line 1"),
        (
            b"{}\n{\"a\":\"x",
            &["{}"],
            "truncated after 1 block at byte 10, line 2",
        ),
        (b"[", &[], "truncated after 0 blocks at byte 1, line 1"),
        (b"[{}", &["{}"], "truncated after 1 block at byte 3, line 1"),
        (
            b"[{},{} \n",
            &["{}", "{}"],
            "truncated after 2 blocks at byte 8, line 2",
        ),
        (
            b"[{},",
            &["{}"],
            "truncated after 1 block at byte 4, line 1",
        ),
        (
            b"{}{\"a\":tr",
            &["{}"],
            "truncated after 1 block at byte 9, line 1",
        ),
    ];
    for (output, values, error) in cases {
        check(Framing::Blocks, output, values, Some(error));
    }
}

#[test]
fn depth_is_counted_from_the_brace_of_a_block() {
    let nested = |levels: usize| {
        format!(
            "{{\"a\":{}1{}}}",
            "[".repeat(levels - 1),
            "]".repeat(levels - 1)
        )
    };
    let mut decoder = Decoder::new(Framing::Blocks, 1 << 20);
    decoder.push(format!("[{},{}", nested(127), nested(128)).as_bytes());
    assert_eq!(decoder.advance(), Ok(true));
    let error = decoder.advance().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("nested deeper than the limit of 127 levels at byte "),
        "{error}"
    );

    let mut decoder = Decoder::with_max_depth(Framing::Values, 1 << 20, 2);
    decoder.push(b"[[1]] [[[");
    assert_eq!(decoder.advance(), Ok(true));
    let error = decoder.advance().unwrap_err();
    assert_eq!(
        error.to_string(),
        "nested deeper than the limit of 2 levels at byte 8, line 1"
    );
}

#[test]
fn a_value_may_be_as_long_as_the_limit() {
    let of_length = |length: usize| format!("{{\"k\":\"{}\"}}", "x".repeat(length - 8));
    let fits = of_length(LIMIT);
    check(
        Framing::Blocks,
        format!("{fits}{fits}").as_bytes(),
        &[&fits, &fits],
        None,
    );
    let too_long = format!("a value longer than {LIMIT} bytes at byte 65, line 2");
    check(
        Framing::Blocks,
        format!("{fits}\n{}", of_length(LIMIT + 1)).as_bytes(),
        &[&fits],
        Some(&too_long),
    );
    // A wrong byte beyond the limit is not looked at, whenever it arrives.
    let wrong = format!("{fits}\n{{\"k\":\"{}\n", "x".repeat(LIMIT));
    check(Framing::Blocks, wrong.as_bytes(), &[&fits], Some(&too_long));
    let wrong = format!("{fits}\n{{\"k\":\"{}é\n", "x".repeat(LIMIT - 7));
    check(Framing::Blocks, wrong.as_bytes(), &[&fits], Some(&too_long));
    let digits = "7".repeat(LIMIT);
    check(
        Framing::Values,
        format!("{digits} {digits}").as_bytes(),
        &[&digits, &digits],
        None,
    );
    check(
        Framing::Values,
        format!("{digits}7").as_bytes(),
        &[],
        Some("a value longer than 64 bytes at byte 0, line 1"),
    );
}

#[test]
fn the_first_error_is_the_last_word() {
    let mut decoder = Decoder::new(Framing::Blocks, LIMIT);
    decoder.push(b"{} x");
    assert_eq!(decoder.advance(), Ok(true));
    let error = decoder.advance().unwrap_err();
    decoder.push(b"{}");
    decoder.end();
    assert_eq!(decoder.advance(), Err(error.clone()));
    assert_eq!(decoder.advance(), Err(error));
    assert!(decoder.value().is_none());
}

#[test]
fn the_current_value_has_a_place() {
    let mut decoder = Decoder::new(Framing::Blocks, LIMIT);
    decoder.push(b" [ {\"a\": 1}, {\"b\"");
    assert_eq!(decoder.advance(), Ok(true));
    let value = decoder.value().unwrap();
    assert_eq!(
        (value.text(), value.has_whitespace(), decoder.value_offset()),
        ("{\"a\": 1}", true, 3)
    );
    assert_eq!(decoder.partial(), b"");
    assert_eq!(decoder.advance(), Ok(false));
    assert!(decoder.value().is_none());
    assert_eq!(decoder.partial(), b"{\"b\"");
    decoder.push(b":2}");
    assert_eq!(decoder.advance(), Ok(true));
    assert_eq!(
        (decoder.value().unwrap().text(), decoder.value_offset()),
        ("{\"b\":2}", 13)
    );
}

#[test]
fn the_excerpt_shows_what_was_read_around_the_error() {
    let excerpt = |pieces: &[&[u8]]| {
        let mut decoder = Decoder::new(Framing::Blocks, 4096);
        for piece in pieces {
            decoder.push(piece);
            while let Ok(true) = decoder.advance() {}
        }
        decoder.excerpt()
    };
    assert_eq!(excerpt(&[b"{}"]), None);
    assert_eq!(
        excerpt(&[b"{}\nnpm warn\x1b[0m\n"]).as_deref(),
        Some("npm warn\\u{1b}[0m\\n")
    );
    assert_eq!(excerpt(&[b"np", b"m warn"]).as_deref(), Some("npm warn"));
    assert_eq!(
        excerpt(&[b"{\"a\":x}", b" and more"]).as_deref(),
        Some("{\\\"a\\\":x} and more")
    );
    assert_eq!(
        excerpt(&[b"{\"a\":\"\xff\xc3", b"\xa9\"}"]).as_deref(),
        Some("{\\\"a\\\":\\\"\\xff\u{e9}\\\"}")
    );
    let long = format!("{{\"a\":\"{}\",}}{}", "y".repeat(200), "z".repeat(200));
    let shown = format!("{}\\\",}}{}", "y".repeat(58), "z".repeat(59));
    assert_eq!(excerpt(&[long.as_bytes()]), Some(shown.clone()));
    let in_pieces: Vec<&[u8]> = long.as_bytes().chunks(50).collect();
    assert_eq!(excerpt(&in_pieces), Some(shown));
}

#[test]
fn memory_follows_the_unfinished_value() {
    let mut decoder = Decoder::new(Framing::Blocks, 1 << 22);
    let block = format!("{{\"k\":\"{}\"}}\n", "x".repeat(1 << 21));
    for piece in block.as_bytes().chunks(1 << 16) {
        decoder.push(piece);
    }
    assert_eq!(decoder.advance(), Ok(true));
    for _ in 0..1_000 {
        decoder.push(b"{\"a\":1}\n[{\"a\":1}");
        assert_eq!((decoder.advance(), decoder.advance()), (Ok(true), Ok(true)));
        decoder.push(b"]");
        assert_eq!(decoder.advance(), Ok(false));
    }
    assert!(
        decoder.buffer.capacity() <= 1 << 18,
        "{} bytes are kept",
        decoder.buffer.capacity()
    );
}

#[test]
fn blocks_read_at_the_front_are_those_that_are_cut_out() {
    let block = |data: &str| {
        format!(
            concat!(
                r#"{{"schema_version":"lonis.block/v1","attribution":{{"identity":"a:b","provenance":"#,
                r#"{{"when":"2026-03-01T12:00:00Z","producer":"a:b"}}}},"payload":{{"kind":"t.x","data":{}}}}}"#
            ),
            data
        )
    };
    let (one, two, long) = (block("1"), block("[ 2 ]"), block(&"3".repeat(200)));
    for output in [
        format!("{one}\n{two}\n"),
        format!("\u{feff}[{one} , {two}] {one}{two}"),
        format!("{one}\n{{\"kind\":\"no block\"}}\n{two}"),
        format!("{one} oops {two}"),
        format!("[{one},{two}"),
        format!("{one}\n{long}\n{two}"),
        format!("{one}\u{feff}{two}"),
        format!("{one}{}", &two[..two.len() - 1]),
        two.replace("[ 2 ]", r#"{"k":1,"k":2}"#),
    ] {
        for size in [1, 7, 100, output.len()] {
            let pieces = || output.as_bytes().chunks(size);
            let cut_out = read_in_order(pieces(), |_| None);
            assert_eq!(read_in_order(pieces(), front_raw), cut_out, "{output}");
            assert_eq!(read_in_order(pieces(), front_typed), cut_out, "{output}");
        }
    }
}

fn front_raw(decoder: &mut Decoder) -> Option<String> {
    let front = decoder.front_raw()?;
    let read = front
        .in_text(decoder.front_text())
        .expect("the text that it was read from");
    Some(read.value.text().to_owned())
}

fn front_typed(decoder: &mut Decoder) -> Option<String> {
    decoder.front_block::<BlockKind>()?;
    let text = decoder.front_text();
    match Scanner::new().scan(text.as_bytes()) {
        Ok(Scan::Complete { end }) => Some(text[..end].to_owned()),
        other => panic!("{other:?} of {text}"),
    }
}

/// The blocks and the other values of an output in their order, with offsets, and the error.
fn read_in_order<'a>(
    pieces: impl Iterator<Item = &'a [u8]>,
    front: impl Fn(&mut Decoder) -> Option<String>,
) -> (Vec<(String, u64)>, Option<DecodeError>) {
    let mut decoder = Decoder::new(Framing::Blocks, 250);
    let mut values = Vec::new();
    for piece in pieces.map(Some).chain([None]) {
        match piece {
            Some(bytes) => decoder.push(bytes),
            None => decoder.end(),
        }
        loop {
            let text = match front(&mut decoder) {
                Some(text) => text,
                None => match decoder.advance() {
                    Ok(true) => decoder.value().unwrap().text().to_owned(),
                    Ok(false) => break,
                    Err(error) => return (values, Some(error)),
                },
            };
            values.push((text, decoder.value_offset()));
            assert_eq!(decoder.values(), values.len() as u64);
            assert_eq!(decoder.partial(), b"");
        }
    }
    (values, None)
}
