//! The builtins, and the forms that an input can have.

use serde_json::json;

use crate::program::Place;

const ECHO: &str = "lonis:builtin:echo";

#[test]
fn an_input_is_inline_a_file_or_stdin() {
    let place = Place::new();
    let file = place.path("work/input.json");
    std::fs::write(&file, "\u{feff} {\"from\": \"file\"}\n").unwrap();
    let output = |words: &[&str], stdin: &[u8]| {
        let words = [&["--mode", "json", "call", ECHO], words].concat();
        place.run_with_stdin(&words, stdin).ok().json()[0]["payload"]["data"]["output"].clone()
    };
    assert_eq!(output(&[r#"{"a":1}"#], b""), json!({ "a": 1 }));
    assert_eq!(output(&["-5"], b""), json!(-5));
    assert_eq!(output(&["@input.json"], b""), json!({ "from": "file" }));
    for words in [&[][..], &["-"], &["@-"]] {
        assert_eq!(
            output(words, b"\xef\xbb\xbf[1,2]\n"),
            json!([1, 2]),
            "{words:?}"
        );
    }
    let empty = place.run(&["call", ECHO, "--mode", "json"]);
    assert_eq!(empty.fails("bad_input", 2).kind().as_str(), "bad_input");
}

#[test]
fn digits_are_kept_and_the_hash_is_that_of_the_double() {
    let place = Place::new();
    let run = place
        .run(&[
            "--mode",
            "ndjson",
            "call",
            ECHO,
            r#"{"n":12345678901234567890123,"m":1.50}"#,
        ])
        .ok();
    assert!(
        run.stdout
            .contains(r#"{"n":12345678901234567890123,"m":1.50}"#),
        "{run:?}"
    );
    let rounded = place
        .run_with_stdin(&["hash", "-"], br#"{"m":1.5,"n":1.2345678901234568e22}"#)
        .ok();
    assert_eq!(
        run.json()["provenance"]["input_hash"],
        rounded.stdout.trim()
    );
}

#[test]
fn the_version_is_told() {
    let run = Place::new()
        .run(&["--mode", "json", "call", "lonis:builtin:version"])
        .ok();
    let output = &run.json()[0]["payload"]["data"]["output"];
    assert_eq!(
        *output,
        json!({ "lonis": env!("CARGO_PKG_VERSION"), "schema": "lonis.tool/v1" })
    );
}

#[test]
fn times_that_nobody_took_are_said_to_be_none() {
    let timed = Place::new().run(&["call", "lonis:builtin:version", "--timing"]);
    assert_eq!(timed.code, 0, "{timed:?}");
    assert_eq!(
        timed.stderr,
        "note: no program was started, so that there are no times to tell\n"
    );
}

#[test]
fn the_list_is_lines_for_people_and_one_object_for_programs() {
    let place = Place::new();
    let version = env!("CARGO_PKG_VERSION");
    let people = place.run(&["tools", "list"]).ok();
    assert_eq!(
        people.stdout,
        format!("lonis:builtin:echo\t{version}\nlonis:builtin:version\t{version}\n")
    );
    for mode in ["json", "ndjson"] {
        let list = place.run(&["--mode", mode, "tools", "list"]).ok().json();
        assert_eq!(list["provider"], "lonis");
        let keys: Vec<&String> = list["tools"][0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["description", "name", "version"]);
    }
    let found = place.run(&["tools", "search", "ECHO"]).ok();
    assert_eq!(found.stdout.lines().count(), 1);
    let limited = place
        .run(&["tools", "search", "builtin", "--limit", "1"])
        .ok();
    assert_eq!(limited.stdout, format!("lonis:builtin:echo\t{version}\n"));
    let slip = place.run(&["tools", "search", "verison"]);
    assert!(
        slip.stdout.starts_with("lonis:builtin:version\t"),
        "{slip:?}"
    );
    assert!(
        slip.stderr.starts_with("note: no tool has every word"),
        "{slip:?}"
    );
    assert!(
        place
            .run(&["tools", "search", "nothing-has-this"])
            .ok()
            .stdout
            .is_empty()
    );
}
