//! A call that was written down: played byte for byte where its tool is not, and made again and compared where it is.

use std::os::unix::fs::PermissionsExt;

use misbehave::Handshake;
use serde_json::Value;

use crate::program::{Place, Run, misbehave};

/// The tools that are recorded: an id, the rest of its table, and an input.
const TOOLS: &[(&str, &str, &str)] = &[
    (
        "t:blocks",
        "mapping = 'blocks'\nargs = ['blocks', 'count=3', 'form=pretty']",
        "null",
    ),
    (
        "t:partial",
        "mapping = 'blocks'\nargs = ['blocks', 'count=2', 'exit=5']",
        "null",
    ),
    (
        "t:error",
        "mapping = 'blocks'\nargs = ['error', 'before=2', 'blocks=1', 'exit=4', 'exit_code=9']",
        "null",
    ),
    (
        "t:note",
        "mapping = 'blocks'\nargs = ['error', 'exit=0', 'blocks=1']",
        "null",
    ),
    ("t:forged", "mapping = 'blocks'\nargs = ['forged']", "null"),
    (
        "t:warned",
        "mapping = 'blocks'\nargs = ['malformed', 'case=bad-stamp']",
        "null",
    ),
    (
        "t:broken",
        "mapping = 'blocks'\nargs = ['malformed', 'case=text-between']",
        "null",
    ),
    (
        "t:flood",
        "mapping = 'lines'\nargs = ['flood', 'newlines=yes']\nbounds = { max_stdout_bytes = 4_096 }",
        "null",
    ),
    (
        "t:text",
        "args = ['cat']",
        r#"{"n":12345678901234567890123,"m":1.50}"#,
    ),
    (
        "t:json",
        "mapping = 'json'\nargs = ['cat']",
        r#"{"z":1e2,"a":"\u0041"}"#,
    ),
    ("t:gone", "args = []\ncwd = '/nonexistent/folder'", "null"),
    ("lonis:builtin:echo", "", r#"[1.0,{"b":2,"a":null}]"#),
];

fn place() -> Place {
    let place = Place::new();
    let tables = TOOLS.iter().filter(|(_, rest, _)| !rest.is_empty());
    let tables = tables.map(|(id, rest, _)| {
        let command = misbehave();
        format!(
            "[tools.\"{id}\"]\ndescription = ''\ncommand = '{}'\n{rest}\n",
            command.display()
        )
    });
    place.config(&tables.collect::<String>());
    place
}

fn same(first: &Run, second: &Run, what: &str) {
    assert_eq!(
        (first.code, &first.stdout, &first.stderr),
        (second.code, &second.stdout, &second.stderr),
        "{what}"
    );
}

#[test]
fn a_record_is_played_byte_for_byte_where_nothing_of_it_is_there() {
    let there = place();
    // No tool, no provider, another directory.
    let elsewhere = Place::new();
    for (id, _, input) in TOOLS {
        for mode in ["human", "json", "ndjson"] {
            for stream in [&[][..], &["--stream"]] {
                let record = there.path(&format!("work/{id}-{mode}-{}", stream.len()));
                let record = record.to_str().unwrap();
                let words = ["--mode", mode, "call", id, input, "--record", record];
                let called = there.run(&[&words[..], stream].concat());
                let words = ["--mode", mode, "replay", record, "--offline"];
                let played = elsewhere.run(&[&words[..], stream].concat());
                same(&called, &played, &format!("{id} {mode} {stream:?}"));
                assert_eq!(
                    std::fs::metadata(record).unwrap().permissions().mode() & 0o777,
                    0o600
                );
            }
        }
    }
}

/// Records a call of a tool and gives the place with its record.
fn recorded(table: &str, input: &str) -> Place {
    let place = Place::new();
    place.config(&format!("[tools.\"t:x\"]\ndescription = ''\n{table}\n"));
    place
        .run(&["call", "t:x", input, "--record", "record"])
        .ok();
    place
}

const REPLAY: [&str; 4] = ["--mode", "json", "replay", "record"];

#[test]
fn a_call_that_comes_out_alike_is_reproduced() {
    let place = recorded("command = 'cat'\nside_effects = 'none'", r#"{"a":1.50}"#);
    let verdict = place.run(&REPLAY).ok().json();
    assert_eq!(verdict["reproduced"], true, "{verdict}");
    assert_eq!(
        (&verdict["contract"], &verdict["observed_blocks"]),
        (&"same".into(), &1.into())
    );
    let shown = place.run(&["replay", "record"]).ok();
    assert!(
        shown
            .stdout
            .starts_with("reproduced\t1 block in the record, 1 now"),
        "{shown:?}"
    );
}

#[test]
fn a_call_that_comes_out_otherwise_says_where() {
    let script = "#!/bin/sh\necho '\"one\"'; echo '\"two\"'\n";
    let place = Place::new();
    let tool = place.script("numbers", script);
    place.config(&format!(
        "[tools.\"t:x\"]\ndescription = ''\nside_effects = 'read-only'\nmapping = 'json'\ncommand = '{}'\n",
        tool.display()
    ));
    place
        .run(&["call", "t:x", "null", "--record", "record"])
        .ok();
    place.script("numbers", &script.replace("two", "three"));
    let run = place.run(&REPLAY);
    let error = run.error();
    assert_eq!((error.kind().as_str(), run.code), ("not_reproduced", 1));
    let verdict: Value = run.json();
    assert_eq!(verdict["differences"][0]["block"], 2, "{verdict}");
    assert_ne!(
        verdict["differences"][0]["recorded"],
        verdict["differences"][0]["observed"]
    );
    place.script("numbers", "#!/bin/sh\nexit 3\n");
    let verdict = place.run(&REPLAY).json();
    assert_eq!(
        verdict["errors"],
        serde_json::json!([null, "tool_failed"]),
        "{verdict}"
    );
}

#[test]
fn what_may_change_something_is_not_called_again_without_a_yes() {
    let mut handshake = Handshake::new().unwrap();
    let table = format!(
        "mapping = 'blocks'\ncommand = ['{}', 'echo', '{}']\nside_effects = 'network'",
        misbehave().display(),
        handshake.argument()
    );
    let place = recorded(&table, "[1]");
    let calls = |handshake: &mut Handshake| handshake.pids().len();
    assert_eq!(calls(&mut handshake), 1);
    place.run(&REPLAY).fails("confirmation_required", 4);
    place.run(&["replay", "record", "--offline"]).ok();
    assert_eq!(calls(&mut handshake), 1);
    place.run(&[&REPLAY[..], &["--yes"]].concat()).ok();
    assert_eq!(calls(&mut handshake), 2);
}

#[test]
fn what_is_write_only_or_secret_is_not_in_a_record() {
    let place = Place::new().with("TOKEN", "hunter22-from-outside");
    place.config(
        "[tools.\"t:x\"]\ndescription = ''\nside_effects = 'none'\ncommand = 'sh'\n\
         args = ['-c', 'cat; printf %s \"$T\"']\nstdin = 'json'\nenv = { T = 'env:TOKEN' }\n\
         [tools.\"t:x\".input_json_schema.properties.password]\nwriteOnly = true\n",
    );
    let input = r#"{"password":"swordfish","user":"ada"}"#;
    place
        .run(&["call", "t:x", input, "--record", "record"])
        .ok();
    let record = std::fs::read_to_string(place.path("work/record")).unwrap();
    let header = record.lines().next().unwrap();
    assert!(
        !header.contains("swordfish") && header.contains("ada"),
        "{header}"
    );
    assert!(!record.contains("hunter22"), "{record}");
    let error = place.run(&REPLAY).fails("invalid_input", 2);
    assert!(error.message().contains("/password"), "{error}");
    place.run(&["replay", "record", "--offline"]).ok();
}

#[test]
fn a_record_is_a_new_file_and_a_folder_gets_one_for_each_call() {
    let place = recorded("command = 'cat'", "1");
    let before = std::fs::read(place.path("work/record")).unwrap();
    let words = ["--mode", "json", "call", "t:x", "2", "--record", "record"];
    place.run(&words).fails("io", 8);
    assert_eq!(std::fs::read(place.path("work/record")).unwrap(), before);
    std::fs::create_dir(place.path("work/kept")).unwrap();
    for _ in 0..2 {
        place.run(&["call", "t:x", "2", "--record", "kept"]).ok();
    }
    assert_eq!(
        std::fs::read_dir(place.path("work/kept")).unwrap().count(),
        2
    );
}

#[test]
fn what_is_no_record_is_refused() {
    let place = recorded("command = 'cat'\nside_effects = 'none'", "1");
    let whole = std::fs::read_to_string(place.path("work/record")).unwrap();
    let (_, rest) = whole.split_once('\n').unwrap();
    for text in [
        "",
        "hello\n",
        "{}\n",
        rest,
        &whole[..whole.len() - 1],
        &whole.replace("\"output\"", "\"output2\""),
    ] {
        std::fs::write(place.path("work/damaged"), text).unwrap();
        for offline in [&[][..], &["--offline"]] {
            let words = [&["--mode", "json", "replay", "damaged"], offline].concat();
            place.run(&words).fails("invalid_input", 2);
        }
    }
    place
        .run(&["--mode", "json", "replay", "nowhere"])
        .fails("invalid_input", 2);
}
