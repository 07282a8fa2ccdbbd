//! Declared types.

use std::ops::Range;

use super::Parser;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::tree::{
    Declaration, DeclarationBody, DeclaredField, FieldDefault, Ident, Payload, Variant,
};
use crate::syntax::{TokenKind, known};

impl Parser<'_> {
    /// Reads `type T a = body`.
    pub(super) fn declaration(&mut self) -> Declaration {
        let start = self.span();
        if self.kind() == TokenKind::Ident && self.name() == known::TYPE {
            self.bump();
        } else {
            self.unexpected("`type`");
        }
        let name = self.type_name();
        let mut params = Vec::new();
        while self.kind() == TokenKind::Ident {
            params.push(self.ident());
        }
        self.expect(TokenKind::Equal);
        let body = self.declaration_body();
        Declaration {
            span: start.to(self.previous_span()),
            name,
            params,
            body,
        }
    }

    fn type_name(&mut self) -> Ident {
        if self.kind() == TokenKind::TypeName {
            return self.ident();
        }
        self.unexpected("the name of a type");
        Ident {
            name: known::ERROR,
            span: Span::empty_at(self.span().start),
        }
    }

    fn declaration_body(&mut self) -> DeclarationBody {
        if self.kind() == TokenKind::OpenBrace && self.is_whole_body() {
            return DeclarationBody::Record(self.declared_fields());
        }
        let is_opaque = self.kind() == TokenKind::Ident && self.name() == known::OPAQUE;
        if is_opaque && self.kind_ahead(1) == TokenKind::End {
            self.bump();
            return DeclarationBody::Opaque;
        }
        if self.has_bar() {
            return DeclarationBody::Sum(self.variants());
        }
        DeclarationBody::Alias(self.ty().id)
    }

    /// Says whether a brace here is a record and not the beginning of a refined type.
    fn is_whole_body(&self) -> bool {
        let inside = self
            .brackets
            .close(self.at)
            .map_or(self.at..self.limit, |close| self.at + 1..close);
        self.outside_brackets(inside)
            .all(|index| self.kind_at(index) != TokenKind::Bar)
    }

    /// Says whether a `|` stands outside brackets, which makes a sum.
    fn has_bar(&self) -> bool {
        self.outside_brackets(self.at..self.limit)
            .any(|index| self.kind_at(index) == TokenKind::Bar)
    }

    /// Lists the tokens of a range that stand outside the brackets within it.
    fn outside_brackets(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let mut next = range.start;
        std::iter::from_fn(move || {
            let index = next;
            next = self.brackets.close(index).unwrap_or(index) + 1;
            (index < range.end).then_some(index)
        })
    }

    fn variants(&mut self) -> Vec<Variant> {
        self.eat(TokenKind::Bar);
        let mut variants = Vec::new();
        loop {
            let name = self.type_name();
            let payload = self.payload();
            variants.push(Variant { name, payload });
            if !self.eat(TokenKind::Bar) {
                return variants;
            }
        }
    }

    fn payload(&mut self) -> Payload {
        match self.kind() {
            TokenKind::Bar | TokenKind::End => Payload::Empty,
            TokenKind::OpenBrace if self.is_whole_body() => Payload::Record(self.declared_fields()),
            _ => Payload::Type(self.applied_type().id),
        }
    }

    /// Reads `{ f : T, g : U ignored = e }`.
    fn declared_fields(&mut self) -> Vec<DeclaredField> {
        let outer = self.open_bracket(&[TokenKind::Comma, TokenKind::CloseBrace]);
        let mut fields = Vec::new();
        loop {
            fields.push(self.declared_field());
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::CloseBrace);
        self.awaited = outer;
        let names: Vec<Ident> = fields.iter().map(|field| field.field).collect();
        self.check_duplicate_fields(&names);
        fields
    }

    fn declared_field(&mut self) -> DeclaredField {
        let field = self.ident_or_error("a field");
        self.expect(TokenKind::Colon);
        let outer = self.limit;
        let ignored = self.ignored_mark();
        self.limit = ignored.unwrap_or(outer);
        let ty = self.ty().id;
        self.limit = outer;
        let default = ignored.filter(|mark| *mark == self.at).and_then(|_| {
            self.at += 2;
            self.field_default()
        });
        self.settle("`,` or `}`");
        DeclaredField {
            field,
            ty,
            ignored: default,
        }
    }

    /// Finds the word `ignored` before `=` in the field that is read.
    fn ignored_mark(&self) -> Option<usize> {
        let mut places = self
            .outside_brackets(self.at..self.limit)
            .take_while(|index| {
                !matches!(
                    self.kind_at(*index),
                    TokenKind::Comma | TokenKind::CloseBrace
                )
            });
        places.find(|index| {
            self.kind_at(*index) == TokenKind::Ident
                && self.name_at(*index) == known::IGNORED
                && self.kind_at(*index + 1) == TokenKind::Equal
        })
    }

    fn field_default(&mut self) -> Option<FieldDefault> {
        if let Some((literal, _)) = self.literal() {
            return Some(FieldDefault::Literal(literal));
        }
        if self.kind() == TokenKind::Ident {
            return Some(FieldDefault::Sibling(self.ident()));
        }
        let span = self.span();
        let message = "a default is a literal or another field".to_owned();
        self.report(Code::TrIgnoredDefault, span, message, Vec::new());
        self.skip();
        None
    }
}
