//! Patterns.

use super::{Built, Parser};
use crate::source::Span;
use crate::syntax::TokenKind;
use crate::syntax::tree::{FieldPattern, Ident, PatternId, PatternKind};

impl Parser<'_> {
    /// Reads a pattern; where none stands, an error node.
    pub(super) fn pattern(&mut self) -> Built<PatternId> {
        let pattern = if self.enter() {
            match self.kind() {
                TokenKind::TypeName => self.constructor_pattern(true),
                _ => self.atomic_pattern(),
            }
        } else {
            self.error_pattern(self.span())
        };
        self.leave();
        pattern
    }

    fn make_pattern(&mut self, span: Span, kind: PatternKind, height: u32) -> Built<PatternId> {
        if !self.check_height(height) {
            return self.error_pattern(span);
        }
        let id = self.tree.add_pattern(span, kind);
        Built { id, height }
    }

    fn error_pattern(&mut self, span: Span) -> Built<PatternId> {
        let id = self.tree.add_pattern(span, PatternKind::Error);
        Built { id, height: 1 }
    }

    pub(super) fn poison_pattern(&mut self, pattern: Built<PatternId>) -> Built<PatternId> {
        self.error_pattern(self.tree[pattern.id].span)
    }

    fn atomic_pattern(&mut self) -> Built<PatternId> {
        match self.kind() {
            TokenKind::Underscore => {
                let span = self.span();
                self.bump();
                self.make_pattern(span, PatternKind::Wildcard, 1)
            }
            TokenKind::Ident => {
                let Ident { name, span } = self.ident();
                self.make_pattern(span, PatternKind::Bind { name }, 1)
            }
            TokenKind::TypeName => self.constructor_pattern(false),
            TokenKind::OpenParen => self.group_pattern(),
            TokenKind::OpenBrace => self.record_pattern(),
            _ => match self.literal() {
                Some((literal, span)) => self.make_pattern(span, PatternKind::Literal(literal), 1),
                None => self.missing_pattern(),
            },
        }
    }

    fn missing_pattern(&mut self) -> Built<PatternId> {
        self.unexpected("a pattern");
        let start = self.at;
        let mut span = Span::empty_at(self.span().start);
        self.skip();
        if self.at > start {
            span = self.span_at(start).to(self.previous_span());
        }
        self.error_pattern(span)
    }

    fn starts_pattern(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Underscore
                | TokenKind::Ident
                | TokenKind::TypeName
                | TokenKind::Int
                | TokenKind::Float
                | TokenKind::Text
                | TokenKind::OpenParen
                | TokenKind::OpenBrace
        )
    }

    /// Reads `Ctor` or `Type::Ctor`, with an argument where one may stand.
    fn constructor_pattern(&mut self, takes_argument: bool) -> Built<PatternId> {
        let first = self.ident();
        let (type_name, last) = if self.eat(TokenKind::ColonColon) {
            if self.kind() != TokenKind::TypeName {
                self.unexpected("a constructor");
                return self.error_pattern(first.span.to(self.previous_span()));
            }
            (Some(first.name), self.ident())
        } else {
            (None, first)
        };
        let head = first.span.to(last.span);
        let argument = (takes_argument && self.starts_pattern()).then(|| self.payload_pattern());
        let span = argument.map_or(head, |argument| head.to(self.tree[argument.id].span));
        let kind = PatternKind::Constructor {
            type_name,
            name: last.name,
            head,
            argument: argument.map(|argument| argument.id),
        };
        self.make_pattern(
            span,
            kind,
            argument.map_or(0, |argument| argument.height) + 1,
        )
    }

    fn payload_pattern(&mut self) -> Built<PatternId> {
        self.atomic_pattern()
    }

    fn group_pattern(&mut self) -> Built<PatternId> {
        let outer = self.open_bracket(&[TokenKind::CloseParen]);
        let mut pattern = self.pattern();
        if self.expect(TokenKind::CloseParen) {
            pattern.height += 1;
            self.check_height(pattern.height);
        } else {
            pattern = self.poison_pattern(pattern);
        }
        self.awaited = outer;
        pattern
    }

    /// Reads `{ .. }` or `{ a, b = p, .. }`.
    fn record_pattern(&mut self) -> Built<PatternId> {
        let open = self.span();
        let outer = self.open_bracket(&[TokenKind::Comma, TokenKind::CloseBrace]);
        let base = self.scratch.field_patterns.len();
        let mut height = 0;
        let mut is_open = false;
        loop {
            if self.eat(TokenKind::DotDot) {
                is_open = true;
                break;
            }
            let (field, field_height) = self.field_pattern();
            self.scratch.field_patterns.push(field);
            height = height.max(field_height);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let is_closed = self.expect(TokenKind::CloseBrace);
        self.awaited = outer;
        let fields = self
            .tree
            .add_field_patterns(self.scratch.field_patterns.drain(base..));
        let names: Vec<Ident> = self.tree[fields].iter().map(|field| field.field).collect();
        self.check_duplicate_fields(&names);
        let span = open.to(self.previous_span());
        if !is_closed {
            return self.error_pattern(span);
        }
        self.make_pattern(span, PatternKind::Record { fields, is_open }, height + 1)
    }

    fn field_pattern(&mut self) -> (FieldPattern, u32) {
        if self.kind() != TokenKind::Ident {
            self.unexpected("a field or `..`");
            let span = Span::empty_at(self.span().start);
            self.skip();
            let name = crate::syntax::known::ERROR;
            let pattern = Some(self.error_pattern(span).id);
            let field = Ident { name, span };
            return (FieldPattern { field, pattern }, 1);
        }
        let field = self.ident();
        let pattern = self.eat(TokenKind::Equal).then(|| self.pattern());
        let is_settled = self.settle("`,` or `}`");
        let pattern = match pattern {
            Some(pattern) if !is_settled => Some(self.poison_pattern(pattern)),
            other => other,
        };
        let height = pattern.map_or(0, |pattern| pattern.height);
        let pattern = pattern.map(|pattern| pattern.id);
        (FieldPattern { field, pattern }, height)
    }
}
