//! `cargo xtask bench`: builds what is measured and what it is measured against, then runs `xtask/bench`.
//!
//! `bench faults` and `bench repair` print what the language's own tests count.

use std::path::{Path, PathBuf};

use crate::command::{self, Failure, say};
use crate::dist;

/// The crate of the benchmark, which stands outside of the workspace.
const MANIFEST: &str = "xtask/bench/Cargo.toml";

/// The published program, as its users install it.
const PUBLISHED: &str = "0.2.0";

/// What is measured by a test of the language, whose figures it prints.
const FIGURES: &[(&str, &str)] = &[("faults", "planted::"), ("repair", "repair::")];

pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), Failure> {
    if let [word] = words
        && let Some((_, test)) = FIGURES.iter().find(|(name, _)| name == word)
    {
        let test = ["test", "--quiet", "--package", "soil", "--test", "it", test];
        let words: Vec<&str> = test.into_iter().chain(["--", "--nocapture"]).collect();
        return command::run(root, "cargo", &words, &[]);
    }
    let lonis = dist::build(root)?;
    let common = ["--locked", "--release", "--manifest-path", MANIFEST];
    let mut build = vec!["build"];
    build.extend(["--bin", "bench", "--bin", "provider", "--bin", "killed"]);
    build.extend(common);
    command::run(root, "cargo", &build, &[])?;
    let mut plain = vec!["rustc", "--bin", "plain"];
    plain.extend(common);
    if cfg!(target_os = "linux") {
        plain.extend(["--", "-C", "target-feature=+crt-static"]);
    }
    command::run(root, "cargo", &plain, &[])?;
    let published = published(root);

    let lonis = lonis.display().to_string();
    let published = published.display().to_string();
    let mut run = vec!["run", "--quiet", "--bin", "bench"];
    run.extend(common);
    run.extend(["--", "--lonis", &lonis, "--published", &published]);
    run.extend(words.iter().map(String::as_str));
    command::run(root, "cargo", &run, &[])
}

/// Installs the published program beside the benchmark; where it cannot be had it is absent from the tables.
fn published(root: &Path) -> PathBuf {
    let folder = root.join("xtask/bench/target/published");
    let program = folder.join("bin/lonis");
    if !program.is_file() {
        let place = folder.display().to_string();
        let arguments = [
            "install",
            "--locked",
            "--quiet",
            "lonis-cli",
            "--version",
            PUBLISHED,
            "--root",
            &place,
        ];
        if let Err(failure) = command::run(root, "cargo", &arguments, &[]) {
            say(&format!("the published program is absent: {failure}"));
        }
    }
    program
}
