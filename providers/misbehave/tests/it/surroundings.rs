//! Facts and resources.

use std::os::unix::process::ExitStatusExt;

use serde_json::Value;

use crate::{command, run};

#[test]
fn facts_are_one_block() {
    let output = command(&["facts"])
        .env_clear()
        .env("ONLY", "this \"one\"")
        .output()
        .unwrap();
    let block: Value = serde_json::from_slice(&output.stdout).unwrap();
    let facts = &block["payload"]["data"]["output"];
    assert_eq!(
        facts["environment"],
        serde_json::json!({ "ONLY": "this \"one\"" })
    );
    assert_eq!(facts["arguments_hex"][1], "6661637473");
    assert!(facts["limits"]["open_files"]["hard"].as_u64().is_some());
    assert!(facts["umask"].as_str().is_some_and(|mask| mask.len() == 3));
}

#[test]
fn the_handshake_is_not_among_the_descriptors() {
    let handshake = misbehave::Handshake::new().unwrap();
    let descriptors = |arguments: &[&str]| {
        let block: Value = serde_json::from_slice(&run(arguments).stdout).unwrap();
        block["payload"]["data"]["output"]["descriptors"].clone()
    };
    let without = descriptors(&["facts"]);
    assert_eq!(without.as_array().unwrap()[..3], [0, 1, 2]);
    assert_eq!(descriptors(&["facts", &handshake.argument()]), without);
}

#[test]
fn a_file_shows_its_mode_and_path() {
    let handshake = misbehave::Handshake::new().unwrap();
    let output = command(&["make-file", "bytes=3"])
        .current_dir(handshake.folder())
        .output()
        .unwrap();
    let block: Value = serde_json::from_slice(&output.stdout).unwrap();
    let made = &block["payload"]["data"]["output"];
    assert_eq!(
        std::fs::read(made["path"].as_str().unwrap()).unwrap(),
        b"xxx"
    );
    assert!(made["mode"].as_str().unwrap().starts_with("06"));
}

#[test]
fn resources_are_used_up_as_far_as_asked() {
    let handshake = misbehave::Handshake::new().unwrap();
    for arguments in [
        &["memory", "bytes=2000000", "millis=0"][..],
        &["cpu", "millis=1", "children=1"],
        &["open-files", "count=20"],
        &["big-file", "bytes=100000"],
        &["fill", "count=2", "bytes=1000", "millis=0", "deleted=yes"],
        &["processes", "count=2", "millis=0"],
        &["open-tty"],
        &["connect"],
        &["make-file", "link=/nowhere"],
    ] {
        let output = command(arguments)
            .current_dir(handshake.folder())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }
    assert_eq!(
        handshake.folder().join("big").metadata().unwrap().len(),
        100_000
    );
    assert!(!handshake.folder().join("file-0").exists());
}

#[test]
fn refusals_have_codes_of_their_own() {
    // The shell sets the limits that a host would set.
    let limited = |limit: &str, mode: &str| {
        let script = format!("ulimit {limit}; exec \"$0\" {mode}");
        #[expect(
            clippy::disallowed_methods,
            reason = "a test of the fixture starts the fixture"
        )]
        let mut shell = std::process::Command::new("sh");
        let handshake = misbehave::Handshake::new().unwrap();
        shell
            .args(["-c", &script, env!("CARGO_BIN_EXE_misbehave")])
            .current_dir(handshake.folder());
        shell.output().unwrap().status
    };
    assert_eq!(limited("-v 300000", "memory").code(), Some(12));
    assert_eq!(limited("-n 64", "open-files").code(), Some(24));
    assert_eq!(limited("-f 8", "big-file").signal(), Some(25));
    assert_eq!(
        limited("-f 8", "big-file handle_signal=yes").code(),
        Some(27)
    );
    assert_eq!(run(&["half-line", "millis=0"]).status.code(), Some(0));
}
