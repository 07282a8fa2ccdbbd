//! Operators and application, by precedence.

use super::block::is_block;
use super::recovery::Kinds;
use super::{Built, Parser};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::TokenKind;
use crate::syntax::tree::{ArithmeticOperator, ComparisonOperator, ExprId, ExprKind};

/// An operator that waits for its right operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operator {
    /// Its token.
    index: usize,
    symbol: Symbol,
    /// Whether a comparison before it in the same chain was reported.
    is_reported: bool,
}

/// An expression that waits for its operator.
pub(super) type Operand = Built<ExprId>;

#[derive(Clone, Copy, Debug)]
enum Symbol {
    Or,
    And,
    Not,
    Comparison(ComparisonOperator),
    Arithmetic(ArithmeticOperator),
    Negate,
}

impl Symbol {
    /// Gives how tightly it binds, from loose to tight.
    const fn level(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Not => 3,
            Self::Comparison(_) => 4,
            Self::Arithmetic(operator) if operator.is_product() => 6,
            Self::Arithmetic(_) => 5,
            Self::Negate => 7,
        }
    }

    const fn is_prefix(self) -> bool {
        matches!(self, Self::Not | Self::Negate)
    }

    /// Gives the node over one or two operands.
    fn joined(self, (lhs, rhs): (Option<ExprId>, ExprId)) -> ExprKind {
        let (operand, lhs) = (rhs, lhs.unwrap_or(rhs));
        match self {
            Self::Or => ExprKind::Or { lhs, rhs },
            Self::And => ExprKind::And { lhs, rhs },
            Self::Not => ExprKind::Not { operand },
            Self::Comparison(operator) => ExprKind::Comparison { operator, lhs, rhs },
            Self::Arithmetic(operator) => ExprKind::Arithmetic { operator, lhs, rhs },
            Self::Negate => ExprKind::Negate { operand },
        }
    }

    fn infix(kind: TokenKind) -> Option<Self> {
        if let Some(comparison) = kind.comparison() {
            return Some(Self::Comparison(comparison));
        }
        Some(match kind {
            TokenKind::Or => Self::Or,
            TokenKind::And => Self::And,
            TokenKind::Plus => Self::Arithmetic(ArithmeticOperator::Add),
            TokenKind::Minus => Self::Arithmetic(ArithmeticOperator::Subtract),
            TokenKind::Star => Self::Arithmetic(ArithmeticOperator::Multiply),
            TokenKind::Slash => Self::Arithmetic(ArithmeticOperator::Divide),
            TokenKind::Percent => Self::Arithmetic(ArithmeticOperator::Modulo),
            _ => return None,
        })
    }
}

impl Parser<'_> {
    /// Reads operands and operators.
    ///
    /// Operators wait on a stack of their own, so that the host's stack grows with brackets and blocks only.
    pub(super) fn operation(&mut self) -> Built<ExprId> {
        let base = self.scratch.operators.len();
        let mut is_read = true;
        loop {
            is_read &= self.prefixes(base);
            let (operand, is_operand_read) = self.application();
            is_read &= is_operand_read;
            self.scratch.operands.push(operand);
            if self.begins_binding(self.at) {
                break;
            }
            let Some(symbol) = self.infix() else { break };
            let is_reported = self.reduce_before(base, symbol);
            is_read &= !is_reported;
            self.push_operator(symbol, base, is_reported);
        }
        self.reduce(base, 0);
        let result = self.scratch.operands.pop();
        let result = result.unwrap_or_else(|| self.error_expr(self.span()));
        if is_read { result } else { self.poison(result) }
    }

    /// Gives the infix operator that stands here; one of another language is reported and read as what it means there.
    fn infix(&mut self) -> Option<Symbol> {
        let not_equal = Symbol::Comparison(ComparisonOperator::NotEqual);
        match self.kind() {
            TokenKind::Bar if self.touches_next(TokenKind::Bar) => {
                self.foreign("`or`");
                self.bump();
                Some(Symbol::Or)
            }
            TokenKind::Less if self.touches_next(TokenKind::Greater) => {
                self.bump();
                self.foreign("an expression");
                Some(not_equal)
            }
            TokenKind::Slash if self.touches_next(TokenKind::Equal) => {
                self.bump();
                self.foreign("an expression");
                Some(not_equal)
            }
            TokenKind::Equal if self.awaited.contains(TokenKind::Then) => {
                self.foreign("`then`");
                Some(Symbol::Comparison(ComparisonOperator::Equal))
            }
            kind => Symbol::infix(kind),
        }
    }

    /// Reports an operator of another language, behind which reading goes on as if nothing were wrong.
    fn foreign(&mut self, expected: &str) {
        self.unexpected(expected);
        self.last_error = None;
    }

    /// Reads `not` and unary `-`; false when a `not` stands where it needs brackets.
    fn prefixes(&mut self, base: usize) -> bool {
        let mut is_read = true;
        loop {
            let symbol = match self.kind() {
                TokenKind::Not => Symbol::Not,
                TokenKind::Minus => Symbol::Negate,
                _ => return is_read,
            };
            let outer = self.scratch.operators[base..].last();
            if matches!(symbol, Symbol::Not) && outer.is_some_and(|outer| outer.symbol.level() > 3)
            {
                self.unexpected("an operand");
                is_read = false;
            }
            self.push_operator(symbol, base, false);
        }
    }

    fn push_operator(&mut self, symbol: Symbol, base: usize, is_reported: bool) {
        let index = self.at;
        self.scratch.operators.push(Operator {
            index,
            symbol,
            is_reported,
        });
        self.bump();
        // Each operator that waits is a level above the operand to come.
        let waiting = u32::try_from(self.scratch.operators.len() - base).unwrap_or(u32::MAX);
        self.check_height(self.level.saturating_add(waiting));
    }

    /// Joins what has to be joined before an infix operator; true when it is a second comparison in a row.
    fn reduce_before(&mut self, base: usize, symbol: Symbol) -> bool {
        let mut is_second = false;
        if matches!(symbol, Symbol::Comparison(_)) {
            self.reduce(base, symbol.level() + 1);
            let waiting = self.scratch.operators[base..].last().copied();
            let before = waiting.filter(|before| matches!(before.symbol, Symbol::Comparison(_)));
            is_second = before.is_some();
            if let Some(before) = before.filter(|before| !before.is_reported) {
                self.report_second_comparison(before.index);
            }
        }
        self.reduce(base, symbol.level());
        is_second
    }

    /// Joins what waits on the stack and binds at least as tightly as a level.
    fn reduce(&mut self, base: usize, level: u8) {
        while self.scratch.operators.len() > base {
            let operator = self.scratch.operators[self.scratch.operators.len() - 1];
            if operator.symbol.level() < level {
                return;
            }
            self.scratch.operators.pop();
            let Some(rhs) = self.scratch.operands.pop() else {
                return;
            };
            let joined = self.join(operator, rhs);
            self.scratch.operands.push(joined);
        }
    }

    fn join(&mut self, operator: Operator, rhs: Built<ExprId>) -> Built<ExprId> {
        let mut operands = (None, rhs.id);
        let mut start = self.span_at(operator.index);
        let mut height = rhs.height;
        if !operator.symbol.is_prefix() {
            let Some(lhs) = self.scratch.operands.pop() else {
                return rhs;
            };
            operands.0 = Some(lhs.id);
            start = self.expr_span(lhs);
            height = height.max(lhs.height);
        }
        // Canonical text has brackets around a minus behind a minus; counted, they would make it deeper than the source.
        let is_spared = matches!(operator.symbol, Symbol::Negate)
            && matches!(self.tree[rhs.id].kind, ExprKind::Negate { .. })
            && self.kind_at(operator.index + 1) == TokenKind::OpenParen;
        let span = start.to(self.expr_span(rhs));
        let height = height + 1 - u32::from(is_spared);
        self.make(span, operator.symbol.joined(operands), height)
    }

    /// Reports a comparison beside the one at an index.
    fn report_second_comparison(&mut self, first: usize) {
        if self.last_error == Some(self.at) {
            return;
        }
        let message = "a comparison cannot be compared".to_owned();
        let edits = self.comparison_joining(first);
        self.report(Code::NonassocComparison, self.span(), message, edits);
    }

    /// Reads an atom and its arguments; false when characters among them are no tokens, or a block needs brackets.
    fn application(&mut self) -> (Built<ExprId>, bool) {
        if !self.starts_atom() {
            return self.missing_operand();
        }
        let mut is_read = self.kind() != TokenKind::Stray;
        let mut function = self.atom();
        is_read &= !std::mem::take(&mut self.is_torn);
        loop {
            if self.starts_atom() {
                is_read &= self.kind() != TokenKind::Stray;
                let argument = self.atom();
                is_read &= !std::mem::take(&mut self.is_torn);
                let span = self.expr_span(function).to(self.expr_span(argument));
                let height = function.height.max(argument.height) + 1;
                let kind = ExprKind::Apply {
                    function: function.id,
                    argument: argument.id,
                };
                function = self.make(span, kind, height);
            } else if self.is_unbracketed_block() {
                function.height = function.height.max(self.unbracketed_block().height);
                is_read = false;
            } else {
                return (function, is_read);
            }
        }
    }

    /// Says whether a block stands here as an operand.
    ///
    /// At the beginning of a line, where a keyword before an expression is waited for, what is missing is that keyword.
    fn is_unbracketed_block(&self) -> bool {
        let waits = [TokenKind::In, TokenKind::Then, TokenKind::Else].into_iter();
        let is_body =
            waits.into_iter().any(|kind| self.awaited.contains(kind)) && self.begins_block_line();
        is_block(self.kind()) && !is_body
    }

    /// Reports and reads a block that stands as an operand.
    fn unbracketed_block(&mut self) -> Built<ExprId> {
        let start = self.at;
        self.unbracketed += 1;
        let mark = self.diagnostics.len();
        self.unexpected("brackets around an expression that begins with a keyword");
        let is_reported = self.diagnostics.len() > mark;
        let block = self.expr();
        // The other bracket may be there, so that only the opening one is missing.
        let has_close = self.kind() == TokenKind::CloseParen && !self.is_awaited(self.at);
        let edits = if has_close {
            vec![self.opening(start)]
        } else {
            // The other bracket may stand further on.
            vec![self.bracketing(start), self.opening(start)]
        };
        if has_close {
            self.bump();
        }
        if is_reported && let Some(diagnostic) = self.diagnostics.iter_mut().nth(mark) {
            diagnostic.edits.extend(edits);
        }
        block
    }

    /// Reports that no operand stands here, and goes on at the next one if nobody waits for what comes before it.
    fn missing_operand(&mut self) -> (Built<ExprId>, bool) {
        if self.is_unbracketed_block() {
            return (self.unbracketed_block(), false);
        }
        self.unexpected("an expression");
        if self.doubles_operator() {
            self.bump();
            let (operand, _) = self.application();
            return (operand, false);
        }
        let start = self.at;
        let at = Span::empty_at(self.span().start);
        if Symbol::infix(self.kind()).is_none() {
            let outer = self.awaited;
            self.awaited = outer.union(OPERAND_STARTS);
            self.skip();
            self.awaited = outer;
        }
        if self.starts_atom() && self.at > start {
            let (operand, _) = self.application();
            return (operand, false);
        }
        if is_block(self.kind()) && self.at > start {
            return (self.expr(), false);
        }
        let skipped = if self.at > start {
            self.span_at(start).to(self.previous_span())
        } else {
            at
        };
        (self.error_expr(skipped), true)
    }
}

impl Parser<'_> {
    /// Says whether two operators touch here, as one of another language would; nothing around it is judged.
    fn doubles_operator(&self) -> bool {
        let Some(before) = self.at.checked_sub(1) else {
            return false;
        };
        let are_operators = [before, self.at]
            .into_iter()
            .all(|index| Symbol::infix(self.kind_at(index)).is_some());
        are_operators && self.span_at(before).end == self.span().start
    }
}

/// What an operand may begin with, as far as reading can go on there.
pub(super) const OPERAND_STARTS: Kinds = Kinds::of(&[
    TokenKind::Ident,
    TokenKind::Private,
    TokenKind::TypeName,
    TokenKind::Int,
    TokenKind::Float,
    TokenKind::Text,
    TokenKind::Hole,
    TokenKind::OpenParen,
    TokenKind::OpenBrace,
    TokenKind::Let,
    TokenKind::Fun,
    TokenKind::If,
    TokenKind::Match,
]);
