//! What the other commands cost: edits, readers, the workspace of a test.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::rc::Rc;
use std::sync::Arc;

use lonis_session::command::Command;
use lonis_session::commands::{self, Surroundings};
use lonis_session::identity::{Domain, Identity};
use lonis_session::patch::document::{Document, Op};
use lonis_session::patch::engine::{Rules, stage};
use lonis_session::patch::files::{Files, PathState};
use lonis_session::path::WorkspacePath;
use lonis_session::snapshot::tree::{Entry, TreeError};
use serde_json::{Value, json};

use super::timed;
use crate::case::{Case, Clock};
use crate::kit::Kit;

/// Lines of the file that is edited.
const LINES: usize = 5_000;

/// Bytes of the text that an op brings.
const TEXT_BYTES: usize = 5_000;

/// Sessions that a list names.
const SESSIONS: usize = 100;

/// Files that a patch changes.
const CHANGED: usize = 10;

pub(super) fn cases(kit: &Kit, root: &Path) -> Vec<Case> {
    let mut cases = vec![
        edited("a text op", "replace-text").micros_at_most(5_000.0),
        edited("a definition op", "replace-definition").micros_at_most(20_000.0),
    ];
    cases.extend(changed(root));
    cases.extend(readers(kit));
    cases
}

/// One file in memory.
struct One {
    path: WorkspacePath,
    bytes: Arc<[u8]>,
}

impl Files for One {
    fn state(&self, path: &WorkspacePath) -> Result<PathState, TreeError> {
        if *path != self.path {
            return Ok(PathState::Absent);
        }
        Ok(PathState::Leaf(Entry::File {
            executable: false,
            blob: Identity::of(Domain::Blob, &self.bytes),
            bytes: self.bytes.len() as u64,
        }))
    }

    fn blob(&self, _blob: &Identity) -> Result<Arc<[u8]>, TreeError> {
        Ok(Arc::clone(&self.bytes))
    }

    fn names(&self, _directory: Option<&WorkspacePath>) -> Result<Vec<Box<str>>, TreeError> {
        Ok(Vec::new())
    }
}

/// One op on a long file of a language, whose syntax is judged.
fn edited(name: &str, op: &str) -> Case {
    let mut text = String::new();
    let mut number = 0;
    while text.lines().count() < LINES {
        text.push_str(&function(number, "    let held = value + 1;\n"));
        number += 1;
    }
    let ops = ops(op, number / 2);
    let path: Result<WorkspacePath, _> = "src/long.rs".parse();
    let files = path.ok().map(|path| One {
        path,
        bytes: text.into_bytes().into(),
    });
    let run = move || {
        let files = files.as_ref()?;
        stage(files, &Rules::default(), &ops).ok()
    };
    let name = format!("ours: {name} of 5 KB in {LINES} lines");
    Case::new(name, Clock::Thread, run, |outcome| {
        outcome
            .as_ref()
            .is_some_and(|outcome| outcome.changes.len() == 1 && outcome.warnings.is_empty())
    })
}

fn function(number: usize, body: &str) -> String {
    format!(
        "/// Gives a number.\npub fn function{number}(value: u32) -> u32 {{\n{body}    value * {number}\n}}\n\n"
    )
}

fn ops(op: &str, target: usize) -> Vec<Op> {
    let line = "    let another = value.saturating_mul(17) + 4;\n";
    let body = line.repeat(TEXT_BYTES / line.len());
    let mut op = json!({"op": op, "path": "src/long.rs"});
    if op["op"] == "replace-text" {
        let last = format!("    value * {target}\n");
        op["find"] = json!(last);
        op["replace"] = json!(format!("{body}{last}"));
    } else {
        op["target"] = json!({"path": [format!("function{target}")]});
        op["text"] = json!(function(target, &body));
    }
    let document = Document::read(&patch(&[op]));
    document.map(|document| document.ops).unwrap_or_default()
}

fn patch(ops: &[Value]) -> Value {
    json!({"schema": "genesis/semantic-patch-v0.2", "intent": "a measure", "ops": ops})
}

/// Sessions of one root, each with a name of its own.
struct Sessions {
    root: PathBuf,
    number: usize,
}

impl Sessions {
    fn run(&self, command: Command, mut input: Value) -> bool {
        input["root"] = json!(self.root);
        if command.has_session() {
            input["session"] = json!(format!("m{}", self.number));
        }
        commands::run(command, &input, &Surroundings::of_process()).is_ok()
    }

    fn begin(&mut self) -> Result<(), String> {
        self.number += 1;
        let begun = self.run(Command::Begin, json!({}));
        begun
            .then_some(())
            .ok_or_else(|| "it cannot begin".to_owned())
    }

    /// Ends a session that is not looked at again: of open ones there may be so many.
    fn abort(&self) -> Result<(), String> {
        let ended = self.run(Command::Abort, json!({}));
        ended
            .then_some(())
            .ok_or_else(|| "it cannot be aborted".to_owned())
    }

    fn stage(&self) -> bool {
        let text = format!("// {}\n", self.number);
        let op = |number: usize| {
            json!({"op": "replace-range", "path": super::file(number), "start_line": 1, "end_line": 0,
                "text": text, "old": ""})
        };
        let ops: Vec<Value> = (0..CHANGED).map(op).collect();
        self.run(
            Command::Stage,
            json!({"patch": patch(&ops), "gate": "none"}),
        )
    }
}

/// Ten files of a large repository are changed by a patch, and the result is put into a workspace that is there already.
fn changed(root: &Path) -> Vec<Case> {
    let sessions = Rc::new(RefCell::new(Sessions {
        root: root.to_owned(),
        number: 0,
    }));
    let staging = Rc::clone(&sessions);
    let files = super::SIZES[1];
    let copied = root.with_file_name("session-copied");
    let source = root.to_owned();
    let copy = format!("plain: cp -a, {files} files");
    vec![
        Case::of_samples(
            format!("ours: stage of 10 text ops, {files} files"),
            move || {
                let mut sessions = staging.borrow_mut();
                sessions.begin()?;
                let staged = timed(|| sessions.stage());
                sessions.abort()?;
                staged
            },
        )
        .micros_at_most(20_000.0),
        Case::of_samples(format!("ours: first workspace, {files} files"), {
            let sessions = Rc::clone(&sessions);
            move || {
                let mut sessions = sessions.borrow_mut();
                sessions.begin()?;
                let tested = timed(|| sessions.run(Command::Test, json!({})));
                sessions.abort()?;
                tested
            }
        })
        .at_most(1.0, &copy),
        Case::of_samples(
            format!("ours: test after 10 changed files, {files} files"),
            move || {
                let mut sessions = sessions.borrow_mut();
                sessions.begin()?;
                let is_warm = sessions.run(Command::Test, json!({})) && sessions.stage();
                let tested = timed(|| is_warm && sessions.run(Command::Test, json!({})));
                sessions.abort()?;
                tested
            },
        )
        .micros_at_most(80_000.0),
        Case::of_samples(copy, move || {
            super::remove(&copied)?;
            fs::create_dir_all(&copied).map_err(|error| error.to_string())?;
            timed(|| copy_all(&source, &copied))
        }),
    ]
}

/// Copies the working files, as a workspace holds them: without what belongs to git and to the store.
fn copy_all(source: &Path, target: &Path) -> bool {
    let Ok(entries) = fs::read_dir(source) else {
        return false;
    };
    let names = entries.flatten().map(|entry| entry.path());
    let working = names.filter(|path| !path.ends_with(".git") && !path.ends_with(".lonis"));
    let status = Process::new("cp")
        .arg("-a")
        .args(working)
        .arg(target)
        .stdin(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// What only reads: the record of one session, the list of many, a log.
fn readers(kit: &Kit) -> Vec<Case> {
    let root = kit.subfolder("session-readers");
    // What cannot be written fails the first reader.
    let _ = fs::write(root.join("file"), "text\n");
    let mut sessions = Sessions { root, number: 0 };
    let mut begun = true;
    while sessions.number < SESSIONS {
        begun &= sessions.begin().is_ok();
    }
    let sessions = Rc::new(sessions);
    let reader = |name: String, command: Command| {
        let sessions = Rc::clone(&sessions);
        Case::of_samples(name, move || {
            timed(|| begun && sessions.run(command, json!({})))
        })
        .micros_at_most(5_000.0)
    };
    vec![
        reader("ours: status".to_owned(), Command::Status),
        reader(format!("ours: list of {SESSIONS} sessions"), Command::List),
        reader("ours: log".to_owned(), Command::Log),
    ]
}
