//! Edits of a text are tried before they are offered.

use super::{Diagnostic, Diagnostics, Edit, EditKind, apply};
use crate::source::FileId;

/// The longest text whose edits are tried; a longer one gets none, so that hostile text is answered in time.
pub(crate) const MAX_TRIED_BYTES: usize = 64 << 10;

/// The most readings that trying the edits of one text takes.
const MAX_TRIED: usize = 64;

impl Diagnostics {
    /// Takes out the edits that do not do what they claim, by reading the changed texts.
    pub(crate) fn keep_edits_that_hold(
        &mut self,
        file: FileId,
        bytes: &[u8],
        read: impl FnMut(&[u8]) -> Self,
    ) {
        if self.iter().all(|diagnostic| diagnostic.edits.is_empty()) {
            return;
        }
        let mut trial = Trial {
            file,
            bytes,
            read,
            found: self.iter().cloned().collect(),
            left: if bytes.len() <= MAX_TRIED_BYTES {
                MAX_TRIED
            } else {
                0
            },
        };
        let mut machine = Vec::new();
        for (index, diagnostic) in self.iter_mut().enumerate() {
            diagnostic
                .edits
                .retain(|edit| trial.holds(&[index], &[edit]));
            let mut certain = diagnostic
                .edits
                .iter()
                .filter(|edit| edit.kind == EditKind::Machine);
            match (certain.next().cloned(), certain.next()) {
                (Some(edit), None) => machine.push((index, edit)),
                // Of two edits that both hold only one is meant.
                _ => diagnostic.edits.iter_mut().for_each(demote),
            }
        }
        let removed: Vec<usize> = machine.iter().map(|(index, _)| *index).collect();
        let edits: Vec<&Edit> = machine.iter().map(|(_, edit)| edit).collect();
        if machine.len() > 1 && !trial.holds(&removed, &edits) {
            for diagnostic in self.iter_mut().skip(removed[0] + 1) {
                diagnostic.edits.iter_mut().for_each(demote);
            }
        }
    }
}

/// A text whose edits are tried.
struct Trial<'a, R> {
    file: FileId,
    bytes: &'a [u8],
    read: R,
    found: Vec<Diagnostic>,
    /// How many readings are left.
    left: usize,
}

impl<R: FnMut(&[u8]) -> Diagnostics> Trial<'_, R> {
    /// Says whether edits remove some diagnostics, leave all others and add none.
    fn holds(&mut self, removed: &[usize], edits: &[&Edit]) -> bool {
        let Some(left) = self.left.checked_sub(1) else {
            return false;
        };
        self.left = left;
        let Some(changed) = apply(self.file, self.bytes, edits.iter().copied()) else {
            return false;
        };
        let again = (self.read)(&changed);
        let kept = self
            .found
            .iter()
            .enumerate()
            .filter(|(index, _)| !removed.contains(index));
        let mut expected: Vec<_> = kept.map(|(_, diagnostic)| key(diagnostic, edits)).collect();
        let mut actual: Vec<_> = again
            .iter()
            .map(|diagnostic| key(diagnostic, &[]))
            .collect();
        expected.sort_unstable();
        actual.sort_unstable();
        expected == actual
    }
}

fn demote(edit: &mut Edit) {
    if edit.kind == EditKind::Machine {
        edit.kind = EditKind::Choice;
    }
}

/// Gives what identifies a diagnostic: its code and where it is after some edits.
fn key(diagnostic: &Diagnostic, edits: &[&Edit]) -> (&'static str, i64) {
    let start = diagnostic.span.map_or(0, |span| span.start);
    let shifts = edits
        .iter()
        .flat_map(|edit| &edit.splices)
        .filter(|splice| splice.span.end <= start);
    let shift: i64 = shifts
        .map(|splice| {
            i64::try_from(splice.text.len()).unwrap_or(i64::MAX) - i64::from(splice.span.len())
        })
        .sum();
    (diagnostic.code.text(), i64::from(start) + shift)
}
