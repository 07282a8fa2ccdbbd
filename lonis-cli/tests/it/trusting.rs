//! A project file starts nothing until it is trusted, and only as long as it does not change.

use crate::program::Place;

const FILE: &str = "[tools.\"p:cat\"]\ndescription = 'copies'\ncommand = 'cat'\n";

#[test]
fn trust_is_given_shown_ended_and_lost() {
    let place = Place::new();
    let file = place.path("work/lonis.toml");
    std::fs::write(&file, FILE).unwrap();
    std::fs::create_dir(place.path("work/below")).unwrap();

    let before = place.run(&["--mode", "json", "call", "p:cat", "{}"]);
    let error = before.fails("not_found", 3);
    let details = error.details().unwrap().text().to_owned();
    assert!(
        details.contains("lonis trust") && details.contains("\"notes\""),
        "{details}"
    );

    let trusted = place.run(&["trust"]).ok();
    assert!(trusted.stdout.contains("p:cat: cat"), "{trusted:?}");
    let called = place.run(&["call", "p:cat", r#"{"a":1}"#]).ok();
    assert_eq!(called.stdout, "result: {\"stdout\":\"{\\\"a\\\":1}\"}\n");
    let below = place
        .command(&["call", "p:cat", "1"])
        .current_dir(place.path("work/below"))
        .output()
        .unwrap();
    assert!(below.status.success());
    assert_eq!(
        place
            .run(&["--mode", "json", "trust", "--list"])
            .ok()
            .json()["files"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    std::fs::write(&file, format!("{FILE}# changed\n")).unwrap();
    assert_eq!(place.run(&["call", "p:cat", "1"]).code, 3);
    place.run(&["trust"]).ok();
    place.run(&["call", "p:cat", "1"]).ok();
    place.run(&["trust", "--remove"]).ok();
    assert_eq!(place.run(&["call", "p:cat", "1"]).code, 3);
    place
        .run(&["--mode", "json", "trust", "--remove"])
        .fails("not_found", 3);
}

#[test]
fn a_file_with_an_error_is_not_trusted() {
    let place = Place::new();
    std::fs::write(place.path("work/lonis.toml"), "[providers.x]\n").unwrap();
    place
        .run(&["--mode", "json", "trust"])
        .fails("invalid_config", 2);
}

#[test]
fn a_file_that_is_not_trusted_stops_nothing_however_broken() {
    for text in [
        &b"[[["[..],
        b"\xff\xfe",
        b"[providers.x]\ncommand = 'x'\nunknown = 1\n",
    ] {
        let place = Place::new();
        std::fs::write(place.path("work/lonis.toml"), text).unwrap();
        let list = place.run(&["--mode", "json", "tools", "list"]);
        assert_eq!(list.code, 0, "{list:?}");
        assert!(list.stderr.contains("is not trusted"), "{list:?}");
    }
    let place = Place::new();
    let file = std::fs::File::create(place.path("work/lonis.toml")).unwrap();
    file.set_len(2 << 20).unwrap();
    let list = place.run(&["--mode", "json", "tools", "list"]);
    assert_eq!(list.code, 0, "{list:?}");
    assert!(list.stderr.contains("limit of 1048576"), "{list:?}");
}

#[test]
fn what_a_file_starts_is_shown_word_by_word() {
    let place = Place::new();
    std::fs::write(
        place.path("work/lonis.toml"),
        "[providers.x]\ncommand = ['rm', '-rf', \"a b\", \"x\\n  y: ls\", '']\n",
    )
    .unwrap();
    let shown = place.run(&["trust"]).ok().stdout;
    assert!(
        shown.contains("\n  x: rm -rf \"a b\" \"x\\n  y: ls\" \"\"\ntrusted "),
        "{shown}"
    );
}

#[test]
fn a_provider_added_to_a_new_project_file_is_trusted_at_once() {
    let place = Place::new();
    place
        .run(&[
            "providers",
            "add",
            "inner",
            env!("CARGO_BIN_EXE_lonis"),
            "--project",
        ])
        .ok();
    let list = place.run(&["--mode", "json", "providers", "list"]);
    assert_eq!(
        list.json()["providers"][0]["source"],
        "project file",
        "{list:?}"
    );
}

#[test]
fn a_provider_added_to_a_file_that_is_not_trusted_does_not_bring_it_into_force() {
    let place = Place::new();
    std::fs::write(place.path("work/lonis.toml"), FILE).unwrap();
    let add = |mode: &str| {
        let own = env!("CARGO_BIN_EXE_lonis");
        place.run(&["--mode", mode, "providers", "add", mode, own, "--project"])
    };
    for (mode, said) in [
        ("json", "is not trusted"),
        ("human", "note: the project file"),
    ] {
        let added = add(mode);
        assert!(added.code == 0 && added.stderr.contains(said), "{added:?}");
    }
    let error = add("json").fails("already_registered", 1);
    let hint = error.details().unwrap().to_value()["hint"].clone();
    assert_eq!(hint, "`lonis providers remove json --project` takes it out");
    assert_eq!(place.run(&["call", "p:cat", "1"]).code, 3);
    place.run(&["trust"]).ok();
    let removed = place.run(&["providers", "remove", "json", "--project"]);
    assert_eq!(removed.ok().stderr, "");
    assert_eq!(place.run(&["call", "p:cat", "1"]).code, 0);
}

#[test]
fn a_damaged_store_is_told_with_the_way_out() {
    let place = Place::new();
    std::fs::write(place.path("work/lonis.toml"), FILE).unwrap();
    place.run(&["trust"]).ok();
    let store = place.path("home/.local/state/lonis/trust.json");
    std::fs::write(&store, "{").unwrap();
    let error = place.run(&["--mode", "json", "trust"]).fails("io", 8);
    let hint = error.details().unwrap().to_value()["hint"].clone();
    assert!(hint.as_str().unwrap().contains("trust.json"), "{error:?}");
    std::fs::remove_file(&store).unwrap();
    place.run(&["trust"]).ok();
    place.run(&["call", "p:cat", "1"]).ok();
}

#[test]
fn what_is_only_shown_or_could_not_be_shown_is_not_trusted() {
    let place = Place::new();
    std::fs::write(place.path("work/lonis.toml"), FILE).unwrap();
    let shown = place.run(&["trust", "--show"]).ok();
    assert!(
        shown
            .stdout
            .ends_with("lonis.toml would start\n  p:cat: cat\n"),
        "{shown:?}"
    );
    let shown = place.run(&["--mode", "json", "trust", "--show"]).ok();
    assert_eq!(shown.json()["commands"][0]["name"], "p:cat", "{shown:?}");
    for mode in ["human", "json"] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = place
            .command(&["--mode", mode, "trust"])
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(8), "{output:?}");
    }
    let list = place.run(&["--mode", "json", "trust", "--list"]).ok();
    assert_eq!(list.json()["files"].as_array().unwrap().len(), 0);
    assert_eq!(place.run(&["call", "p:cat", "1"]).code, 3);
}
