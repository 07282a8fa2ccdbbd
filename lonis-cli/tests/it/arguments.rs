//! Usage errors are errors like all others: structured, on stderr, with the code of their kind.

use crate::program::Place;

#[test]
fn every_failure_is_one_error_in_machine_modes() {
    let place = Place::new();
    let cases: &[(&[&str], &str, i32)] = &[
        (&["tools", "describe", "no:such"], "not_found", 3),
        (
            &["tools", "describe", "lonis:builtin:nothing"],
            "not_found",
            3,
        ),
        (&["schema", "nothing"], "not_found", 3),
        (&["call", "no:such", "{}"], "not_found", 3),
        (&["call", "lonis:builtin:echo", "{"], "invalid_input", 2),
        (&["call", "lonis:builtin:echo", "1 2"], "invalid_input", 2),
        (
            &["call", "lonis:builtin:echo", r#"{"a":1,"\u0061":2}"#],
            "invalid_input",
            2,
        ),
        (
            &["call", "lonis:builtin:echo", "@/no/such/file"],
            "invalid_input",
            2,
        ),
        (&["call", "lonis:builtin:echo", "@/"], "invalid_input", 2),
        (&["conform", "/no/such/provider"], "unavailable", 6),
        (&["conform", "/"], "unavailable", 6),
        (&["call", "lonis:builtin:echo", "null"], "bad_input", 2),
        (
            &["call", "lonis:builtin:echo", "{}", "--timeout", "0"],
            "invalid_input",
            2,
        ),
        (
            &["call", "lonis:builtin:echo", "{}", "--timeout", "soon"],
            "invalid_input",
            2,
        ),
        (
            &["call", "lonis:builtin:echo", "{}", "--env", "=x"],
            "invalid_input",
            2,
        ),
        (
            &[
                "call",
                "lonis:builtin:echo",
                "{}",
                "--env",
                "NOT_SET_ANYWHERE",
            ],
            "invalid_input",
            2,
        ),
        (&["call"], "invalid_input", 2),
        (&["--frob"], "invalid_input", 2),
        (&["tools", "lits"], "invalid_input", 2),
        (&["tools"], "invalid_input", 2),
        (&["frobnicate"], "invalid_input", 2),
        (&[], "invalid_input", 2),
        (
            &["validate", "--as", "nothing", "/dev/null"],
            "not_found",
            3,
        ),
        (&["conform", "nobody"], "not_found", 3),
        (&["providers", "doctor", "nobody"], "not_found", 3),
        (&["providers", "remove", "nobody"], "not_found", 3),
        (&["trust"], "not_found", 3),
    ];
    for mode in ["json", "ndjson"] {
        for (words, kind, code) in cases {
            for words in [
                [&["--mode", mode], *words].concat(),
                [*words, &["--mode", mode]].concat(),
            ] {
                let run = place.run(&words);
                assert_eq!(
                    (run.error().kind().as_str(), run.code),
                    (*kind, *code),
                    "{words:?}: {run:?}"
                );
                assert!(
                    run.stdout.is_empty() || words.contains(&"conform"),
                    "{words:?}: {run:?}"
                );
            }
        }
    }
}

#[test]
fn an_unknown_mode_is_a_usage_error_too() {
    let place = Place::new();
    let run = place.run(&["--mode", "xml", "tools", "list"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: invalid_input: "), "{run:?}");
}

#[test]
fn help_and_version_are_results() {
    let place = Place::new();
    for words in [
        &["--help"][..],
        &["-h"],
        &["help"],
        &["call", "--help"],
        &["help", "call"],
    ] {
        let run = place.run(words).ok();
        assert!(run.stdout.contains("Usage: lonis"), "{words:?}: {run:?}");
    }
    let version = place.run(&["--version"]).ok();
    assert_eq!(
        version.stdout,
        format!("lonis {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn what_was_meant_is_suggested() {
    let place = Place::new();
    for (words, hint) in [
        (&["tols"][..], "did you mean `tools`?"),
        (&["tools", "lits"], "did you mean `list`?"),
        (&["call", "lonis:builtin:eco", "1"], "the builtins are"),
        (&[], "the commands are tools, call, "),
        (
            &["tools"],
            "a command of `tools` is missing\nhint: the commands are list, search, describe; `lonis help tools COMMAND`",
        ),
        (
            &["--mode=human", "providers"],
            "the commands are list, add, remove, doctor",
        ),
        (&["--frob"], "`lonis help` lists the commands"),
        (&["tools", "describe"], "`lonis help tools describe` tells"),
        (
            &["call", "a:b", "--max-stdout", "1KB"],
            "`lonis help call` tells its arguments",
        ),
    ] {
        let run = place.run(words);
        assert!(run.stderr.contains(hint), "{words:?}: {run:?}");
    }
}

#[test]
fn a_completion_script_is_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let run = Place::new().run(&["completions", shell]).ok();
        assert!(run.stdout.contains("lonis"), "{shell}");
    }
}

#[test]
fn a_limit_that_cannot_be_is_told_by_its_option() {
    let place = Place::new();
    for words in [
        &["call", "lonis:builtin:echo", "{}"][..],
        &["map", "lonis:builtin:echo"],
    ] {
        let words = [&["--mode", "json"], words, &["--timeout", "0"]].concat();
        let run = place.run_with_stdin(&words, b"1\n");
        let message = run.fails("invalid_input", 2).message().to_owned();
        assert_eq!(message, "`--timeout` is 0, allowed are 1 to 86400000");
    }
}
