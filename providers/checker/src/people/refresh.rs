//! `refresh` and `accept`: what a person says of locks.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use soil::config::check_toolchain;
use soil::document::Detail;

use super::{Common, Outcome};
use crate::face::{Severity, labelled};
use crate::failure::Failure;
use crate::job::{Refreshed, Tested, accept, hold_for_writing, refresh, test_body};
use crate::project::{Named, Project};

/// What `refresh` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Refresh {
    /// Definitions, `<module>/<name>` or the name where it is unique; all that have a body without any.
    #[arg(value_name = "DEF")]
    definitions: Vec<String>,
    /// Says that edits of prose and decisions changed no meaning.
    #[arg(long = "reviewed")]
    is_reviewed: bool,
    #[command(flatten)]
    common: Common,
}

/// What `accept` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Accept {
    /// Definitions, `<module>/<name>` or the name where it is unique.
    #[arg(value_name = "DEF", required = true)]
    definitions: Vec<String>,
    /// Takes the acceptance back.
    #[arg(long = "revoke")]
    is_revoked: bool,
    #[command(flatten)]
    common: Common,
}

/// What became of one definition.
struct Row {
    name: String,
    result: Result<Refreshed, Failure>,
}

/// A definition with what its tests came to before the project was held.
type Candidate = (String, Result<Option<Tested>, Failure>);

pub(super) fn run(arguments: &Refresh, is_json: bool) -> Result<Outcome, Failure> {
    let root = arguments.common.root()?;
    let candidates = tested(&writable(&root)?, &arguments.definitions)?;
    let _writing = hold_for_writing(&root)?;
    let project = writable(&root)?;
    let rows = candidates.into_iter().map(|(name, tested)| {
        let refreshed = tested.and_then(|tested| {
            let named = project.function(&name)?;
            refresh(&root, &project, named, tested, arguments.is_reviewed)
        });
        Row {
            name,
            result: refreshed,
        }
    });
    Ok(outcome(&rows.collect::<Vec<_>>(), is_json))
}

/// Runs the tests of definitions, or of all that have a body.
fn tested(project: &Project, definitions: &[String]) -> Result<Vec<Candidate>, Failure> {
    let wanted: Vec<Named<'_>> = if definitions.is_empty() {
        let functions = project.functions();
        functions
            .filter(|named| named.function.body.is_some())
            .collect()
    } else {
        let names = definitions.iter();
        names
            .map(|name| project.function(name))
            .collect::<Result<_, _>>()?
    };
    let tested = wanted.into_iter();
    Ok(tested
        .map(|named| (named.full_name(), test_body(project, named)))
        .collect())
}

pub(super) fn run_accept(arguments: &Accept, is_json: bool) -> Result<Outcome, Failure> {
    let root = arguments.common.root()?;
    let project = writable(&root)?;
    let candidates = if arguments.is_revoked {
        let names = arguments.definitions.iter();
        let names = names.map(|name| Ok((project.function(name)?.full_name(), Ok(None))));
        names.collect::<Result<_, Failure>>()?
    } else {
        tested(&project, &arguments.definitions)?
    };
    let _writing = hold_for_writing(&root)?;
    let is_accepted = !arguments.is_revoked;
    let rows = candidates.into_iter().map(|(name, tested)| {
        let accepted = tested.and_then(|tested| accepted(&root, &name, tested, is_accepted));
        Row {
            name,
            result: accepted.map(|is_changed| Refreshed {
                is_changed,
                is_good: true,
            }),
        }
    });
    Ok(outcome(&rows.collect::<Vec<_>>(), is_json))
}

/// Sets or takes back an acceptance; the caller holds the project for writing.
fn accepted(
    root: &Path,
    name: &str,
    tested: Option<Tested>,
    is_accepted: bool,
) -> Result<bool, Failure> {
    if is_accepted {
        // Only a lock that is true can be accepted.
        let project = writable(root)?;
        refresh(root, &project, project.function(name)?, tested, false)?;
    }
    let project = writable(root)?;
    accept(root, &project, project.function(name)?, is_accepted)
}

/// Reads a project whose locks this version may write.
fn writable(root: &Path) -> Result<Project, Failure> {
    let project = Project::load(root)?;
    let version = env!("CARGO_PKG_VERSION");
    match check_toolchain(project.config_file, &project.config, version) {
        None => Ok(project),
        Some(found) => Err(Failure {
            diagnostics: found.into(),
            sources: project.sources,
        }),
    }
}

fn outcome(rows: &[Row], is_json: bool) -> Outcome {
    let is_good = |row: &Row| row.result.as_ref().is_ok_and(|one| one.is_good);
    Outcome {
        text: if is_json { document(rows) } else { shown(rows) },
        is_good: rows.iter().all(is_good),
    }
}

/// Writes the document.
///
/// # Wire shape
/// `{"definitions":[{"definition","written":bool,"good":bool}]}`; one that is refused has `errors` instead.
fn document(rows: &[Row]) -> String {
    let rows = rows.iter().map(|row| match &row.result {
        Ok(one) => json!({"definition": row.name, "written": one.is_changed, "good": one.is_good}),
        Err(failure) => {
            let refused: Value =
                serde_json::from_str(&failure.document(Detail::Rich)).unwrap_or_default();
            json!({"definition": row.name, "errors": refused["errors"]})
        }
    });
    let rows: Vec<Value> = rows.collect();
    format!("{}\n", json!({"definitions": rows}))
}

fn shown(rows: &[Row]) -> String {
    const GROWS: &str = "a text takes all that is written to it";
    let mut text = String::new();
    for row in rows {
        match &row.result {
            Ok(one) => {
                let written = if one.is_changed {
                    "written"
                } else {
                    "true already"
                };
                let red = if one.is_good { "" } else { ", and not green" };
                writeln!(text, "{}: {written}{red}", row.name).expect(GROWS);
            }
            Err(failure) => {
                writeln!(text, "{}: refused", row.name).expect(GROWS);
                text.push_str(&labelled(
                    &failure.diagnostics,
                    &failure.sources,
                    Severity::Error,
                ));
            }
        }
    }
    text
}
