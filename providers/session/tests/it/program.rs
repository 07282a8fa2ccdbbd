//! The program in a directory of its own, as a shell would run it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output};
use std::sync::OnceLock;

use lonis::SchemaCheck;
use lonis_session::command as session;

use serde_json::{Value, json};

use crate::running::{isolated, started};

/// Where the program under test is.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_lonis-session");

/// A directory with sessions.
pub(crate) struct Root {
    folder: tempfile::TempDir,
}

impl Root {
    /// A root with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let root = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(root.path("tree")).unwrap();
        fs::create_dir(root.path("home")).unwrap();
        for (path, text) in files {
            root.write(path, text);
        }
        root
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A path outside of the tree that goes with it.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.path(name)
    }

    /// The tree.
    pub(crate) fn tree(&self) -> PathBuf {
        self.path("tree")
    }

    /// Writes a file in place, with the directories above it.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file; `None` where there is none.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.tree().join(path)).ok()
    }

    /// The program, knowing of no user and no machine.
    pub(crate) fn command(&self) -> Command {
        isolated(PROGRAM, &self.path("home"), &self.tree())
    }

    /// Starts a command, knowing of no user and no machine.
    pub(crate) fn start(&self, words: &[&str], input: &Value) -> Child {
        started(self.command().arg("--json").args(words), input)
    }

    /// Runs a command, and gives its exit code and envelope.
    pub(crate) fn run(&self, words: &[&str], input: &Value) -> (i32, Value) {
        told(&self.start(words, input).wait_with_output().unwrap())
    }

    /// Runs a command that has to pass, and gives its data.
    pub(crate) fn passes(&self, words: &[&str]) -> Value {
        let (code, envelope) = self.run(words, &Value::Null);
        assert_eq!(code, 0, "{words:?}: {envelope}");
        envelope["data"].clone()
    }

    /// Stages ops that have to pass.
    pub(crate) fn stages(&self, session: &str, ops: &[Value]) -> Value {
        let (code, envelope) = self.run(&["stage", session, "--patch", "-"], &patch(ops));
        assert_eq!(code, 0, "{envelope}");
        envelope["data"].clone()
    }
}

/// The exit code and the envelope of a command that ended by itself.
pub(crate) fn told(output: &Output) -> (i32, Value) {
    let error = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    let code = code.unwrap_or_else(|| panic!("{:?}: {error}", output.status));
    let envelope: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{code}: {}{error}", String::from_utf8_lossy(&output.stdout)));
    assert_eq!(envelope["ok"], code == 0, "{envelope}");
    keeps_its_schema(&envelope);
    (code, envelope)
}

/// Holds a result to the schema that its command has in the contract.
fn keeps_its_schema(envelope: &Value) {
    static CHECKS: OnceLock<BTreeMap<String, SchemaCheck>> = OnceLock::new();
    let checks = CHECKS.get_or_init(|| {
        let check = |command: &session::Command| {
            let check = SchemaCheck::compile(&command.output_schema()).unwrap();
            (command.kind(), check)
        };
        session::Command::ALL.iter().map(check).collect()
    });
    let kind = envelope["kind"].as_str().unwrap_or_default();
    let Some(check) = checks.get(kind).filter(|_| envelope["ok"] == true) else {
        return;
    };
    if let Err(breach) = check.check(&envelope["data"]) {
        panic!("{kind}: {breach}: {}", envelope["data"]);
    }
}

/// The code of a refusal.
pub(crate) fn code_of(envelope: &Value) -> &str {
    envelope["diagnostics"][0]["code"].as_str().unwrap_or("")
}

/// A patch of these ops.
pub(crate) fn patch(ops: &[Value]) -> Value {
    json!({"schema": "genesis/semantic-patch-v0.2", "intent": "a change", "ops": ops})
}

/// An op that puts one text in the place of another.
pub(crate) fn replace(path: &str, find: &str, replace: &str) -> Value {
    json!({"op": "replace-text", "path": path, "find": find, "replace": replace})
}

/// An op that makes a file.
pub(crate) fn create(path: &str, text: &str) -> Value {
    json!({"op": "create-file", "path": path, "content": {"text": text}})
}

/// How often a test of chance is repeated: a few times in the check of a change, as often as the proof asks for in
/// `cargo xtask proof`, which names the whole number of times.
pub(crate) fn rounds(few: u64, all: u64) -> u64 {
    if std::env::var_os("LONIS_PROOF").is_some() {
        all
    } else {
        few
    }
}

/// Numbers that are the same in each run, and differ by seed.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // Xorshift: nobody has to guess these.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end
    }
}
