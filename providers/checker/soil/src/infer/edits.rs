//! Edits for types and rows that do not fit. Whether they hold is tried later.

use super::{Inferer, Place};
use crate::diagnostic::{Edit, EditKind, Splice};
use crate::environment::ids;
use crate::program::Role;
use crate::source::Span;
use crate::syntax::tree::{Effect, ExprId, ExprKind, Literal, Row, TypeId, TypeKind};
use crate::types::store::{Node, Ty};

impl Inferer<'_, '_> {
    /// Offers changes of an expression that has the wrong type.
    pub(super) fn mismatch_edits(&mut self, place: Place, expected: Ty, actual: Ty) -> Vec<Edit> {
        let Place::Expr(id) = place else {
            return Vec::new();
        };
        if !self.options.is_rich {
            return Vec::new();
        }
        let mut edits = Vec::new();
        edits.extend(self.number_edit(id, expected));
        edits.extend(self.wrapping(id, expected, actual));
        edits.extend(self.completion(id, expected, actual));
        edits.extend(self.hole_edit(id, "value"));
        edits
    }

    /// Offers a hole in the place of an expression, for a reader who has to say what stands there.
    pub(super) fn hole_edit(&self, id: ExprId, word: &str) -> Option<Edit> {
        if matches!(self.tree[id].kind, ExprKind::Hole { .. } | ExprKind::Error) {
            return None;
        }
        let hole = super::hole::free_hole(word, &mut self.hole_names());
        let title = format!("leave the hole `?{hole}`");
        let span = self.bracketed(self.span(id));
        Some(self.one(EditKind::Placeholder, title, span, format!("?{hole}")))
    }

    fn one(&self, kind: EditKind, title: impl Into<String>, span: Span, text: String) -> Edit {
        Edit::new(kind, title, self.file.id, span, text)
    }

    /// Offers a literal of the other kind of number, or a number without the quotes around it.
    fn number_edit(&self, id: ExprId, expected: Ty) -> Option<Edit> {
        let Node::Type { id: expected, .. } = self.store.node(expected) else {
            return None;
        };
        let is_integer = crate::environment::Number::of(expected)?.is_integer();
        let (kind, text) = match self.tree[id].kind {
            ExprKind::Literal(Literal::Int(digits)) if expected == ids::F64 => {
                (EditKind::Machine, format!("{}.0", self.text(digits)))
            }
            ExprKind::Literal(Literal::Float(text)) if is_integer => {
                let (whole, fraction) = self.text(text).split_once('.')?;
                let is_whole = fraction.bytes().all(|digit| digit == b'0');
                is_whole.then(|| (EditKind::Choice, whole.to_owned()))?
            }
            ExprKind::Literal(Literal::Text(text)) => {
                let text = self.text(text);
                let is_number = if is_integer {
                    is_digits(text)
                } else {
                    text.split_once('.')
                        .is_some_and(|(whole, fraction)| is_digits(whole) && is_digits(fraction))
                };
                is_number.then(|| (EditKind::Choice, text.to_owned()))?
            }
            _ => return None,
        };
        Some(self.one(kind, format!("write `{text}`"), self.span(id), text))
    }

    /// Offers to make a `Some` or an `Ok` of a value.
    fn wrapping(&mut self, id: ExprId, expected: Ty, actual: Ty) -> Option<Edit> {
        let Node::Type {
            id: owner, start, ..
        } = self.store.node(expected)
        else {
            return None;
        };
        let constructor = match owner {
            ids::OPTION => "Some",
            ids::RESULT => "Ok",
            _ => return None,
        };
        let payload = self.store.argument(start, 0);
        let snapshot = self.store.snapshot();
        let fits = self.store.unify(payload, actual).is_ok();
        self.store.rollback(snapshot);
        if !fits {
            return None;
        }
        let span = self.bracketed(self.span(id));
        let text = String::from_utf8_lossy(&self.bytes()[span.range()]).into_owned();
        let text = if is_atom(self.tree[id].kind) {
            format!("{constructor} {text}")
        } else {
            format!("{constructor} ({text})")
        };
        let text = if self.is_argument(id) {
            format!("({text})")
        } else {
            text
        };
        let title = format!("make a `{constructor}` of it");
        Some(self.one(EditKind::Choice, title, span, text))
    }

    /// Offers holes for the arguments that a function still takes.
    fn completion(&mut self, id: ExprId, expected: Ty, actual: Ty) -> Option<Edit> {
        let (head, given) = self.head_of(id);
        let (_, names) = self.callee_signature(head);
        let mut rest = actual;
        let mut count = 0;
        let snapshot = self.store.snapshot();
        let mut fits = false;
        while let Node::Arrow { codomain, .. } = self.store.node(rest) {
            rest = codomain;
            count += 1;
            if self.store.unify(expected, rest).is_ok() {
                fits = true;
                break;
            }
        }
        self.store.rollback(snapshot);
        if !fits {
            return None;
        }
        let mut taken = self.hole_names();
        let holes = (given..given + count).map(|position| {
            let name = names.get(position).cloned().flatten();
            let word = name.unwrap_or_else(|| format!("argument{}", position + 1));
            format!(" ?{}", super::hole::free_hole(&word, &mut taken))
        });
        let holes: String = holes.collect();
        let span = self.bracketed(self.span(id));
        let end = Span::empty_at(span.end);
        let title = "add the missing arguments as holes";
        let mut edit = self.one(EditKind::Placeholder, title, end, holes);
        if given == 0 && self.is_argument(id) {
            edit.splices.insert(
                0,
                Splice {
                    file: self.file.id,
                    span: Span::empty_at(span.start),
                    text: "(".to_owned(),
                },
            );
            edit.splices[1].text.push(')');
        }
        Some(edit)
    }

    /// Says whether an expression is the argument of an application.
    pub(super) fn is_argument(&self, id: ExprId) -> bool {
        let route = self.route(self.span(id), Place::Expr(id));
        let parent = route.len().checked_sub(2).map(|index| route[index]);
        parent.is_some_and(|parent| {
            matches!(self.tree[parent].kind, ExprKind::Apply { argument, .. } if argument == id)
        })
    }

    /// Offers to remove the arguments behind a call that takes no more.
    pub(super) fn surplus_edit(&self, applied: ExprId, call: ExprId) -> Edit {
        let (applied, call) = (self.span(applied), self.span(call));
        let span = Span::new(self.bracketed(applied).end, self.bracketed(call).end);
        let title = "remove what is too much";
        self.one(EditKind::Choice, title, span, String::new())
    }

    /// Offers to declare an effect or a row variable that a call performs.
    pub(super) fn declaration_edit(&self, effect: &str, is_variable: bool) -> Option<Edit> {
        if self.file.role != Role::Written {
            return None;
        }
        let definition = self.program.written(self.id);
        let last = definition.params.len().checked_sub(1)?;
        let (row, arrow, _) = self.arrow_of(definition.signature, last)?;
        if is_variable && row.variable.is_some() {
            return None;
        }
        let place = Span::empty_at(arrow.end);
        let text = if is_variable && !row.effects.is_empty() {
            // The variable stands behind the effects.
            let effects: Vec<&str> = row.effects.iter().map(Effect::word).collect();
            let place = self.row_span(definition.signature, last)?;
            let text = format!(" {} {effect}", effects.join(" "));
            let title = format!("declare `{effect}`");
            return Some(self.one(EditKind::Choice, title, place, text));
        } else {
            format!(" {effect}")
        };
        Some(self.one(EditKind::Choice, format!("declare `{effect}`"), place, text))
    }

    /// Offers to move the row of an earlier arrow to the last one.
    pub(super) fn row_edit(&self, position: usize) -> Option<Edit> {
        let definition = self.program.written(self.id);
        let last = definition.params.len().checked_sub(1)?;
        let (row, _, _) = self.arrow_of(definition.signature, position)?;
        let (last_row, last_arrow, _) = self.arrow_of(definition.signature, last)?;
        if last_row.variable.is_some() && row.variable.is_some() {
            return None;
        }
        let moved = row.effects.without(last_row.effects);
        let mut words: Vec<&str> = moved.iter().map(Effect::word).collect();
        if let Some(variable) = row.variable.filter(|_| last_row.effects.is_empty()) {
            words.push(self.text(variable));
        }
        let text = format!(" {}", words.join(" "));
        let span = self.row_span(definition.signature, position)?;
        let title = "perform it behind the last parameter";
        let mut edit = self.one(EditKind::Choice, title, span, String::new());
        edit.splices.push(Splice {
            file: self.file.id,
            span: Span::empty_at(last_arrow.end),
            text,
        });
        Some(edit)
    }

    /// Gives row, place and codomain of an arrow of the signature.
    fn arrow_of(&self, signature: TypeId, position: usize) -> Option<(Row, Span, TypeId)> {
        let mut ty = signature;
        let mut left = position;
        loop {
            match self.tree[ty].kind {
                TypeKind::Refined { base, .. } => ty = base,
                TypeKind::Arrow {
                    row,
                    arrow,
                    codomain,
                    ..
                } => {
                    if left == 0 {
                        return Some((row, arrow, codomain));
                    }
                    left -= 1;
                    ty = codomain;
                }
                _ => return None,
            }
        }
    }

    /// Gives what stands between an arrow and its codomain, brackets of the codomain left where they are.
    fn row_span(&self, signature: TypeId, position: usize) -> Option<Span> {
        let (row, arrow, codomain) = self.arrow_of(signature, position)?;
        let start = self.tree[codomain].span.start;
        let between = &self.bytes()[arrow.end as usize..start as usize];
        let words = row.effects.iter().count() + usize::from(row.variable.is_some());
        // The row is words alone; what follows the last one belongs to the codomain.
        let mut left = words;
        let mut was_word = false;
        let mut end = arrow.end;
        for byte in between {
            let is_word = byte.is_ascii_alphanumeric() || *byte == b'_';
            if was_word && !is_word {
                left -= 1;
                if left == 0 {
                    break;
                }
            }
            if left == words && !is_word && !byte.is_ascii_whitespace() {
                return None;
            }
            was_word = is_word;
            end += 1;
        }
        Some(Span::new(arrow.end, end))
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Says whether an expression needs no brackets as an argument.
fn is_atom(kind: ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Path { .. }
            | ExprKind::Qualified { .. }
            | ExprKind::Constructor { .. }
            | ExprKind::Record { .. }
            | ExprKind::Literal(_)
            | ExprKind::Annotation { .. }
            | ExprKind::Hole { .. }
    )
}
