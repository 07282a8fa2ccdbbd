//! Rules for where things stand: module files, integration tests, and who may start a process.

use std::path::{Path, PathBuf};

use super::{Findings, sources};
use crate::command::{Failure, read};

/// File names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &[
    "utils.rs",
    "util.rs",
    "helpers.rs",
    "helper.rs",
    "common.rs",
    "imp.rs",
    "errors.rs",
    "misc.rs",
];

pub(super) fn check(root: &Path, files: &[PathBuf]) -> Result<Findings, Failure> {
    let mut findings = Findings::new();
    for file in files {
        let name = file.display().to_string();
        if name.ends_with("/mod.rs") {
            findings.push(format!("{name}: a module stands in `foo.rs` beside `foo/`"));
        }
        if let Some(last) = file.file_name().and_then(|last| last.to_str())
            && EMPTY_NAMES.contains(&last)
        {
            findings.push(format!(
                "{name}: a file is named after the one thing it owns"
            ));
        }
        if file.extension().is_some_and(|end| end == "rs") {
            let text = read(&root.join(file))?;
            starts(&name, &text, &mut findings);
            if name.ends_with("/tests/it/main.rs") {
                forgotten(&name, &text, file, files, &mut findings);
            }
        }
    }
    Ok(findings)
}

/// Only the process layer starts a child. Tests, benchmarks, tasks and the hostile provider are no part of the product.
fn starts(name: &str, text: &str, findings: &mut Findings) {
    let free = sources::is_test(name)
        || name.contains("/benches/")
        || name.starts_with("xtask/")
        || name.starts_with("providers/misbehave/")
        || name.starts_with("lonis-core/src/process");
    if free {
        return;
    }
    for (at, line) in text.lines().enumerate() {
        if line.contains("Command::new(") && !line.trim_start().starts_with("//") {
            findings.push(format!(
                "{name}:{}: only `lonis-core/src/process` starts a child",
                at + 1
            ));
        }
    }
}

/// A module file of an integration test that `main.rs` does not name is never run.
fn forgotten(name: &str, text: &str, main: &Path, files: &[PathBuf], findings: &mut Findings) {
    let folder = main.parent().unwrap_or(Path::new(""));
    for file in files.iter().filter(|file| file.parent() == Some(folder)) {
        let Some(stem) = file.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        if file.extension().is_some_and(|end| end == "rs")
            && stem != "main"
            && !text.contains(&format!("mod {stem};"))
        {
            findings.push(format!(
                "{name}: does not name the module `{stem}`, so its tests never run"
            ));
        }
    }
}
