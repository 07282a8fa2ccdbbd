//! Predicates and their terms.

use super::{Built, Parser};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::tree::{
    ArithmeticOperator, ComparisonOperator, Ident, List, PredicateId, PredicateKind, TermId,
    TermKind,
};
use crate::syntax::{TokenKind, known};

impl Parser<'_> {
    /// Reads a predicate; where none stands, an error node.
    pub(super) fn predicate(&mut self) -> Built<PredicateId> {
        let predicate = if self.enter() {
            self.implication()
        } else {
            self.error_predicate(self.span())
        };
        self.leave();
        predicate
    }

    fn make_predicate(
        &mut self,
        span: Span,
        kind: PredicateKind,
        height: u32,
    ) -> Built<PredicateId> {
        if !self.check_height(height) {
            return self.error_predicate(span);
        }
        let id = self.tree.add_predicate(span, kind);
        Built { id, height }
    }

    fn error_predicate(&mut self, span: Span) -> Built<PredicateId> {
        let id = self.tree.add_predicate(span, PredicateKind::Error);
        Built { id, height: 1 }
    }

    fn poison_predicate(&mut self, predicate: Built<PredicateId>) -> Built<PredicateId> {
        self.error_predicate(self.predicate_span(predicate))
    }

    fn predicate_span(&self, predicate: Built<PredicateId>) -> Span {
        self.tree[predicate.id].span
    }

    fn is_word(&self, word: crate::syntax::Name) -> bool {
        self.kind() == TokenKind::Ident && self.name() == word
    }

    fn implication(&mut self) -> Built<PredicateId> {
        let lhs = self.disjunction();
        if !self.is_word(known::IMPLIES) {
            return lhs;
        }
        self.bump();
        let rhs = self.predicate();
        self.join_predicates(lhs, rhs, |lhs, rhs| PredicateKind::Implies { lhs, rhs })
    }

    fn disjunction(&mut self) -> Built<PredicateId> {
        let mut lhs = self.conjunction();
        while self.eat(TokenKind::Or) {
            let rhs = self.conjunction();
            lhs = self.join_predicates(lhs, rhs, |lhs, rhs| PredicateKind::Or { lhs, rhs });
        }
        lhs
    }

    fn conjunction(&mut self) -> Built<PredicateId> {
        let mut lhs = self.negation();
        while self.eat(TokenKind::And) {
            let rhs = self.negation();
            lhs = self.join_predicates(lhs, rhs, |lhs, rhs| PredicateKind::And { lhs, rhs });
        }
        lhs
    }

    fn join_predicates(
        &mut self,
        lhs: Built<PredicateId>,
        rhs: Built<PredicateId>,
        kind: impl FnOnce(PredicateId, PredicateId) -> PredicateKind,
    ) -> Built<PredicateId> {
        let span = self.predicate_span(lhs).to(self.predicate_span(rhs));
        let height = lhs.height.max(rhs.height) + 1;
        self.make_predicate(span, kind(lhs.id, rhs.id), height)
    }

    fn negation(&mut self) -> Built<PredicateId> {
        let first = self.at;
        let mut count = 0;
        while self.eat(TokenKind::Not) {
            count += 1;
            self.check_height(self.level.saturating_add(count));
        }
        let mut operand = self.atomic_predicate();
        for index in (first..first + count as usize).rev() {
            let span = self.span_at(index).to(self.predicate_span(operand));
            let kind = PredicateKind::Not {
                operand: operand.id,
            };
            operand = self.make_predicate(span, kind, operand.height + 1);
        }
        operand
    }

    /// Reads a comparison, an `is`, a call, or a predicate in brackets.
    ///
    /// Brackets hold a term exactly when what follows them goes on with a term, so that no text is read twice.
    fn atomic_predicate(&mut self) -> Built<PredicateId> {
        if self.kind() == TokenKind::OpenParen && !self.group_is_term() {
            return self.group_predicate();
        }
        let lhs = self.term();
        if let Some(operator) = self.kind().comparison() {
            return self.comparison(lhs, operator);
        }
        if self.is_word(known::IS) {
            return self.is_predicate(lhs);
        }
        let span = self.tree[lhs.id].span;
        match self.tree[lhs.id].kind {
            TermKind::Call {
                function,
                arguments,
            } => self.make_predicate(
                span,
                PredicateKind::Call {
                    function,
                    arguments,
                },
                lhs.height,
            ),
            TermKind::Error => self.error_predicate(span),
            _ => {
                self.unexpected("a comparison, `is` or an argument");
                self.error_predicate(span)
            }
        }
    }

    fn group_is_term(&self) -> bool {
        let Some(close) = self.brackets.close(self.at) else {
            return false;
        };
        let next = self.kind_at(close + 1);
        let is_operator = matches!(next, TokenKind::Plus | TokenKind::Minus | TokenKind::Star);
        let is_word = next == TokenKind::Ident && self.name_at(close + 1) == known::IS;
        is_operator || is_word || next.comparison().is_some()
    }

    fn group_predicate(&mut self) -> Built<PredicateId> {
        let outer = self.open_bracket(&[TokenKind::CloseParen]);
        let mut predicate = self.predicate();
        if self.expect(TokenKind::CloseParen) {
            predicate.height += 1;
            self.check_height(predicate.height);
        } else {
            predicate = self.poison_predicate(predicate);
        }
        self.awaited = outer;
        predicate
    }

    fn comparison(
        &mut self,
        lhs: Built<TermId>,
        operator: ComparisonOperator,
    ) -> Built<PredicateId> {
        let first = self.at;
        self.bump();
        let rhs = self.term();
        let span = self.tree[lhs.id].span.to(self.tree[rhs.id].span);
        let kind = PredicateKind::Comparison {
            operator,
            lhs: lhs.id,
            rhs: rhs.id,
        };
        let comparison = self.make_predicate(span, kind, lhs.height.max(rhs.height) + 1);
        if self.kind().comparison().is_none() {
            return comparison;
        }
        let message = "a comparison cannot be compared".to_owned();
        let edits = self.comparison_joining(first);
        self.report(Code::NonassocComparison, self.span(), message, edits);
        while self.kind().comparison().is_some() {
            self.bump();
            self.term();
        }
        self.poison_predicate(comparison)
    }

    /// Reads `is T::C(x)` behind a term.
    fn is_predicate(&mut self, scrutinee: Built<TermId>) -> Built<PredicateId> {
        let start = self.tree[scrutinee.id].span;
        self.bump();
        if self.kind() != TokenKind::TypeName {
            self.unexpected("a constructor");
            return self.error_predicate(start);
        }
        let first = self.ident();
        let (type_name, last) = if self.eat(TokenKind::ColonColon) {
            if self.kind() != TokenKind::TypeName {
                self.unexpected("a constructor");
                return self.error_predicate(start);
            }
            (Some(first.name), self.ident())
        } else {
            (None, first)
        };
        let mut payload = None;
        if self.kind() == TokenKind::OpenParen {
            self.bump();
            if self.kind() != TokenKind::Ident {
                self.unexpected("a name");
                self.expect(TokenKind::CloseParen);
                return self.error_predicate(start);
            }
            payload = Some(self.binder());
            self.expect(TokenKind::CloseParen);
        }
        let kind = PredicateKind::Is {
            scrutinee: scrutinee.id,
            type_name,
            constructor: last.name,
            head: first.span.to(last.span),
            payload,
        };
        self.make_predicate(start.to(self.previous_span()), kind, scrutinee.height + 1)
    }

    fn make_term(&mut self, span: Span, kind: TermKind, height: u32) -> Built<TermId> {
        if !self.check_height(height) {
            return self.error_term(span);
        }
        let id = self.tree.add_term(span, kind);
        Built { id, height }
    }

    fn error_term(&mut self, span: Span) -> Built<TermId> {
        let id = self.tree.add_term(span, TermKind::Error);
        Built { id, height: 1 }
    }

    /// Reads a sum.
    fn term(&mut self) -> Built<TermId> {
        if !self.enter() {
            self.leave();
            return self.error_term(self.span());
        }
        let mut lhs = self.product();
        loop {
            let operator = match self.kind() {
                TokenKind::Plus => ArithmeticOperator::Add,
                TokenKind::Minus => ArithmeticOperator::Subtract,
                _ => break,
            };
            self.bump();
            let rhs = self.product();
            lhs = self.join_terms(operator, lhs, rhs);
        }
        self.leave();
        lhs
    }

    fn product(&mut self) -> Built<TermId> {
        let mut lhs = self.term_call();
        while self.eat(TokenKind::Star) {
            let rhs = self.term_call();
            lhs = self.join_terms(ArithmeticOperator::Multiply, lhs, rhs);
        }
        lhs
    }

    fn join_terms(
        &mut self,
        operator: ArithmeticOperator,
        lhs: Built<TermId>,
        rhs: Built<TermId>,
    ) -> Built<TermId> {
        let span = self.tree[lhs.id].span.to(self.tree[rhs.id].span);
        let height = lhs.height.max(rhs.height) + 1;
        let (lhs, rhs) = (lhs.id, rhs.id);
        self.make_term(span, TermKind::Arithmetic { operator, lhs, rhs }, height)
    }

    /// Reads a call or a leaf.
    fn term_call(&mut self) -> Built<TermId> {
        let is_call = self.is_term_name() && self.starts_leaf(self.at + 1);
        if !is_call {
            return self.leaf();
        }
        let function = self.ident();
        let base = self.scratch.terms.len();
        let mut span = function.span;
        let mut height = 0;
        while self.starts_leaf(self.at) {
            let argument = self.leaf();
            self.scratch.terms.push(argument.id);
            span = span.to(self.tree[argument.id].span);
            height = height.max(argument.height);
        }
        let arguments: List<TermId> = self.tree.add_term_ids(self.scratch.terms.drain(base..));
        self.make_term(
            span,
            TermKind::Call {
                function,
                arguments,
            },
            height + 1,
        )
    }

    fn is_term_name(&self) -> bool {
        self.kind() == TokenKind::Ident && !self.is_word(known::IS) && !self.is_word(known::IMPLIES)
    }

    fn starts_leaf(&self, index: usize) -> bool {
        match self.kind_at(index) {
            TokenKind::Int | TokenKind::Float | TokenKind::Text | TokenKind::OpenParen => true,
            TokenKind::Ident => !matches!(self.name_at(index), known::IS | known::IMPLIES),
            _ => false,
        }
    }

    fn leaf(&mut self) -> Built<TermId> {
        if self.kind() == TokenKind::OpenParen {
            return self.group_term();
        }
        if let Some((literal, span)) = self.literal() {
            return self.make_term(span, TermKind::Literal(literal), 1);
        }
        if !self.is_term_name() {
            return self.missing_term();
        }
        let Ident { name: root, span } = self.ident();
        let (fields, is_read) = self.fields();
        let span = span.to(self.previous_span());
        if !is_read {
            return self.error_term(span);
        }
        self.make_term(span, TermKind::Path { root, fields }, 1)
    }

    fn missing_term(&mut self) -> Built<TermId> {
        self.unexpected("a value");
        let start = self.at;
        let mut span = Span::empty_at(self.span().start);
        self.skip();
        if self.at > start {
            span = self.span_at(start).to(self.previous_span());
        }
        self.error_term(span)
    }

    fn group_term(&mut self) -> Built<TermId> {
        let outer = self.open_bracket(&[TokenKind::CloseParen]);
        let mut term = self.term();
        if self.expect(TokenKind::CloseParen) {
            term.height += 1;
            self.check_height(term.height);
        } else {
            term = self.error_term(self.tree[term.id].span);
        }
        self.awaited = outer;
        term
    }
}
