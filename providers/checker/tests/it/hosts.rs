//! The program as a host meets it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{Run, examples, texts_below};

fn checker(words: &[&str]) -> Run {
    checker_in(&examples(), words)
}

fn checker_in(folder: &Path, words: &[&str]) -> Run {
    let program = env!("CARGO_BIN_EXE_lonis-checker");
    let output = Command::new(program)
        .args(words)
        .current_dir(folder)
        .output();
    Run::of(output.expect("the program starts"))
}

#[test]
fn a_host_gets_a_manifest() {
    for words in [&["manifest"][..], &["--mode", "json", "manifest"]] {
        let run = checker(words);
        let manifest: serde_json::Value = serde_json::from_str(run.answer()).expect("it is JSON");
        assert_eq!(manifest["name"], "checker");
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(manifest["contract"], "trellis-daemon/1");
        assert_eq!(manifest["languages"], serde_json::json!(["soil"]));
    }
    assert_eq!(checker(&["call", "nothing"]).code, 3);
    assert_eq!(checker(&[]).code, 2);
}

#[test]
fn a_host_is_told_how_long_tools_may_take() {
    let run = checker(&["--mode", "json", "tools", "list"]);
    let list: serde_json::Value = serde_json::from_str(run.answer()).expect("it is JSON");
    let entries = list["tools"].as_array().expect("a list");
    let of = |name: &str| {
        let entry = entries
            .iter()
            .find(|entry| entry["name"] == name)
            .expect(name);
        let number = |key: &str| entry[key].as_u64();
        (
            number("suggested_timeout_millis"),
            number("suggested_stdout_bytes"),
        )
    };
    let large = Some(4 << 20);
    assert_eq!(of("trellis.run_tests"), (Some(120_000), large));
    assert_eq!(of("trellis.check_types"), (Some(30_000), None));
    assert_eq!(of("checker.check"), (Some(30_000), None));
    assert_eq!(of("trellis.read_context"), (Some(10_000), large));
    assert_eq!(of("checker.search"), (Some(10_000), None));
}

#[test]
fn a_host_that_asks_for_what_is_not_there_gets_an_error_of_a_tool() {
    let run = checker(&["--mode", "json", "no-such-command"]);
    let error: serde_json::Value = serde_json::from_str(&run.stderr).expect("one error");
    assert_eq!(
        (run.code, &error["kind"]),
        (2, &serde_json::json!("invalid_input"))
    );
}

/// Gives a command line with words at every place between two of its own.
fn with_words_anywhere<'w>(words: &[&'w str], added: &[&'w str]) -> Vec<Vec<&'w str>> {
    let places = 0..=words.len();
    places
        .map(|place| [&words[..place], added, &words[place..]].concat())
        .collect()
}

#[test]
fn a_mode_counts_wherever_it_stands() {
    // Some of the commands would write.
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in texts_below(&examples()) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        fs::write(path, text).expect("it is written");
    }
    let checker = |words: &[&str]| checker_in(folder.path(), words);
    let out = tempfile::tempdir().expect("a folder");
    let out = out.path().join("bundle");
    let out = out.to_str().expect("a text");
    let commands = [
        &["check"][..],
        &["check", "rejected"],
        &["check", "no-such-module"],
        &["test", "clamp"],
        &["run", "clamp", "0", "10", "77"],
        &["status"],
        &["spec", "soil-syntax-spec#1"],
        &["spec", "no-such-reference"],
        &["skill"],
        &["context", "clamp", "--budget", "1", "--out", out],
        &["answer", "clamp", "--text", "x"],
        &["accept", "no-such-definition"],
        &["refresh", "no-such-definition"],
        &["job", "list"],
        &["job", "show", "no-such-job"],
        &["job", "close", "no-such-job"],
        &["job", "charge", "no-such-job", "--micros", "1"],
        &["job", "open", "no-such-definition"],
        &["soil", "print", "sensors/clamp.soil"],
        &["soil", "check", "rejected.json"],
    ];
    for words in commands {
        let is_soil = words[0] == "soil";
        let (json, human) = if is_soil {
            (checker(words), checker(&[words, &["--human"]].concat()))
        } else {
            (checker(&[words, &["--json"]].concat()), checker(words))
        };
        for (added, expected) in [
            (&["--mode", "json"][..], &json),
            (&["--mode=ndjson"], &json),
            (&["--mode=human"], &human),
            (&["--json"], &json),
        ] {
            let mut lines = with_words_anywhere(words, added);
            if added.len() == 1 {
                // One way is tried everywhere, the others in front and at the end.
                lines = vec![lines[0].clone(), lines[words.len()].clone()];
            }
            for line in lines {
                // What stands behind an option is its value.
                let is_apart = line.windows(2).any(|pair| {
                    ["--text", "--budget", "--out", "--micros"].contains(&pair[0])
                        && pair[1].starts_with("--")
                });
                if !is_apart {
                    assert_eq!(&checker(&line), expected, "{line:?}");
                }
            }
        }
        // Documents are read by programs, also those of refusals.
        let said = if json.code == 0 || json.stderr.is_empty() {
            &json.stdout
        } else {
            &json.stderr
        };
        if !is_soil || json.code != 0 {
            let read: Result<serde_json::Value, _> = serde_json::from_str(said);
            assert!(read.is_ok(), "{words:?}: {json:?}");
        }
        let is_for_hosts = words[0] == "job" && !["list", "show"].contains(&words[1]);
        assert!(
            human.stderr.is_empty() || is_for_hosts || human.stderr.starts_with("error["),
            "{words:?}: {human:?}"
        );
    }
}

#[test]
fn a_mode_that_is_none_and_words_that_do_not_read_are_refused_as_the_mode_says() {
    for (words, is_document) in [
        (&["--mode", "xml", "check"][..], false),
        (&["check", "--mode", "xml"], false),
        (&["check", "--mode"], false),
        (&["check", "--frob", "--mode", "json"], true),
        (&["--mode=json", "check", "--frob"], true),
        (&["--json", "chek"], true),
        (&["job", "open", "--frob"], true),
        (&["job", "list", "--frob"], false),
        (&["--mode=ndjson", "job", "list", "--frob"], true),
        (&["soil", "chek"], true),
        (&["--mode=human", "soil", "chek"], false),
    ] {
        let run = checker(words);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (2, ""),
            "{words:?}: {run:?}"
        );
        if is_document {
            let document: serde_json::Value =
                serde_json::from_str(&run.stderr).expect("it is JSON");
            assert_eq!(document["errors"][0]["code"], "usage", "{words:?}");
        } else {
            assert!(
                run.stderr.starts_with("error[usage]: "),
                "{words:?}: {run:?}"
            );
        }
    }
}

#[test]
fn an_input_that_is_malformed_ends_as_its_face_does() {
    // The language ends as compilers do, everything above it as tools of a provider.
    for (words, code) in [
        (&["soil", "check", "env.json"][..], 2),
        (&["run", "clamp", "0", "10", "x"], 1),
        (&["--json", "run", "clamp", "0", "10", "x"], 1),
    ] {
        let run = checker(words);
        assert_eq!(run.code, code, "{run:?}");
        assert!(run.stderr.contains("malformed-input"), "{run:?}");
    }
}

#[test]
fn words_behind_the_end_of_options_are_no_mode() {
    let run = checker(&["run", "clamp", "--", "-5", "5", "--mode=json"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.stderr.starts_with("error[malformed-input]: "),
        "{run:?}"
    );
}

#[test]
fn a_version_is_one_line() {
    assert_eq!(
        checker(&["--version"]).answer(),
        concat!("lonis-checker ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
