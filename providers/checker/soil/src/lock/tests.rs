use super::*;
use crate::diagnostic::Code;

fn digest(text: &str) -> Digest {
    Digest::of([text])
}

fn locked_spec() -> LockedSpec {
    LockedSpec {
        provenance: Author::Human,
        formal: digest("formal"),
        test: Some(digest("test")),
        prose: digest("prose"),
        is_review_suggested: false,
        blocks: vec![
            LockedBlock {
                block: "soil-sig".to_owned(),
                author: Author::Agent,
            },
            LockedBlock {
                block: "test small".to_owned(),
                author: Author::Human,
            },
        ],
        pinned: true,
        escape_hatches: Vec::new(),
        decisions: BTreeMap::new(),
    }
}

fn row(name: &str, result: TestResult) -> TestRow {
    TestRow {
        name: name.to_owned(),
        tier: Tier::Expect,
        mode: Mode::Sandboxed,
        origin: Origin::Spec,
        result,
    }
}

fn lowering() -> Lowering {
    Lowering {
        soil_hash: digest("soil"),
        provenance: LoweringProvenance::Agent,
        provider: Some("p".to_owned()),
        model: None,
        private_helpers: Vec::new(),
        calls: vec![NamedHash {
            name: "g".to_owned(),
            hash: digest("g"),
        }],
        scope_hash: digest("scope"),
        applied: vec![AppliedDecision {
            scope: "project".to_owned(),
            label: "utc".to_owned(),
            hash: digest("utc"),
        }],
    }
}

fn function(tests: Vec<TestRow>, accepted: bool) -> Lock {
    Lock {
        name: "half".to_owned(),
        trellis: "0.3.0".to_owned(),
        soil: "0.3.0".to_owned(),
        spec: locked_spec(),
        body: LockBody::Function {
            lowering: Some(Box::new(lowering())),
            checks: FunctionChecks {
                types_ok: true,
                termination: Termination::NotApplicable,
                refinements: BTreeMap::from([("smaller".to_owned(), Assurance::Runtime)]),
                holes: 0,
            },
            tests,
            oracles: vec![Oracle::Reference {
                path: "r.py".to_owned(),
                hash: digest("r"),
            }],
        },
        accepted,
    }
}

fn other(body: LockBody) -> Lock {
    let mut lock = function(Vec::new(), false);
    lock.spec.test = None;
    lock.body = body;
    lock
}

fn type_body() -> LockBody {
    LockBody::Type {
        checks: TypeChecks {
            types_ok: true,
            invariants: BTreeMap::new(),
        },
        tests: Vec::new(),
        cycle_hash: None,
    }
}

#[test]
fn layout() {
    let text = function(vec![row("small#1", TestResult::Pass)], false)
        .write(|_| true)
        .expect("it is valid");
    let shown = ["formal", "test", "prose", "soil", "g", "scope", "utc", "r"]
        .iter()
        .fold(text, |text, part| {
            text.replace(&digest(part).to_string(), &format!("<{part}>"))
        });
    let expected = r#"{
  "lock_format": 1,
  "name": "half",
  "kind": "function",
  "versions": { "trellis": "0.3.0", "soil": "0.3.0" },
  "spec": {
    "provenance": "human",
    "hashes": {
      "formal": "<formal>",
      "test": "<test>",
      "prose": "<prose>"
    },
    "prose_state": "fresh",
    "blocks": [
      { "block": "soil-sig", "author": "agent" },
      { "block": "test small", "author": "human" }
    ],
    "pinned": true,
    "escape_hatches": []
  },
  "lowering": {
    "soil_hash": "<soil>",
    "provenance": "agent",
    "provider": "p",
    "model": null,
    "private_helpers": [],
    "calls": [
      { "name": "g", "hash": "<g>" }
    ],
    "decisions": {
      "scope_hash": "<scope>",
      "applied": [
        { "scope": "project", "label": "utc", "hash": "<utc>" }
      ]
    }
  },
  "checks": {
    "types": "ok",
    "termination": "n/a",
    "refinements": {
      "smaller": "runtime"
    },
    "holes": 0
  },
  "tests": [
    { "name": "small#1", "tier": "expect", "mode": "sandboxed", "origin": "spec", "result": "pass" }
  ],
  "oracles": [
    { "kind": "reference", "path": "r.py", "hash": "<r>" }
  ],
  "accepted": false
}
"#;
    assert_eq!(shown, expected);
}

#[test]
fn what_is_written_reads_back() {
    let mut module = other(LockBody::Module { exports_ok: false });
    module.spec.decisions =
        BTreeMap::from([("b".to_owned(), digest("b")), ("a".to_owned(), digest("a"))]);
    let mut hand_edited = function(Vec::new(), false);
    let LockBody::Function {
        lowering, oracles, ..
    } = &mut hand_edited.body
    else {
        panic!("it is a function")
    };
    *lowering = None;
    oracles.push(Oracle::Definition {
        name: "slow".to_owned(),
        formal_hash: digest("slow"),
    });
    hand_edited.spec.escape_hatches = vec!["partial".to_owned()];
    let locks = [
        function(vec![row("a#1", TestResult::Xpass)], false),
        hand_edited,
        other(type_body()),
        module,
        other(LockBody::Project),
    ];
    for lock in locks {
        let text = lock.write(|_| true).expect("it is valid");
        assert_eq!(Lock::read(text.as_bytes()).as_ref(), Ok(&lock), "{text}");
    }
}

#[test]
fn refused_on_read() {
    let text = function(Vec::new(), false)
        .write(|_| true)
        .expect("it is valid");
    let cases = [
        ("\"lock_format\": 1", "\"lock_format\": 2", "lock-format"),
        (
            "\"kind\": \"function\"",
            "\"kind\": \"type\"",
            "lock-malformed",
        ),
        ("\"holes\": 0", "\"holes\": -1", "lock-malformed"),
        (
            "\"holes\": 0",
            "\"holes\": 0, \"more\": 1",
            "lock-malformed",
        ),
        ("\"model\": null,", "", "lock-malformed"),
        ("\"pinned\": true", "\"pinned\": 1", "lock-malformed"),
        (
            "\"author\": \"agent\"",
            "\"author\": \"robot\"",
            "lock-malformed",
        ),
        (
            "\"smaller\": \"runtime\"",
            "\"smaller\": \"runtime\", \"smaller\": \"proven\"",
            "lock-malformed",
        ),
        (
            "\"accepted\": false",
            "\"accepted\": false, \"cycle_hash\": null",
            "lock-malformed",
        ),
        ("sha256:", "sha1:", "lock-malformed"),
        ("{\n", "", "lock-malformed"),
    ];
    for (from, to, code) in cases {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let error = Lock::read(changed.as_bytes()).expect_err(to);
        assert_eq!(error.code().text(), code, "{to}: {error}");
    }
    assert_eq!(
        Lock::read(b"\xff").expect_err("no UTF-8").code(),
        Code::LockMalformed
    );
}

#[test]
fn refused_on_write() {
    let code = |lock: &Lock| {
        lock.write(|name| name == "good")
            .map_err(|error| error.code().text())
    };
    let accepted = function(vec![row("a#1", TestResult::Pass)], true);
    assert!(code(&accepted).is_ok());
    assert_eq!(
        code(&function(Vec::new(), true)),
        Err("lock-accepted-untested")
    );
    assert_eq!(
        code(&function(vec![row("a#1", TestResult::Fail)], true)),
        Err("lock-accepted-untested")
    );
    let mut with_hole = accepted.clone();
    if let LockBody::Function { checks, .. } = &mut with_hole.body {
        checks.holes = 1;
    }
    assert_eq!(code(&with_hole), Err("lock-accepted-untested"));
    let mut with_oracle = accepted.clone();
    for name in ["good", "bad"] {
        if let LockBody::Function { oracles, .. } = &mut with_oracle.body {
            let (name, formal_hash) = (name.to_owned(), digest(name));
            oracles.push(Oracle::Definition { name, formal_hash });
        }
        assert_eq!(code(&with_oracle).is_ok(), name == "good");
    }
    assert_eq!(code(&with_oracle), Err("lock-oracle-unaccepted"));
    let mut with_decisions = accepted;
    with_decisions.spec.decisions = BTreeMap::from([("a".to_owned(), digest("a"))]);
    assert_eq!(code(&with_decisions), Err("lock-kind-shape"));
    let mut tested_type = other(type_body());
    tested_type.spec.test = Some(digest("test"));
    assert_eq!(code(&tested_type), Err("lock-kind-shape"));
}

#[test]
fn stages() {
    let pass = || vec![row("a#1", TestResult::Pass), row("a#2", TestResult::Xfail)];
    assert_eq!(function(Vec::new(), false).stage(), Stage::Typed);
    assert_eq!(function(pass(), false).stage(), Stage::Tested);
    assert_eq!(function(pass(), true).stage(), Stage::Accepted);
    let mut proven = function(pass(), false);
    if let LockBody::Function { checks, .. } = &mut proven.body {
        checks
            .refinements
            .insert("smaller".to_owned(), Assurance::Proven);
    }
    assert_eq!(proven.stage(), Stage::Verified);
    if let LockBody::Function { checks, .. } = &mut proven.body {
        checks.holes = 2;
    }
    assert_eq!(proven.stage(), Stage::Partial);
    assert_eq!(other(type_body()).stage(), Stage::None);
}

#[test]
fn flags_say_what_differs() {
    let lock = function(Vec::new(), false);
    let entries = BTreeMap::from([(("project".to_owned(), "utc".to_owned()), digest("utc"))]);
    let other_entries =
        BTreeMap::from([(("project".to_owned(), "utc".to_owned()), digest("local"))]);
    let body = |soil_hash: &str, with_stored_edges: &str| {
        Some(CurrentBody {
            soil_hash: digest(soil_hash),
            with_stored_edges: digest(with_stored_edges),
        })
    };
    let hashes = crate::spec::Hashes {
        formal: digest("formal"),
        test: Some(digest("test")),
        prose: digest("prose"),
    };
    let same = Current {
        hashes,
        body: body("soil", "soil"),
        scope_hash: digest("scope"),
        entries: &entries,
        oracle: Some(Oracle::Reference {
            path: "r.py".to_owned(),
            hash: digest("r"),
        }),
    };
    let shown = |lock: Option<&Lock>, current: &Current<'_>| {
        let flags: Vec<String> = flags(lock, current)
            .iter()
            .map(ToString::to_string)
            .collect();
        flags.join(" ")
    };
    assert_eq!(shown(Some(&lock), &same), "");
    assert_eq!(shown(None, &same), "no-lock soil-untracked");
    for oracle in [
        None,
        Some(Oracle::Reference {
            path: "r.py".to_owned(),
            hash: digest("x"),
        }),
    ] {
        let changed = Current {
            oracle,
            ..same.clone()
        };
        assert_eq!(shown(Some(&lock), &changed), "test-stale");
    }
    let mut changed = same.clone();
    changed.body = body("other", "soil");
    assert_eq!(shown(Some(&lock), &changed), "stale-callees");
    changed.body = body("other", "other");
    assert_eq!(shown(Some(&lock), &changed), "soil-drift");
    changed.body = None;
    changed.hashes.formal = digest("x");
    changed.hashes.prose = digest("x");
    changed.hashes.test = None;
    changed.scope_hash = digest("x");
    changed.entries = &other_entries;
    let mut review = lock;
    review.spec.is_review_suggested = true;
    assert_eq!(
        shown(Some(&review), &changed),
        "formal-stale test-stale prose-stale review-suggested soil-missing decision-scope-stale decision-stale:utc"
    );
}
