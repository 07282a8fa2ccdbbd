//! Answers: a question becomes part of the spec that it is about, or a decision.

use std::path::Path;

use serde_json::json;
use soil::diagnostic::{Code, Diagnostic};
use soil::spec::{Container, with_clarification, with_decision};

use super::answered::Answering;
use super::basis::Basis;
use super::difference::difference;
use super::directory::read;
use super::log::Log;
use super::place::hold_for_writing;
use super::question::{Kind, Question};
use super::record::{DecisionHashes, SpecHashes};
use crate::bundle::decisions_text;
use crate::failure::Failure;
use crate::project::{Module, Named, Project, SpecFile};

/// Whose decision an answer becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Scope {
    /// The project's.
    Project,
    /// The module's.
    Module,
}

impl Scope {
    /// Gives the word that stands in documents.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Module => "module",
        }
    }
}

/// What an answer changed.
#[derive(Debug)]
pub(crate) struct Answered {
    /// The file below the root.
    pub(crate) path: String,
    /// The lines that were removed and added.
    pub(crate) diff: String,
}

/// Lists the scopes whose files have a `decisions` block.
pub(crate) fn scopes(project: &Project, module: &Module) -> Vec<Scope> {
    let has_block = |file: &Option<SpecFile>| {
        let container = file.as_ref().and_then(|file| file.container.as_ref());
        container.is_some_and(|container| {
            let mut fences = container.fences.iter();
            fences.any(|fence| fence.info.lang == "decisions")
        })
    };
    let mut scopes = Vec::new();
    if has_block(&project.spec) {
        scopes.push(Scope::Project);
    }
    if has_block(&module.spec) {
        scopes.push(Scope::Module);
    }
    scopes
}

/// Writes an answer to where it belongs, removes the question and logs both.
///
/// # Errors
/// `job-stale-question`, when spec or decisions are not what the question was asked against; `usage`, when the text cannot
/// be written so that it stays inside its item; `question-write-conflict`, when the file changed meanwhile; `io`.
pub(crate) fn answer(
    root: &Path,
    definition: &str,
    question: &Question,
    text: &str,
    scope: Option<Scope>,
) -> Result<Answered, Failure> {
    let _writing = hold_for_writing(root)?;
    let project = Project::load(root)?;
    let named = project.function(definition)?;
    refuse_stale(&project, named, question)?;
    let file = match question.kind {
        Kind::Ambiguity | Kind::Contradiction => named.function.spec.as_ref(),
        Kind::Rule if scope == Some(Scope::Project) => project.spec.as_ref(),
        Kind::Rule => named.module.spec.as_ref(),
    };
    let file = file.ok_or_else(|| Failure::usage("there is no file for the answer"))?;
    let container = file.container.as_ref().filter(|_| file.is_sound);
    let container =
        container.ok_or_else(|| Failure::usage(&format!("`{}` does not read", file.text.path)))?;
    let changed = match question.kind {
        Kind::Rule => rule(named, file, container, text),
        _ => {
            with_clarification(file.utf8(), &question.text, text).map_err(|error| error.to_string())
        }
    };
    let changed = changed.map_err(|error| Failure::usage(&error))?;
    let path = root.join(&*file.text.path);
    if read(&path)?.as_deref() != Some(&*file.text.bytes) {
        let message = format!(
            "`{}` was changed while the answer was given",
            file.text.path
        );
        return Err(Failure::new(Code::QuestionWriteConflict, message));
    }
    let asked = named
        .module
        .path_of(&format!("{}.question.json", named.name));
    Answering::carry_out(root, &asked, &file.text.path, &changed)?;
    let folder = root.join(&named.module.folder);
    let diff = difference(file.utf8(), &changed);
    let fields = json!({
        "kind": question.kind,
        "scope": scope.map(Scope::text),
        "diff": diff,
    });
    Log::of(&folder, named.name).note("answer", fields);
    Ok(Answered {
        path: file.text.path.to_string(),
        diff,
    })
}

/// Refuses an answer to a question about what is no more.
fn refuse_stale(project: &Project, named: Named<'_>, question: &Question) -> Result<(), Failure> {
    let hashes = Basis::spec_hashes_of(named);
    let changed = changes(question, hashes, Basis::decisions_of(project, named));
    if changed.is_empty() {
        return Ok(());
    }
    let message = format!(
        "since the question about `{}` was asked, {} changed",
        question.def,
        changed.join(", ")
    );
    let note = "remove the question file, and open a job: what changed may be the answer";
    let mut stale = Diagnostic::new(Code::JobStaleQuestion, message).with_note(note);
    for (file, diff) in differences(project, named, question) {
        stale = stale.with_note(format!("`{file}` since then:\n{diff}"));
    }
    Err(stale.into())
}

/// Gives the lines that changed since a question was asked, by file.
fn differences(project: &Project, named: Named<'_>, question: &Question) -> Vec<(String, String)> {
    let spec = named.function.spec.as_ref();
    let decisions = decisions_text(&project.decisions(named.module), &named.module.name);
    let texts = [
        (
            named.module.path_of(&format!("{}.tr", named.name)),
            question.seen.spec.as_deref(),
            spec.map_or("", SpecFile::utf8),
        ),
        (
            "decisions.md".to_owned(),
            question.seen.decisions.as_deref(),
            &decisions,
        ),
    ];
    let differences = texts.into_iter().filter_map(|(file, before, after)| {
        let diff = difference(before?, after);
        (!diff.is_empty()).then_some((file, diff))
    });
    differences.collect()
}

fn changes(
    question: &Question,
    now: Option<SpecHashes>,
    decisions: DecisionHashes,
) -> Vec<&'static str> {
    let was = question.asked_against;
    let parts = [
        (
            now.is_none_or(|now| now.formal != was.formal),
            "the formal part of the spec",
        ),
        (
            now.is_none_or(|now| now.test != was.test),
            "the tests of the spec",
        ),
        (
            now.is_none_or(|now| now.prose != was.prose),
            "the prose of the spec",
        ),
        (
            decisions != question.decisions_against,
            "the decisions in scope",
        ),
    ];
    let changed = parts.into_iter().filter(|(is_changed, _)| *is_changed);
    changed.map(|(_, what)| what).collect()
}

/// Adds a decision: `label: text`, or a text that gets a label of its own.
fn rule(
    named: Named<'_>,
    file: &SpecFile,
    container: &Container,
    text: &str,
) -> Result<String, String> {
    let is_word = |label: &str| {
        !label.is_empty()
            && label
                .chars()
                .all(|one| one.is_ascii_alphanumeric() || "-_".contains(one))
    };
    let parts = text.split_once(':');
    let parts = parts.map(|(label, text)| (label.trim(), text.trim()));
    let (label, text) = match parts.filter(|(label, _)| is_word(label)) {
        Some((label, text)) => (label.to_owned(), text),
        None => (free_label(named, file), text),
    };
    let is_taken = labels(file).contains(&label.as_str());
    if is_taken {
        return Err(format!(
            "`{}` has a decision `{label}` already",
            file.text.path
        ));
    }
    with_decision(file.utf8(), container, &label, text, &[]).map_err(|error| error.to_string())
}

fn labels(file: &SpecFile) -> Vec<&str> {
    use soil::spec::Content;
    let decisions = file.spec.as_ref().map(|spec| match &spec.content {
        Content::Module { decisions, .. } | Content::Project { decisions } => &decisions[..],
        _ => &[],
    });
    let decisions = decisions.unwrap_or_default().iter();
    decisions.map(|one| one.label.value.as_str()).collect()
}

fn free_label(named: Named<'_>, file: &SpecFile) -> String {
    let known = labels(file);
    let mut numbers = 1_u64..;
    let free = numbers.find_map(|number| {
        let label = format!("{}-{number}", named.name);
        (!known.contains(&label.as_str())).then_some(label)
    });
    free.expect("a file has fewer labels than there are numbers")
}
