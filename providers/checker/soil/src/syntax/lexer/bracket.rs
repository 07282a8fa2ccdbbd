//! What a bracket, which no token holds, may have been meant as.

use super::Lexer;
use crate::syntax::TokenKind;

/// What stands in a pair of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    /// The arguments of a type, behind its name.
    TypeArguments,
    /// A type of its own.
    Type,
    /// The position of an element, directly behind what has it.
    Position,
    /// Something before any signature.
    Head,
    /// Elements.
    Elements,
}

impl Bracket {
    /// Says what to write instead.
    pub(super) const fn hint(self) -> &'static str {
        match self {
            Self::TypeArguments => {
                "a type takes its arguments without brackets, as in `List a` and `Map k v`"
            }
            Self::Type => "the type of a list is `List a`, that of a map is `Map k v`",
            Self::Position => "`list_nth xs i` reads an element; the first one is at 0",
            Self::Head => {
                "a definition begins with its name, `:` and its type, as in `f : List a -> I64`"
            }
            Self::Elements => {
                "there is no literal for a list: `list_append` adds to `list_empty`, as in `list_append list_empty x`"
            }
        }
    }
}

impl Lexer<'_> {
    /// Finds what the bracket that stands next may open, by the tokens before it.
    pub(super) fn bracket(&self) -> Bracket {
        let tokens = &self.lexed.tokens;
        let Some(last) = tokens.last() else {
            return Bracket::Head;
        };
        let is_directly_behind = last.span.range().end == self.at;
        match self.place() {
            Bracket::Type if last.kind == TokenKind::TypeName => Bracket::TypeArguments,
            Bracket::Elements
                if is_directly_behind
                    && matches!(last.kind, TokenKind::Ident | TokenKind::CloseParen) =>
            {
                Bracket::Position
            }
            place => place,
        }
    }

    /// Tells types, expressions and the head of a file apart by the nearest token that begins one of them.
    fn place(&self) -> Bracket {
        // What stands in parentheses that are closed already says nothing about what follows them.
        let mut closed = 0_u32;
        for token in self.lexed.tokens.iter().rev() {
            match token.kind {
                TokenKind::CloseParen => closed += 1,
                TokenKind::OpenParen => closed = closed.saturating_sub(1),
                _ if closed > 0 => {}
                TokenKind::Colon => return Bracket::Type,
                TokenKind::Equal
                | TokenKind::Decreases
                | TokenKind::Let
                | TokenKind::In
                | TokenKind::Fun
                | TokenKind::If
                | TokenKind::Then
                | TokenKind::Else
                | TokenKind::Match
                | TokenKind::With
                | TokenKind::Bar => return Bracket::Elements,
                _ => {}
            }
        }
        Bracket::Head
    }
}
