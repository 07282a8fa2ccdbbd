//! How often a reader who follows nothing but edits and parameters of reports repairs one planted fault, within two drafts.

use std::collections::BTreeMap;

use soil::check::{CheckOptions, check};
use soil::diagnostic::{Diagnostic, Edit, EditKind, Params, apply};
use soil::program::{Program, ProgramTexts, Text};
use soil::values::SplitMix64;

use crate::fault::Fault;
use crate::planted::{names, texts_with};
use crate::{corpus, plant};

/// How many faults of each kind are tried.
const OF_EACH_KIND: usize = 20;

/// What came of a fault after two drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The text is the one from before the fault.
    Restored,
    /// Nothing is reported, or nothing but holes that were left.
    Accepted,
    /// Something is still reported.
    Reported,
    /// More is reported than before.
    Worse,
}

/// Takes the first edit of each report: one that keeps the meaning before one to choose, and holes last.
fn chosen(found: &[Diagnostic]) -> Vec<&Edit> {
    let best = |report: &'_ Diagnostic| -> Option<usize> {
        let rank = |edit: &Edit| match edit.kind {
            EditKind::Machine => 0,
            EditKind::Choice => 1,
            EditKind::Placeholder => 2,
        };
        let edits = report.edits.iter().enumerate();
        edits
            .min_by_key(|(_, edit)| rank(edit))
            .map(|(position, _)| position)
    };
    found
        .iter()
        .filter_map(|report| Some(&report.edits[best(report)?]))
        .collect()
}

/// Puts a hole in the place of what has another type than the one that its report asks for, where no edit is offered.
fn cut(found: &[Diagnostic]) -> Vec<Edit> {
    let mismatches = found.iter().enumerate().filter(|(_, report)| {
        report.edits.is_empty() && matches!(report.params.as_deref(), Some(Params::Mismatch(_)))
    });
    let edits = mismatches.filter_map(|(number, report)| {
        let (file, span) = report.file.zip(report.span)?;
        let text = format!("?cut{number}");
        Some(Edit::new(EditKind::Placeholder, "", file, span, text))
    });
    edits.collect()
}

fn reports(texts: &ProgramTexts) -> (Program, Vec<Diagnostic>) {
    let program = Program::read(texts).expect("the types make sense");
    let found = check(&program, CheckOptions::RICH)
        .diagnostics
        .into_sorted();
    (program, found)
}

/// Writes two drafts, each after the reports about the one before.
fn repaired(original: &ProgramTexts, fault: &Fault) -> Outcome {
    let mut texts = texts_with(original, std::slice::from_ref(fault));
    let (mut program, mut found) = reports(&texts);
    let before = found.len();
    for _ in 0..2 {
        let cut = cut(&found);
        for (file, source) in program.sources.iter() {
            let edits = chosen(&found).into_iter().chain(&cut);
            // Edits that overlap leave the text as it is.
            if let Some(bytes) = apply(file, &source.bytes, edits) {
                texts.definitions[file.index()] = Text::new(source.path.clone(), bytes);
            }
        }
        (program, found) = reports(&texts);
    }
    let words = |texts: &ProgramTexts| -> Vec<String> {
        let text = String::from_utf8_lossy(&texts.definitions[fault.file].bytes).into_owned();
        text.split_whitespace().map(str::to_owned).collect()
    };
    match found.len() {
        0 if words(&texts) == words(original) => Outcome::Restored,
        0 => Outcome::Accepted,
        left if left > before => Outcome::Worse,
        _ => Outcome::Reported,
    }
}

/// Draws faults of all kinds, each with the program in which it stands.
fn cases() -> Vec<(ProgramTexts, Fault)> {
    let mut random = SplitMix64::new(11);
    let mut of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    let mut cases = Vec::new();
    for seed in 0..80 {
        let mut texts = corpus::whole(seed, 4);
        let taken = names(&texts);
        let count = u64::try_from(texts.definitions.len()).expect("a count");
        let file = usize::try_from(random.below(count)).expect("a position");
        texts.definitions.truncate(file + 1);
        let text = String::from_utf8_lossy(&texts.definitions[file].bytes).into_owned();
        let all = plant::faults(file, &text, &taken);
        for _ in 0..16 {
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

#[test]
fn following_edits_repairs() {
    let cases = cases();
    assert!(cases.len() >= 200, "{}", cases.len());
    let mut of_kind: BTreeMap<&str, Vec<Outcome>> = BTreeMap::new();
    for (texts, fault) in &cases {
        of_kind
            .entry(fault.kind)
            .or_default()
            .push(repaired(texts, fault));
    }
    let count = |outcomes: &[Outcome], wanted: Outcome| {
        outcomes
            .iter()
            .filter(|outcome| **outcome == wanted)
            .count()
    };
    let line = |name: &str, outcomes: &[Outcome]| {
        println!(
            "{name:24} {:3} cases, {:3} restored, {:3} accepted otherwise, {:3} still reported, {:3} worse",
            outcomes.len(),
            count(outcomes, Outcome::Restored),
            count(outcomes, Outcome::Accepted),
            count(outcomes, Outcome::Reported),
            count(outcomes, Outcome::Worse),
        );
    };
    for (kind, outcomes) in &of_kind {
        line(kind, outcomes);
    }
    let all: Vec<Outcome> = of_kind.values().flatten().copied().collect();
    line("all", &all);
    let good = count(&all, Outcome::Restored) + count(&all, Outcome::Accepted);
    assert_eq!(count(&all, Outcome::Worse), 0, "an edit made it worse");
    assert!(good * 100 >= all.len() * 90, "{good} of {}", all.len());
}
