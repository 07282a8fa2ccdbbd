//! `status`: what of a project is not as its locks say, and what waits for an answer.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use soil::check::{CheckOptions, Checked, Depth, check};
use soil::hash::{Digest, HashedDefinition, soil_hashes};
use soil::lock::{Current, CurrentBody, Flag, Lock, LockBody, Lowering, Stage, flags};
use soil::spec::Hashes;

use super::{Common, Outcome};
use crate::failure::Failure;
use crate::job::{Log, Question, with_stored};
use crate::oracle::Attachment;
use crate::project::{Assembled, Named, Project};

/// What `status` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    #[command(flatten)]
    common: Common,
}

/// How a definition stands.
struct Standing {
    name: String,
    stage: Stage,
    flags: Vec<Flag>,
    /// Why nothing is added to its log any more, where that is so.
    log_problem: Option<String>,
}

pub(super) fn run(arguments: &Status, is_json: bool) -> Result<Outcome, Failure> {
    let root = arguments.common.root()?;
    let project = Project::load(&root)?;
    let standings = standings(&root, &project)?;
    let questions = questions(&root, &project)?;
    let text = if is_json {
        document(&standings, &questions)
    } else {
        shown(&standings, &questions)
    };
    Ok(Outcome {
        text,
        is_good: true,
    })
}

/// Compares every lock with the present files.
fn standings(root: &Path, project: &Project) -> Result<Vec<Standing>, Failure> {
    let assembled = project.whole()?;
    let options = CheckOptions {
        depth: Depth::Names,
        is_rich: false,
    };
    let checked = check(&assembled.program, options);
    let hashes = soil_hashes(&checked, |_| None);
    let bodies = Bodies {
        assembled,
        checked: &checked,
        hashes: &hashes,
    };
    let standings = project.functions().map(|named| {
        let lock = named.function.lock.as_ref();
        let lock = lock.and_then(|file| file.lock.as_ref());
        let hashes = named.function.spec.as_ref();
        let hashes = hashes.and_then(|file| Some(file.spec.as_ref()?.hashes));
        let entries = project.decision_entries(named.module);
        let current = Current {
            hashes: hashes.unwrap_or_else(unread_hashes),
            body: bodies.current(named, lock),
            scope_hash: project.decision_hashes(named.module).0,
            entries: &entries,
            oracle: Attachment::of(project, named)
                .and_then(|attachment| attachment.identity().ok()),
        };
        Standing {
            name: named.full_name(),
            stage: lock.map_or(Stage::None, Lock::stage),
            flags: flags(lock, &current),
            log_problem: Log::of(&root.join(&named.module.folder), named.name).problem(),
        }
    });
    Ok(standings.collect())
}

/// Gives the hashes of a spec that is not there or does not read, which are not those of any lock.
fn unread_hashes() -> Hashes {
    let none = Digest::of(["no-spec/1"]);
    Hashes {
        formal: none,
        test: Some(none),
        prose: none,
    }
}

/// The bodies of a project with their hashes.
struct Bodies<'b> {
    assembled: &'b Assembled,
    checked: &'b Checked<'b>,
    hashes: &'b [HashedDefinition],
}

impl Bodies<'_> {
    /// Gives the present hashes of a function's body; one that cannot be hashed is another than any lock knows.
    fn current(&self, named: Named<'_>, lock: Option<&Lock>) -> Option<CurrentBody> {
        let text = named.function.body.as_ref()?;
        let unread = Digest::of(["soil-text/1".as_bytes(), &text.bytes]);
        let id = self
            .assembled
            .program
            .find_definition(&named.program_name());
        let mut known = self.hashes.iter();
        let hashed = known.find(|one| Some(one.id) == id);
        let mut definitions = self.checked.definitions.iter();
        let definition = definitions.find(|one| Some(one.id) == id);
        let (Some(hashed), Some(definition)) = (hashed, definition) else {
            return Some(CurrentBody {
                soil_hash: unread,
                with_stored_edges: unread,
            });
        };
        let soil_hash = hashed.soil_hash.unwrap_or(unread);
        let stored = lock
            .and_then(lowering)
            .and_then(|lowering| with_stored(self.checked, Some(definition.id), lowering));
        Some(CurrentBody {
            soil_hash,
            with_stored_edges: stored.unwrap_or(soil_hash),
        })
    }
}

fn lowering(lock: &Lock) -> Option<&Lowering> {
    match &lock.body {
        LockBody::Function { lowering, .. } => lowering.as_deref(),
        _ => None,
    }
}

/// Questions that wait, equal ones of a module under one key.
fn questions(
    root: &Path,
    project: &Project,
) -> Result<BTreeMap<(String, String), Vec<Question>>, Failure> {
    let mut found: BTreeMap<(String, String), Vec<Question>> = BTreeMap::new();
    for named in project.functions() {
        let folder = root.join(&named.module.folder);
        if let Some(question) = Question::read(&folder, named.name)? {
            let key = (named.module.name.clone(), question.text.clone());
            found.entry(key).or_default().push(question);
        }
    }
    Ok(found)
}

/// Gives the word for how far a definition has come.
const fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::None => "none",
        Stage::Partial => "partial",
        Stage::Typed => "typed",
        Stage::Tested => "tested",
        Stage::Verified => "verified",
        Stage::Accepted => "accepted",
    }
}

/// Writes the document.
///
/// # Wire shape
/// `{"definitions":[{"definition","stage","flags":[S]}],"questions":[{"definitions":[S],"question","options":[S],"evidence"?}]}`
fn document(
    standings: &[Standing],
    questions: &BTreeMap<(String, String), Vec<Question>>,
) -> String {
    let definitions: Vec<Value> = standings
        .iter()
        .map(|one| {
            let flags: Vec<String> = one.flags.iter().map(ToString::to_string).collect();
            json!({"definition": one.name, "stage": word(one.stage), "flags": flags})
        })
        .collect();
    let questions: Vec<Value> = questions
        .values()
        .map(|equal| {
            let definitions: Vec<&String> = equal.iter().map(|one| &one.def).collect();
            let first = &equal[0];
            let mut row = json!({
                "definitions": definitions,
                "kind": first.kind,
                "question": first.text,
                "options": first.options,
            });
            if let Some(evidence) = &first.evidence {
                row["evidence"] = evidence.clone();
            }
            row
        })
        .collect();
    format!(
        "{}\n",
        json!({"definitions": definitions, "questions": questions})
    )
}

fn shown(standings: &[Standing], questions: &BTreeMap<(String, String), Vec<Question>>) -> String {
    const GROWS: &str = "a text takes all that is written to it";
    let mut text = String::new();
    for one in standings {
        let flags: Vec<String> = one.flags.iter().map(ToString::to_string).collect();
        let line = format!("{}  {}  {}", one.name, word(one.stage), flags.join(" "));
        writeln!(text, "{}", line.trim_end()).expect(GROWS);
    }
    for problem in standings.iter().filter_map(|one| one.log_problem.as_ref()) {
        writeln!(text, "\n{problem}").expect(GROWS);
    }
    for equal in questions.values() {
        let definitions: Vec<&str> = equal.iter().map(|one| one.def.as_str()).collect();
        writeln!(text, "\n{} asks: {}", definitions.join(", "), equal[0].text).expect(GROWS);
        for (index, option) in equal[0].options.iter().enumerate() {
            writeln!(text, "  {}. {option}", index + 1).expect(GROWS);
        }
    }
    text
}
