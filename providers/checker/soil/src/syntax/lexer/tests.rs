use super::*;

type Report = (&'static str, u32, u32);

fn lexed(bytes: &[u8]) -> (Vec<String>, Vec<Report>) {
    let mut names = Names::new();
    let lexed = lex(FileId::new(0), bytes, &mut names);
    let shown = lexed
        .tokens
        .iter()
        .map(|token| match (token.kind.text(), token.name) {
            (Some(text), _) => text.to_owned(),
            (None, Some(name)) => format!("{:?}({})", token.kind, &names[name]),
            (None, None) => format!("{:?}", token.kind),
        });
    let reported = lexed.diagnostics.iter().map(|diagnostic| {
        let span = diagnostic.span.expect("lex codes have a span");
        (diagnostic.code.text(), span.start, span.end)
    });
    (shown.collect(), reported.collect())
}

#[test]
fn tokens() {
    let cases: &[(&str, &[&str])] = &[
        ("a--b\nc", &["Ident(a)", "Ident(c)"]),
        ("1..2", &["Int(1)", "..", "Int(2)"]),
        ("1e5", &["Int(1)", "Ident(e5)"]),
        ("1.5e", &["Float(1.5)", "Ident(e)"]),
        ("1.5e-", &["Float(1.5)", "Ident(e)", "-"]),
        ("1_0.2_5e-1_0", &["Float(10.25e-10)"]),
        ("1_000_", &["Int(1000)"]),
        (
            "_9 _a __b _",
            &["_", "Int(9)", "Private(_a)", "_", "Private(_b)", "_"],
        ),
        (
            "x.y Ty::c ?hole",
            &[
                "Ident(x)",
                ".",
                "Ident(y)",
                "TypeName(Ty)",
                "::",
                "Ident(c)",
                "Hole(hole)",
            ],
        ),
        (
            "-> :: .. == != <= >=",
            &["->", "::", "..", "==", "!=", "<=", ">="],
        ),
        (
            "= | : . , ( ) { } < > + - * / % _",
            &[
                "=", "|", ":", ".", ",", "(", ")", "{", "}", "<", ">", "+", "-", "*", "/", "%", "_",
            ],
        ),
        (
            "let rec and or not in fun match with if then else decreases",
            &[
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
            ],
        ),
        (
            "is implies div letx",
            &["Ident(is)", "Ident(implies)", "Ident(div)", "Ident(letx)"],
        ),
        (r#""a\"\\\n\r\t\u{e9}\u{1F642}""#, &["Text(a\"\\\n\r\té🙂)"]),
        ("\"two\nlines\"", &["Text(two\nlines)"]),
    ];
    for (source, expected) in cases {
        let (tokens, reported) = lexed(source.as_bytes());
        assert_eq!(tokens, *expected, "{source}");
        assert_eq!(reported, [], "{source}");
    }
}

#[test]
fn rejections_with_their_spans() {
    let cases: &[(&[u8], &[Report])] = &[
        (b"a \"b", &[("unterminated-string", 2, 4)]),
        (b"\"a\\", &[("unterminated-string", 0, 3)]),
        (br#""\q""#, &[("bad-escape", 1, 3)]),
        (
            br#""\u{}" "\u{1234567}" "\u{zz}" "\u0041""#,
            &[
                ("bad-escape", 1, 5),
                ("bad-escape", 8, 19),
                ("bad-escape", 22, 28),
                ("bad-escape", 31, 37),
            ],
        ),
        (
            br#""\u{d800}" "\u{110000}""#,
            &[("escape-not-scalar", 1, 9), ("escape-not-scalar", 12, 22)],
        ),
        (
            b"a ! b ? c @ [ ;",
            &[
                ("stray-character", 2, 3),
                ("stray-character", 6, 7),
                ("stray-character", 10, 11),
                ("stray-character", 12, 13),
                ("stray-character", 14, 15),
            ],
        ),
        ("é".as_bytes(), &[("stray-character", 0, 2)]),
        (b"\xff\xfe\xe2\x82 x", &[("stray-character", 0, 4)]),
        (
            b"-- \xff\xff a \xff\n\"\xff\"",
            &[
                ("stray-character", 3, 5),
                ("stray-character", 8, 9),
                ("stray-character", 11, 12),
            ],
        ),
        (b"\"\\\xff\"", &[("bad-escape", 1, 3)]),
    ];
    for (source, expected) in cases {
        assert_eq!(lexed(source).1, *expected, "{}", source.escape_ascii());
    }
}

#[test]
fn a_wrong_escape_of_another_language_has_an_edit() {
    for (source, expected) in [
        (r#""\x41""#, r"\u{41}"),
        (r#""\'""#, "'"),
        (r#""\0""#, r"\u{0}"),
        (r#""\u00e9""#, r"\u{00e9}"),
    ] {
        let lexed = lex(FileId::new(0), source.as_bytes(), &mut Names::new());
        let edits: Vec<&str> = lexed
            .diagnostics
            .iter()
            .flat_map(|diagnostic| &diagnostic.edits)
            .flat_map(|edit| &edit.splices)
            .map(|splice| splice.text.as_str())
            .collect();
        assert_eq!(edits, [expected], "{source}");
    }
}

#[test]
fn a_text_over_the_bound_is_refused() {
    let (tokens, reported) = lexed(&vec![b'('; MAX_SOURCE_BYTES + 1]);
    assert!(tokens.is_empty());
    assert_eq!(reported, [("limit-exceeded", 1 << 20, 1 << 20)]);
}

#[test]
fn long_tokens_are_bounded_by_the_text() {
    let word = "a".repeat(MAX_SOURCE_BYTES);
    assert_eq!(lexed(word.as_bytes()).0.len(), 1);
    let stray = vec![b'@'; MAX_SOURCE_BYTES];
    let (tokens, reported) = lexed(&stray);
    assert_eq!(tokens.len(), MAX_SOURCE_BYTES);
    assert_eq!(reported.len(), 1_000);
}

/// A bracket says what to write for what it was meant as, by where it stands.
#[test]
fn brackets_say_what_to_write_instead() {
    let cases: &[(&str, &[&str], usize)] = &[
        ("cart [a] 1", &["a definition begins with its name"], 0),
        (
            "cart : Cart [a] 1",
            &["a type takes its arguments without brackets"],
            2,
        ),
        (
            "cart : List[a] -> I64",
            &["a type takes its arguments without brackets"],
            2,
        ),
        ("cart : [a] -> I64", &["the type of a list is `List a`"], 0),
        (
            "cart : (xs : I64) -> [a]",
            &["the type of a list is `List a`"],
            0,
        ),
        (
            "f : I64\nf = cart [a] 1",
            &["there is no literal for a list"],
            0,
        ),
        (
            "f : I64\nf = g (1 : I64) [a]",
            &["there is no literal for a list"],
            0,
        ),
        (
            "f : I64\nf = fun x -> [x]",
            &["there is no literal for a list"],
            0,
        ),
        (
            "f : I64\nf = xs[0] + (g x)[1]",
            &["`list_nth xs i`", "`list_nth xs i`"],
            0,
        ),
        ("f : I64\nf = x]", &["lists have no brackets"], 1),
    ];
    for (source, hints, edits) in cases {
        let found = lex(FileId::new(0), source.as_bytes(), &mut Names::new());
        let notes: Vec<&str> = found
            .diagnostics
            .iter()
            .flat_map(|diagnostic| &diagnostic.notes)
            .map(|note| &*note.message)
            .collect();
        assert_eq!(notes.len(), hints.len(), "{source}: {notes:?}");
        for (note, hint) in notes.iter().zip(*hints) {
            assert!(note.contains(hint), "{source}: {note}");
        }
        let offered = found.diagnostics.iter().flat_map(|found| &found.edits);
        assert_eq!(offered.count(), *edits, "{source}");
    }
}
