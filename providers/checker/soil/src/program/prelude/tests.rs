//! The prelude keeps its own specs.

use super::*;
use crate::check::{CheckOptions, check};
use crate::eval::{Bounds, Machine, Unit};
use crate::print;
use crate::source::FileId;
use crate::spec::{self, Content, Location};
use crate::testing::{
    MAX_RUN_FUEL, PropertyOptions, Verdict, run_property, seed_of, spec_properties,
};

/// Definitions that stand for any function in the specs' properties, since predicates have no lambdas.
const CHECKS: [(&str, &str); 2] = [
    (
        "checks/by_value.soil",
        include_str!("../../prelude/checks/by_value.soil"),
    ),
    (
        "checks/is_positive.soil",
        include_str!("../../prelude/checks/is_positive.soil"),
    ),
];

#[test]
fn the_prelude_is_the_pinned_one() {
    let pinned = "sha256:6f913de624d90fd5f6c49e0b3213da06c0bef49cbeb1c2c6a9da4cd9e8e1bb58";
    assert_eq!(prelude_digest().to_string(), pinned);
}

#[test]
fn bodies_are_canonical_and_check() {
    let program = prelude();
    for (file, written) in program.files.iter().zip(FILES) {
        let text = print::file(&file.tree, &program.names);
        assert_eq!(text, written.body, "{}", written.path);
    }
    let checked = check(program, CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
}

#[test]
fn each_property_holds() {
    for PreludeFile {
        name: stem,
        spec: text,
        body,
        ..
    } in prelude_files()
    {
        let mut names = Names::new();
        let location = Location {
            stem,
            folder: "prelude",
            is_root: false,
        };
        let read = spec::read(FileId::new(0), text.as_bytes(), location, &mut names);
        assert!(
            read.diagnostics.is_empty(),
            "{stem}: {:?}",
            read.diagnostics
        );
        let whole = read.spec.expect("nothing was reported");
        let Content::Function(function) = &whole.content else {
            panic!("{stem} is no function");
        };
        let signature = function.signature.as_ref().expect("it has a signature");
        let written = print::ty(&whole.tree, &names, signature.ty);
        assert!(body.starts_with(&format!("{stem} : {written}\n")), "{stem}");
        let mut texts = ProgramTexts {
            properties: spec_properties(&whole, function, "prelude", text, &names),
            ..texts()
        };
        let checks = CHECKS.iter();
        let checks = checks.map(|(path, text)| Text::new(*path, text.as_bytes()));
        texts.definitions.extend(checks);
        let program = read_texts(&texts).expect("the properties read");
        holds(
            &program,
            seed_of(&whole.hashes.test.expect("a function has tests")),
        );
    }
}

fn holds(program: &Program, seed: u64) {
    let checked = check(program, CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    assert!(!program.properties.is_empty());
    for property in &program.properties {
        let options = PropertyOptions {
            seed,
            ..PropertyOptions::default()
        };
        let mut fuel = MAX_RUN_FUEL;
        let report = run_property(&mut machine, &unit, program, property, &options, &mut fuel);
        let report = report.expect("its types have values");
        assert_eq!(report.verdict, Verdict::Pass, "{report:?}");
        assert!(!report.rarely_applies(), "{report:?}");
    }
}
