//! `providers add`, `remove`, `list`, and files that cannot be used.

use crate::program::Place;

#[test]
fn a_provider_is_added_listed_and_removed_with_the_files_comments_kept() {
    let place = Place::new();
    place.config("# my tools\n[providers.other] # keep\ncommand = \"nothing\"\n");
    let added = place.run(&[
        "--mode",
        "json",
        "providers",
        "add",
        "inner",
        env!("CARGO_BIN_EXE_lonis"),
    ]);
    // All that it offers are ids under `lonis:`, which stay its own until they are given others.
    assert_eq!(added.code, 0, "{added:?}");
    let file = place.path("home/.config/lonis/lonis.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("# my tools\n[providers.other] # keep\n"),
        "{text}"
    );
    assert!(text.contains("[providers.inner]\n"), "{text}");

    let list = place.run(&["--mode", "json", "providers", "list"]).json();
    let states: Vec<(&str, &str)> = list["providers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["name"].as_str().unwrap(),
                row["state"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(states, [("other", "unavailable"), ("inner", "ready")]);
    place
        .run(&[
            "--mode",
            "json",
            "providers",
            "add",
            "inner",
            env!("CARGO_BIN_EXE_lonis"),
        ])
        .fails("already_registered", 1);
    place.run(&["providers", "remove", "inner"]).ok();
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "# my tools\n[providers.other] # keep\ncommand = \"nothing\"\n"
    );
}

#[test]
fn a_program_that_is_no_provider_is_not_added() {
    let place = Place::new();
    let run = place.run(&["--mode", "json", "providers", "add", "cat", "cat"]);
    assert_ne!(run.code, 0);
    assert!(!place.path("home/.config/lonis/lonis.toml").exists());
    place
        .run(&["--mode", "json", "providers", "add", "Bad Name", "cat"])
        .fails("invalid_input", 2);
}

#[test]
fn a_broken_file_stops_what_needs_registrations_and_nothing_else() {
    let place = Place::new();
    place.config("[providers.a]\ncomand = 'x'\n");
    for words in [
        &["tools", "list"][..],
        &["call", "a:b", "{}"],
        &["providers", "list"],
    ] {
        let error = place
            .run(&[&["--mode", "json"], words].concat())
            .fails("invalid_config", 2);
        let details = error.details().unwrap().to_value();
        assert_eq!(
            (details["line"].as_u64(), details["key"].as_str()),
            (Some(2), Some("providers.a.comand"))
        );
        assert_eq!(details["hint"], "did you mean `command`?");
    }
    for words in [
        &["schema"][..],
        &["call", "lonis:builtin:echo", "{}"],
        &["tools", "describe", "lonis:builtin:echo"],
        &["hash", "/dev/stdin"],
        &["completions", "bash"],
        &["help"],
        &["--version"],
    ] {
        place.run_with_stdin(words, b"1").ok();
    }
}
