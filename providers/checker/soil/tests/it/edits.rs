//! Edits of reports: what they write, and that they hold.

use soil::check::{CheckOptions, check};
use soil::diagnostic::{Code, Diagnostic, Edit, EditKind, apply};
use soil::program::Program;

use crate::project::{program, shown};

const PATH: &str = "main/f.soil";

/// The other files of the programs.
const OTHERS: &[(&str, &str)] = &[
    ("left/twin.soil", "twin : I64\ntwin = 1\n"),
    ("main/helper.soil", "helper : I64 -> I64\nhelper x = x\n"),
    ("right/twin.soil", "twin : I64\ntwin = 2\n"),
];

fn read(text: &str) -> Program {
    let mut files = OTHERS.to_vec();
    files.push((PATH, text));
    program(&files)
}

fn reports(program: &Program) -> Vec<Diagnostic> {
    let checked = check(program, CheckOptions::RICH);
    checked.diagnostics.into_sorted()
}

fn applied(program: &Program, edits: &[&Edit]) -> String {
    let (file, source) = program
        .sources
        .iter()
        .find(|(_, source)| &*source.path == PATH)
        .expect("the file is there");
    let bytes = apply(file, &source.bytes, edits.iter().copied()).expect("the edit fits the text");
    String::from_utf8(bytes).expect("the pieces are UTF-8")
}

/// Checks what the first edit of the only report writes.
fn fixes(text: &str, code: Code, kind: EditKind, expected: &str) {
    let program = read(text);
    let found = reports(&program);
    let [only] = &found[..] else {
        panic!("{text}: {:#?}", shown(&program, &found));
    };
    assert_eq!(only.code, code, "{text}");
    let edit = only.edits.first();
    let edit = edit.unwrap_or_else(|| panic!("no edit holds: {text} {only:#?}"));
    assert_eq!(applied(&program, &[edit]), expected, "{text}");
    assert_eq!(edit.kind, kind, "{text}");
    assert_all_hold(text);
}

/// Applies every edit of a text alone, and the machine edits together: exactly their reports are gone.
pub(crate) fn assert_all_hold(text: &str) {
    let program = read(text);
    let found = reports(&program);
    let codes = |found: &[Diagnostic]| {
        let mut codes: Vec<&str> = found.iter().map(|found| found.code.text()).collect();
        codes.sort_unstable();
        codes
    };
    let holds = |edits: &[&Edit], positions: &[usize]| {
        let changed = applied(&program, edits);
        let after = reports(&read(&changed));
        let left = found.iter().enumerate();
        let left = left.filter(|(position, _)| !positions.contains(position));
        let left: Vec<Diagnostic> = left.map(|(_, found)| found.clone()).collect();
        assert_eq!(codes(&after), codes(&left), "{text}\nbecomes\n{changed}");
    };
    let mut machine = Vec::new();
    for (position, report) in found.iter().enumerate() {
        for edit in &report.edits {
            holds(&[edit], &[position]);
            if edit.kind == EditKind::Machine {
                machine.push((position, edit));
            }
        }
    }
    let (positions, edits): (Vec<usize>, Vec<&Edit>) = machine.into_iter().unzip();
    if !edits.is_empty() {
        holds(&edits, &positions);
    }
}

#[test]
fn edits_that_keep_the_meaning() {
    let machine = EditKind::Machine;
    for (text, code, expected) in [
        (
            "f : Level\nf = Level::High\n",
            Code::NeedlessQualification,
            "f : Level\nf = High\n",
        ),
        (
            "f : I64\nf = main::helper 1\n",
            Code::NeedlessQualification,
            "f : I64\nf = helper 1\n",
        ),
        (
            "f : Option I64 -> I64\nf x = match x with | Option::Some y -> y | None -> 0\n",
            Code::NeedlessQualification,
            "f : Option I64 -> I64\nf x = match x with | Some y -> y | None -> 0\n",
        ),
        (
            "f : I64 -> I64\nf x =\n  match x with\n  | y -> y\n  | 1 -> (2 + 3)\n",
            Code::RedundantArm,
            "f : I64 -> I64\nf x =\n  match x with\n  | y -> y\n",
        ),
        (
            "f : Option I64 -> I64\nf x = match x with | None -> 0 | (None) -> (1) | Some y -> y\n",
            Code::RedundantArm,
            "f : Option I64 -> I64\nf x = match x with | None -> 0 | Some y -> y\n",
        ),
        (
            "f : Point -> I64\nf p = match p with | { x } -> x\n",
            Code::MissingRecordRest,
            "f : Point -> I64\nf p = match p with | { x, .. } -> x\n",
        ),
        (
            "f : I64 -> I64\nf x = let x = x + 1 in x * 2\n",
            Code::Shadowing,
            "f : I64 -> I64\nf x = let x2 = x + 1 in x2 * 2\n",
        ),
        (
            "f : I64 -> Point -> I64\nf x p = match p with | { x, .. } -> x + 1\n",
            Code::Shadowing,
            "f : I64 -> Point -> I64\nf x p = match p with | { x = x2, .. } -> x2 + 1\n",
        ),
        (
            "f : List I64 -> I64\nf items = list_len item\n",
            Code::UnknownName,
            "f : List I64 -> I64\nf items = list_len items\n",
        ),
        (
            "f : List I64 -> I64\nf items = list_lem items\n",
            Code::UnknownName,
            "f : List I64 -> I64\nf items = list_len items\n",
        ),
        (
            "f : F64 -> F64\nf x = if x < 1 then x else 2.0\n",
            Code::TypeMismatch,
            "f : F64 -> F64\nf x = if x < 1.0 then x else 2.0\n",
        ),
    ] {
        fixes(text, code, machine, expected);
    }
}

#[test]
fn edits_that_leave_holes() {
    for (text, code, expected) in [
        (
            "f : Option I64 -> I64\nf x =\n  match x with\n  | None -> 0\n",
            Code::NonExhaustiveMatch,
            "f : Option I64 -> I64\nf x =\n  match x with\n  | None -> 0 | Some _ -> ?some\n",
        ),
        (
            "f : Option I64 -> I64\nf x = (match x with | None -> (0))\n",
            Code::NonExhaustiveMatch,
            "f : Option I64 -> I64\nf x = (match x with | None -> (0) | Some _ -> ?some)\n",
        ),
        (
            "f : Option I64 -> I64\nf x = match x with | Some y -> match y with | _ -> ?some\n",
            Code::NonExhaustiveMatch,
            "f : Option I64 -> I64\nf x = match x with | None -> ?none | Some y -> match y with | _ -> ?some\n",
        ),
        (
            "f : Reading\nf = { sensor = \"a\" }\n",
            Code::TypeMismatch,
            "f : Reading\nf = { sensor = \"a\", value = ?value }\n",
        ),
        (
            "f : Shape\nf = Box { width = 1.0 }\n",
            Code::TypeMismatch,
            "f : Shape\nf = Box { width = 1.0, height = ?height }\n",
        ),
        (
            "f : List I64 -> I64\nf xs = helper (list_nth xs)\n",
            Code::TypeMismatch,
            "f : List I64 -> I64\nf xs = helper (list_nth xs ?argument2)\n",
        ),
        (
            "f : I64 -> I64\nf x = x + helper\n",
            Code::TypeMismatch,
            "f : I64 -> I64\nf x = x + helper ?argument1\n",
        ),
        (
            "f : I64 -> I64\nf x = helper helper\n",
            Code::TypeMismatch,
            "f : I64 -> I64\nf x = helper (helper ?argument1)\n",
        ),
        (
            "f : U8\nf = 256\n",
            Code::LiteralOutOfRange,
            "f : U8\nf = ?number\n",
        ),
        (
            "f : Bool\nf = (helper (1 + 2))\n",
            Code::TypeMismatch,
            "f : Bool\nf = (?value)\n",
        ),
        (
            "f : List I64 -> I64\nf xs = helper (list_nth (list_drop xs (1 + 1)))\n",
            Code::TypeMismatch,
            "f : List I64 -> I64\nf xs = helper (list_nth (list_drop xs (1 + 1)) ?argument2)\n",
        ),
        (
            "f : Reading\nf = { value = 1.0 }\n",
            Code::TypeMismatch,
            "f : Reading\nf = { sensor = ?sensor, value = 1.0 }\n",
        ),
        (
            "f : F64\nf = let r = { value = 1.0 } in r.value\n",
            Code::TypeMismatch,
            "f : F64\nf = let r = { sensor = ?sensor, value = 1.0 } in r.value\n",
        ),
        (
            "f : Level -> I64\nf x = match x with | Level::Low -> 0 | High -> (2)\n",
            Code::NonExhaustiveMatch,
            "f : Level -> I64\nf x = match x with | Level::Low -> 0 | Normal -> ?normal | High -> (2)\n",
        ),
    ] {
        fixes(text, code, EditKind::Placeholder, expected);
    }
}

#[test]
fn edits_to_choose_between() {
    for (text, code, expected) in [
        (
            "f : Level\nf = Low\n",
            Code::AmbiguousConstructor,
            "f : Level\nf = Level::Low\n",
        ),
        (
            "f : I64\nf = twin\n",
            Code::AmbiguousName,
            "f : I64\nf = left::twin\n",
        ),
        (
            "f : Point -> I64\nf p = p.z\n",
            Code::UnknownField,
            "f : Point -> I64\nf p = p.x\n",
        ),
        (
            "f : Reading\nf = { sensor = \"a\", valeu = 1.0 }\n",
            Code::TypeMismatch,
            "f : Reading\nf = { sensor = \"a\", value = 1.0 }\n",
        ),
        (
            "f : Level -> I64\nf x = match x with | Hihg -> 1 | _ -> 2\n",
            Code::UnknownConstructor,
            "f : Level -> I64\nf x = match x with | High -> 1 | _ -> 2\n",
        ),
        (
            "f : Redaing -> I64\nf x = 1\n",
            Code::UnknownType,
            "f : Reading -> I64\nf x = 1\n",
        ),
        (
            "f : I64 -> Bool\nf x = I64::eqq x x\n",
            Code::UnknownQualified,
            "f : I64 -> Bool\nf x = I64::eq x x\n",
        ),
        (
            "f : I64\nf = let p = { x = 1, y = 2 } in 1\n",
            Code::AnnotationNeeded,
            "f : I64\nf = let p = ({ x = 1, y = 2 } : Point) in 1\n",
        ),
        (
            "f : Clock -> I64\nf c = clock_now c\n",
            Code::EffectViolation,
            "f : Clock -> io I64\nf c = clock_now c\n",
        ),
        (
            "f : (I64 -> e I64) -> I64 -> div I64\nf g x = g x\n",
            Code::EffectViolation,
            "f : (I64 -> e I64) -> I64 -> div e I64\nf g x = g x\n",
        ),
        (
            "f : Clock -> io I64 -> I64\nf c x = clock_now c + x\n",
            Code::EffectViolation,
            "f : Clock -> I64 -> io I64\nf c x = clock_now c + x\n",
        ),
        (
            "f : I64\nf = \"12\"\n",
            Code::TypeMismatch,
            "f : I64\nf = 12\n",
        ),
        (
            "f : F64 -> F64\nf x = x * \"1.5\"\n",
            Code::TypeMismatch,
            "f : F64 -> F64\nf x = x * 1.5\n",
        ),
        (
            "f : I64 -> I64\nf x = helper (x + 1) (helper (x + 2))\n",
            Code::TypeMismatch,
            "f : I64 -> I64\nf x = helper (x + 1)\n",
        ),
        (
            "f : I64\nf = 2.00\n",
            Code::TypeMismatch,
            "f : I64\nf = 2\n",
        ),
        (
            "f : I64 -> Option I64\nf x = if x == 0 then None else x + 1\n",
            Code::TypeMismatch,
            "f : I64 -> Option I64\nf x = if x == 0 then None else Some (x + 1)\n",
        ),
        (
            "f : List (Result I64 Utf8) -> I64 -> List (Result I64 Utf8)\nf xs x = list_append xs x\n",
            Code::TypeMismatch,
            "f : List (Result I64 Utf8) -> I64 -> List (Result I64 Utf8)\nf xs x = list_append xs (Ok x)\n",
        ),
        (
            "f : List I64 -> I64\nf xs = list_len xs 1 2\n",
            Code::TypeMismatch,
            "f : List I64 -> I64\nf xs = list_len xs\n",
        ),
    ] {
        fixes(text, code, EditKind::Choice, expected);
    }
}

#[test]
fn edits_of_one_text_go_together() {
    for text in [
        "f : I64 -> Level -> I64\nf x l =\n  match l with\n  | Level::High -> let x = 1 in x\n  | _ -> 2\n  | Level::Normal -> 3\n",
        "f : List I64 -> I64\nf items = list_lem item + lisst_len itms + list_len absent\n",
        "f : Point -> Option I64 -> I64\nf p o = match p with | { x } -> (match o with | None -> x)\n",
    ] {
        assert_all_hold(text);
    }
}
