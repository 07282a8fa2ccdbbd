//! `soil test`.

use serde_json::{Value, json};

use crate::program::{Project, Run, examples};

/// Writes a bundle beside a copy of nothing: its program is named by its whole path.
fn bundle(cases: &Value) -> Project {
    let program = examples().join("program.json");
    let bundle = json!({"program": program, "cases": cases});
    Project::new(&[("bundle.json", &bundle.to_string())])
}

fn case(name: &str, definition: &str, args: &[Value], expect: &Value, xfail: bool) -> Value {
    let args = args
        .iter()
        .map(|value| json!({"tag": "Json", "value": value}));
    json!({
        "name": name, "def": definition, "binds": [], "args": args.collect::<Vec<_>>(),
        "expect": expect, "xfail": xfail
    })
}

fn value(value: &Value) -> Value {
    json!({"tag": "Value", "value": value})
}

#[test]
fn cases_are_reported_in_order() {
    let fresh = json!({
        "name": "fresh#1", "def": "is_fresh",
        "binds": [{"bind": "now", "ctor": "fake_clock", "args": [1000]}],
        "args": [
            {"tag": "Binding", "value": {"name": "now"}},
            {"tag": "Json", "value": 950}, {"tag": "Json", "value": 60}
        ],
        "expect": value(&json!(true)), "xfail": false
    });
    let panic = json!({"tag": "Panic"});
    let good = [
        fresh,
        case(
            "edges#1",
            "clamp",
            &[json!(2), json!(8), json!(1)],
            &value(&json!(2)),
            false,
        ),
        case(
            "less#1",
            "stock::remove_units",
            &[json!(3), json!(5)],
            &panic,
            false,
        ),
        case(
            "known#1",
            "clamp",
            &[json!(2), json!(8), json!(1)],
            &value(&json!(3)),
            true,
        ),
    ];
    let project = bundle(&json!(good));
    let run = project.soil(&["test", "bundle.json"]);
    let row = |name: &str, result: &str| json!({"name": name, "result": result, "details": {"tag": "None"}});
    let document: Value = serde_json::from_str(run.answer()).expect("it is JSON");
    assert_eq!(
        document,
        json!({"cases": [
            row("fresh#1", "pass"), row("edges#1", "pass"), row("less#1", "pass"), row("known#1", "xfail")
        ]})
    );
}

#[test]
fn a_case_that_fails_ends_with_1_and_the_report_stands() {
    let cases = [
        case(
            "bad#1",
            "clamp",
            &[json!(2), json!(8), json!(1)],
            &value(&json!(3)),
            false,
        ),
        case(
            "good#1",
            "clamp",
            &[json!(2), json!(8), json!(1)],
            &value(&json!(2)),
            true,
        ),
    ];
    let project = bundle(&json!(cases));
    let run = project.soil(&["test", "bundle.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let first = &document["cases"][0];
    assert_eq!(first["result"], "fail");
    assert_eq!(
        first["details"],
        json!({"tag": "Some", "value": {"expected": "3", "actual": "2"}})
    );
    assert_eq!(document["cases"][1]["result"], "xpass");
    assert_eq!(first.get("difference"), None);
    let rich = project.soil(&["test", "bundle.json", "--rich"]);
    let document: Value = serde_json::from_str(&rich.stdout).expect("it is JSON");
    assert_eq!(document["cases"][0]["difference"], "$");
}

#[test]
fn a_hole_refuses_the_bundle() {
    let reading = json!({"sensor": "a", "value": 1.0});
    let expect = value(&json!({"tag": "Low"}));
    let project = bundle(&json!([case(
        "low#1",
        "classify",
        &[reading],
        &expect,
        false
    )]));
    let run = project.soil(&["test", "bundle.json"]);
    assert_eq!(run.code, 1);
    assert_eq!(run.places(), ["unfilled-hole sensors/classify.soil 84..97"]);
}

#[test]
fn bundles_of_another_shape_are_malformed() {
    let one = |definition: &str, args: &[Value], expect: Value| {
        json!([case("one#1", definition, args, &expect, false)])
    };
    for cases in [
        json!(1),
        json!([{}]),
        one("nowhere", &[], value(&json!(1))),
        one("clamp", &[json!(1)], value(&json!(1))),
        one("clamp", &[json!(1), json!(1), json!("1")], value(&json!(1))),
        one("clamp", &[json!(1), json!(1), json!(1)], value(&json!("1"))),
        one(
            "clamp",
            &[json!(1), json!(1), json!(1)],
            json!({"tag": "Boom"}),
        ),
    ] {
        let run = bundle(&cases).soil(&["test", "bundle.json"]);
        assert_eq!(run.code, 2, "{cases}");
        assert_eq!(run.places(), ["malformed-input bundle.json"], "{cases}");
    }
}

#[test]
fn the_program_stands_where_the_bundle_says() {
    let project = Project::new(&[("in/bundle.json", r#"{"program":"../p.json","cases":[]}"#)]);
    let run = Run::soil(project.path(), &["test", "in/bundle.json"]);
    assert_eq!(
        (run.code, run.places()),
        (2, vec!["io in/../p.json".to_owned()])
    );
    project.write("p.json", r#"{"types":"env.json","defs":[]}"#);
    let run = Run::soil(project.path(), &["test", "in/bundle.json"]);
    assert_eq!(run.answer(), "{\"cases\":[]}\n");
}
