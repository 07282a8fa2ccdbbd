//! Runs of the program.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The example project.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/soil/v1/soil-examples")
}

/// Gives `lonis-checker soil` with arguments, in a folder.
pub(crate) fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lonis-checker"));
    command.arg("soil").args(words).current_dir(folder);
    command
}

/// Starts a program and gives it all of an input; one that has seen enough may stop reading.
pub(crate) fn fed(command: &mut Command, input: &[u8]) -> Child {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = piped.stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let _ = stdin.write_all(input);
    child
}

/// Reads all files below a folder, by their paths in it.
pub(crate) fn texts_below(folder: &Path) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let mut folders = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is there").flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push((entry.path(), format!("{name}/")));
            } else {
                texts.insert(name, fs::read_to_string(entry.path()).expect("a text"));
            }
        }
    }
    texts
}

/// What one run left.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("no signal ended it"),
            stdout: String::from_utf8(output.stdout).expect("stdout is text"),
            stderr: String::from_utf8(output.stderr).expect("stderr is text"),
        }
    }

    /// Runs a program to its end on an input.
    pub(crate) fn on(command: &mut Command, input: &[u8]) -> Self {
        let child = fed(command, input);
        Self::of(child.wait_with_output().expect("it ends"))
    }

    pub(crate) fn soil(folder: &Path, words: &[&str]) -> Self {
        let output = command(folder, words).output();
        Self::of(output.expect("the program starts"))
    }

    /// Gives the answer of a run that gave one.
    pub(crate) fn answer(&self) -> &str {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        &self.stdout
    }

    /// Gives the diagnostics of a run that gave no answer.
    pub(crate) fn errors(&self) -> Vec<Value> {
        assert_eq!(self.stdout, "", "{self:?}");
        assert_ne!(self.code, 0, "{self:?}");
        assert!(self.stderr.ends_with('\n'), "{self:?}");
        let document: Value = serde_json::from_str(&self.stderr).expect("stderr is one document");
        document["errors"].as_array().expect("a list").clone()
    }

    /// Gives code, file and span of each diagnostic.
    pub(crate) fn places(&self) -> Vec<String> {
        let errors = self.errors();
        let shown = errors.iter().map(|error| {
            let code = error["code"].as_str().expect("a code");
            let file = error["file"]["value"].as_str().unwrap_or("-");
            let span = &error["span"]["value"];
            match span["start"].as_u64() {
                Some(start) => format!("{code} {file} {start}..{}", span["end"]),
                None => format!("{code} {file}"),
            }
        });
        shown.collect()
    }
}

/// A program in a folder of its own.
pub(crate) struct Project(tempfile::TempDir);

impl Project {
    /// Writes files, and a manifest that lists the definitions among them.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().expect("a folder"));
        project.write("env.json", r#"{"types":[]}"#);
        let mut definitions = Vec::new();
        for (path, text) in files {
            project.write(path, text);
            definitions.push(*path);
        }
        definitions.retain(|path| Path::new(path).extension().is_some_and(|end| end == "soil"));
        let manifest = serde_json::json!({"types": "env.json", "defs": definitions});
        if !files.iter().any(|(path, _)| *path == "program.json") {
            project.write("program.json", &manifest.to_string());
        }
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        let folder = path.parent().expect("a folder");
        fs::create_dir_all(folder).expect("the folder is made");
        fs::write(path, text).expect("the file is written");
    }

    pub(crate) fn soil(&self, words: &[&str]) -> Run {
        Run::soil(self.path(), words)
    }
}
