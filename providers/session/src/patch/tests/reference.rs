//! The page about patches in the book, held against what is read.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::fixture::document;
use crate::patch::document::{Document, DocumentError, OPS};

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/src/reference/session.md"
);

/// The own members of each op of the page, and whether each is required.
fn rows() -> BTreeMap<String, BTreeMap<String, bool>> {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (_, section) = page.split_once("\n| op | members").unwrap();
    let lines = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = lines.map(|line| {
        let (op, rest) = line.split_once("` |").unwrap();
        let (members, _) = rest.split_once('|').unwrap();
        let members = members.split(',').map(str::trim);
        let members = members.filter(|member| !member.is_empty()).map(|member| {
            let name = member.trim_end_matches('?').trim_matches('`').to_owned();
            (name, !member.ends_with('?'))
        });
        (op.to_owned(), members.collect())
    });
    rows.collect()
}

/// A value with which a member is taken.
fn sample(name: &str) -> Value {
    match name {
        "content" => json!({"text": "x"}),
        "executable" => json!(true),
        "start_line" | "end_line" => json!(1),
        "pointer" => json!("/a"),
        "target" => json!({"path": ["a"]}),
        "anchor" => json!("last"),
        _ => json!("x"),
    }
}

/// The rule that an op breaks; nothing where it is taken.
fn refusal(op: &Value) -> Option<String> {
    match Document::read(&document(&json!([op]))) {
        Ok(_) => None,
        Err(DocumentError::Shape(failure)) => Some(failure.to_string()),
        Err(DocumentError::Paths(reports)) => panic!("{reports:?}"),
    }
}

#[test]
fn the_page_has_each_op_with_the_members_that_are_read() {
    let rows = rows();
    let known: BTreeSet<&str> = OPS.iter().copied().collect();
    assert_eq!(
        rows.keys().map(String::as_str).collect::<BTreeSet<_>>(),
        known
    );
    for (name, members) in rows {
        let mut op = json!({"op": name, "path": "a.rs"});
        if name != "create-file" {
            op["pre"] = format!("sha256:{}", "0".repeat(64)).into();
        }
        for (member, _) in members.iter().filter(|(_, is_required)| **is_required) {
            op[member] = sample(member);
        }
        assert_eq!(refusal(&op), None, "{op}");
        for (member, is_required) in &members {
            let mut without = op.clone();
            without.as_object_mut().unwrap().remove(member);
            assert_eq!(refusal(&without).is_some(), *is_required, "{without}");
        }
        op["nope"] = json!(1);
        let refused = refusal(&op).unwrap();
        let (_, listed) = refused.split_once("there are ").unwrap();
        let listed: BTreeSet<&str> = listed.split('`').skip(1).step_by(2).collect();
        let mut expected: BTreeSet<&str> = members.keys().map(String::as_str).collect();
        expected.extend(["op", "path"]);
        if name != "create-file" {
            expected.insert("pre");
        }
        assert_eq!(listed, expected, "{name}");
    }
}
