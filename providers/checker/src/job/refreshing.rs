//! Locks made true again by a person: after edits by hand, and by judgement.

use std::path::Path;

use soil::check::Checked;
use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::lock::{Lock, LockBody, Lowering, LoweringProvenance};
use soil::spec::{Container, FunctionSpec, Spec};

use super::assembly::Assembly;
use super::directory::replace;
use super::draft::{Citation, CitedScope};
use super::found::FoundValues;
use super::lock_file::{BodyOrigin, LockInputs, with_stored};
use super::record::Limits;
use super::tested::{Subject, Tested};
use crate::failure::Failure;
use crate::project::{Named, PROJECT_SCOPE, Project, TestOptions, TestRun};

/// What became of one lock.
#[derive(Debug)]
pub(crate) struct Refreshed {
    /// Whether the file was written; one that was true already is not.
    pub(crate) is_changed: bool,
    /// Whether every test is as it should be and no hole is left.
    pub(crate) is_good: bool,
}

/// A definition whose spec and body read.
struct Written<'p> {
    project: &'p Project,
    named: Named<'p>,
    container: &'p Container,
    spec: &'p Spec,
    function: &'p FunctionSpec,
    assembly: Assembly,
}

impl<'p> Written<'p> {
    fn of(project: &'p Project, named: Named<'p>) -> Result<Self, Failure> {
        let name = named.full_name();
        let Some(body) = &named.function.body else {
            let message = format!("`{name}` has no body yet");
            return Err(Failure::new(Code::NoDraft, message));
        };
        let file = named.function.spec.as_ref().filter(|file| file.is_sound);
        let parts = file.and_then(|file| Some((file.container.as_ref()?, file.function()?)));
        let Some((container, (spec, function))) = parts else {
            let message = format!("`{name}` has no spec that reads");
            return Err(Failure::usage(&message));
        };
        let text = String::from_utf8_lossy(&body.bytes);
        Ok(Self {
            project,
            named,
            container,
            spec,
            function,
            assembly: Assembly::of(project, named, &text)?,
        })
    }

    fn subject<'s>(&'s self, checked: &'s Checked<'s>) -> Subject<'s> {
        Subject {
            project: self.project,
            named: self.named,
            assembly: &self.assembly,
            checked,
        }
    }
}

/// Runs the tests of a definition that has a body; none where it has holes.
///
/// # Errors
/// What is wrong in spec and body, or keeps the tests from running.
pub(crate) fn test_body(project: &Project, named: Named<'_>) -> Result<Option<Tested>, Failure> {
    let written = Written::of(project, named)?;
    let checked = written.assembly.check(false)?;
    let subject = written.subject(&checked);
    let is_whole = subject.hole_count() == 0;
    is_whole.then(|| subject.test(&options())).transpose()
}

fn options() -> TestOptions {
    FoundValues::default().options(Limits::default())
}

/// Makes the lock of a definition that has a body true again; the caller holds the project for writing.
///
/// # Errors
/// What is wrong in spec, body or lock, which leaves the lock as it is; `io`.
pub(crate) fn refresh(
    root: &Path,
    project: &Project,
    named: Named<'_>,
    tested: Option<Tested>,
    is_reviewed: bool,
) -> Result<Refreshed, Failure> {
    let written = Written::of(project, named)?;
    assert_readable(project, named)?;
    let checked = written.assembly.check(false)?;
    let subject = written.subject(&checked);
    let is_whole = subject.hole_count() == 0;
    let tested = is_whole.then(|| subject.test_unless(tested, &options()));
    let run = tested.transpose()?.map(|tested| tested.run);
    // A lock says what all tests came to, and so nothing where some could not run.
    if let Some(failure) = run.as_ref().and_then(TestRun::failure) {
        return Err(failure);
    }
    let known = locked(named);
    let cited = known.map_or_else(Vec::new, |(_, lowering)| citations(lowering));
    let is_hand_edited = known.is_some_and(|(_, lowering)| {
        let target = written.assembly.target();
        with_stored(&checked, target, lowering) != Some(lowering.soil_hash)
    });
    let inputs = LockInputs {
        origin: origin(known.map(|(_, lowering)| lowering), is_hand_edited),
        project,
        named,
        cited: &cited,
        assembly: &written.assembly,
        checked: &checked,
        run: run.as_ref(),
        container: written.container,
        hashes: written.spec.hashes,
        function: written.function,
    };
    let mut lock = inputs.lock().ok_or_else(|| {
        let message = format!("`{}` checks and cannot be hashed", named.full_name());
        Failure::new(Code::Internal, message)
    })?;
    let is_good = run.as_ref().is_some_and(TestRun::is_good);
    if let Some((before, lowering)) = known {
        carry_over(&mut lock, before, lowering, is_reviewed, is_good);
    }
    Ok(Refreshed {
        is_changed: store(root, project, named, &lock)?,
        is_good,
    })
}

/// Sets or takes back that a person accepted a definition; the caller holds the project for writing.
///
/// # Errors
/// `lock-accepted-untested`, when there is no lock, or it speaks of a body with holes or failing tests; `io`.
pub(crate) fn accept(
    root: &Path,
    project: &Project,
    named: Named<'_>,
    is_accepted: bool,
) -> Result<bool, Failure> {
    let known = named.function.lock.as_ref();
    let Some(known) = known.and_then(|file| file.lock.as_ref()) else {
        let message = format!("`{}` has no lock that reads", named.full_name());
        return Err(Failure::new(Code::LockAcceptedUntested, message));
    };
    let lock = Lock {
        accepted: is_accepted,
        ..known.clone()
    };
    store(root, project, named, &lock)
}

/// Says that a lock, if there is one, reads: what another version or a person wrote is not overwritten unread.
fn assert_readable(project: &Project, named: Named<'_>) -> Result<(), Failure> {
    let lock = named.function.lock.as_ref();
    let (Some(_), Some(body)) = (
        lock.filter(|file| file.lock.is_none()),
        &named.function.body,
    ) else {
        return Ok(());
    };
    let path = format!("{}.lock", body.path.trim_end_matches(".soil"));
    let is_of_lock = |diagnostic: &&Diagnostic| {
        let source = diagnostic.file.and_then(|file| project.sources.get(file));
        source.is_some_and(|source| *source.path == *path)
    };
    let mut diagnostics = Diagnostics::new();
    for diagnostic in project.diagnostics.iter().filter(is_of_lock) {
        let note = "once the file is removed, it is made anew";
        diagnostics.push(diagnostic.clone().with_note(note));
    }
    Err(Failure {
        diagnostics,
        sources: project.sources.clone(),
    })
}

fn locked(named: Named<'_>) -> Option<(&Lock, &Lowering)> {
    let lock = named.function.lock.as_ref()?.lock.as_ref()?;
    match &lock.body {
        LockBody::Function {
            lowering: Some(lowering),
            ..
        } => Some((lock, lowering)),
        _ => None,
    }
}

fn origin(known: Option<&Lowering>, is_hand_edited: bool) -> BodyOrigin {
    match known {
        Some(lowering) if !is_hand_edited => BodyOrigin {
            provenance: lowering.provenance,
            provider: lowering.provider.clone(),
            model: lowering.model.clone(),
        },
        known => BodyOrigin {
            provenance: if known.is_some() {
                LoweringProvenance::HandEdited
            } else {
                LoweringProvenance::HumanVerified
            },
            provider: None,
            model: None,
        },
    }
}

fn citations(lowering: &Lowering) -> Vec<Citation> {
    let applied = lowering.applied.iter().map(|one| Citation {
        scope: if one.scope == PROJECT_SCOPE {
            CitedScope::Project
        } else {
            CitedScope::Module
        },
        label: one.label.clone(),
    });
    applied.collect()
}

/// Keeps what only a person can say: that edits of prose and decisions changed no meaning, and that all is accepted.
fn carry_over(
    lock: &mut Lock,
    before: &Lock,
    lowering: &Lowering,
    is_reviewed: bool,
    is_good: bool,
) {
    let is_edited = before.spec.is_review_suggested || before.spec.prose != lock.spec.prose;
    lock.spec.is_review_suggested = is_edited && !is_reviewed;
    let LockBody::Function {
        lowering: Some(now),
        ..
    } = &mut lock.body
    else {
        return;
    };
    let is_same = before.spec.formal == lock.spec.formal
        && before.spec.test == lock.spec.test
        && lowering.soil_hash == now.soil_hash;
    lock.accepted = before.accepted && is_same && is_good;
    if !is_reviewed {
        now.scope_hash = lowering.scope_hash;
        now.applied.clone_from(&lowering.applied);
    }
}

/// Writes a lock that differs from the one that is there, and says whether it did.
fn store(root: &Path, project: &Project, named: Named<'_>, lock: &Lock) -> Result<bool, Failure> {
    let known = named.function.lock.as_ref();
    if known.and_then(|file| file.lock.as_ref()) == Some(lock) {
        return Ok(false);
    }
    let text = lock
        .write(|name| project.is_accepted(name))
        .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    let path = named.module.path_of(&format!("{}.lock", named.name));
    replace(&root.join(path), text.as_bytes(), 0o644)?;
    Ok(true)
}
