use super::*;
use crate::diagnostic::{Edit, EditKind, LimitParams, Params, apply};

type Report = (&'static str, u32, u32);

fn reported(source: &str, shape: FileShape<'_>) -> Vec<Report> {
    let parsed = parse(FileId::new(0), source.as_bytes(), shape, &mut Names::new());
    let sorted = parsed.diagnostics.into_sorted();
    sorted
        .iter()
        .map(|diagnostic| {
            let span = diagnostic.span.expect("parse codes have a span");
            (diagnostic.code.text(), span.start, span.end)
        })
        .collect()
}

#[test]
fn accepted() {
    let cases = [
        "f : I64\nf = 1",
        "f : I64 -> List a\nf xs = xs",
        "f : (x : I64) -> (y : List I64) -> io e (Option a) f x y = x",
        "f : a -> e b f x = let rec g = fun y -> y and h = fun z -> z in g x",
        "f : a decreases f f x = x",
        "f : a f = x and y == z or not w",
        "f : a f = let x = a and b in x",
        "f : a f = let x = a and y = b in x",
        "f : a f = match x with | Some (Foo::Bar { a, b = _, .. }) -> 1 | { .. } -> -1 * - 2",
        "f : {v : I64 | v > 0 and (f v implies not (v == 1)) and (v + 1) * 2 < 3 and v is A::B(x)} -> I64 f = m::g (x : I64) { a = 1 } { r.x with b = ?h } I64::add Foo::Bar",
        "f : (List a) -> e b -> div panic e (g : a) -> b f = 1",
        "f : I64 f = if a then b else c g : I64 g = 1",
    ];
    for case in cases {
        assert_eq!(reported(case, FileShape::Free), [], "{case}");
    }
}

#[test]
fn rejected() {
    let cases: &[(&str, &[Report])] = &[
        ("f : I64", &[("parse-expected", 7, 7)]),
        ("f : I64\ng = 1", &[("name-mismatch", 8, 9)]),
        ("f : I64 -> I64\nf (x) = x", &[("parse-expected", 17, 18)]),
        ("f : I64 = 1", &[("parse-expected", 8, 9)]),
        ("f : I64\nf = (1 + 2", &[("parse-expected", 18, 18)]),
        ("f : I64\nf = let x = 1 in", &[("parse-expected", 24, 24)]),
        (
            "f : I64\nf = a == b == c",
            &[("nonassoc-comparison", 19, 21)],
        ),
        (
            "f : I64\nf = let rec _ = fun x -> x in 1",
            &[("wildcard-in-let-rec", 20, 21)],
        ),
        (
            "f : I64\nf = { a = 1, b = 2, a = 3 }",
            &[("duplicate-field", 28, 29)],
        ),
        (
            "f : I64\nf = if x = 1 then 2 else 3",
            &[("parse-expected", 17, 18)],
        ),
        (
            "f : I64\nf = match x with | A -> 1 ) | B -> 2 + | C -> 3",
            &[("parse-expected", 34, 35), ("parse-expected", 47, 48)],
        ),
        (
            "f : I64\nf = let x = a b ) in let y = = 2 in g (1, 2)",
            &[
                ("parse-expected", 24, 25),
                ("parse-expected", 37, 38),
                ("parse-expected", 48, 49),
            ],
        ),
        (
            "f : I64\nf = map fun x -> x y",
            &[("parse-expected", 16, 19)],
        ),
        (
            "f : (x : I64 -> I64\nf x = x\ng : I64\ng = 1 +",
            &[("parse-expected", 20, 21), ("parse-expected", 43, 43)],
        ),
        (
            "f x = x + )",
            &[("parse-expected", 2, 3), ("parse-expected", 10, 11)],
        ),
        (
            "f : I64\nf =\n  let x = 1\n  let y = 2 in\n  y",
            &[("parse-expected", 26, 29)],
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(reported(source, FileShape::Free), *expected, "{source}");
    }
}

/// Gives the text with the machine edits of its diagnostics applied, and the titles of the other edits.
fn repaired(source: &str, shape: FileShape<'_>) -> (String, Vec<String>) {
    let file = FileId::new(0);
    let parsed = parse(file, source.as_bytes(), shape, &mut Names::new());
    let edits: Vec<Edit> = parsed
        .diagnostics
        .iter()
        .flat_map(|found| found.edits.clone())
        .collect();
    let (machine, other): (Vec<Edit>, Vec<Edit>) = edits
        .into_iter()
        .partition(|edit| edit.kind == EditKind::Machine);
    let text = apply(file, source.as_bytes(), &machine).expect("kept edits fit the text");
    let titles = other.into_iter().map(|edit| edit.title).collect();
    (
        String::from_utf8(text).expect("the edits are UTF-8"),
        titles,
    )
}

#[test]
fn machine_edits() {
    let cases = [
        (
            "f : A\nf = if x = 1 then 2 else 3",
            "f : A\nf = if x == 1 then 2 else 3",
        ),
        ("f : A\nf = { a : 1 }", "f : A\nf = { a = 1 }"),
        (
            "f : A\nf = match x with | A => 1",
            "f : A\nf = match x with | A -> 1",
        ),
        ("f : A\nf = g (a + b", "f : A\nf = g (a + b)"),
        ("f : (x : A -> A\nf x = x", "f : (x : A) -> A\nf x = x"),
        (
            "f : A\nf = match x | A -> 1",
            "f : A\nf = match x with | A -> 1",
        ),
        ("f : A\nf = (a, fun x x)", "f : A\nf = (a, fun x x)"),
        (
            "f : A\nf = let rec _ = fun x -> unused in 1",
            "f : A\nf = let rec unused2 = fun x -> unused in 1",
        ),
        ("f : A\ng x = g (h x.g)", "f : A\nf x = f (h x.g)"),
        (
            "f : A\nf =\n  let x = 1\n  let y = g\n    x\n  h y",
            "f : A\nf =\n  let x = 1 in\n  let y = g\n    x in\n  h y",
        ),
        ("f : A\nf = \"\\x41\"", "f : A\nf = \"\\u{41}\""),
        ("f : A = 1", "f : A\nf = 1"),
        (
            "f : A\nf = if !a then b else c",
            "f : A\nf = if not a then b else c",
        ),
        (
            "f : A → B\nf x = g (\\x -> x ≤ 1)",
            "f : A -> B\nf x = g (fun x -> x <= 1)",
        ),
        ("f : A\nf = a <> b || c /= d", "f : A\nf = a != b or c != d"),
        (
            "f : A\nf = let rec g x y = x + y in g 1 2",
            "f : A\nf = let rec g = fun x y -> x + y in g 1 2",
        ),
        ("f : A\nf = g fun x -> x) y", "f : A\nf = g (fun x -> x) y"),
        (
            "f : (x : A) (y : A) -> B\nf x y = x",
            "f : (x : A) -> (y : A) -> B\nf x y = x",
        ),
        (
            "f : A\nf x\n  let y = x in\n  y",
            "f : A\nf x =\n  let y = x in\n  y",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(repaired(source, FileShape::Free).0, expected, "{source}");
    }
    let shape = FileShape::Public { stem: "g" };
    assert_eq!(repaired("f : A\nf x = f x", shape).0, "g : A\ng x = g x");
    assert_eq!(repaired("f : A\ng x = g x", shape).0, "g : A\ng x = g x");
    assert_eq!(
        reported("f : A\ng x = g x", shape),
        [("name-mismatch", 0, 1)]
    );
}

#[test]
fn edits_between_which_a_reader_decides() {
    let cases = [
        ("f : A\nf = a < g b < c", "join both with `and`"),
        (
            "f : A\nf = { a = 1, b = 2, a = (3), c = 4 }",
            "remove the second one",
        ),
        ("f : A\nf = g ()", "write `unit`"),
        ("f : A\nf = \"text", "close it at the end of its line"),
        ("f : A\nf = g fun x -> x", "put it in brackets"),
    ];
    for (source, title) in cases {
        assert_eq!(
            repaired(source, FileShape::Free),
            (source.to_owned(), vec![title.to_owned()])
        );
    }
    let several = repaired("f : A\nf = g (h a b", FileShape::Free);
    assert_eq!(several.1, ["insert `)`", "insert `)`"]);
}

#[test]
fn a_file_holds_what_its_name_says() {
    let public = |source: &str| reported(source, FileShape::of_path("m/f.soil"));
    assert_eq!(public("f : A f = 1"), []);
    assert_eq!(
        public("f : A f = 1\ng : A g = 2\nh : A h = 3"),
        [("multiple-defs", 12, 13), ("multiple-defs", 24, 25)]
    );
    assert_eq!(public("_f : A _f = 1"), [("misplaced-private-def", 0, 2)]);
    assert_eq!(public("g : A g = 1"), [("name-mismatch", 0, 1)]);
    assert_eq!(public(""), [("parse-expected", 0, 0)]);
    assert_eq!(public("-- nothing"), [("parse-expected", 10, 10)]);
    let private = |source: &str| reported(source, FileShape::of_path("m/_private.soil"));
    assert_eq!(private(""), []);
    assert_eq!(
        private("_f : A _f = 1 g : A g = 2"),
        [("misplaced-private-def", 14, 15)]
    );
}

#[test]
fn bounds_are_held_and_named() {
    let nested = |count: usize| format!("f : A\nf = {}x{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(reported(&nested(499), FileShape::Free), []);
    assert_eq!(
        reported(&nested(500), FileShape::Free),
        [("limit-exceeded", 510, 511)]
    );
    let applied = |count: usize| format!("f : A\nf = x{}", " y".repeat(count));
    assert_eq!(reported(&applied(499), FileShape::Free), []);
    assert_eq!(reported(&applied(500), FileShape::Free).len(), 1);
    let arguments = |count: usize| format!("f : L{} f = x", " A".repeat(count));
    assert_eq!(reported(&arguments(99_999), FileShape::Free), []);
    let source = arguments(100_001);
    let parsed = parse(
        FileId::new(0),
        source.as_bytes(),
        FileShape::Free,
        &mut Names::new(),
    );
    let found = parsed.diagnostics.into_sorted();
    let limit = LimitParams {
        limit: "type-nodes",
        max: 100_000,
        seen: 100_001,
    };
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].params.as_deref(), Some(&Params::Limit(limit)));
}

#[test]
fn definitions_that_read_are_marked() {
    let source = "f : A f = 1\ng : A g =\nh : A h = 3\ni : A i = \"\\q\"\nj : A j = 4";
    let parsed = parse(
        FileId::new(0),
        source.as_bytes(),
        FileShape::Free,
        &mut Names::new(),
    );
    let read: Vec<bool> = parsed
        .tree
        .definitions
        .iter()
        .map(|found| found.is_read)
        .collect();
    assert_eq!(read, [true, false, true, false, true]);
    assert!(!parsed.has_comments);
}

/// Faults that stand in an arm or a binding, each with the place of its report and the code.
const FAULTS: &[(&str, usize, &str)] = &[
    ("a +", 3, "parse-expected"),
    ("(a b", 4, "parse-expected"),
    ("a)", 1, "parse-expected"),
    ("a == b == c", 7, "nonassoc-comparison"),
    ("{ p = 1, p = 2 }", 9, "duplicate-field"),
    ("if a = 1 then b else c", 5, "parse-expected"),
    ("if a then b", 11, "parse-expected"),
    ("a ! b", 2, "stray-character"),
    ("\"\\q\"", 1, "bad-escape"),
    ("let x = = 1 in x", 8, "parse-expected"),
    ("let rec _ = fun x -> x in a", 8, "wildcard-in-let-rec"),
    ("f (a, b)", 4, "parse-expected"),
    ("(fun -> a)", 5, "parse-expected"),
    ("{ p : 1 }", 4, "parse-expected"),
    ("a.B", 2, "parse-expected"),
    ("(a : )", 5, "parse-expected"),
    ("g [1]", 2, "stray-character"),
];

#[test]
fn independent_faults_are_each_reported_once() {
    for (first, _, _) in FAULTS {
        for (second, _, _) in FAULTS {
            check_faults(&[first, "a", second, second, first]);
        }
    }
}

/// Puts expressions into the arms of a match, and again into bindings, and compares what is reported.
fn check_faults(bodies: &[&str]) {
    let shapes: [(&str, &str, &str); 2] = [
        ("match s with", "\n  | A -> ", ""),
        ("", "\n  let v = ", " in"),
    ];
    for (head, before, after) in shapes {
        let mut source = format!("f : A\nf =\n  {head}");
        let mut expected = Vec::new();
        for body in bodies {
            source.push_str(before);
            let fault = FAULTS.iter().find(|(text, _, _)| text == body);
            if let Some((text, place, code)) = fault {
                let separator = usize::from(*place == text.len());
                let next = if after.is_empty() { 3 } else { 1 };
                let shift = if separator == 0 { 0 } else { next };
                expected.push((*code, source.len() + place + shift));
                if text.contains('[') {
                    expected.push((*code, source.len() + place + 2));
                }
            }
            source.push_str(body);
            source.push_str(after);
        }
        source.push_str(if after.is_empty() {
            "\n  | B -> b"
        } else {
            "\n  b"
        });
        let found = reported(&source, FileShape::Free);
        let found: Vec<(&str, usize)> = found
            .iter()
            .map(|(code, start, _)| (*code, *start as usize))
            .collect();
        assert_eq!(found, expected, "{source}");
    }
}
