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
    let stubs = stubs(project);
    let assembled = assemble(project, &Depends::Specs(&stubs))?;
    let checked = check(&assembled.program, CheckOptions::default());
    let unsound = unsound(&assembled, &assembled.placed(&checked.diagnostics));
    let unit = Unit::compile(&checked);
    let bounds = Bounds {
        fuel: FUEL,
        ..Bounds::default()
    };
    let mut machine = Machine::new(&unit, bounds);
    let mut all = Diagnostics::new();
    let asked = project.modules.iter();
    let asked = asked.filter(|one| module.is_none_or(|module| module.name == one.name));
    for named in asked.flat_map(Module::functions) {
        let Some(subject) = subject(project, named) else {
            continue;
        };
        let Some(target) = assembled.program.find_definition(&named.program_name()) else {
            continue;
        };
        let body = assembled.program.file_of(target).id;
        if unsound.contains(&assembled.project_file(subject.file)) || unsound.contains(&body) {
            continue;
        }
        let is_written = named.function.body.is_some();
        let Found { errors, warnings } = subject.found(&assembled, &unit, &mut machine, target);
        all.append(errors);
        // What no test is made of is told by the tests of a body, and by a check where there is none.
        if is_written {
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
    Ok(all)
}

/// Takes a spec against which nothing is said.
fn subject<'p>(project: &'p Project, named: Named<'p>) -> Option<Subject<'p>> {
    let spec = named.function.spec.as_ref()?;
    spec.is_sound.then(|| Subject::of(project, named))?
}

/// Makes a stub for each function, by its full name, but for those that a requires may call.
fn stubs(project: &Project) -> HashMap<String, Text> {
    let mut called: HashSet<&str> = HashSet::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for named in project.functions() {
        *counts.entry(named.name).or_default() += 1;
        called.extend(words(named, |function| &function.requires));
    }
    let stub = |named: Named<'_>| {
        if called.contains(named.name) && named.function.body.is_some() {
            return None;
        }
        let subject = subject(project, named)?;
        let text = stub(&subject, counts.get(named.name) == Some(&1))?;
        let path = named.module.path_of(&format!("{}.soil", named.name));
        Some((named.full_name(), Text::new(path, text.into_bytes())))
    };
    project.functions().filter_map(stub).collect()
}

/// Gives the files against which something is said, as the program has them.
fn unsound(assembled: &Assembled, found: &Diagnostics) -> HashSet<FileId> {
    let all = found.iter().chain(assembled.diagnostics.iter());
    let wrong = all.filter(|one| !one.code.is_warning());
    wrong.filter_map(|one| one.file).collect()
}
