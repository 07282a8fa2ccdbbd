//! Edits are tried before they are offered.
//!
//! An edit is applied to its text, which is then read and checked again: the report that it belongs to has to be gone, all others
//! of the file have to be there, and no new one may come. What does not hold is left out.

use super::{CheckOptions, file_diagnostics};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Edit, EditKind, MAX_TRIED_BYTES, apply};
use crate::print;
use crate::program::Program;
use crate::source::{FileId, Span};
use crate::syntax::{FileShape, Names, TokenKind, lex, parse};

/// The most texts that are checked again for one program.
const MAX_TRIED: usize = 128;

/// Leaves out the edits that do not hold.
pub(super) fn keep_what_holds(
    program: &Program,
    diagnostics: &mut Diagnostics,
    options: CheckOptions,
) {
    let mut files: Vec<FileId> = Vec::new();
    for diagnostic in diagnostics.iter() {
        if let Some(file) = diagnostic.file
            && !diagnostic.edits.is_empty()
            && !files.contains(&file)
        {
            files.push(file);
        }
    }
    let mut left = MAX_TRIED;
    for file in files {
        let of_file = diagnostics.iter();
        let of_file = of_file.filter(|diagnostic| diagnostic.file == Some(file));
        let reports = of_file
            .map(|diagnostic| (diagnostic.code, diagnostic.span))
            .collect();
        let mut trial = Trial {
            program,
            file,
            options,
            reports,
            left,
        };
        let of_file = diagnostics.iter_mut();
        let of_file = of_file.filter(|diagnostic| diagnostic.file == Some(file));
        let mut of_file: Vec<&mut Diagnostic> = of_file.collect();
        for diagnostic in &mut of_file {
            trial.one_by_one(diagnostic);
        }
        trial.together(&mut of_file);
        left = trial.left;
    }
}

/// Leaves out all edits, where none are asked for.
pub(super) fn leave_out(diagnostics: &mut Diagnostics) {
    for diagnostic in diagnostics.iter_mut() {
        diagnostic.edits.clear();
    }
}

struct Trial<'a> {
    program: &'a Program,
    file: FileId,
    options: CheckOptions,
    /// The codes and places of all reports about the file.
    reports: Vec<(Code, Option<Span>)>,
    /// How many texts may still be checked again.
    left: usize,
}

impl Trial<'_> {
    /// Tries each edit of a report alone.
    fn one_by_one(&mut self, diagnostic: &mut Diagnostic) {
        let code = diagnostic.code;
        diagnostic.edits.retain(|edit| self.holds(&[edit], &[code]));
        if code == Code::ParseExpected && diagnostic.edits.len() > 1 {
            // A bracket is most often written because it is needed.
            diagnostic
                .edits
                .sort_by_cached_key(|edit| self.spare_brackets(edit));
        }
        let mut has_machine = false;
        for edit in &mut diagnostic.edits {
            if edit.kind == EditKind::Machine && std::mem::replace(&mut has_machine, true) {
                edit.kind = EditKind::Choice;
            }
        }
    }

    /// Counts the brackets of the changed text that canonical text does without.
    fn spare_brackets(&self, edit: &Edit) -> usize {
        let source = self.program.sources.get(self.file);
        let Some(changed) = source.and_then(|source| apply(self.file, &source.bytes, [edit]))
        else {
            return usize::MAX;
        };
        let mut names = Names::new();
        let parsed = parse(self.file, &changed, FileShape::Free, &mut names);
        let printed = print::file(&parsed.tree, &names);
        let count = |bytes: &[u8]| {
            let lexed = lex(self.file, bytes, &mut Names::new());
            let tokens = lexed.tokens.iter();
            tokens
                .filter(|token| token.kind == TokenKind::OpenParen)
                .count()
        };
        count(&changed).saturating_sub(count(printed.as_bytes()))
    }

    /// Tries the machine edits of all reports together; those that do not go together become choices.
    fn together(&mut self, diagnostics: &mut [&mut Diagnostic]) {
        let is_machine = |edit: &&Edit| edit.kind == EditKind::Machine;
        let all: Vec<(usize, Edit)> = diagnostics
            .iter()
            .enumerate()
            .filter_map(|(position, diagnostic)| {
                let edit = diagnostic.edits.iter().find(is_machine)?;
                Some((position, edit.clone()))
            })
            .collect();
        if all.len() < 2 {
            return;
        }
        let codes = |chosen: &[&(usize, Edit)]| -> Vec<Code> {
            let codes = chosen.iter();
            codes
                .map(|(position, _)| diagnostics[*position].code)
                .collect()
        };
        let whole: Vec<&(usize, Edit)> = all.iter().collect();
        let edits: Vec<&Edit> = all.iter().map(|(_, edit)| edit).collect();
        if self.holds(&edits, &codes(&whole)) {
            return;
        }
        let mut chosen: Vec<&(usize, Edit)> = Vec::new();
        let mut refused = Vec::new();
        for candidate in &all {
            chosen.push(candidate);
            let edits: Vec<&Edit> = chosen.iter().map(|(_, edit)| edit).collect();
            if !self.holds(&edits, &codes(&chosen)) {
                chosen.pop();
                refused.push(candidate.0);
            }
        }
        for position in refused {
            for edit in &mut diagnostics[position].edits {
                if edit.kind == EditKind::Machine {
                    edit.kind = EditKind::Choice;
                }
            }
        }
    }

    /// Says whether a report beside those that are removed stands in what edits replace.
    fn takes_another(&self, edits: &[&Edit], removed: &[Code]) -> bool {
        let mut splices = edits.iter().flat_map(|edit| &edit.splices);
        let mut others = self
            .reports
            .iter()
            .filter(|(code, _)| !removed.contains(code));
        others.any(|(_, place)| {
            place.is_some_and(|place| splices.any(|splice| splice.span.contains(place)))
        })
    }

    /// Says whether edits remove exactly the reports with these codes.
    fn holds(&mut self, edits: &[&Edit], removed: &[Code]) -> bool {
        let Some(source) = self.program.sources.get(self.file) else {
            return false;
        };
        if self.left == 0 || source.bytes.len() > MAX_TRIED_BYTES {
            return false;
        }
        self.left -= 1;
        let Some(changed) = apply(self.file, &source.bytes, edits.iter().copied()) else {
            return false;
        };
        if let Some(lost) = self.program.lost_names(self.file, &changed) {
            // What the file defines changes; reading it was tried where the edit was made.
            return removed.iter().all(|code| is_syntax(*code))
                && !self.takes_another(edits, removed)
                && !lost;
        }
        let Some((program, syntax)) = self.program.with_text(self.file, changed) else {
            return false;
        };
        let mut found = file_diagnostics(&program, self.file, self.options);
        found.append(syntax);
        let mut expected: Vec<Code> = self.reports.iter().map(|(code, _)| *code).collect();
        for code in removed {
            if let Some(position) = expected.iter().position(|other| other == code) {
                expected.swap_remove(position);
            }
        }
        let mut actual: Vec<Code> = found.iter().map(|diagnostic| diagnostic.code).collect();
        expected.sort_unstable_by_key(|code| code.text());
        actual.sort_unstable_by_key(|code| code.text());
        actual == expected
    }
}

/// Says whether lexer or parser report a code.
fn is_syntax(code: Code) -> bool {
    matches!(
        code,
        Code::UnterminatedString
            | Code::BadEscape
            | Code::EscapeNotScalar
            | Code::StrayCharacter
            | Code::ParseExpected
            | Code::NonassocComparison
            | Code::NameMismatch
            | Code::WildcardInLetRec
            | Code::MisplacedPrivateDef
            | Code::MultipleDefs
            | Code::DuplicateField
    )
}
