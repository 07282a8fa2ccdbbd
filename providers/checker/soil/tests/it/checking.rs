//! Checking the example project and the prelude.

use std::fs;

use soil::check::{CheckOptions, Depth, check};
use soil::diagnostic::Code;
use soil::document::{self, Detail};
use soil::print;
use soil::program::{Manifest, Program, prelude};
use soil::source::Span;

use crate::examples::root;

/// Reads a program of the example project.
fn program(manifest: &str) -> Program {
    let text = fs::read(root().join(manifest)).expect("the manifest is readable");
    let manifest = Manifest::read(&text).expect("the manifest is well-formed");
    let texts = manifest.load("soil-examples", |path| fs::read(root().join(path)));
    let texts = texts.expect("every file is there");
    Program::read(&texts).expect("the type environment makes sense")
}

const PLAIN: CheckOptions = CheckOptions {
    depth: Depth::Matches,
    offers_fits: false,
};

#[test]
fn the_project_checks_to_its_document() {
    let program = program("program.json");
    let checked = check(&program, PLAIN);
    let shown = document::errors(
        checked.diagnostics.clone(),
        &program.sources,
        Detail::RichPlain,
    );
    assert!(checked.diagnostics.is_empty(), "{shown}");
    let expected = fs::read_to_string(root().join("check.expected.json"));
    let expected = expected.expect("the document is readable");
    assert_eq!(document::checked(&checked), expected);
}

#[test]
fn the_rejected_definition_lacks_one_case() {
    let program = program("rejected.json");
    let checked = check(&program, PLAIN);
    let found: Vec<_> = checked.diagnostics.iter().collect();
    let [diagnostic] = found[..] else {
        panic!("one mistake, one diagnostic: {found:?}");
    };
    assert_eq!(diagnostic.code, Code::NonExhaustiveMatch);
    assert_eq!(diagnostic.span, Some(Span::new(57, 102)));
    let notes: Vec<&str> = diagnostic
        .notes
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    assert_eq!(notes, ["High"]);
}

#[test]
fn the_prelude_checks() {
    let checked = check(prelude(), PLAIN);
    let shown = document::errors(
        checked.diagnostics.clone(),
        &prelude().sources,
        Detail::RichPlain,
    );
    assert!(checked.diagnostics.is_empty(), "{shown}");
    let document = document::checked(&checked);
    assert!(!document.contains("unverified"), "{document}");
    for file in &prelude().files {
        let source = prelude().sources.get(file.id).expect("it was read");
        let printed = print::file(&file.tree, &prelude().names);
        assert_eq!(printed.as_bytes(), &*source.bytes, "{}", source.path);
    }
}
