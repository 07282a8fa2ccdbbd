//! What holds for any bytes of a project's files: bounded runs of the laws that `xtask/fuzz` runs without end.

mod config;
mod draft;
mod lock;
mod spec;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

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
