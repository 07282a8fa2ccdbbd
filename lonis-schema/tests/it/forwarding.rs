//! A block that is passed on keeps its payload data byte for byte, until the payload is changed.

use super::fixtures::block_text;
use lonis_schema::{BlockKind, Finding, RawBlock, SeedBlock};

/// Data whose spelling a parser that builds values would lose.
const ODD_DATA: &[(&str, &str)] = &[
    (
        "acme.x",
        r#"{"z":1.50,"a":12345678901234567890123,"\u0061b":"\u00e9\/","n":-0,"e":1E+2,"k":null}"#,
    ),
    ("acme.x", r#""\ud83d\ude00""#),
    ("acme.x", "1e-400"),
    (
        "result",
        r#"{"score":1,"output":{"b":1.0,"a":0.10},"duration_micros":1.5e1,"resources":null}"#,
    ),
    ("message", r#"{"content":"\u0041","role":null}"#),
    (
        "capability",
        r#"{"later":{"x":1.0},"cost":"low","side_effects":"none","determinism":"deterministic","output_schema":"o","input_schema":"i","description":"d","name":"a:b","input_json_schema":[]}"#,
    ),
];

#[test]
fn the_received_data_is_written_again() {
    for (kind, data) in ODD_DATA {
        let text = block_text(kind, data);
        let block = SeedBlock::read(&text)
            .unwrap_or_else(|error| panic!("{data}: {error}"))
            .value;
        assert_eq!(serde_json::to_string(&block).expect("written"), text);
        let raw = RawBlock::read(&text).expect("a block").value;
        assert_eq!((raw.kind(), raw.data()), (*kind, *data));
        assert_eq!(serde_json::to_string(&raw).expect("written"), text);
        let again = serde_json::from_str::<SeedBlock>(&text).expect("serde reads it too");
        assert_eq!(serde_json::to_string(&again).expect("written"), text);
    }
}

#[test]
fn only_whitespace_between_tokens_goes() {
    let spaced = "\u{feff}\n".to_owned()
        + &block_text("acme.x", "{ \"a b\" :\t[ 1.50 ,\r\n \"x  y\" ] }").replace(',', " ,\n ");
    let expected = block_text("acme.x", r#"{"a b":[1.50,"x  y"]}"#);
    let block = SeedBlock::read(&spaced).expect("a block").value;
    assert_eq!(serde_json::to_string(&block).expect("written"), expected);
    let raw = RawBlock::read(&spaced).expect("a block").value;
    assert_eq!(serde_json::to_string(&raw).expect("written"), expected);
}

#[test]
fn a_changed_payload_is_written_from_its_typed_value() {
    let text = block_text("message", r#"{"role":null,"content":"a"}"#);
    let mut block = SeedBlock::read(&text).expect("a block").value;
    if let BlockKind::Message(message) = block.payload_mut() {
        message.content.push('b');
    }
    assert_eq!(
        serde_json::to_string(&block).expect("written"),
        block_text("message", r#"{"content":"ab"}"#)
    );
}

#[test]
fn a_raw_block_becomes_the_typed_one() {
    for (kind, data) in ODD_DATA {
        let text = block_text(kind, data);
        let raw = RawBlock::read(&text).expect("a block").value;
        let typed = raw.typed::<BlockKind>().expect("the data is right").value;
        assert_eq!(typed, SeedBlock::read(&text).expect("a block").value);
    }
    let text = block_text("message", r#"{"text":"a"}"#);
    let raw = RawBlock::read(&text)
        .expect("the payload is not looked at")
        .value;
    let error = raw.typed::<BlockKind>().expect_err("no such member");
    assert_eq!(error, SeedBlock::read(&text).expect_err("no such member"));
}

#[test]
fn host_warnings_stand_once_and_within_the_limit() {
    let text = block_text("", "null");
    let read = SeedBlock::read(&text).expect("a block");
    let expected = "host: `/payload/kind` breaks the grammar: payload kind is empty";
    assert_eq!(
        read.findings
            .iter()
            .map(Finding::to_string)
            .collect::<Vec<_>>(),
        [&expected[6..]]
    );
    let received = read.into_block();
    assert_eq!(received.warnings(), [expected]);
    let sent_on = serde_json::to_string(&received).expect("written");
    let again = SeedBlock::read(&sent_on).expect("a block").into_block();
    assert_eq!(again.warnings(), [expected]);
    let raw = RawBlock::read(&sent_on).expect("a block").into_raw_block();
    assert_eq!(raw.warnings(), [expected]);

    let full = received.with_warnings(vec!["w"; 256]);
    let text = serde_json::to_string(&full).expect("written");
    let read = SeedBlock::read(&text).expect("a block");
    assert_eq!(read.findings.len(), 1);
    assert_eq!(read.into_block().warnings().len(), 256);
}
