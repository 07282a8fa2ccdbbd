//! What is wrong with a spec and its surroundings, before any model is asked.

mod stub;
mod subject;
mod unsigned;
mod whole;

use soil::check::{CheckOptions, check};
use soil::config::check_toolchain;
use soil::diagnostic::{Code, Diagnostics};
use soil::eval::{Bounds, Machine, Unit};
use soil::source::{FileId, Sources};

use super::assembly::Assembly;
use crate::failure::Failure;
use crate::oracle::Attachment;
use crate::project::{Named, Project};
use stub::stub;
use subject::{Found, Subject};
pub(crate) use whole::look_at_all;

/// Warnings about a spec, with the texts that they speak of.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    pub(crate) found: Diagnostics,
    pub(crate) sources: Sources,
}

/// Judges the toolchain, the spec, declared types, `soil.toml` and the decisions, each alone.
///
/// # Errors
/// `toolchain-mismatch`, and all that is wrong in these files.
pub(crate) fn surroundings(project: &Project, named: Named<'_>) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    if let Some(found) = check_toolchain(project.config_file, &project.config, version) {
        return Err(about(project, found.into()));
    }
    let found = reported(project, named);
    if found.is_empty() {
        Ok(())
    } else {
        Err(about(project, found))
    }
}

/// Looks for all that keeps a body from ever meeting the spec.
///
/// # Errors
/// Clauses and properties that do not check, values that cannot be drawn, and specs that no body could meet.
pub(crate) fn look(project: &Project, named: Named<'_>) -> Result<Warnings, Failure> {
    let subject = Subject::of(project, named).ok_or_else(|| {
        let message = format!("`{}` has no spec", named.full_name());
        Failure::usage(&message)
    })?;
    // No draft could be accepted where the reference cannot be asked.
    if let Some(attachment) = Attachment::of(project, named) {
        attachment.judge()?;
    }
    if let Some(stub) = stub(&subject, is_alone(project, named)) {
        return look_with(&subject, &stub);
    }
    // Without a signature nothing can be said of types.
    let found = subject.contradictions();
    if found.is_empty() {
        return Ok(Warnings::default());
    }
    Err(about(project, found))
}

/// Says whether no other module has a function of this name.
fn is_alone(project: &Project, named: Named<'_>) -> bool {
    let mut others = project.functions();
    !others.any(|other| other.name == named.name && other.module.name != named.module.name)
}

/// Looks at a spec with a stub for its body.
fn look_with(subject: &Subject<'_>, stub: &str) -> Result<Warnings, Failure> {
    let assembly = Assembly::of(subject.project, subject.named, stub)?;
    let assembled = &assembly.assembled;
    let checked = check(&assembled.program, CheckOptions::default());
    let mut found = assembled.placed(&checked.diagnostics);
    found.append(assembled.diagnostics.clone());
    let own = own(subject, &assembly, &found);
    if !own.is_empty() {
        return Err(assembled.failure(own));
    }
    let wrong = found.iter().filter_map(|one| one.file).collect();
    let Some(target) = assembly.target() else {
        return Ok(Warnings::default());
    };
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let found = subject.found(assembled, &unit, &mut machine, target);
    let found = found.trusted(&checked, target, &wrong);
    let Found {
        errors, warnings, ..
    } = found;
    if !errors.is_empty() {
        return Err(assembled.failure(assembled.of_project(&errors)));
    }
    Ok(Warnings {
        found: assembled.of_project(&warnings),
        sources: assembled.sources().clone(),
    })
}

/// Keeps the reports that are about the spec and what it names; those about the stub are about its signature.
fn own(subject: &Subject<'_>, assembly: &Assembly, found: &Diagnostics) -> Diagnostics {
    let stub = assembly.draft_file();
    let spec = assembly.assembled.project_file(subject.file);
    let mut kept = Diagnostics::new();
    for one in found.iter() {
        let mut one = one.clone();
        one.root = None;
        if one.file == stub {
            one.file = Some(spec);
            one.span = subject.signature_span();
            one.edits.clear();
            one.notes.retain(|note| note.file != stub);
            one.params = None;
        } else if one.file != Some(spec) && one.code != Code::StateCycle {
            // What is wrong in a callee's body is that definition's own matter.
            continue;
        }
        kept.push(one);
    }
    kept
}

fn about(project: &Project, diagnostics: Diagnostics) -> Failure {
    Failure {
        diagnostics,
        sources: project.sources.clone(),
    }
}

/// Gives what was reported about the files that every job of the definition depends on.
fn reported(project: &Project, named: Named<'_>) -> Diagnostics {
    let types = project.modules.iter().flat_map(|one| one.types.values());
    let specs = types
        .chain(&project.spec)
        .chain(&named.module.spec)
        .chain(&named.function.spec);
    let mut files: Vec<FileId> = specs.map(|file| file.file).collect();
    files.push(project.config_file);
    let mut found = Diagnostics::new();
    for one in project.diagnostics.iter() {
        if one.file.is_some_and(|file| files.contains(&file)) {
            let mut one = one.clone();
            one.root = None;
            found.push(one);
        }
    }
    found
}
