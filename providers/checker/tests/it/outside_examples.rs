//! Folders of `.soil` and `.tr` that others wrote: what is accepted elsewhere is accepted, and what is refused is refused.
//!
//! The example project is one of them. `cargo xtask bench outside FOLDER` names another one: a project, whose `.soil` files are
//! taken to be accepted but for those that a `rejected.json` in its root lists, or whose first line is `-- refused: CODE`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::job_root::checker;
use crate::program::{Run, examples};

/// The comment of a file that is refused, before the code.
const REFUSED: &str = "-- refused: ";

/// The codes of the example project, whose files are canonical and so without comments.
const EXAMPLES: &[(&str, &str)] = &[("rejected/level_rank.soil", "non-exhaustive-match")];

/// What is known of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Expected {
    is_refused: bool,
    /// The code with which it is refused, where one is named.
    code: Option<String>,
}

/// How far the program agrees with what is known.
#[derive(Debug, Default, PartialEq, Eq)]
struct Agreement {
    files: usize,
    verdicts: usize,
    /// Refused files whose code is named, and those that have it.
    codes: (usize, usize),
    differences: Vec<String>,
}

/// Copies a folder under its own name, since a project is called like its folder.
fn copied(from: &Path, into: &Path) -> PathBuf {
    let name = from.file_name().expect("a folder has a name");
    let to = into.join(name);
    fs::create_dir_all(&to).expect("it is made");
    for entry in fs::read_dir(from).expect("it is readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            copied(&path, &to);
        } else {
            fs::copy(&path, to.join(entry.file_name())).expect("it is copied");
        }
    }
    to
}

/// Lists the bodies of a project, module by module, with what is known of them.
fn expected(root: &Path, codes: &[(&str, &str)]) -> BTreeMap<String, Expected> {
    let listed = fs::read(root.join("rejected.json")).unwrap_or_default();
    let listed: Value = serde_json::from_slice(&listed).unwrap_or_default();
    let listed: BTreeSet<&str> = listed["defs"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut found = BTreeMap::new();
    let mut folders = vec![(String::new(), root.to_owned())];
    while let Some((prefix, folder)) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is readable").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            if entry.path().is_dir() && prefix.is_empty() && !name.starts_with('.') {
                folders.push((format!("{name}/"), entry.path()));
            } else if Path::new(&name)
                .extension()
                .is_some_and(|end| end == "soil")
            {
                let text = fs::read_to_string(entry.path()).unwrap_or_default();
                let first = text.lines().next().unwrap_or_default();
                let named = codes.iter().find(|(known, _)| *known == path);
                let code = first
                    .strip_prefix(REFUSED)
                    .or(named.map(|(_, code)| *code))
                    .map(|code| code.trim().to_owned());
                let is_refused = code.is_some() || listed.contains(&*path);
                found.insert(path, Expected { is_refused, code });
            }
        }
    }
    found
}

/// Checks a folder and compares.
fn compared(folder: &Path, codes_known: &[(&str, &str)]) -> Agreement {
    let place = tempfile::tempdir().expect("a folder");
    let root = copied(folder, place.path());
    if !root.join("soil.toml").exists() {
        fs::write(root.join("soil.toml"), "").expect("it is written");
    }
    let output = checker(&root, &["check", "--json"]).output();
    let run = Run::of(output.expect("it starts"));
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    let mut codes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for error in document["errors"].as_array().expect("a list") {
        let file = error["file"]["value"].as_str().unwrap_or_default();
        let code = error["code"].as_str().expect("a code");
        codes.entry(file).or_default().insert(code);
    }
    let mut agreement = Agreement::default();
    for (path, expected) in expected(&root, codes_known) {
        let found = codes.get(&*path);
        agreement.files += 1;
        let is_same = found.is_some() == expected.is_refused;
        agreement.verdicts += usize::from(is_same);
        let has_code = expected.code.as_ref().is_none_or(|code| {
            let has_code = found.is_some_and(|found| found.contains(&**code));
            agreement.codes.0 += 1;
            agreement.codes.1 += usize::from(has_code);
            has_code
        });
        if !(is_same && has_code) {
            let line = format!("{path}: {expected:?}, found {found:?}");
            agreement.differences.push(line);
        }
    }
    agreement
}

#[test]
fn folders_have_the_verdict_that_is_known() {
    let named = std::env::var_os("LONIS_OUTSIDE").map(|folder| (PathBuf::from(folder), &[][..]));
    for (folder, codes) in [Some((examples(), EXAMPLES)), named].into_iter().flatten() {
        let folder = fs::canonicalize(&folder).expect("the folder is there");
        let found = compared(&folder, codes);
        println!(
            "{}: the same verdict on {} of {} files, the same code on {} of {}",
            folder.display(),
            found.verdicts,
            found.files,
            found.codes.1,
            found.codes.0,
        );
        assert!(found.files > 0, "{}", folder.display());
        assert!(found.codes.0 >= codes.len(), "{}", folder.display());
        assert!(found.differences.is_empty(), "{:#?}", found.differences);
    }
}

/// What differs from what is known is told, file by file.
#[test]
fn a_difference_is_told() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("corner");
    fs::create_dir_all(folder.join("m")).expect("it is made");
    for (path, text) in [
        ("m/fine.soil", "fine : I64\nfine = 1\n"),
        ("m/wrong.soil", "wrong : I64\nwrong = True\n"),
        (
            "m/known.soil",
            "-- refused: type-mismatch\nknown : I64\nknown = True\n",
        ),
        (
            "m/other.soil",
            "-- refused: unknown-name\nother : I64\nother = True\n",
        ),
        (
            "m/spared.soil",
            "-- refused: shadowing\nspared : I64\nspared = 1\n",
        ),
    ] {
        fs::write(folder.join(path), text).expect("it is written");
    }
    let found = compared(&folder, &[]);
    let differing: Vec<&str> = found
        .differences
        .iter()
        .filter_map(|line| line.split(':').next())
        .collect();
    assert_eq!(differing, ["m/other.soil", "m/spared.soil", "m/wrong.soil"]);
    assert_eq!((found.files, found.verdicts, found.codes), (5, 3, (3, 1)));
}
