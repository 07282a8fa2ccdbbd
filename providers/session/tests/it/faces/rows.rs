//! What is done on each face: a row for each command and for each code that a test can provoke.

use serde_json::{Value, json};

use crate::goldens::{Golden, Node, Stage, Step};

/// A tree with what happens in it, and the commands that are then tried on each face.
pub(crate) struct Scene {
    /// The tree, and what happens before.
    pub(crate) case: Golden,
    /// Whether a command changes what it finds, so that each face has a tree of its own.
    pub(crate) afresh: bool,
    /// The commands.
    pub(crate) rows: Vec<Row>,
}

/// A command on each face.
pub(crate) struct Row {
    /// The word of a command that succeeds, or the code of a failure.
    pub(crate) expects: &'static str,
    /// The words of the direct face.
    pub(crate) argv: Vec<String>,
    /// What it reads.
    pub(crate) stdin: Value,
}

/// Flags that are a truth by themselves.
const BARE: &[&str] = &["fresh", "excluded", "verify"];
/// Flags that may repeat.
const LISTS: &[&str] = &["only", "accept"];
/// Commands that no session is named to.
const WITHOUT_SESSION: &[&str] = &["list", "recover", "gc"];

impl Row {
    /// The command and the input of the other faces, as the words say.
    pub(crate) fn input(&self, stage: &Stage) -> (String, Value) {
        let mut input = json!({"root": stage.tree()});
        let mut words = self.argv.iter().filter(|word| *word != "--json");
        let mut command = String::new();
        let mut places = Vec::new();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--") else {
                if command.is_empty() {
                    command.clone_from(word);
                } else {
                    places.push(word.clone());
                }
                continue;
            };
            if BARE.contains(&flag) {
                input[flag] = json!(true);
                continue;
            }
            let value = words.next().expect("a flag has a value");
            let name = flag.replace('-', "_");
            match &*name {
                "root" => input["root"] = json!(stage.tree().join(value)),
                "patch" | "diff" => input[name] = self.stdin.clone(),
                "limit" => input[name] = json!(value.parse::<u64>().unwrap()),
                _ if LISTS.contains(&flag) => input[name] = json!([value]),
                _ => input[name] = json!(value),
            }
        }
        if !WITHOUT_SESSION.contains(&&*command) && !places.is_empty() {
            input["session"] = json!(places.remove(0));
        }
        if !places.is_empty() {
            input["paths"] = json!(places);
        }
        (command, input)
    }
}

fn scene(files: &[(&str, &str)], before: Vec<Step>) -> Scene {
    let node = |(path, text): &(&str, &str)| Node::file(path, text);
    Scene {
        case: Golden::unseen(files.iter().map(node).collect(), before),
        afresh: false,
        rows: Vec::new(),
    }
}

impl Scene {
    fn afresh(mut self) -> Self {
        self.afresh = true;
        self
    }

    fn linked(mut self, path: &str, target: &str) -> Self {
        self.case.tree.push(Node::link(path, target));
        self
    }

    fn row(mut self, expects: &'static str, words: &[&str]) -> Self {
        let argv = ["--json"].iter().chain(words);
        self.rows.push(Row {
            expects,
            argv: argv.map(|word| (*word).to_owned()).collect(),
            stdin: Value::Null,
        });
        self
    }

    fn stage(mut self, expects: &'static str, op: impl Into<Value>) -> Self {
        self = self.row(expects, &["stage", "fix", "--patch", "-"]);
        self.rows.last_mut().unwrap().stdin = patch(&op.into());
        self
    }

    fn diff(mut self, expects: &'static str, text: &str) -> Self {
        self = self.row(expects, &["stage", "fix", "--diff", "-"]);
        self.rows.last_mut().unwrap().stdin = json!(text);
        self
    }
}

fn patch(op: &Value) -> Value {
    json!({"schema": "genesis/semantic-patch-v0.2", "intent": "a change", "ops": [op]})
}

fn text(path: &str, find: &str, replace: &str) -> Value {
    json!({"op": "replace-text", "path": path, "find": find, "replace": replace})
}

fn run(words: &[&str]) -> Step {
    Step::Run {
        argv: words.iter().map(|word| (*word).to_owned()).collect(),
        stdin: Value::Null,
        exit: 0,
    }
}

fn begin() -> Step {
    run(&["--json", "begin", "fix"])
}

/// Stages a change of `a.txt`, without its obligations.
fn staged(gate: &str) -> Step {
    let words = ["--json", "stage", "fix", "--patch", "-", "--gate", gate];
    Step::Run {
        argv: words.iter().map(|word| (*word).to_owned()).collect(),
        stdin: patch(&text("a.txt", "two", "2")),
        exit: 0,
    }
}

fn write(path: &str, text: &str) -> Step {
    Step::Write(Node::file(path, text))
}

const A: (&str, &str) = ("a.txt", "one\ntwo\nthree\n");
const POLICY: &str = "lonis-session.toml";

fn obligation(name: &str, argv: &[&str], more: &str) -> String {
    format!("version = 1\n\n[[obligation]]\nname = \"{name}\"\nargv = {argv:?}\n{more}")
}

/// All scenes.
pub(crate) fn scenes() -> Vec<Scene> {
    let mut all = vec![patches()];
    all.extend(commands());
    all.extend(sessions());
    all.extend(applies());
    all.extend(stores());
    all.extend(obligations());
    all
}

/// Each command, where it succeeds.
fn commands() -> Vec<Scene> {
    let policy = obligation("unit", &["true"], "");
    let files = [A, (POLICY, &*policy)];
    vec![
        scene(&files, vec![])
            .afresh()
            .row("begin", &["begin", "fix"]),
        scene(&files, vec![begin()])
            .afresh()
            .stage("stage", text("a.txt", "two", "2")),
        scene(&files, vec![begin()]).afresh().diff(
            "stage",
            "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
        ),
        scene(&files, vec![begin(), staged("none")])
            .afresh()
            .row("test", &["test", "fix"]),
        scene(&files, vec![begin(), staged("obligations")])
            .afresh()
            .row("apply", &["apply", "fix"]),
        scene(&files, vec![begin()])
            .afresh()
            .row("abort", &["abort", "fix"]),
        scene(&files, vec![begin(), staged("none")])
            .row("status", &["status", "fix", "a.txt", "--read", "facts"])
            .row(
                "status",
                &["status", "fix", "--excluded", "--identity", "v0.1"],
            )
            .row("diff", &["diff", "fix", "--format", "unified"])
            .row("diff", &["diff", "fix", "a.txt", "--from", "live"])
            .row("list", &["list", "--status", "open"])
            .row("log", &["log", "fix", "--limit", "1"])
            .row("recover", &["recover", "--verify"])
            .row("gc", &["gc"]),
    ]
}

/// Each code of a patch, in one session that none of them changes.
fn patches() -> Scene {
    let policy = "version = 1\n\n[files]\nprotect = [\"ci/**\"]\n";
    let files = [
        A,
        (POLICY, policy),
        ("twice.txt", "x = 1\ny = 2\nx = 1\n"),
        ("bin", "a\u{0}b"),
        ("d/x", "x\n"),
        ("ci/run.sh", "true\n"),
        ("v.json", "{\"a\": {\"b\": [1, 2]}, \"s\": \"t\"}\n"),
        ("v.yaml", "a: &x 1\nb: *x\n"),
        ("bad.json", "{\"a\" 1}\n"),
        ("open.json", "{\"a\": [1}\n"),
        (
            "f.py",
            "def one():\n    return 1\n\n\ndef two():\n    return one()\n",
        ),
        ("g.py", "def one(): pass\n\n\ndef one(): pass\n"),
        ("broken.py", "def one():\n  x = (\n\n\ndef two(:\n  pass\n"),
    ];
    let gone = |path: &str, name: &str| json!({"op": "delete-definition", "path": path, "target": {"path": [name]}});
    let key = |path: &str, pointer: &str| json!({"op": "set-key", "path": path, "pointer": pointer, "value": 1});
    let zeros = "0".repeat(64);
    let many = json!({"index": 1, "of": 3});
    scene(&files, vec![begin()])
        .linked("l", "d")
        .stage("patch/schema", json!({"op": "replace-text", "path": "a.txt", "find": "one"}))
        .stage("patch/limit", text("a.txt", &"x".repeat(4 * 1024 * 1024 + 1), "y"))
        .stage("patch/path", json!({"op": "create-file", "path": "../n", "content": {"text": "t"}}))
        .stage("patch/path-symlink", text("l/x", "x", "y"))
        .stage("patch/path-state-conflict", text("none.txt", "x", "y"))
        .stage(
            "patch/pre-image-mismatch",
            json!({"op": "delete-file", "path": "a.txt", "pre": format!("sha256:{zeros}")}),
        )
        .stage("patch/text-not-found", text("a.txt", "tvvo", "2"))
        .stage("patch/text-not-found", text("a.txt", "one\ntwo!\n", "2"))
        .stage("patch/format-parse", key("open.json", "/a"))
        .stage(
            "patch/pre-image-mismatch",
            json!({"op": "replace-range", "path": "a.txt", "start_line": 1, "end_line": 1, "text": "2\n", "old": "two\n"}),
        )
        .diff(
            "patch/diff-hunk-mismatch",
            "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two!\n+2\n three\n",
        )
        .stage("patch/text-ambiguous", text("twice.txt", "x = 1", "x = 2"))
        .stage(
            "patch/occurrence-count",
            json!({"op": "replace-text", "path": "twice.txt", "find": "x = 1", "replace": "q", "occurrence": many}),
        )
        .stage(
            "patch/range-invalid",
            json!({"op": "replace-range", "path": "a.txt", "start_line": 9, "end_line": 9, "text": "t\n", "old": "t\n"}),
        )
        .stage("patch/not-text", text("bin", "a", "b"))
        .stage("patch/format-parse", key("bad.json", "/a"))
        .stage("patch/format-unsupported", key("v.yaml", "/a"))
        .stage(
            "patch/pointer-missing",
            json!({"op": "remove-key", "path": "v.json", "pointer": "/q"}),
        )
        .stage(
            "patch/pointer-type",
            json!({"op": "append-item", "path": "v.json", "pointer": "/a", "value": 1}),
        )
        .stage("patch/definition-missing", gone("f.py", "on"))
        .stage("patch/definition-ambiguous", gone("g.py", "one"))
        .stage("patch/definition-unparsable", gone("broken.py", "one"))
        .stage(
            "patch/syntax-regression",
            json!({"op": "replace-definition", "path": "f.py", "target": {"path": ["one"]}, "text": "def one(:\n    return 1\n"}),
        )
        .stage("patch/language-unsupported", gone("a.txt", "one"))
        .stage(
            "patch/rename-conflict",
            json!({"op": "rename-definition", "path": "f.py", "target": {"path": ["one"]}, "to": "two"}),
        )
        .diff("patch/diff-parse", "no diff")
        .diff("patch/diff-hunk-mismatch", "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-x\n+y\n")
        .stage("patch/no-effect", text("a.txt", "one", "one"))
        .stage("policy/protected-path", text("ci/run.sh", "true", "false"))
        .stage("policy/policy-file-edit", text(POLICY, "version = 1", "version = 2"))
}

/// Codes about a session and its root.
fn sessions() -> Vec<Scene> {
    let zeros = "0".repeat(64);
    vec![
        scene(&[A], vec![begin()])
            .row("session/invalid-id", &["status", "no id"])
            .row("session/already-exists", &["begin", "fix"])
            .row("session/not-found", &["status", "fxi"])
            .row("session/not-found", &["diff", "fix", "--to", "attempt:7"])
            .row(
                "session/head-moved",
                &["abort", "fix", "--expect-head", &zeros],
            )
            .row("session/unverified", &["apply", "fix"])
            .row("session/snapshot-path", &["status", "fix", "../a.txt"])
            .row("session/root-unavailable", &["list", "--root", "none"])
            .row("tool/invalid-input", &["stage", "fix", "--revert", "fix"])
            .row("obligation/undeclared", &["test", "fix", "--only", "none"]),
        scene(&[A], vec![begin(), run(&["--json", "abort", "fix"])])
            .row("session/not-open", &["apply", "fix"]),
        scene(&[(POLICY, "version = 1\nversoin = 2\n")], vec![])
            .row("session/config-invalid", &["begin", "fix"]),
        scene(
            &[
                A,
                ("b.txt", ""),
                (POLICY, "version = 1\n[files]\nmax_files = 1\n"),
            ],
            vec![],
        )
        .row("session/snapshot-limit", &["begin", "fix"]),
        scene(
            &[A, (POLICY, "version = 1\n[files]\nsymlinks = \"refuse\"\n")],
            vec![],
        )
        .linked("link", "a.txt")
        .row("session/snapshot-escape", &["begin", "fix"]),
        scene(&[A], vec![begin()]).linked("link", "a.txt").row(
            "session/projection-unavailable",
            &["status", "fix", "--identity", "v0.1"],
        ),
        scene(
            &[
                A,
                (POLICY, "version = 1\n[session]\nlock_wait_millis = 2\n"),
            ],
            vec![begin(), Step::Hold("fix".to_owned())],
        )
        .row("session/lock-busy", &["abort", "fix"]),
        scene(
            &[
                A,
                (POLICY, "version = 1\n[session]\nlock_wait_millis = 2\n"),
            ],
            vec![
                begin(),
                staged("none"),
                run(&["--json", "test", "fix"]),
                Step::Hold(String::new()),
            ],
        )
        .row("session/apply-busy", &["apply", "fix"]),
    ]
}

/// Codes of what an apply finds.
fn applies() -> Vec<Scene> {
    let rebase = |argv: &[&str]| obligation("holds", argv, "\n[session]\nrebase = \"disjoint\"\n");
    vec![
        scene(
            &[A],
            vec![begin(), staged("obligations"), write("a.txt", "mine\n")],
        )
        .row("session/stale-base", &["apply", "fix"])
        .row("policy/bound", &["apply", "fix", "--rebase", "disjoint"]),
        scene(
            &[
                A,
                ("b.txt", "b\n"),
                (POLICY, &*rebase(&["grep", "-q", "b", "b.txt"])),
            ],
            vec![begin(), staged("obligations"), write("b.txt", "mine\n")],
        )
        .row(
            "session/rebase-failed",
            &["apply", "fix", "--rebase", "disjoint"],
        ),
        scene(
            &[
                A,
                (
                    POLICY,
                    "version = 1\n[session]\nrequire_obligations = true\n",
                ),
            ],
            vec![begin(), staged("obligations")],
        )
        .row("policy/evidence-required", &["apply", "fix"]),
        scene(
            &[
                A,
                (
                    POLICY,
                    &*obligation(
                        "warm",
                        &["sh", "-c", "mkdir -p s; touch s/x"],
                        "scratch = [\"s\"]\n\n[session]\nrequire_hermetic = true\n",
                    ),
                ),
            ],
            vec![
                begin(),
                run(&["--json", "test", "fix"]),
                staged("obligations"),
            ],
        )
        .row("policy/hermetic-required", &["apply", "fix"]),
        scene(
            &[A, ("b.txt", "b\n")],
            vec![
                begin(),
                staged("obligations"),
                Step::Interrupt {
                    session: "fix".to_owned(),
                    saved: "mine\n".to_owned(),
                },
            ],
        )
        .row("session/recovery-conflict", &["recover"]),
    ]
}

/// Codes about what is kept.
fn stores() -> Vec<Scene> {
    let log = ".lonis/session/transactions/fix/log.ndjson";
    let policy = obligation("unit", &["true"], "");
    vec![
        scene(&[A], vec![begin(), write(log, "no log\n")])
            .row("session/state-invalid", &["status", "fix"]),
        scene(
            &[A],
            vec![
                begin(),
                run(&["--json", "test", "fix"]),
                staged("none"),
                Step::Forge("fix".to_owned()),
            ],
        )
        .row("session/evidence-invalid", &["apply", "fix"]),
        scene(
            &[A, (POLICY, &*policy)],
            vec![
                begin(),
                staged("obligations"),
                write(
                    ".lonis/session/transactions/fix/workspace/a.txt",
                    "forged\n",
                ),
            ],
        )
        .afresh()
        .row("session/workspace-tampered", &["test", "fix"]),
        scene(&[A, (".lonis/session/transactions", "a file\n")], vec![])
            .row("session/state-write", &["begin", "fix"]),
        scene(&[A, (".lonis", "a file\n")], vec![]).row("session/store-write", &["begin", "fix"]),
        scene(
            &[A, (POLICY, &*policy)],
            vec![
                begin(),
                staged("none"),
                write(".lonis/session/transactions/fix/workspace", "a file\n"),
            ],
        )
        .row("session/workspace-write", &["test", "fix"]),
    ]
}

/// Codes of obligations, each behind `session/obligations-failed` save one that no patch can mend.
fn obligations() -> Vec<Scene> {
    let failing = |code: &'static str, argv: &[&str], more: &str| {
        scene(
            &[A, (POLICY, &*obligation("unit", argv, more))],
            vec![begin()],
        )
        .row(code, &["test", "fix"])
    };
    vec![
        failing("session/obligations-failed", &["false"], ""),
        scene(
            &[A, (POLICY, &*obligation("unit", &["false"], ""))],
            vec![
                begin(),
                Step::Run {
                    argv: ["--json", "test", "fix"].map(str::to_owned).into(),
                    stdin: Value::Null,
                    exit: 30,
                },
            ],
        )
        .row("session/unverified", &["apply", "fix"]),
        scene(
            &[A, (POLICY, &*obligation("unit", &["false"], ""))],
            vec![begin()],
        )
        .afresh()
        .stage(
            "session/obligations-failed",
            json!({"op": "replace-text", "path": "a.txt", "find": "one", "replace": "1"}),
        ),
        failing(
            "obligation/exit-status",
            &["sh", "-c", "echo no; exit 3"],
            "",
        ),
        failing("obligation/signal", &["sh", "-c", "kill -KILL $$"], ""),
        failing(
            "obligation/timeout",
            &["sleep", "600"],
            "timeout_millis = 50\n",
        ),
        failing(
            "obligation/output-limit",
            &["yes"],
            "max_stdout_bytes = 100\n",
        ),
        failing(
            "obligation/mutated-snapshot",
            &["sh", "-c", "echo four >> a.txt"],
            "",
        ),
        failing("obligation/unavailable", &["no-such-program"], ""),
    ]
}
