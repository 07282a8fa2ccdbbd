use super::*;

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
