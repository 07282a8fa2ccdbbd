//! The program as a host meets it.

use std::process::Command;

use crate::program::{Run, examples};

fn checker(words: &[&str]) -> Run {
    let program = env!("CARGO_BIN_EXE_lonis-checker");
    let output = Command::new(program)
        .args(words)
        .current_dir(examples())
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

#[test]
fn a_mode_that_is_handed_on_changes_nothing() {
    let words = ["soil", "print", "sensors/clamp.soil"];
    let plain = checker(&words);
    for mode in [&["--mode", "json"][..], &["--mode=human"]] {
        assert_eq!(checker(&[mode, &words].concat()), plain);
    }
    assert_eq!(
        checker(&["--version"]).answer(),
        concat!("lonis-checker ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
