//! Each misuse of a derive is one compile error, at the token that is wrong, with a text of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The compiler whose messages are pinned.
const PINNED: &str = env!("CARGO_PKG_RUST_VERSION");
/// Tells trybuild to write the texts rather than to compare them.
const BLESSES: &str = "TRYBUILD";

#[test]
fn each_misuse_is_refused_where_it_stands() {
    if compiler_is_pinned() {
        trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
    } else if env::var_os(BLESSES).is_some() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
        let cases = trybuild::TestCases::new();
        for case in copied(&folder) {
            cases.compile_fail(case);
        }
    } else {
        // Another compiler words its own part of a message differently. On copies whose texts are written anew, a case
        // has to fail and no more.
        let status = itself().env(BLESSES, "overwrite").status();
        assert!(status.expect("a test can start itself").success());
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test starts itself with another environment"
)]
fn itself() -> Command {
    let mut command = Command::new(env::current_exe().expect("a test has a file"));
    command.args(["--exact", "ui::each_misuse_is_refused_where_it_stands"]);
    command
}

fn copied(folder: &Path) -> Vec<PathBuf> {
    fs::create_dir_all(folder).expect("the target folder can be written");
    let mut copies = Vec::new();
    for entry in fs::read_dir("tests/ui").expect("a test runs in the folder of its crate") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let copy = folder.join(path.file_name().expect("an entry has a name"));
            fs::copy(&path, &copy).expect("the target folder can be written");
            copies.push(copy);
        }
    }
    copies
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test asks the compiler for its version"
)]
fn compiler_is_pinned() -> bool {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        .arg("--version")
        .output()
        .expect("what built this test can be started");
    let version = String::from_utf8_lossy(&output.stdout);
    let number = version.split_whitespace().nth(1).unwrap_or_default();
    number.starts_with(&format!("{PINNED}."))
}
