//! What people do beside jobs: they answer, look, refresh and accept.

use std::fs;

use serde_json::{Value, json};

use crate::job_root::{CLAMP, GOOD, Root, WRONG};

const DECIDED: &str = "---\nname: shop\n---\n\nA shop.\n\n```exports\nclamp\n```\n\n```decisions\nrounding: down\n```\n";

fn question(kind: &str) -> Value {
    json!({
        "kind": kind,
        "question": "What if both bounds are equal?",
        "hole": null,
        "options": ["That bound.", "- refuse it\n- at once"]
    })
}

/// Runs a command that gives a document.
fn document(root: &Root, words: &[&str]) -> Value {
    let run = root.run(&[words, &["--json"]].concat());
    serde_json::from_str(run.answer()).expect("a document")
}

/// Gives the flags of `shop/clamp`.
fn flags(root: &Root) -> Vec<String> {
    let status = document(root, &["status"]);
    let rows = status["definitions"].as_array().expect("a list").clone();
    let row = rows.iter().find(|row| row["definition"] == "shop/clamp");
    let flags = row.expect("it is there")["flags"]
        .as_array()
        .expect("a list")
        .clone();
    flags
        .iter()
        .map(|flag| flag.as_str().expect("a word").to_owned())
        .collect()
}

fn green(root: &Root) {
    let job = root.open(&["clamp"]);
    job.write(GOOD);
    assert_eq!(job.close()["outcome"]["tag"], "Green");
}

#[test]
fn an_answer_becomes_part_of_the_spec_of_a_fresh_job() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.write(WRONG);
    job.document("run_tests", &json!({}));
    job.document("ask_human", &question("Ambiguity"));
    job.close();
    let status = document(&root, &["status"]);
    let asked = &status["questions"][0];
    assert_eq!(asked["definitions"], json!(["shop/clamp"]));
    assert_eq!(asked["evidence"]["result"], "fail", "{asked}");
    let shown = root.run(&["status"]);
    assert!(
        shown.answer().contains("shop/clamp asks: What if"),
        "{shown:?}"
    );
    // Neither text nor option, and no terminal to ask on.
    for words in [
        &["answer", "clamp"][..],
        &["answer", "clamp", "--option", "3"],
    ] {
        assert_eq!(root.run(words).code, 2);
    }
    // A text that would leave its item is refused, and nothing is written.
    let refused = root.run(&["answer", "clamp", "--option", "2", "--json"]);
    assert_eq!(refused.errors()[0]["code"], "usage");
    assert_eq!(root.read("shop/clamp.tr"), CLAMP);
    let answered = document(&root, &["answer", "clamp", "--option", "1"]);
    assert_eq!(answered["file"], "shop/clamp.tr");
    let entry =
        "## Clarifications\n\n- **Q:** What if both bounds are equal?\n  **A:** That bound.\n";
    assert!(
        root.read("shop/clamp.tr").ends_with(entry),
        "{}",
        root.read("shop/clamp.tr")
    );
    assert!(!root.has("shop/clamp.question.json"));
    assert!(root.read("shop/clamp.log").contains("\"event\":\"answer\""));
    let fresh = root.open(&["clamp"]);
    let spec = fresh.document("read_context", &json!({"path": "spec.md"}));
    let text = spec["value"]["content"].as_str().expect("a text");
    assert!(text.contains("That bound."), "{text}");
    assert_eq!(root.run(&["answer", "clamp", "--text", "again"]).code, 2);
}

#[test]
fn a_rule_becomes_a_decision() {
    let files = [("shop/clamp.tr", CLAMP), ("shop/_module.tr", DECIDED)];
    for (text, line) in [
        ("bounds: both count", "bounds: both count\n"),
        ("Both count.", "clamp-1: Both count.\n"),
    ] {
        let root = Root::new(&files);
        let job = root.open(&["clamp"]);
        job.document("ask_human", &question("Rule"));
        assert_eq!(
            root.run(&["answer", "clamp", "--text", text, "--scope", "project"])
                .code,
            2
        );
        assert_eq!(
            root.run(&["answer", "clamp", "--text", "rounding: up"])
                .code,
            2
        );
        root.run(&["answer", "clamp", "--text", text]).answer();
        let decided = root.read("shop/_module.tr");
        assert!(
            decided.contains(&format!("rounding: down\n{line}```")),
            "{decided}"
        );
        assert_eq!(root.read("shop/clamp.tr"), CLAMP);
    }
    // With two blocks somebody has to say which one.
    let root = Root::new(&files);
    root.write(
        "_project.tr",
        &DECIDED
            .replace("name: shop", "name: project")
            .replace("```exports\nclamp\n```\n\n", ""),
    );
    let job = root.open(&["clamp"]);
    job.document("ask_human", &question("Rule"));
    assert_eq!(root.run(&["answer", "clamp", "--text", "Both."]).code, 2);
    root.run(&["answer", "clamp", "--text", "Both.", "--scope", "project"])
        .answer();
    assert!(root.read("_project.tr").contains("clamp-1: Both.\n"));
}

#[test]
fn an_answer_to_a_stale_question_is_refused() {
    let files = [("shop/clamp.tr", CLAMP), ("shop/_module.tr", DECIDED)];
    let cases: [(&str, &str, &str, &str, &[&str]); 3] = [
        (
            "shop/clamp.tr",
            "Keeps a number",
            "Holds a number",
            "shop/clamp.tr",
            &["\n-Keeps a number between two others.\n+Holds a number"],
        ),
        (
            "shop/_module.tr",
            "rounding: down",
            "rounding: up",
            "decisions.md",
            &["\n-- **rounding** — down\n", "\n+- **rounding** — up\n"],
        ),
        (
            "shop/_module.tr",
            "rounding: down",
            "rounding: down\nother: too",
            "decisions.md",
            &["\n+- **other** — too\n"],
        ),
    ];
    for (path, from, to, file, lines) in cases {
        let root = Root::new(&files);
        let job = root.open(&["clamp"]);
        job.document("ask_human", &question("Contradiction"));
        let text = root.read(path).replace(from, to);
        root.write(path, &text);
        let refused = root.run(&["answer", "clamp", "--text", "Yes.", "--json"]);
        let error = refused.errors()[0].clone();
        assert_eq!(error["code"], "job-stale-question", "{to}");
        // What changed is shown line by line, and nothing that did not.
        let notes = error["notes"].as_array().expect("a list");
        let diff = notes[1]["message"].as_str().expect("a text");
        assert_eq!(notes.len(), 2, "{error}");
        assert!(
            diff.starts_with(&format!("`{file}` since then:\n@@ ")),
            "{diff}"
        );
        for line in lines {
            assert!(diff.contains(line), "{line}: {diff}");
        }
        assert!(diff.lines().count() < 7, "{diff}");
        assert_eq!(root.read(path), text);
        assert!(root.has("shop/clamp.question.json"));
    }
}

#[test]
fn status_tells_what_is_not_as_the_lock_says() {
    let root = Root::new(&[("shop/clamp.tr", CLAMP), ("shop/_module.tr", DECIDED)]);
    assert_eq!(flags(&root), ["no-lock"]);
    green(&root);
    assert_eq!(flags(&root), [] as [&str; 0]);
    let cases = [
        (
            "shop/clamp.tr",
            "result <= high",
            "high >= result",
            "formal-stale",
        ),
        ("shop/clamp.tr", "(0, 10, 5)", "(0, 10, 6)", "test-stale"),
        ("shop/clamp.tr", "Keeps", "Holds", "prose-stale"),
        ("shop/clamp.soil", "x < low", "low > x", "soil-drift"),
        (
            "shop/_module.tr",
            "rounding",
            "roundings",
            "decision-scope-stale",
        ),
    ];
    for (path, from, to, flag) in cases {
        let text = root.read(path);
        assert!(text.contains(from), "{from}");
        root.write(path, &text.replace(from, to));
        assert_eq!(flags(&root), [flag], "{to}");
        root.write(path, &text);
    }
    fs::remove_file(root.path().join("shop/clamp.soil")).expect("it is there");
    assert_eq!(flags(&root), ["soil-missing"]);
}

#[test]
fn status_tells_what_a_lock_builds_on_and_what_is_gone() {
    let twice = "---\nname: twice\n---\n\nTwice.\n\n```soil-sig\ntwice : (x : I64) -> I64\n```\n\n```test t\n(1) => 1\n```\n";
    let root = Root::new(&[
        ("shop/twice.tr", twice),
        ("shop/twice.soil", "twice : (x : I64) -> I64\ntwice x = x\n"),
        ("shop/clamp.tr", CLAMP),
        ("shop/_module.tr", DECIDED),
    ]);
    root.run(&["refresh", "twice"]).answer();
    let job = root.open(&["clamp"]);
    let cited = json!([{"scope": {"tag": "Module"}, "label": "rounding"}]);
    let soil = GOOD.replace("then low", "then twice low");
    job.document(
        "write_soil",
        &json!({"soil": soil, "decisions_applied": cited}),
    );
    assert_eq!(job.close()["outcome"]["tag"], "Green");
    assert_eq!(flags(&root), [] as [&str; 0]);
    let spec_gone = &["formal-stale", "test-stale", "prose-stale"][..];
    let cases: [(&str, &str, &str, &[&str]); 5] = [
        (
            "shop/twice.soil",
            "twice x = x",
            "twice x = 0 + x",
            &["stale-callees"],
        ),
        (
            "shop/_module.tr",
            "rounding: ",
            "rounding: always ",
            &["decision-stale:rounding"],
        ),
        ("shop/clamp.tr", "name: clamp", "name clamp", spec_gone),
        ("shop/clamp.tr", "---\nname", "name", spec_gone),
        (
            "shop/clamp.lock",
            "\"lock_format\"",
            "\"no_format\"",
            &["no-lock", "soil-untracked"],
        ),
    ];
    for (path, from, to, expected) in cases {
        let text = root.read(path);
        assert!(text.contains(from), "{path}: {from}");
        root.write(path, &text.replacen(from, to, 1));
        assert_eq!(flags(&root), expected, "{path}: {to}");
        root.write(path, &text);
    }
    assert_eq!(flags(&root), [] as [&str; 0]);
    // A body whose spec is gone is not as its lock says.
    fs::remove_file(root.path().join("shop/clamp.tr")).expect("it is there");
    assert_eq!(flags(&root), spec_gone);
}

#[test]
fn a_refresh_makes_locks_true() {
    let root = Root::new(&[("shop/clamp.tr", CLAMP), ("shop/clamp.soil", GOOD)]);
    assert_eq!(flags(&root), ["no-lock", "soil-untracked"]);
    let lock = |root: &Root| -> Value {
        serde_json::from_str(&root.read("shop/clamp.lock")).expect("JSON")
    };
    document(&root, &["refresh"]);
    assert_eq!(lock(&root)["lowering"]["provenance"], "human-verified");
    assert_eq!(flags(&root), [] as [&str; 0]);
    let again = document(&root, &["refresh"]);
    assert_eq!(again["definitions"][0]["written"], false);

    root.write("shop/clamp.soil", &GOOD.replace("x < low", "low > x"));
    document(&root, &["refresh", "clamp"]);
    assert_eq!(lock(&root)["lowering"]["provenance"], "hand-edited");

    root.write("shop/clamp.tr", &CLAMP.replace("Keeps", "Holds"));
    document(&root, &["refresh"]);
    assert_eq!(flags(&root), ["review-suggested"]);
    document(&root, &["refresh", "--reviewed"]);
    assert_eq!(flags(&root), [] as [&str; 0]);

    root.write("shop/clamp.soil", WRONG);
    assert_eq!(root.run(&["refresh"]).code, 1, "a red result");
    assert_eq!(lock(&root)["tests"][2]["result"], "fail");
    let before = root.read("shop/clamp.lock");
    root.write("shop/clamp.soil", "clamp : I64\nclamp = \"a\"\n");
    assert_eq!(root.run(&["refresh"]).code, 1);
    assert_eq!(root.read("shop/clamp.lock"), before);
}

#[test]
fn only_what_passes_is_accepted() {
    let root = Root::clamp();
    assert_eq!(root.run(&["accept", "clamp", "--json"]).code, 1);
    assert!(!root.has("shop/clamp.lock"));
    green(&root);
    document(&root, &["accept", "clamp"]);
    let stage = |root: &Root| document(root, &["status"])["definitions"][0]["stage"].clone();
    assert_eq!(stage(&root), "accepted");
    document(&root, &["accept", "clamp", "--revoke"]);
    assert_eq!(stage(&root), "tested");
    document(&root, &["accept", "clamp"]);
    root.write("shop/clamp.soil", WRONG);
    assert_eq!(root.run(&["accept", "clamp", "--json"]).code, 1);
    assert_eq!(stage(&root), "typed");
}

#[test]
fn what_a_model_writes_cannot_drive_a_terminal() {
    let hostile = "Which?\u{1b}[2J\u{9b}31m\u{202e}\r\u{7}";
    let root = Root::clamp();
    let job = root.open(&["clamp", "--provider", hostile, "--model", hostile]);
    job.write(GOOD);
    let input =
        json!({"kind": "Ambiguity", "question": hostile, "hole": null, "options": [hostile]});
    job.document("ask_human", &input);
    let shown = [
        root.run(&["status"]),
        root.run(&["job", "list"]),
        root.run(&["job", "show", &job.0]),
        root.run(&["answer", "clamp", "--text", hostile]),
        root.run(&["answer", "clamp", "--option", "1"]),
        root.run(&["check"]),
        root.run(&["status"]),
    ];
    for run in shown {
        for text in [&run.stdout, &run.stderr] {
            let drives = |character: char| {
                (character.is_control() && character != '\n') || character == '\u{202e}'
            };
            assert!(!text.contains(drives), "{run:?}");
        }
    }
}

#[test]
fn a_rule_that_answers_one_question_makes_the_others_of_its_scope_stale() {
    let other = CLAMP.replace("clamp", "clip");
    let files = [
        ("shop/clamp.tr", CLAMP),
        ("shop/clip.tr", &other),
        ("shop/_module.tr", DECIDED),
    ];
    let root = Root::new(&files);
    for name in ["clamp", "clip"] {
        root.open(&[name]).document("ask_human", &question("Rule"));
    }
    let status = document(&root, &["status"]);
    let asked = status["questions"].as_array().expect("a list");
    // Equal questions of a scope are shown as one.
    assert_eq!(asked.len(), 1, "{status}");
    assert_eq!(asked[0]["definitions"], json!(["shop/clamp", "shop/clip"]));
    root.run(&["answer", "clamp", "--text", "bounds: both count"])
        .answer();
    let stale = root.run(&["answer", "clip", "--text", "bounds2: none", "--json"]);
    let error = stale.errors()[0].clone();
    assert_eq!(error["code"], "job-stale-question");
    assert!(
        error["notes"]
            .to_string()
            .contains("+- **bounds** — both count"),
        "{error}"
    );
    fs::remove_file(root.path().join("shop/clip.question.json")).expect("it is there");
    let again = root.open(&["clip"]);
    let decisions = again.document("read_context", &json!({"path": "decisions.md"}));
    assert!(decisions.to_string().contains("both count"), "{decisions}");
    again.document("ask_human", &question("Rule"));
}
