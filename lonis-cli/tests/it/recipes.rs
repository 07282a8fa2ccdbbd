//! The ready definitions of `docs/recipes` are read, and do what they say where their program is there.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::program::{Place, Run};

fn recipe(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/recipes")
        .join(name)
        .canonicalize()
        .unwrap()
}

/// Calls a tool of a recipe; nothing where its program is absent.
fn call(file: &str, program: &str, id: &str, input: &Value) -> Option<Run> {
    if lonis::process::Program::new(program).resolve().is_err() {
        println!("skipped: `{program}` is not on PATH");
        return None;
    }
    let place = Place::new().with("LONIS_CONFIG", recipe(file).to_str().unwrap());
    Some(place.run(&["call", id, &input.to_string()]))
}

#[test]
fn every_recipe_is_read() {
    let mut seen = 0;
    for entry in std::fs::read_dir(recipe(".")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") {
            let place = Place::new().with("LONIS_CONFIG", path.to_str().unwrap());
            place.run(&["--mode", "json", "providers", "list"]).ok();
            seen += 1;
        }
    }
    assert_eq!(seen, 5);
}

#[test]
fn grep_finds_lines() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/recipes.rs");
    let input = json!({ "pattern": "every_recipe_is_re[a]d", "paths": [source] });
    let Some(run) = call("grep.toml", "grep", "grep:search", &input) else {
        return;
    };
    assert!(run.ok().stdout.contains("fn every_recipe_is_read"));
}

#[test]
fn git_lists_and_shows_commits_and_never_takes_an_object_for_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let git = |words: &[&str]| {
        let status = std::process::Command::new("git")
            .current_dir(folder.path())
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(words)
            .status();
        assert!(status.unwrap().success(), "{words:?}");
    };
    git(&["init", "--quiet"]);
    std::fs::write(folder.path().join("a.txt"), "hello\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "first"]);
    let repository = folder.path().to_str().unwrap();
    let log = call(
        "git.toml",
        "git",
        "git:log",
        &json!({ "repository": repository, "count": 5 }),
    )
    .unwrap();
    assert!(log.ok().stdout.contains("first"));
    let show = |object: &str| {
        call(
            "git.toml",
            "git",
            "git:show",
            &json!({ "repository": repository, "object": object }),
        )
        .unwrap()
    };
    assert!(show("HEAD:a.txt").ok().stdout.contains("hello"));
    assert_ne!(show("--output=/tmp/never-written").code, 0);
}

#[test]
fn jq_filters_a_document() {
    let input = json!({ "filter": ".[] | .a", "document": [{ "a": 1 }, { "a": [2] }] });
    let Some(run) = call("jq.toml", "jq", "jq:filter", &input) else {
        return;
    };
    assert_eq!(run.ok().stdout, "result: 1\nresult: [2]\n");
}
