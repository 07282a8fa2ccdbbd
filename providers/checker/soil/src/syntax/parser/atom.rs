//! Atoms: literals, names, brackets and records.

use super::operation::OPERAND_STARTS;
use super::{Built, Parser};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::TokenKind;
use crate::syntax::tree::{ExprId, ExprKind, FieldValue, Ident, List, Literal};

impl Parser<'_> {
    /// Says whether an atom begins here, or characters that are no token and stand where one would.
    pub(super) fn starts_atom(&self) -> bool {
        begins_atom(self.kind()) || self.kind() == TokenKind::Stray
    }

    /// Reads the atom that begins here.
    pub(super) fn atom(&mut self) -> Built<ExprId> {
        match self.kind() {
            TokenKind::OpenParen => self.group(),
            TokenKind::OpenBrace => self.record(),
            TokenKind::Ident if self.kind_ahead(1) != TokenKind::ColonColon => self.path(),
            TokenKind::Private => self.path(),
            TokenKind::Ident | TokenKind::TypeName => self.qualified(),
            TokenKind::Hole => {
                let Ident { name, span } = self.ident();
                self.make(span, ExprKind::Hole { name }, 1)
            }
            _ => {
                let span = self.span();
                match self.literal() {
                    Some((literal, _)) => self.make(span, ExprKind::Literal(literal), 1),
                    None => self.stray(span),
                }
            }
        }
    }

    /// Passes over characters that the lexer reported; what they tear apart is not reported again.
    fn stray(&mut self, span: Span) -> Built<ExprId> {
        self.last_error = Some(self.at);
        self.bump();
        self.error_expr(span)
    }

    /// Reads a number or a string.
    pub(super) fn literal(&mut self) -> Option<(Literal, Span)> {
        let literal = match self.kind() {
            TokenKind::Int => Literal::Int(self.name()),
            TokenKind::Float => Literal::Float(self.name()),
            TokenKind::Text => Literal::Text(self.name()),
            _ => return None,
        };
        let span = self.span();
        self.bump();
        Some((literal, span))
    }

    fn path(&mut self) -> Built<ExprId> {
        let root = self.ident();
        let (fields, is_read) = self.fields();
        let span = root.span.to(self.previous_span());
        if !is_read {
            return self.error_expr(span);
        }
        let kind = ExprKind::Path {
            root: root.name,
            fields,
        };
        self.make(span, kind, 1)
    }

    /// Reads `.a.b`; false when no name stands behind a point.
    pub(super) fn fields(&mut self) -> (List<Ident>, bool) {
        if self.kind() != TokenKind::Dot {
            return (List::EMPTY, true);
        }
        let base = self.scratch.idents.len();
        let mut is_read = true;
        while is_read && self.eat(TokenKind::Dot) {
            if self.kind() == TokenKind::Ident {
                let field = self.ident();
                self.scratch.idents.push(field);
            } else {
                self.unexpected("a field");
                is_read = false;
            }
        }
        (
            self.tree.add_idents(self.scratch.idents.drain(base..)),
            is_read,
        )
    }

    /// Reads `module::name`, `Type::operation`, `Type::Ctor` or `Ctor`.
    fn qualified(&mut self) -> Built<ExprId> {
        let is_type = self.kind() == TokenKind::TypeName;
        let space = self.ident();
        if !self.eat(TokenKind::ColonColon) {
            return self.make(space.span, ExprKind::Constructor { name: space.name }, 1);
        }
        let fits = match self.kind() {
            TokenKind::Ident => true,
            TokenKind::TypeName => is_type,
            _ => false,
        };
        if !fits {
            self.unexpected("a name");
            return self.error_expr(space.span.to(self.previous_span()));
        }
        let name = self.ident();
        let kind = ExprKind::Qualified {
            space: space.name,
            name: name.name,
        };
        self.make(space.span.to(name.span), kind, 1)
    }

    /// Reads `(e)` or `(e : T)`.
    fn group(&mut self) -> Built<ExprId> {
        let open = self.span();
        let limit = self.limit;
        // Behind a function that they touch empty brackets are the call of another language.
        let is_call = self.kind_ahead(1) == TokenKind::CloseParen
            && self.previous_span().end == open.start
            && self.at > 0;
        if self.brackets.close(self.at).is_none() {
            self.limit = self.line_limit();
        }
        let outer = self.open_bracket(&[TokenKind::CloseParen, TokenKind::Colon]);
        let expr = self.expr();
        let expr = if self.eat(TokenKind::Colon) {
            self.annotation(open, expr)
        } else if self.expect(TokenKind::CloseParen) && !open.is_empty() {
            self.is_torn |= is_call;
            self.deeper(expr)
        } else {
            self.is_torn = true;
            self.poison(expr)
        };
        self.limit = limit;
        self.awaited = outer;
        expr
    }

    /// Finds where a bracket that nothing closes ends at the latest: where a line begins no further in than its own.
    fn line_limit(&self) -> usize {
        let indent = self.indent(self.at);
        let mut behind = self.at + 1..self.limit;
        let ends = |index: &usize| self.tokens[*index].begins_line && self.indent(*index) <= indent;
        behind.find(ends).unwrap_or(self.limit)
    }

    fn annotation(&mut self, open: Span, expr: Built<ExprId>) -> Built<ExprId> {
        let ty = self.ty();
        let is_closed = self.expect(TokenKind::CloseParen);
        let span = open.to(self.previous_span());
        if !is_closed || open.is_empty() {
            self.is_torn = true;
            return self.error_expr(span);
        }
        let kind = ExprKind::Annotation {
            expr: expr.id,
            ty: ty.id,
        };
        self.make(span, kind, expr.height.max(ty.height) + 1)
    }

    /// Reads `{ a = e, … }` or `{ r.s with a = e, … }`.
    fn record(&mut self) -> Built<ExprId> {
        let open = self.span();
        let outer = self.open_bracket(&[TokenKind::Comma, TokenKind::CloseBrace]);
        let base = self.record_base();
        let mut height = u32::from(base.is_some());
        let start = self.scratch.field_values.len();
        let mut is_read = true;
        loop {
            is_read &= self.begins_field();
            let (field, field_height) = self.field_value();
            self.scratch.field_values.push(field);
            height = height.max(field_height);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let is_closed = self.expect(TokenKind::CloseBrace);
        self.awaited = outer;
        let fields = self
            .tree
            .add_field_values(self.scratch.field_values.drain(start..));
        let names: Vec<Ident> = self.tree[fields].iter().map(|field| field.field).collect();
        self.check_duplicate_fields(&names);
        let span = open.to(self.previous_span());
        if !is_closed || !is_read {
            return self.error_expr(span);
        }
        self.make(span, ExprKind::Record { base, fields }, height + 1)
    }

    /// Says whether a field stands here, with `=` or something that was meant as that; else the braces are no record's.
    fn begins_field(&self) -> bool {
        let behind = self.kind_ahead(1);
        let is_meant = behind == TokenKind::Equal
            || behind == TokenKind::Colon
            || OPERAND_STARTS.contains(behind);
        self.kind() == TokenKind::Ident && is_meant
    }

    /// Reads `r.s with`, if it stands here.
    fn record_base(&mut self) -> Option<ExprId> {
        let is_update = self.kind() == TokenKind::Ident
            && matches!(self.kind_ahead(1), TokenKind::With | TokenKind::Dot);
        if !is_update {
            return None;
        }
        let path = self.path();
        Some(
            if self.expect(TokenKind::With) {
                path
            } else {
                self.poison(path)
            }
            .id,
        )
    }

    fn field_value(&mut self) -> (FieldValue, u32) {
        let field = if self.kind() == TokenKind::Ident {
            let field = self.ident();
            self.expect(TokenKind::Equal);
            field
        } else {
            self.unexpected("a field");
            let value = self.missing_field();
            return (value, 1);
        };
        let mut value = self.expr();
        if !self.settle("`,` or `}`") {
            value = self.poison(value);
        }
        let field = FieldValue {
            field,
            value: value.id,
        };
        (field, value.height)
    }

    fn missing_field(&mut self) -> FieldValue {
        let span = Span::empty_at(self.span().start);
        self.skip();
        let value = self.error_expr(span).id;
        let name = crate::syntax::known::ERROR;
        let field = Ident { name, span };
        FieldValue { field, value }
    }

    /// Reports each field that was written before.
    pub(super) fn check_duplicate_fields(&mut self, fields: &[Ident]) {
        if fields.len() < 2 {
            return;
        }
        let mut order: Vec<&Ident> = fields.iter().collect();
        order.sort_by_key(|field| (field.name.index(), field.span.start));
        let mut repeated: Vec<Ident> = order
            .windows(2)
            .filter(|pair| {
                pair[0].name == pair[1].name && pair[1].name != crate::syntax::known::ERROR
            })
            .map(|pair| *pair[1])
            .collect();
        repeated.sort_by_key(|field| field.span.start);
        for field in repeated {
            let message = format!("`{}` is written twice", &self.names[field.name]);
            let edits = self.field_removal(field);
            self.report(Code::DuplicateField, field.span, message, edits);
        }
    }
}

/// Says whether a token may be the first one of an atom.
pub(super) const fn begins_atom(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Ident
            | TokenKind::Private
            | TokenKind::TypeName
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Text
            | TokenKind::Hole
            | TokenKind::OpenParen
            | TokenKind::OpenBrace
    )
}

/// Says whether a token binds what stands on its sides into one name.
pub(super) const fn continues_path(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Dot | TokenKind::ColonColon)
}
