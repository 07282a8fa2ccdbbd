//! Edits that may repair what did not read.
//!
//! Each is offered where its mistake is found and kept only if reading the changed text shows that this diagnostic is gone,
//! all others are there and no new one is: [`Diagnostics::keep_edits_that_hold`](crate::diagnostic::Diagnostics).

use super::Parser;
use super::atom::{begins_atom, continues_path};
use super::block::is_block;
use crate::diagnostic::{Edit, EditKind};
use crate::source::Span;
use crate::syntax::TokenKind;
use crate::syntax::tree::Ident;

/// The most places at which a lost bracket or keyword is tried.
const MAX_PLACES: usize = 24;

impl Parser<'_> {
    /// Offers to put a missing token behind the last one read.
    pub(super) fn insertion(&self, kind: TokenKind) -> Vec<Edit> {
        self.insertion_at(kind, self.at)
    }

    /// Offers to put a missing token behind the one before an index; brackets and keywords also at places before that.
    pub(super) fn insertion_at(&self, kind: TokenKind, index: usize) -> Vec<Edit> {
        let (Some(text), Some(previous)) = (kind.text(), index.checked_sub(1)) else {
            return Vec::new();
        };
        let title = format!("insert `{text}`");
        let insert = |place: usize, text: &str| {
            let place = Span::empty_at(self.span_at(place).end);
            Edit::new(EditKind::Machine, title.as_str(), self.file, place, text)
        };
        match kind {
            TokenKind::CloseParen => {
                let places = self.bracket_places(TokenKind::OpenParen, index);
                places
                    .into_iter()
                    .map(|place| insert(place, text))
                    .collect()
            }
            TokenKind::CloseBrace => vec![insert(previous, " }")],
            TokenKind::Then | TokenKind::In | TokenKind::Else | TokenKind::With => {
                let found = self.kind_of(index);
                let is_here = begins_atom(found) || is_block(found);
                let others = if is_here {
                    Vec::new()
                } else {
                    self.keyword_places(index)
                };
                let places = std::iter::once(previous).chain(others);
                places
                    .map(|place| insert(place, &format!(" {text}")))
                    .collect()
            }
            _ => vec![insert(previous, &format!(" {text}"))],
        }
    }

    /// Finds the tokens behind which a lost keyword may have stood, where what came behind it was taken for arguments: the
    /// ends of lines first, then the nearest ones.
    fn keyword_places(&self, index: usize) -> Vec<usize> {
        let mut places = Vec::new();
        let mut at = index;
        while let Some(before) = at.checked_sub(1) {
            at = match self.kind_of(before) {
                TokenKind::CloseParen | TokenKind::CloseBrace => match self.brackets.open(before) {
                    Some(open) => open,
                    None => break,
                },
                kind if is_boundary(kind) => break,
                _ => before,
            };
            if at > 0 && self.is_between(at) {
                places.push(at - 1);
            }
        }
        let ends_line = |place: &usize| self.tokens[place + 1].begins_line;
        let (lines, others): (Vec<usize>, Vec<usize>) = places.into_iter().partition(ends_line);
        lines.into_iter().chain(others).take(MAX_PLACES).collect()
    }

    /// Says whether one expression ends before a token and another one may begin at it.
    fn is_between(&self, index: usize) -> bool {
        ends_atom(self.kind_of(index - 1)) && begins_atom(self.kind_of(index))
    }

    /// Finds the tokens behind which a lost closing bracket may have stood: the last one first, and those within other brackets
    /// behind all others.
    ///
    /// A bracket around one thing alone has no use and is only offered where nothing else stands behind the opening one.
    fn bracket_places(&self, opener: TokenKind, index: usize) -> Vec<usize> {
        let mut before = (0..index).rev();
        let lonely =
            |place: &usize| self.kind_of(*place) == opener && self.brackets.close(*place).is_none();
        let Some(start) = before.find(lonely) else {
            return Vec::new();
        };
        let mut places = Vec::new();
        let mut place = start + 1;
        while place < index {
            let end = self.brackets.close(place).unwrap_or(place);
            if place > start + 1 || end + 1 == index {
                places.push(end);
            }
            place = end + 1;
        }
        places.reverse();
        let is_inner = |place: &usize| {
            ends_atom(self.kind_of(*place))
                && !continues_path(self.kind_of(place + 1))
                && self.kind_of(place - 1) != TokenKind::OpenParen
                && !places.contains(place)
        };
        let inner: Vec<usize> = (start + 2..index).rev().filter(is_inner).collect();
        places.extend(inner);
        places.truncate(MAX_PLACES);
        places
    }

    /// Offers an opening bracket for the closing one that stands here and closes none: before a keyword that begins an
    /// expression, the last one first, then before other tokens, and within other brackets behind all others.
    pub(super) fn openings(&self) -> Vec<Edit> {
        if self.kind_of(self.at) != TokenKind::CloseParen || self.brackets.open(self.at).is_some() {
            return Vec::new();
        }
        let mut places = Vec::new();
        let mut index = self.at;
        while let Some(before) = index.checked_sub(1) {
            index = match self.kind_of(before) {
                TokenKind::CloseParen | TokenKind::CloseBrace => match self.brackets.open(before) {
                    Some(open) => open,
                    None => break,
                },
                TokenKind::OpenParen | TokenKind::OpenBrace | TokenKind::Colon => break,
                _ => before,
            };
            places.push(index);
            if self.tokens[index].begins_line {
                break;
            }
        }
        let first = index;
        // A bracket around the last thing alone has no use.
        let places: Vec<usize> = places.into_iter().skip(1).collect();
        let is_inner = |place: &usize| {
            let kind = self.kind_of(*place);
            (begins_atom(kind) || is_block(kind))
                && !continues_path(self.kind_of(place - 1))
                && self.kind_of(place + 1) != TokenKind::CloseParen
                && !places.contains(place)
        };
        let inner: Vec<usize> = (first + 1..self.at).rev().filter(is_inner).collect();
        let is_whole = |place: &usize| *place == 0 || !continues_path(self.kind_of(place - 1));
        let places = places.into_iter().filter(is_whole);
        let (blocks, others): (Vec<usize>, Vec<usize>) =
            places.partition(|place| is_block(self.kind_of(*place)));
        let ordered = blocks.into_iter().chain(others).chain(inner);
        let ordered = ordered.take(MAX_PLACES);
        ordered.map(|place| self.opening(place)).collect()
    }

    /// Gives the kind of a token wherever reading ends.
    fn kind_of(&self, index: usize) -> TokenKind {
        self.tokens
            .get(index)
            .map_or(TokenKind::End, |token| token.kind)
    }

    /// Offers the token of Soil for one that stands here and means it elsewhere.
    pub(super) fn replacement(&self) -> Option<Edit> {
        let span = self.span();
        let (from, text) = match self.kind() {
            TokenKind::Equal if self.touches_next(TokenKind::Greater) => {
                (span.to(self.span_at(self.at + 1)), "->")
            }
            TokenKind::Equal if self.touches_previous(TokenKind::Slash) => {
                (self.span_at(self.at - 1).to(span), "!=")
            }
            TokenKind::Greater if self.touches_previous(TokenKind::Less) => {
                (self.span_at(self.at - 1).to(span), "!=")
            }
            TokenKind::Bar if self.touches_next(TokenKind::Bar) => {
                (span.to(self.span_at(self.at + 1)), "or")
            }
            TokenKind::Equal => (span, "=="),
            TokenKind::Colon => (span, "="),
            TokenKind::CloseParen
                if self.at > 0 && self.kind_of(self.at - 1) == TokenKind::OpenParen =>
            {
                (self.span_at(self.at - 1).to(span), "unit")
            }
            _ => return None,
        };
        let kind = if text == "unit" {
            EditKind::Choice
        } else {
            EditKind::Machine
        };
        Some(Edit::new(
            kind,
            format!("write `{text}`"),
            self.file,
            from,
            text,
        ))
    }

    /// Offers the name before `=` where an equation lacks it.
    pub(super) fn equation_start(&self, name: Ident) -> Vec<Edit> {
        if self.kind_of(self.at) != TokenKind::Equal {
            return Vec::new();
        }
        let text = &self.names[name.name];
        let previous = self.previous_span();
        let place = Span::new(previous.end, self.span().start);
        vec![Edit::new(
            EditKind::Machine,
            format!("begin the equation with `{text}`"),
            self.file,
            place,
            format!("\n{text} "),
        )]
    }

    fn touches_previous(&self, kind: TokenKind) -> bool {
        let previous = self.at.checked_sub(1);
        previous.is_some_and(|previous| {
            self.kind_of(previous) == kind && self.span_at(previous).end == self.span().start
        })
    }

    pub(super) fn touches_next(&self, kind: TokenKind) -> bool {
        self.kind_of(self.at + 1) == kind && self.span_at(self.at + 1).start == self.span().end
    }

    /// Offers an opening bracket before a token.
    pub(super) fn opening(&self, start: usize) -> Edit {
        let place = Span::empty_at(self.span_at(start).start);
        Edit::new(EditKind::Machine, "insert `(`", self.file, place, "(")
    }

    /// Offers to write a binding with parameters as one of a lambda, whose `=` stands at an index.
    pub(super) fn lambda_binding(&self, name: Span, equal: usize) -> Vec<Edit> {
        let title = "write it as a lambda";
        let place = Span::empty_at(name.end);
        let mut edit = Edit::new(EditKind::Machine, title, self.file, place, " = fun");
        let arrow = Edit::new(EditKind::Machine, "", self.file, self.span_at(equal), "->");
        edit.splices.extend(arrow.splices);
        vec![edit]
    }

    /// Offers brackets around what begins at a token and ends behind the last one read.
    pub(super) fn bracketing(&self, start: usize) -> Edit {
        let open = Span::empty_at(self.span_at(start).start);
        let mut edit = Edit::new(EditKind::Choice, "put it in brackets", self.file, open, "(");
        let close = Span::empty_at(self.previous_span().end);
        edit.splices
            .extend(Edit::new(EditKind::Choice, "", self.file, close, ")").splices);
        edit
    }

    /// Offers to remove a field that was written before.
    pub(super) fn field_removal(&self, field: Ident) -> Vec<Edit> {
        let index = self
            .tokens
            .partition_point(|token| token.span.start < field.span.start);
        let comma = index
            .checked_sub(1)
            .filter(|comma| self.kind_of(*comma) == TokenKind::Comma);
        let Some(comma) = comma else {
            return Vec::new();
        };
        let mut end = index;
        while !matches!(
            self.kind_at(end),
            TokenKind::Comma | TokenKind::CloseBrace | TokenKind::End
        ) {
            end = self.brackets.close(end).unwrap_or(end) + 1;
        }
        let place = self.span_at(comma).to(self.span_at(end - 1));
        vec![Edit::new(
            EditKind::Choice,
            "remove the second one",
            self.file,
            place,
            "",
        )]
    }

    /// Offers to join a comparison with the one before it, whose operator is given.
    pub(super) fn comparison_joining(&self, first: usize) -> Vec<Edit> {
        let middle = self.span_at(first + 1).to(self.previous_span());
        let text = String::from_utf8_lossy(&self.bytes[middle.range()]).into_owned();
        let place = Span::empty_at(middle.end);
        vec![Edit::new(
            EditKind::Choice,
            "join both with `and`",
            self.file,
            place,
            format!(" and {text}"),
        )]
    }

    /// Offers to replace names by another one.
    pub(super) fn renaming(&self, places: &[Span], name: &str) -> Edit {
        let title = format!("call it `{name}`");
        let splices = places
            .iter()
            .flat_map(|place| Edit::new(EditKind::Machine, "", self.file, *place, name).splices);
        Edit {
            title,
            kind: EditKind::Machine,
            splices: splices.collect(),
        }
    }

    /// Finds the places of an identifier among the tokens of a range, without fields and what stands behind `::`.
    pub(super) fn uses(&self, ident: Ident, range: std::ops::Range<usize>) -> Vec<Span> {
        let tokens = self.tokens[range.clone()].iter().zip(range);
        tokens
            .filter(|(token, index)| {
                let before = index
                    .checked_sub(1)
                    .map_or(TokenKind::End, |before| self.kind_of(before));
                let is_own = !matches!(before, TokenKind::Dot | TokenKind::ColonColon);
                let is_ident = matches!(token.kind, TokenKind::Ident | TokenKind::Private);
                is_ident && is_own && token.name == Some(ident.name)
            })
            .map(|(token, _)| token.span)
            .collect()
    }

    /// Gives a name that the text does not have.
    pub(super) fn fresh_name(&self) -> String {
        let is_taken = |text: &str| {
            let name = self.names.get(text);
            name.is_some() && self.tokens.iter().any(|token| token.name == name)
        };
        let numbered = (2_u32..).map(|number| format!("unused{number}"));
        let mut candidates = std::iter::once("unused".to_owned()).chain(numbered);
        candidates.find(|text| !is_taken(text)).unwrap_or_default()
    }
}

/// Says whether a token may be the last one of an expression.
const fn ends_atom(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Ident
            | TokenKind::Private
            | TokenKind::TypeName
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Text
            | TokenKind::Hole
            | TokenKind::CloseParen
            | TokenKind::CloseBrace
    )
}

/// Says whether a lost keyword of a construct cannot have stood before this token.
const fn is_boundary(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::OpenParen
            | TokenKind::OpenBrace
            | TokenKind::Let
            | TokenKind::Fun
            | TokenKind::If
            | TokenKind::Match
            | TokenKind::Then
            | TokenKind::Else
            | TokenKind::With
            | TokenKind::In
            | TokenKind::Equal
            | TokenKind::Arrow
            | TokenKind::Bar
            | TokenKind::Comma
            | TokenKind::Colon
    )
}
