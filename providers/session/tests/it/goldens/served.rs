//! The faces of the other programs: the error of `lonis`, and the envelope that `lonis-mcp` gives a client.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use lonis::{ErrorKind, ToolError};
use lonis_diagnostics::{Failure, Style, human};
use serde_json::Value;

use super::case::{Golden, Seen, WIDTHS};
use super::seen::neutral;
use super::steps::Stage;

/// Plays a case of `lonis`: nothing on stdout, and on stderr one error with the code of the catalog.
pub(crate) fn by_host(case: &Golden) -> Seen {
    let stage = Stage::of(case);
    let output = stage.run(&case.argv, &case.stdin, 96);
    let id = &case.id;
    assert_eq!(output.stdout, b"", "{id}: stdout is data only");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(ToolError::read(&stderr).is_ok(), "{id}: {stderr}");
    // The words in front say the form.
    let ["--mode", "json", words @ ..] =
        &case.argv.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        panic!("{id}: {:?}", case.argv);
    };
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mut human = BTreeMap::new();
    for width in WIDTHS {
        let told = stage.run(&words, &case.stdin, width);
        assert_eq!(told.status.code(), output.status.code(), "{id}");
        let text = String::from_utf8(told.stderr).unwrap();
        human.insert(width.to_string(), text.lines().map(str::to_owned).collect());
    }
    Seen {
        stdout: Value::Null,
        stderr,
        exit: output.status.code(),
        human,
    }
}

/// Plays a case of `lonis-mcp`: what a client is given for the last of its frames.
pub(crate) fn by_server(case: &Golden) -> Seen {
    let stage = Stage::of(case);
    let mut command: Command = stage.command(&case.argv, 96);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let frames = case.stdin.as_array().expect("frames");
    for frame in frames {
        writeln!(stdin, "{frame}").unwrap();
    }
    let last = &frames.last().expect("a frame")["id"];
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let answer = loop {
        let line = lines.next().expect("the last frame is answered").unwrap();
        let frame: Value = serde_json::from_str(&line).unwrap();
        if frame["id"] == *last {
            break frame;
        }
    };
    // The end of its input ends the server.
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let result = &answer["result"];
    let envelope = result["structuredContent"].clone();
    let id = &case.id;
    assert_eq!(result["isError"], true, "{id}: {answer}");
    let text = lonis::canonical::text(&envelope).unwrap();
    assert_eq!(
        result["content"][0]["text"], text,
        "{id}: both forms are one"
    );
    Seen {
        human: retold(&envelope, id),
        stdout: neutral(envelope),
        stderr: String::from_utf8(output.stderr).unwrap(),
        exit: None,
    }
}

/// The text of an error that a tool reported, which this face leaves to its client: made anew from what was reported.
fn retold(envelope: &Value, id: &str) -> BTreeMap<String, Vec<String>> {
    let entry = &envelope["diagnostics"][0];
    let parameters = &entry["parameters"];
    let kind = ["reported_kind", "reported_code"]
        .iter()
        .find_map(|name| parameters[*name].as_str())
        .unwrap_or_else(|| panic!("{id}: {envelope}"));
    let exit = u8::try_from(entry["exit_code"].as_u64().unwrap()).unwrap();
    let error = ToolError::new(ErrorKind::from(kind), entry["message"].as_str().unwrap())
        .with_exit_code(exit);
    let failure = Failure::of_tool_error(&error, "tool/call");
    assert_eq!(failure.envelope(None), *envelope, "{id}: what was reported");
    let lines = |width: usize| -> Vec<String> {
        let text = human(&failure, width, Style::Plain);
        text.lines().map(str::to_owned).collect()
    };
    WIDTHS.map(|width| (width.to_string(), lines(width))).into()
}
