//! What a program answers, with placeholders for what no two runs have in common.

use std::collections::BTreeMap;

use lonis_diagnostics::CATALOG_IDENTITY;
use serde_json::{Value, json};

use super::case::{Golden, Seen, WIDTHS};
use super::served;
use super::steps::Stage;

/// What stands for the identity of the catalog.
pub(crate) const CATALOG_PLACEHOLDER: &str = "<catalog-identity>";

/// Members that hold a time, a process, an executable of the machine, or the identity of something with one of them.
const VARYING: &[&str] = &[
    "at",
    "blake3",
    "boot",
    "duration_micros",
    "enforcement",
    "env_digest",
    "evidence",
    "last_evidence",
    "log_head",
    "pid",
    "since",
    "verdict",
];

/// Plays a case, and gives what the program answers.
///
/// # Panics
/// When the answer breaks a rule that holds for every one: one canonical line, and nothing beside it.
pub(crate) fn play(case: &Golden) -> Seen {
    match &*case.program {
        "lonis" => return served::by_host(case),
        "lonis-mcp" => return served::by_server(case),
        _ => {}
    }
    let mut stage = Stage::of(case);
    let output = stage.run(&case.argv, &case.stdin, 96);
    let id = &case.id;
    let line = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let envelope: Value =
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{id}: {error}: {line}{stderr}"));
    let canonical = lonis::canonical::text(&envelope).unwrap() + "\n";
    assert_eq!(line, canonical, "{id}: the line is canonical");
    let exit = output.status.code();
    assert_ne!(exit, Some(0), "{id}: nothing fails: {line}");
    let words: Vec<String> = case
        .argv
        .iter()
        .filter(|word| *word != "--json")
        .cloned()
        .collect();
    let quoted = varying(&envelope);
    let mut human = BTreeMap::new();
    let mut texts = line;
    for width in WIDTHS {
        if case.afresh {
            stage = Stage::of(case);
        }
        let output = stage.run(&words, &case.stdin, width);
        assert_eq!(output.status.code(), exit, "{id}: both faces have one code");
        assert_eq!(output.stdout, b"", "{id}: text of a failure is on stderr");
        let text = String::from_utf8(output.stderr).unwrap();
        texts += &text;
        let lines = text.lines().map(|line| without(line, &quoted));
        human.insert(width.to_string(), lines.collect());
    }
    let temporary = std::env::temp_dir();
    for place in [stage.folder(), &temporary] {
        let place = place.to_string_lossy();
        assert!(!texts.contains(&*place), "{id}: says where it was played");
    }
    Seen {
        stdout: neutral(envelope),
        stderr,
        exit,
        human,
    }
}

/// Puts placeholders in the place of what no two runs have in common, also where a text quotes it.
pub(crate) fn neutral(value: Value) -> Value {
    let quoted = varying(&value);
    replaced(value, &quoted)
}

/// The texts that vary, each with what stands for it.
fn varying(value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if VARYING.contains(&&**name) => {
                        found.push((text.clone(), format!("<{name}>")));
                    }
                    value => found.extend(varying(value)),
                }
            }
        }
        Value::Array(items) => found.extend(items.iter().flat_map(varying)),
        _ => {}
    }
    found
}

fn without(text: &str, quoted: &[(String, String)]) -> String {
    quoted.iter().fold(
        text.replace(CATALOG_IDENTITY, CATALOG_PLACEHOLDER),
        |text, (value, placeholder)| text.replace(value, placeholder),
    )
}

fn replaced(value: Value, quoted: &[(String, String)]) -> Value {
    match value {
        Value::Object(members) => {
            // What is seen of a bound that is held as time passes is a time.
            let is_timed = members.contains_key("enforcement");
            // By which of two signals it ended, too.
            let is_late = members
                .get("code")
                .is_some_and(|code| code == "obligation/timeout");
            members
                .into_iter()
                .map(|(name, value)| {
                    let is_time = is_timed && (name == "observed" || is_late && name == "signal");
                    let varies = (VARYING.contains(&&*name) || is_time) && !value.is_null();
                    let value = if varies {
                        json!(format!("<{name}>"))
                    } else {
                        replaced(value, quoted)
                    };
                    (name, value)
                })
                .collect()
        }
        Value::Array(items) => items
            .into_iter()
            .map(|item| replaced(item, quoted))
            .collect(),
        Value::String(text) => without(&text, quoted).into(),
        other => other,
    }
}
