//! The page about the policy file in the book, held against what is read.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::policy::Policy;

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/src/reference/session.md"
);
const OBLIGATION: &str = "version = 1\n[[obligation]]\nname = \"x\"\nargv = [\"true\"]\n";

/// Default and values of each key of the page.
fn rows() -> BTreeMap<String, (String, String)> {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (_, section) = page.split_once("\n## The policy file\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let cells = section.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let key = cells.next()?.trim_end_matches('`').to_owned();
        Some((key, (cells.next()?.to_owned(), cells.next()?.to_owned())))
    });
    cells.collect()
}

/// Every key with its default, as an effective policy has them.
fn defaults() -> BTreeMap<String, Value> {
    let policy = Policy::parse(OBLIGATION).unwrap();
    let stored: Value = serde_json::from_slice(&policy.canonical()).unwrap();
    let mut keys = BTreeMap::from([
        ("languages".to_owned(), stored["languages"].clone()),
        ("obligation".to_owned(), Value::Array(Vec::new())),
    ]);
    for (table, members) in [
        ("files", &stored["files"]),
        ("session", &stored["session"]),
        ("redact", &stored["redact"]),
        ("obligation", &stored["obligations"][0]),
    ] {
        for (name, value) in members.as_object().unwrap() {
            keys.insert(format!("{table}.{name}"), value.clone());
        }
    }
    keys
}

/// Reads a policy with one key set.
fn with(key: &str, value: &str) -> Result<Policy, String> {
    let text = match key.split_once('.').unwrap() {
        ("obligation", name) => format!("{OBLIGATION}{name} = {value}\n"),
        (table, name) => format!("version = 1\n[{table}]\n{name} = {value}\n"),
    };
    Policy::parse(&text).map_err(|error| error.to_string())
}

#[test]
fn the_page_has_each_key_with_its_default() {
    let (mut rows, defaults) = (rows(), defaults());
    assert_eq!(rows.remove("version").unwrap().0, "required");
    let names: Vec<_> = rows.keys().collect();
    assert_eq!(names, defaults.keys().collect::<Vec<_>>());
    for (key, value) in defaults {
        let expected = match key.as_str() {
            "obligation.name" => "required".to_owned(),
            "obligation.argv" => "unset".to_owned(),
            _ if value.is_null() => "unset".to_owned(),
            _ => format!("`{value}`"),
        };
        assert_eq!(rows[&key].0, expected, "{key}");
    }
}

#[test]
fn the_page_has_the_bounds_and_words_that_are_read() {
    let (mut bounds, mut words) = (0, 0);
    for (key, (_, values)) in rows() {
        if let Some(range) = values
            .strip_prefix("1 to ")
            .filter(|_| !values.contains(" of "))
        {
            let most: u64 = range.split([',', ' ']).next().unwrap().parse().unwrap();
            assert!(with(&key, "1").is_ok(), "{key}");
            assert!(with(&key, &most.to_string()).is_ok(), "{key}");
            assert!(with(&key, "0").is_err(), "{key}");
            let refused = with(&key, &(most + 1).to_string()).unwrap_err();
            assert!(refused.contains(&format!("from 1 to {most}")), "{refused}");
            assert_eq!(
                values.contains("`contract`"),
                refused.contains("`contract`")
            );
            if let Some((_, number)) = values.split_once("`contract` (") {
                let number = number.trim_end_matches(')');
                let same = with(&key, "\"contract\"").unwrap() == with(&key, number).unwrap();
                assert!(same, "{key}");
            }
            bounds += 1;
        }
        if let Some(listed) = values.strip_prefix("one of ") {
            for word in listed.split(", ") {
                let quoted = word.replace('`', "\"");
                assert!(with(&key, &quoted).is_ok(), "{key}: {word}");
            }
            let refused = with(&key, "\"nope\"").unwrap_err();
            let count = listed.split(", ").count();
            let (_, expected) = refused.split_once("expected ").unwrap();
            let (expected, _) = expected.split_once(", received").unwrap();
            assert_eq!(expected.matches('`').count(), 2 * count, "{key}: {refused}");
            words += 1;
        }
    }
    assert_eq!((bounds, words), (11, 6));
}
