//! Properties that fail, and specs that are wrong.

mod shrinking;

use super::*;
use crate::check::{CheckOptions, check};
use crate::diagnostic::Params;
use crate::eval::{Bounds, Machine, Unit};
use crate::json::Json;
use crate::program::{Clause, GuardTexts, Program, ProgramTexts, PropertyTexts, Text};
use crate::values::Ungenerable;

fn program(
    definitions: &[&str],
    properties: &[(&[&str], &str)],
    guards: Vec<GuardTexts>,
) -> Program {
    let split = |binder: &&str| {
        let (name, ty) = binder.split_once(" : ").expect("a binder has a type");
        (name.to_owned(), ty.to_owned())
    };
    let texts = ProgramTexts {
        root_module: "t".to_owned(),
        definitions: definitions
            .iter()
            .map(|text| {
                let name = text.split([' ', ':']).next().unwrap_or_default();
                Text::new(format!("t/{name}.soil"), text.as_bytes())
            })
            .collect(),
        properties: properties
            .iter()
            .map(|(binders, predicate)| PropertyTexts {
                module: "t".to_owned(),
                name: "holds".to_owned(),
                binders: binders.iter().map(split).collect(),
                predicate: (*predicate).to_owned(),
            })
            .collect(),
        derives_properties: true,
        guards,
        ..ProgramTexts::default()
    };
    Program::read(&texts).expect("the inputs read")
}

fn runs(program: &Program, options: &PropertyOptions) -> Vec<Result<PropertyReport, Ungenerable>> {
    let checked = check(program, CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let mut fuel = MAX_RUN_FUEL;
    let properties = program.properties.iter();
    properties
        .map(|property| run_property(&mut machine, &unit, program, property, options, &mut fuel))
        .collect()
}

fn run_one(definitions: &[&str], binders: &[&str], predicate: &str) -> PropertyReport {
    let program = program(definitions, &[(binders, predicate)], Vec::new());
    let mut reports = runs(&program, &PropertyOptions::default());
    reports.remove(0).expect("the types have values")
}

#[test]
fn what_fails_is_made_small() {
    let check = |binders: &[&str], predicate: &str, expected: &str| {
        let report = run_one(&[], binders, predicate);
        let details = report.details.expect("it fails");
        assert_eq!(details.expected, "true");
        let shown = details.actual.split(" (shrunk").next();
        assert_eq!(shown, Some(expected), "{predicate}");
    };
    check(&["x : I64"], "x < 100", "false at [100]");
    check(&["x : I64", "y : I64"], "x <= y", "false at [0,-1]");
    check(&["xs : List I64"], "list_len xs < 3", "false at [[0,0,0]]");
    check(&["t : Utf8"], "utf8_len t < 2", "false at [\"aa\"]");
    check(
        &["x : I64"],
        "x + 1 > x",
        "panic: overflow: the result of `+` is no I64 at [9223372036854775807]",
    );
    check(&["x : I64"], "x > 10 implies x < 20", "false at [20]");
    check(
        &["o : Option Bool"],
        "o is None",
        "false at [{\"tag\":\"Some\",\"value\":true}]",
    );
}

#[test]
fn a_kept_value_comes_first_and_is_not_shrunk() {
    let program = program(&[], &[(&["x : I64"], "x != 12345")], Vec::new());
    let number = |text: &str| vec![Json::Number(text.to_owned())];
    let options = PropertyOptions {
        kept: vec![vec![Json::Null], number("1"), number("12345")],
        ..PropertyOptions::default()
    };
    let report = runs(&program, &options)
        .remove(0)
        .expect("integers are drawn");
    assert_eq!(report.dropped_count, 1);
    assert_eq!(report.verdict, Verdict::Fail);
    let found = report.counterexample.expect("it fails");
    assert_eq!(
        (found.seed, found.steps, &found.arguments[..]),
        (None, 0, &["12345".to_owned()][..])
    );
    let passing = runs(&program, &PropertyOptions::default()).remove(0);
    assert_eq!(passing.map(|report| report.verdict), Ok(Verdict::Pass));
}

#[test]
fn a_counterexample_says_how_it_was_found() {
    let report = run_one(&[], &["x : I64"], "x < 100");
    let found = report.counterexample.expect("it fails");
    assert_eq!(found.generator, "soil-gen/1");
    assert_eq!(found.seed, Some(0));
    assert!(found.steps > 0 && found.steps <= 200);
    assert_eq!(found.arguments, ["100"]);
    assert_ne!(found.arguments, found.original);
}

#[test]
fn what_is_not_drawn_is_refused() {
    let cases = [
        ("c : Clock", "clock_of c == 0", Ungenerable::Kind),
        ("f : I64 -> I64", "f 1 == 1", Ungenerable::Kind),
        (
            "x : a",
            "list_len (list_append list_empty x) == 1",
            Ungenerable::Kind,
        ),
    ];
    let clock_of = "clock_of : (c : Clock) -> I64\nclock_of c = 0\n";
    for (binder, predicate, expected) in cases {
        let program = program(&[clock_of], &[(&[binder], predicate)], Vec::new());
        let report = runs(&program, &PropertyOptions::default()).remove(0);
        assert_eq!(report.err(), Some(expected), "{binder}");
    }
}

#[test]
fn a_property_that_says_little_is_known() {
    let report = run_one(&[], &["x : I64"], "x == 12345 implies x > 0");
    assert_eq!(report.verdict, Verdict::Pass);
    assert!(report.rarely_applies());
    let report = run_one(&[], &["x : I64"], "x > 0 implies x != 0");
    assert!(!report.rarely_applies());
}

fn guard(requires: &[(&str, &str)], ensures: &[(&str, &str)]) -> Vec<GuardTexts> {
    let clauses = |texts: &[(&str, &str)]| {
        let texts = texts.iter();
        texts
            .map(|(label, predicate)| Clause {
                label: (*label).to_owned(),
                predicate: (*predicate).to_owned(),
            })
            .collect()
    };
    vec![GuardTexts {
        definition: "f".to_owned(),
        requires: clauses(requires),
        ensures: clauses(ensures),
    }]
}

#[test]
fn ensures_give_properties_without_the_clauses_themselves() {
    let half = "f : (x : I64) -> I64\nf x = x / 2\n";
    let guards = guard(
        &[("positive", "x >= 0")],
        &[("small", "result <= x"), ("few", "result < 50")],
    );
    let program = program(&[half], &[], guards);
    let reports = runs(&program, &PropertyOptions::default());
    let verdicts: Vec<Verdict> = reports
        .iter()
        .flatten()
        .map(|report| report.verdict)
        .collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail]);
    let failing = reports[1].as_ref().expect("integers are drawn");
    let found = failing.counterexample.as_ref().expect("it fails");
    assert_eq!(found.arguments, ["100"]);
    assert_eq!(failing.name, "derived:ensures:few");
}

#[test]
fn specs_that_no_body_meets_are_found() {
    let half = "f : (x : I64) -> Bool\nf x = x > 2\n";
    let case = |name: &str, argument: &str, expected: bool| TestCase {
        name: name.to_owned(),
        definition: "f".to_owned(),
        binds: Vec::new(),
        arguments: vec![CaseArgument::Json(Json::Number(argument.to_owned()))],
        expected: Expectation::Value(Json::Boolean(expected)),
        is_xfail: false,
    };
    let found = |requires: &[(&str, &str)], ensures: &[(&str, &str)], cases: &[TestCase]| {
        let program = program(&[half], &[], guard(requires, ensures));
        let checked = check(&program, CheckOptions::default());
        let unit = Unit::compile(&checked);
        let mut machine = Machine::new(&unit, Bounds::default());
        let suite = Suite::prepare(&mut machine, &unit, &program, cases).expect("the cases fit");
        let id = program.find_definition("f").expect("it is there");
        let found = preflight(&mut machine, &unit, &program, id, &suite);
        found
            .iter()
            .map(|found| found.code.text())
            .collect::<Vec<_>>()
    };
    let both = [case("a", "1", true), case("b", "2", false)];
    assert!(found(&[], &[], &both).is_empty());
    let contrary = [case("a", "1", true), case("b", "1", false)];
    assert_eq!(found(&[], &[], &contrary), ["preflight-contradiction"]);
    assert_eq!(
        found(&[("much", "x > 1")], &[], &both),
        ["preflight-case-outside-domain"]
    );
    assert_eq!(
        found(&[("much", "x > 9")], &[], &both),
        [
            "preflight-case-outside-domain",
            "preflight-case-outside-domain",
            "preflight-vacuous-requires"
        ]
    );
    for predicate in [
        "x == x",
        "x + 1 <= x + 1",
        "x > 0 implies x > 0",
        "x > 0 or not x > 0",
        "not (x > 0) or x > 0",
    ] {
        assert_eq!(
            found(&[], &[("empty", predicate)], &both),
            ["preflight-trivial-ensures"],
            "{predicate}"
        );
    }
    assert!(found(&[], &[("sound", "x == x + 0")], &both).is_empty());
    assert_eq!(
        found(&[], &[], &both[..1]),
        ["preflight-unexercised-variant"]
    );
}

#[test]
fn a_clause_that_no_case_comes_to_is_known() {
    let half = "f : (x : I64) -> panic I64\nf x = 10 / x\n";
    let program = program(
        &[half],
        &[],
        guard(&[("any", "x < 100")], &[("small", "result < 100")]),
    );
    let checked = check(&program, CheckOptions::default());
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let case = |argument: &str, expected: Expectation| TestCase {
        name: "c".to_owned(),
        definition: "f".to_owned(),
        binds: Vec::new(),
        arguments: vec![CaseArgument::Json(Json::Number(argument.to_owned()))],
        expected,
        is_xfail: false,
    };
    let mut run = |case: TestCase| {
        let suite = Suite::prepare(&mut machine, &unit, &program, &[case]).expect("the case fits");
        let reports = suite.run(&mut machine, &mut MAX_RUN_FUEL.clone());
        assert_eq!(reports[0].verdict, Verdict::Pass);
        let found = unevaluated_clauses(&machine);
        found
            .iter()
            .map(|found| found.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        run(case("0", Expectation::Panic)),
        ["no test comes to `small`"]
    );
    let ten = Expectation::Value(Json::Number("10".to_owned()));
    assert!(run(case("1", ten)).is_empty());
}

/// Runs the derived properties of `f`, and gives the kinds of the warnings about its clauses.
fn vacuous(requires: &[(&str, &str)], ensures: &[(&str, &str)]) -> Vec<(String, String)> {
    let same = "f : (x : I64) -> I64\nf x = x\n";
    let program = program(&[same], &[], guard(requires, ensures));
    let checked = check(&program, CheckOptions::default());
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let mut fuel = MAX_RUN_FUEL;
    let target = program.find_definition("f").expect("it is there");
    let mut found = Vec::new();
    for property in &program.properties {
        let options = PropertyOptions::default();
        let report = run_property(&mut machine, &unit, &program, property, &options, &mut fuel);
        found.extend(unmet_premise(&report.expect("integers are drawn")));
    }
    found.extend(unfalsified_clauses(
        &mut machine,
        &unit,
        &program,
        target,
        3,
        &mut fuel,
    ));
    let params = found
        .into_iter()
        .filter_map(|found| match found.params.as_deref() {
            Some(Params::Clause { label, kind }) => Some((label.clone(), kind.clone())),
            _ => None,
        });
    params.collect()
}

#[test]
fn clauses_that_nothing_makes_true_or_false_are_known() {
    let kinds = |requires: &[(&str, &str)], ensures: &[(&str, &str)]| -> Vec<String> {
        let found = vacuous(requires, ensures).into_iter();
        found
            .map(|(label, kind)| format!("{label} {kind}"))
            .collect()
    };
    assert_eq!(kinds(&[], &[("same", "result == x")]), [""; 0]);
    assert_eq!(
        kinds(&[], &[("any", "result == x or result != x")]),
        ["any never-false"]
    );
    assert_eq!(
        kinds(&[("none", "x < 0 and x > 0")], &[("same", "result == x")]),
        ["same premise-never-true"]
    );
    // What cannot be evaluated for some results is not judged.
    assert_eq!(kinds(&[], &[("sum", "result + 1 > result")]), [""; 0]);
}
