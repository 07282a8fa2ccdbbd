//! A whole check: bodies, and specs as the opening of a job looks at them; those without a body are named.

use crate::failure::Failure;
use crate::job::preflight;
use crate::project::{Named, Project, Report, judge};

/// The most names in a line for people; documents hold all.
const MAX_SHOWN: usize = 8;

/// Checks a project, or one module of it, and looks at all specs as the opening of a job does.
///
/// # Errors
/// `usage`, when there is no such module.
pub(crate) fn judge_all(project: &Project, module: Option<&str>) -> Result<Report, Failure> {
    let mut report = judge(project, module, |module| {
        preflight::look_at_all(project, module)
    })?;
    let is_asked = |named: &Named<'_>| module.is_none_or(|module| module == named.module.name);
    let asked = unwritten(project).filter(is_asked);
    report.unwritten = asked.map(|named| named.full_name()).collect();
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
