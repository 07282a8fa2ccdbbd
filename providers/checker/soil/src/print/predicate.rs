//! Predicates and their terms, with the fewest brackets.

use super::Printer;
use crate::syntax::tree::{
    ArithmeticOperator, Ident, List, PredicateId, PredicateKind, TermId, TermKind,
};

/// How tightly the forms of a predicate bind, from loose to tight.
mod level {
    pub(super) const IMPLIES: u8 = 0;
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const NOT: u8 = 3;
    pub(super) const ATOM: u8 = 4;

    pub(super) const SUM: u8 = 0;
    pub(super) const PRODUCT: u8 = 1;
    pub(super) const CALL: u8 = 2;
    pub(super) const LEAF: u8 = 3;
}

impl Printer<'_> {
    /// Writes a predicate where any may stand.
    pub(super) fn predicate(&mut self, id: PredicateId) {
        self.predicate_at(id, level::IMPLIES);
    }

    /// Writes a predicate, in brackets if it binds less tightly than its place asks for.
    fn predicate_at(&mut self, id: PredicateId, least: u8) {
        let kind = self.tree[id].kind;
        let is_bracketed = predicate_level(kind) < least;
        if is_bracketed {
            self.push("(");
        }
        self.bare_predicate(kind);
        if is_bracketed {
            self.push(")");
        }
    }

    fn bare_predicate(&mut self, kind: PredicateKind) {
        match kind {
            PredicateKind::Implies { lhs, rhs } => {
                self.predicate_at(lhs, level::OR);
                self.push(" implies ");
                self.predicate_at(rhs, level::IMPLIES);
            }
            PredicateKind::Or { lhs, rhs } => {
                self.predicate_at(lhs, level::OR);
                self.push(" or ");
                self.predicate_at(rhs, level::AND);
            }
            PredicateKind::And { lhs, rhs } => {
                self.predicate_at(lhs, level::AND);
                self.push(" and ");
                self.predicate_at(rhs, level::NOT);
            }
            PredicateKind::Not { operand } => {
                self.push("not ");
                self.predicate_at(operand, level::NOT);
            }
            PredicateKind::Comparison { operator, lhs, rhs } => {
                self.term_at(lhs, level::SUM);
                self.push(" ");
                self.push(operator.text());
                self.push(" ");
                self.term_at(rhs, level::SUM);
            }
            PredicateKind::Is { .. } => self.is_predicate(kind),
            PredicateKind::Call {
                function,
                arguments,
            } => self.term_call(function, arguments),
            PredicateKind::Error => self.push("?error"),
        }
    }

    fn is_predicate(&mut self, kind: PredicateKind) {
        let PredicateKind::Is {
            scrutinee,
            type_name,
            constructor,
            payload,
            ..
        } = kind
        else {
            return;
        };
        self.term_at(scrutinee, level::SUM);
        self.push(" is ");
        if let Some(type_name) = type_name {
            self.name(type_name);
            self.push("::");
        }
        self.name(constructor);
        if let Some(payload) = payload {
            self.push("(");
            self.name(payload.name);
            self.push(")");
        }
    }

    /// Writes a term, in brackets if it binds less tightly than its place asks for.
    fn term_at(&mut self, id: TermId, least: u8) {
        let kind = self.tree[id].kind;
        let is_bracketed = term_level(kind) < least;
        if is_bracketed {
            self.push("(");
        }
        match kind {
            TermKind::Literal(literal) => self.literal(literal),
            TermKind::Path { root, fields } => self.path(root, fields),
            TermKind::Arithmetic { operator, lhs, rhs } => {
                let own = term_level(kind);
                self.term_at(lhs, own);
                self.push(" ");
                self.push(operator.text());
                self.push(" ");
                self.term_at(rhs, own + 1);
            }
            TermKind::Call {
                function,
                arguments,
            } => self.term_call(function, arguments),
            TermKind::Error => self.push("?error"),
        }
        if is_bracketed {
            self.push(")");
        }
    }

    fn term_call(&mut self, function: Ident, arguments: List<TermId>) {
        self.name(function.name);
        for argument in &self.tree[arguments] {
            self.push(" ");
            self.term_at(*argument, level::LEAF);
        }
    }
}

fn predicate_level(kind: PredicateKind) -> u8 {
    match kind {
        PredicateKind::Implies { .. } => level::IMPLIES,
        PredicateKind::Or { .. } => level::OR,
        PredicateKind::And { .. } => level::AND,
        PredicateKind::Not { .. } => level::NOT,
        PredicateKind::Comparison { .. }
        | PredicateKind::Is { .. }
        | PredicateKind::Call { .. }
        | PredicateKind::Error => level::ATOM,
    }
}

fn term_level(kind: TermKind) -> u8 {
    match kind {
        TermKind::Arithmetic {
            operator: ArithmeticOperator::Add | ArithmeticOperator::Subtract,
            ..
        } => level::SUM,
        TermKind::Arithmetic { .. } => level::PRODUCT,
        TermKind::Call { .. } => level::CALL,
        TermKind::Literal(_) | TermKind::Path { .. } | TermKind::Error => level::LEAF,
    }
}
