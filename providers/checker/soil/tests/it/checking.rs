//! Checking the example project and the prelude.

use std::fs;

use soil::check::{CheckOptions, check};
use soil::diagnostic::Code;
use soil::document::{self, Detail};
use soil::hash::soil_hashes;
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

#[test]
fn the_project_checks_to_its_document() {
    let program = program("program.json");
    let checked = check(&program, CheckOptions::default());
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
    let checked = check(&program, CheckOptions::default());
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
    let checked = check(prelude(), CheckOptions::default());
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

#[test]
fn hashes_of_the_project_are_the_published_ones() {
    let program = program("program.json");
    let checked = check(&program, CheckOptions::default());
    let hashed = soil_hashes(&checked, |_| None);
    let document = document::hashes(&program, &hashed);
    for (name, digest) in [
        (
            "fahrenheit",
            "67734159132e71e6edb7655db8ad6f217169961b940da1867ddb8a8b55adaf60",
        ),
        (
            "left_side",
            "228e3eb9c63cfbb593c62f553d4be3bb89752bf41efc7d32e5421fc6e5cc318a",
        ),
        (
            "classify",
            "d276a352980d5ae755ee7b6e9e5c18171f2734a78440dc38a1c452a1a4335104",
        ),
        (
            "total_units",
            "2c189ed7a0e5d21d423376419be76bb9e026f0e1c09ed8fe214a16c41aa7b924",
        ),
    ] {
        let entry = format!(r#"{{"name":"{name}","soil_hash":"sha256:{digest}","calls":[]}}"#);
        assert!(document.contains(&entry), "{name}: {document}");
    }
}
