//! Which bracket closes which.

use crate::syntax::{Token, TokenKind};

/// The pairs of brackets of a file.
///
/// A bracket in which a word stands that needs an earlier one outside, like an `in` without its `let`, is not closed: it has no
/// partner. Beyond that, what is accepted is judged by all pairs. Where the text does not read, those that layout makes
/// unlikely are given up: both of the pair are taken for what is left of two others.
#[derive(Default)]
pub(super) struct Brackets {
    /// For each token the index of its partner, or `NONE`.
    partners: Vec<u32>,
    /// The opening brackets of pairs in which a line begins no further in than the line of the opening one.
    unlikely: Vec<u32>,
}

/// An opening bracket that was not closed so far.
struct Open {
    index: usize,
    kind: TokenKind,
    /// The indentation of its line.
    indent: u32,
    /// The least indentation of the lines that begin within it.
    least: u32,
    words: Words,
}

/// How many words within one pair of brackets wait for a later one.
#[derive(Clone, Copy, Default)]
struct Words {
    /// `let` without its `in`.
    lets: u32,
    /// `if` without its `then`.
    conditions: u32,
    /// `then` without its `else`.
    branches: u32,
    /// `match` without its `with`.
    matches: u32,
    /// `with` behind which arms may stand.
    arms: u32,
}

impl Words {
    /// Counts a word; false when it needs an earlier one that is not here.
    fn count(&mut self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Let => self.lets += 1,
            TokenKind::If => self.conditions += 1,
            TokenKind::Match => self.matches += 1,
            TokenKind::In => return take(&mut self.lets),
            TokenKind::Then => {
                let is_there = take(&mut self.conditions);
                self.branches += u32::from(is_there);
                return is_there;
            }
            TokenKind::Else => return take(&mut self.branches) || take(&mut self.conditions),
            TokenKind::With => {
                let is_there = take(&mut self.matches);
                self.arms += u32::from(is_there);
                return is_there;
            }
            TokenKind::Bar => return self.arms > 0 || take(&mut self.matches),
            _ => {}
        }
        true
    }
}

fn take(count: &mut u32) -> bool {
    let is_there = *count > 0;
    *count -= u32::from(is_there);
    is_there
}

impl Brackets {
    const NONE: u32 = u32::MAX;

    /// Pairs the brackets of a file; one that is crossed by a pair of the other kind has no partner.
    pub(super) fn new(tokens: &[Token], bytes: &[u8]) -> Self {
        let mut brackets = Self {
            partners: vec![Self::NONE; tokens.len()],
            unlikely: Vec::new(),
        };
        let mut open: Vec<Open> = Vec::new();
        let (mut parens, mut braces) = (0_usize, 0_usize);
        let mut indent = 0;
        let mut outermost = Words::default();
        for (index, token) in tokens.iter().enumerate() {
            if token.begins_line {
                indent = indent_of(bytes, token.span.start);
                if let Some(innermost) = open.last_mut() {
                    innermost.least = innermost.least.min(indent);
                }
            }
            let (opener, count) = match token.kind {
                TokenKind::OpenParen | TokenKind::OpenBrace => {
                    let kind = token.kind;
                    *(if kind == TokenKind::OpenParen {
                        &mut parens
                    } else {
                        &mut braces
                    }) += 1;
                    open.push(Open {
                        index,
                        kind,
                        indent,
                        least: u32::MAX,
                        words: Words::default(),
                    });
                    continue;
                }
                TokenKind::CloseParen => (TokenKind::OpenParen, parens),
                TokenKind::CloseBrace => (TokenKind::OpenBrace, braces),
                kind => {
                    let is_doubled = kind == TokenKind::Bar && is_doubled(tokens, index);
                    for popped in count_word(&mut open, &mut outermost, kind, is_doubled) {
                        *(if popped.kind == TokenKind::OpenParen {
                            &mut parens
                        } else {
                            &mut braces
                        }) -= 1;
                    }
                    continue;
                }
            };
            if count == 0 {
                continue;
            }
            while let Some(popped) = open.pop() {
                *(if popped.kind == TokenKind::OpenParen {
                    &mut parens
                } else {
                    &mut braces
                }) -= 1;
                if let Some(around) = open.last_mut() {
                    around.least = around.least.min(popped.least);
                }
                if popped.kind == opener {
                    brackets.pair(&popped, index);
                    break;
                }
            }
        }
        brackets
    }

    fn pair(&mut self, open: &Open, close: usize) {
        self.partners[open.index] = index_of(close);
        self.partners[close] = index_of(open.index);
        if open.least <= open.indent {
            self.unlikely.push(index_of(open.index));
        }
    }

    /// Gives the token that closes the bracket that opens here.
    pub(super) fn close(&self, index: usize) -> Option<usize> {
        let partner = *self.partners.get(index)?;
        let is_closed = partner != Self::NONE && partner as usize > index;
        is_closed.then_some(partner as usize)
    }

    /// Gives the token that opens the bracket that closes here.
    pub(super) fn open(&self, index: usize) -> Option<usize> {
        let partner = *self.partners.get(index)?;
        let is_opened = partner != Self::NONE && (partner as usize) < index;
        is_opened.then_some(partner as usize)
    }

    /// Gives the pairs up that layout makes unlikely.
    pub(super) fn give_up_unlikely(&mut self) {
        for open in std::mem::take(&mut self.unlikely) {
            let close = std::mem::replace(&mut self.partners[open as usize], Self::NONE);
            self.partners[close as usize] = Self::NONE;
        }
    }

    /// Says whether layout makes a pair unlikely.
    pub(super) fn has_unlikely(&self) -> bool {
        !self.unlikely.is_empty()
    }
}

/// Counts a word where it stands, and gives the brackets that it shows to be unclosed.
fn count_word(
    open: &mut Vec<Open>,
    outermost: &mut Words,
    kind: TokenKind,
    is_doubled: bool,
) -> Vec<Open> {
    let Some(innermost) = open.last_mut() else {
        outermost.count(kind);
        return Vec::new();
    };
    // An update has a `with` of its own, a refinement a bar.
    let is_own =
        innermost.kind == TokenKind::OpenBrace && matches!(kind, TokenKind::With | TokenKind::Bar);
    if is_doubled || innermost.words.count(kind) || is_own {
        return Vec::new();
    }
    let mut levels = open.iter_mut().rev().skip(1);
    let outer = levels.position(|level| level.words.count(kind));
    match outer {
        Some(distance) => open.split_off(open.len() - distance - 1),
        None if outermost.count(kind) => std::mem::take(open),
        None => Vec::new(),
    }
}

/// Says whether a bar stands beside another one, as the `or` of other languages.
fn is_doubled(tokens: &[Token], index: usize) -> bool {
    let is_bar = |index: usize| {
        tokens
            .get(index)
            .is_some_and(|token| token.kind == TokenKind::Bar)
    };
    is_bar(index + 1) || index.checked_sub(1).is_some_and(is_bar)
}

fn index_of(index: usize) -> u32 {
    u32::try_from(index).expect("a text of at most 1 MiB has fewer than 2^32 tokens")
}

/// Counts the bytes between the beginning of its line and an offset.
fn indent_of(bytes: &[u8], start: u32) -> u32 {
    let before = bytes[..start as usize].iter().rev();
    let count = before.take_while(|byte| **byte != b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}
