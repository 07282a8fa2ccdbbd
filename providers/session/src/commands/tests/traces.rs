//! Traces of commands, outside edits and kills by chance, beside a model in memory: after each step the live tree and every record
//! are what the model says.

use std::collections::BTreeMap;

use super::*;
use crate::path::WorkspacePath;
use crate::snapshot::manifest::Manifest;
use crate::snapshot::tree::Entry;
use crate::store::disk::stopping::{StoppingDisk, Upset};
use crate::store::objects::ObjectMap;

const PATHS: [&str; 6] = ["a", "b", "d/c", "d/e", "x", "x/y"];
const SESSIONS: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

/// Files with their texts.
type Files = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Session {
    status: &'static str,
    base: Files,
    current: Files,
    patches: u64,
    is_verified: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Model {
    live: Files,
    sessions: BTreeMap<&'static str, Session>,
}

/// One step of a trace.
#[derive(Debug, Clone)]
enum Step {
    /// Somebody else writes a file, or removes it.
    Edit(&'static str, Option<String>),
    Begin(&'static str),
    /// A file is written, or removed; with or without the obligations.
    Stage(&'static str, &'static str, Option<String>, bool),
    Test(&'static str),
    Apply(&'static str),
    Abort(&'static str),
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// A step that is mostly one that the model allows.
    fn step(&mut self, model: &Model) -> Step {
        let begun = model.sessions.len();
        let mut step = self.any(begun);
        for _ in 0..3 {
            if model.after(&step).is_some() {
                break;
            }
            step = self.any(begun);
        }
        step
    }

    /// A step about one of the sessions that began, or the next one.
    fn any(&mut self, begun: usize) -> Step {
        let session = SESSIONS[self.below(SESSIONS.len()) % (1 + begun)];
        let path = PATHS[self.below(PATHS.len())];
        let text = (self.below(4) > 0).then(|| format!("text {}\n", self.below(3)));
        match self.below(16) {
            0 => Step::Edit(path, text),
            1..=3 => Step::Begin(session),
            4..=9 => Step::Stage(session, path, text, self.below(4) > 0),
            10 => Step::Test(session),
            11..=14 => Step::Apply(session),
            _ => Step::Abort(session),
        }
    }
}

fn identity(files: &Files) -> String {
    let mut objects = ObjectMap::new();
    let entries: BTreeMap<WorkspacePath, Entry> = files
        .iter()
        .map(|(path, text)| {
            let entry = Entry::File {
                executable: false,
                blob: Identity::of(Domain::Blob, text.as_bytes()),
                bytes: text.len() as u64,
            };
            (path.parse().unwrap(), entry)
        })
        .collect();
    Manifest::new(entries)
        .store(&mut objects)
        .unwrap()
        .0
        .to_string()
}

/// Whether a file can stand at a path beside these: none above or below it.
fn fits(files: &Files, path: &str) -> bool {
    files.keys().all(|other| {
        !other.starts_with(&format!("{path}/")) && !path.starts_with(&format!("{other}/"))
    })
}

impl Model {
    /// What a step makes of the model; `None` where it is refused and changes nothing.
    fn after(&self, step: &Step) -> Option<Self> {
        let mut next = self.clone();
        match step {
            Step::Edit(path, text) => edit(&mut next.live, path, text.as_deref())?,
            Step::Begin(session) => {
                let begun = Session {
                    status: "open",
                    base: self.live.clone(),
                    current: self.live.clone(),
                    patches: 0,
                    is_verified: false,
                };
                if next.sessions.insert(session, begun).is_some() {
                    return None;
                }
            }
            Step::Stage(session, path, text, runs) => {
                let session = next.open(session)?;
                if session.current.get(*path) == text.as_ref() {
                    return None;
                }
                edit(&mut session.current, path, text.as_deref())?;
                session.patches += 1;
                session.is_verified = *runs;
            }
            Step::Test(session) => next.open(session)?.is_verified = true,
            Step::Apply(name) => {
                let live = self.live.clone();
                let session = next.open(name)?;
                let is_stale = session.base != session.current && session.base != live;
                if !session.is_verified || is_stale {
                    return None;
                }
                session.status = "applied";
                if session.base != session.current {
                    next.live = session.current.clone();
                }
            }
            Step::Abort(session) => next.open(session)?.status = "aborted",
        }
        Some(next)
    }

    fn open(&mut self, session: &str) -> Option<&mut Session> {
        self.sessions
            .get_mut(session)
            .filter(|session| session.status == "open")
    }
}

/// Writes or removes a file; `None` where that is no change or cannot be.
fn edit(files: &mut Files, path: &str, text: Option<&str>) -> Option<()> {
    match text {
        Some(text) if fits(files, path) => {
            files.insert(path.to_owned(), text.to_owned());
            Some(())
        }
        Some(_) => None,
        None => files.remove(path).map(|_| ()),
    }
}

/// A tree and what it should be.
struct Trace {
    tree: Tree,
    model: Model,
}

impl Trace {
    fn new() -> Self {
        let tree = Tree {
            folder: tempfile::tempdir().unwrap(),
        };
        tree.write("a", "text 0\n");
        let mut model = Model::default();
        model.live.insert("a".to_owned(), "text 0\n".to_owned());
        Self { tree, model }
    }

    fn input(&self, step: &Step) -> Option<(Command, Value)> {
        let (command, session) = match step {
            Step::Edit(..) => return None,
            Step::Begin(session) => (Command::Begin, session),
            Step::Stage(session, ..) => (Command::Stage, session),
            Step::Test(session) => (Command::Test, session),
            Step::Apply(session) => (Command::Apply, session),
            Step::Abort(session) => (Command::Abort, session),
        };
        let mut input = json!({"root": self.tree.root(), "session": session});
        if let Step::Stage(session, path, text, runs) = step {
            let held = self.model.sessions.get(session);
            let held = held.and_then(|session| session.current.get(*path));
            let pre =
                held.map(|text| format!("blob:{}", Identity::of(Domain::Blob, text.as_bytes())));
            let op = match (text, &pre) {
                (Some(text), None) => {
                    json!({"op": "create-file", "path": path, "content": {"text": text}})
                }
                (Some(text), Some(pre)) => {
                    json!({"op": "replace-file", "path": path, "pre": pre, "content": {"text": text}})
                }
                (None, pre) => {
                    let none = format!("blob:{}", Identity::of(Domain::Blob, b""));
                    json!({"op": "delete-file", "path": path, "pre": pre.as_ref().unwrap_or(&none)})
                }
            };
            // Each patch is another one: a document that a session holds already adds nothing.
            let patches = self
                .model
                .sessions
                .get(session)
                .map_or(0, |session| session.patches);
            input["patch"] = json!({"schema": "genesis/semantic-patch-v0.2",
                "intent": format!("patch {patches}"), "ops": [op]});
            input["gate"] = if *runs { "obligations" } else { "none" }.into();
        }
        Some((command, input))
    }

    /// Does a step; with a number, the process ends at that step of its disk, and the next command goes on.
    fn act(&mut self, step: &Step, ends: Option<u64>) {
        let Some((command, input)) = self.input(step) else {
            if let (Step::Edit(path, text), Some(next)) = (step, self.model.after(step)) {
                self.edit(path, text.as_deref());
                self.model = next;
            }
            return;
        };
        let expected = self.model.after(step);
        let Some(at) = ends else {
            let done = run(command, &input, &real());
            assert_eq!(done.is_ok(), expected.is_some(), "{step:?}: {done:?}");
            self.model = expected.unwrap_or_else(|| self.model.clone());
            return self.check(step);
        };
        let ending = surroundings(move |root| {
            let disk = RootDisk::open(root)?;
            Ok(Box::new(StoppingDisk::new(disk, at, Upset::End)))
        });
        let _ = run(command, &input, &ending);
        self.tree.passes(&[Command::Recover], &real());
        // It happened or it did not: the tree says which, and the record has to say the same.
        let is_done = |model: &Model| self.found() == model.live && self.records_fit(model).is_ok();
        if let Some(next) = expected.filter(is_done) {
            self.model = next;
        }
        self.check(step);
    }

    fn edit(&self, path: &str, text: Option<&str>) {
        match text {
            Some(text) => {
                // A directory that is empty is in nobody's model.
                let _ = std::fs::remove_dir(self.tree.root().join(path));
                self.tree.write(path, text);
            }
            None => std::fs::remove_file(self.tree.root().join(path)).unwrap(),
        }
    }

    fn found(&self) -> Files {
        let found = self.tree.found().into_iter();
        found.filter(|(path, _)| !path.ends_with('/')).collect()
    }

    fn records_fit(&self, model: &Model) -> Result<(), String> {
        let listed = run(Command::List, &json!({"root": self.tree.root()}), &real());
        let rows = listed.map_err(|failure| format!("{failure:?}"))?["sessions"].clone();
        let rows = rows.as_array().unwrap();
        let seen: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!([
                    row["session"],
                    row["status"],
                    row["base_snapshot"],
                    row["current_snapshot"],
                    row["patch_count"],
                    row["recovery_pending"]
                ])
            })
            .collect();
        let expected: Vec<Value> = model
            .sessions
            .iter()
            .map(|(name, session)| {
                json!([
                    name,
                    session.status,
                    identity(&session.base),
                    identity(&session.current),
                    session.patches,
                    false
                ])
            })
            .collect();
        if seen != expected {
            return Err(format!("{seen:?} is not {expected:?}"));
        }
        let mut sessions = model.sessions.iter();
        sessions.try_for_each(|(name, session)| self.is_verified_as(name, session.is_verified))
    }

    /// No list tells of this, and a run that was cut short leaves nothing else.
    fn is_verified_as(&self, session: &str, expected: bool) -> Result<(), String> {
        let input = json!({"root": self.tree.root(), "session": session});
        let status = run(Command::Status, &input, &real());
        let status = status.map_err(|failure| format!("{failure:?}"))?;
        let verification = &status["transaction"]["verification"];
        if verification.is_null() != expected {
            return Ok(());
        }
        Err(format!("`{session}` has the verification {verification}"))
    }

    fn check(&self, step: &Step) {
        assert_eq!(self.found(), self.model.live, "after {step:?}");
        if let Err(problem) = self.records_fit(&self.model) {
            panic!("after {step:?}: {problem}");
        }
    }
}

/// How many traces of how many steps: few in the check of a change, as many as the proof asks for in `cargo xtask proof`.
fn sizes() -> (u64, usize) {
    if std::env::var_os("LONIS_PROOF").is_some() {
        (4_000, 25)
    } else {
        (80, 25)
    }
}

#[test]
fn random_traces_are_what_the_model_says() {
    let (traces, length) = sizes();
    let mut applied = 0;
    for seed in 1..=traces {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut trace = Trace::new();
        let mut done = Vec::new();
        for _ in 0..length {
            let step = numbers.step(&trace.model);
            let ends = (numbers.below(3) == 0).then(|| numbers.below(60) as u64);
            done.push((step.clone(), ends));
            let stepped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                trace.act(&step, ends);
            }));
            assert!(stepped.is_ok(), "trace {seed}: {done:#?}");
        }
        let sessions = trace.model.sessions.values();
        applied += sessions
            .filter(|session| session.status == "applied" && session.base != session.current)
            .count() as u64;
    }
    assert!(applied * 2 > traces, "only {applied} results were written");
}
