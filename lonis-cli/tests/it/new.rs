//! What `lonis new` writes is a provider that holds every rule, in each language, and nothing that is there is lost.

use std::fs;
use std::path::Path;
use std::process::Command;

use lonis::process::Program;
use serde_json::json;

use crate::program::Place;

/// Each language, and the program that it needs.
const SCRIPTS: [(&str, &str); 3] = [("python", "python3"), ("node", "node"), ("shell", "jq")];

/// Names at the edges of what a provider's name may be.
const NAMES: [&str; 3] = ["a", "my-tool_2", "0-9"];

#[test]
fn a_new_script_holds_every_rule_and_can_be_called() {
    for (language, needs) in SCRIPTS {
        if Program::new(needs).resolve().is_err() {
            println!("skipped: `{needs}` is not on PATH");
            continue;
        }
        for name in NAMES {
            let place = Place::new();
            let made = place.run(&["new", name, "--language", language, "--into", "made"]);
            let made = made.ok();
            assert!(
                made.stdout
                    .starts_with(&format!("wrote made/lonis-{name}\n"))
            );

            let program = format!("made/lonis-{name}");
            let report = place.run(&["--mode", "json", "conform", &program]).ok();
            let report = report.json();
            let counts = &report.as_array().unwrap().last().unwrap()["payload"]["data"]["details"];
            let short = [&counts["required_short"], &counts["advised_short"]];
            assert_eq!(short, [0, 0], "{language}: {report}");
            // Two names are greeted too fast to say whether each was flushed.
            assert!(counts["held"].as_u64() >= Some(30), "{language}: {report}");

            place.run(&["providers", "add", name, &program]).ok();
            let input = json!({ "names": ["Ada", "<b>\u{7}"] }).to_string();
            let said = place.run(&["call", &format!("{name}:greet"), &input]).ok();
            let expected = "message: Hello, Ada!\nmessage: Hello, <b>\\u{7}!\n";
            assert_eq!(said.stdout, expected, "{language}");
        }
    }
}

#[test]
fn a_new_crate_compiles_without_a_warning() {
    let place = Place::new();
    let words = ["new", "my-tool_2", "--language", "rust", "--into", "made"];
    let made = place.run(&words).ok();
    let steps: Vec<&str> = made.stdout.lines().collect();
    assert_eq!(
        steps[2],
        "next: cargo build --manifest-path made/lonis-my-tool_2/Cargo.toml"
    );

    let folder = place.path("work/made/lonis-my-tool_2");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    // The facade of this tree stands for the one that a registry has.
    let mut words = vec!["check".to_owned(), "--offline".to_owned()];
    for (name, path) in [
        ("lonis", "lonis"),
        ("lonis-core", "lonis-core"),
        ("lonis-schema", "lonis-schema"),
        ("lonis-derive", "lonis-derive"),
        ("lonis-spawn", "lonis-core/spawn"),
        ("lonis-diagnostics", "lonis-core/diagnostics"),
    ] {
        let path = root.join(path).display().to_string();
        words.extend([
            "--config".to_owned(),
            format!("patch.crates-io.{name}.path={path:?}"),
        ]);
    }
    let output = Command::new(env!("CARGO"))
        .args(words)
        .env("RUSTFLAGS", "-D warnings")
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("new"),
        )
        .current_dir(&folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

#[test]
fn what_is_there_is_left_as_it_is() {
    let place = Place::new();
    for language in ["python", "node", "shell", "rust"] {
        let path = place.path("work").join(format!("lonis-{language}"));
        fs::write(&path, "mine").unwrap();
        let words = ["--mode", "json", "new", language, "--language", language];
        let error = place.run(&words).fails("invalid_input", 2);
        let message = error.message();
        assert!(
            message.contains(&format!("lonis-{language}` is there already")),
            "{message}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
}

#[test]
fn what_cannot_be_written_is_told() {
    let place = Place::new();
    let bad = place.run(&["--mode", "json", "new", "Ab"]);
    bad.fails("invalid_input", 2);
    fs::write(place.path("work/file"), "").unwrap();
    for language in ["python", "rust"] {
        let words = [
            "--mode",
            "json",
            "new",
            "a",
            "--into",
            "file",
            "--language",
            language,
        ];
        let error = place.run(&words).fails("io", 8);
        let message = error.message();
        assert!(message.starts_with("`file` cannot be written"), "{message}");
    }
}

#[test]
fn a_program_is_told_the_files_and_the_next_steps() {
    let place = Place::new();
    let made = place
        .run(&["--mode", "json", "new", "a", "--into", "two words"])
        .ok();
    let expected = json!({
        "created": "a",
        "files": ["two words/lonis-a"],
        "next": [
            "lonis conform 'two words/lonis-a'",
            "lonis providers add a 'two words/lonis-a'",
            "lonis call a:greet '{\"names\":[\"Ada\",\"Grace\"]}'",
        ],
    });
    assert_eq!(made.json(), expected);
}
