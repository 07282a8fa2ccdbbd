//! What is right and wrong in a whole project.

mod exports;
mod invariants;
mod references;

use std::collections::HashMap;

use soil::check::{CheckOptions, Checked, check};
use soil::diagnostic::{Code, Diagnostic, Diagnostics, IncompleteParams, LimitParams, Params};
use soil::hash::{Digest, soil_hashes};
use soil::program::Role;
use soil::source::{FileId, Sources, Span};

use super::{Assembled, Module, Project};
use crate::failure::Failure;

/// What a check of a project found.
#[derive(Debug)]
pub(crate) struct Report {
    /// How many definitions have a body.
    pub(crate) definitions: usize,
    /// How many of them were judged.
    pub(crate) checked: usize,
    /// The functions that have a spec and no body, for who looked at them too.
    pub(crate) unwritten: Vec<String>,
    /// What is wrong.
    pub(crate) errors: Diagnostics,
    /// What is worth knowing.
    pub(crate) warnings: Diagnostics,
    /// The texts that both speak of.
    pub(crate) sources: Sources,
}

impl Report {
    /// Says whether nothing is wrong and nothing was left out.
    pub(crate) fn is_ok(&self) -> bool {
        self.errors.is_empty()
    }
}

/// Checks a project, or one module of it: `soil.toml`, specs, locks and bodies, and what a further look at specs finds.
///
/// # Errors
/// `usage`, when there is no such module; what the look ends with.
pub(crate) fn judge(
    project: &Project,
    module: Option<&str>,
    look: impl FnOnce(Option<&Module>) -> Result<Diagnostics, Failure>,
) -> Result<Report, Failure> {
    let module = match module {
        None => None,
        Some(name) => Some(project.module(name).ok_or_else(|| {
            let message = format!("`{name}` is no module of the project");
            Failure::new(Code::Usage, message)
        })?),
    };
    let assembled = project.whole()?;
    let program = &assembled.program;
    let checked = check(program, CheckOptions::RICH);
    let mut found = assembled.of_project(&project.diagnostics);
    found.append(assembled.diagnostics.clone());
    found.append(assembled.of_project(&exports::missing(project, program)));
    found.append(assembled.of_project(&invariants::untested(project)));
    found.append(assembled.of_project(&references::missing(project)));
    found.append(assembled.placed(&checked.diagnostics));
    add_new(&mut found, &assembled.of_project(&look(module)?));
    let counted = Counted::of(assembled, &checked, module);
    let older = Older::of(project, &checked);
    let (mut errors, warnings) = split(assembled, &found, module, &older);
    if counted.judged < counted.all {
        errors.push(counted.incomplete(&errors));
    }
    Ok(Report {
        definitions: counted.all,
        checked: counted.judged,
        unwritten: Vec::new(),
        errors,
        warnings,
        sources: assembled.sources().clone(),
    })
}

/// Adds reports, but for those of a mistake that is reported already.
fn add_new(found: &mut Diagnostics, others: &Diagnostics) {
    let mut known: HashMap<(Code, Option<FileId>), Vec<Option<Span>>> = HashMap::new();
    for one in found.iter() {
        known
            .entry((one.code, one.file))
            .or_default()
            .push(one.span);
    }
    for one in others.iter() {
        let spans = known.get(&(one.code, one.file));
        if !spans.is_some_and(|spans| spans.iter().any(|span| is_near(*span, one.span))) {
            found.push(one.clone());
        }
    }
}

/// Says whether two reports of one code and file can be about one mistake.
fn is_near(left: Option<Span>, right: Option<Span>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => left.start <= right.end && right.start <= left.end,
        (None, None) => true,
        _ => false,
    }
}

/// Says whether a path is one of a module's files.
fn is_of(module: Option<&Module>, path: &str) -> bool {
    let Some(module) = module else { return true };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder == module.folder
}

/// How many bodies there are, and how many were judged.
struct Counted {
    all: usize,
    judged: usize,
    /// The file of the first one that was not judged.
    first: Option<FileId>,
}

impl Counted {
    fn of(assembled: &Assembled, checked: &Checked<'_>, module: Option<&Module>) -> Self {
        let program = &assembled.program;
        let mut counted = Self {
            all: 0,
            judged: 0,
            first: None,
        };
        let mut judged: HashMap<usize, (usize, usize)> = HashMap::new();
        for definition in &checked.definitions {
            let (all, good) = judged.entry(program[definition.id].file).or_default();
            *all += 1;
            *good += usize::from(definition.is_judged());
        }
        for (position, file) in program.files.iter().enumerate() {
            let is_body = file.is_listed && file.role == Role::Written;
            let source = program.sources.get(file.id);
            let is_asked = source.is_some_and(|source| is_of(module, &source.path));
            if !is_body || !is_asked || assembled.is_made(file.id) {
                continue;
            }
            // A file in which no definition was found promises one all the same, unless it holds private ones.
            let is_private = source.is_some_and(|source| source.path.ends_with("_private.soil"));
            let promised = usize::from(!is_private);
            let (all, good) = judged.get(&position).copied().unwrap_or((promised, 0));
            counted.all += all;
            counted.judged += good;
            if good < all {
                counted.first = counted.first.or(Some(file.id));
            }
        }
        counted
    }

    /// Reports that not all were judged; the cause is the first report about the first of them.
    fn incomplete(&self, errors: &Diagnostics) -> Diagnostic {
        let Self { all, judged, first } = *self;
        let message = format!("{judged} of {all} definitions were judged");
        let mut diagnostic = Diagnostic::new(Code::CheckIncomplete, message);
        let mut found = errors.iter();
        diagnostic.root = found.position(|error| error.file.is_some() && error.file == first);
        let limit = errors
            .iter()
            .find_map(|error| match error.params.as_deref() {
                Some(Params::Limit(LimitParams { limit, .. })) => Some(*limit),
                _ => None,
            });
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let params = IncompleteParams {
            checked: count(judged),
            total: count(all),
            limit,
        };
        diagnostic = diagnostic.with_params(Params::Incomplete(params));
        if let Some(limit) = limit {
            diagnostic = diagnostic.with_note(format!("`{limit}` was reached"));
        }
        diagnostic
    }
}

/// The bodies that are as their locks say, and so older than any name that they may shadow.
struct Older {
    files: Vec<FileId>,
}

impl Older {
    fn of(project: &Project, checked: &Checked<'_>) -> Self {
        let program = checked.program;
        let is_shadowing = |found: &Diagnostic| found.code == Code::Shadowing;
        if !checked.diagnostics.iter().any(is_shadowing) {
            return Self { files: Vec::new() };
        }
        let mut hashes: HashMap<String, (FileId, Option<Digest>)> = HashMap::new();
        for found in soil_hashes(checked, |_| None) {
            let definition = &program[found.id];
            let name = format!(
                "{}/{}",
                &program.names[definition.module], &program.names[definition.name]
            );
            let file = program.files[definition.file].id;
            hashes.insert(name, (file, found.soil_hash));
        }
        let files = project.functions().filter_map(|named| {
            let locked = named.function.lock.as_ref()?.soil_hash()?;
            let (file, hash) = hashes.get(&named.full_name())?;
            (*hash == Some(locked)).then_some(*file)
        });
        Self {
            files: files.collect(),
        }
    }

    fn is_warning(&self, found: &Diagnostic) -> bool {
        let is_older = found.file.is_some_and(|file| self.files.contains(&file));
        found.code.is_warning() || (found.code == Code::Shadowing && is_older)
    }
}

/// Parts what was found into errors and warnings, those of other modules left out.
fn split(
    assembled: &Assembled,
    found: &Diagnostics,
    module: Option<&Module>,
    older: &Older,
) -> (Diagnostics, Diagnostics) {
    let (mut errors, mut warnings) = (Diagnostics::new(), Diagnostics::new());
    let mut positions = Vec::with_capacity(found.len());
    for diagnostic in found.iter() {
        let source = diagnostic
            .file
            .and_then(|file| assembled.sources().get(file));
        let is_asked = source.is_none_or(|source| is_of(module, &source.path));
        if !is_asked {
            positions.push(None);
            continue;
        }
        let mut diagnostic = diagnostic.clone();
        if older.is_warning(&diagnostic) {
            diagnostic.root = None;
            warnings.push(diagnostic);
            positions.push(None);
            continue;
        }
        let root = diagnostic.root.and_then(|root| positions.get(root));
        diagnostic.root = root.copied().flatten();
        positions.push(errors.push(diagnostic));
    }
    for _ in 0..found.suppressed() {
        errors.count_suppressed();
    }
    (errors, warnings)
}
