//! The matches of a definition, once types are known.

use super::{Inferer, Options};
use crate::diagnostic::{
    Code, Diagnostic, Edit, EditKind, LimitParams, MatchParams, Params, RedundantParams,
};
use crate::environment::{Field, Payload};
use crate::facts::PatternFact;
use crate::matching::{self, Head, Key, MAX_ROWS, Pattern, Patterns, TooManyRows, Verdict};
use crate::source::Span;
use crate::syntax::Name;
use crate::syntax::tree::{
    Arm, ExprId, ExprKind, FieldPattern, List, Literal, PatternId, PatternKind,
};

impl Inferer<'_, '_> {
    /// Judges whether each match covers all values, and whether its arms are reached.
    pub(super) fn judge_matches(&mut self) {
        let Options { judges_matches, .. } = self.options;
        if !judges_matches {
            return;
        }
        for (id, ty) in std::mem::take(&mut self.matches) {
            let ExprKind::Match { arms, .. } = self.tree[id].kind else {
                continue;
            };
            let is_known = !self.store.holds_error(ty);
            let mut patterns = Patterns::new();
            let tree = self.tree;
            let lowered = tree[arms].iter();
            let lowered: Vec<Option<Pattern>> = lowered
                .map(|arm| self.lower(arm.pattern, &mut patterns))
                .collect();
            let lowered: Option<Vec<Pattern>> = lowered.into_iter().collect();
            let Some(lowered) = lowered.filter(|_| is_known) else {
                continue;
            };
            match matching::judge(self.program, &patterns, &lowered) {
                Ok(verdict) => self.report_match(id, arms, &verdict),
                Err(TooManyRows(rows)) => self.report_rows(id, rows),
            }
        }
    }

    fn report_rows(&mut self, id: ExprId, seen: u64) {
        let limit = "match_rows";
        let message = format!("`{limit}` allows {MAX_ROWS}, here are {seen}");
        let code = Code::LimitExceeded;
        let diagnostic = Diagnostic::at(code, self.file.id, self.span(id), message);
        let params = Params::Limit(LimitParams {
            limit,
            max: MAX_ROWS,
            seen,
        });
        let note = "add a wildcard arm `| _ -> …`";
        self.push(diagnostic.with_note(note).with_params(params));
    }

    /// Takes a pattern apart; none where it holds a mistake.
    fn lower(&mut self, id: PatternId, patterns: &mut Patterns) -> Option<Pattern> {
        if self.faulty.contains(&id) {
            return None;
        }
        match self.tree[id].kind {
            PatternKind::Wildcard | PatternKind::Bind { .. } => Some(Pattern::WILDCARD),
            PatternKind::Error => None,
            PatternKind::Literal(literal) => {
                let key = self.key(literal);
                Some(patterns.add(Head::Literal(key), &[]))
            }
            PatternKind::Constructor { argument, .. } => {
                let constructor = self.referents.pattern(id)?;
                let environment = self.environment;
                let head = Head::Constructor(constructor);
                match (&environment.variant(constructor).payload, argument) {
                    (Payload::Empty, None) => Some(patterns.add(head, &[])),
                    (Payload::Value(_), Some(argument)) => {
                        let part = self.lower(argument, patterns)?;
                        Some(patterns.add(head, &[part]))
                    }
                    (Payload::Record(declared), Some(argument)) => {
                        let parts = self.lower_inline(argument, declared, patterns)?;
                        Some(patterns.add(head, &parts))
                    }
                    _ => None,
                }
            }
            PatternKind::Record { fields, is_open } => {
                let Some(PatternFact::Record(record)) = self.facts.pattern(id) else {
                    return None;
                };
                let declared = self.environment.record_fields(record)?;
                self.check_rest(id, fields, is_open, declared);
                let parts = self.lower_fields(fields, declared, patterns)?;
                Some(patterns.add(Head::Record(record), &parts))
            }
        }
    }

    fn lower_inline(
        &mut self,
        id: PatternId,
        declared: &[Field],
        patterns: &mut Patterns,
    ) -> Option<Vec<Pattern>> {
        match self.tree[id].kind {
            PatternKind::Wildcard => {
                let visible = declared.iter().filter(|field| field.ignored.is_none());
                Some(vec![Pattern::WILDCARD; visible.count()])
            }
            PatternKind::Record { fields, is_open } => {
                self.check_rest(id, fields, is_open, declared);
                self.lower_fields(fields, declared, patterns)
            }
            _ => None,
        }
    }

    /// Takes the fields of a record pattern apart, in the order of the declaration.
    fn lower_fields(
        &mut self,
        fields: List<FieldPattern>,
        declared: &[Field],
        patterns: &mut Patterns,
    ) -> Option<Vec<Pattern>> {
        let tree = self.tree;
        let visible = declared.iter().filter(|field| field.ignored.is_none());
        let names: Vec<Name> = visible.map(|field| field.name).collect();
        let mut parts = vec![Pattern::WILDCARD; names.len()];
        let mut is_whole = true;
        for field in &tree[fields] {
            let position = names.iter().position(|name| *name == field.field.name);
            let part = match field.pattern {
                Some(pattern) => self.lower(pattern, patterns),
                None => Some(Pattern::WILDCARD),
            };
            match (position, part) {
                (Some(position), Some(part)) => parts[position] = part,
                _ => is_whole = false,
            }
        }
        is_whole.then_some(parts)
    }

    fn key(&self, literal: Literal) -> Key {
        match literal {
            Literal::Int(text) => {
                let trimmed = self.text(text).trim_start_matches('0');
                let plain = if trimmed.is_empty() { "0" } else { trimmed };
                // A number with leading zeros whose plain form is nowhere in the program equals no other one.
                Key::Int(self.program.names.get(plain).unwrap_or(text))
            }
            Literal::Float(text) => {
                let number: f64 = self.text(text).parse().unwrap_or(f64::NAN);
                Key::Float(number.to_bits())
            }
            Literal::Text(value) => Key::Text(value),
        }
    }

    /// Reports a record pattern that neither names all fields nor ends in `..`.
    fn check_rest(
        &mut self,
        id: PatternId,
        fields: List<FieldPattern>,
        is_open: bool,
        declared: &[Field],
    ) {
        if is_open {
            return;
        }
        let written = &self.tree[fields];
        let visible = declared.iter().filter(|field| field.ignored.is_none());
        let is_missing = |field: &&Field| {
            !written
                .iter()
                .any(|written| written.field.name == field.name)
        };
        let missing = visible.filter(is_missing);
        let missing: Vec<String> = missing
            .map(|field| format!("`{}`", self.text(field.name)))
            .collect();
        if missing.is_empty() {
            return;
        }
        let span = self.tree[id].span;
        let message = format!("the pattern names neither {} nor `..`", missing.join(", "));
        let code = Code::MissingRecordRest;
        let mut diagnostic = Diagnostic::at(code, self.file.id, span, message);
        if let Some(place) = self.before_brace(span) {
            let title = "end the pattern with `..`";
            let file = self.file.id;
            diagnostic =
                diagnostic.with_edit(Edit::new(EditKind::Machine, title, file, place, ", .."));
        }
        self.push(diagnostic);
    }

    fn report_match(&mut self, id: ExprId, arms: List<Arm>, verdict: &Verdict) {
        if !verdict.missing.is_empty() {
            self.report_missing(id, arms, verdict);
        }
        if !self.options.reports_redundant {
            return;
        }
        let tree = self.tree;
        for (arm, covering) in &verdict.redundant {
            let span = tree[tree[arms][*arm].pattern].span;
            let covering = covering
                .iter()
                .map(|arm| tree[tree[arms][*arm].pattern].span);
            let covered_by: Vec<Span> = covering.collect();
            let message = "the arms before this one take all that it would".to_owned();
            let file = self.file.id;
            let mut diagnostic = Diagnostic::at(Code::RedundantArm, file, span, message);
            for span in covered_by.iter().take(matching::MAX_WITNESSES) {
                diagnostic = diagnostic.with_note_at(file, *span, "this arm covers it");
            }
            if let Some(edit) = self.arm_removal(arms, *arm) {
                diagnostic = diagnostic.with_edit(edit);
            }
            let params = Params::Redundant(RedundantParams { covered_by });
            self.push(diagnostic.with_params(params));
        }
    }

    fn report_missing(&mut self, id: ExprId, arms: List<Arm>, verdict: &Verdict) {
        let message = "the match does not cover every value".to_owned();
        let code = Code::NonExhaustiveMatch;
        let mut diagnostic = Diagnostic::at(code, self.file.id, self.span(id), message);
        let mut taken = self.hole_names();
        let mut missing = Vec::new();
        for pattern in &verdict.missing {
            diagnostic = diagnostic.with_note(pattern.as_str());
            let hole = super::hole::free_hole(&hole_word(pattern), &mut taken);
            missing.push(format!("| {pattern} -> ?{hole}"));
        }
        let added = if verdict.is_cut {
            vec!["| _ -> ?rest".to_owned()]
        } else {
            missing.clone()
        };
        if let Some(edit) = self.arm_insertion(arms, &added) {
            diagnostic = diagnostic.with_edit(edit);
        }
        let params = Params::Match(MatchParams { missing });
        self.push(diagnostic.with_params(params));
    }
}

/// Makes a word for a hole of the constructors in a pattern.
fn hole_word(pattern: &str) -> String {
    let mut word = String::new();
    for character in pattern.chars() {
        match character {
            letter if letter.is_ascii_uppercase() => {
                if !word.is_empty() && !word.ends_with('_') {
                    word.push('_');
                }
                word.push(letter.to_ascii_lowercase());
            }
            part if part.is_ascii_lowercase() || part.is_ascii_digit() => {
                if !word.is_empty() || part.is_ascii_lowercase() {
                    word.push(part);
                }
            }
            _ => {
                if !word.is_empty() && !word.ends_with('_') {
                    word.push('_');
                }
            }
        }
        if word.len() >= 40 {
            break;
        }
    }
    let word = word.trim_end_matches('_');
    if word.is_empty() {
        "rest".to_owned()
    } else {
        word.to_owned()
    }
}
