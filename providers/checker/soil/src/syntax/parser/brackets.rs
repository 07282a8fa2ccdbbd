//! Which bracket closes which.

use crate::syntax::{Token, TokenKind};

/// The pairs of brackets of a file.
///
/// What is accepted is judged by all pairs. Where the text does not read, those that layout makes unlikely are given up: both
/// of the pair are taken for what is left of two others.
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
                    let least = u32::MAX;
                    open.push(Open {
                        index,
                        kind,
                        indent,
                        least,
                    });
                    continue;
                }
                TokenKind::CloseParen => (TokenKind::OpenParen, parens),
                TokenKind::CloseBrace => (TokenKind::OpenBrace, braces),
                _ => continue,
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

fn index_of(index: usize) -> u32 {
    u32::try_from(index).expect("a text of at most 1 MiB has fewer than 2^32 tokens")
}

/// Counts the bytes between the beginning of its line and an offset.
fn indent_of(bytes: &[u8], start: u32) -> u32 {
    let before = bytes[..start as usize].iter().rev();
    let count = before.take_while(|byte| **byte != b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}
