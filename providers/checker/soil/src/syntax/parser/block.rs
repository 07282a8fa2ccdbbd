//! Expressions that begin with a keyword: `let`, `fun`, `if`, `match`.

use super::recovery::Kinds;
use super::{Built, Parser};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::TokenKind;
use crate::syntax::tree::{Arm, Binder, Binding, ExprId, ExprKind};

impl Parser<'_> {
    /// Reads an expression; where none stands, an error node.
    pub(super) fn expr(&mut self) -> Built<ExprId> {
        let expr = if self.enter() {
            match self.kind() {
                TokenKind::Let => self.let_expr(),
                TokenKind::Fun => self.fun_expr(),
                TokenKind::If => self.if_expr(),
                TokenKind::Match => self.match_expr(),
                _ => self.operation(),
            }
        } else {
            self.error_expr(self.span())
        };
        self.leave();
        expr
    }

    fn let_expr(&mut self) -> Built<ExprId> {
        let start = self.span();
        self.bump();
        let is_rec = self.eat(TokenKind::Rec);
        let base = self.scratch.bindings.len();
        let mut height = 0;
        loop {
            let (binding, value_height) = self.binding(is_rec);
            self.scratch.bindings.push(binding);
            height = height.max(value_height);
            self.open_lets += 1;
            let is_next = self.begins_binding(self.at);
            self.open_lets -= 1;
            if !is_next {
                break;
            }
            self.bump();
        }
        let is_closed = self.expect_in(base);
        let bindings = self.tree.add_bindings(self.scratch.bindings.drain(base..));
        let mut body = self.expr();
        if !is_closed && self.tree[body.id].span.is_empty() {
            body = self.poison(body);
        }
        let span = start.to(self.expr_span(body));
        let height = height.max(body.height) + 1;
        let body = body.id;
        self.make(
            span,
            ExprKind::Let {
                is_rec,
                bindings,
                body,
            },
            height,
        )
    }

    /// Reads the `in` of a `let`. Where it is missing, the last value may have taken what was meant as the body.
    fn expect_in(&mut self, base: usize) -> bool {
        if self.eat(TokenKind::In) {
            return true;
        }
        let begins_body = self.begins_block_line();
        let is_there = if begins_body {
            self.unexpected("`in`");
            false
        } else {
            self.expect(TokenKind::In)
        };
        if !is_there && !begins_body && self.scratch.bindings.len() > base {
            let last = self.scratch.bindings.len() - 1;
            let value = self.scratch.bindings[last].value;
            let poisoned = self.poison(Built {
                id: value,
                height: 1,
            });
            self.scratch.bindings[last].value = poisoned.id;
        }
        is_there
    }

    /// Says whether a line begins here with a keyword that begins an expression.
    pub(super) fn begins_block_line(&self) -> bool {
        is_block(self.kind()) && self.tokens[self.at].begins_line
    }

    fn binding(&mut self, is_rec: bool) -> (Binding, u32) {
        let binder = self.let_binder(is_rec);
        self.expect(TokenKind::Equal);
        self.open_lets += 1;
        let outer = self.awaited;
        self.awaited = outer.union(Kinds::of(&[TokenKind::In, TokenKind::And]));
        let mut value = self.expr();
        if !self.begins_block_line() && !self.settle("`in`") {
            value = self.poison(value);
        }
        self.awaited = outer;
        self.open_lets -= 1;
        let binding = Binding {
            binder,
            value: value.id,
        };
        (binding, value.height)
    }

    fn let_binder(&mut self, is_rec: bool) -> Option<Binder> {
        match self.kind() {
            TokenKind::Ident => Some(self.binder()),
            TokenKind::Underscore => {
                if is_rec {
                    let message = "`let rec` binds names, `_` is none".to_owned();
                    self.report(Code::WildcardInLetRec, self.span(), message);
                }
                self.bump();
                None
            }
            _ => {
                self.unexpected("a name");
                let outer = self.awaited;
                self.awaited = outer.union(Kinds::of(&[TokenKind::Equal, TokenKind::In]));
                self.skip();
                self.awaited = outer;
                None
            }
        }
    }

    fn fun_expr(&mut self) -> Built<ExprId> {
        let start = self.span();
        self.bump();
        let base = self.scratch.binders.len();
        while self.kind() == TokenKind::Ident {
            let binder = self.binder();
            self.scratch.binders.push(binder);
        }
        let mut are_read = self.scratch.binders.len() > base;
        let params = self.tree.add_binders(self.scratch.binders.drain(base..));
        if !are_read {
            self.unexpected("a parameter");
        }
        are_read &= self.expect(TokenKind::Arrow);
        let mut body = self.expr();
        if !are_read {
            body = self.poison(body);
        }
        let span = start.to(self.expr_span(body));
        let height = body.height + 1;
        let body = body.id;
        self.make(span, ExprKind::Fun { params, body }, height)
    }

    fn if_expr(&mut self) -> Built<ExprId> {
        let start = self.span();
        self.bump();
        let condition = self.operand_of(TokenKind::Then);
        let then_branch = self.operand_of(TokenKind::Else);
        let else_branch = self.expr();
        let span = start.to(self.expr_span(else_branch));
        let height = condition
            .height
            .max(then_branch.height)
            .max(else_branch.height)
            + 1;
        let kind = ExprKind::If {
            condition: condition.id,
            then_branch: then_branch.id,
            else_branch: else_branch.id,
        };
        self.make(span, kind, height)
    }

    /// Reads an expression and the keyword behind it.
    fn operand_of(&mut self, keyword: TokenKind) -> Built<ExprId> {
        let outer = self.awaited;
        self.awaited = outer.with(keyword);
        let mut expr = self.expr();
        if !self.expect(keyword) {
            expr = self.poison(expr);
        }
        self.awaited = outer;
        expr
    }

    fn match_expr(&mut self) -> Built<ExprId> {
        let start = self.span();
        self.bump();
        let outer = self.awaited;
        self.awaited = outer.with(TokenKind::Bar);
        let scrutinee = self.operand_of(TokenKind::With);
        let base = self.scratch.arms.len();
        let mut height = scrutinee.height;
        if self.kind() != TokenKind::Bar {
            self.unexpected("`|`");
            self.skip();
        }
        while self.eat(TokenKind::Bar) {
            let (arm, arm_height) = self.arm();
            self.scratch.arms.push(arm);
            height = height.max(arm_height);
        }
        self.awaited = outer;
        let arms = self.tree.add_arms(self.scratch.arms.drain(base..));
        if arms.is_empty() {
            return self.error_expr(start.to(self.previous_span()));
        }
        let span = self.tree[arms]
            .last()
            .map_or(start, |arm| start.to(arm.span));
        let kind = ExprKind::Match {
            scrutinee: scrutinee.id,
            arms,
        };
        self.make(span, kind, height + 1)
    }

    fn arm(&mut self) -> (Arm, u32) {
        let outer = self.awaited;
        self.awaited = outer.with(TokenKind::Arrow);
        let mut pattern = self.pattern();
        if !self.expect(TokenKind::Arrow) {
            pattern = self.poison_pattern(pattern);
        }
        self.awaited = outer;
        let mut body = self.expr();
        if !self.settle("`|` or the end of the match") {
            body = self.poison(body);
        }
        let span: Span = self.tree[pattern.id].span.to(self.expr_span(body));
        let arm = Arm {
            span,
            pattern: pattern.id,
            body: body.id,
        };
        (arm, pattern.height.max(body.height))
    }
}

/// Says whether an expression begins with this keyword.
pub(super) const fn is_block(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Let | TokenKind::Fun | TokenKind::If | TokenKind::Match
    )
}
