//! How often a reader who follows nothing but edits and parameters of reports repairs one planted fault, within two drafts.

mod instance;

use std::collections::BTreeMap;

use soil::check::{CheckOptions, check};
use soil::diagnostic::{Diagnostic, Edit, EditKind, apply};
use soil::print;
use soil::program::{Program, ProgramTexts, Text};
use soil::source::FileId;
use soil::syntax::{FileShape, Names, parse};
use soil::values::SplitMix64;

use crate::fault::{Fault, planted};
use crate::planted::{names, texts_with};
use crate::{corpus, plant};
use instance::{is_instance, words};

/// How many faults of each kind are tried.
const OF_EACH_KIND: usize = 20;

/// How many programs the faults are drawn from, and how many of each.
const PROGRAMS: u64 = 400;
const OF_EACH_PROGRAM: u64 = 16;

/// What came of a fault after two drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The program is the one that was meant, up to layout and the names of locals.
    Restored,
    /// It is the one that was meant but for a hole in the place of what the fault took away.
    Held,
    /// Its words are those that were meant, and its brackets stand elsewhere.
    Bracketed,
    /// Something is still reported.
    Reported,
    /// More is reported than before, or something was changed that was no fault.
    Worse,
}

const OUTCOMES: [(Outcome, &str); 5] = [
    (Outcome::Restored, "restored"),
    (Outcome::Held, "with a hole for what was lost"),
    (Outcome::Bracketed, "bracketed otherwise"),
    (Outcome::Reported, "still reported"),
    (Outcome::Worse, "over-repaired"),
];

/// Takes the first edit of each report: one that keeps the meaning before one to choose, and holes last.
fn chosen(found: &[Diagnostic]) -> Vec<&Edit> {
    let rank = |edit: &&Edit| match edit.kind {
        EditKind::Machine => 0,
        EditKind::Choice => 1,
        EditKind::Placeholder => 2,
    };
    let reports = found.iter();
    reports
        .filter_map(|report| report.edits.iter().min_by_key(rank))
        .collect()
}

fn reports(texts: &ProgramTexts) -> (Program, Vec<Diagnostic>) {
    let program = Program::read(texts).expect("the types make sense");
    let found = check(&program, CheckOptions::RICH)
        .diagnostics
        .into_sorted();
    (program, found)
}

/// Gives the definitions of a text in hash form, and in canonical form; none when it does not read.
fn forms(text: &str) -> Option<(String, String)> {
    let mut names = Names::new();
    let parsed = parse(FileId::new(0), text.as_bytes(), FileShape::Free, &mut names);
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let definitions = parsed.tree.definitions.iter();
    let hashed = definitions.map(|definition| print::hash_form(&parsed.tree, &names, definition));
    Some((hashed.collect(), print::file(&parsed.tree, &names)))
}

/// Says what a text without reports is beside the one that was meant.
fn compared(found: &str, meant: &str, fault: &Fault) -> Outcome {
    let (Some((found_hashed, found)), Some((meant_hashed, meant))) = (forms(found), forms(meant))
    else {
        return Outcome::Worse;
    };
    if found_hashed == meant_hashed {
        Outcome::Restored
    } else if fault.is_lossy && is_instance(&meant, &found) && is_kept(&meant, &found, fault) {
        Outcome::Held
    } else if words(&meant) == words(&found) {
        Outcome::Bracketed
    } else {
        Outcome::Worse
    }
}

/// Says whether holes stand for no more than what the fault took away.
fn is_kept(meant: &str, found: &str, fault: &Fault) -> bool {
    let lost = usize::try_from(fault.at.start).expect("an offset")
        ..usize::try_from(fault.at.end).expect("an offset");
    words(found).len() + words(&meant[lost]).len() >= words(meant).len()
}

fn text_of(texts: &ProgramTexts, fault: &Fault) -> String {
    String::from_utf8_lossy(&texts.definitions[fault.file].bytes).into_owned()
}

/// Writes two drafts, each after the reports about the one before, and gives the last text too.
fn repaired(original: &ProgramTexts, fault: &Fault) -> (Outcome, String) {
    let mut texts = texts_with(original, std::slice::from_ref(fault));
    let (mut program, mut found) = reports(&texts);
    let before = found.len();
    for _ in 0..2 {
        for (file, source) in program.sources.iter() {
            // Edits that overlap leave the text as it is.
            if let Some(bytes) = apply(file, &source.bytes, chosen(&found)) {
                texts.definitions[file.index()] = Text::new(source.path.clone(), bytes);
            }
        }
        (program, found) = reports(&texts);
    }
    let text = text_of(&texts, fault);
    let meant = fault.meant.clone().map(|text| Fault {
        text,
        ..fault.clone()
    });
    let of_original = text_of(original, fault);
    let meant = match &meant {
        Some(meant) => planted(&of_original, &[meant]),
        None => of_original,
    };
    let outcome = match found.len() {
        0 => compared(&text, &meant, fault),
        left if left > before => Outcome::Worse,
        _ => Outcome::Reported,
    };
    (outcome, text)
}

/// Draws faults of all kinds, each with the program in which it stands.
fn cases() -> Vec<(ProgramTexts, Fault)> {
    let mut random = SplitMix64::new(11);
    let mut of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    let mut cases = Vec::new();
    for seed in 0..PROGRAMS {
        let mut texts = corpus::whole(seed, 4);
        let taken = names(&texts);
        let count = u64::try_from(texts.definitions.len()).expect("a count");
        let file = usize::try_from(random.below(count)).expect("a position");
        texts.definitions.truncate(file + 1);
        let text = String::from_utf8_lossy(&texts.definitions[file].bytes).into_owned();
        let all = plant::faults(file, &text, &taken);
        for _ in 0..OF_EACH_PROGRAM {
            let position = random.below(u64::try_from(all.len()).expect("a count"));
            let fault = &all[usize::try_from(position).expect("a position")];
            let count = of_kind.entry(fault.kind).or_default();
            if *count < OF_EACH_KIND {
                *count += 1;
                cases.push((texts.clone(), fault.clone()));
            }
        }
    }
    cases
}

/// Shows a fault that was not repaired: the text with it, what was offered, and what came of it.
fn miss(texts: &ProgramTexts, fault: &Fault, outcome: Outcome, text: &str) -> String {
    let changed = texts_with(texts, std::slice::from_ref(fault));
    let (_, found) = reports(&changed);
    let edits: Vec<_> = found
        .iter()
        .map(|report| {
            let edits = report.edits.iter();
            let edits = edits.map(|edit| (edit.title.as_str(), edit.splices[0].span));
            (
                report.code.text(),
                report.span,
                report.message.as_str(),
                edits.collect::<Vec<_>>(),
            )
        })
        .collect();
    format!(
        "{} {outcome:?} at {:?} `{}`\n{}\nbecomes\n{text}\n{edits:?}",
        fault.kind,
        fault.at,
        &text_of(texts, fault)[fault.at.range()],
        text_of(&changed, fault),
    )
}

#[test]
fn following_edits_repairs() {
    let cases = cases();
    assert!(cases.len() >= 200, "{}", cases.len());
    let mut of_kind: BTreeMap<(&str, &str), Vec<Outcome>> = BTreeMap::new();
    let mut of_code: BTreeMap<&str, Vec<Outcome>> = BTreeMap::new();
    let (mut all, mut misses) = (Vec::new(), Vec::new());
    for (texts, fault) in &cases {
        let (outcome, text) = repaired(texts, fault);
        let code = fault.code.text();
        of_kind.entry((code, fault.kind)).or_default().push(outcome);
        of_code.entry(code).or_default().push(outcome);
        all.push(outcome);
        if outcome > Outcome::Held {
            misses.push(miss(texts, fault, outcome, &text));
        }
    }
    let count = |outcomes: &[Outcome], wanted: Outcome| {
        let outcomes = outcomes.iter();
        outcomes.filter(|outcome| **outcome == wanted).count()
    };
    let line = |name: &str, outcomes: &[Outcome]| {
        let counts = OUTCOMES.iter();
        let counts =
            counts.map(|(outcome, text)| format!("{:3} {text}", count(outcomes, *outcome)));
        let counts: Vec<String> = counts.collect();
        println!(
            "{name:24} {:3} cases: {}",
            outcomes.len(),
            counts.join(", ")
        );
    };
    for ((_, kind), outcomes) in &of_kind {
        line(kind, outcomes);
    }
    println!();
    for (code, outcomes) in &of_code {
        line(code, outcomes);
    }
    line("all", &all);
    let exactly = count(&all, Outcome::Restored) + count(&all, Outcome::Held);
    let shown = misses.join("\n\n");
    println!("{shown}");
    assert_eq!(count(&all, Outcome::Worse), 0, "over-repaired\n{shown}");
    assert!(
        exactly * 100 >= all.len() * 90,
        "{exactly} of {}\n{shown}",
        all.len()
    );
}
