//! What the modes print.

use std::os::unix::process::ExitStatusExt;

use serde_json::Value;

use crate::{command, run, run_with, stdout};

#[test]
fn the_list_names_every_mode_once() {
    let list = stdout(&["--list"]);
    let mut names: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split("  ").next())
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count > 70, "{count}");
}

#[test]
fn blocks_come_in_every_form() {
    for (form, is_array) in [
        ("ndjson", false),
        ("array", true),
        ("pretty", false),
        ("joined", false),
        ("crlf", false),
    ] {
        let text = stdout(&["blocks", &format!("form={form}"), "count=3", "size=300"]);
        let values: Vec<Value> = serde_json::Deserializer::from_str(&text)
            .into_iter()
            .map(Result::unwrap)
            .collect();
        let values = if is_array {
            values[0].as_array().unwrap().clone()
        } else {
            values
        };
        let numbers: Vec<_> = values
            .iter()
            .map(|block| block["payload"]["data"]["output"]["number"].as_u64())
            .collect();
        assert_eq!(numbers, [Some(0), Some(1), Some(2)], "{form}");
    }
    assert!(stdout(&["blocks", "form=crlf"]).ends_with("}\r\n"));
    assert!(stdout(&["blocks", "form=bom"]).starts_with("\u{feff}{"));
    assert_eq!(stdout(&["blocks", "count=0"]), "");
}

#[test]
fn amounts_are_exact() {
    assert_eq!(run(&["exact", "bytes=1000"]).stdout.len(), 1_000);
    assert_eq!(
        run(&["exact", "bytes=1000", "stream=stderr"]).stderr.len(),
        1_000
    );
    assert_eq!(
        run(&["flood", "bytes=70000", "chunk=999"]).stdout.len(),
        70_000
    );
    assert!(!run(&["flood", "bytes=70000"]).stdout.contains(&b'\n'));
    let text = stdout(&["blocks", "count=100", "size=250"]);
    assert!(text.lines().all(|line| line.len() == 250));
    assert_eq!(run(&["blocks", "stderr_bytes=5000"]).stderr.len(), 5_000);
}

#[test]
fn malformed_outputs_are_what_a_json_reader_says_they_are() {
    let allowed = ["two-arrays", "blank-lines", "four-byte-text", "whitespace"];
    for case in allowed {
        let bytes = run(&["malformed", &format!("case={case}"), "chunk=2"]).stdout;
        let mut values = serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>();
        assert!(values.all(|value| value.is_ok()), "{case}");
    }
    for case in [
        "text",
        "trailing-text",
        "comma",
        "trailing-comma",
        "truncated-array",
        "truncated-line",
        "nul",
        "nan",
    ] {
        let bytes = run(&["malformed", &format!("case={case}")]).stdout;
        let mut values = serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>();
        assert!(values.any(|value| value.is_err()), "{case}");
    }
}

#[test]
fn the_announced_offset_is_that_of_the_bad_byte() {
    let mut handshake = misbehave::Handshake::new().unwrap();
    let output = run(&["bad-utf8", "blocks=2", &handshake.argument()]);
    let announced = handshake
        .heard()
        .iter()
        .find_map(|heard| heard.line.strip_prefix("offset ")?.parse().ok());
    let error = std::str::from_utf8(&output.stdout).unwrap_err();
    assert_eq!(announced, Some(error.valid_up_to()));
}

#[test]
fn depth_counts_the_envelope() {
    for depth in [3, 127, 128] {
        let text = stdout(&["deep", &format!("depth={depth}")]);
        let deepest = text.bytes().scan(0, |level, byte| {
            *level +=
                i32::from(matches!(byte, b'{' | b'[')) - i32::from(matches!(byte, b'}' | b']'));
            Some(*level)
        });
        assert_eq!(deepest.max(), Some(depth));
    }
}

#[test]
fn input_is_copied_echoed_or_left() {
    let input: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    assert!(run_with(&["cat"], &input[..60_000]).stdout == input[..60_000]);
    assert!(run_with(&["cat", "stream=stderr"], &input[..60_000]).stderr == input[..60_000]);
    assert!(run_with(&["exit-unread"], &input).status.success());
    assert!(
        run_with(&["close-stdin", "bytes=10"], &input)
            .status
            .success()
    );
    let echoed = run_with(&["echo"], b"12345678901234567890123").stdout;
    assert!(
        String::from_utf8(echoed)
            .unwrap()
            .contains("{\"output\":12345678901234567890123}")
    );
}

#[test]
fn a_reader_that_left_ends_a_flood_by_signal() {
    let mut child = command(&["endless", "children=0"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().signal(), Some(13));
}

#[test]
fn a_file_is_played_byte_for_byte() {
    let handshake = misbehave::Handshake::new().unwrap();
    let file = handshake.folder().join("bytes");
    std::fs::write(&file, b"\xff\x00x").unwrap();
    let file = file.display();
    let output = run(&[
        "play",
        &format!("stdout={file}"),
        &format!("stderr={file}"),
        "exit=9",
    ]);
    assert_eq!(
        (output.stdout.as_slice(), output.stderr.as_slice()),
        (&b"\xff\x00x"[..], &b"\xff\x00x"[..])
    );
    assert_eq!(output.status.code(), Some(9));
}

#[test]
fn wrong_arguments_are_refused() {
    for arguments in [
        &[][..],
        &["no-such-mode"],
        &["exit", "colour=red"],
        &["exit", "code=x"],
        &["malformed", "case=no"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
        assert!(output.stderr.starts_with(b"misbehave: "), "{arguments:?}");
    }
}
