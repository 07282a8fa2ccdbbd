//! The checker as a host meets it: a process for each call of a tool, on a project that lies on disk.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lonis_checker::Packer;
use serde_json::{Value, json};

use super::soil::{definition, spec};
use crate::case::{Case, Clock};
use crate::kit::Kit;

/// Definitions that the one of the job reaches, itself included.
const CLOSURE: usize = 20;

/// Definitions of the project that a bundle is packed from.
const DEFINITIONS: usize = 1_000;

/// Definitions of projects of which a draft reaches the same twenty.
const SIZES: [usize; 3] = [CLOSURE, 1_000, 5_000];

/// More calls than any run makes.
const TURNS: &str = "1000000";

const CHECKED: &str = "check_types, 20 definitions";
const TESTED: &str = "run_tests, 20 definitions";

pub(super) fn cases(kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let Some(checker) = &kit.checker else {
        absent.push("lonis-checker".to_owned());
        return Vec::new();
    };
    let small = Root::plant(kit, "checker-small", CLOSURE, checker);
    let large = Root::plant(kit, "checker-large", DEFINITIONS, checker);
    let (Ok(small), Ok(large)) = (small, large) else {
        absent.push("projects on disk, which cannot be written".to_owned());
        return Vec::new();
    };
    let Some(job) = small.job() else {
        absent.push("a job, which is not opened".to_owned());
        return Vec::new();
    };
    let mut cases = calls(&small, &job);
    for size in SIZES {
        match sized(kit, size, checker) {
            Some(own) => cases.extend(own),
            None => absent.push(format!("a job among {size} definitions")),
        }
    }
    cases.push(opening(&small, 10_000.0));
    cases.push(opening(&large, 500_000.0));
    cases.push(packing(&large));
    cases.push(packing_alone(&large));
    cases
}

/// Calls of tools.
fn calls(root: &Root, job: &Job) -> Vec<Case> {
    let section = job.call("read_spec", &json!({"ref": "soil-syntax-spec#1"}));
    let definitions = root.call(
        "checker.definitions",
        &json!({"text": definition(0).1, "path": "m/step_0.soil"}),
    );
    let types = job.call("check_types", &json!({}));
    let again = types.clone();
    let tests = job.call("run_tests", &json!({}));
    let tests_again = tests.clone();
    let (cache, other_cache) = (job.cache(), job.cache());
    vec![
        definitions
            .case("checker.definitions, the cheapest tool")
            .micros_at_most(5_000.0),
        section.case("read_spec").micros_at_most(5_000.0),
        Case::of_samples(CHECKED, move || {
            empty(&cache)?;
            types.nanos()
        })
        .micros_at_most(10_000.0),
        again
            .case_after_itself("check_types again, the draft unchanged")
            .at_most(1.0, CHECKED),
        Case::of_samples(TESTED, move || {
            empty(&other_cache)?;
            tests.nanos()
        })
        .micros_at_most(20_000.0),
        tests_again
            .case_after_itself("run_tests again, the draft unchanged")
            .at_most(1.0, TESTED),
    ]
}

/// Calls about a draft that reaches twenty definitions of a project of some size.
fn sized(kit: &Kit, size: usize, checker: &Path) -> Option<Vec<Case>> {
    let name = format!("checker-{size}");
    let root = Root::write(kit, &name, size, checker, |number| number % CLOSURE == 0).ok()?;
    let job = root.job()?;
    let cases = ["check_types", "run_tests"].map(|tool| {
        let call = job.call(tool, &json!({}));
        let cache = job.cache();
        let name = format!("{tool}, 20 of {size} definitions reached");
        Case::of_samples(&name, move || {
            empty(&cache)?;
            call.nanos()
        })
    });
    Some(cases.into())
}

/// Opening a job on a project of some size.
///
/// What is opened stays to the end: a file system without a journal looks through all that was deleted of late for each
/// file that it makes, and the time would be that of the removal before.
fn opening(root: &Root, micros: f64) -> Case {
    let name = format!("job open, {} definitions", root.count);
    root.opening().case(&name).micros_at_most(micros)
}

/// Packing a bundle from a large project, the reading of its files included.
fn packing(root: &Root) -> Case {
    let out = root.folder.with_extension("bundle");
    let last = format!("m/step_{}", DEFINITIONS - 1);
    let words = ["context", &last, "--budget", "24000", "--out"];
    let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    words.push(out.display().to_string());
    let context = Invocation::of(root, words, None, "");
    Case::of_samples(
        "context from 1,000 definitions, reading them included",
        move || {
            if out.exists() {
                fs::remove_dir_all(&out).map_err(|error| error.to_string())?;
            }
            context.nanos()
        },
    )
}

/// Packing a bundle from a large project whose files were read before.
fn packing_alone(root: &Root) -> Case {
    let folder = root.folder.clone();
    let last = root.last();
    Case::of_samples(
        "packing from 1,000 definitions, files once read",
        move || {
            // What one packing makes of the files is no part of the next one.
            let packer = Packer::read(&folder).map_err(|error| error.to_string())?;
            let start = Clock::Wall.now();
            let packed = packer.pack(&last, 100_000);
            let nanos = Clock::Wall.nanos_since(start);
            let packed = packed.map_err(|error| error.to_string())?;
            if packed.files.len() < DEFINITIONS {
                return Err(format!("{} files were packed", packed.files.len()));
            }
            Ok(nanos)
        },
    )
    .micros_at_most(20_000.0)
}

/// A project on disk.
struct Root {
    folder: PathBuf,
    checker: PathBuf,
    count: usize,
}

impl Root {
    /// Writes specs and bodies of so many definitions, each of which calls the one before it.
    fn plant(kit: &Kit, name: &str, count: usize, checker: &Path) -> io::Result<Self> {
        Self::write(kit, name, count, checker, |number| number == 0)
    }

    /// Writes specs and bodies of so many definitions, each of which calls the one before it, unless it is a first one.
    fn write(
        kit: &Kit,
        name: &str,
        count: usize,
        checker: &Path,
        is_first: impl Fn(usize) -> bool,
    ) -> io::Result<Self> {
        let folder = kit.subfolder(name);
        fs::create_dir_all(folder.join("m"))?;
        fs::write(folder.join("soil.toml"), "")?;
        for number in 0..count {
            let (name, mut text) = definition(number);
            if is_first(number) {
                let before = number.saturating_sub(1);
                let call = format!("step_{before} low high (value - low)");
                text = text.replace(&call, "value");
            }
            fs::write(folder.join(format!("m/{name}.soil")), text)?;
            fs::write(folder.join(format!("m/{name}.tr")), spec(number))?;
        }
        Ok(Self {
            folder,
            checker: checker.to_owned(),
            count,
        })
    }

    fn last(&self) -> String {
        format!("m/step_{}", self.count - 1)
    }

    fn opening(&self) -> Invocation {
        let words = ["job", "open", &self.last(), "--turns", TURNS];
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Invocation::of(self, words, None, r#""job":"#)
    }

    /// Opens a job and stores a draft in it.
    fn job(&self) -> Option<Job> {
        let opened: Value = serde_json::from_slice(&self.opening().output()?).ok()?;
        let job = Job {
            path: opened["job"].as_str()?.to_owned(),
            folder: self.folder.clone(),
            checker: self.checker.clone(),
        };
        let draft = definition(self.count - 1).1;
        let input = json!({"soil": draft, "decisions_applied": []});
        job.call("write_soil", &input).output()?;
        Some(job)
    }

    fn call(&self, tool: &str, input: &Value) -> Invocation {
        Invocation::of(
            self,
            calling(tool),
            Some(input.to_string()),
            r#""payload":"#,
        )
    }
}

/// A job that is open.
struct Job {
    path: String,
    folder: PathBuf,
    checker: PathBuf,
}

impl Job {
    fn call(&self, tool: &str, input: &Value) -> Invocation {
        let mut input = input.clone();
        input["job"] = json!(self.path);
        Invocation {
            program: self.checker.clone(),
            words: calling(&format!("trellis.{tool}")),
            folder: self.folder.clone(),
            input: Some(input.to_string()),
            expected: r#""payload":"#,
        }
    }

    /// The folder in which the job keeps what its tools said of a draft.
    fn cache(&self) -> PathBuf {
        Path::new(&self.path).join("cache")
    }
}

/// One run of the program.
#[derive(Clone, Debug)]
struct Invocation {
    program: PathBuf,
    words: Vec<String>,
    folder: PathBuf,
    input: Option<String>,
    /// What has to be in its answer.
    expected: &'static str,
}

impl Invocation {
    fn of(root: &Root, words: Vec<String>, input: Option<String>, expected: &'static str) -> Self {
        Self {
            program: root.checker.clone(),
            words,
            folder: root.folder.clone(),
            input,
            expected,
        }
    }

    #[expect(clippy::disallowed_methods, reason = "whole programs are measured")]
    fn output(&self) -> Option<Vec<u8>> {
        let mut child = Command::new(&self.program)
            .args(&self.words)
            .current_dir(&self.folder)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = self.input.clone().unwrap_or_default();
        // A program that does not read its input closes it.
        let _ = child.stdin.take()?.write_all(input.as_bytes());
        let output = child.wait_with_output().ok()?;
        output.status.success().then_some(output.stdout)
    }

    fn nanos(&self) -> Result<f64, String> {
        let start = Clock::Wall.now();
        let output = self.output();
        let nanos = Clock::Wall.nanos_since(start);
        let text = output.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        match text {
            Some(text) if text.contains(self.expected) => Ok(nanos),
            Some(text) => Err(format!("it printed `{text}`")),
            None => Err("it failed".to_owned()),
        }
    }

    fn case(self, name: &str) -> Case {
        Case::of_samples(name, move || self.nanos())
    }

    /// A run directly after another one, which is not counted and has left what it found out.
    fn case_after_itself(self, name: &str) -> Case {
        Case::of_samples(name, move || {
            self.nanos()?;
            self.nanos()
        })
    }
}

/// Gives the words of a host's call.
fn calling(tool: &str) -> Vec<String> {
    let words = ["--mode", "ndjson", "call", tool];
    words.map(str::to_owned).to_vec()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn empty(folder: &Path) -> Result<(), String> {
    for file in entries(folder) {
        fs::remove_file(file).map_err(|error| error.to_string())?;
    }
    Ok(())
}
