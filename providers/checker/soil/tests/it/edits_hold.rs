//! Every edit of every report about planted faults does what it claims, alone and with the other machine edits.

use std::collections::BTreeMap;

use soil::check::{CheckOptions, check};
use soil::diagnostic::{Diagnostic, Edit, EditKind, apply};
use soil::program::{Program, ProgramTexts, Text};
use soil::source::FileId;
use soil::spec::{self, Location};
use soil::syntax::Names;
use soil::values::SplitMix64;

use crate::fault::Fault;
use crate::planted::{drawn, names, texts_with};
use crate::project::{places, program, shown};
use crate::registry::{among_neighbours, drafts};
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

/// Each code that a draft can get has an edit for its example, or says why not.
#[test]
fn codes_of_a_draft_have_an_edit_or_say_why_not() {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (code, text) in drafts() {
        let (plain, _) = places(&text);
        let program = among_neighbours(&plain);
        let found = check(&program, CheckOptions::RICH)
            .diagnostics
            .into_sorted();
        let [report] = &found[..] else {
            panic!("{code}: {:#?}", shown(&program, &found));
        };
        assert_eq!(report.code, code);
        let has_edit = !report.edits.is_empty();
        assert_eq!(has_edit, code.why_no_edit().is_none(), "{code}");
        if has_edit { &mut with } else { &mut without }.push(code.text());
    }
    let all = with.len() + without.len();
    println!(
        "{} of {all} codes have an edit, not {without:?}",
        with.len()
    );
    assert!(all > 30 && with.len() * 100 >= all * 60, "{without:?}");
}

/// What another file uses is not taken away by an edit.
#[test]
fn a_definition_that_others_use_keeps_its_name() {
    let edits = |files: &[(&str, &str)]| -> Vec<String> {
        let program = program(files);
        let found = check(&program, CheckOptions::RICH)
            .diagnostics
            .into_sorted();
        let edits = found.iter().flat_map(|report| &report.edits);
        edits.map(|edit| edit.title.clone()).collect()
    };
    let half = ("main/_private.soil", "half : I64 -> I64\nhalf x = x / 2\n");
    let user = ("main/f.soil", "f : I64 -> I64\nf x = half x\n");
    assert_eq!(edits(&[half]), ["call it `_half`"]);
    assert_eq!(edits(&[half, user]), [""; 0]);
    let two =
        |body: &str| format!("f : I64\nf = {body}\n\ng : I64\ng = 1 -- one\n\nh : I64\nh = 2\n");
    assert_eq!(
        edits(&[("main/f.soil", &two("1"))]),
        ["remove `g`", "remove `h`"]
    );
    let taken = "_half : I64\n_half = 1\n\nhalf : I64\nhalf = 1\n";
    assert_eq!(edits(&[("main/_private.soil", taken)]), [""; 0]);
}

/// Reads a `.tr` file of the project `p`.
fn read_spec(path: &str, bytes: &[u8]) -> Vec<Diagnostic> {
    let location = Location::of_path(path, "p");
    let read = spec::read(FileId::new(0), bytes, location, &mut Names::new());
    read.diagnostics.into_sorted()
}

/// Every edit of a `.tr` file removes its report and adds none.
#[test]
fn edits_of_spec_files_hold() {
    let test = "```test small\n(1) => 1\n```\n";
    let function = |blocks: &str| format!("---\nname: f\n---\nWords.\n{blocks}{test}");
    let cases: &[(&str, String)] = &[
        ("tr-missing-frontmatter", format!("Words.\n{test}")),
        (
            "tr-missing-name",
            format!("---\ntags: [a]\n---\nWords.\n{test}"),
        ),
        (
            "tr-frontmatter-syntax",
            format!("---\nname: f\ntags: a, b\n---\nWords.\n{test}"),
        ),
        (
            "tr-unknown-frontmatter-key",
            format!("---\nname: f\nowner: me\n---\nWords.\n{test}"),
        ),
        (
            "tr-name-mismatch",
            format!("---\nname: g\n---\nWords.\n{test}"),
        ),
        (
            "tr-name-mismatch",
            function("```soil-sig\ng : (x : I64) -> I64\n```\n"),
        ),
        ("tr-block-info", function("```test\n(2) => 2\n```\n")),
        ("tr-block-info", function("```allow here\npartial\n```\n")),
        (
            "tr-duplicate-test-name",
            function("```test small\n(2) => 2\n```\n"),
        ),
        ("tr-allow-unknown", function("```allow\neverything\n```\n")),
        (
            "tr-panic-without-row",
            function(
                "```soil-sig\nf : (x : I64) -> List I64\n```\n```test none\n(0) => panic\n```\n",
            ),
        ),
    ];
    for (code, text) in cases {
        let found = read_spec("m/f.tr", text.as_bytes());
        let [report] = &found[..] else {
            panic!("{text}: {found:#?}");
        };
        assert_eq!(report.code.text(), *code, "{text}");
        assert!(!report.edits.is_empty(), "{text}");
        for edit in &report.edits {
            let changed = apply(FileId::new(0), text.as_bytes(), [edit]);
            let changed = changed.expect("the edit fits the text");
            let again = read_spec("m/f.tr", &changed);
            let shown = String::from_utf8_lossy(&changed);
            assert!(again.is_empty(), "{}\n{shown}\n{again:#?}", edit.title);
        }
    }
}

/// What does not read in a block has the edits of a draft, at their places in the file.
#[test]
fn blocks_of_spec_files_have_edits() {
    let head = "---\nname: f\n---\nWörds.\n";
    let cases_block = "```test small\n(1) => 1\n```\n";
    let signature = "```soil-sig\nf : (x : I64) -> I64\n```\n";
    let cases = [
        (
            "```soil-sig\nf : (x : List (Option I64) -> I64\n```\n",
            "(x : List (Option I64)) -> I64",
        ),
        ("```soil-sig\nf (x : I64) -> I64\n```\n", "f : (x : I64)"),
        (
            "```ensures\nsame: (result + 1 == x\n```\n",
            "(result + 1) == x",
        ),
        (
            "```ensures\nsame: 0 < result < x\n```\n",
            "0 < result and result < x",
        ),
    ];
    for (block, expected) in cases {
        let own = if block.contains("soil-sig") {
            ""
        } else {
            signature
        };
        let text = format!("{head}{own}{block}{cases_block}");
        let found = read_spec("m/f.tr", text.as_bytes());
        let edits = found.iter().flat_map(|report| &report.edits);
        let texts: Vec<String> = edits
            .map(|edit| apply(FileId::new(0), text.as_bytes(), [edit]).expect("it fits"))
            .map(|bytes| String::from_utf8(bytes).expect("it is UTF-8"))
            .collect();
        assert!(
            texts.iter().any(|text| text.contains(expected)),
            "{block}: {texts:#?}\n{found:#?}"
        );
    }
}
