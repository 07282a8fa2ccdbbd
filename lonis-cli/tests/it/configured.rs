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
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.config("");
    let (link, real) = (
        place.path("home/.config/lonis/lonis.toml"),
        place.path("real.toml"),
    );
    std::fs::remove_file(&link).unwrap();
    std::fs::write(&real, "# kept\n").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let own = env!("CARGO_BIN_EXE_lonis");
    place.run(&["providers", "add", "inner", own]).ok();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(
        std::fs::read_to_string(&real)
            .unwrap()
            .starts_with("# kept\n")
    );
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    let fresh = Place::new();
    fresh.run(&["providers", "add", "inner", own]).ok();
    let made = fresh.path("home/.config/lonis/lonis.toml");
    assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_provider_whose_language_needs_them_gets_a_home_and_a_language() {
    let place = Place::new();
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../providers/examples/csv/lonis-csv"
    );
    let added = place.run(&["--mode", "json", "providers", "add", "csv", example]);
    assert_eq!(added.ok().json()["base_env"], true);
    let file = place.path("home/.config/lonis/lonis.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\nbase_env = true\n"), "{text}");
    let input = r#"{"text":"a,b\n1,2\n"}"#;
    place.run(&["call", "csv:rows", input]).ok();

    let own = env!("CARGO_BIN_EXE_lonis");
    place.run(&["providers", "add", "inner", own]).ok();
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("base_env").count(), 1, "{text}");
}

#[test]
fn of_two_with_one_id_the_first_in_the_file_keeps_it() {
    let place = Place::new();
    let tool = "[tools.\"b:x\"]\ndescription = 'plain'\ncommand = 'cat'\n".to_owned();
    let provider = format!(
        "[providers.inner]\ncommand = '{}'\ntools.\"lonis:builtin:echo\" = {{ id = \"b:x\" }}\n",
        env!("CARGO_BIN_EXE_lonis")
    );
    for (text, wanted) in [
        (tool.clone() + &provider, "unknown"),
        (provider.clone() + &tool, env!("CARGO_PKG_VERSION")),
    ] {
        place.config(&text);
        let run = place.run(&["--mode", "json", "tools", "list"]);
        assert!(run.stderr.contains("already_registered"), "{run:?}");
        let list = run.json();
        let row = list["tools"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["name"] == "b:x");
        assert_eq!(row.unwrap()["version"], wanted, "{text}");
    }
}

#[test]
fn one_tool_of_a_provider_can_be_left_out() {
    let place = Place::new();
    let config = |rest: &str| {
        place.config(&format!(
            "[providers.inner]\ncommand = '{}'\n{rest}",
            env!("CARGO_BIN_EXE_lonis")
        ));
        let list = place.run(&["--mode", "json", "tools", "list"]).json();
        let tools = list["tools"].as_array().unwrap().iter();
        tools
            .filter(|row| row["name"].as_str().unwrap().starts_with("in:"))
            .count()
    };
    let echo = "tools.\"lonis:builtin:echo\" = { id = \"in:echo\" }\n";
    assert_eq!(config(echo), 1);
    assert_eq!(config(&echo.replace(" }", ", enabled = false }")), 0);
}

#[test]
fn a_contract_that_cannot_be_had_is_told_as_what_it_is() {
    let place = Place::new();
    place.script(
        "lies",
        "#!/bin/sh\ncase \"$*\" in\n\
         *manifest) printf '{\"name\":\"p\",\"version\":\"1\",\"description\":\"d\",\"provider_type\":\"x\",\"protocol_version\":\"0\",\"tools\":[\"p.t\"]}' ;;\n\
         *'tools list') printf '{\"tools\":[{\"name\":\"p.t\"}]}' ;;\n\
         *describe*) printf '{\"name\":\"another:tool\",\"description\":\"d\",\"input_schema\":\"a/v1\",\"output_schema\":\"b/v1\",\"determinism\":\"deterministic\",\"side_effects\":\"none\",\"cost\":\"low\"}' ;;\nesac\n",
    );
    let words = ["--mode", "json", "tools", "describe", "p:t"];
    let error = place.run(&words).fails("invalid_output", 9);
    assert!(
        error.message().contains("another:tool") && error.message().contains("p.t"),
        "{error:?}"
    );
}

#[test]
fn the_doctor_tells_steps_and_what_this_machine_holds() {
    let place = Place::new();
    place.config(&format!(
        "[providers.inner]\ncommand = '{}'\n[providers.none]\ncommand = '/no/such'\n",
        env!("CARGO_BIN_EXE_lonis")
    ));
    let run = place.run(&["--mode", "json", "providers", "doctor"]);
    assert_eq!(run.error().kind().as_str(), "unavailable");
    let seen = run.json();
    let steps = seen["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 5, "{seen}");
    assert_eq!(steps[4]["error"]["kind"], "unavailable");
    let machine = &seen["machine"];
    assert!(machine["backend"].is_string(), "{machine}");
    let session = &machine["mechanisms"][0];
    assert_eq!(
        (&session["mechanism"], &session["level"]),
        (&"session".into(), &"group".into())
    );
    for mechanism in machine["mechanisms"].as_array().unwrap() {
        // What claims the tree has ended what left its session; what cannot be had says why.
        let claims = mechanism["level"] == "tree";
        assert_eq!(claims, mechanism["ends_escaped"] == true, "{mechanism}");
        assert_ne!(
            mechanism["level"].is_string(),
            mechanism["refused"].is_string()
        );
    }
    for bound in machine["bounds"].as_array().unwrap() {
        assert_ne!(
            bound["enforced_by"].is_string(),
            bound["refused"].is_string(),
            "{bound}"
        );
    }
    let one = place
        .run(&["--mode", "json", "providers", "doctor", "inner"])
        .ok();
    assert!(one.json()["machine"].is_null());
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
