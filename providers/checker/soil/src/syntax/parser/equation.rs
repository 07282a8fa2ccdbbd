//! Equations: the name again, its parameters, and the body.

use std::ops::Range;

use super::block::is_block;
use super::definition::SignatureParts;
use super::recovery::Kinds;
use super::{Built, Parser};
use crate::diagnostic::Code;
use crate::syntax::TokenKind;
use crate::syntax::tree::{Binder, Definition, ExprId, Ident, List};

impl Parser<'_> {
    /// Reads the equation that begins here with a name, up to where reading ends.
    pub(super) fn equation(&mut self, name: Ident, parts: SignatureParts) {
        let equation_name = self.ident();
        let (params, are_read) = self.equation_params(name);
        self.first_error = None;
        let mut body = self.expr();
        // What is left over behind a mistake in the body was most often torn off by it.
        self.is_muted |= self.first_error.is_some();
        if !self.settle("the end of the definition") || !are_read {
            body = self.poison(body);
        }
        let span = name.span.to(self.tree[body.id].span);
        self.tree.definitions.push(Definition {
            span,
            name,
            signature: parts.ty,
            decreases: parts.decreases,
            equation_name,
            params,
            body: body.id,
            is_read: true,
        });
    }

    /// Reads names up to `=`; false when anything else stood there.
    fn equation_params(&mut self, name: Ident) -> (List<Binder>, bool) {
        let base = self.scratch.binders.len();
        while self.kind() == TokenKind::Ident && self.name() != name.name {
            let binder = self.binder();
            self.scratch.binders.push(binder);
        }
        let params = self.tree.add_binders(self.scratch.binders.drain(base..));
        if self.eat(TokenKind::Equal) {
            return (params, true);
        }
        let edits = self.insertion(TokenKind::Equal);
        self.unexpected_with("a parameter or `=`", edits);
        if !is_block(self.kind()) {
            self.awaited = Kinds::of(&[TokenKind::Equal]);
            self.skip();
            self.awaited = Kinds::NONE;
            self.eat(TokenKind::Equal);
        }
        (params, false)
    }

    /// Reports an equation of another name; its tokens are given.
    pub(super) fn report_name_mismatch(&mut self, name: Ident, other: Ident, tokens: Range<usize>) {
        let (expected, actual) = (&self.names[name.name], &self.names[other.name]);
        let message = format!("the equation is of `{actual}`, the signature of `{expected}`");
        let edit = self.renaming(&self.uses(other, tokens), expected);
        self.report(Code::NameMismatch, other.span, message, vec![edit]);
    }

    /// Gives an expression whose height counts one more level: grouping parentheses.
    pub(super) fn deeper(&mut self, expr: Built<ExprId>) -> Built<ExprId> {
        let height = expr.height + 1;
        if self.check_height(height) {
            Built { height, ..expr }
        } else {
            expr
        }
    }
}
