//! `decisions` blocks.

use super::Reader;
use super::container::Fence;
use super::lines::{Piece, Spanned};
use crate::diagnostic::Code;
use crate::hash::Digest;

/// `label: text`, with what was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What the decision is cited by.
    pub label: Spanned<String>,
    /// What was decided.
    pub text: String,
    /// What was rejected, and why.
    pub rejected: Vec<String>,
    /// The lines as they are written, joined by newlines.
    pub raw: String,
}

impl Decision {
    /// Gives the hash of the entry: of its raw lines.
    pub fn entry_hash(&self) -> Digest {
        Digest::of([&self.raw])
    }
}

impl Reader<'_> {
    pub(super) fn decisions(&mut self, fence: &Fence) -> Vec<Decision> {
        let mut decisions: Vec<Decision> = Vec::new();
        for line in self
            .content_of(fence)
            .lines()
            .filter(|line| !line.is_blank())
        {
            let is_indented = line.text.starts_with([' ', '\t']);
            let rejected = line.trimmed().text.strip_prefix("rejected:");
            if let (Some(rejected), Some(decision)) =
                (rejected.filter(|_| is_indented), decisions.last_mut())
            {
                decision.rejected.push(rejected.trim().to_owned());
                decision.raw.push('\n');
                decision.raw.push_str(line.text);
            } else {
                let found = self.decision(line, is_indented, &decisions);
                decisions.extend(found);
            }
        }
        decisions
    }

    fn decision(
        &mut self,
        line: Piece<'_>,
        is_indented: bool,
        earlier: &[Decision],
    ) -> Option<Decision> {
        let parts = line.split_once(":").filter(|_| !is_indented);
        let parts = parts.map(|(label, text)| (label.trimmed(), text.trimmed()));
        let Some((label, text)) =
            parts.filter(|(label, text)| !label.text.is_empty() && !text.text.is_empty())
        else {
            let message = "expected `label: text`, or indented below it `rejected: text`";
            self.report(Code::TrDecisionsSyntax, line.trimmed().span(), message);
            return None;
        };
        if earlier
            .iter()
            .any(|decision| decision.label.value == label.text)
        {
            let message = format!("another decision is labelled `{}`", label.text);
            self.report(Code::TrDecisionsSyntax, label.span(), message);
        }
        Some(Decision {
            label: label.to_spanned(),
            text: text.text.to_owned(),
            rejected: Vec::new(),
            raw: line.text.to_owned(),
        })
    }
}
