//! Writing a result back, durably; undoing one that was killed.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::rc::Rc;

use lonis_session::command::Command;
use serde_json::{Value, json};

use super::{git, run_command, timed};
use crate::case::Case;
use crate::kit::Kit;

/// Files of the tree.
const FILES: usize = 3_000;

/// The peer of an apply: a program that knows of no other file.
const PLAIN: &str = "plain: 1000 files, each synced";

/// How often a kill is tried that has to come while an apply writes.
const KILLS: usize = 50;

/// The sessions of one tree, each begun on what the one before it wrote.
struct Sessions {
    root: PathBuf,
    killed: PathBuf,
    number: usize,
    /// The number that each file holds.
    held: Vec<usize>,
    /// How many files the session changes that is staged and not written yet.
    staged: Option<usize>,
}

pub(super) fn cases(kit: &Kit) -> Vec<Case> {
    let sessions = Rc::new(RefCell::new(Sessions {
        root: kit.subfolder("session-apply"),
        killed: kit.killed.clone(),
        number: 0,
        held: Vec::new(),
        staged: None,
    }));
    let case = |name: &str, act: fn(&mut Sessions) -> Result<f64, String>| {
        let sessions = Rc::clone(&sessions);
        Case::of_samples(name, move || act(&mut sessions.borrow_mut()))
    };
    let plain = kit.subfolder("session-plain");
    let mut number = 0;
    vec![
        case("ours: apply of 10 files of 3000", |all| all.applied(10)).micros_at_most(60_000.0),
        case("ours: apply of 1000 files of 3000", |all| {
            all.applied(1_000)
        })
        .micros_at_most(400_000.0)
        .at_most(1.0, PLAIN),
        case("ours: apply of 3000 files of 3000", |all| {
            all.applied(FILES)
        })
        .micros_at_most(1_500_000.0),
        Case::of_samples(PLAIN, move || {
            number += 1;
            timed(|| {
                (0..1_000)
                    .try_for_each(|file| replace(&plain, file, number))
                    .map_err(|error| error.to_string())
            })
        }),
        case(
            "ours: next command after a kill in an apply of 10 files",
            |all| {
                all.kill(10, false)?;
                timed(|| all.run(Command::Test, json!({})))
            },
        )
        .micros_at_most(50_000.0),
        case(
            "ours: recover after a kill in an apply of 3000 files",
            |all| {
                all.kill(FILES, true)?;
                timed(|| all.run(Command::Recover, json!({})))
            },
        )
        .micros_at_most(1_500_000.0),
    ]
}

fn file(number: usize) -> String {
    format!("d{}/file{number}.txt", number / 20)
}

fn text(number: usize) -> String {
    format!(
        "{number} is the number of the round.\n{}\n",
        "Another line of text.\n".repeat(40)
    )
}

impl Sessions {
    fn run(&self, command: Command, input: Value) -> Result<Value, String> {
        run_command(&self.root, &format!("s{}", self.number), command, input)
    }

    /// Makes the tree, the first time.
    fn plant(&mut self) -> Result<(), String> {
        let failed = |error: std::io::Error| error.to_string();
        while self.held.len() < FILES {
            let path = self.root.join(file(self.held.len()));
            fs::create_dir_all(path.parent().unwrap_or(&self.root)).map_err(failed)?;
            fs::write(path, text(0)).map_err(failed)?;
            self.held.push(0);
        }
        if self.root.join(".git").is_dir() {
            return Ok(());
        }
        git(&self.root, &["init", "-q"])?;
        git(&self.root, &["add", "-A"])
    }

    /// Begins a session that changes some files, and stages it, unless a case before left just that; none of it is measured.
    fn stage(&mut self, files: usize) -> Result<(), String> {
        self.plant()?;
        if self.staged == Some(files) {
            return Ok(());
        }
        if self.staged.is_some() {
            self.write()?;
        }
        self.number += 1;
        let ops: Vec<Value> = (0..files)
            .map(|number| {
                json!({"op": "replace-text", "path": file(number),
                    "find": format!("{} is", self.held[number]), "replace": format!("{} is", self.number)})
            })
            .collect();
        let patch = json!({"schema": "genesis/semantic-patch-v0.2", "intent": "count", "ops": ops});
        self.run(Command::Begin, json!({}))?;
        self.run(Command::Stage, json!({"patch": patch}))?;
        self.staged = Some(files);
        Ok(())
    }

    fn applied(&mut self, files: usize) -> Result<f64, String> {
        self.stage(files)?;
        timed(|| self.write())
    }

    /// Writes what is staged, so that the next session finds its number.
    fn write(&mut self) -> Result<(), String> {
        self.run(Command::Apply, json!({}))?;
        self.written();
        Ok(())
    }

    fn written(&mut self) {
        let files = self.staged.take().unwrap_or_default();
        self.held[..files].fill(self.number);
    }

    /// Kills an apply while its journal says that it is writing; the session stays staged. The kill comes from beside it, and may
    /// come too late: then what it left is finished, and the next session is tried.
    fn kill(&mut self, files: usize, in_the_middle: bool) -> Result<(), String> {
        for _ in 0..KILLS {
            self.stage(files)?;
            let session = format!("s{}", self.number);
            let journal = format!(".lonis/session/journal/{session}");
            let text = format!("{} ", self.number);
            let (path, text) = if in_the_middle {
                (file(files / 2), text)
            } else {
                (journal.clone(), String::new())
            };
            self.kill_at(&session, &path, &text)?;
            let left = fs::read_to_string(self.root.join(journal)).unwrap_or_default();
            if left.contains("\"state\":\"writing\"") {
                return Ok(());
            }
            self.run(Command::Recover, json!({}))?;
            // Killed before it had a journal, it wrote nothing, and is staged as it was.
            if self.run(Command::Status, json!({}))?["transaction"]["status"] != "open" {
                self.written();
            }
        }
        Err(format!("none of {KILLS} kills came while it wrote"))
    }

    /// Kills an apply once the file at a path begins with a text; whether it was over before then does not matter.
    fn kill_at(&self, session: &str, path: &str, text: &str) -> Result<(), String> {
        let ended = Process::new(&self.killed)
            .arg(&self.root)
            .args([session, path, text])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`{}` cannot be run: {error}", self.killed.display()))?;
        let stderr = String::from_utf8_lossy(&ended.stderr);
        if stderr.is_empty() {
            return Ok(());
        }
        Err(format!("{}: {}", ended.status, stderr.trim()))
    }
}

/// Writes one file as a careful program would that knows of no other: a temporary file, its sync, the rename.
fn replace(folder: &Path, number: usize, round: usize) -> std::io::Result<()> {
    let path = folder.join(format!("file{number}"));
    let temporary = folder.join(format!("file{number}.tmp"));
    let mut file = File::create(&temporary)?;
    file.write_all(text(round).as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, &path)
}
