//! Specs without a body: a check looks at them as the opening of a job does, and names them.

use soil::diagnostic::{Diagnostic, Diagnostics};
use soil::source::{FileId, Sources};

use crate::failure::Failure;
use crate::job::preflight;
use crate::project::{Named, Project, Report, judge};

/// The most names in a line for people; documents hold all.
const MAX_SHOWN: usize = 8;

/// Checks a project, or one module of it, specs without a body among the rest.
///
/// # Errors
/// `usage`, when there is no such module.
pub(crate) fn judge_all(project: &Project, module: Option<&str>) -> Result<Report, Failure> {
    let mut report = judge(project, module)?;
    for named in unwritten(project) {
        if module.is_some_and(|module| module != named.module.name) {
            continue;
        }
        report.unwritten.push(named.full_name());
        let is_sound = named
            .function
            .spec
            .as_ref()
            .is_some_and(|spec| spec.is_sound);
        if is_sound {
            look(project, named, &mut report);
        }
    }
    Ok(report)
}

/// Gives the functions that have a spec and no body.
pub(crate) fn unwritten(project: &Project) -> impl Iterator<Item = Named<'_>> {
    let functions = project.functions();
    functions.filter(|named| named.function.body.is_none() && named.function.spec.is_some())
}

/// Gives the line that names specs without a body; nothing where there is none.
///
/// The words `what` say what came of them.
pub(crate) fn line(names: &[String], what: &str) -> String {
    if names.is_empty() {
        return String::new();
    }
    let (noun, verb) = match names.len() {
        1 => ("spec", "has"),
        _ => ("specs", "have"),
    };
    let shown = names.iter().take(MAX_SHOWN).map(String::as_str);
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(MAX_SHOWN) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!(
        "{} {noun} {verb} no body yet, {what}: {shown}{more}\n",
        names.len()
    )
}

/// Adds what keeps a body from ever meeting a spec, unless it is reported already.
fn look(project: &Project, named: Named<'_>, report: &mut Report) {
    let (errors, warnings, sources) = match preflight::look(project, named) {
        Ok(warnings) => (Diagnostics::new(), warnings.found, warnings.sources),
        Err(failure) => (failure.diagnostics, Diagnostics::new(), failure.sources),
    };
    add(&mut report.errors, &errors, &sources, &report.sources);
    add(&mut report.warnings, &warnings, &sources, &report.sources);
}

/// Adds reports that speak of other sources, each moved to the text with the same path.
fn add(list: &mut Diagnostics, found: &Diagnostics, from: &Sources, to: &Sources) {
    let known = list.clone();
    for one in found.iter() {
        let one = moved(one, from, to);
        if !known.iter().any(|known| is_one_mistake(known, &one)) {
            list.push(one);
        }
    }
}

/// Says whether two reports are about one mistake; a look has no finer place for some than the whole signature.
fn is_one_mistake(left: &Diagnostic, right: &Diagnostic) -> bool {
    let is_near = match (left.span, right.span) {
        (Some(left), Some(right)) => left.start <= right.end && right.start <= left.end,
        (None, None) => true,
        _ => false,
    };
    left.code == right.code && left.file == right.file && is_near
}

fn moved(one: &Diagnostic, from: &Sources, to: &Sources) -> Diagnostic {
    let moved = |file: FileId| {
        let path = &from.get(file)?.path;
        let same = to.iter().find(|(_, source)| source.path == *path);
        same.map(|(file, _)| file)
    };
    let mut one = one.clone();
    one.root = None;
    // Edits and notes of a text that only the look knows would point at nothing.
    one.edits.clear();
    one.file = one.file.and_then(moved);
    if one.file.is_none() {
        one.span = None;
    }
    one.notes.retain_mut(|note| {
        let before = note.file;
        note.file = before.and_then(moved);
        before.is_none() || note.file.is_some()
    });
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_so_many_and_counts_the_rest() {
        let names = |count: usize| -> Vec<String> {
            (0..count).map(|index| format!("m/f{index}")).collect()
        };
        let table = [
            (0, ""),
            (1, "1 spec has no body yet, looked at: m/f0\n"),
            (2, "2 specs have no body yet, looked at: m/f0, m/f1\n"),
            (
                10,
                "10 specs have no body yet, looked at: m/f0, m/f1, m/f2, m/f3, m/f4, m/f5, m/f6, m/f7, and 2 more\n",
            ),
        ];
        for (count, expected) in table {
            assert_eq!(line(&names(count), "looked at"), expected);
        }
    }
}
