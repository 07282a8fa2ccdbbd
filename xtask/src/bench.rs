//! `cargo xtask bench`: builds what is measured and what it is measured against, then runs `xtask/bench`.
//!
//! `bench faults`, `bench repair`, `bench relevance` and `bench outside [FOLDER]` print what tests of the language count, and
//! `bench repair-utility` what tests of the session provider count of its diagnostics.

use std::path::{Path, PathBuf};

use crate::command::{self, Failure, say};
use crate::dist;

/// The crate of the benchmark, which stands outside of the workspace.
const MANIFEST: &str = "xtask/bench/Cargo.toml";

/// The published program, as its users install it.
const PUBLISHED: &str = "0.2.0";

/// What the language is shown beside, as its users install it.
const LINTERS: [&str; 2] = ["ruff==0.17.6", "pyrefly==1.5.0"];

/// What is measured by a test of a package, whose figures it prints.
const FIGURES: &[(&str, &str, &str)] = &[
    ("faults", "soil", "planted::"),
    ("repair", "soil", "repair::"),
    ("relevance", "lonis-checker", "relevance::"),
    ("outside", "lonis-checker", "outside_examples::"),
    (IN_FULL, "lonis-session", "repair_utility::"),
];

/// What is measured in full, where the tests of every change run a part of it.
const IN_FULL: &str = "repair-utility";

/// The variable that names a folder of examples to the tests of `outside`.
const OUTSIDE: &str = "LONIS_OUTSIDE";

pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), Failure> {
    if let Some((word, folder)) = words.split_first()
        && let Some((_, package, test)) = FIGURES.iter().find(|(name, _, _)| name == word)
    {
        let test = [
            "test",
            "--quiet",
            "--package",
            package,
            "--test",
            "it",
            test,
        ];
        let words: Vec<&str> = test.into_iter().chain(["--", "--nocapture"]).collect();
        let folder = folder.iter().map(|folder| (OUTSIDE, folder.as_str()));
        let in_full = (word == IN_FULL).then_some(("LONIS_PROOF", "1"));
        let env: Vec<(&str, &str)> = folder.chain(in_full).collect();
        return command::run(root, "cargo", &words, &env);
    }
    let asked = Asked::of(words);
    let mut options: Vec<(&str, PathBuf)> = Vec::new();
    if asked.any(&["cli", "many", "discovery"]) {
        options.push(("--lonis", dist::build(root)?));
        options.push(("--published", published(root)));
    }
    if asked.any(&["soil", "checker"]) {
        options.push(("--checker", dist::release(root, "lonis-checker")?));
    }
    if asked.any(&["soil"]) {
        options.push(("--linters", linters(root)));
    }
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

    let options: Vec<(&str, String)> = options
        .into_iter()
        .map(|(option, path)| (option, path.display().to_string()))
        .collect();
    let mut run = vec!["run", "--quiet", "--bin", "bench"];
    run.extend(common);
    run.push("--");
    for (option, path) in &options {
        run.extend([*option, path]);
    }
    run.extend(words.iter().map(String::as_str));
    command::run(root, "cargo", &run, &[])
}

/// The groups that are asked for.
struct Asked<'w>(Vec<&'w str>);

impl<'w> Asked<'w> {
    fn of(words: &'w [String]) -> Self {
        let pairs = words.iter().zip(words.iter().skip(1));
        let named = pairs.filter(|(option, _)| *option == "--group");
        Self(named.map(|(_, name)| name.as_str()).collect())
    }

    /// Says whether one of these groups runs; all do where none is named.
    fn any(&self, groups: &[&str]) -> bool {
        self.0.is_empty() || groups.iter().any(|group| self.0.contains(group))
    }
}

/// Installs the linters that the language is shown beside into a folder of their own; what cannot be had is absent.
fn linters(root: &Path) -> PathBuf {
    let folder = root.join("xtask/bench/target/linters");
    let python = folder.join("bin/python").display().to_string();
    let place = folder.display().to_string();
    let is_there = ["ruff", "pyrefly"].map(|name| folder.join("bin").join(name).is_file());
    if is_there == [true; 2] {
        return folder;
    }
    let mut install = vec![
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    install.extend(LINTERS);
    let steps = [
        ("python3", &["-m", "venv", &place][..]),
        (&python, &install),
    ];
    for (program, words) in steps {
        if let Err(failure) = command::run(root, program, words, &[]) {
            say(&format!("the linters are absent: {failure}"));
            break;
        }
    }
    folder
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_named_group_needs_is_built() {
        let cases: &[(&[&str], bool, bool)] = &[
            (&[], true, true),
            (&["--quick", "--json"], true, true),
            (&["--group", "soil", "--strict"], false, true),
            (&["--group", "cli"], true, false),
            (&["--group", "cli", "--group", "checker"], true, true),
            (&["--group", "data"], false, false),
        ];
        for (words, lonis, checker) in cases {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let asked = Asked::of(&words);
            let found = (asked.any(&["cli", "many"]), asked.any(&["soil", "checker"]));
            assert_eq!(found, (*lonis, *checker), "{words:?}");
        }
    }
}
