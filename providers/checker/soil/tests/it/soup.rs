//! Random sequences of tokens and bytes: nothing panics, and what is accepted obeys the printer's law.

use proptest::collection::vec;
use proptest::prelude::*;
use soil::print;
use soil::source::{FileId, Span};
use soil::syntax::tree::{ExprKind, PatternKind, PredicateKind, TermKind, Tree, TypeKind};
use soil::syntax::{FileShape, Names, Parsed, TokenKind, lex, parse};

const WORDS: &[&str] = &[
    "let",
    "rec",
    "and",
    "or",
    "not",
    "in",
    "fun",
    "match",
    "with",
    "if",
    "then",
    "else",
    "decreases",
    "->",
    "::",
    "..",
    "==",
    "!=",
    "<",
    "=",
    "|",
    ":",
    ".",
    ",",
    "(",
    ")",
    "{",
    "}",
    "+",
    "-",
    "*",
    "_",
    "f",
    "x",
    "y",
    "_p",
    "A",
    "Bc",
    "is",
    "implies",
    "div",
    "io",
    "1",
    "2.5",
    "\"s\"",
    "?h",
    "\n",
    "\nf : A\nf =",
    "x ->",
    "| A ->",
    "let x =",
    "{ a =",
    "(x : A)",
    "@",
    "-- c\n",
];

fn soup() -> impl Strategy<Value = String> {
    let words = vec(prop::sample::select(WORDS), 0..40);
    let start =
        prop::sample::select(&["", "f : A\nf = ", "f : ", "f : A\nf = match x with | "][..]);
    (start, words).prop_map(|(start, words)| format!("{start}{}", words.join(" ")))
}

fn read(bytes: &[u8], names: &mut Names) -> Parsed {
    parse(FileId::new(0), bytes, FileShape::Free, names)
}

fn has_error_node(tree: &Tree) -> bool {
    tree.expr_ids()
        .any(|id| matches!(tree[id].kind, ExprKind::Error))
        || tree
            .type_ids()
            .any(|id| matches!(tree[id].kind, TypeKind::Error))
        || tree
            .pattern_ids()
            .any(|id| matches!(tree[id].kind, PatternKind::Error))
        || tree
            .predicate_ids()
            .any(|id| matches!(tree[id].kind, PredicateKind::Error))
        || tree
            .term_ids()
            .any(|id| matches!(tree[id].kind, TermKind::Error))
}

/// Gives a token that neither a definition nor what was passed over holds. Brackets that only group are in no node.
fn uncovered(text: &str, parsed: &Parsed) -> Option<Span> {
    let lexed = lex(FileId::new(0), text.as_bytes(), &mut Names::new());
    let definitions = parsed
        .tree
        .definitions
        .iter()
        .map(|definition| definition.span);
    let held: Vec<Span> = definitions
        .chain(parsed.tree.skipped.iter().copied())
        .collect();
    let tokens = lexed
        .tokens
        .iter()
        .filter(|token| !matches!(token.kind, TokenKind::OpenParen | TokenKind::CloseParen));
    let mut spans = tokens.map(|token| token.span);
    spans.find(|span| !held.iter().any(|holder| holder.contains(*span)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_are_read_or_reported(text in soup()) {
        let mut names = Names::new();
        let parsed = read(text.as_bytes(), &mut names);
        for found in parsed.diagnostics.iter() {
            let span = found.span.expect("each has a place");
            prop_assert!(span.end as usize <= text.len() && span.start <= span.end);
        }
        if parsed.diagnostics.is_empty() {
            prop_assert!(!has_error_node(&parsed.tree), "{}", text);
            let printed = print::file(&parsed.tree, &names);
            let again = read(printed.as_bytes(), &mut names);
            prop_assert!(again.diagnostics.is_empty(), "{}\n{}\n{:?}", text, printed, again.diagnostics);
            prop_assert_eq!(print::file(&again.tree, &names), printed);
        }
        prop_assert_eq!(uncovered(&text, &parsed), None, "{}\n{:?}", text, parsed.diagnostics);
    }

    #[test]
    fn bytes_are_read_or_reported(bytes in vec(any::<u8>(), 0..200)) {
        let parsed = read(&bytes, &mut Names::new());
        prop_assert!(parsed.tree.definitions.is_empty() || !parsed.diagnostics.is_empty() || parsed.tree.definitions.iter().all(|found| found.is_read));
    }

    /// Reading twice gives the same reports: nothing depends on what the table of names held before.
    #[test]
    fn reports_do_not_depend_on_the_names(text in soup()) {
        let mut names = Names::new();
        for word in ["unused", "zzz", "h", "y", "Bc"] {
            names.intern(word);
        }
        let first: Vec<_> = read(text.as_bytes(), &mut Names::new()).diagnostics.into_sorted();
        let second: Vec<_> = read(text.as_bytes(), &mut names).diagnostics.into_sorted();
        prop_assert_eq!(first, second);
    }
}
