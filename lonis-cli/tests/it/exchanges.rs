//! Exchanges between a host and a provider, pinned whole: arguments, stdin, stdout, stderr, exit code.
//!
//! `lonis` answers as the provider. A case is a file of `golden/exchanges/v1`; what changes with the clock stands as `…`.

use serde::{Deserialize, Serialize};

use crate::program::Place;

#[derive(Debug, Serialize, Deserialize, PartialEq)]
struct Exchange {
    arguments: Vec<String>,
    stdin: String,
    stdout: String,
    stderr: String,
    exit_code: i32,
}

/// What a host says, by the name of the case.
const ASKED: &[(&str, &[&str], &str)] = &[
    ("manifest", &["--mode", "json", "manifest"], ""),
    ("tools_list", &["--mode", "json", "tools", "list"], ""),
    (
        "tools_describe",
        &["--mode", "json", "tools", "describe", "lonis:builtin:echo"],
        "",
    ),
    (
        "tools_describe_unknown",
        &["--mode", "json", "tools", "describe", "lonis:builtin:none"],
        "",
    ),
    (
        "call_json",
        &["--mode", "json", "call", "lonis:builtin:echo"],
        r#"{"a":[1.50,12345678901234567890123]}"#,
    ),
    (
        "call_ndjson",
        &["--mode", "ndjson", "call", "lonis:builtin:echo"],
        r#""text""#,
    ),
    (
        "call_human",
        &["--mode", "human", "call", "lonis:builtin:echo"],
        r#"{"a":1}"#,
    ),
    (
        "call_null",
        &["--mode", "json", "call", "lonis:builtin:echo"],
        "null",
    ),
    (
        "call_bad_json",
        &["--mode", "json", "call", "lonis:builtin:echo"],
        r#"{"a":1,"a":2}"#,
    ),
    ("usage", &["--mode", "json", "frobnicate"], ""),
];

#[test]
fn each_is_as_it_was_pinned() {
    let pinned = golden::Family::named("exchanges");
    let place = Place::new();
    for (name, arguments, stdin) in ASKED {
        let run = place.run_with_stdin(arguments, stdin.as_bytes());
        let exchange = Exchange {
            arguments: arguments.iter().map(ToString::to_string).collect(),
            stdin: (*stdin).to_owned(),
            stdout: without_time(&run.stdout),
            stderr: run.stderr,
            exit_code: run.code,
        };
        let text = serde_json::to_string_pretty(&exchange).unwrap() + "\n";
        pinned.assert_pinned(&format!("{name}.json"), &text);
    }
    let names: Vec<String> = pinned.cases().into_iter().map(|case| case.name).collect();
    assert_eq!(names.len(), ASKED.len(), "{names:?}");
}

/// The stamp of a block is the one thing that no two runs share.
fn without_time(text: &str) -> String {
    let Some((before, rest)) = text.split_once("\"when\":\"") else {
        return text.to_owned();
    };
    let (_, after) = rest.split_once('"').unwrap();
    format!("{before}\"when\":\"…\"{}", without_time(after))
}
