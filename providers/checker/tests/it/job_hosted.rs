//! The same playbooks by a caller of the provider itself, one that knows `lonis call` alone, and a client of MCP.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::job_mcp;
use crate::job_root::{CLAMP, GOOD, Root, WITH_HOLE, WRONG, draft, nothing, question};
use crate::program::Run;

/// One line of a playbook: a tool, its arguments, and what it says.
pub(crate) type Line = (&'static str, Value, Says);

/// What a tool says.
pub(crate) enum Says {
    /// A document of which these places have these values.
    Document(Vec<(&'static str, Value)>),
    /// The codes of a refusal, and the exit code.
    Refusal(&'static [&'static str], i32),
}

/// A way to call the tools.
pub(crate) enum Caller {
    Provider,
    Host(tempfile::TempDir),
    Mcp(tempfile::TempDir),
}

/// Gives the program of the host.
fn lonis() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| built("lonis-cli", "lonis"))
}

/// Gives a program of another package, built first if need be: cargo builds none of those for a test.
pub(crate) fn built(package: &str, program: &str) -> PathBuf {
    let profile = Path::new(env!("CARGO_BIN_EXE_lonis-checker"));
    let profile = profile.parent().expect("a folder");
    let target = profile.parent().expect("a folder");
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo
        .args(["build", "--quiet", "--package", package, "--bin", program])
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo
        .status()
        .expect("cargo starts, since it started this test");
    assert!(status.success(), "`{program}` does not build: {status}");
    profile.join(program)
}

impl Caller {
    pub(crate) fn host() -> Self {
        Self::Host(home())
    }

    pub(crate) fn mcp() -> Self {
        Self::Mcp(home())
    }

    fn call(&self, tool: &str, input: &Value) -> Run {
        let mut command = match self {
            Self::Provider => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_lonis-checker"));
                command.env_clear();
                command.args(["--mode", "json", "call", &format!("trellis.{tool}")]);
                command
            }
            Self::Mcp(_) => unreachable!("a client of MCP has a face of its own"),
            Self::Host(home) => {
                let mut command = Command::new(lonis());
                command.env_clear().env("HOME", home.path());
                command.env("LONIS_PROVIDER_PATH", home.path());
                let id = format!("trellis:{tool}");
                command.args(["--mode", "json", "call", &id, "-"]);
                command.current_dir(home.path());
                command
            }
        };
        Run::on(&mut command, input.to_string().as_bytes())
    }

    /// Plays a playbook in a job.
    pub(crate) fn play(&self, job: &str, lines: &[Line]) {
        if let Self::Mcp(home) = self {
            return job_mcp::play(home.path(), job, lines);
        }
        for (tool, input, says) in lines {
            let mut input = input.clone();
            input["job"] = json!(job);
            let run = self.call(tool, &input);
            match says {
                Says::Document(places) => {
                    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{tool}: {run:?}");
                    let blocks: Value = serde_json::from_str(&run.stdout).expect("blocks");
                    let payload = &blocks[0]["payload"];
                    assert_eq!(payload["kind"], format!("trellis.{tool}"));
                    for (place, value) in places {
                        let found = payload["data"].pointer(place);
                        assert_eq!(found, Some(value), "{tool} {place}: {payload}");
                    }
                }
                Says::Refusal(codes, number) => {
                    assert_eq!(
                        (run.code, run.stdout.as_str()),
                        (*number, ""),
                        "{tool}: {run:?}"
                    );
                    let error: Value = serde_json::from_str(&run.stderr).expect("an error");
                    assert_eq!(error["kind"], format!("checker/{}", codes[0]));
                    let errors = error["details"]["errors"].as_array().expect("a document");
                    let found: Vec<&str> = errors
                        .iter()
                        .filter_map(|one| one["code"].as_str())
                        .collect();
                    assert_eq!(found, *codes, "{tool}");
                }
            }
        }
    }
}

/// A folder whose only provider is the checker.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let checker = Path::new(env!("CARGO_BIN_EXE_lonis-checker"));
    symlink(checker, home.path().join("lonis-checker")).expect("it is made");
    home
}

pub(crate) fn document(places: &[(&'static str, Value)]) -> Says {
    Says::Document(places.to_vec())
}

pub(crate) fn passes(count: usize) -> Says {
    const PLACES: [&str; 6] = [
        "/cases/0/result",
        "/cases/1/result",
        "/cases/2/result",
        "/cases/3/result",
        "/cases/4/result",
        "/cases/5/result",
    ];
    Says::Document(
        PLACES[..count]
            .iter()
            .map(|place| (*place, json!("pass")))
            .collect(),
    )
}

/// Plays a scenario by every caller.
fn by_each(play: impl Fn(&Caller)) {
    play(&Caller::Provider);
    play(&Caller::host());
    play(&Caller::mcp());
}

#[test]
fn from_the_first_hole_to_green() {
    by_each(|caller| {
        let root = Root::clamp();
        let job = root.open(&["clamp"]);
        caller.play(
            &job.0,
            &[
                (
                    "read_context",
                    json!({"path": ""}),
                    document(&[("/tag", json!("Dir"))]),
                ),
                ("check_types", nothing(), Says::Refusal(&["no-draft"], 3)),
                (
                    "write_soil",
                    draft(WITH_HOLE),
                    document(&[("/canonical", json!(WITH_HOLE))]),
                ),
                (
                    "check_types",
                    nothing(),
                    document(&[("/defs/0/checks/holes/0/name", json!("rest"))]),
                ),
                ("run_tests", nothing(), Says::Refusal(&["unfilled-hole"], 1)),
                (
                    "write_soil",
                    draft("clamp : "),
                    Says::Refusal(&["parse-expected"], 1),
                ),
                (
                    "check_types",
                    nothing(),
                    document(&[("/defs/0/checks/holes/0/name", json!("rest"))]),
                ),
                (
                    "write_soil",
                    draft(GOOD),
                    document(&[("/canonical", json!(GOOD))]),
                ),
                (
                    "check_refinements",
                    nothing(),
                    document(&[("/tag", json!("None"))]),
                ),
                ("run_tests", nothing(), passes(6)),
            ],
        );
        assert_eq!(job.close()["outcome"]["tag"], "Green");
    });
}

#[test]
fn a_decision_that_is_not_there_and_one_that_is() {
    by_each(|caller| {
        let decided = "---\nname: shop\n---\n\nA shop.\n\n```exports\nclamp\n```\n\n```decisions\nrounding: down\n```\n";
        let root = Root::new(&[("shop/clamp.tr", CLAMP), ("shop/_module.tr", decided)]);
        let job = root.open(&["clamp"]);
        let cite = |label: &str| {
            let citation = json!({"scope": {"tag": "Module"}, "label": label});
            json!({"soil": GOOD, "decisions_applied": [citation]})
        };
        caller.play(
            &job.0,
            &[
                (
                    "write_soil",
                    cite("bounds"),
                    Says::Refusal(&["unknown-decision"], 3),
                ),
                ("run_tests", nothing(), Says::Refusal(&["no-draft"], 3)),
                (
                    "write_soil",
                    cite("rounding"),
                    document(&[("/canonical", json!(GOOD))]),
                ),
            ],
        );
        // A decision that is made meanwhile ends the job, and so does another text of one.
        root.write(
            "shop/_module.tr",
            &decided.replace("down", "down\nbounds: count"),
        );
        caller.play(
            &job.0,
            &[(
                "check_types",
                nothing(),
                Says::Refusal(&["job-invalidated"], 1),
            )],
        );
        assert_eq!(job.close()["outcome"]["tag"], "Invalidated");
    });
}

#[test]
fn a_question_its_answer_and_a_fresh_job() {
    by_each(|caller| {
        let root = Root::clamp();
        let job = root.open(&["clamp"]);
        let over = || Says::Refusal(&["job-not-running"], 1);
        caller.play(
            &job.0,
            &[
                (
                    "ask_human",
                    question("Ambiguity"),
                    document(&[("/question", json!("clamp.question.json"))]),
                ),
                ("write_soil", draft(GOOD), over()),
                ("ask_human", question("Ambiguity"), over()),
            ],
        );
        assert_eq!(root.refused(&["clamp"]), ["job-question-open"]);
        root.run(&["answer", "clamp", "--text", "The lower one."])
            .answer();
        let fresh = root.open(&["clamp"]);
        let spec = json!({"tag": "File", "value": {"content": root.read("shop/clamp.tr")}});
        caller.play(
            &fresh.0,
            &[
                (
                    "read_context",
                    json!({"path": "spec.md"}),
                    Says::Document(vec![("", spec)]),
                ),
                ("write_soil", draft(GOOD), document(&[])),
                ("run_tests", nothing(), passes(6)),
            ],
        );
        // A question about a spec that was changed since is not answered.
        caller.play(
            &fresh.0,
            &[("ask_human", question("Ambiguity"), document(&[]))],
        );
        root.write(
            "shop/clamp.tr",
            &root.read("shop/clamp.tr").replace("Keeps", "Holds"),
        );
        let stale = root.run(&["answer", "clamp", "--text", "No.", "--json"]);
        assert_eq!(stale.errors()[0]["code"], "job-stale-question");
    });
}

#[test]
fn caps_changes_and_endless_drafts() {
    by_each(|caller| {
        let root = Root::clamp();
        let capped = root.open(&["clamp", "--turns", "1"]);
        caller.play(
            &capped.0,
            &[
                ("write_soil", draft(GOOD), document(&[])),
                (
                    "check_types",
                    nothing(),
                    Says::Refusal(&["job-cap-exceeded"], 7),
                ),
                (
                    "check_types",
                    nothing(),
                    Says::Refusal(&["job-not-running"], 1),
                ),
            ],
        );
        let job = root.open(&["clamp"]);
        let endless = GOOD.replace("if x < low", "if clamp low high x < low");
        let failed = vec![
            ("/cases/0/result", json!("fail")),
            ("/cases/0/details/value/expected", json!("5")),
        ];
        caller.play(
            &job.0,
            &[
                ("write_soil", draft(WRONG), document(&[])),
                (
                    "run_tests",
                    nothing(),
                    document(&[("/cases/2/result", json!("fail"))]),
                ),
                ("write_soil", draft(&endless), document(&[])),
                ("run_tests", nothing(), Says::Document(failed)),
            ],
        );
        assert_eq!(job.close()["outcome"]["tag"], "Failed");
        let changed = root.open(&["clamp"]);
        root.write("shop/clamp.tr", &CLAMP.replace("Keeps", "Holds"));
        caller.play(
            &changed.0,
            &[(
                "write_soil",
                draft(GOOD),
                Says::Refusal(&["job-invalidated"], 1),
            )],
        );
    });
}

#[test]
fn contradictory_tests_are_told_before_any_model_is_asked() {
    let twice = CLAMP.replace("(0, 10, 5) => 5", "(0, 10, 5) => 5\n(0, 10, 5) => 6");
    let root = Root::new(&[("shop/clamp.tr", &twice)]);
    assert_eq!(root.refused(&["clamp"]), ["preflight-contradiction"]);
}

#[test]
fn the_provider_conforms() {
    let home = tempfile::tempdir().expect("a folder");
    let run = Command::new(lonis())
        .args(["conform", env!("CARGO_BIN_EXE_lonis-checker")])
        .env_clear()
        .env("HOME", home.path())
        .current_dir(home.path())
        .output();
    let run = Run::of(run.expect("it starts"));
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}
