//! Types.

use super::{Built, MAX_TYPE_NODES, Parser};
use crate::source::Span;
use crate::syntax::TokenKind;
use crate::syntax::tree::{Binder, Effect, Effects, List, Row, TypeId, TypeKind};

impl Parser<'_> {
    /// Reads a type; where none stands, an error node.
    pub(super) fn ty(&mut self) -> Built<TypeId> {
        self.type_behind(Row::EMPTY)
    }

    fn type_behind(&mut self, row: Row) -> Built<TypeId> {
        let ty = if self.enter() {
            self.arrow(row)
        } else {
            Built {
                id: self.error_type(self.span()),
                height: 1,
            }
        };
        self.leave();
        ty
    }

    fn make_type(&mut self, span: Span, kind: TypeKind, height: u32) -> Built<TypeId> {
        self.type_nodes += 1;
        if self.type_nodes > MAX_TYPE_NODES {
            self.exceed(
                "type-nodes",
                u64::from(MAX_TYPE_NODES),
                u64::from(self.type_nodes),
            );
        }
        if self.is_muted || !self.check_height(height) {
            let id = self.error_type(span);
            return Built { id, height: 1 };
        }
        let id = self.tree.add_type(span, kind);
        Built { id, height }
    }

    fn poison_type(&mut self, ty: Built<TypeId>) -> Built<TypeId> {
        let id = self.error_type(self.tree[ty.id].span);
        Built { id, ..ty }
    }

    /// Reads a domain, and the arrow with what follows it where one stands.
    fn arrow(&mut self, behind: Row) -> Built<TypeId> {
        let start = self.span();
        let is_bracketed = self.kind() == TokenKind::OpenParen;
        let (param, domain) = if self.is_named_param() {
            let (binder, domain) = self.named_param();
            (Some(binder), domain)
        } else {
            let mut domain = self.applied_type();
            // Canonical text has brackets around it; counted, they would make it deeper than the source.
            let is_applied = matches!(self.tree[domain.id].kind, TypeKind::Constructor { arguments, .. } if !arguments.is_empty());
            if is_bracketed && is_applied && !behind.is_empty() {
                domain.height -= 1;
            }
            (None, domain)
        };
        let arrow = self.span();
        let mut is_read = true;
        if param.is_some() {
            is_read = self.arrow_behind_param();
        } else if !self.eat(TokenKind::Arrow) {
            return domain;
        }
        let row = self.row();
        let codomain = self.type_behind(row);
        let first = if param.is_some() {
            start
        } else {
            self.tree[domain.id].span
        };
        let span = first.to(self.tree[codomain.id].span);
        let height = domain.height.max(codomain.height) + 1;
        let kind = TypeKind::Arrow {
            param,
            domain: domain.id,
            row,
            codomain: codomain.id,
            arrow,
        };
        let ty = self.make_type(span, kind, height);
        if is_read { ty } else { self.poison_type(ty) }
    }

    /// Reads the arrow that a named parameter needs; false when it is missing, and a type may follow all the same.
    fn arrow_behind_param(&mut self) -> bool {
        if !self.starts_row_type(self.at) {
            return self.expect(TokenKind::Arrow);
        }
        let edits = self.insertion(TokenKind::Arrow);
        self.unexpected_with("`->`", edits);
        false
    }

    fn is_named_param(&self) -> bool {
        self.kind() == TokenKind::OpenParen
            && self.kind_ahead(1) == TokenKind::Ident
            && self.kind_ahead(2) == TokenKind::Colon
    }

    fn named_param(&mut self) -> (Binder, Built<TypeId>) {
        let outer = self.open_bracket(&[TokenKind::CloseParen, TokenKind::Arrow]);
        let binder = self.binder();
        self.bump();
        let mut domain = self.ty();
        if !self.expect(TokenKind::CloseParen) {
            domain = self.poison_type(domain);
        }
        self.awaited = outer;
        (binder, domain)
    }

    /// Reads the effects behind an arrow, and the row variable: a name that a type follows.
    fn row(&mut self) -> Row {
        let mut effects = Effects::NONE;
        while let Some(effect) = self.effect_at(self.at) {
            if effects.contains(effect) {
                self.unexpected("another effect, or a type");
            }
            effects = effects.with(effect);
            self.bump();
        }
        let is_variable = self.kind() == TokenKind::Ident && self.starts_row_type(self.at + 1);
        let variable = is_variable.then(|| self.ident().name);
        Row { effects, variable }
    }

    fn effect_at(&self, index: usize) -> Option<Effect> {
        if self.kind_at(index) == TokenKind::Ident {
            Effect::from_name(self.name_at(index))
        } else {
            None
        }
    }

    fn starts_row_type(&self, index: usize) -> bool {
        match self.kind_at(index) {
            TokenKind::TypeName | TokenKind::OpenParen | TokenKind::OpenBrace => true,
            TokenKind::Ident => self.effect_at(index).is_none(),
            _ => false,
        }
    }

    /// Reads `T a b` or an atomic type.
    pub(super) fn applied_type(&mut self) -> Built<TypeId> {
        if self.kind() != TokenKind::TypeName {
            return self.atomic_type();
        }
        let name = self.ident();
        let base = self.scratch.types.len();
        let mut span = name.span;
        let mut height = 0;
        while self.starts_atomic_type() {
            let argument = self.atomic_type();
            self.scratch.types.push(argument.id);
            span = span.to(self.tree[argument.id].span);
            height = height.max(argument.height);
        }
        let arguments = self.tree.add_type_ids(self.scratch.types.drain(base..));
        let kind = TypeKind::Constructor {
            name: name.name,
            arguments,
        };
        self.make_type(span, kind, height + 1)
    }

    fn starts_atomic_type(&self) -> bool {
        match self.kind() {
            TokenKind::TypeName | TokenKind::OpenBrace => true,
            TokenKind::Ident => self.effect_at(self.at).is_none(),
            TokenKind::OpenParen => !self.is_named_param(),
            _ => false,
        }
    }

    fn atomic_type(&mut self) -> Built<TypeId> {
        match self.kind() {
            TokenKind::TypeName => {
                let name = self.ident();
                let kind = TypeKind::Constructor {
                    name: name.name,
                    arguments: List::EMPTY,
                };
                self.make_type(name.span, kind, 1)
            }
            TokenKind::Ident if self.effect_at(self.at).is_none() => {
                let name = self.ident();
                self.make_type(name.span, TypeKind::Variable { name: name.name }, 1)
            }
            TokenKind::OpenParen if !self.is_named_param() => self.group_type(),
            TokenKind::OpenBrace => self.refined_type(),
            _ => self.missing_type(),
        }
    }

    fn missing_type(&mut self) -> Built<TypeId> {
        self.unexpected("a type");
        let start = self.at;
        let mut span = Span::empty_at(self.span().start);
        self.skip();
        if self.at > start {
            span = self.span_at(start).to(self.previous_span());
        }
        let id = self.error_type(span);
        Built { id, height: 1 }
    }

    fn group_type(&mut self) -> Built<TypeId> {
        let outer = self.open_bracket(&[TokenKind::CloseParen]);
        let mut ty = self.ty();
        if self.expect(TokenKind::CloseParen) {
            ty.height += 1;
            self.check_height(ty.height);
        } else {
            ty = self.poison_type(ty);
        }
        self.awaited = outer;
        ty
    }

    /// Reads `{v : T | p}`.
    fn refined_type(&mut self) -> Built<TypeId> {
        let open = self.span();
        let outer = self.open_bracket(&[TokenKind::Bar, TokenKind::CloseBrace]);
        let binder = self.ident_or_error("a name");
        self.expect(TokenKind::Colon);
        let base = self.ty();
        self.expect(TokenKind::Bar);
        let predicate = self.predicate();
        let is_closed = self.expect(TokenKind::CloseBrace);
        self.awaited = outer;
        let span = open.to(self.previous_span());
        if !is_closed {
            let id = self.error_type(span);
            return Built { id, height: 1 };
        }
        let kind = TypeKind::Refined {
            binder: Binder {
                name: binder.name,
                span: binder.span,
            },
            base: base.id,
            predicate: predicate.id,
        };
        self.make_type(span, kind, base.height.max(predicate.height) + 1)
    }
}
