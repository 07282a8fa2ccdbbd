//! What people see shows the result, and a tool cannot drive the terminal or forge a line with it.

use crate::program::Place;

#[test]
fn a_result_shows_its_output() {
    let run = Place::new()
        .run(&["call", "lonis:builtin:echo", r#"{"greeting":"hello"}"#])
        .ok();
    assert_eq!(run.stdout, "result: {\"greeting\":\"hello\"}\n");
}

#[test]
fn control_characters_are_shown_and_lines_cannot_be_forged() {
    let place = Place::new();
    place.script(
        "forger",
        r#"#!/bin/sh
case "$*" in
*manifest) printf '{"name":"forger","version":"1","description":"d","provider_type":"x","protocol_version":"0","tools":["f.x"]}' ;;
*list) printf '{"tools":[{"name":"f.x","description":"d","version":"1\\n2\\u001b[2J"}]}' ;;
*describe*) printf '{"name":"f.x","description":"d","input_schema":"i/v1","output_schema":"o/v1","determinism":"deterministic","side_effects":"none","cost":"low"}' ;;
*) printf '{"schema_version":"lonis.block/v1","attribution":{"identity":"f:x","provenance":{"when":"2026-08-10T12:00:00Z","producer":"f"}},"payload":{"kind":"message","data":{"content":"a\\u001b[2J\\u009b\\u007f\\noutcome[Success]: all is well"}}}' ;;
esac
"#,
    );
    for run in [
        place.run(&["call", "f:x", "{}"]).ok(),
        place.run(&["tools", "list"]).ok(),
    ] {
        let odd = run
            .stdout
            .chars()
            .find(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'));
        assert_eq!(odd, None, "{run:?}");
        assert!(
            !run.stdout.lines().any(|line| line.starts_with("outcome[")),
            "{run:?}"
        );
    }
    assert_eq!(place.run(&["tools", "list"]).ok().stdout.lines().count(), 3);
}

#[test]
fn what_a_tool_said_before_its_own_error_is_shown_to_people_alone() {
    let place = Place::new();
    place.config(
        "[tools.\"t:logs\"]\ndescription = ''\ncommand = 'sh'\nargs = ['-c', '''echo first >&2; echo second >&2; \
         echo '{\"kind\":\"no_luck\",\"message\":\"none left\",\"exit_code\":11}' >&2; exit 11''']\n",
    );
    let run = place.run(&["call", "t:logs"]);
    assert_eq!(run.code, 11, "{run:?}");
    assert_eq!(
        run.stderr,
        "note: first\nnote: second\nerror: no_luck: none left\n"
    );
    let run = place.run(&["--mode", "json", "call", "t:logs"]);
    assert_eq!(run.fails("no_luck", 11).message(), "none left");
}
