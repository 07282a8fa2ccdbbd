//! Each family of golden files is read by a test of some crate.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders here that hold no golden files.
const NO_FAMILIES: [&str; 4] = ["interop", "src", "target", "tests"];

/// Folders of the checkout that hold no sources of tests.
const NO_SOURCES: [&str; 4] = ["target", "docs", "golden", "node_modules"];

const READABLE: &str = "the checkout can be read";

#[test]
fn each_family_is_named_by_a_test() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    collect_sources(&here.join(".."), &mut sources);
    for family in folders(here)
        .iter()
        .filter(|path| !is_one_of(path, &NO_FAMILIES))
    {
        let name = family.file_name().unwrap().to_str().unwrap();
        let is_named = [format!("named(\"{name}\")"), format!("golden/{name}")]
            .iter()
            .any(|mention| sources.contains(mention));
        assert!(is_named, "no test reads the golden files of `{name}`");
    }
}

fn collect_sources(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect(READABLE) {
        let path = entry.expect(READABLE).path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(&path).expect(READABLE));
        }
    }
    for folder in folders(folder)
        .iter()
        .filter(|path| !is_one_of(path, &NO_SOURCES))
    {
        collect_sources(folder, sources);
    }
}

/// The folders in a folder, hidden ones and links left out.
fn folders(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .expect(READABLE)
        .map(|entry| entry.expect(READABLE))
        .filter(|entry| entry.file_type().expect(READABLE).is_dir())
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .collect()
}

fn is_one_of(path: &Path, names: &[&str]) -> bool {
    names.iter().any(|name| path.ends_with(name))
}
