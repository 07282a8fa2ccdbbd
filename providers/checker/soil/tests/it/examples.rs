//! The example project: every body prints as it stands.

use std::fs;
use std::path::{Path, PathBuf};

use soil::print;
use soil::source::FileId;
use soil::syntax::{FileShape, Names, parse};

/// Gives the folder of the example project.
fn root() -> PathBuf {
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
