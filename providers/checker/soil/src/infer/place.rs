//! Places for edits in the text of a definition.

use super::Inferer;
use crate::diagnostic::{Edit, EditKind, Splice};
use crate::source::Span;
use crate::syntax::tree::{Arm, ExprId, ExprKind, List};
use crate::syntax::{Lexed, Names, TokenKind, lex};

impl Inferer<'_, '_> {
    pub(super) fn bytes(&self) -> &[u8] {
        let source = self.program.sources.get(self.file.id);
        source.map_or(&[], |source| &source.bytes)
    }

    /// Gives the empty place behind the last thing before a closing brace, which ends the span.
    pub(super) fn before_brace(&self, span: Span) -> Option<Span> {
        let tokens = self.tokens();
        let close = tokens.ending_at(span.end)?;
        if tokens.kind(close) != Some(TokenKind::CloseBrace) {
            return None;
        }
        let before = tokens.span(close.checked_sub(1)?)?;
        Some(Span::empty_at(before.end))
    }

    /// Offers to remove an arm.
    pub(super) fn arm_removal(&self, arms: List<Arm>, position: usize) -> Option<Edit> {
        let arms = &self.tree[arms];
        let tokens = self.tokens();
        let bar = tokens.bar_before(arms[position].span.start)?;
        let (start, end) = match arms.get(position + 1) {
            Some(next) => (bar, tokens.bar_before(next.span.start)?),
            // With the last arm goes the space before it, so that no line ends in one.
            None => (tokens.end_before(bar)?, tokens.end_of(arms[position].span)?),
        };
        let title = "remove the arm";
        let file = self.file.id;
        let span = Span::new(start, end);
        Some(Edit::new(EditKind::Machine, title, file, span, ""))
    }

    /// Offers to add arms behind the last one, or before the first where they would belong to another match.
    pub(super) fn arm_insertion(
        &self,
        id: ExprId,
        arms: List<Arm>,
        added: &[String],
    ) -> Option<Edit> {
        let arms = &self.tree[arms];
        let (first, last) = (arms.first()?, arms.last()?);
        let tokens = self.tokens();
        let (offset, text) = if self.ends_open(last.body) {
            let offset = tokens.bar_before(first.span.start)?;
            (offset, format!("{} ", added.join(" ")))
        } else {
            let offset = tokens.end_of(last.span)?;
            (offset, format!(" {}", added.join(" ")))
        };
        debug_assert!(matches!(self.tree[id].kind, ExprKind::Match { .. }));
        Some(Edit {
            title: "add the missing arms with holes".to_owned(),
            kind: EditKind::Placeholder,
            splices: vec![Splice {
                file: self.file.id,
                span: Span::empty_at(offset),
                text,
            }],
        })
    }

    /// Says whether an arm behind this expression would become part of it.
    fn ends_open(&self, mut id: ExprId) -> bool {
        loop {
            id = match self.tree[id].kind {
                ExprKind::Match { .. } => return true,
                ExprKind::Let { body, .. } | ExprKind::Fun { body, .. } => body,
                ExprKind::If { else_branch, .. } => else_branch,
                ExprKind::Or { rhs, .. }
                | ExprKind::And { rhs, .. }
                | ExprKind::Comparison { rhs, .. }
                | ExprKind::Arithmetic { rhs, .. } => rhs,
                ExprKind::Not { operand } | ExprKind::Negate { operand } => operand,
                _ => return false,
            };
        }
    }

    fn tokens(&self) -> Tokens {
        // Only reports need tokens again, and few have an edit that does.
        Tokens(lex(self.file.id, self.bytes(), &mut Names::new()))
    }
}

/// The tokens of the text.
struct Tokens(Lexed);

impl Tokens {
    fn kind(&self, index: usize) -> Option<TokenKind> {
        self.0.tokens.get(index).map(|token| token.kind)
    }

    fn span(&self, index: usize) -> Option<Span> {
        self.0.tokens.get(index).map(|token| token.span)
    }

    fn starting_at(&self, offset: u32) -> Option<usize> {
        let tokens = &self.0.tokens;
        let index = tokens.partition_point(|token| token.span.start < offset);
        (self.span(index)?.start == offset).then_some(index)
    }

    fn ending_at(&self, offset: u32) -> Option<usize> {
        let tokens = &self.0.tokens;
        let index = tokens.partition_point(|token| token.span.end < offset);
        (self.span(index)?.end == offset).then_some(index)
    }

    /// Finds the `|` before an arm, whose pattern may stand in brackets.
    fn bar_before(&self, offset: u32) -> Option<u32> {
        let mut index = self.starting_at(offset)?;
        loop {
            index = index.checked_sub(1)?;
            match self.kind(index)? {
                TokenKind::OpenParen => {}
                TokenKind::Bar => return Some(self.span(index)?.start),
                _ => return None,
            }
        }
    }

    /// Finds the end of the token before an offset at which another one begins.
    fn end_before(&self, offset: u32) -> Option<u32> {
        let index = self.starting_at(offset)?.checked_sub(1)?;
        Some(self.span(index)?.end)
    }

    /// Finds the end of an arm with the brackets around its body.
    fn end_of(&self, span: Span) -> Option<u32> {
        let first = self.starting_at(span.start)?;
        let last = self.ending_at(span.end)?;
        // Brackets around the whole pattern open before the span; only those behind the arrow matter.
        let mut depth = 0_i32;
        let mut index = first;
        while index <= last {
            match self.kind(index)? {
                TokenKind::OpenParen => depth += 1,
                TokenKind::CloseParen => depth -= 1,
                TokenKind::Arrow if depth < 0 => depth = 0,
                _ => {}
            }
            index += 1;
        }
        let mut end = span.end;
        while depth > 0 && self.kind(index)? == TokenKind::CloseParen {
            end = self.span(index)?.end;
            depth -= 1;
            index += 1;
        }
        Some(end)
    }
}
