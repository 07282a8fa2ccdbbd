//! `requires`, `ensures` and `invariant` blocks.

use super::Reader;
use super::container::Fence;
use super::lines::Spanned;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::parse_predicate;
use crate::syntax::tree::PredicateId;

/// `label: predicate`.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What the clause is called in reports and locks.
    pub label: Spanned<String>,
    /// What has to hold, in the tree of the file.
    pub predicate: PredicateId,
    /// The predicate's text as it is written.
    pub text: Span,
}

impl Reader<'_> {
    /// Reads one clause per line.
    pub(super) fn clauses(&mut self, fence: &Fence) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for line in self
            .content_of(fence)
            .lines()
            .filter(|line| !line.is_blank())
        {
            let Some((label, predicate)) = line.split_once(":") else {
                let span = line.trimmed().span();
                self.report(Code::TrPredicateSyntax, span, "expected `label: predicate`");
                continue;
            };
            let label = label.trimmed();
            if label.text.is_empty() {
                self.report(
                    Code::TrPredicateSyntax,
                    line.trimmed().span(),
                    "the clause has no label",
                );
                continue;
            }
            let text = predicate.trimmed().span();
            let result = parse_predicate(self.part(predicate.span()), self.names, &mut self.tree);
            if let Some(predicate) = self.accept(Code::TrPredicateSyntax, result) {
                let label = label.to_spanned();
                clauses.push(Clause {
                    label,
                    predicate,
                    text,
                });
            }
        }
        clauses
    }

    /// Reports labels that an earlier clause of the file has.
    pub(super) fn check_labels(&mut self, clauses: &[&Clause]) {
        for (position, clause) in clauses.iter().enumerate() {
            let label = &clause.label;
            if clauses[..position]
                .iter()
                .any(|earlier| earlier.label.value == label.value)
            {
                let message = format!("another clause is labelled `{}`", label.value);
                self.report(Code::TrPredicateSyntax, label.span, message);
            }
        }
    }
}
