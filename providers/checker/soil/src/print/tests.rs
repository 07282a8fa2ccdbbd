mod generator;
mod law;

use super::*;
use crate::source::FileId;
use crate::syntax::{FileShape, parse};

/// Reads a text and prints it, once as it is and once as hash form.
fn printed(source: &str) -> (String, String) {
    let mut names = Names::new();
    let parsed = parse(
        FileId::new(0),
        source.as_bytes(),
        FileShape::Free,
        &mut names,
    );
    assert!(
        parsed.diagnostics.is_empty(),
        "{source}: {:?}",
        parsed.diagnostics
    );
    let hashed = parsed.tree.definitions.iter();
    let hashed = hashed
        .map(|definition| hash_form(&parsed.tree, &names, definition))
        .collect();
    (file(&parsed.tree, &names), hashed)
}

#[test]
fn canonical_text_of_a_body() {
    let cases = [
        ("((a))", "f = a"),
        (
            "if a then (let x = 1 in x) else y",
            "f =\n  if a\n  then\n    let x = 1 in\n    x\n  else y",
        ),
        (
            "let x = if a then b else c in let y = 1 and z = fun q -> match q with | A -> 1 in x",
            "f =\n  let x =\n    if a\n    then b\n    else c\n  in\n  let y = 1\n  and z = fun q ->\n    match q with\n    | A -> 1\n  in\n  x",
        ),
        (
            "let x = match a with | A -> 1 | B -> 2 and y = 2 in x",
            "f =\n  let x =\n    match a with\n    | A -> 1\n    | B -> 2\n  and y = 2 in\n  x",
        ),
        (
            "match a with | A -> (let x = 1 in fun y -> match y with | B -> 2) | C -> match b with | D -> (match c with | E -> 1) | F -> 3",
            "f =\n  match a with\n  | A -> (let x = 1 in fun y -> match y with | B -> 2)\n  | C ->\n    match b with\n    | D -> (match c with | E -> 1)\n    | F -> 3",
        ),
        (
            "g (fun x -> let y = x and z = x in y) (if a then b else c)",
            "f = g (fun x -> let y = x and z = x in y) (if a then b else c)",
        ),
        (
            "a - (b - c) - d * (e + h) / -(-i)",
            "f = a - (b - c) - d * (e + h) / -(-i)",
        ),
        ("- - x", "f = -(-x)"),
        (
            "not (not (a == b)) and (c or d) and (e and h)",
            "f = not not a == b and (c or d) and (e and h)",
        ),
        (
            "{a=1,b={r.s with c=-(1)}}",
            "f = { a = 1, b = { r.s with c = -1 } }",
        ),
        (
            "(x : I64 -> io (Option ((I64))))",
            "f = (x : I64 -> io (Option I64))",
        ),
        (
            "\"q\\\"\\\\\\n\\r\\t\\u{1F}\\u{7f}é\"",
            "f = \"q\\\"\\\\\\n\\r\\t\\u{1f}\u{7f}é\"",
        ),
        ("1_0 + 1_0.5_0e-0_1", "f = 10 + 10.50e-01"),
        (
            "match a with | {a, b = (A (B _)), ..} -> 1 | X::Y (1) -> 2 | {..} -> 3",
            "f =\n  match a with\n  | { a, b = A (B _), .. } -> 1\n  | X::Y 1 -> 2\n  | { .. } -> 3",
        ),
        (
            "fun x -> if x then y else z",
            "f = fun x -> if x then y else z",
        ),
    ];
    for (body, expected) in cases {
        let source = format!("f : A\nf = {body}");
        let expected = format!("f : A\n{expected}\n");
        assert_eq!(printed(&source).0, expected, "{body}");
        assert_eq!(printed(&expected).0, expected, "{body} twice");
    }
}

#[test]
fn canonical_text_of_a_type() {
    let cases = [
        ("(((a)))", "a"),
        (
            "(x : (a -> b)) -> ((c -> d) -> e)",
            "(x : a -> b) -> (c -> d) -> e",
        ),
        ("a -> io panic (Option I64)", "a -> panic io (Option I64)"),
        ("a -> io e (List a) -> b", "a -> io e (List a) -> b"),
        ("a -> e List (Map a b)", "a -> e (List (Map a b))"),
        ("a -> io (x : List a) -> b", "a -> io (x : List a) -> b"),
        (
            "{v:I64|((a + b) * c) > 0 and (p v or (not (q v)) implies (v is A::B(x) implies g x (1 + 2)))}",
            "{v : I64 | (a + b) * c > 0 and (p v or not q v implies v is A::B(x) implies g x (1 + 2))}",
        ),
        (
            "{v:I64|(p v implies q v) implies a - (b - c) == d * (e * h)}",
            "{v : I64 | (p v implies q v) implies a - (b - c) == d * (e * h)}",
        ),
    ];
    for (ty, expected) in cases {
        let source = format!("f : {ty}\nf = 1\n");
        let expected = format!("f : {expected}\nf = 1\n");
        assert_eq!(printed(&source).0, expected, "{ty}");
        assert_eq!(printed(&expected).0, expected, "{ty} twice");
    }
}

#[test]
fn hash_form_numbers_local_binders() {
    let cases = [
        (
            "headroom : (cap : U64) -> (used : U64) -> U64\nheadroom cap used = let spare = cap - used in if spare < 5 then 0 else spare",
            "headroom : (cap : U64) -> (used : U64) -> U64\nheadroom %0 %1 =\n  let %2 = %0 - %1 in\n  if %2 < 5\n  then 0\n  else %2\n",
        ),
        (
            "f : a decreases x f x = let y = g x and _ = x and z = fun w -> y w in let rec h = fun q -> h (i q) and i = h in match z with | { a, b = B c, .. } -> a c | a -> a.b ?a",
            "f : a\ndecreases %0\nf %0 =\n  let %1 = g %0\n  and _ = %0\n  and %2 = fun %3 -> y %3 in\n  let rec %4 = fun %6 -> %4 (%5 %6)\n  and %5 = %4 in\n  match %2 with\n  | { a = %7, b = B %8, .. } -> %7 %8\n  | %9 -> %9.b ?a\n",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(printed(source).1, expected, "{source}");
    }
}

#[test]
fn definitions_stand_apart() {
    assert_eq!(
        printed("_a : A _a = 1 _b : B _b = 2").0,
        "_a : A\n_a = 1\n\n_b : B\n_b = 2\n"
    );
    assert_eq!(printed("").0, "");
}
