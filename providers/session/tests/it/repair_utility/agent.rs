//! The agents: programs that read one request and write one answer, and know of nothing else.

use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::corpus::{CHANGE, Edit, Files, POLICY, Scene};
use crate::running::fed;

/// What an agent is shown of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Arm {
    /// The text for people.
    Message,
    /// The entry without its plan.
    Entry,
    /// The whole entry.
    Full,
}

/// A failure, in both forms.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) entry: Value,
}

/// What an agent answers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    pub(crate) action: Action,
    /// The strategy that it followed.
    pub(crate) handler: Option<String>,
    #[serde(default)]
    pub(crate) edits: Vec<Edit>,
}

/// Whether an agent repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Action {
    Abstain,
    Repair,
}

/// One agent.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    program: &'static str,
    words: Vec<&'static str>,
}

impl Arm {
    pub(crate) const ALL: [Self; 3] = [Self::Message, Self::Entry, Self::Full];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Entry => "entry",
            Self::Full => "full",
        }
    }

    fn view(self, told: &Told) -> Value {
        match self {
            Self::Message => json!({"message": told.message}),
            Self::Entry => {
                let mut entry = told.entry.clone();
                let members = entry.as_object_mut().expect("an entry is an object");
                members.remove("repair_plan");
                json!({"entry": entry})
            }
            Self::Full => json!({"entry": told.entry}),
        }
    }
}

impl Agent {
    /// The agent of the arms.
    pub(crate) fn reference() -> Self {
        Self {
            program: "agent.py",
            words: Vec::new(),
        }
    }

    /// An agent with a planted fault.
    pub(crate) fn planted(fault: &'static str) -> Self {
        Self {
            program: "planted.py",
            words: vec![fault],
        }
    }

    /// Asks for a repair; gives the answer, and the bytes of both.
    pub(crate) fn ask(
        &self,
        scene: &Scene,
        files: &Files,
        turn: usize,
        (arm, told): (Arm, &Told),
    ) -> (Answer, usize) {
        let may_change: Vec<&String> = files.keys().filter(|path| *path != POLICY).collect();
        let request = json!({
            "schema": "genesis/repair-utility-request-v0.1",
            "turn": turn,
            "command": scene.case.argv,
            "input": CHANGE,
            "files": files,
            "may_change": may_change,
            "view": arm.view(told),
        });
        let request = lonis::canonical::text(&request).unwrap();
        let answer = run(self.program, &self.words, &request);
        let answer = answer.trim_end();
        let value: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(
            answer,
            lonis::canonical::text(&value).unwrap(),
            "an answer is canonical"
        );
        (
            serde_json::from_value(value).unwrap(),
            request.len() + answer.len(),
        )
    }
}

/// Where the programs stand.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../golden/repair-utility/programs"
    ))
}

/// The text of a program.
pub(crate) fn source(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// Says whether the programs can run here.
pub(crate) fn is_there() -> bool {
    Command::new("python3")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Runs a program in an empty environment and directory, without what a user or a site adds to the language.
pub(crate) fn run(name: &str, words: &[&str], input: &str) -> String {
    let nowhere = tempfile::tempdir().unwrap();
    let mut command = Command::new("python3");
    command
        .args(["-I", "-S", "-B"])
        .arg(folder().canonicalize().unwrap().join(name))
        .args(words)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("PYTHONUTF8", "1")
        .current_dir(nowhere.path());
    let output = fed(&mut command, &Value::from(input));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {said}");
    String::from_utf8(output.stdout).unwrap()
}
