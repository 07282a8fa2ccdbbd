//! Jobs under attack, calls that are killed, and calls at once.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::job_root::{
    CLAMP, GOOD, Job, Root, WITH_HOLE, WRONG, checker, draft, nothing, question,
};
use crate::program::Run;

#[test]
fn a_bundle_is_all_that_is_read() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let listed = job.document("read_context", &json!({"path": "."}));
    let entries =
        json!({"entries": ["bundle.json", "callees/", "examples/", "spec.md", "tests.json"]});
    assert_eq!(listed, json!({"tag": "Dir", "value": entries}));
    let callee = job.document("read_context", &json!({"path": "callees/list_map.md"}));
    let text = callee["value"]["content"].as_str().expect("a text");
    assert!(
        text.starts_with("# list_map\n\n```soil-sig\nlist_map : "),
        "{text}"
    );
    let spec = job.document("read_context", &json!({"path": "spec.md"}));
    assert_eq!(spec["value"]["content"], root.read("shop/clamp.tr"));
    let outside = [
        "/etc/passwd",
        "..",
        "../job.json",
        "a/../../x",
        "a\\b",
        "a//b",
        "x\0y",
    ];
    for path in outside {
        let refused = job.refusal("read_context", &json!({"path": path}));
        assert_eq!(refused, (vec!["bundle-path".to_owned()], 1), "{path:?}");
    }
    let bundle = job.path("bundle");
    symlink("/etc/passwd", bundle.join("link.md")).expect("it is made");
    symlink("/", bundle.join("folder")).expect("it is made");
    let long = "x".repeat(5_000);
    for path in [
        "absent.md",
        "link.md",
        "folder",
        "folder/etc/passwd",
        "spec.md/x",
        &long,
    ] {
        let refused = job.refusal("read_context", &json!({"path": path}));
        assert_eq!(refused, (vec!["bundle-not-found".to_owned()], 3), "{path}");
    }
    let listed = job.document("read_context", &json!({"path": ""}));
    assert_eq!(listed["value"], entries, "links are not shown");
}

#[test]
fn a_foreign_directory_is_no_job() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let other = root.path().join("other");
    fs::create_dir(&other).expect("it is made");
    let link = root.path().join("link");
    symlink(&job.0, &link).expect("it is made");
    let text = |path: &Path| path.to_str().expect("a text").to_owned();
    let references = [
        "relative/path".to_owned(),
        "/".to_owned(),
        "/nothing/there".to_owned(),
        text(&other),
        text(&link),
        text(&job.path("job.json")),
    ];
    for reference in references {
        let refused = Job(reference.clone()).refusal("check_types", &nothing());
        assert_eq!(
            refused,
            (vec!["job-not-running".to_owned()], 1),
            "{reference}"
        );
    }
    assert!(
        !other.join("lock").exists(),
        "a foreign directory is left alone"
    );
    // Another form is another program's.
    let record = job.record().to_string();
    for changed in [
        record.replace("\"job_format\":1", "\"job_format\":2"),
        "{".to_owned(),
    ] {
        fs::write(job.path("job.json"), changed).expect("it is written");
        let refused = job.refusal("check_types", &nothing());
        assert_eq!(refused, (vec!["job-not-running".to_owned()], 1));
    }
}

#[test]
fn a_kept_answer_is_the_computed_one() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    for soil in [GOOD, WITH_HOLE, "clamp : I64\nclamp = 1.5\n"] {
        job.write(soil);
        for tool in ["check_types", "run_tests"] {
            let answer = |job: &Job| {
                let run = job.call(tool, &nothing());
                let stdout = run.stdout.split("\"payload\":").nth(1).map(str::to_owned);
                (run.code, stdout, run.stderr)
            };
            let computed = answer(&job);
            assert_eq!(answer(&job), computed, "{tool} {soil}");
            for entry in fs::read_dir(job.path("cache"))
                .expect("it is there")
                .flatten()
            {
                fs::remove_file(entry.path()).expect("it is removed");
            }
            assert_eq!(answer(&job), computed, "{tool} {soil}");
        }
    }
}

/// Changes every document that a job keeps.
fn change_kept(job: &Job, from: &str, to: &str) -> usize {
    let entries = fs::read_dir(job.path("cache"))
        .expect("it is there")
        .flatten();
    let changed = entries.filter(|entry| {
        let text = fs::read_to_string(entry.path()).expect("a text");
        let changed = text.replace(from, to);
        fs::write(entry.path(), &changed).expect("it is written");
        changed != text
    });
    changed.count()
}

#[test]
fn a_draft_that_did_not_change_is_answered_from_what_is_kept() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.write(GOOD);
    let place = |document: &Value, place: &str| document.pointer(place).expect(place).clone();
    // Only what is kept could say the word that is written into it here.
    let cases = [
        ("check_types", "/defs/0/checks/termination", "verified"),
        ("run_tests", "/cases/0/name", "inside#1"),
    ];
    for (tool, at, word) in cases {
        assert_eq!(place(&job.document(tool, &nothing()), at), word, "{tool}");
        assert_eq!(change_kept(&job, word, "as kept"), 1, "{tool}");
        for _ in 0..2 {
            assert_eq!(
                place(&job.document(tool, &nothing()), at),
                "as kept",
                "{tool}"
            );
        }
        job.write(&GOOD.replace("x < low", "low > x"));
        assert_eq!(place(&job.document(tool, &nothing()), at), word, "{tool}");
        job.write(GOOD);
        assert_eq!(
            place(&job.document(tool, &nothing()), at),
            "as kept",
            "{tool}"
        );
    }
    // Refusals are kept too.
    job.write(&GOOD.replacen("I64\n", "Bool\n", 1));
    let message = |error: &Value| place(error, "/details/errors/0/message");
    let computed = message(&job.error("check_types", &nothing()));
    let computed = computed.as_str().expect("a text").to_owned();
    assert_eq!(change_kept(&job, &computed, "as kept"), 1);
    assert_eq!(message(&job.error("check_types", &nothing())), "as kept");
}

#[test]
fn what_is_kept_and_does_not_read_is_computed_again() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.write(GOOD);
    let computed = job.document("check_types", &nothing());
    for text in [&b""[..], b"{", b"\xff", b"[1]x", b"null"] {
        for entry in fs::read_dir(job.path("cache"))
            .expect("it is there")
            .flatten()
        {
            fs::write(entry.path(), text).expect("it is written");
        }
        assert_eq!(
            job.document("check_types", &nothing()),
            computed,
            "{text:?}"
        );
    }
}

#[test]
fn a_question_carries_the_last_test_that_failed() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.write(WRONG);
    let failed = job.document("run_tests", &nothing());
    let failed = failed["cases"]
        .as_array()
        .expect("a list")
        .last()
        .expect("one")
        .clone();
    assert_eq!(failed["result"], "fail");
    job.write(GOOD);
    job.document("run_tests", &nothing());
    job.document("ask_human", &question("Rule"));
    let stored: Value = serde_json::from_str(&root.read("shop/clamp.question.json")).expect("JSON");
    assert_eq!(stored["evidence"], failed);
}

#[test]
fn two_calls_at_once_follow_each_other() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let calls: Vec<_> = (0..6)
        .map(|index| {
            let soil = if index % 2 == 0 { GOOD } else { WITH_HOLE };
            job.start("write_soil", &draft(soil))
        })
        .collect();
    for call in calls {
        let run = Run::of(call.wait_with_output().expect("it ends"));
        run.answer();
    }
    assert_eq!(job.record()["turns"], 6);
    let facts = fs::read_to_string(job.path("draft.json")).expect("it is there");
    let facts: Value = serde_json::from_str(&facts).expect("JSON");
    assert_eq!(facts["seq"], 6);
}

#[test]
fn a_job_that_stays_held_is_waited_for_in_vain() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let held = fs::File::create(job.path("lock")).expect("it is made");
    held.lock().expect("nobody else has it");
    assert_eq!(
        job.refusal("check_types", &nothing()),
        (vec!["io".to_owned()], 8)
    );
    drop(held);
    assert_eq!(job.record()["turns"], 0);
    assert!(root.read("shop/clamp.log").contains("\"errors\":[\"io\"]"));
    job.write(GOOD);
}

#[test]
fn a_killed_call_leaves_a_readable_job() {
    let root = Root::clamp();
    let job = root.open(&["clamp", "--turns", "1000"]);
    job.write(GOOD);
    for round in 0_u64..60 {
        let (tool, input) = match round % 3 {
            0 => ("write_soil", draft(WRONG)),
            1 => ("run_tests", nothing()),
            _ => ("write_soil", draft(GOOD)),
        };
        let mut child = job.start(tool, &input);
        // Where the call is by then differs from round to round, which is what is wanted.
        for _ in 0..round * 8_000 {
            std::hint::spin_loop();
        }
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        let turns = job.record()["turns"].as_u64().expect("a number");
        job.document("read_context", &json!({"path": "spec.md"}));
        assert_eq!(job.record()["turns"], turns + 1);
    }
    job.write(GOOD);
    assert_eq!(job.close()["outcome"]["tag"], "Green");
}

/// Asks as a model does.
#[test]
fn a_question_that_was_asked_in_part_is_asked_or_is_not() {
    // Killed before the question was written: nothing was asked, and the job goes on.
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.write(GOOD);
    fs::write(job.path("asking.json"), "{\"def\":\"shop/clamp\"}\n").expect("it is written");
    job.document("check_types", &nothing());
    assert!(!job.path("asking.json").exists());
    // Killed after it: the question is there, so the job has asked, whoever looks first.
    let running = job.record();
    job.document("ask_human", &question("Rule"));
    assert!(!job.path("asking.json").exists());
    let stored = root.read("shop/clamp.question.json");
    let left_between = || {
        fs::write(job.path("job.json"), running.to_string()).expect("it is written");
        fs::write(job.path("asking.json"), &stored).expect("it is written");
    };
    left_between();
    let over = (vec!["job-not-running".to_owned()], 1);
    assert_eq!(job.refusal("check_types", &nothing()), over);
    assert_eq!(job.record()["state"], "asked");
    left_between();
    assert_eq!(job.close()["outcome"]["tag"], "Question");
    assert!(!root.has("shop/clamp.soil"));
}

#[test]
fn an_answer_that_was_given_in_part_is_given_or_is_not() {
    let digest = |root: &Root, path: &str| {
        use sha2::{Digest, Sha256};
        let text = root.read(path);
        let length = (text.len() as u64).to_le_bytes();
        let hash = Sha256::new()
            .chain_update(length)
            .chain_update(&text)
            .finalize();
        let start = "sha256:".to_owned();
        hash.iter()
            .fold(start, |text, byte| text + &format!("{byte:02x}"))
    };
    let ask = json!({"kind": "Ambiguity", "question": "Which?", "hole": null, "options": []});
    let root = Root::clamp();
    root.open(&["clamp"]).document("ask_human", &ask);
    let (asked, before) = (
        root.read("shop/clamp.question.json"),
        root.read("shop/clamp.tr"),
    );
    root.run(&["answer", "clamp", "--text", "Low."]).answer();
    assert!(!root.has(".lonis/answering.json"));
    let after = root.read("shop/clamp.tr");
    root.write("shop/clamp.question.json", &asked);
    let note = json!({
        "question": ["shop/clamp.question.json", digest(&root, "shop/clamp.question.json")],
        "file": ["shop/clamp.tr", digest(&root, "shop/clamp.tr")],
    });
    // Killed with the answer written: the question is answered, and the next job may begin.
    root.write(".lonis/answering.json", &note.to_string());
    root.open(&["clamp"]);
    assert!(!root.has("shop/clamp.question.json") && !root.has(".lonis/answering.json"));
    assert_eq!(root.read("shop/clamp.tr"), after);
    // Killed before it: the question waits as ever.
    root.write("shop/clamp.tr", &before);
    root.write("shop/clamp.question.json", &asked);
    root.write(".lonis/answering.json", &note.to_string());
    assert_eq!(root.refused(&["clamp"]), ["job-question-open"]);
    root.run(&["answer", "clamp", "--text", "Low."]).answer();
    assert_eq!(root.read("shop/clamp.tr"), after);
    // A note that leads out of the project is none.
    let outside = root.path().parent().expect("a folder").join("kept.json");
    fs::write(&outside, "{}").expect("it is written");
    root.write("kept.json", "{}");
    let kept = digest(&root, "kept.json");
    for path in ["../kept.json", outside.to_str().expect("a text")] {
        let note = json!({"question": [path, kept], "file": note["file"]});
        root.write(".lonis/answering.json", &note.to_string());
        root.open(&["clamp"]);
        assert!(outside.exists() && !root.has(".lonis/answering.json"));
    }
}

#[test]
fn a_question_of_another_job_is_not_ones_own() {
    let root = Root::clamp();
    let (first, second) = (root.open(&["clamp"]), root.open(&["clamp"]));
    first.document("ask_human", &question("Rule"));
    let refused = second.refusal("ask_human", &question("Rule"));
    assert_eq!(refused, (vec!["question-write-conflict".to_owned()], 1));
    assert!(!second.path("asking.json").exists());
    second.write(GOOD);
    assert_eq!(second.record()["state"], "running");
}

#[test]
fn a_killed_call_leaves_text_and_citations_of_one_draft() {
    const DECIDED: &str = "---\nname: shop\n---\n\nA shop.\n\n```exports\nclamp\n```\n\n```decisions\nrounding: down\n```\n";
    let root = Root::new(&[("shop/clamp.tr", CLAMP), ("shop/_module.tr", DECIDED)]);
    let job = root.open(&["clamp", "--turns", "1000"]);
    let cited = json!([{"scope": "Module", "label": "rounding"}]);
    let with = json!({"soil": GOOD, "decisions_applied": cited});
    let without = draft(WITH_HOLE);
    job.document("write_soil", &with);
    for round in 0_u64..60 {
        let mut child = job.start("write_soil", if round % 2 == 0 { &without } else { &with });
        for _ in 0..round * 6_000 {
            std::hint::spin_loop();
        }
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        let checked = job.document("check_types", &nothing());
        let has_hole = checked["defs"][0]["checks"]["holes"][0].is_object();
        let is_cited = checked.get("uncited").is_none();
        assert_eq!(is_cited, !has_hole, "round {round}: {checked}");
    }
}

#[test]
fn a_killed_close_is_finished_by_the_next() {
    for round in 0_u64..40 {
        let root = Root::clamp();
        let job = root.open(&["clamp"]);
        job.write(GOOD);
        let mut child = checker(Path::new("/"), &["job", "close", &job.0])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        for _ in 0..round * 16_000 {
            std::hint::spin_loop();
        }
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        if job.record()["state"] != "closed" {
            assert_eq!(job.close()["outcome"]["tag"], "Green", "round {round}");
        }
        assert_eq!(root.read("shop/clamp.soil"), GOOD);
        let lock: Value = serde_json::from_str(&root.read("shop/clamp.lock")).expect("JSON");
        assert_eq!(lock["checks"]["holes"], 0);
    }
}

#[test]
fn what_a_killed_open_left_is_no_job() {
    let root = Root::clamp();
    let left = root.path().join(".lonis/jobs/.new/bundle");
    fs::create_dir_all(left).expect("it is made");
    let job = root.open(&["clamp"]);
    assert_eq!(root.jobs(), ["shop.clamp.1"]);
    let listed = root.run(&["job", "list", "--json"]);
    let listed: Value = serde_json::from_str(listed.answer()).expect("a document");
    assert_eq!(listed["jobs"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["jobs"][0]["job"], json!(job.0));
}

#[test]
fn a_draft_that_never_ends_is_a_failed_case() {
    let spec = "---\nname: count\n---\n\nCounts.\n\n```soil-sig\ncount : (n : I64) -> div panic I64\n```\n\n```test t\n(0) => 0\n(1) => 1\n```\n";
    let root = Root::new(&[("shop/count.tr", spec)]);
    let job = root.open(&["count"]);
    let cases = [
        ("count n = count (n + 1 - 1)", "fuel-exhausted"),
        ("count n = 1 + count n", "depth-exhausted"),
    ];
    for (body, kind) in cases {
        job.write(&format!("count : (n : I64) -> div panic I64\n{body}"));
        let tested = job.document("run_tests", &nothing());
        for case in tested["cases"].as_array().expect("a list") {
            let actual = case["details"]["value"]["actual"].as_str().expect("a text");
            assert!(actual.starts_with(&format!("panic: {kind}")), "{actual}");
        }
    }
    assert_eq!(job.close()["outcome"]["tag"], "Failed");
}

#[test]
fn the_same_job_in_two_folders_gives_the_same_bytes() {
    let answers = || {
        let root = Root::clamp();
        let job = root.open(&["clamp", "--provider", "p", "--model", "m"]);
        job.write(WRONG);
        let tested = job.document("run_tests", &nothing());
        job.write(GOOD);
        let checked = job.block("check_types", &nothing());
        let provenance = checked["provenance"].clone();
        let hashes = ["project_hash", "plan_hash"].map(|key| provenance[key].clone());
        job.close();
        (
            tested,
            checked["payload"].clone(),
            hashes,
            root.read("shop/clamp.lock"),
        )
    };
    assert_eq!(answers(), answers());
}

#[test]
fn a_log_that_cannot_be_written_fails_no_call_and_people_are_told() {
    let root = Root::clamp();
    fs::create_dir(root.path().join("shop/clamp.log")).expect("it is made");
    let job = root.open(&["clamp"]);
    job.write(GOOD);
    let problem = "/shop/clamp.log` cannot be written: ";
    let shown = [&["status"][..], &["job", "show", &job.0]];
    for words in shown {
        assert!(root.run(words).answer().contains(problem), "{words:?}");
    }
    assert_eq!(job.close()["outcome"]["tag"], "Green");
    let other = root.open(&["clamp"]);
    other.document("ask_human", &question("Rule"));
    let module = "---\nname: shop\n---\n\nA shop.\n\n```exports\nclamp\n```\n\n```decisions\nrounding: down\n```\n";
    assert_eq!(
        root.run(&["answer", "clamp", "--text", "Low."]).code,
        2,
        "no block takes the rule"
    );
    fs::remove_file(root.path().join("shop/clamp.question.json")).expect("it is there");
    root.write("shop/_module.tr", module);
    let third = root.open(&["clamp"]);
    third.document("ask_human", &question("Rule"));
    let answered = root.run(&["answer", "clamp", "--text", "Low."]);
    assert!(answered.answer().contains(problem), "{answered:?}");
}
