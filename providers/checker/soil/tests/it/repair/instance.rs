//! Whether one text is another one with its holes filled.

use soil::source::FileId;
use soil::syntax::{Names, TokenKind, lex};

/// Says whether a text is a pattern with something put for its holes, and for the wildcards of its patterns.
///
/// Both are canonical text; brackets that only something longer needs count as a part of it.
pub(crate) fn is_instance(text: &str, pattern: &str) -> bool {
    let (text, pattern) = (tokens(text), tokens(pattern));
    let holes = pattern.iter().filter(|(kind, _)| *kind == TokenKind::Hole);
    holes.count() > 0 && matches(&text, &pattern)
}

/// Gives the tokens of a text that are neither brackets nor holes.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let is_word = |(kind, _): &Token<'_>| {
        !matches!(
            kind,
            TokenKind::OpenParen | TokenKind::CloseParen | TokenKind::Hole
        )
    };
    let words = tokens(text).into_iter().filter(is_word);
    words.map(|(_, word)| word).collect()
}

type Token<'a> = (TokenKind, &'a str);

fn tokens(text: &str) -> Vec<Token<'_>> {
    let lexed = lex(FileId::new(0), text.as_bytes(), &mut Names::new());
    let tokens = lexed.tokens.iter().map(|token| {
        let part = &text[token.span.range()];
        (token.kind, part)
    });
    tokens.collect()
}

fn matches(text: &[Token<'_>], pattern: &[Token<'_>]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return text.is_empty();
    };
    match first.0 {
        TokenKind::Hole | TokenKind::Underscore => {
            let mut depth = 0_i32;
            for (index, (kind, _)) in text.iter().enumerate() {
                match kind {
                    TokenKind::OpenParen | TokenKind::OpenBrace => depth += 1,
                    TokenKind::CloseParen | TokenKind::CloseBrace => depth -= 1,
                    _ => {}
                }
                if depth < 0 {
                    return false;
                }
                if depth == 0 && matches(&text[index + 1..], rest) {
                    return true;
                }
            }
            false
        }
        _ => text.first() == Some(first) && matches(&text[1..], rest),
    }
}

#[test]
fn holes_stand_for_what_is_whole() {
    let cases = [
        ("f : I64\nf = 1\n", "f : I64\nf = ?a\n", true),
        ("f : I64\nf = g (h 1) 2\n", "f : I64\nf = g ?a 2\n", true),
        ("f : I64\nf = g (h 1) 2\n", "f : I64\nf = g ?a 3\n", false),
        ("f : I64\nf = g (h 1) 2\n", "f : I64\nf = g (h ?a\n", false),
        ("f : I64\nf = g 1 2\n", "f : I64\nf = g 1 2\n", false),
    ];
    for (text, pattern, expected) in cases {
        assert_eq!(is_instance(text, pattern), expected, "{text} {pattern}");
    }
}
