//! The end of a job: the last stored draft decides, whatever the agent claims.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use soil::diagnostic::{Code, Diagnostics};
use soil::lock::LoweringProvenance;
use soil::print;
use soil::source::FileId;
use soil::spec::{self, Content, Location, with_signature};

use super::assembly::Assembly;
use super::call::JobCall;
use super::draft::Draft;
use super::found::FoundValues;
use super::journal::{Journal, Write};
use super::lock_file::{BodyOrigin, LockInputs};
use super::outcome::Outcome;
use super::place::hold_for_writing;
use super::record::{Record, State};
use super::tested::{Subject, Tested};
use crate::failure::Failure;
use crate::project::{SpecFile, TestOptions, TestRun};

/// Ends a job, and gives what the host prints; one that is over and whose directory stayed can still be removed.
///
/// # Errors
/// `job-not-running`, when the reference is no job or it is over; `usage`, when `agent_result` is of another form; `io`.
pub(crate) fn close(
    reference: &str,
    agent_result: Option<&str>,
    removes: bool,
) -> Result<String, Failure> {
    let agent_result = agent_result.map(read_result).transpose()?;
    let mut call = JobCall::take(reference)?;
    if call.record.state == State::Closed {
        if removes && let Some(outcome) = Outcome::read(&call.directory)? {
            call.directory.remove()?;
            return Ok(outcome.document(&[]));
        }
        let message = format!("the job of `{}` is closed", call.record.definition);
        return Err(Failure::new(Code::JobNotRunning, message));
    }
    if let Some(result) = agent_result {
        call.log().note("agent_result", result);
    }
    let ended = end(&mut call)?;
    let mut fields = ended.details;
    fields["outcome"] = ended.outcome.text().into();
    call.log().note("outcome", fields);
    ended.outcome.store(&call.directory)?;
    call.end(State::Closed)?;
    if removes {
        call.directory.remove()?;
    }
    Ok(ended.outcome.document(&ended.wrote))
}

/// What an agent's program says of itself; all of it may be left out.
///
/// # Wire shape
/// `{"turns":N,"tokens_in":N,"tokens_out":N,"cost_micros":N,"session":S}`
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_in: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_micros: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

fn read_result(text: &str) -> Result<Value, Failure> {
    // A list would read as a struct too.
    let read = serde_json::from_str(text).map(Value::Object);
    let read = read.and_then(serde_json::from_value::<AgentResult>);
    let read = read.and_then(|result| serde_json::to_value(&result));
    read.map_err(|error| {
        let message = format!(
            "`--agent-result` must be an object of `turns`, `tokens_in`, `tokens_out`, `cost_micros` and `session`: {error}"
        );
        Failure::usage(&message)
    })
}

/// What became of a job.
struct Ended {
    outcome: Outcome,
    wrote: Vec<String>,
    details: Value,
}

impl Ended {
    fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            wrote: Vec::new(),
            details: json!({}),
        }
    }

    fn failed(details: Value) -> Self {
        Self {
            details,
            ..Self::new(Outcome::Failed)
        }
    }
}

/// Decides, and writes what is to be written.
fn end(call: &mut JobCall) -> Result<Ended, Failure> {
    match call.record.state {
        State::Asked => return Ok(Ended::new(Outcome::Question)),
        State::Invalidated => return Ok(Ended::new(Outcome::Invalidated)),
        _ => {}
    }
    let root = call.record.root.clone();
    // A close that was killed had decided already.
    if let Some(journal) = Journal::read(&call.directory)? {
        let _writing = hold_for_writing(&root)?;
        return carried_out(journal, &root);
    }
    if let Some(ended) = invalidated(call)? {
        return Ok(ended);
    }
    let tested = match judge(call, |judged| Ok(judged.test()))? {
        Decided::Over(ended) => return Ok(ended),
        Decided::Ready(tested) => tested,
    };
    let _writing = hold_for_writing(&root)?;
    // While tests ran others could write, so all is judged again as it stands now.
    if let Some(ended) = invalidated(call)? {
        return Ok(ended);
    }
    call.forget_project();
    match judge(call, |judged| judged.write_back(tested))? {
        Decided::Over(ended) => Ok(ended),
        Decided::Ready(journal) => {
            journal.store(&call.directory)?;
            carried_out(journal, &root)
        }
    }
}

fn invalidated(call: &mut JobCall) -> Result<Option<Ended>, Failure> {
    let moved = call.moved()?;
    let ended = || Ended {
        details: json!({"changed": moved}),
        ..Ended::new(Outcome::Invalidated)
    };
    Ok((!moved.is_empty()).then(ended))
}

/// Writes what was decided; the caller holds the project for writing.
fn carried_out(journal: Journal, root: &Path) -> Result<Ended, Failure> {
    if !journal.carry_out(root)? {
        return Ok(Ended::new(Outcome::Invalidated));
    }
    let details = match journal.outcome {
        Outcome::Partial { holes } => json!({"holes": holes}),
        _ => json!({}),
    };
    Ok(Ended {
        outcome: journal.outcome,
        wrote: journal.writes.into_iter().map(|write| write.path).collect(),
        details,
    })
}

enum Decided<T> {
    Over(Ended),
    Ready(T),
}

/// Judges the last draft as the tools do, and goes on with one that checks.
fn judge<T>(
    call: &mut JobCall,
    go_on: impl FnOnce(&Judged<'_>) -> Result<Decided<T>, Failure>,
) -> Result<Decided<T>, Failure> {
    let Some(draft) = Draft::read(&call.directory)? else {
        return Ok(Decided::Over(Ended::failed(json!({"draft": "none"}))));
    };
    let (found, _) = FoundValues::read(&call.directory)?;
    let record = call.record.clone();
    let (project, named) = call.target()?;
    let assembly = Assembly::of(project, named, &draft.text)?;
    let checked = match assembly.check(false) {
        Ok(checked) => checked,
        Err(failure) => return Ok(Decided::Over(Ended::failed(refused(&failure)))),
    };
    let subject = Subject {
        project,
        named,
        assembly: &assembly,
        checked: &checked,
    };
    go_on(&Judged {
        options: found.options(record.limits),
        record: &record,
        draft: &draft,
        subject,
    })
}

fn refused(failure: &Failure) -> Value {
    json!({"errors": codes(&failure.diagnostics)})
}

fn codes(found: &Diagnostics) -> Vec<&'static str> {
    found.iter().map(|one| one.code.text()).collect()
}

fn failing(run: &TestRun) -> Value {
    let bad = run.rows.iter().filter(|row| !row.verdict().is_good());
    let cases: Vec<Value> = bad
        .map(|row| {
            let details = row.details();
            json!({
                "name": row.name(),
                "result": row.verdict().text(),
                "expected": details.map(|details| &details.expected),
                "actual": details.map(|details| &details.actual),
            })
        })
        .collect();
    let mut details = json!({"cases": cases});
    if !run.errors.is_empty() {
        details["errors"] = codes(&run.errors).into();
    }
    details
}

/// A draft that checks.
struct Judged<'j> {
    record: &'j Record,
    draft: &'j Draft,
    subject: Subject<'j>,
    options: TestOptions,
}

impl Judged<'_> {
    /// Runs the tests of a draft without holes, which have to come out well.
    fn test(&self) -> Decided<Option<Tested>> {
        if self.subject.hole_count() > 0 {
            return Decided::Ready(None);
        }
        match self.tested(None) {
            Ok(tested) => Decided::Ready(Some(tested)),
            Err(ended) => Decided::Over(ended),
        }
    }

    /// Decides what is written, with results that are there already.
    fn write_back(&self, tested: Option<Tested>) -> Result<Decided<Journal>, Failure> {
        let holes = self.subject.hole_count();
        if holes > 0 {
            let journal = self.journal(Outcome::Partial { holes }, None)?;
            return Ok(Decided::Ready(journal));
        }
        match self.tested(tested) {
            Ok(tested) => {
                let journal = self.journal(Outcome::Green, Some(&tested.run))?;
                Ok(Decided::Ready(journal))
            }
            Err(ended) => Ok(Decided::Over(ended)),
        }
    }

    fn tested(&self, tested: Option<Tested>) -> Result<Tested, Ended> {
        match self.subject.test_unless(tested, &self.options) {
            Err(failure) => Err(Ended::failed(refused(&failure))),
            Ok(tested) if !tested.run.is_good() => Err(Ended::failed(failing(&tested.run))),
            Ok(tested) => Ok(tested),
        }
    }

    /// Lists what is written: the spec where it had no signature, the body, the lock.
    fn journal(&self, outcome: Outcome, run: Option<&TestRun>) -> Result<Journal, Failure> {
        let root = &self.record.root;
        let path = |ending: &str| {
            let file = format!("{}.{ending}", self.subject.named.name);
            self.subject.named.module.path_of(&file)
        };
        let is_green = outcome == Outcome::Green;
        let spec = self.subject.named.function.spec.as_ref();
        let spec = spec.ok_or_else(|| gone(self.record))?;
        let signed = is_green.then(|| self.signed(spec)).flatten();
        let text = signed.as_deref().unwrap_or(spec.utf8());
        let lock = self.lock(text, run)?;
        let mut writes = Vec::new();
        if let Some(text) = &signed {
            writes.push(Write::new(root, path("tr"), text.clone())?);
        }
        writes.push(Write::new(root, path("soil"), self.draft.text.clone())?);
        writes.push(Write::new(root, path("lock"), lock)?);
        Ok(Journal { outcome, writes })
    }

    /// Gives the spec with the signature of the draft, where it had none.
    fn signed(&self, spec: &SpecFile) -> Option<String> {
        let (_, function) = spec.function()?;
        if function.signature.is_some() {
            return None;
        }
        let program = &self.subject.assembly.assembled.program;
        let target = self.subject.assembly.target()?;
        let tree = &program.file_of(target).tree;
        let signature = program.written(target).signature;
        let ty = print::ty(tree, &program.names, signature);
        let line = format!("{} : {ty}", self.subject.named.name);
        Some(with_signature(spec.utf8(), spec.container.as_ref()?, &line))
    }

    /// Gives the text of the lock for the spec as it stands after the write.
    fn lock(&self, spec_text: &str, run: Option<&TestRun>) -> Result<String, Failure> {
        let path = self
            .subject
            .named
            .module
            .path_of(&format!("{}.tr", self.subject.named.name));
        let location = Location::of_path(&path, &self.subject.project.name);
        let mut names = self.subject.project.names.clone();
        let read = spec::read(FileId::new(0), spec_text.as_bytes(), location, &mut names);
        let (Some(container), Some(spec)) = (&read.container, &read.spec) else {
            return Err(gone(self.record));
        };
        let Content::Function(function) = &spec.content else {
            return Err(gone(self.record));
        };
        let inputs = LockInputs {
            origin: BodyOrigin {
                provenance: LoweringProvenance::Agent,
                provider: self.record.provider.clone(),
                model: self.record.model.clone(),
            },
            project: self.subject.project,
            named: self.subject.named,
            cited: &self.draft.facts.decisions_applied,
            assembly: self.subject.assembly,
            checked: self.subject.checked,
            run,
            container,
            hashes: spec.hashes,
            function,
        };
        let lock = inputs.lock().ok_or_else(|| gone(self.record))?;
        lock.write(|name| self.subject.project.is_accepted(name))
            .map_err(|error| Failure::new(error.code(), error.to_string()))
    }
}

fn gone(record: &Record) -> Failure {
    let path: PathBuf = record.root.join(&record.definition);
    let message = format!("`{}.tr` does not read any more", path.display());
    Failure::new(Code::JobInvalidated, message)
}
