//! Principal types, rows and facts: the examples of public suites for let-polymorphism and effect rows, as far as they can be
//! said in Soil.
//!
//! A type is that of a local that a hole sees, compared up to the names of its variables. Records are nominal, so examples of
//! extensible records are not here; rows of locals are closed, so a local function shows none.

use std::collections::HashMap;

use serde_json::Value;
use soil::check::{CheckOptions, check};
use soil::document;

use crate::project::{program, shown};

/// Gives the text of a type of a document, its variables named in the order in which they come.
fn text(ty: &Value, names: &mut HashMap<String, usize>, is_atom: bool) -> String {
    let value = &ty["value"];
    let (shown, is_compound) = match ty["tag"].as_str() {
        Some("SVar") => {
            let name = value["name"].as_str().expect("a name").to_owned();
            let next = names.len();
            let number = *names.entry(name).or_insert(next);
            (
                ["a", "b", "c", "d", "e", "f", "g", "h"][number].to_owned(),
                false,
            )
        }
        Some("SCon") => {
            let arguments = value["args"].as_array().expect("a list");
            let mut shown = value["name"].as_str().expect("a name").to_owned();
            for argument in arguments {
                shown = format!("{shown} {}", text(argument, names, true));
            }
            (shown, !arguments.is_empty())
        }
        _ => {
            let domain = &value["dom"];
            let is_arrow = domain["tag"] == "SArrow";
            let domain = text(domain, names, is_arrow);
            (
                format!("{domain} -> {}", text(&value["cod"], names, false)),
                true,
            )
        }
    };
    if is_atom && is_compound {
        format!("({shown})")
    } else {
        shown
    }
}

/// Infers the type of an expression, or gives the code of the first report.
fn inferred(expression: &str) -> String {
    let body = format!("f : I64\nf = let found = {expression} in ?here\n");
    let program = program(&[("main/f.soil", &body)]);
    let checked = check(&program, CheckOptions::default());
    let reports = checked.diagnostics.clone().into_sorted();
    if let Some(first) = reports.first() {
        return first.code.text().to_owned();
    }
    let document: Value = serde_json::from_str(&document::checked(&checked)).expect("it is JSON");
    let scope = document["defs"][0]["checks"]["holes"][0]["in_scope"].clone();
    let mut scope = scope.as_array().expect("a list").iter();
    let found = scope
        .find(|local| local["name"] == "found")
        .expect("it is in scope");
    text(&found["ty"], &mut HashMap::new(), false)
}

/// Expressions with their principal types, or the code that refuses them.
const TYPES: &[(&str, &str)] = &[
    ("fun x -> x", "a -> a"),
    ("fun x y -> x", "a -> b -> a"),
    ("fun x y -> y", "a -> b -> b"),
    ("fun x -> fun y -> x", "a -> b -> a"),
    ("fun g x -> g x", "(a -> b) -> a -> b"),
    ("fun g x -> g (g x)", "(a -> a) -> a -> a"),
    ("fun g h x -> g (h x)", "(a -> b) -> (c -> a) -> c -> b"),
    ("fun g h x -> h (g x)", "(a -> b) -> (b -> c) -> a -> c"),
    ("fun g x y -> g y x", "(a -> b -> c) -> b -> a -> c"),
    ("fun g x -> g x x", "(a -> a -> b) -> a -> b"),
    (
        "fun g h x -> g x (h x)",
        "(a -> b -> c) -> (a -> b) -> a -> c",
    ),
    (
        "fun x y z -> x z (y z)",
        "(a -> b -> c) -> (a -> b) -> a -> c",
    ),
    ("fun x -> x x", "type-mismatch"),
    ("fun g -> g g", "type-mismatch"),
    ("fun x y -> x (y x)", "(a -> b) -> ((a -> b) -> a) -> b"),
    ("let id = fun x -> x in id", "a -> a"),
    ("let id = fun x -> x in id id", "a -> a"),
    ("let id = fun x -> x in id id id", "a -> a"),
    ("let id = fun x -> x in id 1", "I64"),
    ("let id = fun x -> x in let one = id 1 in id True", "Bool"),
    (
        "let id = fun x -> x in if id True then id 1 else id 2",
        "I64",
    ),
    (
        "let const = fun x y -> x in const const",
        "a -> b -> c -> b",
    ),
    ("let const = fun x y -> x in const 1", "a -> I64"),
    (
        "let const = fun x y -> x in const (const 1 True) \"s\"",
        "I64",
    ),
    (
        "let twice = fun g x -> g (g x) in twice twice",
        "(a -> a) -> a -> a",
    ),
    (
        "let twice = fun g x -> g (g x) in twice (fun n -> n + 1)",
        "I64 -> I64",
    ),
    (
        "let apply = fun g x -> g x in apply apply",
        "(a -> b) -> a -> b",
    ),
    (
        "let flip = fun g x y -> g y x in flip flip",
        "a -> (b -> a -> c) -> b -> c",
    ),
    (
        "let compose = fun g h x -> g (h x) in compose compose",
        "(a -> b -> c) -> a -> (d -> b) -> d -> c",
    ),
    (
        "let k = fun x y -> x in let s = fun x y z -> x z (y z) in s k k",
        "a -> a",
    ),
    (
        "let k = fun x y -> x in let s = fun x y z -> x z (y z) in s k",
        "(a -> b) -> a -> a",
    ),
    (
        "let pair = fun x y -> ({ first = x, second = y } : Pair I64 Bool) in pair",
        "I64 -> Bool -> Pair I64 Bool",
    ),
    ("fun x y -> { first = x, second = y }", "a -> b -> Pair a b"),
    (
        "let pair = fun x y -> { first = x, second = y } in pair (pair 1 True) \"s\"",
        "Pair (Pair I64 Bool) Utf8",
    ),
    ("fun x -> { first = x, second = x }", "a -> Pair a a"),
    ("fun x -> let y = x in y", "a -> a"),
    ("fun x -> let y = fun z -> x in y", "a -> b -> a"),
    ("fun x -> let y = fun z -> z in y", "a -> b -> b"),
    ("fun x -> let y = fun z -> x z in y", "(a -> b) -> a -> b"),
    (
        "fun x -> let y = fun z w -> x z w in y",
        "(a -> b -> c) -> a -> b -> c",
    ),
    ("fun x -> let y = x in let z = y in z", "a -> a"),
    (
        "fun x -> let y = fun z -> x in let w = y 1 in y True",
        "a -> a",
    ),
    (
        "fun x -> let y = x in let w = y 1 in y True",
        "type-mismatch",
    ),
    ("fun id -> let one = id 1 in id True", "type-mismatch"),
    ("(fun id -> id 1) (fun x -> x)", "I64"),
    ("let rec loop = fun x -> loop x in loop", "a -> b"),
    (
        "let rec count = fun n -> if n == 0 then 0 else count (n - 1) in count",
        "I64 -> I64",
    ),
    (
        "let rec grow = fun x -> grow (Some x) in grow",
        "type-mismatch",
    ),
    (
        "let rec even = fun n -> if n == 0 then True else odd (n - 1) and odd = fun n -> if n == 0 then False else even (n - 1) in odd",
        "I64 -> Bool",
    ),
    (
        "let rec fold = fun g n x -> if n == 0 then x else fold g (n - 1) (g n x) in fold",
        "(I64 -> a -> a) -> I64 -> a -> a",
    ),
    (
        "let rec poly = fun x -> let one = poly 1 in poly True in poly",
        "type-mismatch",
    ),
    ("1", "I64"),
    ("1.5", "F64"),
    ("\"s\"", "Utf8"),
    ("unit", "Unit"),
    ("True", "Bool"),
    ("None", "Option a"),
    ("Some", "type-mismatch"),
    ("Some 1", "Option I64"),
    ("Some None", "Option (Option a)"),
    ("fun x -> Some x", "a -> Option a"),
    ("fun x -> Ok x", "a -> Result a b"),
    ("fun x -> Err x", "a -> Result b a"),
    ("list_empty", "List a"),
    ("list_append list_empty", "a -> List a"),
    ("list_append list_empty None", "List (Option a)"),
    ("list_append list_empty (fun x -> x)", "List (a -> a)"),
    (
        "list_append (list_append list_empty 1) True",
        "type-mismatch",
    ),
    ("fun x -> list_append list_empty x", "a -> List a"),
    ("fun xs -> list_len xs", "List a -> I64"),
    ("fun xs -> list_concat xs xs", "List a -> List a"),
    ("list_map", "(a -> b) -> List a -> List b"),
    ("list_map (fun x -> Some x)", "List a -> List (Option a)"),
    ("list_filter", "(a -> Bool) -> List a -> List a"),
    ("list_fold", "(a -> b -> a) -> a -> List b -> a"),
    ("list_fold list_append list_empty", "List a -> List a"),
    (
        "fun xs -> list_map (fun g -> g 1) xs",
        "List (I64 -> a) -> List a",
    ),
    ("option_map", "(a -> b) -> Option a -> Option b"),
    ("result_map", "(a -> b) -> Result a c -> Result b c"),
    ("map_empty", "Map a b"),
    ("fun m -> map_len m", "Map a b -> I64"),
    ("map_insert map_empty \"k\"", "a -> Map Utf8 a"),
    ("fun m k -> map_get m k", "operator-polymorphic"),
    (
        "fun o -> match o with | None -> None | Some x -> x",
        "Option (Option a) -> Option a",
    ),
    (
        "fun o d -> match o with | None -> d | Some x -> x",
        "Option a -> a -> a",
    ),
    (
        "fun r -> match r with | Ok x -> Some x | Err _ -> None",
        "Result a b -> Option a",
    ),
    (
        "fun r -> match r with | Ok x -> x | Err x -> x",
        "Result a a -> a",
    ),
    (
        "fun g o -> match o with | None -> None | Some x -> g x",
        "(a -> Option b) -> Option a -> Option b",
    ),
    (
        "fun t -> match t with | Leaf -> True | Node _ -> False",
        "Tree a -> Bool",
    ),
    (
        "fun t -> match t with | Leaf -> Leaf | Node inner -> inner",
        "Tree a -> Tree a",
    ),
    ("fun b x y -> if b then x else y", "Bool -> a -> a -> a"),
    ("fun x -> if x then x else x", "Bool -> Bool"),
    ("fun x y -> x and not y", "Bool -> Bool -> Bool"),
    ("fun x -> x + 1", "I64 -> I64"),
    ("fun x -> x + 1.0", "F64 -> F64"),
    ("fun x -> x < 1.5", "F64 -> Bool"),
    ("fun x -> x == \"s\"", "Utf8 -> Bool"),
    ("fun x y -> x == y", "operator-polymorphic"),
    ("fun x -> -x", "operator-polymorphic"),
    ("fun x y -> if x then y else 1", "Bool -> I64 -> I64"),
    ("fun x -> (x : I64)", "I64 -> I64"),
    ("fun x -> if x then 1 else \"s\"", "type-mismatch"),
    (
        "let g = fun x -> let h = fun y -> x in h in g 1 True",
        "I64",
    ),
    (
        "let g = fun x -> fun y -> let h = x y in fun z -> y in g",
        "(a -> b) -> a -> c -> a",
    ),
    (
        "let choose = fun x y -> if True then x else y in choose",
        "a -> a -> a",
    ),
    (
        "let choose = fun x y -> if True then x else y in choose (fun x -> x)",
        "(a -> a) -> a -> a",
    ),
    (
        "let choose = fun x y -> if True then x else y in choose (fun x -> x) (fun n -> n + 1)",
        "I64 -> I64",
    ),
    (
        "let ids = list_append list_empty (fun x -> x) in list_nth ids 0",
        "a -> a",
    ),
    ("utf8_join \",\"", "List Utf8 -> Utf8"),
    ("Option::eq None", "operator-polymorphic"),
    ("I64::compare 1", "I64 -> I64"),
];

#[test]
fn types_are_principal() {
    let differing: Vec<String> = TYPES
        .iter()
        .filter_map(|(expression, expected)| {
            let found = inferred(expression);
            (found != *expected).then(|| format!("{expression}\n  {found}\n  not {expected}"))
        })
        .collect();
    println!(
        "{} of {} types are as expected",
        TYPES.len() - differing.len(),
        TYPES.len()
    );
    assert!(TYPES.len() >= 100);
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Definitions whose rows are right, or the code that refuses them.
const ROWS: &[(&str, &str)] = &[
    (
        "f : (g : I64 -> e I64) -> (x : I64) -> e I64\nf g x = g x\n",
        "",
    ),
    (
        "f : (g : I64 -> e I64) -> (x : I64) -> I64\nf g x = g x\n",
        "effect-violation",
    ),
    (
        "f : (g : I64 -> e I64) -> (x : I64) -> io e I64\nf g x = g x\n",
        "",
    ),
    (
        "f : (g : I64 -> io I64) -> (x : I64) -> io I64\nf g x = g x\n",
        "",
    ),
    (
        "f : (g : I64 -> io I64) -> (x : I64) -> e I64\nf g x = g x\n",
        "effect-violation",
    ),
    (
        "f : (g : I64 -> e I64) -> (h : I64 -> e I64) -> (x : I64) -> e I64\nf g h x = g (h x)\n",
        "",
    ),
    (
        "f : (g : I64 -> d I64) -> (h : I64 -> e I64) -> (x : I64) -> e I64\nf g h x = g (h x)\n",
        "effect-violation",
    ),
    (
        "f : (g : I64 -> d I64) -> (h : I64 -> e I64) -> (x : I64) -> e I64\nf g h x = h x\n",
        "",
    ),
    (
        "f : (g : I64 -> e I64) -> (x : I64) -> I64\nf g x = x\n",
        "",
    ),
    (
        "f : (g : a -> e b) -> (xs : List a) -> e (List b)\nf g xs = list_map g xs\n",
        "",
    ),
    (
        "f : (g : a -> e b) -> (xs : List a) -> List b\nf g xs = list_map g xs\n",
        "effect-violation",
    ),
    (
        "f : (xs : List I64) -> List I64\nf xs = list_map (fun x -> x + 1) xs\n",
        "",
    ),
    (
        "f : (c : Clock) -> (xs : List I64) -> io (List I64)\nf c xs = list_map (fun x -> x + clock_now c) xs\n",
        "",
    ),
    (
        "f : (c : Clock) -> (xs : List I64) -> List I64\nf c xs = list_map (fun x -> x + clock_now c) xs\n",
        "effect-violation",
    ),
    (
        "f : (c : Clock) -> I64\nf c = let now = fun d -> clock_now d in 1\n",
        "",
    ),
    (
        "f : (c : Clock) -> I64\nf c = let now = fun d -> clock_now d in now c\n",
        "effect-violation",
    ),
    (
        "f : (c : Clock) -> io I64\nf c = let now = fun d -> clock_now d in now c\n",
        "",
    ),
    (
        "f : (c : Clock) -> io I64\nf c = (fun g -> g c) (fun d -> clock_now d)\n",
        "",
    ),
    (
        "f : (c : Clock) -> I64\nf c = (fun g -> g c) (fun d -> clock_now d)\n",
        "effect-violation",
    ),
    (
        "f : (g : (I64 -> I64) -> I64) -> I64\nf g = g (fun x -> x + 1)\n",
        "",
    ),
    (
        "f : (c : Clock) -> (g : (I64 -> I64) -> I64) -> I64\nf c g = g (fun x -> clock_now c)\n",
        "effect-violation",
    ),
    (
        "f : (c : Clock) -> (g : (I64 -> io I64) -> io I64) -> io I64\nf c g = g (fun x -> clock_now c)\n",
        "",
    ),
    (
        "f : (g : (I64 -> io I64) -> io I64) -> io I64\nf g = g (fun x -> x)\n",
        "",
    ),
    (
        "f : (c : Clock) -> (b : Bool) -> io I64\nf c b = if b then clock_now c else 0\n",
        "",
    ),
    (
        "f : (c : Clock) -> (b : Bool) -> I64\nf c b = if b then clock_now c else 0\n",
        "effect-violation",
    ),
    (
        "f : Clock -> io I64 -> io I64\nf c x = clock_now c + x\n",
        "effect-violation",
    ),
    (
        "f : (g : I64 -> ffi I64) -> (x : I64) -> panic I64\nf g x = g x\n",
        "effect-violation",
    ),
    (
        "f : (g : I64 -> ffi I64) -> (x : I64) -> ffi I64\nf g x = g x\n",
        "",
    ),
    (
        "f : (g : I64 -> panic I64) -> (x : I64) -> I64\nf g x = g x\n",
        "",
    ),
    (
        "f : (g : I64 -> div I64) -> (x : I64) -> I64\nf g x = g x\n",
        "",
    ),
];

#[test]
fn rows_are_covered() {
    for (text, expected) in ROWS {
        let program = program(&[("main/f.soil", text)]);
        let reports = check(&program, CheckOptions::default())
            .diagnostics
            .into_sorted();
        let codes: Vec<&str> = reports.iter().map(|report| report.code.text()).collect();
        assert_eq!(
            codes.join(" "),
            *expected,
            "{text}\n{:#?}",
            shown(&program, &reports)
        );
    }
}

/// Definitions with what is said of their end, and their obligations.
const FACTS: &[(&str, &str, &[&str])] = &[
    ("f : (x : I64) -> I64\nf x = x\n", "verified", &[]),
    (
        "f : (x : I64) -> I64\nf x = x + 1\n",
        "verified",
        &["Overflow"],
    ),
    (
        "f : (x : I64) -> I64\nf x = -x\n",
        "verified",
        &["Overflow"],
    ),
    (
        "f : (x : I64) -> I64\nf x = x / 2 * 3\n",
        "verified",
        &["DivZero", "Overflow"],
    ),
    (
        "f : (x : I64) -> I64\nf x = 7 % x\n",
        "verified",
        &["DivZero"],
    ),
    ("f : (x : I64) -> panic I64\nf x = x + 1\n", "verified", &[]),
    ("f : (x : F64) -> F64\nf x = x * x / x\n", "verified", &[]),
    ("f : (x : BigInt) -> BigInt\nf x = x * x\n", "verified", &[]),
    (
        "f : (x : BigInt) -> BigInt\nf x = x / x\n",
        "verified",
        &["DivZero"],
    ),
    (
        "f : (xs : List I64) -> I64\nf xs = list_nth xs 0\n",
        "verified",
        &["CalleePanic"],
    ),
    (
        "f : (x : I64) -> I64\nf x = let g = fun y -> y + 1 in g x\n",
        "verified",
        &["CalleePanic"],
    ),
    (
        "f : (g : I64 -> panic I64) -> I64\nf g = g 1\n",
        "verified",
        &["CalleePanic"],
    ),
    (
        "f : (g : I64 -> div I64) -> I64\nf g = g 1\n",
        "unverified",
        &[],
    ),
    ("f : (x : I64) -> div I64\nf x = f x\n", "n/a", &[]),
    ("f : (x : I64) -> I64\nf x = f x\n", "unverified", &[]),
    (
        "f : (x : I64) -> I64\nf x = if x <= 0 then 0 else f (x - 1)\n",
        "verified",
        &["Overflow"],
    ),
    (
        "f : (x : I64) -> I64\nf x = if x == 0 then 0 else f (x - 1)\n",
        "unverified",
        &["Overflow"],
    ),
    (
        "f : (x : U64) -> U64\nf x = if x == 0 then 0 else f (x - 1)\n",
        "verified",
        &["Overflow"],
    ),
    (
        "f : (x : I64) -> I64\nf x = if x <= 0 then 0 else f (x + 1)\n",
        "unverified",
        &["Overflow"],
    ),
    (
        "f : (t : Tree I64) -> I64\nf t = match t with | Leaf -> 0 | Node inner -> f inner\n",
        "verified",
        &[],
    ),
    (
        "f : (t : Tree I64) -> I64\nf t = match t with | Leaf -> 0 | Node inner -> f t\n",
        "unverified",
        &[],
    ),
    (
        "f : (x : I64) -> I64\nf x = let g = f in x\n",
        "unverified",
        &[],
    ),
];

#[test]
fn facts_are_as_said() {
    for (text, termination, obligations) in FACTS {
        let program = program(&[("main/f.soil", text)]);
        let checked = check(&program, CheckOptions::default());
        let reports = checked.diagnostics.clone().into_sorted();
        assert!(
            reports.is_empty(),
            "{text}\n{:#?}",
            shown(&program, &reports)
        );
        let document: Value =
            serde_json::from_str(&document::checked(&checked)).expect("it is JSON");
        let checks = &document["defs"][0]["checks"];
        assert_eq!(checks["termination"], *termination, "{text}");
        let found = checks["panic_obligations"]
            .as_array()
            .expect("a list")
            .iter();
        let kinds: Vec<&str> = found
            .map(|found| found["kind"]["tag"].as_str().expect("a tag"))
            .collect();
        assert_eq!(kinds, *obligations, "{text}");
    }
}
