//! Expressions that begin with a keyword: `let`, `fun`, `if`, `match`.

use super::recovery::Kinds;
use super::{Built, Layout, Parser};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::TokenKind;
use crate::syntax::tree::{Arm, Binder, Binding, ExprId, ExprKind, List, PatternKind};

/// What was read before the value of a binding.
#[derive(Clone, Copy)]
struct Checkpoint {
    at: usize,
    mark: (usize, usize),
    skipped: usize,
    unbracketed: u32,
    params: Option<List<Binder>>,
}

impl Parser<'_> {
    /// Reads an expression; where none stands, an error node.
    pub(super) fn expr(&mut self) -> Built<ExprId> {
        let expr = if self.enter() {
            match self.kind() {
                TokenKind::Let | TokenKind::Rec => self.let_expr(),
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
        let first = self.at;
        let start = self.span();
        if !self.eat(TokenKind::Let) {
            self.unexpected("`let`");
        }
        let is_rec = self.eat(TokenKind::Rec);
        let base = self.scratch.bindings.len();
        let mut height = 0;
        let before_value = loop {
            let (binding, value_height, before_value) = self.binding(is_rec);
            self.scratch.bindings.push(binding);
            height = height.max(value_height);
            self.open_lets += 1;
            let is_next = self.begins_binding(self.at);
            self.open_lets -= 1;
            if !is_next {
                break before_value;
            }
            self.bump();
        };
        self.expect_in(first, before_value);
        let bindings = self.tree.add_bindings(self.scratch.bindings.drain(base..));
        let body = self.expr();
        let span = start.to(self.expr_span(body));
        let height = height.max(body.height) + 1;
        let body = body.id;
        let kind = ExprKind::Let {
            is_rec,
            bindings,
            body,
        };
        self.make(span, kind, height)
    }

    /// Reads the `in` of a `let`, whose last binding is the newest one under construction.
    ///
    /// Where it is missing, the value may have taken what was meant as the body. If a line behind the first of the value is
    /// indented no more than the `let`, the value is read again up to there and the body begins there; else it is poisoned.
    fn expect_in(&mut self, first: usize, before_value: Checkpoint) {
        if self.kind() == TokenKind::In && !self.is_of_outer(first) {
            self.bump();
            return;
        }
        if self.unbracketed > before_value.unbracketed {
            // The block that was reported stands where the `in` is missing.
            self.last_error = Some(self.at);
        }
        if self.begins_block_line() {
            let edits = self.insertion(TokenKind::In);
            self.unexpected_with("`in`", edits);
            return;
        }
        let stop = self.at;
        let may_reread = !self.is_muted && self.rereads > 0;
        let body = may_reread.then(|| self.body_line(first, before_value.at..stop));
        if let Some(body) = body.flatten() {
            self.rereads -= 1;
            self.diagnostics.rewind(before_value.mark);
            self.tree.skipped.truncate(before_value.skipped);
            self.last_error = None;
            let edits = self.insertion_at(TokenKind::In, body);
            if self.kind() == TokenKind::In {
                // That one is another's; what does not fit is the body.
                self.at = body;
            }
            self.unexpected_with("`in`", edits);
            self.at = before_value.at;
            let outer = std::mem::replace(&mut self.limit, body);
            let value = self.value();
            let value = self.with_params(before_value.params, value);
            self.skip_rest();
            self.limit = outer;
            self.replace_last_value(value.id);
            self.last_error = Some(stop);
            return;
        }
        if !self.expect(TokenKind::In)
            && let Some(last) = self.scratch.bindings.last()
        {
            let value = Built {
                id: last.value,
                height: 1,
            };
            let poisoned = self.poison(value);
            self.replace_last_value(poisoned.id);
        }
    }

    /// Says whether layout gives the `in` that stands here to a `let` around the one that begins at a token.
    ///
    /// Only once a first reading, which does not ask for layout, has found a mistake.
    fn is_of_outer(&mut self, first: usize) -> bool {
        let is_outside =
            self.tokens[self.at].begins_line && self.indent(self.at) < self.indent(first);
        if is_outside && self.layout == Layout::Ignored {
            self.layout = Layout::Differs;
        }
        is_outside && self.layout == Layout::Followed
    }

    fn replace_last_value(&mut self, value: ExprId) {
        if let Some(binding) = self.scratch.bindings.last_mut() {
            binding.value = value;
        }
    }

    /// Finds the first token of a range that begins a line and is indented no more than the line of a `let`.
    fn body_line(&self, first: usize, range: std::ops::Range<usize>) -> Option<usize> {
        let indent = self.indent(first);
        let mut index = range.start + 1;
        while index < range.end {
            if self.tokens[index].begins_line && self.indent(index) <= indent {
                return Some(index);
            }
            index = self.brackets.close(index).unwrap_or(index) + 1;
        }
        None
    }

    /// Counts the bytes before the first token of the line on which a token stands.
    pub(super) fn indent(&self, index: usize) -> usize {
        let start = self.span_at(index).start as usize;
        let line = self.bytes[..start]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        let rest = &self.bytes[line..];
        rest.iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count()
    }

    /// Says whether a line begins here with a keyword that begins an expression.
    pub(super) fn begins_block_line(&self) -> bool {
        is_block(self.kind()) && self.tokens[self.at].begins_line
    }

    fn binding(&mut self, is_rec: bool) -> (Binding, u32, Checkpoint) {
        let binder = self.let_binder(is_rec);
        let params = binder.and_then(|binder| self.binding_params(binder));
        let outer = self.awaited;
        self.awaited = outer.with(TokenKind::In);
        self.expect(TokenKind::Equal);
        self.awaited = outer;
        let before_value = Checkpoint {
            at: self.at,
            mark: self.diagnostics.mark(),
            skipped: self.tree.skipped.len(),
            unbracketed: self.unbracketed,
            params,
        };
        let value = self.value();
        let value = self.with_params(params, value);
        let binding = Binding {
            binder,
            value: value.id,
        };
        (binding, value.height, before_value)
    }

    /// Reads parameters between a name and `=`, where they must not stand; the value is then read as their lambda.
    fn binding_params(&mut self, binder: Binder) -> Option<List<Binder>> {
        let mut end = self.at;
        while self.kind_at(end) == TokenKind::Ident {
            end += 1;
        }
        if end == self.at || self.kind_at(end) != TokenKind::Equal {
            return None;
        }
        let edits = self.lambda_binding(binder.span, end);
        self.unexpected_with("`=`", edits);
        let base = self.scratch.binders.len();
        while self.at < end {
            let param = self.binder();
            self.scratch.binders.push(param);
        }
        Some(self.tree.add_binders(self.scratch.binders.drain(base..)))
    }

    fn with_params(&mut self, params: Option<List<Binder>>, body: Built<ExprId>) -> Built<ExprId> {
        let Some(params) = params else { return body };
        let span = self.expr_span(body);
        let height = body.height + 1;
        let body = body.id;
        self.make(span, ExprKind::Fun { params, body }, height)
    }

    /// Reads the value of a binding, up to `in` or the next one.
    fn value(&mut self) -> Built<ExprId> {
        self.open_lets += 1;
        let outer = self.awaited;
        self.awaited = outer.union(Kinds::of(&[TokenKind::In, TokenKind::And]));
        let mut value = self.expr();
        if !self.begins_block_line() && !self.settle("`in`") {
            value = self.poison(value);
        }
        self.awaited = outer;
        self.open_lets -= 1;
        value
    }

    fn let_binder(&mut self, is_rec: bool) -> Option<Binder> {
        match self.kind() {
            TokenKind::Ident => Some(self.binder()),
            TokenKind::Underscore => {
                if is_rec {
                    let message = "`let rec` binds names, `_` is none".to_owned();
                    let edit = self.renaming(&[self.span()], &self.fresh_name());
                    self.report(Code::WildcardInLetRec, self.span(), message, vec![edit]);
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
        let unbracketed = self.unbracketed;
        let mut expr = self.expr();
        if self.unbracketed > unbracketed && self.kind() != keyword {
            // The block that was reported took the place of the keyword.
            self.last_error = Some(self.at);
        }
        if keyword == TokenKind::Then {
            // An `else` that follows belongs here too, and is not passed over.
            self.awaited = self.awaited.with(TokenKind::Else);
        }
        if !self.expect(keyword) {
            expr = self.poison(expr);
        }
        self.awaited = outer;
        expr
    }

    fn match_expr(&mut self) -> Built<ExprId> {
        let first = self.at;
        let start = self.span();
        self.bump();
        let outer = self.awaited;
        self.awaited = outer.with(TokenKind::Bar);
        let scrutinee = self.operand_of(TokenKind::With);
        let base = self.scratch.arms.len();
        let mut height = scrutinee.height;
        let mut lacks_bar = false;
        if self.kind() != TokenKind::Bar {
            let edits = self.insertion(TokenKind::Bar);
            self.unexpected_with("`|`", edits);
            lacks_bar = self.begins_arm();
            if !lacks_bar {
                self.skip();
            }
        }
        let mut is_torn = false;
        let mut is_conditional = false;
        while std::mem::take(&mut lacks_bar) || self.eat(TokenKind::Bar) {
            let mark = self.diagnostics.len();
            let (arm, arm_height, is_whole) = self.arm();
            is_torn = self.diagnostics.len() > mark;
            is_conditional |= !is_whole;
            self.scratch.arms.push(arm);
            height = height.max(arm_height);
            if outer.contains(TokenKind::Bar) && self.is_closed_on_line(first) {
                // The bracket that is missing stood before this match; the arms to come are those of another one.
                self.scratch.arms.truncate(base);
                break;
            }
        }
        self.awaited = outer;
        if (is_torn || is_conditional) && self.scratch.arms.len() > base {
            let arm = self.lost_arm();
            self.scratch.arms.push(arm);
        }
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

    /// Says whether what stands here reads as a pattern with an arrow behind it.
    fn begins_arm(&self) -> bool {
        let mut index = self.at;
        while matches!(
            self.kind_at(index),
            TokenKind::Underscore
                | TokenKind::Ident
                | TokenKind::TypeName
                | TokenKind::ColonColon
                | TokenKind::Int
                | TokenKind::Float
                | TokenKind::Text
                | TokenKind::OpenParen
                | TokenKind::OpenBrace
        ) {
            index = self.brackets.close(index).unwrap_or(index) + 1;
        }
        index > self.at && self.kind_at(index) == TokenKind::Arrow
    }

    /// Stands for the arms that a mistake may have hidden, so that the match is not judged.
    fn lost_arm(&mut self) -> Arm {
        let span = Span::empty_at(self.previous_span().end);
        let body = self.error_expr(span).id;
        let pattern = self.tree.add_pattern(span, PatternKind::Error);
        Arm {
            span,
            pattern,
            body,
        }
    }

    /// Says whether a bracket that nothing opens was passed over at the end of the line on which a construct begins.
    fn is_closed_on_line(&self, first: usize) -> bool {
        let Some(last) = self.at.checked_sub(1) else {
            return false;
        };
        let is_closed =
            self.tokens[last].kind == TokenKind::CloseParen && self.brackets.open(last).is_none();
        let ends_line = self.at < self.limit && self.tokens[self.at].begins_line;
        let mut within = self.tokens[first + 1..=last].iter();
        is_closed && ends_line && !within.any(|token| token.begins_line)
    }

    /// Reads an arm, and says whether nothing was passed over between its pattern and the arrow.
    fn arm(&mut self) -> (Arm, u32, bool) {
        let outer = self.awaited;
        self.awaited = outer.with(TokenKind::Arrow);
        let mut pattern = self.pattern();
        let is_whole = self.expect(TokenKind::Arrow);
        if !is_whole && self.kind_at(self.at - 1) != TokenKind::Arrow {
            pattern = self.poison_pattern(pattern);
        }
        self.awaited = outer;
        let first = self.at;
        let may_be_spared = self.kind() == TokenKind::OpenParen
            && matches!(
                self.kind_ahead(1),
                TokenKind::Let | TokenKind::Fun | TokenKind::If
            );
        self.level -= u32::from(may_be_spared);
        let mut body = self.expr();
        self.level += u32::from(may_be_spared);
        if may_be_spared && self.is_spared_body(first, body.id) {
            body.height -= 1;
        }
        let is_body = self.begins_block_line() && self.awaited.contains(TokenKind::In);
        if !is_body && !self.settle("`|` or the end of the match") {
            body = self.poison(body);
        }
        let span: Span = self.tree[pattern.id].span.to(self.expr_span(body));
        let arm = Arm {
            span,
            pattern: pattern.id,
            body: body.id,
        };
        (arm, pattern.height.max(body.height), is_whole)
    }

    /// Says whether the brackets around a body that begins at a token are those that canonical text puts there.
    ///
    /// They keep a match at the end of the body from catching the next arms. In the source they may stand further in, so
    /// that counting them would make canonical text deeper than the source.
    fn is_spared_body(&self, first: usize, body: ExprId) -> bool {
        self.kind() == TokenKind::Bar
            && self
                .brackets
                .close(first)
                .is_some_and(|close| close + 1 == self.at)
            && self.tree.ends_in_match(body)
    }
}

/// Says whether an expression begins with this keyword.
pub(super) const fn is_block(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Let | TokenKind::Fun | TokenKind::If | TokenKind::Match
    )
}
