//! Texts that were written to break a reader: each is answered, with codes of the list and spans within the text.

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::document;
use soil::print;
use soil::source::{FileId, MAX_SOURCE_BYTES, Sources};
use soil::spec::{self, Location};
use soil::syntax::{FileShape, Names, Parsed, parse};

/// A stack that the readers have to do with; a test thread has the same.
const STACK_BYTES: usize = 2 << 20;

fn read(bytes: &[u8], names: &mut Names) -> Parsed {
    let parsed = parse(FileId::new(0), bytes, FileShape::Free, names);
    check_diagnostics(bytes, &parsed.diagnostics);
    parsed
}

fn check_diagnostics(bytes: &[u8], diagnostics: &Diagnostics) {
    for found in diagnostics.iter() {
        let span = found.span.expect("each has a place");
        let is_inside = span.start <= span.end && span.end as usize <= bytes.len();
        assert!(is_inside, "{span:?} of {}", bytes.len());
    }
}

/// Repeats a text up to a length.
fn repeated(start: &str, part: &[u8], len: usize) -> Vec<u8> {
    let mut bytes = start.as_bytes().to_vec();
    while bytes.len() + part.len() <= len {
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Runs on a thread whose stack is no larger than that of any test.
pub(crate) fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let thread = thread.spawn(run).expect("a thread starts");
    thread
        .join()
        .expect("the stack is large enough and nothing panics");
}

#[test]
fn repeated_parts_are_answered() {
    let parts = [
        "(",
        ")",
        "{",
        "}",
        "- ",
        "not ",
        "let x=",
        "let x=1 in ",
        "let rec _=",
        "if ",
        "if a then ",
        "fun x->",
        "match x with|A->",
        "|A->) ",
        "a=1,",
        "and x=1 ",
        "x ",
        "A->",
        "{v:",
        "==a",
        "()",
        "(a)",
        ".a",
        "f:",
        "f:A\n",
        "f:(",
        "f:{(",
        "f f\n",
        "f = ",
        "\"",
        "\"\\q",
        "1.",
        "::",
        "A::",
        "@",
        "?",
        "..",
        "-- ",
        "{a with b=",
        "(a:",
        "with",
        "decreases ",
        "{a={",
    ];
    on_small_stack(move || {
        for part in parts {
            for start in [
                "",
                "f : A\nf = ",
                "f : ",
                "f : {v : A | ",
                "f : A\nf = match x with | ",
            ] {
                let mut names = Names::new();
                let parsed = read(&repeated(start, part.as_bytes(), 24 << 10), &mut names);
                print::file(&parsed.tree, &names);
            }
        }
    });
}

#[test]
fn a_megabyte_is_answered() {
    let texts: [(&[u8], Code); 6] = [
        (b"(", Code::LimitExceeded),
        (b"a", Code::ParseExpected),
        (b"@", Code::StrayCharacter),
        (b"\xff", Code::StrayCharacter),
        (b"\"\\u{110000}", Code::EscapeNotScalar),
        (b"f:\n", Code::ParseExpected),
    ];
    for (part, code) in texts {
        let start = if part == b"(" { "f : A\nf = " } else { "" };
        let bytes = repeated(start, part, MAX_SOURCE_BYTES);
        let parsed = read(&bytes, &mut Names::new());
        let is_code = |found: &Diagnostic| found.code == code;
        assert!(
            parsed.diagnostics.iter().any(is_code),
            "{}",
            part.escape_ascii()
        );
        let mut sources = Sources::new();
        sources.add("f.soil", bytes);
        let document = document::errors(parsed.diagnostics, &sources, document::Detail::Rich);
        assert!(document.len() < 128 << 10, "{}", document.len());
    }
}

/// Trees of exactly the depth that is allowed.
fn deep_texts() -> Vec<String> {
    let around = |open: &str, inner: &str, close: &str, count: usize| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    let bodies = [
        around("(", "x", ")", 499),
        around("f (", "x", ")", 249),
        around("let x = ", "x", " in x", 499),
        around("let x = x in ", "x", "", 499),
        around("fun x -> ", "x", "", 499),
        around("if x then x else ", "x", "", 499),
        around("if ", "x", " then x else x", 499),
        around("match x with | A -> ", "x", "", 499),
        around("match ", "x", " with | A -> x", 499),
        around("not ", "x", "", 499),
        around("- ", "x", "", 499),
        around("-(", "x", ")", 498),
        around(
            "match x with | A -> let y = ",
            "x",
            " in (match x with | A -> x) | B -> x",
            248,
        ),
        around(
            "match x with | A -> (let y = ",
            "x",
            " in match x with | A -> x) | B -> x",
            249,
        ),
        around(
            "match x with | A -> (match x with | A -> ",
            "x",
            " | B -> x) | B -> x",
            166,
        ),
        around("match x with | A -> (", "x", ") | B -> x", 249),
        around("{ a = ", "x", " }", 499),
        around("(", "x", " : A)", 499),
        around("a and b == c + d * e or (", "x", ")", 247),
        format!("match x with | {} -> x", around("A (", "y", ")", 248)),
        format!("match x with | {} -> x", around("{ a = ", "y", " }", 498)),
    ];
    let types = [
        around("A -> ", "A", "", 499),
        around("(", "A", " -> A)", 249),
        around("L (", "A", ")", 249),
        around("A -> io L (", "A", ")", 166),
        around("A -> io (L (", "A", "))", 166),
        around("A -> e L (", "A", ") -> A", 124),
        around("{v : ", "A", " | p v}", 498),
        format!("{{v : A | {}}}", around("not ", "p v", "", 497)),
        format!("{{v : A | {}}}", around("p v implies ", "p v", "", 497)),
        format!("{{v : A | {}}}", around("p (", "v", ")", 248)),
        format!("{{v : A | {}}}", around("(", "p v", ")", 497)),
    ];
    let bodies = bodies
        .into_iter()
        .map(|body| format!("f : A\nf = {body}\n"));
    bodies
        .chain(types.into_iter().map(|ty| format!("f : {ty}\nf = x\n")))
        .collect()
}

#[test]
fn the_deepest_trees_fit_the_stack() {
    on_small_stack(|| {
        for text in deep_texts() {
            let mut names = Names::new();
            let parsed = parse(FileId::new(0), text.as_bytes(), FileShape::Free, &mut names);
            assert!(
                parsed.diagnostics.is_empty(),
                "{text}: {:?}",
                parsed.diagnostics
            );
            let printed = print::file(&parsed.tree, &names);
            let again = parse(
                FileId::new(0),
                printed.as_bytes(),
                FileShape::Free,
                &mut names,
            );
            assert!(
                again.diagnostics.is_empty(),
                "{text}: {:?}",
                again.diagnostics
            );
            assert_eq!(print::file(&again.tree, &names), printed);
            document::tree(&parsed.tree, text.as_bytes(), &names);
            print::hash_form(&parsed.tree, &names, &parsed.tree.definitions[0]);
        }
    });
}

#[test]
fn specs_are_answered() {
    let parts = [
        "```test t\n",
        "```",
        "---\n",
        "> ",
        "- ",
        "[",
        "tags: [",
        "* a\n  ",
        "`",
        "<!--",
        "    ",
        "label: (\n",
        "(1) => [",
        "$ x\n",
        "\\",
        "&#0;",
    ];
    for part in parts {
        for start in [
            "",
            "---\n",
            "---\nname: f\n---\n",
            "---\nname: f\n---\nP.\n```requires\n",
            "---\nname: f\n---\nP.\n```test t\n",
        ] {
            let bytes = repeated(start, part.as_bytes(), 24 << 10);
            let found = spec::read(
                FileId::new(0),
                &bytes,
                Location::of_path("f.tr", "p"),
                &mut Names::new(),
            );
            assert!(!found.diagnostics.is_empty(), "{start}{part}");
        }
    }
}
