//! What holds for any bytes of a project's files: bounded runs of the laws that `xtask/fuzz` runs without end.

mod config;
mod draft;
mod json;
mod lock;
mod spec;
mod tool;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestRunner};

use std::path::PathBuf;

use crate::job_root::{CLAMP, GOOD, Root};

/// Pieces of specs that meet most branches when they are strung together.
const SPEC: [&str; 30] = [
    "---\n",
    "name: f\n",
    "name: m\n",
    "kind: type\n",
    "tags: [a]\n",
    "---\n\n",
    "Says something.\n\n",
    "## Clarifications\n",
    "- **Q:** a\n",
    "# Title\n",
    "```soil-sig\n",
    "~~~soil-sig @agent\n",
    "f : (x : I64) -> I64\n",
    "```\n",
    "~~~\n",
    "````\n",
    "```requires\n",
    "```ensures\n",
    "a: x <= 1\n",
    "```test one\n",
    "```test one xfail\n",
    "(1) => 1\n",
    "```decisions\n",
    "a: b\n  rejected: c\n",
    "```exports\n",
    "f\n",
    "> ",
    "    ",
    "\r\n",
    "é\t",
];

/// Whole files that read.
const WHOLE: [&str; 4] = [
    "---\nname: f\n---\n\nProse.\n\n```soil-sig\nf : (x : I64) -> I64\n```\n\n```test one\n(1) => 1\n```\n",
    "---\nname: m\n---\n\nProse.\n\n```exports\nf\n```\n\n```decisions\na: b\n```\n",
    "---\nname: root\n---\n\nProse.\n\n```decisions\na: b\n  rejected: c\n```\n\n## Clarifications\n\n- **Q:** a\n  **A:** b\n",
    "---\nname: m\n---\n\nProse.\n\n```exports\n```\n\n```decisions\n```\n\nEnd",
];

/// Pieces of drafts.
const DRAFT: [&str; 24] = [
    "f : (x : I64) -> I64\n",
    "f x = ",
    "f : I64\nf = ",
    "x",
    " + ",
    "1",
    "?hole",
    "if x < 1 then ",
    " else ",
    "match x with | ",
    " -> ",
    "let y = ",
    " in ",
    "fun a -> ",
    "(",
    ")",
    "{ a = ",
    " }",
    "\"\\u{1F642}\"",
    "\"\\",
    "-- a comment\n",
    "\n",
    "{v : I64 | v > 0}",
    "\u{feff}",
];

/// Pieces of `soil.toml`.
const CONFIG: [&str; 14] = [
    "[toolchain]\n",
    "trellis = \"0.3.0\"\n",
    "entrypoint = \"m::f\"\n",
    "[tags.a]\n",
    "description = ",
    "\"x\"\n",
    "[providers]\n",
    "[",
    "]\n",
    "= ",
    "1\n",
    "'''",
    "# é\n",
    "\u{0}",
];

/// Pieces of JSON, of the values of some types and of the inputs of the language face.
const JSON: [&str; 36] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "1",
    "-0",
    "1.0",
    "1e400",
    "-9223372036854775809",
    "18446744073709551616",
    "0.1e-7",
    "\"NaN\"",
    "\"a\\u00e9\\n\"",
    "\"\\ud800\"",
    "\"aGk=\"",
    "{\"tag\":\"Dot\"}",
    "{\"tag\":\"Line\",\"value\":",
    "{\"tag\":\"Both\",\"value\":{\"first\":1,\"second\":\"x\"}}",
    "{\"first\":",
    ",\"second\":",
    "{\"key\":\"k\",\"value\":1.5}",
    "\"types\":",
    "\"defs\":",
    "\"sigs\":[]",
    "\"cases\":",
    "\"program\":\"p.json\"",
    "{\"tag\":\"Some\",\"value\":",
    "\"name\":\"x\"",
    " ",
    "\u{feff}",
    "\"",
    "\\",
];

/// Whole inputs of tools, each with the number of its tool before it.
const INPUT: [&str; 16] = [
    "\0{\"job\":\"@job\",\"path\":\"\"}",
    "\0{\"job\":\"@job\",\"path\":\"spec.md\"}",
    "\u{1}{\"job\":\"@job\"}",
    "\u{2}{\"job\":\"@job\"}",
    "\u{3}{\"job\":\"@job\"}",
    "\u{4}{\"job\":\"@job\",\"soil\":\"f : (x : I64) -> I64\\nf x = x\",\"decisions_applied\":[]}",
    "\u{4}{\"job\":\"@job\",\"soil\":\"f : (x : I64) -> I64\\nf x = ?later\",\"decisions_applied\":[]}",
    "\u{4}{\"job\":\"@job\",\"soil\":\"f x\",\"decisions_applied\":[{\"scope\":{\"tag\":\"Project\"},\"label\":\"a\"}]}",
    "\u{5}{\"job\":\"@job\",\"ref\":\"soil-syntax-spec#5.9\"}",
    "\u{5}{\"job\":\"@job\",\"ref\":\"design#99\"}",
    "\u{6}{\"job\":\"@job\",\"kind\":{\"tag\":\"Rule\"},\"question\":\"Which?\",\"hole\":{\"tag\":\"None\"},\"options\":[]}",
    "\u{6}{\"job\":\"@job\",\"kind\":\"Ambiguity\",\"question\":\"Which?\",\"hole\":\"later\",\"options\":[\"a\"]}",
    "\u{7}{\"root\":\"@job/../../..\"}",
    "\u{7}{\"root\":\"@job/../../..\",\"package\":\"m\"}",
    "\u{8}{\"text\":\"f : I64\\nf = 1\",\"path\":\"m/f.soil\"}",
    "\u{9}{\"root\":\"@job/../../..\",\"type\":\"I64 -> I64\",\"limit\":3}",
];

/// What may come in the place of a part of an input.
const WORSE: [&str; 14] = [
    "",
    "\"",
    "{",
    "}",
    "[]",
    "null",
    "1",
    "{\"tag\":\"Some\"}",
    "\\u0000",
    "..",
    "/etc",
    ",\"more\":1",
    "\"job\":1,",
    "é",
];

/// Puts noise into a text: some bytes in the place of others.
fn noisy(text: &str, place: usize, length: usize, noise: &[u8]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let start = place.min(bytes.len());
    let end = (start + length).min(bytes.len());
    bytes.splice(start..end, noise.iter().copied());
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_500,
        failure_persistence: None,
        // What a fuzzer is for is left to it: the same inputs at each run.
        rng_seed: RngSeed::Fixed(20),
        ..ProptestConfig::default()
    })]

    #[test]
    fn specs_keep_their_laws(pieces in vec(select(SPEC.as_slice()), 0..16), noise in vec(any::<u8>(), 0..3)) {
        spec::check(&[pieces.concat().as_bytes(), &noise].concat());
    }

    #[test]
    fn specs_that_nearly_read_keep_their_laws(
        whole in select(WHOLE.as_slice()),
        place in 0..160_usize,
        length in 0..12_usize,
        piece in select(SPEC.as_slice()),
    ) {
        spec::check(&noisy(whole, place, length, piece.as_bytes()));
    }

    #[test]
    fn drafts_keep_their_laws(pieces in vec(select(DRAFT.as_slice()), 0..16), noise in vec(any::<u8>(), 0..3)) {
        draft::check(&[pieces.concat().as_bytes(), &noise].concat());
    }

    #[test]
    fn configurations_keep_their_laws(pieces in vec(select(CONFIG.as_slice()), 0..10), noise in vec(any::<u8>(), 0..3)) {
        config::check(&[pieces.concat().as_bytes(), &noise].concat());
    }
}

/// A project with one job that serves as many calls as there are.
struct Subject {
    _root: Root,
    job: PathBuf,
}

impl Subject {
    fn new() -> Self {
        let spec = CLAMP.split("```requires").next().expect("it has a head");
        let spec = spec.replace("name: clamp", "name: f").replace(
            "clamp : (low : I64) -> (high : I64) -> (x : I64)",
            "f : (x : I64)",
        );
        let root = Root::new(&[("m/f.tr", &(spec + "```test t\n(1) => 1\n```\n"))]);
        let job = root.open(&["f", "--turns", "1000000000"]);
        Self {
            job: PathBuf::from(&job.0),
            _root: root,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_500,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(21),
        ..ProptestConfig::default()
    })]

    #[test]
    fn json_keeps_its_laws(pieces in vec(select(JSON.as_slice()), 0..12), noise in vec(any::<u8>(), 0..3)) {
        json::check(&[pieces.concat().as_bytes(), &noise].concat());
    }
}

#[test]
fn values_are_read_as_their_types() {
    for (text, types) in [
        ("1", 6),
        ("1.5", 1),
        ("\"aGk=\"", 2),
        ("\"NaN\"", 2),
        ("null", 1),
        ("true", 1),
        ("{\"first\":1,\"second\":\"x\"}", 1),
        ("{\"tag\":\"Line\",\"value\":\"Inf\"}", 1),
        ("[{\"tag\":\"Dot\"}]", 1),
        ("[{\"key\":\"a\",\"value\":1.0}]", 1),
        ("[]", 2),
        ("{\"first\":1,\"first\":1}", 0),
        ("[[", 0),
    ] {
        assert_eq!(json::check(text.as_bytes()), types, "{text}");
    }
    let deep = "[".repeat(50_000);
    assert_eq!(json::check(deep.as_bytes()), 0);
    assert_eq!(json::check((deep + &"]".repeat(50_000)).as_bytes()), 0);
}

#[test]
fn inputs_of_tools_keep_their_laws() {
    let subject = Subject::new();
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(22),
        ..ProptestConfig::default()
    });
    let inputs = (
        select(INPUT.as_slice()),
        1..160_usize,
        0..12_usize,
        select(WORSE.as_slice()),
    );
    let law = |(input, place, length, worse): (&str, usize, usize, &str)| {
        tool::check(&subject.job, &noisy(input, place, length, worse.as_bytes()));
        Ok(())
    };
    runner.run(&inputs, law).expect("the laws hold");
    // In the order of the list each of them has what it needs, but for the two drafts and the section that are refused.
    let answered = INPUT.map(|input| tool::check(&subject.job, input.as_bytes()));
    let refused = answered.iter().filter(|is_answered| !**is_answered);
    assert_eq!(refused.count(), 2, "{answered:?}");
}

#[test]
fn what_noise_is_put_into_reads_without_it() {
    for whole in WHOLE {
        assert_eq!(spec::check(whole.as_bytes()), 1, "{whole}");
    }
}

#[test]
fn locks_keep_their_laws() {
    let root = Root::clamp();
    root.write("shop/clamp.soil", GOOD);
    root.run(&["refresh"]).answer();
    let text = root.read("shop/clamp.lock");
    lock::check(text.as_bytes());
    // Each byte is once another one, and the text ends once behind each.
    for place in 0..text.len() {
        lock::check(&text.as_bytes()[..place]);
        for other in *b"0 ]\"" {
            lock::check(&noisy(&text, place, 1, &[other]));
        }
    }
    // The spec of the same project, too.
    spec::check(CLAMP.replace("name: clamp", "name: f").as_bytes());
    draft::check(GOOD.replace("clamp", "f").as_bytes());
}
