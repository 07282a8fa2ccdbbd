//! Rules for manifests: inherited lints and versions, dependencies declared once with a reason, and budgets.

use std::path::{Path, PathBuf};

use toml::Table;

use super::Findings;
use crate::command::{Failure, read};

/// Direct dependencies that a crate may have, ours and those for tests not counted.
const BUDGETS: &[(&str, usize)] = &[
    ("lonis-schema", 7),
    ("lonis-spawn", 1),
    ("lonis-core", 14),
    ("lonis-derive", 3),
    ("lonis-cli", 12),
];
const OURS: &[&str] = &[
    "lonis",
    "lonis-core",
    "lonis-derive",
    "lonis-schema",
    "lonis-spawn",
    "lonis-diagnostics",
    "soil",
];

pub(super) fn check(root: &Path, files: &[PathBuf]) -> Result<Findings, Failure> {
    let mut findings = Findings::new();
    let text = read(&root.join("Cargo.toml"))?;
    let workspace = parse("Cargo.toml", &text)?;
    reasons(&text, &mut findings);
    for file in files.iter().filter(|file| file.ends_with("Cargo.toml")) {
        let name = file.display().to_string();
        if name == "Cargo.toml" || is_outside(&name) {
            continue;
        }
        let manifest = parse(&name, &read(&root.join(file))?)?;
        inherits(&name, &manifest, &workspace, &mut findings);
        dependencies(&name, &manifest, &mut findings);
    }
    Ok(findings)
}

/// Crates that are built alone, with a lock file of their own.
fn is_outside(name: &str) -> bool {
    ["golden/interop/", "xtask/bench/", "xtask/fuzz/"]
        .iter()
        .any(|folder| name.starts_with(folder))
        || name.contains("/tests/")
}

fn parse(name: &str, text: &str) -> Result<Table, Failure> {
    text.parse()
        .map_err(|error| Failure::Found(format!("{name}: {error}")))
}

/// Each dependency of the root manifest says why it is there.
fn reasons(text: &str, findings: &mut Findings) {
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        }
        let declares =
            inside && line.contains('=') && !line.starts_with('#') && !line.contains("path =");
        if declares && !line.contains(" # ") {
            findings.push(format!(
                "Cargo.toml:{}: a dependency says in one line why it is there",
                at + 1
            ));
        }
    }
}

fn inherits(name: &str, manifest: &Table, workspace: &Table, findings: &mut Findings) {
    let package = manifest
        .get("package")
        .and_then(|package| package.as_table());
    for key in ["version", "edition", "rust-version", "license"] {
        let inherited = package
            .and_then(|package| package.get(key))
            .and_then(|value| value.as_table())
            .is_some_and(|value| {
                value.get("workspace").and_then(toml::Value::as_bool) == Some(true)
            });
        if !inherited {
            findings.push(format!("{name}: `{key}` stands in the root manifest alone"));
        }
    }
    let lints = manifest.get("lints").and_then(|lints| lints.as_table());
    if name == "lonis-core/spawn/Cargo.toml" {
        spawn_lints(name, lints, workspace, findings);
    } else if lints
        .and_then(|lints| lints.get("workspace"))
        .and_then(toml::Value::as_bool)
        != Some(true)
    {
        findings.push(format!("{name}: `[lints] workspace = true` is missing"));
    }
}

/// `lonis-spawn` cannot inherit a `forbid`: its table is the root's with that line replaced.
fn spawn_lints(name: &str, lints: Option<&Table>, workspace: &Table, findings: &mut Findings) {
    let mut wanted = workspace["workspace"]["lints"].clone();
    if let Some(rust) = wanted.get_mut("rust").and_then(|rust| rust.as_table_mut()) {
        rust.remove("unsafe_code");
        rust.insert("unsafe_op_in_unsafe_fn".to_owned(), "deny".into());
    }
    if let Some(clippy) = wanted
        .get_mut("clippy")
        .and_then(|clippy| clippy.as_table_mut())
    {
        clippy.insert("undocumented_unsafe_blocks".to_owned(), "deny".into());
    }
    if lints != wanted.as_table() {
        findings.push(format!(
            "{name}: its lints are the root's, with `unsafe_code` alone replaced"
        ));
    }
}

fn dependencies(name: &str, manifest: &Table, findings: &mut Findings) {
    let crate_name = manifest["package"]["name"].as_str().unwrap_or_default();
    let mut own = 0;
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let Some(table) = manifest.get(section).and_then(|table| table.as_table()) else {
            continue;
        };
        for (dependency, value) in table {
            let inherited = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
            // A crate's tests switch on its own features by a path to itself; a version would have to be published first.
            let is_itself = section == "dev-dependencies" && dependency == crate_name;
            if !inherited && !is_itself {
                findings.push(format!(
                    "{name}: `{dependency}` is declared in the root manifest, once"
                ));
            }
            if crate_name == "misbehave" && OURS.contains(&dependency.as_str()) {
                findings.push(format!(
                    "{name}: `misbehave` depends on no crate of ours, here `{dependency}`"
                ));
            }
            own += usize::from(section == "dependencies" && !OURS.contains(&dependency.as_str()));
        }
    }
    if let Some((_, budget)) = BUDGETS.iter().find(|(budgeted, _)| *budgeted == crate_name)
        && own > *budget
    {
        findings.push(format!(
            "{name}: {own} direct dependencies; the budget is {budget}"
        ));
    }
}
