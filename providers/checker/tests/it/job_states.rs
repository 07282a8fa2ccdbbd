//! What ends a job before its close, and what keeps one from being opened.

use std::fs;

use serde_json::{Value, json};

use crate::job_root::{CLAMP, GOOD, Root, WITH_HOLE, WRONG, codes, nothing};

fn question() -> Value {
    json!({
        "kind": {"tag": "Ambiguity"},
        "question": "What if both bounds are equal?",
        "hole": {"tag": "None"},
        "options": ["either", "refuse"]
    })
}

fn one(code: &str) -> Vec<String> {
    vec![code.to_owned()]
}

#[test]
fn a_job_directory_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let root = Root::clamp();
    let job = root.open(&["shop/clamp"]);
    let second = root.open(&["clamp"]);
    assert_eq!(root.jobs(), ["shop.clamp.1", "shop.clamp.2"]);
    let mode = fs::metadata(&job.0)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(root.read(".lonis/.gitignore"), "*\n");
    assert_eq!(job.record()["definition"], "shop/clamp");
    assert_eq!(second.record()["job_format"], 1);
    let exposure = fs::read_to_string(job.path("mcp.toml")).expect("it is there");
    assert!(
        exposure.contains(&format!("fixed = {{ job = \"{}\" }}", job.0)),
        "{exposure}"
    );
}

#[test]
fn version_control_overlooks_logs_and_questions() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.document("ask_human", &question());
    let ignored = "# What lonis-checker leaves beside specs.\n/*.log\n/*/*.log\n*.question.json\n";
    assert_eq!(root.read(".gitignore"), ignored);
    assert!(root.has("shop/clamp.log") && root.has("shop/clamp.question.json"));
    // What a project says itself stays, and so does a link, which leads nowhere.
    let root = Root::clamp();
    root.write(".gitignore", "/target\n");
    root.open(&["clamp"]);
    assert_eq!(root.read(".gitignore"), "/target\n");
    let root = Root::clamp();
    let outside = root.path().with_file_name("outside");
    std::os::unix::fs::symlink(&outside, root.path().join(".gitignore")).expect("it is made");
    root.open(&["clamp"]);
    assert!(!outside.exists());
}

#[test]
fn each_cap_ends_the_job() {
    let root = Root::clamp();
    let turns = root.open(&["clamp", "--turns", "2"]);
    turns.write(GOOD);
    turns.document("check_types", &nothing());
    let refused = (one("job-cap-exceeded"), 7);
    assert_eq!(turns.refusal("check_types", &nothing()), refused);
    assert_eq!(turns.record()["state"], "capped");
    // From now on the job is over, whatever is asked of it.
    let over = (one("job-not-running"), 1);
    assert_eq!(turns.refusal("check_types", &nothing()), over);

    let cost = root.open(&["clamp", "--cost-micros", "10"]);
    for (micros, state) in [("9", "running"), ("1", "capped")] {
        let run = root.run(&["job", "charge", &cost.0, "--micros", micros]);
        let charged: Value = serde_json::from_str(run.answer()).expect("a document");
        assert_eq!(charged["state"], state);
    }
    // The next call is told why, and later ones that the job is over.
    assert_eq!(cost.refusal("check_types", &nothing()), refused);
    assert_eq!(cost.refusal("check_types", &nothing()), over);
    assert_eq!(cost.record()["state"], "capped");

    let wall = root.open(&["clamp", "--wall-ms", "0"]);
    let mut record = wall.record();
    record["opened"] = json!(0);
    fs::write(wall.path("job.json"), record.to_string()).expect("it is written");
    assert_eq!(wall.refusal("check_types", &nothing()), refused);

    // What was stored before the cap counts.
    assert_eq!(turns.close()["outcome"]["tag"], "Green");
}

#[test]
fn a_refused_call_counts() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.refusal("check_types", &nothing());
    job.refusal("write_soil", &json!({"soil": 1}));
    assert_eq!(job.record()["turns"], 2);
}

/// Gives tool and codes of each call that the log of `shop/clamp` has.
fn logged(root: &Root) -> Vec<(String, Vec<String>)> {
    let log = root.read("shop/clamp.log");
    let events = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("one event"));
    let calls = events.filter(|event: &Value| event["event"] == "tool_call");
    let words = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|word| word.as_str().expect("a word").to_owned())
            .collect()
    };
    calls
        .map(|call| {
            assert!(
                call["duration_ms"].is_u64() && call["result_digest"].is_string(),
                "{call}"
            );
            (
                call["name"].as_str().expect("a name").to_owned(),
                words(&call["errors"]),
            )
        })
        .collect()
}

#[test]
fn every_call_is_in_the_log_whatever_refused_it() {
    let root = Root::clamp();
    let job = root.open(&["clamp", "--turns", "4"]);
    job.write(GOOD);
    job.refusal("write_soil", &json!({"soil": 1}));
    job.refusal("read_spec", &json!({"ref": "x#1"}));
    job.document("read_context", &json!({"path": ""}));
    job.refusal("check_types", &nothing());
    job.refusal("check_types", &nothing());
    let other = root.open(&["clamp"]);
    root.write("shop/clamp.tr", &CLAMP.replace("Keeps", "Holds"));
    other.refusal("run_tests", &nothing());
    let call = |name: &str, codes: &[&str]| {
        let codes = codes.iter().map(|code| (*code).to_owned());
        (format!("trellis.{name}"), codes.collect::<Vec<_>>())
    };
    let expected = [
        call("write_soil", &[]),
        call("write_soil", &["usage", "usage"]),
        call("read_spec", &["unknown-spec-ref"]),
        call("read_context", &[]),
        call("check_types", &["job-cap-exceeded"]),
        call("check_types", &["job-not-running"]),
        call("run_tests", &["job-invalidated"]),
    ];
    assert_eq!(logged(&root), expected);
}

#[test]
fn a_question_ends_the_job() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let asked = job.document("ask_human", &question());
    let expected = json!({"acknowledged": true, "question": "clamp.question.json"});
    assert_eq!(asked, expected);
    for tool in ["ask_human", "check_types", "write_soil"] {
        let refused = (one("job-not-running"), 1);
        // The state is judged before the input, so that it is said whatever the input is.
        assert_eq!(
            job.refusal(tool, &json!({"nonsense": 1})),
            refused,
            "{tool}"
        );
    }
    let stored: Value = serde_json::from_str(&root.read("shop/clamp.question.json")).expect("JSON");
    assert_eq!(stored["def"], "shop/clamp");
    assert_eq!(stored["kind"], json!({"tag": "Ambiguity"}));
    assert_eq!(stored["asked_against"], job.record()["spec_hashes"]);
    assert_eq!(root.refused(&["clamp"]), one("job-question-open"));
    let ended = json!({"outcome": {"tag": "Question"}, "wrote": []});
    assert_eq!(job.close(), ended);
}

#[test]
fn a_second_question_is_a_conflict() {
    let root = Root::clamp();
    let (first, second) = (root.open(&["clamp"]), root.open(&["clamp"]));
    first.document("ask_human", &question());
    let conflict = (one("question-write-conflict"), 1);
    assert_eq!(second.refusal("ask_human", &question()), conflict);
    assert_eq!(second.record()["state"], "running");
}

#[test]
fn what_a_job_is_made_from_may_not_change() {
    const CALLEE: &str = "---\nname: zero\n---\n\nZero.\n\n```soil-sig\nzero : I64 -> I64\n```\n\n```test t\n(1) => 0\n```\n";
    const DECIDED: &str = "---\nname: shop\n---\n\nA shop.\n\n```exports\nclamp\n```\n\n```decisions\nrounding: down\n```\n";
    let files = [
        ("shop/clamp.tr", CLAMP),
        ("shop/zero.tr", CALLEE),
        ("shop/zero.soil", "zero : I64 -> I64\nzero x = 0\n"),
        ("shop/_module.tr", DECIDED),
    ];
    let cases: [(&str, &str, &str); 7] = [
        ("shop/clamp.tr", "Keeps a number", "Holds a number"),
        ("shop/clamp.tr", "(0, 10, 5) => 5", "(0, 10, 6) => 6"),
        (
            "shop/clamp.tr",
            "at_most: result <= high",
            "at_most: high >= result",
        ),
        ("shop/zero.soil", "zero x = 0", "zero x = 1"),
        ("shop/_module.tr", "rounding: down", "rounding: up"),
        (
            "shop/_module.tr",
            "rounding: down",
            "rounding: down\nbounds: included",
        ),
        ("shop/clamp.tr", "name: clamp", "name: clam"),
    ];
    for (path, from, to) in cases {
        let root = Root::new(&files);
        let job = root.open(&["clamp"]);
        job.write(GOOD);
        let text = root.read(path);
        assert!(text.contains(from), "{path} {from}");
        root.write(path, &text.replace(from, to));
        let refused = (one("job-invalidated"), 1);
        assert_eq!(
            job.refusal("check_types", &nothing()),
            refused,
            "{path}: {to}"
        );
        assert_eq!(job.record()["state"], "invalidated");
        let ended = json!({"outcome": {"tag": "Invalidated"}, "wrote": []});
        assert_eq!(job.close(), ended, "{path}: {to}");
        assert!(!root.has("shop/clamp.soil"));
    }
    // What is new or elsewhere changes nothing for a draft.
    let root = Root::new(&files);
    let job = root.open(&["clamp"]);
    root.write("shop/one.tr", &CALLEE.replace("zero", "one"));
    root.write("other/broken.soil", "broken : ");
    job.write(GOOD);
    job.document("check_types", &nothing());
    assert_eq!(job.close()["outcome"]["tag"], "Green");
}

#[test]
fn a_lock_that_came_meanwhile_is_not_written_over() {
    let root = Root::clamp();
    let (first, second) = (root.open(&["clamp"]), root.open(&["clamp"]));
    first.write(GOOD);
    assert_eq!(first.close()["outcome"]["tag"], "Green");
    let lock = root.read("shop/clamp.lock");
    second.refusal(
        "write_soil",
        &json!({"soil": GOOD, "decisions_applied": []}),
    );
    assert_eq!(second.record()["state"], "invalidated");
    // Of a job on what is there already, too.
    let third = root.open(&["clamp"]);
    third.write(GOOD);
    root.write(
        "shop/clamp.lock",
        &lock.replace("\"accepted\": false", "\"accepted\": true"),
    );
    let edited = root.read("shop/clamp.lock");
    assert_eq!(third.close()["outcome"]["tag"], "Invalidated");
    assert_eq!(root.read("shop/clamp.lock"), edited);
}

#[test]
fn what_a_capped_job_stored_counts_with_its_holes_too() {
    let root = Root::clamp();
    let job = root.open(&["clamp", "--turns", "1"]);
    job.write(WITH_HOLE);
    job.refusal("check_types", &nothing());
    assert_eq!(job.record()["state"], "capped");
    let ended = job.close();
    assert_eq!(
        ended["outcome"],
        json!({"tag": "Partial", "value": {"holes": 1}})
    );
    assert_eq!(root.read("shop/clamp.soil"), WITH_HOLE);
    // A job on a body with holes gets it as its former one.
    let next = root.open(&["clamp"]);
    let former = next.document("read_context", &json!({"path": "previous.soil"}));
    assert_eq!(former["value"]["content"], WITH_HOLE);
}

#[test]
fn the_log_tells_the_story_of_a_job() {
    let root = Root::clamp();
    let job = root.open(&["clamp", "--provider", "maker", "--model", "m-1"]);
    job.write(WRONG);
    job.document("run_tests", &nothing());
    let result = r#"{"turns":2,"tokens_in":5,"tokens_out":6,"cost_micros":7,"session":"s"}"#;
    let words = ["job", "close", &job.0, "--agent-result", result];
    root.run(&words).answer();
    let log = root.read("shop/clamp.log");
    let events: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("one event"))
        .collect();
    let names: Vec<&str> = events
        .iter()
        .filter_map(|event| event["event"].as_str())
        .collect();
    let expected = [
        "job_started",
        "preflight",
        "bundle_packed",
        "tool_call",
        "tool_call",
        "agent_result",
        "outcome",
    ];
    assert_eq!(names, expected);
    for (number, event) in (1..).zip(&events) {
        assert_eq!(event["seq"], number);
        assert!(
            event["time"].is_string() && event["mono_ms"].is_u64(),
            "{event}"
        );
    }
    let started = &events[0];
    for key in ["definition", "spec_hashes", "decisions", "caps", "limits"] {
        assert_eq!(started[key], job.record()[key], "{key}");
    }
    assert_eq!(
        (&started["provider"], &started["model"]),
        (&json!("maker"), &json!("m-1"))
    );
    assert_eq!(events[1]["findings"], json!([]));
    assert_eq!(events[2]["manifest"]["definition"], "shop/clamp");
    assert_eq!(events[5]["tokens_out"], 6);
    let outcome = &events[6];
    assert_eq!(outcome["outcome"], "failed");
    let bad = outcome["cases"].as_array().expect("a list");
    assert_eq!(bad[0]["name"], "inside#3", "{outcome}");
    assert_eq!(
        (&bad[0]["result"], &bad[0]["expected"]),
        (&json!("fail"), &json!("10"))
    );
    // What it says of itself says nothing about the log.
    for text in [
        "[]",
        "1",
        "{",
        "\"x\"",
        r#"{"seq":0}"#,
        r#"{"event":"outcome"}"#,
        r#"{"turns":-1}"#,
        r#"{"turns":1.5}"#,
        r#"{"session":7}"#,
        r#"[1,2,3,4,"s"]"#,
    ] {
        let job = root.open(&["clamp"]);
        let run = root.run(&["job", "close", &job.0, "--agent-result", text]);
        assert_eq!(
            (run.code, &run.errors()[0]["code"]),
            (2, &json!("usage")),
            "{text}"
        );
        assert_eq!(job.record()["state"], "running");
    }
    let job = root.open(&["clamp"]);
    let words = ["job", "close", &job.0, "--agent-result", r#"{"turns":3}"#];
    root.run(&words).answer();
    let log = root.read("shop/clamp.log");
    let told = log.lines().rev().nth(1).expect("the last but one");
    let told: Value = serde_json::from_str(told).expect("one event");
    assert_eq!(
        (&told["event"], &told["turns"], &told["tokens_in"]),
        (&json!("agent_result"), &json!(3), &Value::Null)
    );
}

#[test]
fn what_was_found_is_kept_and_what_no_longer_reads_is_dropped_with_a_warning() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.write(WRONG);
    job.document("run_tests", &nothing());
    let found = fs::read_to_string(job.path("found.json")).expect("it is there");
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let list = found["found"].as_array().expect("a list");
    let properties: Vec<&Value> = list.iter().map(|one| &one["property"]).collect();
    assert_eq!(properties, ["second_time", "derived:ensures:at_most"]);
    // At most 32 are kept of one property, however many there were.
    let many: Vec<Value> = (0..40)
        .map(|number| json!({"property": "derived:ensures:at_most", "args": ["0", number.to_string(), "9223372036854775807"]}))
        .collect();
    fs::write(job.path("found.json"), json!({"found": many}).to_string()).expect("it is written");
    let tested = job.document("run_tests", &nothing());
    assert_eq!(
        tested["cases"][5]["counterexample"]["args"],
        json!(["0", "0", "9223372036854775807"])
    );
    let kept =
        json!({"found": [{"property": "derived:ensures:at_most", "args": ["true", "0", "0"]}]});
    fs::write(job.path("found.json"), kept.to_string()).expect("it is written");
    job.write(GOOD);
    let tested = job.document("run_tests", &nothing());
    assert_eq!(tested["cases"][5]["result"], "pass");
    let warnings = tested["warnings"].as_array().expect("a list");
    let message =
        "of what `derived:ensures:at_most` failed on before, 1 no longer read and are left out";
    assert_eq!(warnings.len(), 1, "{tested}");
    assert_eq!(
        (&warnings[0]["code"], &warnings[0]["message"]),
        (&json!("malformed-input"), &json!(message))
    );
}

#[test]
fn a_body_that_came_meanwhile_is_not_written_over() {
    let root = Root::clamp();
    let (first, second) = (root.open(&["clamp"]), root.open(&["clamp"]));
    first.write(GOOD);
    second.write(GOOD);
    assert_eq!(first.close()["outcome"]["tag"], "Green");
    assert_eq!(second.close()["outcome"]["tag"], "Invalidated");
}

#[test]
fn a_closed_job_is_over() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.close();
    let run = root.run(&["job", "close", &job.0]);
    assert_eq!(run.errors()[0]["code"], "job-not-running");
    assert_eq!(
        job.refusal("check_types", &nothing()),
        (one("job-not-running"), 1)
    );
    assert_eq!(root.jobs(), ["shop.clamp.1"]);
    let other = root.open(&["clamp"]);
    root.run(&["job", "close", &other.0, "--remove"]).answer();
    assert_eq!(root.jobs(), ["shop.clamp.1"]);
    // What stayed can be removed later, and says once more how it ended.
    let ended = root.open(&["clamp"]);
    ended.write(WITH_HOLE);
    let closed = ended.close();
    assert_eq!(closed["wrote"].as_array().map(Vec::len), Some(2));
    for (job, outcome) in [
        (&job, json!({"tag": "Failed"})),
        (&ended, closed["outcome"].clone()),
    ] {
        let removed = root.run(&["job", "close", &job.0, "--remove"]);
        let document: Value = serde_json::from_str(removed.answer()).expect("a document");
        assert_eq!(document, json!({"outcome": outcome, "wrote": []}));
        let again = root.run(&["job", "close", &job.0, "--remove"]);
        assert_eq!(again.errors()[0]["code"], "job-not-running");
    }
    assert_eq!(root.jobs(), [] as [&str; 0]);
}

#[test]
fn cases_that_contradict_each_other_need_no_signature_to_be_told() {
    let spec = |cases: &str| {
        format!("---\nname: twice\n---\n\nTwice a number.\n\n```test t\n{cases}\n```\n")
    };
    let told = vec!["preflight-contradiction".to_owned()];
    for (cases, expected) in [
        ("(2) => 4\n(2) => 5", told.clone()),
        ("(2) => 4\n(2) => panic", told),
        // These are one outcome where the draft says F64.
        ("(2) => 4\n(2) => 4.0", Vec::new()),
        ("(2) => 4\n(3) => 5", Vec::new()),
    ] {
        let root = Root::new(&[("shop/twice.tr", &spec(cases))]);
        let report: Value =
            serde_json::from_str(&root.run(&["check", "--json"]).stdout).expect("a document");
        assert_eq!(
            codes(report["errors"].as_array().expect("a list")),
            expected,
            "{cases}"
        );
        if expected.is_empty() {
            root.open(&["twice"]);
        } else {
            assert_eq!(root.refused(&["twice"]), expected, "{cases}");
        }
    }
}

#[test]
fn what_no_body_could_meet_is_not_opened() {
    let cases = [
        (
            "(0, 10, 5) => 5",
            "(0, 10, 5) => 5\n(0, 10, 5) => 6",
            "preflight-contradiction",
        ),
        (
            "(0, 10, 5) => 5",
            "(10, 0, 5) => 5",
            "preflight-case-outside-domain",
        ),
        (
            "result <= high",
            "result <= result",
            "preflight-trivial-ensures",
        ),
        ("(0, 10, 5) => 5", "(0, 5) => 5", "tr-test-syntax"),
        ("(0, 10, 5) => 5", "(0, 10, true) => 5", "tr-test-syntax"),
        ("(x : I64) -> I64\n", "(x : I65) -> I64\n", "unknown-type"),
        ("result <= high", "result <= hihg", "unknown-name"),
        (
            "```property",
            "```property files
forall f : Fs
0 == 0
```

```property",
            "test-ungenerable-type",
        ),
        (
            "forall x : I64\n",
            "forall x : I64\nwhere x > 0\n",
            "unsupported-where-filter",
        ),
        (
            "```requires",
            "```reference\ncli cat\n```\n\n```requires",
            "oracle-error",
        ),
        ("name: clamp", "name: other", "tr-name-mismatch"),
    ];
    for (from, to, code) in cases {
        assert!(CLAMP.contains(from), "{from}");
        let root = Root::new(&[("shop/clamp.tr", &CLAMP.replacen(from, to, 1))]);
        let refused = root.refused(&["clamp"]);
        assert!(refused.contains(&code.to_owned()), "{to}: {refused:?}");
        assert_eq!(root.jobs(), [] as [&str; 0]);
        assert!(root.read("shop/clamp.log").contains(code), "{code}");
    }
    let root = Root::clamp();
    assert_eq!(root.refused(&["nothing"]), one("usage"));
    assert_eq!(root.refused(&["clamp", "--budget", "10"]), one("usage"));
    root.write("soil.toml", "[toolchain]\ntrellis = \"0.0.1\"\n");
    assert_eq!(root.refused(&["clamp"]), one("toolchain-mismatch"));
}
