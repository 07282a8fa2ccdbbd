//! Places for edits in the text of a definition.

use super::Inferer;
use crate::diagnostic::{Edit, EditKind, MAX_TRIED_BYTES, Splice};
use crate::environment::TypeId;
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

    /// Offers to add arms: where the declaration of the sum has their variants, else behind the last arm, or before the first
    /// one where they would belong to another match.
    pub(super) fn arm_insertion(&self, arms: List<Arm>, added: &[String]) -> Option<Edit> {
        let arms = &self.tree[arms];
        let last = arms.last()?;
        let tokens = self.tokens();
        let ranks = self.variant_ranks(arms);
        let mut splices: Vec<Splice> = Vec::new();
        for arm in added {
            let place = ranks.as_ref().and_then(|(owner, ranks)| {
                let rank = self.rank_of(*owner, arm)?;
                Some(
                    ranks
                        .iter()
                        .rposition(|other| *other <= rank)
                        .map_or(0, |before| before + 1),
                )
            });
            let position = match place.unwrap_or(arms.len()) {
                end if end == arms.len() && self.ends_open(last.body) => 0,
                position => position,
            };
            let (offset, text) = match arms.get(position) {
                Some(next) => (tokens.bar_before(next.span.start)?, format!("{arm} ")),
                None => (tokens.end_of(last.span)?, format!(" {arm}")),
            };
            splices.push(Splice {
                file: self.file.id,
                span: Span::empty_at(offset),
                text,
            });
        }
        splices.sort_by_key(|splice| splice.span.start);
        Some(Edit {
            title: "add the missing arms with holes".to_owned(),
            kind: EditKind::Placeholder,
            splices,
        })
    }

    /// Gives the sum that arms are of, with the position of the variant of each; none where one takes anything.
    fn variant_ranks(&self, arms: &[Arm]) -> Option<(TypeId, Vec<usize>)> {
        let mut owner = None;
        let mut ranks = Vec::with_capacity(arms.len());
        for arm in arms {
            let constructor = self.referents.pattern(arm.pattern)?;
            let constructor = &self.environment[constructor];
            owner = Some(constructor.owner);
            ranks.push(constructor.variant as usize);
        }
        Some((owner?, ranks))
    }

    /// Gives the position of the variant that the pattern of an arm begins with.
    fn rank_of(&self, owner: TypeId, arm: &str) -> Option<usize> {
        let word = arm.trim_start_matches("| ").split(' ').next()?;
        let word = word.rsplit("::").next()?;
        let variants = self.environment.variants(owner)?;
        variants
            .iter()
            .position(|variant| self.text(variant.name) == word)
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

    /// Widens the span of an expression until every bracket in it is closed in it.
    ///
    /// A span leaves out the brackets around the first and the last part.
    pub(super) fn bracketed(&self, span: Span) -> Span {
        if self.bytes().len() > MAX_TRIED_BYTES {
            return span;
        }
        self.tokens().bracketed(span).unwrap_or(span)
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

    fn bracketed(&self, span: Span) -> Option<Span> {
        let (first, last) = (self.starting_at(span.start)?, self.ending_at(span.end)?);
        let (mut before, mut behind) = (0, 0);
        for index in first..=last {
            match self.kind(index)? {
                TokenKind::OpenParen => behind += 1,
                TokenKind::CloseParen if behind == 0 => before += 1,
                TokenKind::CloseParen => behind -= 1,
                _ => {}
            }
        }
        let start = self.span(first.checked_sub(before)?)?.start;
        Some(Span::new(start, self.span(last + behind)?.end))
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
