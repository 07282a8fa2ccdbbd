//! The candidates of unknown names, in the order in which they are offered.

use super::Resolved;
use super::unresolved::{Suggestion, Unresolved};
use crate::diagnostic::{Candidate, Code, Diagnostic, Edit, EditKind, NameParams, Params};
use crate::source::FileId;

/// The most candidates that are offered.
const MAX_CANDIDATES: usize = 3;

/// The most changes of letters with which a name is taken to be meant.
const MAX_MEANT_DISTANCE: usize = 2;

/// Whether the type of a candidate fits at the place of an unknown name.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    /// The position among the names that did not resolve.
    pub(crate) unresolved: usize,
    /// The position among its candidates.
    pub(crate) candidate: usize,
    pub(crate) fits: bool,
    /// The type of a local.
    pub(crate) ty: Option<String>,
}

/// Adds candidates to the reports about unknown names: those whose type fits first, then by edit distance, nearest scope and
/// bytes.
pub(crate) fn settle(resolved: &mut Resolved, judged: &[Judged], file: FileId) {
    for (position, unresolved) in resolved.unresolved.iter().enumerate() {
        let own = judged.iter().filter(|judged| judged.unresolved == position);
        let own: Vec<&Judged> = own.collect();
        let found = resolved.diagnostics.iter_mut().nth(unresolved.diagnostic);
        if let Some(diagnostic) = found {
            offer(diagnostic, unresolved, &own, file);
        }
    }
}

fn offer(diagnostic: &mut Diagnostic, unresolved: &Unresolved, judged: &[&Judged], file: FileId) {
    let fits = |candidate: usize| {
        let mut own = judged.iter().filter(|judged| judged.candidate == candidate);
        own.any(|judged| judged.fits)
    };
    let mut order: Vec<usize> = (0..unresolved.suggestions.len()).collect();
    order.sort_by_key(|candidate| {
        let suggestion = &unresolved.suggestions[*candidate];
        (!fits(*candidate), suggestion.distance)
    });
    order.truncate(MAX_CANDIDATES);
    let is_meant = |candidate: usize| {
        fits(candidate) && unresolved.suggestions[candidate].distance <= MAX_MEANT_DISTANCE
    };
    let meant = (0..unresolved.suggestions.len()).filter(|candidate| is_meant(*candidate));
    let is_clear = meant.count() == 1 && diagnostic.code == Code::UnknownName;
    let mut candidates = Vec::new();
    for candidate in order {
        let suggestion = &unresolved.suggestions[candidate];
        let ty = ty(suggestion, candidate, judged);
        let note = if ty.is_empty() {
            format!("did you mean `{}`?", suggestion.text)
        } else {
            format!("did you mean `{} : {ty}`?", suggestion.text)
        };
        *diagnostic =
            std::mem::replace(diagnostic, Diagnostic::new(Code::Internal, "")).with_note(note);
        let kind = if is_clear && is_meant(candidate) {
            EditKind::Machine
        } else {
            EditKind::Choice
        };
        let title = format!("write `{}`", suggestion.text);
        let edit = Edit::new(kind, title, file, unresolved.span, &*suggestion.text);
        diagnostic.edits.push(edit);
        candidates.push(Candidate {
            name: suggestion.text.clone(),
            ty,
            from: suggestion.from,
        });
    }
    if let Some(hole) = &unresolved.hole
        && candidates.len() < MAX_CANDIDATES
    {
        let title = format!("leave the hole `{hole}`");
        let edit = Edit::new(EditKind::Choice, title, file, unresolved.span, &**hole);
        diagnostic.edits.push(edit);
    }
    let elsewhere = match diagnostic.params.take().map(|params| *params) {
        Some(Params::Names(params)) => params.elsewhere,
        _ => None,
    };
    if !candidates.is_empty() || elsewhere.is_some() {
        diagnostic.params = Some(Box::new(Params::Names(NameParams {
            candidates,
            elsewhere,
        })));
    }
}

fn ty(suggestion: &Suggestion, candidate: usize, judged: &[&Judged]) -> String {
    let mut own = judged.iter().filter(|judged| judged.candidate == candidate);
    let found = own.find_map(|judged| judged.ty.clone());
    found.unwrap_or_else(|| suggestion.ty.clone())
}
