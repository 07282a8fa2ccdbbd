//! `callees/`: what a draft may call, signatures and clauses, never bodies.

use std::collections::HashMap;
use std::fmt::Write;

use soil::lock::{Assurance, LockBody};
use soil::print;
use soil::program::{DefinitionId, Program, prelude};
use soil::spec::Clause;

use super::Unit;
use super::relevance::Relevance;
use crate::failure::Failure;
use crate::project::{Named, Project, SpecFile};

/// Why writing to a text cannot fail.
const GROWS: &str = "a text takes all that is written to it";

/// The module of the definitions that every program sees.
const PRELUDE: &str = "prelude";

/// A definition that may be called.
struct Callee {
    /// The group, the rank within it, and the path of the body at last.
    order: (u8, (usize, usize), String),
    module: String,
    name: String,
    text: String,
}

/// Gives the files, the most useful first: those of the definition's module, of other modules, of the prelude.
///
/// # Errors
/// When an input of the program cannot be read at all.
pub(super) fn units(project: &Project, target: Named<'_>) -> Result<Vec<Unit>, Failure> {
    let program = &project.whole()?.program;
    let relevance = Relevance::of(program, program.find_definition(&target.program_name()));
    let mut callees = Vec::new();
    for named in project.functions() {
        let id = program.find_definition(&named.program_name());
        let (Some(id), Some(body)) = (id, &named.function.body) else {
            continue;
        };
        if named.full_name() == target.full_name() {
            continue;
        }
        let is_near = named.module.name == target.module.name;
        callees.push(Callee {
            order: (
                u8::from(!is_near),
                relevance.rank(program, id),
                body.path.to_string(),
            ),
            module: named.module.name.clone(),
            name: named.name.to_owned(),
            text: text(program, id, named),
        });
    }
    callees.extend(of_prelude());
    callees.sort_by(|left, right| left.order.cmp(&right.order));
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for callee in &callees {
        *counts.entry(&callee.name).or_default() += 1;
    }
    let units = callees.iter().map(|callee| {
        let is_alone = counts.get(&*callee.name) == Some(&1);
        let path = if is_alone {
            format!("callees/{}.md", callee.name)
        } else {
            format!("callees/{}__{}.md", callee.module, callee.name)
        };
        Unit::one(path, callee.text.as_bytes())
    });
    Ok(units.collect())
}

fn of_prelude() -> impl Iterator<Item = Callee> {
    let program = prelude();
    program.definitions().map(|(id, definition)| {
        let name = &program.names[definition.name];
        Callee {
            order: (2, (0, 0), name.to_owned()),
            module: PRELUDE.to_owned(),
            name: name.to_owned(),
            text: signature(program, id, name),
        }
    })
}

/// Gives heading and signature.
fn signature(program: &Program, id: DefinitionId, name: &str) -> String {
    let tree = &program.file_of(id).tree;
    let ty = print::ty(tree, &program.names, program.written(id).signature);
    format!("# {name}\n\n```soil-sig\n{name} : {ty}\n```\n")
}

/// Gives the text about a function of the project, with its clauses and how far each is known to hold.
fn text(program: &Program, id: DefinitionId, named: Named<'_>) -> String {
    let mut text = signature(program, id, named.name);
    let spec_file = named.function.spec.as_ref().filter(|file| file.is_sound);
    let Some((file, (_, function))) = spec_file.and_then(|file| Some((file, file.function()?)))
    else {
        return text;
    };
    let clauses = |word: &'static str, clauses: &'_ [Clause]| -> Vec<String> {
        let lines = clauses.iter().map(|clause| line(word, clause, file, named));
        lines.collect()
    };
    let mut lines = clauses("requires", &function.requires);
    lines.extend(clauses("ensures", &function.ensures));
    if !lines.is_empty() {
        text.push('\n');
    }
    for line in lines {
        writeln!(text, "{line}").expect(GROWS);
    }
    text
}

fn line(word: &str, clause: &Clause, file: &SpecFile, named: Named<'_>) -> String {
    let label = &clause.label.value;
    let predicate = file.utf8().get(clause.text.range()).unwrap_or_default();
    let known = named.function.lock.as_ref();
    let body = known
        .and_then(|file| file.lock.as_ref())
        .map(|lock| &lock.body);
    let assurance = match body {
        Some(LockBody::Function { checks, .. }) => checks.refinements.get(label),
        _ => None,
    };
    let assurance = match assurance {
        Some(Assurance::Proven) => "proven",
        Some(Assurance::Trusted) => "trusted",
        _ => "runtime — guarded, not proven; do not build on it",
    };
    format!("- {word} `{label}` ({assurance}): {predicate}")
}
