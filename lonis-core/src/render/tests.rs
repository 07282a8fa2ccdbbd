use lonis_schema::ErrorKind;

use super::*;
use crate::fixture::{Full, said};

fn rendered(blocks: &[lonis_schema::SeedBlock], mode: OutputMode) -> String {
    let mut out = Vec::new();
    render(blocks, mode, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn each_mode_is_one_document() {
    let blocks = [said("a"), said("b")];
    let lines: Vec<String> = blocks
        .iter()
        .map(|block| serde_json::to_string(block).unwrap())
        .collect();
    assert_eq!(
        rendered(&blocks, OutputMode::Ndjson),
        format!("{}\n{}\n", lines[0], lines[1])
    );
    assert_eq!(
        rendered(&blocks, OutputMode::Json),
        format!("[{},\n{}]\n", lines[0], lines[1])
    );
    assert_eq!(
        rendered(&blocks, OutputMode::Human),
        "message: a\nmessage: b\n"
    );

    assert_eq!(rendered(&[], OutputMode::Ndjson), "");
    assert_eq!(rendered(&[], OutputMode::Json), "[]\n");
    assert_eq!(rendered(&[], OutputMode::Human), "");
}

#[test]
fn a_received_payload_is_written_as_it_was_received() {
    let data = r#"{"z":1.50,"a":1e2,"text":"\u0041\/","big":123456789012345678901234567890}"#;
    let text = format!(
        r#"{{"schema_version":"lonis.block/v1","attribution":{{"identity":"a:b","provenance":{{"when":"2026-03-01T12:00:00Z","producer":"a:b"}}}},"payload":{{"kind":"acme.item","data":{data}}}}}"#
    );
    let block: lonis_schema::SeedBlock = serde_json::from_str(&text).unwrap();
    assert_eq!(rendered(&[block], OutputMode::Ndjson), format!("{text}\n"));
}

#[test]
fn text_for_people_cannot_drive_a_terminal_or_forge_a_line() {
    for (text, shown) in [
        ("plain äöü 漢字", "plain äöü 漢字\n"),
        ("\u{1b}[2J", "\\u{1b}[2J\n"),
        ("a\noutcome[Success]: done", "a\n  outcome[Success]: done\n"),
        ("a\r\nb\tc", "a\\r\n  b\\tc\n"),
        ("del\u{7f} c1\u{9b}", "del\\u{7f} c1\\u{9b}\n"),
        ("\u{202e}gnp.exe\u{2028}x", "\\u{202e}gnp.exe\\u{2028}x\n"),
        ("ends\n", "ends\n"),
        ("ends\n\n", "ends\n\n"),
        ("a\n\n\u{7}b", "a\n\n  \\u{7}b\n"),
        ("", "\n"),
    ] {
        let mut out = Vec::new();
        write_text(text, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), shown, "{text:?}");
    }
}

#[test]
fn people_see_what_a_block_warns_of_below_what_it_says() {
    let warned = said("a\n").with_warnings(["first\nline", "host: \u{1b}"]);
    assert_eq!(
        rendered(&[warned, said("b")], OutputMode::Human),
        "message: a\n  warning: first\n  line\n  warning: host: \\u{1b}\nmessage: b\n"
    );
    // What carries its own text for people says there what it warns of.
    let text = r#"{"schema_version":"lonis.block/v1","warnings":["w","host: h"],"attribution":{"identity":"a:b","provenance":{"when":"2026-03-01T12:00:00Z","producer":"a:b"}},"payload":{"kind":"acme.item","data":{"rendered":"an item; w"}}}"#;
    let block: lonis_schema::SeedBlock = serde_json::from_str(text).unwrap();
    assert_eq!(
        rendered(&[block], OutputMode::Human),
        "extension[acme.item]: an item; w\n  warning: host: h\n"
    );
}

#[test]
fn errors_and_notes_have_one_line_each() {
    let error = ToolError::new(ErrorKind::from("odd\u{7}"), "two\nlines");
    let check = |mode, expected_error: &str, expected_note: &str| {
        let (mut for_error, mut for_note) = (Vec::new(), Vec::new());
        render_error(&error, mode, &mut for_error).unwrap();
        render_note("slow", mode, &mut for_note).unwrap();
        assert_eq!(String::from_utf8(for_error).unwrap(), expected_error);
        assert_eq!(String::from_utf8(for_note).unwrap(), expected_note);
    };
    check(
        OutputMode::Human,
        "error: odd\\u{7}: two\n  lines\n",
        "note: slow\n",
    );
    let json = "{\"kind\":\"odd\\u0007\",\"message\":\"two\\nlines\",\"exit_code\":1}\n";
    check(OutputMode::Json, json, "{\"note\":\"slow\"}\n");
    check(OutputMode::Ndjson, json, "{\"note\":\"slow\"}\n");
}

#[test]
fn a_full_output_is_an_error() {
    for mode in [OutputMode::Human, OutputMode::Json, OutputMode::Ndjson] {
        let error = render(&[said("a")], mode, &mut Full::after(5)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{mode}");
    }
}
