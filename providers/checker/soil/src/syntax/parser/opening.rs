//! Where the opening bracket was meant that a closing one lacks.
//!
//! A bracket that was lost tears apart what it held: a match ends too late, its arms become those of another one, a word seems to
//! lack its partner. So a file with a closing bracket that nothing opens is read as if its partner stood where the rest reads
//! best. The lost bracket is reported once; what it would hold becomes an error node.

use std::cell::Cell;
use std::collections::HashSet;

use super::atom::{begins_atom, continues_path};
use super::block::is_block;
use super::{Diagnostics, ExprKind, Token, TokenKind, Tree};
use crate::diagnostic::{Diagnostic, MAX_TRIED_BYTES};
use crate::source::Span;
use crate::syntax::Name;
use crate::syntax::tree::PatternKind;

/// How many tokens may be read for the places at which brackets are tried.
///
/// Enough for some hundred places of a definition; hostile text is given up in time.
const MAX_READ: usize = 200_000;

/// The most closing brackets of a file whose partners are looked for.
const MAX_BRACKETS: usize = 16;

/// The most places that are tried for one bracket.
const MAX_PLACES: usize = 256;

/// What reading a file gives.
pub(super) type Reading = (Tree, Diagnostics);

/// How many tokens may still be read to find places of brackets.
#[derive(Debug)]
pub(super) struct Effort(Cell<usize>);

impl Effort {
    /// Gives what one file may cost; a long text is not read anew.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let is_short = bytes.len() <= MAX_TRIED_BYTES;
        Self(Cell::new(if is_short { MAX_READ } else { 0 }))
    }

    fn take(&self, count: usize) -> bool {
        let left = self.0.get().checked_sub(count);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Improves a reading by the opening brackets that closing ones lack.
pub(super) fn reopened(
    tokens: &[Token],
    first: Reading,
    effort: &Effort,
    read: impl Fn(&[Token]) -> Reading,
) -> Reading {
    let mut best = first;
    if best.1.is_empty() || best.1.suppressed() > 0 {
        return best;
    }
    let mut tokens = tokens.to_vec();
    let mut roots: Vec<Diagnostic> = Vec::new();
    let mut from = 0;
    for _ in 0..MAX_BRACKETS {
        let Some(close) = lonely(&tokens, from) else {
            break;
        };
        from = close + 1;
        let Some((place, reading)) = best_place(&tokens, close, &best, effort, &read) else {
            continue;
        };
        let Some(root) = best.1.iter().find(|found| !holds(&reading.1, found)) else {
            continue;
        };
        roots.push(root.clone());
        tokens = with_opening(&tokens, place);
        from += 1;
        best = reading;
    }
    for root in roots {
        best.1.push(root);
    }
    best
}

/// Reads with an opening bracket at each place before a closing one; gives the one with which most of the mistakes vanish, none is
/// within the group and no other one appears.
fn best_place(
    tokens: &[Token],
    close: usize,
    before: &Reading,
    effort: &Effort,
    read: &impl Fn(&[Token]) -> Reading,
) -> Option<(usize, Reading)> {
    let mut best: Option<((usize, usize, u8), usize, Reading)> = None;
    for (rank, place) in places(tokens, close) {
        if !effort.take(tokens.len()) {
            break;
        }
        let reading = read(&with_opening(tokens, place));
        let key = (reading.1.len(), repeated_arms(&reading.0), rank);
        let is_better = best.as_ref().is_none_or(|(other, ..)| key < *other);
        let group = tokens[place].span.to(tokens[close].span);
        let is_whole = reading.1.iter().all(|found| {
            holds(&before.1, found) && found.span.is_none_or(|span| !group.contains(span))
        });
        if key.0 < before.1.len() && is_whole && is_better {
            best = Some((key, place, reading));
        }
    }
    best.map(|(_, place, reading)| (place, reading))
}

/// Finds the next closing bracket that nothing in its definition opens.
fn lonely(tokens: &[Token], from: usize) -> Option<usize> {
    let mut open = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::OpenParen => open += 1,
            TokenKind::CloseParen if open == 0 && index >= from => return Some(index),
            TokenKind::CloseParen => open = open.saturating_sub(1),
            _ if begins_definition(tokens, index) => open = 0,
            _ => {}
        }
    }
    None
}

/// Says whether a line begins here with a name before `:`, outside what a line before it left open.
fn begins_definition(tokens: &[Token], index: usize) -> bool {
    let kind = |index: usize| tokens.get(index).map(|token| token.kind);
    let before = index.checked_sub(1).and_then(kind);
    tokens[index].begins_line
        && matches!(tokens[index].kind, TokenKind::Ident | TokenKind::Private)
        && kind(index + 1) == Some(TokenKind::Colon)
        && !matches!(
            before,
            Some(TokenKind::OpenParen | TokenKind::OpenBrace | TokenKind::Comma)
        )
}

/// Lists the places before a closing bracket at which its partner may have stood, each with its rank; better ones have a lower rank.
///
/// They stand in the line of the bracket: a group that takes several lines rarely loses its first bracket alone.
fn places(tokens: &[Token], close: usize) -> Vec<(u8, usize)> {
    let line = (0..=close)
        .rev()
        .find(|index| tokens[*index].begins_line)
        .unwrap_or(0);
    let is_place = |index: &usize| is_start(tokens, *index) && *index + 1 < close;
    let places = (line..close).filter(is_place);
    let ranked = places.map(|index| (rank(tokens, index, close), index));
    ranked.take(MAX_PLACES).collect()
}

/// Says whether an expression may begin at a token.
fn is_start(tokens: &[Token], index: usize) -> bool {
    let kind = tokens[index].kind;
    let before = index.checked_sub(1).map(|before| tokens[before].kind);
    let is_part = before.is_some_and(continues_path);
    !is_part
        && (is_block(kind)
            || begins_atom(kind)
            || matches!(kind, TokenKind::Minus | TokenKind::Not))
}

/// Ranks a place by whether a bracket there has a use.
///
/// A block needs one as an operand, and as the body of an arm with further arms behind it; what is no block may need one as
/// an operand, or as the first part of an operation.
fn rank(tokens: &[Token], index: usize, close: usize) -> u8 {
    let before = index.checked_sub(1).map(|before| tokens[before].kind);
    let behind = tokens.get(close + 1).map(|token| token.kind);
    let is_operand = !matches!(
        before,
        None | Some(
            TokenKind::Arrow
                | TokenKind::Then
                | TokenKind::Else
                | TokenKind::In
                | TokenKind::Equal
                | TokenKind::With
                | TokenKind::If
                | TokenKind::Match
                | TokenKind::OpenParen
        )
    );
    let is_arm = before == Some(TokenKind::Arrow) && behind == Some(TokenKind::Bar);
    match (is_block(tokens[index].kind), is_operand) {
        _ if is_in_type(tokens, index) => 4,
        (true, _) if is_operand || is_arm => 0,
        (true, _) => 3,
        (false, true) => 1,
        (false, false) => 2,
    }
}

/// Says whether only parts of a type stand between a token and a `:` before it.
fn is_in_type(tokens: &[Token], index: usize) -> bool {
    let mut before = tokens[..index].iter().rev().map(|token| token.kind);
    let end = before.find(|kind| {
        !matches!(
            kind,
            TokenKind::TypeName
                | TokenKind::Ident
                | TokenKind::OpenParen
                | TokenKind::CloseParen
                | TokenKind::Arrow
        )
    });
    end == Some(TokenKind::Colon)
}

/// Puts an opening bracket without a width before a token.
fn with_opening(tokens: &[Token], place: usize) -> Vec<Token> {
    let mut changed = tokens.to_vec();
    let behind = &mut changed[place];
    let opening = Token {
        span: Span::empty_at(behind.span.start),
        name: None,
        kind: TokenKind::OpenParen,
        begins_line: std::mem::take(&mut behind.begins_line),
    };
    changed.insert(place, opening);
    changed
}

fn holds(found: &Diagnostics, wanted: &Diagnostic) -> bool {
    let mut found = found.iter();
    found.any(|other| other.code == wanted.code && other.span == wanted.span)
}

/// Counts the arms that an earlier one of their match leaves nothing for, as far as that shows in constructors alone.
fn repeated_arms(tree: &Tree) -> usize {
    let mut count = 0;
    for id in tree.expr_ids() {
        let ExprKind::Match { arms, .. } = tree[id].kind else {
            continue;
        };
        let mut seen: HashSet<Name> = HashSet::new();
        let mut is_covered = false;
        for arm in &tree[arms] {
            let is_repeated = match tree[arm.pattern].kind {
                PatternKind::Constructor { name, argument, .. } => {
                    let takes_all = argument.is_none_or(|argument| takes_all(tree[argument].kind));
                    let is_known = seen.contains(&name);
                    if takes_all {
                        seen.insert(name);
                    }
                    is_known
                }
                _ => false,
            };
            count += usize::from(is_repeated || is_covered);
            is_covered |= takes_all(tree[arm.pattern].kind);
        }
    }
    count
}

const fn takes_all(kind: PatternKind) -> bool {
    matches!(kind, PatternKind::Wildcard | PatternKind::Bind { .. })
}
