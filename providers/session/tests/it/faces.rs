//! The faces of the engine give equal data: the command line with `--json`, the provider, and the provider behind `lonis`.

mod face;
mod rows;

use std::collections::BTreeSet;
use std::thread;

use serde_json::Value;

use crate::goldens::Stage;
use face::Face;
use rows::{Scene, scenes};

/// Families of codes that this program uses.
const FAMILIES: &[&str] = &["session", "patch", "obligation", "policy"];

/// Codes without a row, and why.
const WITHOUT_ROW: &[(&str, &str)] = &[
    (
        "obligation/expectation",
        "a tool obligation: its own test calls one through a registry",
    ),
    (
        "obligation/resource",
        "which bounds of a resource are held is the machine's",
    ),
    (
        "obligation/tool-error",
        "a tool obligation: its own test calls one through a registry",
    ),
    ("policy/exposure", "a code of the MCP server"),
    (
        "policy/network-denied",
        "whether a backend can deny the network is the machine's",
    ),
    ("policy/tool-denied", "a code of the host"),
    (
        "session/apply-conflict",
        "somebody writes between two steps of an apply",
    ),
    (
        "session/apply-failed",
        "the disk fails in the middle of an apply",
    ),
    (
        "session/apply-mismatch",
        "the disk holds something else than was written",
    ),
    (
        "session/file-set",
        "an index that neither we nor git can read",
    ),
    (
        "session/limit",
        "256 open sessions, 4,096 patches, or a line of 1 MiB",
    ),
    ("session/lock-failed", "a file system without locks"),
    (
        "session/log-tampered",
        "somebody writes to the log while a command is at work",
    ),
    ("session/obligation-error", "the runner itself fails"),
    ("session/platform-unsupported", "another operating system"),
    (
        "session/rollback-failed",
        "the disk fails twice in the middle of an apply",
    ),
    (
        "session/snapshot-mismatch",
        "a damaged object: the tests of the store make one",
    ),
    (
        "session/snapshot-missing",
        "a lost object: the tests of the store make one",
    ),
    (
        "session/snapshot-read",
        "a file without a right to read it, which root has none of",
    ),
    (
        "session/snapshot-unstable",
        "a file that is written all the time",
    ),
    ("session/store-space", "a full disk"),
];

/// Parameters of codes with a row that no row shows, and why.
const WITHOUT_VALUE: &[(&str, &str, &str)] = &[
    (
        "obligation/exit-status",
        "tail",
        "it stands in `failed` of the entry of the run, and nothing is sent twice",
    ),
    (
        "obligation/signal",
        "tail",
        "it stands in `failed` of the entry of the run, and nothing is sent twice",
    ),
    (
        "patch/definition-unparsable",
        "after",
        "nothing was edited, so that there is none",
    ),
    (
        "session/head-moved",
        "events_since",
        "of a head that the log holds, which a row cannot know",
    ),
    (
        "session/recovery-conflict",
        "reason",
        "the paths tell it, one by one",
    ),
    (
        "session/snapshot-path",
        "other",
        "a file system that folds case",
    ),
];

/// What was seen of scenes: what differs from what was expected or from face to face, and each parameter of each code that
/// had a value.
#[derive(Default)]
struct Seen {
    differences: Vec<String>,
    parameters: BTreeSet<(String, String)>,
}

impl Seen {
    fn add(mut self, other: Self) -> Self {
        self.differences.extend(other.differences);
        self.parameters.extend(other.parameters);
        self
    }

    fn note(&mut self, answer: &Value) {
        for entry in answer["diagnostics"].as_array().into_iter().flatten() {
            let code = entry["code"].as_str().unwrap_or_default();
            let members = entry["parameters"].as_object().into_iter().flatten();
            let told = members.filter(|(_, value)| !value.is_null());
            self.parameters
                .extend(told.map(|(name, _)| (code.to_owned(), name.clone())));
        }
    }
}

/// Plays a scene on the three faces.
fn seen(scene: &Scene) -> Seen {
    let mut seen = Seen::default();
    let found = &mut seen.differences;
    let mut answers = Vec::new();
    let mut stage = Stage::of(&scene.case);
    for row in &scene.rows {
        let told = [Face::Direct, Face::Provider, Face::Host].map(|face| {
            if scene.afresh {
                stage = Stage::of(&scene.case);
            }
            (face, face.told(&stage, row))
        });
        let (_, first) = &told[0];
        answers.push(first.clone());
        if !tells(first, row.expects) {
            found.push(format!("{}: {first}", row.expects));
        }
        for (face, other) in &told[1..] {
            if other != first {
                found.push(format!(
                    "{}: {face:?} differs\n{first}\n{other}",
                    row.expects
                ));
            }
        }
    }
    for answer in &answers {
        seen.note(answer);
    }
    seen
}

/// Whether an answer is the success that was expected, or holds the code.
fn tells(answer: &Value, expects: &str) -> bool {
    if !expects.contains('/') {
        let schema = format!("genesis/agent-session-{expects}-v0.2");
        return answer["exit"] == 0 && answer["data"]["schema"] == schema;
    }
    let entries = answer["diagnostics"].as_array();
    entries.is_some_and(|entries| entries.iter().any(|entry| entry["code"] == expects))
}

#[test]
fn faces_agree() {
    let scenes = scenes();
    let halves = scenes.chunks(scenes.len().div_ceil(3));
    let seen = thread::scope(|scope| {
        let play = |half: &[Scene]| half.iter().map(seen).fold(Seen::default(), Seen::add);
        let threads: Vec<_> = halves.map(|half| scope.spawn(move || play(half))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a scene can be played"))
            .fold(Seen::default(), Seen::add)
    });
    assert!(
        seen.differences.is_empty(),
        "{}",
        seen.differences.join("\n\n")
    );
    each_parameter_has_a_value(&seen, &scenes);
}

/// Holds the rows to show each parameter that the catalog declares for their codes.
fn each_parameter_has_a_value(seen: &Seen, scenes: &[Scene]) {
    let rows = scenes.iter().flat_map(|scene| &scene.rows);
    let codes: BTreeSet<&str> = rows.map(|row| row.expects).collect();
    let declared = lonis_diagnostics::entries()
        .iter()
        .filter(|entry| codes.contains(entry.text))
        .flat_map(|entry| {
            let parameters = entry.parameters.iter();
            parameters.map(|parameter| (entry.text, parameter.name))
        });
    let missing: Vec<(&str, &str)> = declared
        .filter(|(code, name)| {
            let told = (String::from(*code), String::from(*name));
            !seen.parameters.contains(&told)
        })
        .collect();
    let excused: Vec<(&str, &str)> = WITHOUT_VALUE
        .iter()
        .map(|(code, name, _)| (*code, *name))
        .collect();
    assert_eq!(
        missing, excused,
        "a parameter has a value in a row, or a reason why not"
    );
}

#[test]
fn each_command_and_each_code_has_a_row_or_a_reason() {
    let scenes = scenes();
    let rows: BTreeSet<&str> = scenes
        .iter()
        .flat_map(|scene| scene.rows.iter().map(|row| row.expects))
        .collect();
    for command in lonis_session::command::Command::ALL {
        assert!(
            rows.contains(command.word()),
            "no row for `{}`",
            command.word()
        );
    }
    let is_ours = |code: &&str| {
        FAMILIES
            .iter()
            .any(|family| code.split('/').next() == Some(family))
    };
    let codes: BTreeSet<&str> = lonis_diagnostics::entries()
        .iter()
        .map(|entry| entry.text)
        .filter(is_ours)
        .collect();
    let excused: BTreeSet<&str> = WITHOUT_ROW.iter().map(|(code, _)| *code).collect();
    assert_eq!(excused.len(), WITHOUT_ROW.len(), "a code is excused once");
    for code in &codes {
        assert_ne!(
            rows.contains(code),
            excused.contains(code),
            "`{code}` has a row, or else a reason"
        );
    }
    for code in excused {
        assert!(codes.contains(code), "`{code}` is no code");
    }
}
