//! What happens before a command, and the command itself, in a directory of its own.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lonis_session::apply::plan::{steps, temporary};
use lonis_session::clock::SystemClock;
use lonis_session::event::{Fact, Tested};
use lonis_session::session_id::SessionId;
use lonis_session::snapshot::change::difference;
use lonis_session::store::disk::{Disk as _, RootDisk};
use lonis_session::store::journal::Journal;
use lonis_session::store::log::Log;
use lonis_session::store::stored::StoredObjects;
use serde_json::Value;

use super::case::{Golden, Node, Step};
use crate::running::{fed, isolated};
use crate::siblings;

/// A directory in which a case is played.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    /// The program that answers.
    program: PathBuf,
    /// Locks that are held until the end.
    held: Vec<File>,
}

impl Stage {
    /// Plays what happens before the command of a case.
    pub(crate) fn of(case: &Golden) -> Self {
        let mut stage = Self {
            folder: tempfile::tempdir().unwrap(),
            program: siblings::program(&case.program),
            held: Vec::new(),
        };
        for name in ["tree", "home"] {
            fs::create_dir(stage.folder.path().join(name)).unwrap();
        }
        for node in &case.tree {
            stage.put(node);
        }
        for step in &case.before {
            stage.play(step, case);
        }
        stage
    }

    /// Where it is played.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The tree.
    pub(crate) fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn put(&self, node: &Node) {
        let path = self.tree().join(&node.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match (&node.text, &node.link) {
            (Some(text), None) => fs::write(&path, text).unwrap(),
            (None, Some(link)) => symlink(link, &path).unwrap(),
            _ => panic!("`{}` is a file or a link", node.path),
        }
    }

    fn play(&mut self, step: &Step, case: &Golden) {
        match step {
            Step::Run { argv, stdin, exit } => {
                let output = self.run(argv, stdin, 96);
                let text = String::from_utf8_lossy(&output.stdout);
                let code = output.status.code();
                assert_eq!(code, Some(*exit), "{}: {argv:?}: {text}", case.id);
            }
            Step::Write(node) => self.put(node),
            Step::Hold(session) => {
                let lock = match &**session {
                    "" => ".lonis/session/lock".to_owned(),
                    session => format!(".lonis/session/transactions/{session}/lock"),
                };
                let file = File::open(self.tree().join(lock)).unwrap();
                file.lock().unwrap();
                self.held.push(file);
            }
            Step::Forge(session) => self.forge(session),
            Step::Interrupt { session, saved } => self.interrupt(session, saved),
        }
    }

    /// A command that knows of no user and no machine.
    pub(crate) fn command(&self, argv: &[String], columns: usize) -> Command {
        let mut command = self.outside(&self.program, argv);
        command
            .env("COLUMNS", columns.to_string())
            .env("LONIS_CONFIG", self.tree().join("lonis.toml"));
        command
    }

    fn outside(&self, program: &Path, argv: &[String]) -> Command {
        let mut command = isolated(program, &self.folder.path().join("home"), &self.tree());
        command.args(argv);
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, argv: &[String], stdin: &Value, columns: usize) -> Output {
        fed(&mut self.command(argv, columns), stdin)
    }

    /// Runs a command of `lonis`, which knows the session provider alone, to its end.
    pub(crate) fn host(&self, argv: &[String], stdin: &Value) -> Output {
        // Kept between runs, so that the provider is asked for its tools once.
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host");
        let providers = kept.join("providers");
        fs::create_dir_all(&providers).unwrap();
        let link = providers.join("lonis-session");
        if let Err(error) = symlink(siblings::program("lonis-session"), link) {
            assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        }
        let mut command = self.outside(&siblings::program("lonis"), argv);
        command
            .env("LONIS_PROVIDER_PATH", providers)
            .env("XDG_CACHE_HOME", kept);
        fed(&mut command, stdin)
    }

    fn forge(&self, session: &str) {
        let disk = RootDisk::open(&self.tree()).unwrap();
        let id = SessionId::new(session).unwrap();
        let mut log = Log::read(&disk, &id).unwrap();
        let before = log
            .events()
            .iter()
            .rev()
            .find_map(|event| match &event.fact {
                Fact::Tested(tested) => Some(tested.evidence),
                _ => None,
            });
        let now = log
            .events()
            .iter()
            .rev()
            .find_map(|event| match &event.fact {
                Fact::Staged(staged) => Some(staged.after),
                _ => None,
            });
        let fact = Fact::Tested(Tested {
            snapshot: now.expect("a patch was staged"),
            evidence: before.expect("an earlier snapshot was tested"),
            obligations_ok: true,
            only: None,
        });
        log.append(&disk, &SystemClock, None, fact).unwrap();
    }

    /// Leaves what an apply leaves that is killed behind its first swap: a journal, and at its temporary name what came out.
    fn interrupt(&self, session: &str, saved: &str) {
        let disk = RootDisk::open(&self.tree()).unwrap();
        let id = SessionId::new(session).unwrap();
        let log = Log::read(&disk, &id).unwrap();
        let staged = log.events().iter().find_map(|event| match &event.fact {
            Fact::Staged(staged) => Some(staged.clone()),
            _ => None,
        });
        let staged = staged.expect("a patch was staged");
        let store = StoredObjects::open(&disk).unwrap();
        let changes = difference(&store, &staged.before, &staged.after).unwrap();
        let mut journal = Journal::new(id, None, (staged.before, staged.after), staged.change_set);
        journal.paths = steps(session, &changes);
        let first = journal.paths[0].clone();
        let path = first.path.as_str().to_owned();
        fs::rename(self.tree().join(&path), self.tree().join(temporary(&first))).unwrap();
        fs::write(self.tree().join(&path), saved).unwrap();
        assert!(disk.look(&path).unwrap().is_some());
        journal.write(&disk).unwrap();
    }
}
