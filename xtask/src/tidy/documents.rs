//! Rules for the documents at the root: their length, and that every path they name exists.

use std::path::Path;

use super::Findings;
use crate::command::{Failure, read};

/// Lines that a document may have.
const LENGTHS: &[(&str, usize)] = &[
    ("README.md", 100),
    ("ARCHITECTURE.md", 250),
    ("CONTRIBUTING.md", 80),
];

pub(super) fn check(root: &Path) -> Result<Findings, Failure> {
    let mut findings = Findings::new();
    for (name, limit) in LENGTHS {
        let text = read(&root.join(name))?;
        let lines = text.lines().count();
        if lines > *limit {
            findings.push(format!("{name}: {lines} lines; the limit is {limit}"));
        }
        paths(root, name, &text, &mut findings);
    }
    Ok(findings)
}

/// A word in backticks with a slash and no blank, wildcard or placeholder is a path of this tree.
fn paths(root: &Path, name: &str, text: &str, findings: &mut Findings) {
    for (at, line) in text.lines().enumerate() {
        for word in line.split('`').skip(1).step_by(2) {
            let is_path = word.contains('/')
                && !word.starts_with(['/', '$', '~', '-', '.'])
                && word
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter))
                && root
                    .join(word.split('/').next().unwrap_or_default())
                    .exists();
            if is_path && !root.join(word).exists() {
                findings.push(format!(
                    "{name}:{}: names `{word}`, which is not there",
                    at + 1
                ));
            }
        }
    }
}
