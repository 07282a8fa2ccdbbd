//! The examples of the registry: each code by a project that shows it, and by one that is as it should be.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use soil::diagnostic::Code;

use crate::job_root::{Job, Root};
use crate::program::Run;

/// Codes that no input shows: a bug by its nature, and what is kept for later and raised by nothing.
pub(crate) const WITHOUT_EXAMPLE: [Code; 2] = [Code::Internal, Code::Unimplemented];

/// The file of one code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Example {
    /// What the code says, in one sentence.
    pub(crate) means: String,
    /// The files that both projects start from.
    #[serde(default)]
    pub(crate) base: Option<String>,
    pub(crate) bad: Side,
    pub(crate) good: Side,
}

/// One of the two projects of a code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Side {
    /// Its files, beside those of the base; `«»` mark the place that is reported.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// What is changed in the files of the base.
    #[serde(default)]
    pub(crate) edits: Vec<Edit>,
    /// What is done; a check of the whole project unless it says otherwise. The last step is judged.
    #[serde(default)]
    pub(crate) steps: Vec<Step>,
    /// All codes that are reported, where there are others beside the one.
    #[serde(default)]
    pub(crate) codes: Vec<String>,
}

/// A text of a file that gets another one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edit {
    pub(crate) file: String,
    pub(crate) from: String,
    pub(crate) to: String,
}

/// One thing that is done in a project.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Step {
    /// The program is run, for a document where it has a text too.
    Run { run: Vec<String> },
    /// A tool of a job is called, of the last one that was opened unless it says otherwise.
    Call {
        call: String,
        input: toml::Table,
        job: Option<usize>,
    },
    /// A file is changed.
    Edit { edit: Edit },
    /// A file is written.
    Write { write: String, text: String },
    /// A folder is made.
    Folder { folder: String },
}

/// A diagnostic as far as examples speak of it.
#[derive(Debug)]
struct Found {
    code: String,
    /// File and span, where it has one.
    place: Option<(String, u64, u64)>,
    params: Option<Value>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("registry/examples")
}

/// Reads the example of a code; none where there is no file.
pub(crate) fn example(code: Code) -> Option<Example> {
    let path = folder().join(format!("{code}.toml"));
    let text = fs::read_to_string(&path).ok()?;
    Some(toml::from_str(&text).unwrap_or_else(|error| panic!("{code}: {error}")))
}

/// Reads the files that a base holds.
pub(crate) fn base(name: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("base").join(format!("{name}.toml")));
    toml::from_str(&text.expect("the base is there")).expect("it is a table of texts")
}

impl Side {
    /// Gives the codes that are reported, in their order.
    fn codes(&self, own: Code) -> Vec<&str> {
        if self.codes.is_empty() {
            return vec![own.text()];
        }
        self.codes.iter().map(String::as_str).collect()
    }
}

impl Example {
    /// Gives the files of a side, marks and all.
    fn files(&self, side: &Side) -> BTreeMap<String, String> {
        let mut files = self.base.as_deref().map(base).unwrap_or_default();
        files.extend(side.files.clone());
        for Edit { file, from, to } in &side.edits {
            let text = files.get_mut(file).expect("an edit is of a file");
            assert_eq!(text.matches(from.as_str()).count(), 1, "{file}: {from}");
            *text = text.replace(from.as_str(), to);
        }
        files
    }

    /// Plays a side, and gives what the last step reports, how it ended, and the places that are marked.
    fn play(&self, side: &Side) -> (Vec<Found>, Run, Vec<(String, u64, u64)>) {
        let root = Root::new(&[]);
        let mut marked = Vec::new();
        for (path, text) in self.files(side) {
            let (plain, spans) = unmarked(&text);
            root.write(&path, &plain);
            marked.extend(spans.into_iter().map(|(from, to)| (path.clone(), from, to)));
        }
        let check = Step::Run {
            run: vec!["check".to_owned()],
        };
        let steps = if side.steps.is_empty() {
            vec![check]
        } else {
            side.steps.clone()
        };
        let mut jobs = Vec::new();
        let mut last = None;
        for step in &steps {
            last = step.play(&root, &mut jobs);
        }
        let run = last.expect("the last step runs something");
        let mut found = Vec::new();
        for text in [&run.stdout, &run.stderr] {
            if let Ok(document) = serde_json::from_str(text) {
                collect(&document, &mut found);
            }
        }
        (found, run, marked)
    }
}

impl Step {
    fn play(&self, root: &Root, jobs: &mut Vec<Job>) -> Option<Run> {
        match self {
            Self::Run { run } => {
                let mut words: Vec<&str> = run.iter().map(String::as_str).collect();
                let has_text = !matches!(
                    words[..],
                    ["soil" | "skill", ..] | ["job", "open" | "charge" | "close", ..]
                );
                let last = jobs.last().map(|job| job.0.clone()).unwrap_or_default();
                for word in &mut words {
                    if *word == "JOB" {
                        *word = &last;
                    }
                }
                if has_text {
                    words.push("--json");
                }
                let run = root.run(&words);
                if words.starts_with(&["job", "open"]) && run.code == 0 {
                    let opened: Value = serde_json::from_str(&run.stdout).expect("a document");
                    jobs.push(Job(opened["job"].as_str().expect("a path").to_owned()));
                }
                Some(run)
            }
            Self::Call { call, input, job } => {
                let job = &jobs[job.unwrap_or(jobs.len() - 1)];
                let input = serde_json::to_value(input).expect("a table is JSON");
                Some(job.call(call, &input))
            }
            Self::Edit { edit } => {
                let text = root.read(&edit.file);
                assert!(text.contains(&edit.from), "{edit:?}");
                root.write(&edit.file, &text.replace(&edit.from, &edit.to));
                None
            }
            Self::Write { write, text } => {
                root.write(write, text);
                None
            }
            Self::Folder { folder } => {
                fs::create_dir_all(root.path().join(folder)).expect("it is made");
                None
            }
        }
    }
}

/// Takes the marks out of a text, and gives what they enclose in bytes.
fn unmarked(text: &str) -> (String, Vec<(u64, u64)>) {
    let (mut plain, mut spans) = (String::new(), Vec::new());
    let mut start = 0;
    for character in text.chars() {
        match character {
            '«' => start = plain.len() as u64,
            '»' => spans.push((start, plain.len() as u64)),
            _ => plain.push(character),
        }
    }
    (plain, spans)
}

/// Collects the diagnostics of a document, wherever they stand in it.
fn collect(document: &Value, found: &mut Vec<Found>) {
    let members = match document {
        Value::Object(members) => members,
        Value::Array(items) => return items.iter().for_each(|item| collect(item, found)),
        _ => return,
    };
    let Some(code) = members.get("code").and_then(Value::as_str) else {
        return members.values().for_each(|value| collect(value, found));
    };
    let place = members["file"]["value"].as_str().and_then(|file| {
        let span = &members["span"]["value"];
        Some((
            file.to_owned(),
            span["start"].as_u64()?,
            span["end"].as_u64()?,
        ))
    });
    found.push(Found {
        code: code.to_owned(),
        place,
        params: members.get("params").cloned(),
    });
}

/// Gives the codes that have to have an example.
pub(crate) fn codes() -> impl Iterator<Item = Code> {
    let codes = Code::ALL.iter().copied();
    codes.filter(|code| !WITHOUT_EXAMPLE.contains(code))
}

/// Gives the schema of the params of each code that has any.
pub(crate) fn params_schemas() -> BTreeMap<String, Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("registry/params.json");
    let text = fs::read_to_string(path).expect("the schemas are there");
    serde_json::from_str(&text).expect("they are JSON")
}

#[test]
fn each_code_has_an_example_and_each_example_a_code() {
    let missing: Vec<&str> = codes()
        .filter(|code| !folder().join(format!("{code}.toml")).exists())
        .map(Code::text)
        .collect();
    assert_eq!(missing, [] as [&str; 0]);
    for entry in fs::read_dir(folder()).expect("it is there").flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_known = Code::from_text(&name).is_some_and(|code| !WITHOUT_EXAMPLE.contains(&code));
        assert!(is_known || name == "base", "{name}");
    }
}

#[test]
fn each_bad_example_is_refused_with_its_code_at_its_place() {
    let schemas = params_schemas();
    let mut with_params = BTreeSet::new();
    let mut wrong = Vec::new();
    for code in Code::ALL {
        let Some(example) = example(*code) else {
            continue;
        };
        let (found, run, marked) = example.play(&example.bad);
        let codes: Vec<&str> = found.iter().map(|one| one.code.as_str()).collect();
        let mut fault = |what: String| wrong.push(format!("{code}: {what}\n  {run:?}"));
        let expected = example.bad.codes(*code);
        if codes != expected || !codes.contains(&code.text()) {
            fault(format!("expected {expected:?}, found {codes:?}"));
        }
        // A warning leaves all else as it should be.
        if !code.is_warning() && run.code == 0 {
            fault("it is no refusal".to_owned());
        }
        for one in found.iter().filter(|one| one.code == code.text()) {
            if one.place.as_ref() != marked.first() {
                fault(format!("expected {marked:?}, found {:?}", one.place));
            }
            if let Some(params) = &one.params {
                with_params.insert(code.text().to_owned());
                let schema = schemas.get(code.text()).unwrap_or(&Value::Bool(false));
                let validator = jsonschema::validator_for(schema).expect("a schema");
                let errors = validator.iter_errors(params);
                errors.for_each(|error| fault(format!("{error}: {params}")));
            }
        }
        if with_params.contains(code.text()) != schemas.contains_key(code.text()) {
            fault("its params and their schema go together".to_owned());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_good_example_is_as_it_should_be() {
    let mut wrong = Vec::new();
    for code in Code::ALL {
        let Some(example) = example(*code) else {
            continue;
        };
        let (found, run, _) = example.play(&example.good);
        if !found.is_empty() || run.code != 0 {
            wrong.push(format!("{code}: {run:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_schema_of_params_is_of_a_code_and_admits_nothing_else() {
    for (code, schema) in params_schemas() {
        assert!(Code::from_text(&code).is_some(), "{code}");
        assert_eq!(schema["additionalProperties"], false, "{code}");
        let refused = serde_json::json!({"other": 1});
        assert!(!jsonschema::is_valid(&schema, &refused), "{code}");
    }
}
