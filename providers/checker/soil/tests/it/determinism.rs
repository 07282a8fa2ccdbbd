//! The same inputs give the same bytes: on a second run, on another thread, and in another order where order has no meaning.

use std::collections::BTreeMap;

use serde_json::Value;
use soil::check::{CheckOptions, check};
use soil::document::{self, Detail};
use soil::hash::{Digest, TypeHashes, soil_hashes};
use soil::program::{Program, ProgramTexts, Text};
use soil::values::SplitMix64;

use crate::planted::{drawn, names, texts_with};
use crate::{corpus, plant};

/// Gives all documents of a program, one after another.
fn documents(texts: &ProgramTexts) -> String {
    let program = Program::read(texts).expect("the types make sense");
    let checked = check(&program, CheckOptions::RICH);
    let hashed = soil_hashes(&checked, |_| None);
    let errors = document::errors(
        checked.diagnostics.clone(),
        &program.sources,
        Detail::RichPlain,
    );
    let mut shown = document::checked(&checked);
    shown.push_str(&document::renamed(&checked));
    shown.push_str(&document::hashes(&program, &hashed));
    shown.push_str(&errors);
    shown
}

fn shuffled<T>(items: &mut [T], random: &mut SplitMix64) {
    for last in (1..items.len()).rev() {
        let other = random.below(u64::try_from(last + 1).expect("a count"));
        items.swap(last, usize::try_from(other).expect("a position"));
    }
}

/// Gives a program with faults in it.
fn faulty(seed: u64, random: &mut SplitMix64) -> ProgramTexts {
    let texts = corpus::whole(seed, 4);
    let taken = names(&texts);
    let texts_of = texts.definitions.iter().enumerate();
    let all: Vec<_> = texts_of
        .flat_map(|(file, text)| plant::faults(file, &String::from_utf8_lossy(&text.bytes), &taken))
        .collect();
    texts_with(&texts, &drawn(&all, 6, random))
}

#[test]
fn a_second_run_and_another_thread_give_the_same_bytes() {
    let mut random = SplitMix64::new(3);
    for seed in 0..12 {
        let texts = faulty(seed, &mut random);
        let first = documents(&texts);
        assert_eq!(documents(&texts), first, "{seed}");
        let other = std::thread::scope(|scope| {
            let other = scope.spawn(|| documents(&texts));
            other.join().expect("the thread ends")
        });
        assert_eq!(other, first, "{seed}");
    }
}

#[test]
fn the_order_of_types_and_signatures_has_no_meaning() {
    let mut random = SplitMix64::new(4);
    for seed in 0..8 {
        let mut texts = faulty(seed, &mut random);
        let signatures = texts.definitions.drain(..6).collect();
        texts.signatures = signatures;
        let first = documents(&texts);
        let types = texts.types.clone().expect("the project declares types");
        let mut types: Value = serde_json::from_slice(&types.bytes).expect("it is JSON");
        shuffled(types["types"].as_array_mut().expect("a list"), &mut random);
        shuffled(&mut texts.signatures, &mut random);
        texts.types = Some(Text::new("env.json", types.to_string().into_bytes()));
        assert_eq!(documents(&texts), first, "{seed}");
    }
}

/// Gives what a plain document says of each definition, by name; what fits a hole depends on what stands before it.
fn entries(texts: &ProgramTexts) -> BTreeMap<String, Value> {
    let program = Program::read(texts).expect("the types make sense");
    let checked = check(&program, CheckOptions::default());
    let hashed = soil_hashes(&checked, |_| None);
    let mut entries = BTreeMap::new();
    for text in [
        document::checked(&checked),
        document::hashes(&program, &hashed),
    ] {
        let document: Value = serde_json::from_str(&text).expect("a document is JSON");
        for entry in document["defs"].as_array().expect("a list") {
            let name = entry["name"].as_str().expect("a name").to_owned();
            let kind = if entry["soil_hash"].is_null() {
                "check"
            } else {
                "hash"
            };
            entries.insert(format!("{kind} {name}"), entry.clone());
        }
    }
    entries
}

#[test]
fn definitions_that_do_not_call_each_other_may_change_places() {
    let mut random = SplitMix64::new(5);
    let mut texts = corpus::examples();
    texts.definitions.extend(corpus::basis());
    let first = entries(&texts);
    assert!(first.len() > 30, "{}", first.len());
    for _ in 0..8 {
        shuffled(&mut texts.definitions, &mut random);
        let again = entries(&texts);
        assert_eq!(
            again.keys().collect::<Vec<_>>(),
            first.keys().collect::<Vec<_>>()
        );
        for (name, entry) in &first {
            assert_eq!(again[name], *entry, "{name}");
        }
    }
}

const TREE: &str = "type Tree a = | Leaf | Branch (Forest a)";
const FOREST: &str = "type Forest a = { trees : List (Tree a), size : I64 ignored = 0 }";

/// Gives what the types of a program count as in hashes, and the hash of a definition that names one.
fn cycle(types: &[&str]) -> (Vec<(String, Option<Digest>)>, Option<Digest>) {
    let text = "f : Tree I64 -> I64\nf t = 1\n";
    let program = crate::project::program_with(types, &[("main/f.soil", text)], &[]);
    let hashes = TypeHashes::new(&program.environment, &program.names);
    let declared = ["Tree", "Forest", "Chain"].iter().filter_map(|name| {
        let id = program.environment.type_named(program.names.get(name)?)?;
        Some(((*name).to_owned(), hashes.cycle_hash(id)))
    });
    let checked = check(&program, CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{types:?}");
    let own = soil_hashes(&checked, |_| None)[0].soil_hash;
    (declared.collect(), own)
}

#[test]
fn types_that_need_each_other_have_one_hash() {
    let chain = "type Chain = | End | Link Chain";
    let (hashes, own) = cycle(&[TREE, FOREST, chain]);
    let expected = Digest::of(["soil-cycle/1", FOREST, TREE]);
    assert_eq!(hashes[0], ("Tree".to_owned(), Some(expected)));
    assert_eq!(hashes[1], ("Forest".to_owned(), Some(expected)));
    assert_eq!(
        hashes[2],
        ("Chain".to_owned(), None),
        "a type that needs itself alone is in no cycle"
    );
    assert_eq!(
        cycle(&[chain, FOREST, TREE]),
        (hashes, own),
        "the order of declarations has no meaning"
    );
    let other = FOREST.replace("size", "count");
    let (moved, moved_own) = cycle(&[TREE, &other]);
    assert_ne!(moved[0].1, Some(expected), "a member moves the hash of all");
    assert_ne!(moved_own, own, "and of the definitions that name one");
}

/// Gives the hashes of a chain of definitions, callee first.
fn hashes_of(files: &[(&str, &str)]) -> Vec<Digest> {
    let program = crate::project::program(files);
    let checked = check(&program, CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{files:?}");
    let hashed = soil_hashes(&checked, |_| None);
    hashed
        .iter()
        .map(|hashed| hashed.soil_hash.expect("all is known"))
        .collect()
}

/// Which of `_step`, `half`, `twice` and `alone` an edit of one file moves.
#[test]
fn an_edit_moves_the_hashes_of_those_who_call() {
    let files = [
        ("main/_private.soil", "_step : I64\n_step = 2\n"),
        (
            "main/half.soil",
            "half : (x : I64) -> I64\nhalf x = let y = x / _step in y\n",
        ),
        (
            "main/twice.soil",
            "twice : I64 -> I64\ntwice n = half (half n)\n",
        ),
        (
            "main/alone.soil",
            "alone : Point -> I64\nalone p = match p with | { x, .. } -> x\n",
        ),
    ];
    let before = hashes_of(&files);
    let cases: &[(usize, &str, &str, [bool; 4])] = &[
        (0, "_step = 2", "_step = 3", [true, true, true, false]),
        (0, "_step = 2", "_step = -- two\n  2", [false; 4]),
        (
            1,
            "let y = x / _step in y",
            "let z = x / _step in z",
            [false; 4],
        ),
        (
            1,
            "half x = let y = x /",
            "half a = let y = a /",
            [false; 4],
        ),
        (1, "(x : I64)", "(z : I64)", [false, true, true, false]),
        (1, "x / _step", "(x / _step)", [false; 4]),
        (1, "x / _step", "_step / x", [false, true, true, false]),
        (1, "-> I64", "-> panic I64", [false, true, true, false]),
        (2, "half (half n)", "half n", [false, false, true, false]),
        (
            2,
            "half (half n)",
            "half ?hole",
            [false, false, true, false],
        ),
        (
            2,
            "half (half n)",
            "utf8_len (I64::show n)",
            [false, false, true, false],
        ),
        (3, "{ x, .. } -> x", "{ x = v, .. } -> v", [false; 4]),
        (3, "{ x, .. }", "{ y = x, .. }", [false, false, false, true]),
        (3, "-> x", "-> (x : I64)", [false, false, false, true]),
    ];
    for (file, from, to, expected) in cases {
        let mut edited = files;
        assert!(files[*file].1.contains(from), "{from}");
        let text = files[*file].1.replace(from, to);
        edited[*file].1 = &text;
        let after = hashes_of(&edited);
        let moved: Vec<bool> = before
            .iter()
            .zip(&after)
            .map(|(before, after)| before != after)
            .collect();
        assert_eq!(moved, expected, "{from} -> {to}");
    }
}
