//! Each code of names, types and matches, with the place that it names.

use soil::diagnostic::{Code, Diagnostic};
use soil::source::Span;

use crate::project::{checked, places, program, shown};

/// Checks one definition `f`, in which the places of the expected codes are marked.
fn check(text: &str, codes: &[Code]) {
    check_among(&[], text, codes);
}

fn check_among(others: &[(&str, &str)], text: &str, codes: &[Code]) {
    let (plain, spans) = places(text);
    let mut files = others.to_vec();
    files.push(("main/f.soil", plain.as_str()));
    let program = program(&files);
    let checked = checked(&program);
    let found: Vec<Diagnostic> = checked.diagnostics.clone().into_sorted();
    let actual: Vec<(Code, Option<Span>)> =
        found.iter().map(|found| (found.code, found.span)).collect();
    let expected: Vec<(Code, Option<Span>)> = codes
        .iter()
        .copied()
        .zip(spans.iter().copied().map(Some))
        .collect();
    assert_eq!(spans.len(), codes.len(), "{text}");
    assert_eq!(
        actual,
        expected,
        "{text}\n{:#?}\n{found:#?}",
        shown(&program, &found)
    );
}

fn accept(text: &str) {
    check(text, &[]);
}

#[test]
fn names_that_are_taken() {
    let other = ("main/helper.soil", "helper : I64 -> I64\nhelper x = x\n");
    for text in [
        "f : I64 -> I64\nf x = let «x» = 1 in x\n",
        "f : I64 -> I64\nf x = (fun «x» -> x) x\n",
        "f : I64 -> I64 -> I64\nf x «x» = 1\n",
        "f : Option I64 -> I64\nf x = match x with | None -> 0 | Some «x» -> x\n",
        "f : I64\nf = let a = 1 and «a» = 2 in 3\n",
        "f : Point -> I64\nf p = match p with | { x, y = «x» } -> 1\n",
        "f : I64 -> I64\nf «helper» = 1\n",
        "f : I64 -> I64\nf «list_len» = 1\n",
        "f : I64 -> I64\nf a = ?hole + «?hole»\n",
        "f : I64\nf = let rec g = fun n -> 1 in let «g» = 2 in 3\n",
    ] {
        check_among(&[other], text, &[Code::Shadowing]);
    }
    // Sibling scopes may reuse names, a value does not see the names of its own `let`, and soft names may be taken.
    accept("f : I64 -> I64\nf x = (fun y -> y) x + (fun y -> y) x\n");
    accept("f : I64\nf = let a = (let b = 1 in b) and b = 2 in a + b\n");
    accept("f : I64 -> I64\nf utf8_len = let list_map = utf8_len in list_map\n");
}

#[test]
fn definitions_whose_names_are_taken() {
    let first = (
        "main/_private.soil",
        "_g : I64\n_g = 1\n\n_g : I64\n_g = 2\n",
    );
    let program_of = |files: &[(&str, &str)]| {
        let program = program(files);
        let found = checked(&program).diagnostics.clone().into_sorted();
        shown(&program, &found)
    };
    assert_eq!(program_of(&[first]), ["shadowing 17..19 `_g`"]);
    let builtin = ("main/unit.soil", "unit : I64\nunit = 1\n");
    assert_eq!(program_of(&[builtin]), ["shadowing 0..4 `unit`"]);
    let soft = ("main/list_map.soil", "list_map : I64\nlist_map = 1\n");
    let user = (
        "main/g.soil",
        "g : I64\ng = list_map + list_len (prelude::list_map (fun x -> x) list_empty)\n",
    );
    assert!(program_of(&[soft, user]).is_empty());
}

#[test]
fn names_that_mean_nothing() {
    check("f : I64\nf = «absent»\n", &[Code::UnknownName]);
    check("f : I64\nf = «absent».field.other\n", &[Code::UnknownName]);
    check("f : «Absent» -> I64\nf x = 1\n", &[Code::UnknownType]);
    check("f : List «Absent» -> I64\nf x = 1\n", &[Code::UnknownType]);
    check("f : I64\nf = (1 : «Absent»)\n", &[Code::UnknownType]);
    check("f : a -> I64\nf x = (1 : «b»)\n", &[Code::UnknownType]);
    check("f : I64\nf = «absent::name» 1\n", &[Code::UnknownQualified]);
    check("f : I64\nf = «main::name»\n", &[Code::UnknownQualified]);
    check("f : I64\nf = «I64::plus» 1 2\n", &[Code::UnknownQualified]);
    check(
        "f : Bool\nf = «Absent::eq» 1 2\n",
        &[Code::UnknownQualified],
    );
    check(
        "f : Bool\nf = «Celsius::eq» 1.0 2.0\n",
        &[Code::UnknownQualified],
    );
    check(
        "f : Utf8\nf = «Utf8::add» \"a\" \"b\"\n",
        &[Code::UnknownQualified],
    );
    check("f : Level\nf = «Lo»\n", &[Code::UnknownConstructor]);
    check("f : Level\nf = «Levl::Low»\n", &[Code::UnknownConstructor]);
    check(
        "f : Level\nf = «Level::Loud»\n",
        &[Code::UnknownConstructor],
    );
    check(
        "f : Level -> I64\nf x = match x with | «Medium» -> 1 | _ -> 2\n",
        &[Code::UnknownConstructor],
    );
}

#[test]
fn names_with_one_legal_spelling() {
    check("f : Level\nf = «Low»\n", &[Code::AmbiguousConstructor]);
    accept("f : Level\nf = Level::Low\n");
    check(
        "f : Level\nf = «Level::High»\n",
        &[Code::NeedlessQualification],
    );
    check(
        "f : Option I64 -> I64\nf x = match x with | «Option::Some» y -> y | None -> 0\n",
        &[Code::NeedlessQualification],
    );
    check(
        "f : Alarm -> I64\nf x = match x with | «Low» -> 1 | Loud -> 2\n",
        &[Code::AmbiguousConstructor],
    );
    let twins = [
        ("left/g.soil", "g : I64\ng = 1\n"),
        ("right/g.soil", "g : I64\ng = 1\n"),
        ("right/h.soil", "h : I64\nh = 1\n"),
    ];
    check_among(&twins, "f : I64\nf = «g»\n", &[Code::AmbiguousName]);
    check_among(&twins, "f : I64\nf = left::g + right::g + h\n", &[]);
    check_among(
        &twins,
        "f : I64\nf = «right::h»\n",
        &[Code::NeedlessQualification],
    );
    check_among(
        &twins,
        "f : I64\nf = «left::h»\n",
        &[Code::UnknownQualified],
    );
    check(
        "f : Option I64\nf = «prelude::option_map» (fun x -> x) None\n",
        &[Code::NeedlessQualification],
    );
    let private = [("left/_private.soil", "_g : I64\n_g = 1\n")];
    check_among(&private, "f : I64\nf = «_g»\n", &[Code::PrivateCrossModule]);
}

#[test]
fn definitions_that_stand_later() {
    let program = program(&[
        ("main/f.soil", "f : I64\nf = g\n"),
        ("main/g.soil", "g : I64\ng = 1\n"),
    ]);
    let found = checked(&program).diagnostics.clone().into_sorted();
    assert_eq!(shown(&program, &found), ["forward-reference 12..13 `g`"]);
}

#[test]
fn types_that_do_not_meet() {
    for text in [
        "f : I64\nf = «\"text\"»\n",
        "f : I64\nf = «1.0»\n",
        "f : Utf8\nf = «1»\n",
        "f : I64 -> Utf8\nf x = «x»\n",
        "f : I64 -> Bool\nf x = if «x» then True else False\n",
        "f : Bool -> I64\nf x = if x then 1 else «True»\n",
        "f : Bool -> Bool\nf x = x and «1»\n",
        "f : Bool\nf = not «\"no\"»\n",
        "f : I64 -> F64 -> I64\nf x y = x + «y»\n",
        "f : I64 -> F64 -> F64\nf x y = «x» + y\n",
        "f : I64 -> I64\nf x = «\"a\"» + x\n",
        "f : I64 -> Bool\nf x = «\"a\"» == x\n",
        "f : F64 -> F64 -> I64\nf x y = «x * y»\n",
        "f : Utf8 -> Utf8\nf x = «x + x»\n",
        "f : Utf8 -> Utf8\nf x = «-x»\n",
        "f : List I64 -> I64\nf x = list_len «1.0»\n",
        "f : List I64 -> I64\nf x = list_nth x «\"one\"»\n",
        "f : I64 -> I64\nf x = «x» 1\n",
        "f : I64 -> I64\nf x = «list_len list_empty» x\n",
        "f : List I64 -> I64\nf x = «list_nth x»\n",
        "f : List I64 a -> I64\nf x = 1\n",
        "f : I64\nf = let rec g = «1» in 2\n",
        "f : (I64 -> I64) -> I64\nf g = g («fun x -> x»)\n",
        "f : I64 -> I64\nf x «y» = 1\n",
        "f : I64 -> I64\nf x «y» z = 1\n",
        "f : I64\nf = let g = fun h -> h «h» in 1\n",
        "f : Option I64 -> I64\nf x = match x with | None -> 0 | Some y -> «\"one\"»\n",
        "f : Option I64 -> I64\nf x = match x with | None -> 0 | «Ok y» -> 1\n",
        "f : I64 -> I64\nf x = match x with | «\"a\"» -> 0 | _ -> 1\n",
        "f : Level -> I64\nf x = match x with | «1» -> 0 | _ -> 1\n",
        "f : I64 -> I64\nf x = match x with | «{ .. }» -> 0\n",
        "f : I64 -> I64\nf x = «x.field»\n",
        "f : I64 -> I64\nf x = { «x» with a = 1 }\n",
        "f : Reading\nf = «{ sensor = \"a\" }»\n",
        "f : Reading\nf = «{ sensor = \"a\", value = 1.0, more = 2 }»\n",
        "f : I64\nf = list_len «{ nothing = 1 }»\n",
        "f : Option I64\nf = «Some»\n",
        "f : Option I64\nf = «None 1»\n",
        "f : Option I64\nf = «Some 1 2»\n",
        "f : Option I64 -> I64\nf x = match x with | «Some» -> 1 | None -> 0\n",
        "f : Option I64 -> I64\nf x = match x with | Some y -> y | «None z» -> 0\n",
        "f : Shape\nf = Box «1.0»\n",
        "f : Shape\nf = «Box { width = 1.0 }»\n",
        "f : Shape -> I64\nf x = match x with | Box «b» -> 1 | _ -> 2\n",
        "f : Utf8 -> Celsius\nf x = «x»\n",
    ] {
        let text = text.replace("List I64 a", "«List I64 a»");
        check(&text, &[Code::TypeMismatch]);
    }
}

#[test]
fn effects_that_are_not_declared() {
    for text in [
        "f : Clock -> I64\nf c = «clock_now c»\n",
        "f : Clock -> I64\nf c = let g = fun d -> clock_now d in «g c»\n",
        "f : (g : I64 -> e I64) -> I64 -> I64\nf g x = «g x»\n",
        "f : Clock «-> io» I64 -> io I64\nf c x = 1\n",
        "f : Clock -> List I64\nf c = «list_map (fun x -> clock_now c) list_empty»\n",
        "f : Clock -> (g : (Clock -> I64) -> I64) -> I64\nf c g = g (fun d -> «clock_now d»)\n",
    ] {
        let text = text.replace("«-> io»", "«->» io");
        check(&text, &[Code::EffectViolation]);
    }
    accept("f : Clock -> io I64\nf c = clock_now c\n");
    accept("f : Clock -> ffi io I64\nf c = clock_now c\n");
    accept("f : Clock -> I64\nf c = let g = fun d -> clock_now d in 1\n");
}

#[test]
fn operations_on_one_concrete_type() {
    check(
        "f : a -> a -> Bool\nf x y = «x == y»\n",
        &[Code::OperatorPolymorphic],
    );
    check(
        "f : a -> a -> a\nf x y = «x + y»\n",
        &[Code::OperatorPolymorphic],
    );
    check(
        "f : Option a -> Bool\nf x = «x == None»\n",
        &[Code::OperatorPolymorphic],
    );
    check(
        "f : a -> Utf8\nf x = «Option::show» (Some x)\n",
        &[Code::OperatorPolymorphic],
    );
    check(
        "f : Map k v -> k -> Option v\nf m k = «map_get» m k\n",
        &[Code::OperatorPolymorphic],
    );
    check(
        "f : Handle -> Handle -> Bool\nf x y = «x < y»\n",
        &[Code::NonDerivable],
    );
    check(
        "f : Keeper -> U64\nf x = «Keeper::hash» x\n",
        &[Code::NonDerivable],
    );
    check(
        "f : (I64 -> I64) -> (I64 -> I64) -> Bool\nf x y = «x == y»\n",
        &[Code::NonDerivable],
    );
    check(
        "f : Map Fs I64 -> Fs -> Map Fs I64\nf m k = «map_remove» m k\n",
        &[Code::NonDerivable],
    );
    accept("f : Handle -> Handle -> Bool\nf x y = x == y\n");
    accept("f : Keeper -> Keeper -> Bool\nf x y = Keeper::eq x y\n");
    accept("f : Option I64 -> Bool\nf x = x <= None and Option::eq x None\n");
    accept("f : Map Utf8 I64 -> Option I64\nf m = map_get m \"a\"\n");
}

#[test]
fn types_that_have_to_be_known() {
    check(
        "f : I64\nf = (fun x -> «x.field») 1\n",
        &[Code::AnnotationNeeded],
    );
    check(
        "f : I64\nf = let g = fun p -> { «p» with x = 1 } in 1\n",
        &[Code::AnnotationNeeded],
    );
    check(
        "f : I64\nf = let g = fun p -> match p with | «{ .. }» -> 1 in 1\n",
        &[Code::AnnotationNeeded],
    );
    check(
        "f : I64\nf = let p = «{ x = 1, y = 2 }» in 1\n",
        &[Code::AnnotationNeeded],
    );
    accept("f : Point\nf = { x = 1, y = 2 }\n");
    accept("f : Option Point\nf = Some { x = 1, y = 2 }\n");
    accept("f : List Point -> List I64\nf ps = list_map (fun p -> p.x) ps\n");
    accept("f : F64\nf = let s = { sensor = \"a\", value = 1.0 } in s.value\n");
}

#[test]
fn fields_that_are_not_there() {
    check("f : Point -> I64\nf p = p.«z»\n", &[Code::UnknownField]);
    check(
        "f : Stored -> I64\nf s = s.reading.«z»\n",
        &[Code::UnknownField],
    );
    check(
        "f : Point -> Point\nf p = { p with «z» = 1 }\n",
        &[Code::UnknownField],
    );
    check(
        "f : Point -> I64\nf p = match p with | { «z», .. } -> z\n",
        &[Code::UnknownField],
    );
    check(
        "f : Shape -> I64\nf s = match s with | Box { «depth» = d, .. } -> 1 | _ -> 2\n",
        &[Code::UnknownField],
    );
    accept("f : Stored -> Stored\nf s = { reading = s.reading }\n");
    accept("f : Stored -> Utf8\nf s = match s with | { reading = { sensor, .. } } -> sensor\n");
}

#[test]
fn literals_that_do_not_fit() {
    for text in [
        "f : U8\nf = «256»\n",
        "f : I8\nf = «128»\n",
        "f : I64\nf = «9223372036854775808»\n",
        "f : U64\nf = «18446744073709551616»\n",
        "f : I64\nf = -«9223372036854775808»\n",
        "f : U8 -> Bool\nf x = x == «300»\n",
        "f : U8 -> I64\nf x = match x with | «256» -> 1 | _ -> 2\n",
        "f : U8\nf = let k = «300» in k\n",
        "f : F64\nf = «1.0e999»\n",
    ] {
        check(text, &[Code::LiteralOutOfRange]);
    }
    accept("f : BigInt\nf = 123456789012345678901234567890\n");
    accept("f : U8\nf = 0_255\n");
    check(
        "f : U8 -> U16\nf x = let k = 1 in let a = x + k in «k»\n",
        &[Code::TypeMismatch],
    );
}

#[test]
fn matches_that_miss_or_repeat() {
    let check_notes = |text: &str, code: Code, notes: &[&str]| {
        let (plain, spans) = places(text);
        let program = program(&[("main/f.soil", &plain)]);
        let found = checked(&program).diagnostics.clone().into_sorted();
        let [found] = &found[..] else {
            panic!("{text}: {found:#?}");
        };
        assert_eq!((found.code, found.span), (code, Some(spans[0])), "{text}");
        let actual: Vec<&str> = found
            .notes
            .iter()
            .map(|note| note.message.as_str())
            .collect();
        assert_eq!(actual, notes, "{text}");
    };
    let missing = Code::NonExhaustiveMatch;
    for (text, notes) in [
        (
            "f : Option I64 -> I64\nf x = «match x with | None -> 0»\n",
            &["Some _"][..],
        ),
        (
            "f : Option (Result I64 Utf8) -> I64\nf x = «match x with | None -> 0 | Some (Ok y) -> 1»\n",
            &["Some (Err _)"],
        ),
        (
            "f : FsError -> I64\nf x = «match x with | NotUtf8 _ -> 0»\n",
            &["NotFound { .. }", "ReadFailed { .. }"],
        ),
        ("f : I64 -> I64\nf x = «match x with | 0 -> 0»\n", &["_"]),
        (
            "f : Utf8 -> I64\nf x = «match x with | \"a\" -> 0»\n",
            &["_"],
        ),
        (
            "f : Alarm -> I64\nf x = «match x with | Loud -> 1»\n",
            &["Alarm::Low"],
        ),
        (
            "f : Pair Bool Bool -> I64\nf p = «match p with | { first = True, .. } -> 1 | { second = True, .. } -> 2»\n",
            &["{ first = False, second = False }"],
        ),
        (
            "f : Pair Bool (Option I64) -> I64\nf p = «match p with | { first = True, .. } -> 1»\n",
            &["{ first = False, .. }"],
        ),
        (
            "f : Shape -> I64\nf s = «match s with | Circle _ -> 1 | Box { width = 1.0, .. } -> 2»\n",
            &["Box { .. }", "Empty"],
        ),
        (
            "f : Option I64 -> I64\nf x = «match x with | Some 1 -> 0 | None -> 1»\n",
            &["Some _"],
        ),
    ] {
        check_notes(text, missing, notes);
    }
    for text in [
        "f : Option I64 -> I64\nf x = match x with | None -> 0 | Some _ -> 1 | «None» -> 2\n",
        "f : Option I64 -> I64\nf x = match x with | y -> 0 | «Some _» -> 1\n",
        "f : I64 -> I64\nf x = match x with | 1 -> 0 | «01» -> 1 | _ -> 2\n",
        "f : F64 -> I64\nf x = match x with | 1.0 -> 0 | «1.00» -> 1 | _ -> 2\n",
        "f : Pair Bool Bool -> I64\nf p = match p with | { first = True, .. } -> 1 | { first = False, .. } -> 2 | «{ .. }» -> 3\n",
    ] {
        check(text, &[Code::RedundantArm]);
    }
    check(
        "f : Point -> I64\nf p = match p with | «{ x }» -> x\n",
        &[Code::MissingRecordRest],
    );
    check(
        "f : FsError -> I64\nf e = match e with | ReadFailed «{ path }» -> 1 | _ -> 2\n",
        &[Code::MissingRecordRest],
    );
}

#[test]
fn several_mistakes_show_at_once() {
    check(
        "f : Option I64 -> Utf8\nf x =\n  match x with\n  | None -> «absent»\n  | Some y -> «y»\n",
        &[Code::UnknownName, Code::TypeMismatch],
    );
    check(
        "f : I64 -> I64\nf x = let a = «absent» in let b = a.field in let c = b + 1 in «\"text\"»\n",
        &[Code::UnknownName, Code::TypeMismatch],
    );
    check(
        "f : «Absent» -> I64\nf x = let y = x.field in if x then «y.other + absent» else 1\n"
            .replace("«y.other + absent»", "y.other + «absent»")
            .as_str(),
        &[Code::UnknownType, Code::UnknownName],
    );
}

/// What another language would have there is one mistake, whatever it tears apart.
#[test]
fn words_of_other_languages_are_one_mistake() {
    for text in [
        "f : Utf8 -> Utf8\nf x = x +«+» \"a\"\n",
        "f : Utf8 -> Utf8\nf x = x *«*» \"a\"\n",
        "f : List«<»I64> -> I64\nf x = 1\n",
        "f : I64 -> I64\nf x = {\n  x «+» 1\n}\n",
        "f : I64 -> I64\nf x = if x > 0 then { «1» } else 2\n",
        "f : Level -> I64\nf x = match x with «High» -> 1 | _ -> 2\n",
        "f : Level -> I64\nf x = match x with «Level»::Low -> 1 | Normal -> 2 | High -> 3\n",
        "f : I64 -> I64\nf x = x.show(«)»\n",
        "f : Option I64 -> I64\nf x = match x with | Some y «when» y > 0 -> y | Some z -> z | None -> 0\n",
        "f : Option I64 -> I64\nf x = match x with | Some y «y» -> y | None -> 0\n",
        "f : I64 -> I64\nf x = let y «:» I64 = 1 in y\n",
        "f : I64 -> I64\nf x =\n  let y «:» I64 = 1 in\n  let z = y in z\n",
        "f : I64 -> I64\nf x = let rec g «:» I64 -> I64 = fun y -> y in g x\n",
        "f : I64 -> I64\nf x = absent(«)»\n",
    ] {
        check(text, &[Code::ParseExpected]);
    }
    for text in [
        "f : I64 -> I64\nf x = x «mod» 2\n",
        "f : I64\nf = 1«e5»\n",
        "f : F64\nf = 1.5«e»\n",
    ] {
        check(text, &[Code::UnknownName]);
    }
}

/// A constructor is no function, whatever is asked for in its place.
#[test]
fn a_constructor_without_what_it_carries_is_one_mistake() {
    for text in [
        "f : I64 -> Option I64\nf x = «Some»\n",
        "f : I64 -> (I64 -> Option I64)\nf x = «Some»\n",
        "f : List I64 -> List (Option I64)\nf xs = list_map «Some» xs\n",
        "f : I64 -> I64\nf x = let make = «Some» in x\n",
        "f : I64 -> Utf8\nf x = «Some»\n",
        "f : Shape -> List Shape\nf s = list_append list_empty «Circle»\n",
    ] {
        check(text, &[Code::TypeMismatch]);
    }
}
