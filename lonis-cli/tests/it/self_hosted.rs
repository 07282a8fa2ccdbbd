//! `lonis` is a provider like any other, and hosts itself.

use crate::program::Place;

fn hosting() -> Place {
    let place = Place::new();
    // Under a name of its own, so that its builtins do not meet those of the host.
    place.config(&format!(
        "[providers.inner]\ncommand = '{}'\ntools.\"lonis:builtin:echo\" = {{ id = \"inner:echo\" }}\n",
        env!("CARGO_BIN_EXE_lonis")
    ));
    place
}

#[test]
fn it_hosts_itself() {
    let place = hosting();
    let run = place.run(&[
        "--mode",
        "json",
        "call",
        "inner:echo",
        r#"{"n":12345678901234567890123}"#,
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout.contains(r#"{"n":12345678901234567890123}"#),
        "{run:?}"
    );
    let streamed = place.run(&["--mode", "ndjson", "call", "inner:echo", "[1]", "--stream"]);
    assert_eq!(streamed.code, 0, "{streamed:?}");
    assert_eq!(
        streamed.json()["payload"]["data"]["output"],
        serde_json::json!([1])
    );
}

#[test]
fn an_error_of_the_inner_one_keeps_its_kind() {
    let error = hosting()
        .run(&["--mode", "json", "call", "inner:echo", "null"])
        .error();
    assert_eq!((error.kind().as_str(), error.exit_code()), ("bad_input", 2));
}

#[test]
fn it_conforms() {
    let place = Place::new();
    let run = place.run(&["conform", env!("CARGO_BIN_EXE_lonis")]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}
