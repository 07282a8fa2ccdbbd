//! Output that is not what the wire allows.

use crate::block;
use crate::options::Failure;
use crate::output::Output;
use crate::run::Run;

/// One fixed output: `@` stands for a good block.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    bytes: &'static [u8],
}

const fn case(name: &'static str, bytes: &'static [u8], summary: &'static str) -> Case {
    Case {
        name,
        summary,
        bytes,
    }
}

/// The head of a block up to its payload, for cases that spoil the rest.
const HEAD: &str = r#"{"schema_version":"lonis.block/v1","attribution":{"identity":"misbehave:malformed","provenance":{"when":"2026-01-01T00:00:00Z","producer":"misbehave"}},"payload":"#;

/// All of them; `#` stands for the head of a block up to its payload.
#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    case("text", b"hello\n", "one line of text"),
    case("text-between", b"@\nhello\n@\n", "a line of text between two blocks"),
    case("trailing-text", b"@ hello", "text after a block"),
    case("scalar", b"42\n", "a number at top level"),
    case("null", b"null\n", "null at top level"),
    case("nested-array", b"[[@]]\n", "an array inside the array"),
    case("scalar-in-array", b"[@,1]\n", "a number inside the array"),
    case("comma", b"@,@\n", "a comma between top-level blocks"),
    case("trailing-comma", b"[@,]\n", "a comma before the end of the array"),
    case("two-arrays", b"[@]\n[@]\n", "two arrays, which are allowed"),
    case("blank-lines", b"\n\n@\n\n@", "blank lines and no final newline, which are allowed"),
    case("whitespace", b" \n\t\r\n", "whitespace alone, which is allowed"),
    case("bom", b"\xef\xbb\xbf@\n", "a byte order mark in front, which is allowed"),
    case("second-bom", b"@\n\xef\xbb\xbf@\n", "a byte order mark before the second block"),
    case("double-bom", b"\xef\xbb\xbf\xef\xbb\xbf@\n", "two byte order marks in front"),
    case("half-bom", b"\xef\xbb@\n", "two bytes of a byte order mark"),
    case("truncated-array", b"[@,@", "an array without its end"),
    case("truncated-line", b"@\n#{\"kind\":\"message\",\"data\":{\"cont", "a block that ends in the middle"),
    case("nul", b"@\n\0@\n", "a NUL between blocks"),
    case("control-character", b"#{\"kind\":\"message\",\"data\":{\"content\":\"a\x01b\"}}}\n", "a control character inside a string"),
    case("lone-surrogate", b"#{\"kind\":\"message\",\"data\":{\"content\":\"\\ud800\"}}}\n", "half of a surrogate pair"),
    case("infinity", b"#{\"kind\":\"result\",\"data\":{\"output\":1e400}}}\n", "a number that no double holds"),
    case("nan", b"#{\"kind\":\"result\",\"data\":{\"output\":NaN}}}\n", "NaN, which JSON lacks"),
    case("duplicate-kind", b"#{\"kind\":\"message\",\"data\":{\"content\":\"a\"},\"kind\":\"t.x\"}}\n", "`kind` twice"),
    case("duplicate-deep", b"#{\"kind\":\"t.x\",\"data\":{\"a\":[{\"b\":1,\"b\":2}]}}}\n", "a key twice, deep in the data"),
    case("duplicate-escaped", b"#{\"kind\":\"t.x\",\"data\":{\"a\":1,\"\\u0061\":2}}}\n", "a key twice, once spelled with an escape"),
    case("unknown-marker", b"{\"schema_version\":\"foo.bar/v9\",\"attribution\":{\"identity\":\"a:b\",\"provenance\":{\"when\":\"2026-01-01T00:00:00Z\",\"producer\":\"m\"}},\"payload\":{\"kind\":\"t.x\",\"data\":1}}\n", "another schema version"),
    case("unknown-key", b"{\"extra\":1,\"schema_version\":\"lonis.block/v1\",\"attribution\":{\"identity\":\"a:b\",\"provenance\":{\"when\":\"2026-01-01T00:00:00Z\",\"producer\":\"m\"}},\"payload\":{\"kind\":\"t.x\",\"data\":1}}\n", "a key that the envelope lacks"),
    case("missing-attribution", b"{\"schema_version\":\"lonis.block/v1\",\"payload\":{\"kind\":\"t.x\",\"data\":1}}\n", "no attribution"),
    case("missing-data", b"#{\"kind\":\"t.x\"}}\n", "a payload without data"),
    case("third-payload-key", b"#{\"kind\":\"t.x\",\"data\":1,\"more\":2}}\n", "a payload with a third key"),
    case("internally-tagged", b"#{\"kind\":\"message\",\"content\":\"hello\"}}\n", "the data beside the kind"),
    case("bad-seed-data", b"#{\"kind\":\"message\",\"data\":{\"text\":\"hello\"}}}\n", "a message without content"),
    case("positional", b"#[\"message\",{\"content\":\"hello\"}]}\n", "an array in place of an object"),
    case("bad-stamp", b"{\"schema_version\":\"lonis.block/v1\",\"attribution\":{\"identity\":\"a:b\",\"provenance\":{\"when\":\"yesterday\",\"producer\":\"m\"}},\"payload\":{\"kind\":\"t.x\",\"data\":1}}\n", "a time stamp that is none: a finding, not an error"),
    case("bare-identity", b"{\"schema_version\":\"lonis.block/v1\",\"attribution\":{\"identity\":\"karpal-discovery\",\"provenance\":{\"when\":\"2026-01-01T00:00:00Z\",\"producer\":\"m\"}},\"payload\":{\"kind\":\"t.x\",\"data\":1}}\n", "an identity of one segment, which is allowed"),
    case("empty-kind", b"#{\"kind\":\"\",\"data\":1}}\n", "a kind without a character: a finding, not an error"),
    case("broken-bounds", b"{\"schema_version\":\"lonis.block/v1\",\"attribution\":{\"identity\":\"a:b\",\"provenance\":{\"when\":\"2026-01-01T00:00:00Z\",\"producer\":\"m\"}},\"bounds\":{\"max_bytes\":1},\"payload\":{\"kind\":\"t.x\",\"data\":\"long\"}}\n", "data above its declared bound: a finding, not an error"),
    case("four-byte-text", b"#{\"kind\":\"message\",\"data\":{\"content\":\"\xf0\x9f\x8c\xb1\xf0\x9f\x8c\xb1\"}}}\n", "characters of four bytes, which are allowed: use chunk=2"),
];

pub(crate) fn malformed(run: &Run) -> Result<u8, Failure> {
    let name = run.options.text("case", "text");
    let case = CASES.iter().find(|case| case.name == name);
    let case = case.ok_or_else(|| Failure::Usage(format!("no malformed output `{name}`")))?;
    let good = run.block("\"good\"");
    let mut bytes = Vec::new();
    for &byte in case.bytes {
        match byte {
            b'@' => bytes.extend_from_slice(good.as_bytes()),
            b'#' => bytes.extend_from_slice(HEAD.as_bytes()),
            other => bytes.push(other),
        }
    }
    run.stdout()?.send(bytes)?;
    run.exit_code(0)
}

pub(crate) fn banner(run: &Run) -> Result<u8, Failure> {
    let mut stdout = run.stdout()?;
    stdout.line("Welcome to misbehave 1.0 (c) nobody")?;
    if run.options.is_set("error") {
        Output::stderr(0)?.line(&block::error("teapot", "short and stout", 2))?;
        return Ok(2);
    }
    stdout.line(&run.block("\"after the banner\""))?;
    Ok(0)
}

pub(crate) fn bad_utf8(run: &Run) -> Result<u8, Failure> {
    let byte = u8::try_from(run.options.number("byte", 0xff)?).unwrap_or(0xff);
    let mut stdout = run.stdout()?;
    let mut bytes = Vec::new();
    for _ in 0..run.options.number("blocks", 1)? {
        bytes.extend_from_slice(format!("{}\n", run.block("\"good\"")).as_bytes());
    }
    let bad = run.block("\"bad  here\"");
    let place = bad.find("  ").expect("the output has two spaces") + 1;
    run.announcer
        .step(&format!("offset {}", bytes.len() + place));
    bytes.extend_from_slice(&bad.as_bytes()[..place]);
    bytes.push(byte);
    bytes.extend_from_slice(&bad.as_bytes()[place..]);
    bytes.push(b'\n');
    stdout.send(bytes)?;
    Ok(0)
}

pub(crate) fn deep(run: &Run) -> Result<u8, Failure> {
    let depth = usize::try_from(run.options.number("depth", 128)?).unwrap_or(usize::MAX);
    // The block and its payload are two levels already.
    let inner = depth.saturating_sub(2);
    let open = "[".repeat(inner);
    let close = "]".repeat(inner);
    let nested = format!("{open}{close}");
    let data = if inner == 0 { "0" } else { &nested };
    let text = block::block("deep", "t.deep", data);
    let end = if run.options.is_set("open") {
        text.len() / 2
    } else {
        text.len()
    };
    run.stdout()?.send(&text[..end])?;
    Ok(0)
}
