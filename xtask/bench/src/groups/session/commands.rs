//! What the other commands cost: edits, readers, the workspace of a test.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use lonis_session::command::Command;
use lonis_session::identity::{Domain, Identity};
use lonis_session::patch::document::{Document, Op};
use lonis_session::patch::engine::{Rules, stage};
use lonis_session::patch::files::{Files, PathState};
use lonis_session::path::WorkspacePath;
use lonis_session::snapshot::tree::{Entry, TreeError};
use lonis_session::store::disk::RootDisk;
use lonis_session::store::objects::ReadObjects;
use lonis_session::store::stored::StoredObjects;
use serde_json::{Value, json};

use super::repository::{Repository, file};
use super::{finished, run_command, timed};
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

/// One op on a long file.
pub(super) fn edits() -> Vec<Case> {
    vec![
        edited("a text op", "replace-text").micros_at_most(5_000.0),
        edited("a definition op", "replace-definition").micros_at_most(20_000.0),
    ]
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
    /// What their names begin with.
    prefix: &'static str,
    number: usize,
}

impl Sessions {
    fn run(&self, command: Command, input: Value) -> Result<Value, String> {
        run_command(
            &self.root,
            &format!("{}{}", self.prefix, self.number),
            command,
            input,
        )
    }

    fn begin(&mut self) -> Result<(), String> {
        self.number += 1;
        self.run(Command::Begin, json!({}))?;
        Ok(())
    }

    /// Ends a session that is not looked at again: of open ones there may be so many.
    fn abort(&self) -> Result<(), String> {
        self.run(Command::Abort, json!({}))?;
        Ok(())
    }

    fn test(&self) -> Result<Value, String> {
        self.run(Command::Test, json!({}))
    }

    /// Nanoseconds from the call to the first moment of the program that the obligation runs.
    fn start(&self) -> Result<f64, String> {
        let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let called = now().map_err(|error| error.to_string())?.as_nanos();
        let tested = self.test()?;
        let blob = tested["results"][0]["stdout"]["blob"].as_str();
        let disk = RootDisk::open(&self.root).map_err(|error| error.to_string())?;
        let store = StoredObjects::open(&disk).map_err(|error| error.to_string())?;
        let blob = blob.ok_or("no obligation ran")?.parse();
        let blob: Identity = blob.map_err(|_| "the output has no identity")?;
        let bytes = store.read(Domain::Blob, &blob);
        let text = String::from_utf8(bytes.map_err(|error| error.to_string())?);
        let text = text.map_err(|error| error.to_string())?;
        let started: u128 = text
            .trim()
            .parse()
            .map_err(|_| format!("`date` says `{text}`"))?;
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a short time")]
        let nanos = started.saturating_sub(called) as f64;
        Ok(nanos)
    }

    /// A patch that puts a line in front of some files. Each file is named by its content: an insertion has no old text.
    fn patch(&self, count: usize) -> Result<Value, String> {
        let text = format!("// {}\n", self.number);
        let op = |number: usize| {
            let path = file(number);
            let bytes = fs::read(self.root.join(&path)).map_err(|error| error.to_string())?;
            let pre = format!("blob:{}", Identity::of(Domain::Blob, &bytes));
            Ok(
                json!({"op": "replace-range", "path": path, "start_line": 1, "end_line": 0, "text": text, "pre": pre}),
            )
        };
        let ops: Result<Vec<Value>, String> = (0..count).map(op).collect();
        Ok(patch(&ops?))
    }

    fn stage(&self, patch: &Value) -> Result<Value, String> {
        self.run(Command::Stage, json!({"patch": patch, "gate": "none"}))
    }
}

/// What the obligation of the measured repository runs: it says when it was started, in nanoseconds since 1970.
const POLICY: &str =
    "version = 1\n\n[[obligation]]\nname = \"start\"\nargv = [\"date\", \"+%s%N\"]\n";

/// Few and many files of a large repository are changed by a patch.
pub(super) fn stages(repository: &Repository) -> Vec<Case> {
    let sessions = Shared::of(repository, "stage");
    let files = super::SIZES[1];
    let name = |count: usize| format!("ours: stage of {count} text ops, {files} files");
    let stage = |count: usize| {
        sessions.case(name(count), move |sessions| {
            let patch = sessions.patch(count)?;
            timed(|| sessions.stage(&patch))
        })
    };
    vec![
        stage(CHANGED).micros_at_most(20_000.0),
        stage(100 * CHANGED).at_most(100.0, &name(CHANGED)),
    ]
}

/// A session runs its obligation, at first and where its workspace is there already.
pub(super) fn tests(repository: &Repository) -> Vec<Case> {
    let sessions = Shared::of(repository, "test");
    let files = super::SIZES[1];
    let copy = format!("plain: cp -a, {files} files");
    let warm = |what: &str| format!("ours: {what} on a warm base, {files} files");
    let after = |what: &str| format!("ours: {what} after {CHANGED} changed files, {files} files");
    let source = repository.clone();
    vec![
        sessions
            .case(
                format!("ours: first workspace, {files} files"),
                |sessions| {
                    super::remove(&sessions.root.join(".lonis/session/base"))?;
                    timed(|| sessions.test())
                },
            )
            .at_most(1.0, &copy),
        sessions
            .case(warm("test"), |sessions| {
                sessions.test()?;
                timed(|| sessions.test())
            })
            .micros_at_most(80_000.0),
        sessions
            .case(warm("start of a run"), |sessions| {
                sessions.test()?;
                sessions.start()
            })
            .micros_at_most(60_000.0),
        sessions
            .case(after("test"), |sessions| {
                sessions.test()?;
                sessions.stage(&sessions.patch(CHANGED)?)?;
                timed(|| sessions.test())
            })
            .micros_at_most(80_000.0),
        sessions
            .case(after("start of a run"), |sessions| {
                sessions.test()?;
                sessions.stage(&sessions.patch(CHANGED)?)?;
                sessions.start()
            })
            .micros_at_most(70_000.0),
        Case::of_samples(copy, move || {
            let source = source.known()?;
            let copied = source.with_extension("copied");
            super::remove(&copied)?;
            fs::create_dir_all(&copied).map_err(|error| error.to_string())?;
            timed(|| copy_all(source, &copied))
        }),
    ]
}

/// The sessions of one repository, which several cases take in turn.
#[derive(Clone)]
struct Shared {
    repository: Repository,
    prefix: &'static str,
    /// How many there were.
    number: Rc<Cell<usize>>,
}

impl Shared {
    fn of(repository: &Repository, prefix: &'static str) -> Self {
        Self {
            repository: repository.clone(),
            prefix,
            number: Rc::default(),
        }
    }

    /// A case within a session of its own, of which only what the act says is measured.
    fn case(&self, name: String, act: impl Fn(&Sessions) -> Result<f64, String> + 'static) -> Case {
        let own = self.clone();
        Case::of_samples(name, move || {
            let root = own.repository.known()?.to_owned();
            let policy = root.join("lonis-session.toml");
            if !policy.is_file() {
                fs::write(policy, POLICY).map_err(|error| error.to_string())?;
            }
            let number = own.number.get();
            let mut sessions = Sessions {
                root,
                prefix: own.prefix,
                number,
            };
            sessions.begin()?;
            own.number.set(sessions.number);
            let nanos = act(&sessions)?;
            sessions.abort()?;
            Ok(nanos)
        })
    }
}

/// Copies the working files, as a workspace holds them: without what belongs to git and to the store.
fn copy_all(source: &Path, target: &Path) -> Result<(), String> {
    let entries = fs::read_dir(source).map_err(|error| error.to_string())?;
    let names = entries.flatten().map(|entry| entry.path());
    let working = names.filter(|path| !path.ends_with(".git") && !path.ends_with(".lonis"));
    finished(Process::new("cp").arg("-a").args(working).arg(target)).map(drop)
}

/// What only reads: the record of one session, the list of many, a log.
pub(super) fn readers(kit: &Kit) -> Vec<Case> {
    let root = kit.subfolder("session-readers");
    // What cannot be written fails the first reader.
    let _ = fs::write(root.join("file"), "text\n");
    let mut sessions = Sessions {
        root,
        prefix: "read",
        number: 0,
    };
    let mut begun = Ok(());
    while sessions.number < SESSIONS && begun.is_ok() {
        begun = sessions.begin();
    }
    let sessions = Rc::new(sessions);
    let reader = |name: String, command: Command| {
        let (sessions, begun) = (Rc::clone(&sessions), begun.clone());
        Case::of_samples(name, move || {
            begun.clone()?;
            timed(|| sessions.run(command, json!({})))
        })
        .micros_at_most(5_000.0)
    };
    vec![
        reader("ours: status".to_owned(), Command::Status),
        reader(format!("ours: list of {SESSIONS} sessions"), Command::List),
        reader("ours: log".to_owned(), Command::Log),
    ]
}
