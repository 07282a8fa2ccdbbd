//! `cargo xtask proof`: what the tests of every change run a seeded sample of, in full.

use std::path::Path;

use crate::command::{self, Failure, say};

/// What is proved, by the names of its tests.
const PROOFS: &[(&str, &[&str])] = &[
    (
        "random traces of all commands, outside edits and kills against a model",
        &["--lib", "commands::tests::traces"],
    ),
    (
        "kills, refusals, meddling and losses of power at each step of an apply",
        &["--lib", "apply::tests"],
    ),
    (
        "kills, refusals and losses of power at each step of whole commands",
        &["--lib", "commands::tests"],
    ),
    (
        "the program killed at 300 times in an apply of 3,000 files",
        &["--test", "it", "killed"],
    ),
    (
        "editors that save in a loop during 1,000 applies",
        &["--test", "it", "race"],
    ),
    (
        "1,000 rounds of two appliers, 8 processes of 200 mixed commands",
        &["--test", "it", "concurrency"],
    ),
    (
        "400 generated repositories, each beside what `git ls-files` lists of it",
        &["--test", "it", "file_set_generated"],
    ),
    (
        "500 diffs of git at three widths of context, each beside `git apply`",
        &["--test", "it", "diff_import"],
    ),
    (
        "50,000 hunks, and 10,000 with each noise that agents add; of the histories below `LONIS_PROOF_CORPUS`, where that is set",
        &["--test", "it", "real_hunks", "--", "--nocapture"],
    ),
    (
        "definitions replaced, removed, renamed and put back; 1,000 per language of `LONIS_PROOF_CORPUS`, where that is set",
        &["--test", "it", "definitions", "--", "--nocapture"],
    ),
    (
        "198 failures that a scripted agent repairs, in three arms, beside the retained attempts",
        &["--test", "it", "repair_utility", "--", "--nocapture"],
    ),
];

pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), Failure> {
    for (about, tests) in PROOFS {
        if !words.is_empty()
            && !words
                .iter()
                .any(|word| tests.concat().contains(word.as_str()))
        {
            continue;
        }
        say(&format!("proof: {about}"));
        let mut arguments = vec!["test", "--release", "--package", "lonis-session"];
        arguments.extend(*tests);
        command::run(root, "cargo", &arguments, &[("LONIS_PROOF", "1")])?;
    }
    Ok(())
}
