//! A project with one definition to lower, and jobs on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde_json::{Value, json};

use crate::program::{Run, fed};

/// The spec of the definition that most jobs are about.
pub(crate) const CLAMP: &str = "---\nname: clamp\n---\n\nKeeps a number between two others.\n\n\
```soil-sig\nclamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\n```\n\n\
```requires\nordered: low <= high\n```\n\n\
```ensures\nat_least: result >= low\nat_most: result <= high\n```\n\n\
```test inside\n(0, 10, 5) => 5\n(0, 10, -5) => 0\n(0, 10, 50) => 10\n```\n\n\
```property second_time\nforall x : I64\nclamp 0 10 (clamp 0 10 x) == clamp 0 10 x\n```\n";

/// A body that meets it.
pub(crate) const GOOD: &str = "clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\n\
clamp low high x =\n  if x < low\n  then low\n  else\n    if x > high\n    then high\n    else x\n";

/// A body with a hole.
pub(crate) const WITH_HOLE: &str = "clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\n\
clamp low high x =\n  if x < low\n  then low\n  else ?rest\n";

/// A body that forgets the upper bound.
pub(crate) const WRONG: &str = "clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\n\
clamp low high x =\n  if x < low\n  then low\n  else x\n";

/// A project in a folder of its own.
pub(crate) struct Root(tempfile::TempDir);

impl Root {
    /// Writes a project of these files, `soil.toml` beside them.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let root = Self(tempfile::tempdir().expect("a folder"));
        root.write("soil.toml", "");
        for (path, text) in files {
            root.write(path, text);
        }
        root
    }

    /// Writes a project whose only definition is `shop/clamp`.
    pub(crate) fn clamp() -> Self {
        Self::new(&[("shop/clamp.tr", CLAMP)])
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("project")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        fs::write(path, text).expect("it is written");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).expect(path)
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.path().join(path).exists()
    }

    /// Runs the program in the root.
    pub(crate) fn run(&self, words: &[&str]) -> Run {
        Run::of(checker(&self.path(), words).output().expect("it starts"))
    }

    /// Opens a job.
    pub(crate) fn open(&self, words: &[&str]) -> Job {
        let run = self.run(&[&["job", "open"], words].concat());
        let opened: Value = serde_json::from_str(run.answer()).expect("a document");
        Job(opened["job"].as_str().expect("a path").to_owned())
    }

    /// Gives the codes with which a job is not opened.
    pub(crate) fn refused(&self, words: &[&str]) -> Vec<String> {
        let run = self.run(&[&["job", "open"], words].concat());
        codes(&run.errors())
    }

    /// Gives the names of the jobs that are there, and of what else stands beside them.
    pub(crate) fn jobs(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path().join(".lonis/jobs"));
        let entries = entries.into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
        names.sort_unstable();
        names
    }
}

/// Gives the program in a folder.
pub(crate) fn checker(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lonis-checker"));
    command.args(words).current_dir(folder).env_clear();
    command
}

/// Gives the codes of diagnostics.
pub(crate) fn codes(errors: &[Value]) -> Vec<String> {
    let codes = errors.iter().map(|error| error["code"].as_str());
    codes.map(|code| code.expect("a code").to_owned()).collect()
}

/// A job, by the path that opening it printed.
#[derive(Clone)]
pub(crate) struct Job(pub(crate) String);

impl Job {
    /// Starts a call whose input the job is added to.
    pub(crate) fn start(&self, tool: &str, input: &Value) -> Child {
        let mut input = input.clone();
        input["job"] = json!(self.0);
        start(tool, &input)
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, input: &Value) -> Run {
        Run::of(self.start(tool, input).wait_with_output().expect("it ends"))
    }

    /// Calls a tool that answers, and gives its block.
    pub(crate) fn block(&self, tool: &str, input: &Value) -> Value {
        let run = self.call(tool, input);
        let block: Value = serde_json::from_str(run.answer()).expect("one block");
        assert_eq!(block["payload"]["kind"], format!("trellis.{tool}"));
        block
    }

    /// Calls a tool that answers, and gives its document.
    pub(crate) fn document(&self, tool: &str, input: &Value) -> Value {
        self.block(tool, input)["payload"]["data"].clone()
    }

    /// Calls a tool that refuses, and gives the codes and the exit code.
    pub(crate) fn refusal(&self, tool: &str, input: &Value) -> (Vec<String>, i32) {
        let error = self.error(tool, input);
        let errors = error["details"]["errors"].as_array().expect("a document");
        let code = error["exit_code"].as_i64().expect("a code");
        let codes = codes(errors);
        assert_eq!(error["kind"], format!("checker/{}", codes[0]));
        (codes, i32::try_from(code).expect("it is small"))
    }

    /// Calls a tool that refuses, and gives the error.
    pub(crate) fn error(&self, tool: &str, input: &Value) -> Value {
        let run = self.call(tool, input);
        assert_eq!(run.stdout, "", "{run:?}");
        let error: Value = serde_json::from_str(&run.stderr).expect("one error");
        assert_eq!(i64::from(run.code), error["exit_code"], "{run:?}");
        error
    }

    /// Stores a draft that reads.
    pub(crate) fn write(&self, soil: &str) {
        self.document("write_soil", &draft(soil));
    }

    /// Ends the job, and gives what became of it.
    pub(crate) fn close(&self) -> Value {
        let run = Run::of(
            checker(Path::new("/"), &["job", "close", &self.0])
                .output()
                .expect("it starts"),
        );
        serde_json::from_str(run.answer()).expect("a document")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        Path::new(&self.0).join(name)
    }

    /// Gives the record of the job.
    pub(crate) fn record(&self) -> Value {
        let text = fs::read_to_string(self.path("job.json")).expect("it is there");
        serde_json::from_str(&text).expect("it is JSON")
    }
}

/// Starts a call of a tool.
pub(crate) fn start(tool: &str, input: &Value) -> Child {
    let tool = format!("trellis.{tool}");
    let mut command = checker(Path::new("/"), &["--mode", "ndjson", "call", &tool]);
    fed(&mut command, input.to_string().as_bytes())
}

/// The input of a tool that takes none.
pub(crate) fn nothing() -> Value {
    json!({})
}

/// The input that stores a draft.
pub(crate) fn draft(soil: &str) -> Value {
    json!({"soil": soil, "decisions_applied": []})
}

/// The input that asks a question of some kind.
pub(crate) fn question(kind: &str) -> Value {
    json!({
        "kind": {"tag": kind},
        "question": "Which?",
        "hole": {"tag": "None"},
        "options": []
    })
}
