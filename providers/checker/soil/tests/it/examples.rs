//! The example project: every body prints as it stands, every `.tr` file reads, and the hashes are the published ones.

use std::fs;
use std::path::{Path, PathBuf};

use soil::hash::{BASE_BUILTIN, Digest, Edge, soil_hash};
use soil::print;
use soil::source::FileId;
use soil::spec::{self, Content, Decision, Location, Spec};
use soil::syntax::{FileShape, Names, parse};

/// Gives the folder of the example project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../golden/soil/v1/soil-examples")
}

/// Lists the files of the project with this ending, sorted.
fn files(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the project is there") {
            let path = entry.expect("its entries are readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == ending)
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn bodies_print_byte_for_byte() {
    let paths = files("soil");
    assert_eq!(paths.len(), 10);
    for path in paths {
        let text = fs::read_to_string(&path).expect("a body is readable");
        let shown = path.to_string_lossy().into_owned();
        let mut names = Names::new();
        let parsed = parse(
            FileId::new(0),
            text.as_bytes(),
            FileShape::of_path(&shown),
            &mut names,
        );
        assert!(
            parsed.diagnostics.is_empty(),
            "{shown}: {:?}",
            parsed.diagnostics
        );
        assert_eq!(print::file(&parsed.tree, &names), text, "{shown}");
    }
}

/// Reads a `.tr` file of the project, which has to be without fault.
fn spec(path: &str) -> Spec {
    let bytes = fs::read(root().join(path)).expect("the file is readable");
    let location = Location::of_path(path, "soil-examples");
    let found = spec::read(FileId::new(0), &bytes, location, &mut Names::new());
    assert!(
        found.diagnostics.is_empty(),
        "{path}: {:?}",
        found.diagnostics
    );
    found.spec.expect("a file without fault has a meaning")
}

fn decisions(path: &str) -> Vec<Decision> {
    match spec(path).content {
        Content::Module { decisions, .. } | Content::Project { decisions } => decisions,
        Content::Function(_) | Content::Type(_) => panic!("{path} has no decisions"),
    }
}

#[test]
fn specs_read_without_fault() {
    let paths = files("tr");
    assert_eq!(paths.len(), 17);
    for path in paths {
        let path = path
            .strip_prefix(root())
            .expect("the files are in the project")
            .to_owned();
        spec(&path.to_string_lossy());
    }
}

#[test]
fn spec_hashes_are_the_published_ones() {
    let hashes = spec("stock/remove_units.tr").hashes;
    let expected = [
        "sha256:fba494786cfbfed5d74d3166b73e3bcfb875ef3c91f6c1066fca103b11f9c2a3",
        "sha256:95ba17e00b9f4b16d4616174be441749b668e4868e5fcc12b31ee5de6927be95",
        "sha256:667160b3aaa4203b14cc414f61c290aa67304f4147fed0448c590da3edea50b3",
    ];
    let test = hashes.test.expect("a function has tests");
    assert_eq!(
        [hashes.formal, test, hashes.prose].map(|digest| digest.to_string()),
        expected
    );
    let env = fs::read_to_string(root().join("env.json")).expect("it is readable");
    for path in ["sensors/reading.tr", "sensors/level.tr", "stock/item.tr"] {
        assert!(
            env.contains(&spec(path).hashes.formal.to_string()),
            "{path}"
        );
    }
}

#[test]
fn decision_hashes_are_the_published_ones() {
    let (project, module) = (decisions("_project.tr"), decisions("sensors/_module.tr"));
    let labels = project
        .iter()
        .chain(&module)
        .map(|decision| decision.label.value.as_str());
    assert_eq!(
        spec::scope_hash(labels).to_string(),
        "sha256:f0e84d0619ce3207acba344acb64571e90e89ffa1ddeddd1d6e35391899c8859"
    );
    assert_eq!(
        project[0].entry_hash().to_string(),
        "sha256:a5704e805ec27bdceb43a6d199b218692d72fa9946c4d26b71c3e07064c1caf7"
    );
}

/// Hashes the one definition of a body with edges that are given by name.
fn body_hash(path: &str, edges: &[(&str, String)]) -> String {
    let bytes = fs::read(root().join(path)).expect("the body is readable");
    let mut names = Names::new();
    let parsed = parse(FileId::new(0), &bytes, FileShape::of_path(path), &mut names);
    let form = print::hash_form(&parsed.tree, &names, &parsed.tree.definitions[0]);
    let edges: Vec<Edge> = edges
        .iter()
        .map(|(name, referent)| Edge {
            name: (*name).to_owned(),
            referent: referent.clone(),
        })
        .collect();
    let digest: Digest = soil_hash(&form, &edges);
    digest.to_string()
}

#[test]
fn body_hashes_are_the_published_ones() {
    let formal = |path: &str| spec(path).hashes.formal.to_string();
    assert_eq!(
        body_hash("sensors/fahrenheit.soil", &[]),
        "sha256:67734159132e71e6edb7655db8ad6f217169961b940da1867ddb8a8b55adaf60"
    );
    assert_eq!(
        body_hash("stock/left_side.soil", &[]),
        "sha256:228e3eb9c63cfbb593c62f553d4be3bb89752bf41efc7d32e5421fc6e5cc318a"
    );
    let types = [
        ("Level", formal("sensors/level.tr")),
        ("Reading", formal("sensors/reading.tr")),
    ];
    assert_eq!(
        body_hash("sensors/classify.soil", &types),
        "sha256:d276a352980d5ae755ee7b6e9e5c18171f2734a78440dc38a1c452a1a4335104"
    );
    let edges = [
        ("Item", formal("stock/item.tr")),
        ("list_len", BASE_BUILTIN.to_owned()),
        ("list_nth", BASE_BUILTIN.to_owned()),
    ];
    assert_eq!(
        body_hash("stock/total_units.soil", &edges),
        "sha256:2c189ed7a0e5d21d423376419be76bb9e026f0e1c09ed8fe214a16c41aa7b924"
    );
}
