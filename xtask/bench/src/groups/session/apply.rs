//! Writing a result back, durably; undoing one that was killed.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use lonis_session::command::Command;
use serde_json::{Value, json};

use super::{git, run_command, timed};
use crate::case::Case;
use crate::kit::Kit;

/// Files of the tree.
const FILES: usize = 3_000;

/// How often a kill is tried that has to come while an apply writes.
const KILLS: usize = 50;

/// The session of the next sample: each begins on what the one before it wrote.
struct Sessions {
    root: PathBuf,
    killed: PathBuf,
    number: usize,
}

pub(super) fn cases(kit: &Kit) -> Vec<Case> {
    let mut cases = vec![
        applied(kit, 10).micros_at_most(60_000.0),
        applied(kit, 1_000)
            .micros_at_most(400_000.0)
            .at_most(1.0, "plain: 1000 files, each synced"),
        applied(kit, 3_000).micros_at_most(1_500_000.0),
    ];
    let plain = kit.subfolder("session-plain");
    let mut number = 0;
    cases.push(Case::of_samples(
        "plain: 1000 files, each synced",
        move || {
            number += 1;
            timed(|| {
                (0..1_000)
                    .try_for_each(|file| replace(&plain, file, number))
                    .map_err(|error| error.to_string())
            })
        },
    ));
    let mut next = Sessions::new(kit, "next");
    cases.push(
        Case::of_samples(
            "ours: next command after a kill in an apply of 10 files",
            move || {
                next.kill(10, false)?;
                let done = timed(|| next.run(Command::Test, json!({})));
                next.write()?;
                done
            },
        )
        .micros_at_most(50_000.0),
    );
    let mut undone = Sessions::new(kit, "undone");
    cases.push(
        Case::of_samples(
            "ours: recover after a kill in an apply of 3000 files",
            move || {
                undone.kill(FILES, true)?;
                let done = timed(|| undone.run(Command::Recover, json!({})));
                undone.write()?;
                done
            },
        )
        .micros_at_most(1_500_000.0),
    );
    cases
}

fn applied(kit: &Kit, files: usize) -> Case {
    let mut sessions = Sessions::new(kit, &format!("applied-{files}"));
    Case::of_samples(
        format!("ours: apply of {files} files of {FILES}"),
        move || {
            sessions.stage(files)?;
            timed(|| sessions.run(Command::Apply, json!({})))
        },
    )
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
    fn new(kit: &Kit, name: &str) -> Self {
        let root = kit.subfolder(&format!("session-{name}"));
        for number in 0..FILES {
            let path = root.join(file(number));
            // A file that cannot be written fails the first `stage`.
            let _ = fs::create_dir_all(path.parent().unwrap_or(&root));
            let _ = fs::write(path, text(0));
        }
        // Without a repository the tree is walked all the same.
        let _ = git(&root, &["init", "-q"]).and_then(|()| git(&root, &["add", "-A"]));
        Self {
            root,
            killed: kit.killed.clone(),
            number: 0,
        }
    }

    fn run(&self, command: Command, input: Value) -> Result<Value, String> {
        run_command(&self.root, &format!("s{}", self.number), command, input)
    }

    /// Begins a session that changes some files, and stages it; none of it is measured.
    fn stage(&mut self, files: usize) -> Result<(), String> {
        let before = self.number;
        self.number += 1;
        let ops: Vec<Value> = (0..files)
            .map(|number| {
                json!({"op": "replace-text", "path": file(number),
                    "find": format!("{before} is"), "replace": format!("{} is", self.number)})
            })
            .collect();
        let patch = json!({"schema": "genesis/semantic-patch-v0.2", "intent": "count", "ops": ops});
        self.run(Command::Begin, json!({}))?;
        self.run(Command::Stage, json!({"patch": patch}))?;
        Ok(())
    }

    /// Kills an apply while its journal says that it is writing. The kill comes from beside it, and may come too late: then what
    /// it left is finished, and the next session is tried.
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
            // Killed before it had a journal, it wrote nothing.
            if self.run(Command::Status, json!({}))?["transaction"]["status"] == "open" {
                self.write()?;
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

    /// Writes what was undone all the same, so that the next session finds its number.
    fn write(&self) -> Result<(), String> {
        self.run(Command::Apply, json!({}))?;
        Ok(())
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
