//! What a refused or failed command advises can be done as it is said.

use std::fs;

use lonis::ToolError;

use crate::program::Place;

/// A provider whose tool wants an object, and takes its time.
const SLOW: &str = r#"#!/bin/sh
case "$*" in
*manifest) printf '{"name":"p","version":"1","description":"d","provider_type":"x","protocol_version":"lonis.provider/v1","tools":["p.t"]}' ;;
*"tools list") printf '{"provider":"p","tools":[{"name":"p.t","description":"d"}]}' ;;
*describe*) printf '{"name":"p.t","description":"d","input_schema":"p.t.input/v1","output_schema":"p.t.output/v1","determinism":"deterministic","side_effects":"none","cost":"low","input_json_schema":{"type":"object"}}' ;;
*) exec sleep 600 ;;
esac
"#;

fn hint(error: &ToolError) -> String {
    let details = error.details().expect("an error with a hint has details");
    let details: serde_json::Value = serde_json::from_str(details.text()).unwrap();
    details["hint"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn each_mistake_is_told_its_remedy() {
    let place = Place::new();
    place.script("p", SLOW);
    fs::write(place.path("work/input.json"), "{}").unwrap();
    place.config(
        "[tools.\"p:ceiling\"]\ndescription = ''\ncommand = ['sleep', '600']\nstdin = 'none'\n\
         bounds = { max_wall_millis = 50 }\n",
    );
    let cases: [(&[&str], &str, i32, &str); 7] = [
        (
            &["call"],
            "invalid_input",
            2,
            "`lonis help call` tells its arguments",
        ),
        (
            &["providers", "add"],
            "invalid_input",
            2,
            "`lonis help providers add` tells its arguments",
        ),
        (
            &["--nonsense"],
            "invalid_input",
            2,
            "`lonis help` lists the commands and their arguments",
        ),
        (
            &["call", "p:t", "input.json"],
            "invalid_input",
            2,
            "`@input.json` reads the file of that name",
        ),
        (
            &["call", "p:t"],
            "invalid_input",
            2,
            "no input was given: it stands behind the id, as JSON or as `@FILE`",
        ),
        (
            &["call", "p:t", "{}", "--timeout", "50ms"],
            "timeout",
            7,
            "`--timeout` gives the call longer, `bounds.timeout_millis` in `lonis.toml` every call of the tool",
        ),
        (
            &["call", "p:ceiling"],
            "timeout",
            7,
            "`bounds.max_wall_millis` in `lonis.toml` is what every call of the tool may take in all",
        ),
    ];
    for (words, kind, code, remedy) in cases {
        let words = [&["--mode", "json"], words].concat();
        let error = place.run(&words).fails(kind, code);
        assert_eq!(hint(&error), remedy, "{words:?}");
    }
}
