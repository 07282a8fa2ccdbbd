//! Faults of single tokens, and what tokens say of a place.

use super::*;

impl Planter<'_> {
    /// Gives the span of a name at the start of a node.
    pub(super) fn head(&self, span: Span, name: Name) -> Span {
        Span::new(span.start, span.start + number(self.names[name].len()))
    }

    /// Widens a span until every bracket in it is closed in it.
    pub(super) fn balanced(&self, span: Span) -> Span {
        let first = self
            .tokens
            .iter()
            .position(|(token, _)| token.start >= span.start);
        let last = self
            .tokens
            .iter()
            .rposition(|(token, _)| token.end <= span.end);
        let (Some(first), Some(last)) = (first, last) else {
            return span;
        };
        let (mut open, mut needed) = (0_i32, 0_i32);
        for (_, kind) in &self.tokens[first..=last] {
            match kind {
                TokenKind::OpenParen => open += 1,
                TokenKind::CloseParen if open == 0 => needed += 1,
                TokenKind::CloseParen => open -= 1,
                _ => {}
            }
        }
        let back = usize::try_from(needed).expect("a count");
        let ahead = usize::try_from(open).expect("a count");
        let start = self.tokens[first - back].0.start;
        Span::new(start, self.tokens[last + ahead].0.end)
    }

    /// Widens a span to the brackets right around it, where there are some.
    pub(super) fn balanced_group(&self, span: Span) -> Span {
        let span = self.balanced(span);
        let before = self
            .tokens
            .iter()
            .rposition(|(token, _)| token.end <= span.start);
        let after = self
            .tokens
            .iter()
            .position(|(token, _)| token.start >= span.end);
        match (before, after) {
            (Some(before), Some(after))
                if matches!(self.tokens[before].1, TokenKind::OpenParen)
                    && matches!(self.tokens[after].1, TokenKind::CloseParen) =>
            {
                self.tokens[before].0.to(self.tokens[after].0)
            }
            _ => span,
        }
    }

    /// Gives where the bar before a pattern stands.
    pub(super) fn bar_before(&self, pattern: Span) -> u32 {
        let before = self
            .tokens
            .iter()
            .rev()
            .filter(|(token, _)| token.end <= pattern.start);
        let mut bars = before.filter(|(_, kind)| matches!(kind, TokenKind::Bar));
        bars.next()
            .expect("a bar stands before each pattern")
            .0
            .start
    }

    /// Loses a bracket around an expression, or a word of its form.
    pub(super) fn lost(&mut self, id: ExprId, context: &Context) {
        self.record(id);
        let span = self.tree[id].span;
        let group = self.balanced_group(span);
        if group != self.balanced(span) {
            let close = Span::new(group.end - 1, group.end);
            let open = Span::new(group.start, group.start + 1);
            for (kind, at) in [
                ("lost closing bracket", close),
                ("lost opening bracket", open),
            ] {
                let region = self.balanced(context.region.to(group));
                let place = Place::From(Span::new(at.start, self.token_after(region.end).end));
                self.add(kind, Code::ParseExpected, at, "", place).reach = vec![region];
            }
        }
        let (from, word) = match self.tree[id].kind {
            ExprKind::If { condition, .. } => (condition, "then"),
            ExprKind::Match { scrutinee, .. } => (scrutinee, "with"),
            ExprKind::Let { bindings, .. } => {
                let last = self.tree[bindings].last().expect("there is one");
                (last.value, "in")
            }
            _ => return,
        };
        let from = self.balanced(self.tree[from].span).end;
        let at = self.text[from as usize..]
            .find(word)
            .expect("the word follows");
        let at = from + number(at);
        let at = Span::new(at, at + number(word.len()));
        let place = Place::From(Span::new(at.start, self.token_after(span.end).end));
        self.add("lost word", Code::ParseExpected, at, "", place)
            .reach = vec![span];
    }

    /// Gives the first token behind an offset.
    fn token_after(&self, offset: u32) -> Span {
        let mut behind = self
            .tokens
            .iter()
            .filter(|(token, _)| token.start >= offset);
        behind
            .next()
            .map_or(Span::empty_at(offset + 1), |(token, _)| *token)
    }
}
