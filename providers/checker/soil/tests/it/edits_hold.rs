//! Every edit of every report about planted faults does what it claims, alone and with the other machine edits.

use std::collections::BTreeMap;

use soil::check::{CheckOptions, check};
use soil::diagnostic::{Code, Diagnostic, Edit, EditKind, apply};
use soil::program::{Program, ProgramTexts, Text};
use soil::values::SplitMix64;

use crate::fault::Fault;
use crate::planted::{drawn, names, texts_with};
use crate::project::{program, shown};
use crate::{corpus, plant};

const TRIALS: u64 = 300;

/// Keeps the files up to the last one with a fault: what stands later does not matter, and takes time.
fn trial(seed: u64, random: &mut SplitMix64) -> ProgramTexts {
    let mut texts = corpus::whole(seed, 6);
    let taken = names(&texts);
    let count = u64::try_from(texts.definitions.len()).expect("a count");
    let file = usize::try_from(random.below(count)).expect("a position");
    texts.definitions.truncate(file + 1);
    let text = String::from_utf8_lossy(&texts.definitions[file].bytes).into_owned();
    let all: Vec<Fault> = plant::faults(file, &text, &taken);
    let wanted = usize::try_from(1 + seed % 4).expect("a count");
    texts_with(&texts, &drawn(&all, wanted, random))
}

fn applied(texts: &ProgramTexts, program: &Program, edits: &[&Edit]) -> ProgramTexts {
    let mut texts = texts.clone();
    for (file, source) in program.sources.iter() {
        if edits
            .iter()
            .any(|edit| edit.splices.iter().any(|splice| splice.file == file))
        {
            let bytes = apply(file, &source.bytes, edits.iter().copied());
            let bytes = bytes.expect("the edits fit the text");
            texts.definitions[file.index()] = Text::new(source.path.clone(), bytes);
        }
    }
    texts
}

fn codes(found: &[Diagnostic], but: &[usize]) -> Vec<&'static str> {
    let kept = found
        .iter()
        .enumerate()
        .filter(|(position, _)| !but.contains(position));
    let mut codes: Vec<&str> = kept.map(|(_, report)| report.code.text()).collect();
    codes.sort_unstable();
    codes
}

/// Checks that edits remove the reports at some positions, keep all others, and add none.
fn holds(
    texts: &ProgramTexts,
    before: &Program,
    found: &[Diagnostic],
    edits: &[&Edit],
    removed: &[usize],
) {
    let changed = applied(texts, before, edits);
    let program = Program::read(&changed).expect("the types make sense");
    let after = check(&program, CheckOptions::default())
        .diagnostics
        .into_sorted();
    let file = texts.definitions.len() - 1;
    assert_eq!(
        codes(&after, &[]),
        codes(found, removed),
        "{:?}\n{}\nbecomes\n{}\n{:#?}\n{:#?}",
        edits.iter().map(|edit| &edit.title).collect::<Vec<_>>(),
        String::from_utf8_lossy(&texts.definitions[file].bytes),
        String::from_utf8_lossy(&changed.definitions[file].bytes),
        shown(before, found),
        shown(&program, &after),
    );
}

#[test]
fn edits_of_planted_faults_hold() {
    let mut random = SplitMix64::new(7);
    let mut tried: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    for seed in 0..TRIALS {
        let texts = trial(seed, &mut random);
        let program = Program::read(&texts).expect("the types make sense");
        let found = check(&program, CheckOptions::RICH)
            .diagnostics
            .into_sorted();
        let (mut positions, mut machine) = (Vec::new(), Vec::new());
        for (position, report) in found.iter().enumerate() {
            let counts = tried.entry(report.code.text()).or_default();
            for edit in &report.edits {
                holds(&texts, &program, &found, &[edit], &[position]);
                counts[1] += 1;
                if edit.kind == EditKind::Machine {
                    counts[0] += 1;
                    positions.push(position);
                    machine.push(edit);
                }
            }
        }
        holds(&texts, &program, &found, &machine, &positions);
    }
    for (code, [machine, all]) in &tried {
        println!("{code:24} {machine:4} machine edits, {all:4} in all");
    }
    let all: u32 = tried.values().map(|counts| counts[1]).sum();
    assert!(all > 100, "{tried:?}");
}

/// A draft for each code that one can raise, with whether an edit is offered for it.
const DRAFTS: &[(Code, &str)] = &[
    (Code::UnterminatedString, "f : Utf8\nf = \"open\n"),
    (Code::BadEscape, "f : Utf8\nf = \"\\'\"\n"),
    (Code::EscapeNotScalar, "f : Utf8\nf = \"\\u{d800}\"\n"),
    (Code::StrayCharacter, "f : Bool -> Bool\nf x = !x\n"),
    (Code::ParseExpected, "f : I64 -> I64\nf x = (x + 1\n"),
    (
        Code::NonassocComparison,
        "f : I64 -> Bool\nf x = 0 < x < 9\n",
    ),
    (Code::NameMismatch, "f : I64 -> I64\ng x = x\n"),
    (
        Code::WildcardInLetRec,
        "f : I64\nf = let rec _ = fun x -> x in 1\n",
    ),
    (Code::MultipleDefs, "f : I64\nf = 1\n\ng : I64\ng = 2\n"),
    (Code::MisplacedPrivateDef, "_f : I64\n_f = 1\n"),
    (
        Code::DuplicateField,
        "f : Point\nf = { x = 1, y = 2, x = 3 }\n",
    ),
    (Code::Shadowing, "f : I64 -> I64\nf x = let x = 2 in x\n"),
    (
        Code::UnknownName,
        "f : List I64 -> I64\nf items = list_len itms\n",
    ),
    (Code::UnknownType, "f : Redaing -> I64\nf x = 1\n"),
    (
        Code::UnknownQualified,
        "f : I64 -> Bool\nf x = I64::eqq x x\n",
    ),
    (Code::UnknownConstructor, "f : Level\nf = Hihg\n"),
    (Code::AmbiguousConstructor, "f : Level\nf = Low\n"),
    (Code::AmbiguousName, "f : I64\nf = twin\n"),
    (Code::NeedlessQualification, "f : Level\nf = Level::High\n"),
    (Code::PrivateCrossModule, "f : I64\nf = _hidden\n"),
    (
        Code::TypeMismatch,
        "f : F64 -> F64\nf x = if x < 1 then x else 2.0\n",
    ),
    (
        Code::EffectViolation,
        "f : Clock -> I64\nf c = clock_now c\n",
    ),
    (
        Code::OperatorPolymorphic,
        "f : a -> a -> Bool\nf x y = x == y\n",
    ),
    (
        Code::NonDerivable,
        "f : Handle -> Handle -> Bool\nf x y = x < y\n",
    ),
    (
        Code::AnnotationNeeded,
        "f : I64\nf = let p = { x = 1, y = 2 } in 1\n",
    ),
    (Code::UnknownField, "f : Point -> I64\nf p = p.z\n"),
    (Code::LiteralOutOfRange, "f : U8\nf = 256\n"),
    (
        Code::NonExhaustiveMatch,
        "f : Option I64 -> I64\nf x = match x with | None -> 0\n",
    ),
    (
        Code::RedundantArm,
        "f : I64 -> I64\nf x = match x with | y -> y | 1 -> 2\n",
    ),
    (
        Code::MissingRecordRest,
        "f : Point -> I64\nf p = match p with | { x } -> x\n",
    ),
    (Code::LimitExceeded, ""),
];

#[test]
fn most_codes_of_a_draft_have_an_edit() {
    let others = [
        ("left/twin.soil", "twin : I64\ntwin = 1\n"),
        ("left/_private.soil", "_hidden : I64\n_hidden = 1\n"),
        ("right/twin.soil", "twin : I64\ntwin = 2\n"),
    ];
    let mut without = Vec::new();
    for (code, text) in DRAFTS {
        let deep = format!("f : I64\nf = {}1{}\n", "(".repeat(600), ")".repeat(600));
        let text = if text.is_empty() { &deep } else { *text };
        let mut files = others.to_vec();
        files.push(("main/f.soil", text));
        let program = program(&files);
        let found = check(&program, CheckOptions::RICH)
            .diagnostics
            .into_sorted();
        let report = found.iter().find(|report| report.code == *code);
        let report = report.unwrap_or_else(|| panic!("{code}: {:#?}", shown(&program, &found)));
        if report.edits.is_empty() {
            without.push(code.text());
        }
    }
    println!(
        "{} of {} codes have an edit, not {without:?}",
        DRAFTS.len() - without.len(),
        DRAFTS.len()
    );
    assert!(
        (DRAFTS.len() - without.len()) * 100 >= DRAFTS.len() * 60,
        "{without:?}"
    );
}
