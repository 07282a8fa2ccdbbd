//! One tool over many inputs: in order, so many at one time, and what fails is one line among the others.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::time::Duration;

use misbehave::Handshake;
use serde_json::{Value, json};

use crate::program::{Place, Run, misbehave};

const LIMIT: Duration = Duration::from_mins(1);

/// A place with one tool, `t:x`, of a mode of the hostile program.
fn place(mode: &[&str], keys: &str) -> Place {
    let place = Place::new();
    place.config(&format!(
        "[tools.\"t:x\"]\ndescription = ''\nmapping = 'blocks'\ncommand = ['{}', '{}']\n{keys}\n",
        misbehave().display(),
        mode.join("', '")
    ));
    place
}

fn items(run: &Run) -> Vec<Value> {
    run.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const NDJSON: [&str; 4] = ["--mode", "ndjson", "map", "t:x"];

#[test]
fn a_thousand_inputs_come_out_in_order() {
    let place = place(&["echo"], "");
    let inputs = (0..1_000).fold(String::new(), |mut text, number| {
        writeln!(text, "{{\"n\":{number}.50}}").unwrap();
        text
    });
    let run = place.run_with_stdin(
        &[&NDJSON[..], &["--width", "8", "--timeout", "60s"]].concat(),
        inputs.as_bytes(),
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout.lines().count(), 1_000);
    for (number, line) in run.stdout.lines().enumerate() {
        // The digits are those of the input.
        assert!(
            line.contains(&format!("\"output\":{{\"n\":{number}.50}}")),
            "{line}"
        );
        assert!(
            line.starts_with(&format!("{{\"index\":{number},\"input_hash\":\"")),
            "{line}"
        );
    }
}

#[test]
fn what_fails_is_one_line_among_the_others() {
    let place = place(
        &["echo"],
        "[tools.\"t:x\".input_json_schema]\ntype = 'integer'",
    );
    let inputs = b"1\nnothing\n\n\"text\"\n2\n{\"a\":1,\"a\":1}";
    let words = NDJSON;
    let run = place.run_with_stdin(&words, inputs);
    let error = run.error();
    assert_eq!((error.kind().as_str(), run.code), ("tool_failed", 6));
    assert_eq!(
        error.details().unwrap().to_value(),
        json!({"code": "tool/failed", "failed": 3, "total": 5})
    );
    let items = items(&run);
    let kinds: Vec<Value> = items
        .iter()
        .map(|item| item["error"]["kind"].clone())
        .collect();
    assert_eq!(
        kinds,
        [
            Value::Null,
            "invalid_input".into(),
            "invalid_input".into(),
            Value::Null,
            "invalid_input".into()
        ]
    );
    assert_eq!(items[1]["error"]["details"]["line"], 2);
    let shown = place.run_with_stdin(&["map", "t:x"], inputs);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines[0], "[0] result: 1");
    assert!(
        lines[1].starts_with("[1] error: invalid_input: "),
        "{shown:?}"
    );
    assert_eq!(lines.len(), 5);
    let array = place.run_with_stdin(&["--mode", "json", "map", "t:x"], inputs);
    assert_eq!(array.json().as_array().unwrap().len(), 5);
    let none = place
        .run_with_stdin(&["--mode", "json", "map", "t:x"], b"\n")
        .ok();
    assert_eq!(none.stdout, "[]\n");
}

#[test]
fn so_many_run_at_one_time_and_a_result_waits_for_those_before_it() {
    let mut handshake = Handshake::new().unwrap();
    let place = place(
        &["blocks", "count=1", "gated=yes", &handshake.argument()],
        "",
    );
    std::fs::write(place.path("work/inputs"), "1\n2\n3\n4\n5\n").unwrap();
    let words = [
        &NDJSON[..],
        &["@inputs", "--width", "2", "--timeout", "60s"],
    ]
    .concat();
    let mut child = place.start(&words);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // Whichever of the two stands at its gate first goes on; a third is not begun before one of them has ended.
    for opened in 0..5 {
        handshake.wait_for("leader", "gate", LIMIT).unwrap();
        let begun = handshake.pids().len();
        assert!(
            begun <= opened + 2,
            "{begun} were begun when {opened} could have ended"
        );
        handshake.open_gate("leader", LIMIT).unwrap();
    }
    for index in 0..5 {
        let item: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(item["index"], index);
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(handshake.wait_gone(LIMIT), []);
}

#[test]
fn a_call_that_hangs_is_a_timeout_of_its_own() {
    let place = Place::new();
    // Sleeps for as many seconds as the input says.
    place.config(
        "[tools.\"t:x\"]\ndescription = ''\ncommand = 'sleep'\nargs = [{ from = 'seconds' }]\n",
    );
    let inputs =
        "{\"seconds\":\"60\"}\n{\"seconds\":\"0\"}\n{\"seconds\":\"60\"}\n{\"seconds\":\"0\"}\n";
    let words = [&NDJSON[..], &["--timeout", "5s", "--width", "4"]].concat();
    let items = items(&place.run_with_stdin(&words, inputs.as_bytes()));
    let kinds: Vec<&Value> = items.iter().map(|item| &item["error"]["kind"]).collect();
    assert_eq!(
        kinds,
        [
            &json!("timeout"),
            &Value::Null,
            &json!("timeout"),
            &Value::Null
        ]
    );
}

#[test]
fn a_reader_that_is_slow_holds_the_inputs_back() {
    let mut handshake = Handshake::new().unwrap();
    let place = place(
        &["blocks", "count=1", "size=60000", &handshake.argument()],
        "",
    );
    let inputs = "1\n".repeat(400);
    std::fs::write(place.path("work/inputs"), &inputs).unwrap();
    let words = [
        &NDJSON[..],
        &["@inputs", "--width", "2", "--timeout", "60s"],
    ]
    .concat();
    let mut child = place.start(&words);
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    // A pipe of 64 KiB and the buffers take a few results; without a bound all 400 would have been begun by then.
    std::thread::yield_now();
    assert!(
        handshake.pids().len() < 100,
        "{} were begun",
        handshake.pids().len()
    );
    let rest = reader.lines().count();
    assert_eq!(rest, 399);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_map_goes_on_from_its_journal() {
    let place = Place::new();
    // Fails while a file is missing, else answers with its input.
    let script = "#!/bin/sh\necho run >> RUNS\nread line || :\ncase \"$line\" in *2*) test -e OPEN || exit 3;; esac\nprintf '%s' \"$line\"\n";
    let at = |name: &str| place.path(name).display().to_string();
    let script = script
        .replace("RUNS", &at("runs"))
        .replace("OPEN", &at("open"));
    let tool = place.script("tool", &script);
    place.config(&format!(
        "[tools.\"t:x\"]\ndescription = ''\nmapping = 'json'\ncommand = '{}'\n",
        tool.display()
    ));
    let runs = || {
        std::fs::read_to_string(place.path("runs"))
            .unwrap()
            .lines()
            .count()
    };
    let words = [&NDJSON[..], &["--journal", "journal"]].concat();
    let first = place.run_with_stdin(&words, b"1\n2\n3\n");
    assert_eq!((first.code, runs()), (6, 3), "{first:?}");
    std::fs::write(place.path("open"), "").unwrap();
    // What succeeded is not called again, and comes out as it was; a kill may have cut the last line.
    let journal = place.path("work/journal");
    let mut kept = std::fs::OpenOptions::new()
        .append(true)
        .open(&journal)
        .unwrap();
    kept.write_all(b"{\"index\":1,\"input_ha").unwrap();
    let second = place.run_with_stdin(&words, b"1\n2\n3\n4\n").ok();
    assert_eq!(runs(), 5);
    let (before, after) = (items(&first), items(&second));
    assert_eq!((&before[0], &before[2]), (&after[0], &after[2]));
    assert_eq!(after[1]["blocks"][0]["payload"]["data"]["output"], 2);
    // Another input in a place is another call.
    place.run_with_stdin(&words, b"5\n2\n3\n4\n").ok();
    assert_eq!(runs(), 6);
    let other = [
        &words[..1],
        &[
            "ndjson",
            "map",
            "lonis:builtin:echo",
            "--journal",
            "journal",
        ],
    ]
    .concat();
    place
        .run_with_stdin(&other, b"1\n")
        .fails("invalid_input", 2);
}

#[test]
fn what_was_kept_is_shown_to_people_as_what_is_new() {
    let place = place(&["echo"], "");
    let words = ["map", "t:x", "--journal", "journal"];
    let fresh = place.run_with_stdin(&words, b"1\n[2]\n").ok();
    assert!(fresh.stdout.starts_with("[0] "), "{fresh:?}");
    let kept = place.run_with_stdin(&words, b"1\n[2]\n").ok();
    assert_eq!(kept.stdout, fresh.stdout);
}

#[test]
fn a_line_that_never_ends_ends_the_map() {
    let place = place(&["echo"], "");
    let run = place.run(&[&NDJSON[..], &["@/dev/zero"]].concat());
    run.fails("invalid_input", 2);
}

#[test]
fn what_may_pass_is_tried_again_where_nothing_is_changed() {
    let place = Place::new();
    let script = "#!/bin/sh\nif test -e SEEN; then echo 7; else : > SEEN; echo '{\"kind\":\"rate_limited\",\"message\":\"later\",\"exit_code\":5}' >&2; exit 5; fi\n";
    let script = script.replace("SEEN", &place.path("seen").display().to_string());
    let tool = place.script("tool", &script);
    let config = |effects: &str| {
        place.config(&format!(
            "[tools.\"t:x\"]\ndescription = ''\nmapping = 'json'\nside_effects = '{effects}'\ncommand = '{}'\n",
            tool.display()
        ));
    };
    let words = [&NDJSON[..], &["--retries", "3"]].concat();
    config("network");
    place
        .run_with_stdin(&words, b"1\n")
        .fails("invalid_input", 2);
    config("read-only");
    let items = items(&place.run_with_stdin(&words, b"1\n").ok());
    assert_eq!(
        (&items[0]["attempts"], &items[0]["error"]),
        (&json!(2), &Value::Null)
    );
}

#[test]
fn a_signal_ends_every_call_and_then_the_program() {
    use std::os::unix::process::ExitStatusExt;
    let mut handshake = Handshake::new().unwrap();
    let place = place(&["hold-pipe", "millis=60000", &handshake.argument()], "");
    std::fs::write(place.path("work/inputs"), "1\n2\n3\n4\n5\n6\n").unwrap();
    let words = [
        &NDJSON[..],
        &["@inputs", "--width", "3", "--timeout", "60s"],
    ]
    .concat();
    let mut child = place.start(&words);
    while handshake
        .heard()
        .iter()
        .filter(|heard| heard.line == "ready" && heard.role == "grandchild")
        .count()
        < 3
    {
        handshake.wait_for("grandchild", "ready", LIMIT).unwrap();
        std::thread::yield_now();
    }
    let sent = std::process::Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(handshake.wait_gone(LIMIT), []);
    assert_eq!(handshake.pids().len(), 6, "no further call was begun");
}

#[test]
fn usage_that_is_wrong_is_told_before_anything_is_called() {
    let place = place(&["echo"], "");
    std::fs::write(place.path("work/empty"), "").unwrap();
    std::fs::write(place.path("work/notes"), "not mine").unwrap();
    for (words, kind, code) in [
        (&["map", "no:such"][..], "not_found", 3),
        (&["map", "t:x", "--width", "0"], "invalid_input", 2),
        (&["map", "t:x", "@/no/such/file"], "invalid_input", 2),
        (&["map", "t:x", "@/"], "invalid_input", 2),
        (
            &["map", "t:x", "--journal", "/no/such/folder/journal"],
            "io",
            8,
        ),
        (
            &["map", "t:x", "@empty", "--journal", "notes"],
            "invalid_input",
            2,
        ),
        (
            &["map", "t:x", "@empty", "--journal", "/dev/full"],
            "invalid_input",
            2,
        ),
        (
            &["map", "t:x", "@empty", "--journal", "empty"],
            "invalid_input",
            2,
        ),
    ] {
        place
            .run(&[&["--mode", "json"], words].concat())
            .fails(kind, code);
    }
    for (name, text) in [("empty", ""), ("notes", "not mine")] {
        let left = std::fs::read_to_string(place.path("work").join(name));
        assert_eq!(left.unwrap(), text);
    }
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    std::fs::write(place.path("work/inputs"), "1\n2\n").unwrap();
    let words = [&NDJSON[..], &["@inputs"]].concat();
    let output = place.command(&words).stdout(full).output().unwrap();
    assert_eq!(Run::of(output).error().kind().as_str(), "io");
    assert!(Path::new("/dev/full").exists());
}
