//! All specs of a project at once, with stubs for bodies.

use std::collections::{HashMap, HashSet};

use soil::check::{CheckOptions, check};
use soil::diagnostic::Diagnostics;
use soil::eval::{Bounds, Machine, Unit};
use soil::program::Text;
use soil::source::FileId;

use super::{Found, Subject, stub};
use crate::failure::Failure;
use crate::oracle::Attachment;
use crate::project::{Assembled, Depends, Module, Named, Project, assemble, words};

/// How far a clause may run on a case.
///
/// # Units and bounds
/// Fuel: 1,000,000 steps, so that one that calls what is not written ends soon.
const FUEL: u64 = 1_000_000;

/// Looks at all specs of a project, or of one module, as the opening of a job looks at one, and gives what is wrong or worth
/// knowing, placed in the texts of the project.
///
/// Whether names and types are right is told by a check, which comes first; a spec against which there is a report is left out.
///
/// # Errors
/// When an input of the program cannot be read at all.
pub(crate) fn look_at_all(
    project: &Project,
    module: Option<&Module>,
) -> Result<Diagnostics, Failure> {
    let asked = project.modules.iter();
    let asked = asked.filter(|one| module.is_none_or(|module| module.name == one.name));
    let asked: Vec<Named<'_>> = asked.flat_map(Module::functions).collect();
    let mut stubs = stubs(project);
    let mut all = Diagnostics::new();
    let unseen = look(project, &stubs, &asked, &mut all)?;
    if unseen.is_empty() {
        return Ok(all);
    }
    // Of these the body is wrong or has a hole, which says nothing about the spec: it is looked at with something else for the body.
    let counts = counts(project);
    stubs.extend(unseen.iter().filter_map(|one| made(project, *one, &counts)));
    look(project, &stubs, &unseen, &mut all)?;
    Ok(all)
}

/// Looks at some specs, and gives those that could not be looked at because of the body that stands beside them.
fn look<'p>(
    project: &'p Project,
    stubs: &HashMap<String, Text>,
    asked: &[Named<'p>],
    all: &mut Diagnostics,
) -> Result<Vec<Named<'p>>, Failure> {
    let assembled = assemble(project, &Depends::Specs(stubs))?;
    let checked = check(&assembled.program, CheckOptions::default());
    let unsound = unsound(&assembled, &assembled.placed(&checked.diagnostics));
    let unit = Unit::compile(&checked);
    let bounds = Bounds {
        fuel: FUEL,
        ..Bounds::default()
    };
    let mut machine = Machine::new(&unit, bounds);
    let mut unseen = Vec::new();
    for named in asked.iter().copied() {
        let Some(subject) = subject(project, named) else {
            continue;
        };
        if unsound.contains(&assembled.project_file(subject.file)) {
            continue;
        }
        if subject.function.signature.is_none() && named.function.body.is_none() {
            all.append(subject.contradictions());
            continue;
        }
        let target = assembled.program.find_definition(&named.program_name());
        let target = target.filter(|target| {
            let body = assembled.program.file_of(*target).id;
            !unsound.contains(&body)
        });
        let found = target.map(|target| {
            let found = subject.found(&assembled, &unit, &mut machine, target);
            found.trusted(&checked, target, &unsound)
        });
        let is_own = named.function.body.is_some() && !stubs.contains_key(&named.full_name());
        let Some(Found {
            errors, warnings, ..
        }) = found.filter(|found| !(found.is_unfilled && is_own))
        else {
            unseen.extend(is_own.then_some(named));
            continue;
        };
        all.append(errors);
        // What no test is made of is told by the tests of a body, and by a check where there is none.
        if named.function.body.is_some() {
            let kept = warnings.iter().filter(|one| one.code.is_warning());
            kept.for_each(|one| {
                all.push(one.clone());
            });
        } else {
            all.append(warnings);
            let attachment = Attachment::of(project, named);
            if let Some(Err(failure)) = attachment.map(|one| one.judge()) {
                all.append(failure.diagnostics);
            }
        }
    }
    Ok(unseen)
}

/// Takes a spec against which nothing is said.
fn subject<'p>(project: &'p Project, named: Named<'p>) -> Option<Subject<'p>> {
    let spec = named.function.spec.as_ref()?;
    spec.is_sound.then(|| Subject::of(project, named))?
}

/// Makes a stub for each function, by its full name, but for those that a requires may call.
fn stubs(project: &Project) -> HashMap<String, Text> {
    let called: HashSet<&str> = project
        .functions()
        .flat_map(|named| words(named, |function| &function.requires))
        .collect();
    let counts = counts(project);
    let is_kept = |named: &Named<'_>| called.contains(named.name) && named.function.body.is_some();
    let others = project.functions().filter(|named| !is_kept(named));
    others
        .filter_map(|named| made(project, named, &counts))
        .collect()
}

/// Counts the functions of each name.
fn counts(project: &Project) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for named in project.functions() {
        *counts.entry(named.name).or_default() += 1;
    }
    counts
}

/// Makes a stub for a function, and gives it by its full name; none where the spec has no signature that reads.
fn made(
    project: &Project,
    named: Named<'_>,
    counts: &HashMap<&str, usize>,
) -> Option<(String, Text)> {
    let subject = subject(project, named)?;
    let text = stub(&subject, counts.get(named.name) == Some(&1))?;
    let path = named.module.path_of(&format!("{}.soil", named.name));
    Some((named.full_name(), Text::new(path, text.into_bytes())))
}

/// Gives the files against which something is said, as the program has them.
fn unsound(assembled: &Assembled, found: &Diagnostics) -> HashSet<FileId> {
    let all = found.iter().chain(assembled.diagnostics.iter());
    let wrong = all.filter(|one| !one.code.is_warning());
    wrong.filter_map(|one| one.file).collect()
}
