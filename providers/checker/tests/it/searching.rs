//! `soil search`.

use serde_json::Value;

use crate::program::{Project, Run, examples};

fn found(run: &Run) -> Vec<String> {
    let document: Value = serde_json::from_str(run.answer()).expect("it is JSON");
    assert_eq!(document["cut"], false);
    let matches = document["matches"].as_array().expect("a list").iter();
    let texts = matches.map(|one| {
        let text = |key: &str| one[key].as_str().expect("a text").to_owned();
        format!("{} {}::{}", text("how"), text("module"), text("name"))
    });
    texts.collect()
}

#[test]
fn definitions_are_found_by_type() {
    for (ty, expected) in [
        ("F64 -> F64", &["exact sensors::fahrenheit"][..]),
        ("(x : F64) -> F64", &["exact sensors::fahrenheit"]),
        (
            "(F64 -> q F64) -> Reading -> q F64",
            &["exact sensors::adjust_twice"],
        ),
        (
            "(F64 -> F64) -> Reading -> F64",
            &["instance sensors::adjust_twice"],
        ),
        (
            "Reading -> (F64 -> F64) -> F64",
            &["reordered sensors::adjust_twice"],
        ),
        (
            "Option I64 -> Level -> Utf8",
            &["reordered sensors::status_text"],
        ),
        ("Option I64 -> Utf8", &["partial sensors::status_text"]),
        ("Level", &["partial sensors::classify"]),
        ("Bytes", &[]),
        // A result may be a function: this is what gives one of `I64`.
        ("I64 -> I64 -> a", &["instance sensors::clamp"]),
    ] {
        let run = Run::soil(&examples(), &["search", "program.json", "--type", ty]);
        assert_eq!(found(&run), expected, "{ty}");
    }
}

#[test]
fn better_matches_come_first() {
    let project = Project::new(&[
        (
            "m/flip.soil",
            "flip : (b : Utf8) -> (a : I64) -> Bool\nflip b a = True\n",
        ),
        (
            "m/any.soil",
            "any : (a : a) -> (b : b) -> Bool\nany a b = True\n",
        ),
        (
            "m/same.soil",
            "same : (a : I64) -> (b : Utf8) -> Bool\nsame a b = True\n",
        ),
        (
            "m/more.soil",
            "more : (a : I64) -> (b : Utf8) -> (c : Unit) -> Bool\nmore a b c = True\n",
        ),
        (
            "m/loud.soil",
            "loud : (a : I64) -> (b : Utf8) -> io Bool\nloud a b = True\n",
        ),
        (
            "m/broken.soil",
            "broken : (a : Nowhere) -> Bool\nbroken a = True\n",
        ),
    ]);
    let words = ["search", "program.json", "--type", "I64 -> Utf8 -> Bool"];
    assert_eq!(
        found(&project.soil(&words)),
        [
            "exact m::same",
            "instance m::any",
            "reordered m::flip",
            "partial m::more"
        ]
    );
    let words = ["search", "program.json", "--type", "I64 -> Utf8 -> io Bool"];
    let all = found(&project.soil(&words));
    assert_eq!(all[0], "exact m::loud");
    // What performs nothing can stand where more is allowed.
    assert!(all.contains(&"instance m::same".to_owned()), "{all:?}");
}

#[test]
fn signatures_are_enough() {
    let manifest = r#"{"types":"env.json","defs":[],"sigs":["m/f.soil"]}"#;
    let project = Project::new(&[
        ("program.json", manifest),
        ("m/f.soil", "f : (x : I64) -> Utf8\nf x = 1 +\n"),
    ]);
    let run = project.soil(&["search", "program.json", "--type", "I64 -> Utf8"]);
    assert_eq!(found(&run), ["exact m::f"]);
}

#[test]
fn fifty_are_enough() {
    let texts: Vec<(String, String)> = (0..51)
        .map(|number| {
            let text = format!("f{number} : (x : I64) -> Utf8\nf{number} x = \"\"\n");
            (format!("m/f{number}.soil"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let project = Project::new(&files);
    let run = project.soil(&["search", "program.json", "--type", "I64 -> Utf8"]);
    let document: Value = serde_json::from_str(run.answer()).expect("it is JSON");
    assert_eq!(document["cut"], true);
    assert_eq!(document["matches"].as_array().map(Vec::len), Some(50));
}
