//! Folders of `.soil` and `.tr` that others wrote: what is accepted elsewhere is accepted, and what is refused is refused.
//!
//! The example project is one of them, and `tests/rules` another one: programs written from the rules of the language, most of
//! them with one fault, without a look at what the checker says. `cargo xtask bench outside FOLDER` names another one: a project, whose `.soil` files are
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

/// Checks a project and gives the codes of each file.
///
/// A document holds 50 diagnostics at most, so that each module is checked alone where there are more.
fn codes_of(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut codes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut all_of = |words: &[&str]| {
        let output = checker(root, words).output();
        let run = Run::of(output.expect("it starts"));
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        for error in document["errors"].as_array().expect("a list") {
            let file = error["file"]["value"].as_str().unwrap_or_default();
            let code = error["code"].as_str().expect("a code");
            let of_file = codes.entry(file.to_owned()).or_default();
            of_file.insert(code.to_owned());
        }
        document["suppressed"].as_u64().unwrap_or(0) == 0
    };
    if !all_of(&["check", "--json"]) {
        for entry in fs::read_dir(root).expect("it is readable").flatten() {
            let module = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() && !module.starts_with('.') {
                let is_all = all_of(&["check", &module, "--json"]);
                assert!(
                    is_all,
                    "`{module}` has more diagnostics than a document holds"
                );
            }
        }
    }
    codes
}

/// Checks a folder and compares.
fn compared(folder: &Path, codes_known: &[(&str, &str)]) -> Agreement {
    let place = tempfile::tempdir().expect("a folder");
    let root = copied(folder, place.path());
    if !root.join("soil.toml").exists() {
        fs::write(root.join("soil.toml"), "").expect("it is written");
    }
    let (known, codes) = (expected(&root, codes_known), codes_of(&root));
    let mut agreement = Agreement::default();
    for (path, expected) in known {
        let found = codes.get(&*path);
        agreement.files += 1;
        let is_same = found.is_some() == expected.is_refused;
        agreement.verdicts += usize::from(is_same);
        let has_code = expected.code.as_ref().is_none_or(|code| {
            let has_code = found.is_some_and(|found| found.contains(code));
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
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let folders = [Some((examples(), EXAMPLES)), Some((rules, &[][..])), named];
    for (folder, codes) in folders.into_iter().flatten() {
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

/// The programs that are written from the rules ask for every code of the phases before a run.
#[test]
fn each_rule_has_a_program_that_breaks_it() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let known = expected(&rules, &[]);
    let named: Vec<&str> = known
        .values()
        .filter_map(|file| file.code.as_deref())
        .collect();
    let codes: BTreeSet<&str> = named.iter().copied().collect();
    assert!(named.len() >= 80, "{}", named.len());
    assert_eq!(codes.len(), 30, "{codes:#?}");
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
