//! Running the cases and properties of the example project.

use std::fs;

use soil::check::{CheckOptions, check};
use soil::eval::{Bounds, InvokeError, Machine, RaiseKind, ReadFailure, Unit, World, invoke};
use soil::json::Json;
use soil::program::{Manifest, Program, ProgramTexts};
use soil::source::FileId;
use soil::spec::{self, Content, FunctionSpec, Location, Spec};
use soil::syntax::Names;
use soil::testing::{
    Bundle, MAX_RUN_FUEL, PropertyOptions, Suite, SuiteError, TestCase, Verdict, preflight, report,
    run_property, seed_of, spec_cases, spec_guard, spec_properties,
};

use crate::examples::root;

const FUNCTIONS: [(&str, &str); 9] = [
    ("sensors", "fahrenheit"),
    ("sensors", "adjust_twice"),
    ("sensors", "clamp"),
    ("sensors", "is_fresh"),
    ("sensors", "status_text"),
    ("sensors", "classify"),
    ("stock", "remove_units"),
    ("stock", "total_units"),
    ("stock", "left_side"),
];

/// A world in which nothing is, and time stands still.
#[derive(Debug)]
struct Nowhere;

impl World for Nowhere {
    fn read_file(&mut self, _: &str) -> Result<Vec<u8>, ReadFailure> {
        Err(ReadFailure::NotFound)
    }

    fn seconds(&mut self) -> i64 {
        1_000
    }

    fn random(&mut self) -> u64 {
        4
    }
}

struct Read {
    whole: Spec,
    text: String,
    names: Names,
}

impl Read {
    fn of(folder: &str, stem: &str) -> Self {
        let text = fs::read_to_string(root().join(folder).join(format!("{stem}.tr")));
        let text = text.expect("the spec is readable");
        let mut names = Names::new();
        let is_root = false;
        let location = Location {
            stem,
            folder,
            is_root,
        };
        let read = spec::read(FileId::new(0), text.as_bytes(), location, &mut names);
        let whole = read.spec.expect("the spec reads");
        Self { whole, text, names }
    }

    fn function(&self) -> &FunctionSpec {
        match &self.whole.content {
            Content::Function(function) => function,
            _ => panic!("the spec is one of a function"),
        }
    }
}

fn texts() -> ProgramTexts {
    let text = fs::read(root().join("program.json")).expect("the manifest is readable");
    let manifest = Manifest::read(&text).expect("the manifest is well-formed");
    let texts = manifest.load("soil-examples", |path| fs::read(root().join(path)));
    texts.expect("every file is there")
}

fn cases(folder: &str, stem: &str) -> Vec<TestCase> {
    spec_cases(Read::of(folder, stem).function(), stem).expect("the cases read")
}

#[test]
fn every_case_of_every_complete_definition_passes() {
    let program = Program::read(&texts()).expect("the program reads");
    let checked = check(&program, CheckOptions::default());
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let mut count = 0;
    for (folder, stem) in FUNCTIONS.iter().filter(|(_, stem)| *stem != "classify") {
        let cases = cases(folder, stem);
        let suite = Suite::prepare(&mut machine, &unit, &program, &cases).expect("the cases fit");
        for case in suite.run(&mut machine, &mut MAX_RUN_FUEL.clone()) {
            assert_eq!(case.verdict, Verdict::Pass, "{stem}: {case:?}");
            count += 1;
        }
        let id = program.find_definition(stem).expect("it is there");
        let found = preflight(&mut machine, &unit, &program, id, &suite);
        assert!(
            found.iter().all(|found| found.code.is_warning()),
            "{stem}: {found:?}"
        );
    }
    assert_eq!(count, 23);
}

#[test]
fn a_case_that_reaches_a_hole_refuses_the_bundle() {
    let program = Program::read(&texts()).expect("the program reads");
    let checked = check(&program, CheckOptions::default());
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let cases = cases("sensors", "classify");
    let refused = Suite::prepare(&mut machine, &unit, &program, &cases);
    let Err(SuiteError::Unfilled { unfilled, .. }) = refused else {
        panic!("the hole is seen");
    };
    let (_, span) = unfilled.hole.expect("the hole is written");
    assert_eq!((span.start, span.end), (84, 97));
}

#[test]
fn properties_and_ensures_hold_for_drawn_values() {
    let mut texts = texts();
    texts.derives_properties = true;
    let mut seed = 0;
    for (folder, stem) in FUNCTIONS {
        let read = Read::of(folder, stem);
        let function = read.function();
        texts.guards.push(spec_guard(function, stem, &read.text));
        let properties = spec_properties(&read.whole, function, folder, &read.text, &read.names);
        texts.properties.extend(properties);
        seed ^= seed_of(&read.whole.hashes.test.expect("a function has tests"));
    }
    let program = Program::read(&texts).expect("the program reads");
    let checked = check(&program, CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let names: Vec<&str> = program
        .properties
        .iter()
        .map(|property| &*property.name)
        .collect();
    let expected = [
        "same_as_two_calls",
        "stays_inside",
        "second_time_changes_nothing",
        "derived:ensures:nothing is invented",
        "derived:ensures:taken and left add up",
    ];
    assert_eq!(names, expected);
    let mut run_fuel = MAX_RUN_FUEL;
    for property in &program.properties {
        let options = PropertyOptions {
            seed,
            ..PropertyOptions::default()
        };
        let report = run_property(
            &mut machine,
            &unit,
            &program,
            property,
            &options,
            &mut run_fuel,
        );
        let report = report.expect("the types have values");
        assert_eq!(report.verdict, Verdict::Pass, "{report:?}");
        assert_eq!(report.input_count, 128);
    }
}

#[test]
fn a_definition_runs_on_arguments_from_outside() {
    let plain = Program::read(&texts()).expect("the program reads");
    let run = |program: &Program, entry: &str, arguments: &str| {
        let checked = check(program, CheckOptions::default());
        let unit = Unit::compile(&checked);
        let arguments = match Json::read(arguments.as_bytes()) {
            Ok(Json::Array(arguments)) => arguments,
            other => panic!("the arguments are an array: {other:?}"),
        };
        invoke(
            &unit,
            program,
            entry,
            &arguments,
            Box::new(Nowhere),
            Bounds::default(),
        )
    };
    assert_eq!(run(&plain, "fahrenheit", "[100]").as_deref(), Ok("212.0"));
    assert_eq!(
        run(&plain, "sensors::is_fresh", "[940, 60]").as_deref(),
        Ok("true")
    );
    let raised = run(&plain, "remove_units", "[3,5]");
    let Err(InvokeError::Raised(raised)) = raised else {
        panic!("it overflows: {raised:?}");
    };
    assert_eq!(raised.kind, RaiseKind::Overflow);
    assert_eq!(raised.code().text(), "runtime-panic");
    assert!(matches!(
        run(&plain, "remove_units", "[3]"),
        Err(InvokeError::Usage(_))
    ));
    assert!(matches!(
        run(&plain, "nothing", "[]"),
        Err(InvokeError::Usage(_))
    ));
    assert!(matches!(
        run(&plain, "fahrenheit", "[true]"),
        Err(InvokeError::Malformed(_))
    ));
    assert!(matches!(
        run(&plain, "classify", r#"[{"sensor":"a","value":1}]"#),
        Err(InvokeError::Unfilled(_))
    ));
    let mut guarded = texts();
    let read = Read::of("stock", "remove_units");
    guarded.guards.push(spec_guard(
        read.function(),
        "stock::remove_units",
        &read.text,
    ));
    let guarded = Program::read(&guarded).expect("the program reads");
    let Err(InvokeError::Raised(raised)) = run(&guarded, "remove_units", "[3,5]") else {
        panic!("the clause is broken");
    };
    assert_eq!(raised.code().text(), "guard-requires");
}

#[test]
fn a_bundle_gives_its_report() {
    let bundle = Bundle::read(
        br#"{"program":"p","cases":[
        {"name":"a","def":"fahrenheit","binds":[],"args":[{"tag":"Json","value":0}],"expect":{"tag":"Value","value":32},"xfail":false},
        {"name":"b","def":"fahrenheit","binds":[],"args":[{"tag":"Json","value":0}],"expect":{"tag":"Value","value":33},"xfail":false},
        {"name":"c","def":"fahrenheit","binds":[],"args":[{"tag":"Json","value":0}],"expect":{"tag":"Value","value":33},"xfail":true},
        {"name":"d","def":"remove_units","binds":[],"args":[{"tag":"Json","value":1},{"tag":"Json","value":2}],"expect":{"tag":"Value","value":0},"xfail":false},
        {"name":"e","def":"remove_units","binds":[],"args":[{"tag":"Json","value":1},{"tag":"Json","value":2}],"expect":{"tag":"Panic"},"xfail":false},
        {"name":"f","def":"is_fresh","binds":[{"bind":"now","ctor":"fake_clock","args":[1000]}],
         "args":[{"tag":"Binding","value":{"name":"now"}},{"tag":"Json","value":940},{"tag":"Json","value":60}],"expect":{"tag":"Value","value":true},"xfail":true}]}"#,
    );
    let bundle = bundle.expect("the bundle reads");
    let program = Program::read(&texts()).expect("the program reads");
    let checked = check(&program, CheckOptions::default());
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let suite = Suite::prepare(&mut machine, &unit, &program, &bundle.cases);
    let cases = suite
        .expect("the cases fit")
        .run(&mut machine, &mut MAX_RUN_FUEL.clone());
    let expected = [
        r#"{"cases":[{"name":"a","result":"pass","details":{"tag":"None"}}"#,
        r#"{"name":"b","result":"fail","details":{"tag":"Some","value":{"expected":"33.0","actual":"32.0"}}}"#,
        r#"{"name":"c","result":"xfail","details":{"tag":"None"}}"#,
        r#"{"name":"d","result":"fail","details":{"tag":"Some","value":{"expected":"0","actual":"panic: overflow: the result of `-` is no U64"}}}"#,
        r#"{"name":"e","result":"pass","details":{"tag":"None"}}"#,
        r#"{"name":"f","result":"xpass","details":{"tag":"Some","value":{"expected":"true","actual":"true"}}}]}"#,
    ];
    assert_eq!(report(&cases, false), expected.join(",") + "\n");
    let rich = report(&cases, true);
    assert!(rich.contains(r#""difference":"$""#), "{rich}");
    assert!(
        rich.contains(r#""trace":["stock::remove_units"]"#),
        "{rich}"
    );
}

#[test]
fn cases_that_do_not_fit_are_malformed() {
    let program = Program::read(&texts()).expect("the program reads");
    let checked = check(&program, CheckOptions::default());
    let unit = Unit::compile(&checked);
    let check = |change: &dyn Fn(&mut TestCase), expected: &str| {
        let mut machine = Machine::new(&unit, Bounds::default());
        let mut cases = cases("sensors", "is_fresh");
        cases.truncate(1);
        change(&mut cases[0]);
        let error = Suite::prepare(&mut machine, &unit, &program, &cases).expect_err(expected);
        let message = error.to_string();
        assert!(message.contains(expected), "{message}");
    };
    check(
        &|case| case.definition = "other".to_owned(),
        "`$.def` names `other`",
    );
    check(
        &|case| drop(case.arguments.pop()),
        "`$.args` has 2 arguments",
    );
    check(
        &|case| case.binds[0].constructor = "list_len".to_owned(),
        "`$.binds` makes `now`",
    );
    check(
        &|case| case.binds[0].constructor = "fake_fs".to_owned(),
        "`$.binds` must be an array",
    );
    check(
        &|case| case.binds[0].arguments.clear(),
        "`$.binds` gives `fake_clock` 0 arguments",
    );
    check(&|case| case.binds.clear(), "`$.args[0]` names `now`");
    check(
        &|case| case.arguments.swap(0, 1),
        "`$.args[0].value` has an opaque type",
    );
    check(
        &|case| case.expected = soil::testing::Expectation::Value(Json::Null),
        "`$.expect.value` must be `true` or `false`",
    );
}
