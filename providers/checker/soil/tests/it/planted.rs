//! Independent faults in accepted programs: each is reported once, at its place, and nothing else is.

use std::collections::{BTreeMap, HashSet};

use soil::diagnostic::Diagnostic;
use soil::program::{Program, ProgramTexts, Text};
use soil::values::SplitMix64;

use crate::fault::{Fault, is_on, planted};
use crate::project::{checked, shown};
use crate::{corpus, plant};

const TRIALS: u64 = 300;

/// What came of some trials.
#[derive(Default)]
struct Tally {
    trials: u32,
    exact: u32,
    roots: u32,
    follow_ons: u32,
    faults: u32,
    found: u32,
    placed: u32,
}

impl Tally {
    fn line(&self, name: &str) -> String {
        let share = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole.max(1));
        format!(
            "{name:24} {:5} faults, found {:5.1} %, at their place {:5.1} %",
            self.faults,
            share(self.found, self.faults),
            share(self.placed, self.faults),
        )
    }
}

/// Draws up to `count` faults that do not touch each other.
pub(crate) fn drawn(all: &[Fault], count: usize, random: &mut SplitMix64) -> Vec<Fault> {
    let mut chosen: Vec<Fault> = Vec::new();
    for _ in 0..count * 20 {
        if chosen.len() == count {
            break;
        }
        let position = random.below(u64::try_from(all.len()).expect("a count"));
        let fault = &all[usize::try_from(position).expect("a position")];
        if chosen.iter().all(|other| other.is_apart_from(fault)) {
            chosen.push(fault.clone());
        }
    }
    chosen
}

pub(crate) fn texts_with(texts: &ProgramTexts, faults: &[Fault]) -> ProgramTexts {
    let mut texts = texts.clone();
    for (file, text) in texts.definitions.iter_mut().enumerate() {
        let of_file: Vec<&Fault> = faults.iter().filter(|fault| fault.file == file).collect();
        if !of_file.is_empty() {
            let plain = String::from_utf8_lossy(&text.bytes).into_owned();
            *text = Text::new(text.path.clone(), planted(&plain, &of_file).into_bytes());
        }
    }
    texts
}

/// Takes the reports that a fault has to give, and says of each fault whether it was found and whether it stands at its place.
fn judged(faults: &[Fault], found: &[Diagnostic]) -> Vec<(bool, bool)> {
    let mut free = vec![true; found.len()];
    let mut judge = |fault: &Fault, asks_place: bool| {
        let of_file: Vec<&Fault> = faults
            .iter()
            .filter(|other| other.file == fault.file)
            .collect();
        let position = found.iter().enumerate().position(|(position, report)| {
            let is_there = report.span.is_some_and(|span| is_on(fault, &of_file, span));
            free[position]
                && report.code == fault.code
                && report.file.is_some_and(|file| file.index() == fault.file)
                && (is_there || !asks_place)
        });
        if let Some(position) = position {
            free[position] = false;
        }
        position.is_some()
    };
    let placed: Vec<bool> = faults.iter().map(|fault| judge(fault, true)).collect();
    let rest = faults.iter().zip(placed);
    rest.map(|(fault, placed)| (placed || judge(fault, false), placed))
        .collect()
}

#[test]
fn each_fault_is_one_report() {
    let mut random = SplitMix64::new(20);
    let mut whole = Tally::default();
    let mut of_kind: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut missed = Vec::new();
    for trial in 0..TRIALS {
        let texts = corpus::whole(trial, 12);
        let taken = names(&texts);
        let all: Vec<Fault> = texts
            .definitions
            .iter()
            .enumerate()
            .flat_map(|(file, text)| {
                plant::faults(file, &String::from_utf8_lossy(&text.bytes), &taken)
            })
            .collect();
        let count = usize::try_from(1 + trial % 20).expect("a count");
        let faults = drawn(&all, count, &mut random);
        let changed = texts_with(&texts, &faults);
        let program = Program::read(&changed).expect("the types make sense");
        let found = checked(&program).diagnostics.clone().into_sorted();
        let verdicts = judged(&faults, &found);
        let roots = found.iter().filter(|report| report.root.is_none()).count();
        whole.trials += 1;
        whole.exact += u32::from(roots == faults.len());
        whole.roots += u32::try_from(faults.len()).expect("a count");
        let hits = verdicts.iter().filter(|(found, _)| *found).count();
        whole.follow_ons += u32::try_from(found.len() - hits).expect("a count");
        for (fault, (is_found, is_placed)) in faults.iter().zip(&verdicts) {
            for tally in [&mut whole, of_kind.entry(fault.kind).or_default()] {
                tally.faults += 1;
                tally.found += u32::from(*is_found);
                tally.placed += u32::from(*is_placed);
            }
        }
        if roots != faults.len() || verdicts.iter().any(|verdict| *verdict != (true, true)) {
            missed.push(explained(&changed, &program, &faults, &verdicts, &found));
        }
    }
    for (kind, tally) in &of_kind {
        println!("{}", tally.line(kind));
    }
    println!("{}", whole.line("all"));
    println!(
        "{} of {} trials with exactly as many roots as faults; {} follow-ons of {} roots",
        whole.exact, whole.trials, whole.follow_ons, whole.roots
    );
    let shown = missed
        .iter()
        .take(12)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n\n");
    assert!(whole.exact * 100 >= whole.trials * 95, "{shown}");
    assert!(whole.follow_ons * 10 <= whole.roots, "{shown}");
    assert!(whole.placed * 100 >= whole.faults * 95, "{shown}");
}

/// Gives every word of the texts, and every name that means something without them.
pub(crate) fn names(texts: &ProgramTexts) -> HashSet<String> {
    let builtins = soil::builtins::BuiltinId::all().map(|builtin| builtin.name().to_owned());
    let mut taken: HashSet<String> = builtins.collect();
    for text in &texts.definitions {
        let text = String::from_utf8_lossy(&text.bytes);
        let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
        taken.extend(words.map(str::to_owned));
    }
    for word in [
        "Unit", "Bytes", "Map", "Path", "World", "Fs", "Env", "Proc", "Py", "Rand", "Net",
    ] {
        taken.insert(word.to_owned());
    }
    taken
}

/// Shows the files of a trial in which something was missed.
fn explained(
    texts: &ProgramTexts,
    program: &Program,
    faults: &[Fault],
    verdicts: &[(bool, bool)],
    found: &[Diagnostic],
) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (file, text) in texts.definitions.iter().enumerate() {
        let reports: Vec<Diagnostic> = found
            .iter()
            .filter(|report| report.file.is_some_and(|other| other.index() == file))
            .cloned()
            .collect();
        let of_file: Vec<(&Fault, &(bool, bool))> = faults
            .iter()
            .zip(verdicts)
            .filter(|(fault, _)| fault.file == file)
            .collect();
        let is_fine = of_file.iter().all(|(_, verdict)| **verdict == (true, true));
        if is_fine && of_file.len() == reports.len() {
            continue;
        }
        lines.push(format!(
            "{}\n{}",
            text.path,
            String::from_utf8_lossy(&text.bytes)
        ));
        for (fault, verdict) in of_file {
            let Fault {
                kind,
                code,
                at,
                text,
                ..
            } = fault;
            lines.push(format!("{verdict:?} {kind} {code} at {at:?} `{text}`"));
        }
        for (line, report) in shown(program, &reports).iter().zip(&reports) {
            lines.push(format!(
                "  {line} root {:?} {}",
                report.root, report.message
            ));
        }
    }
    lines.join("\n")
}
