//! Finding the executable from the tests of another crate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the `misbehave` program, built first if need be.
///
/// Cargo builds no program of a dependency, so the first call in a test process runs `cargo build` into the folder that
/// the test itself was built into. A program that is up to date costs a tenth of a second.
///
/// # Panics
/// Where the program cannot be built: no test that needs it could go on.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(build)
}

fn build() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    let profile_folder = test
        .ancestors()
        .find(|folder| folder.ends_with("debug") || folder.ends_with("release"))
        .expect("cargo builds tests below `debug` or `release`");
    let target_folder = profile_folder
        .parent()
        .expect("the profile folder stands in the target folder");
    #[expect(
        clippy::disallowed_methods,
        reason = "only tests call this, and what it starts is cargo"
    )]
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo
        .args([
            "build",
            "--quiet",
            "--package",
            "misbehave",
            "--bin",
            "misbehave",
            "--target-dir",
        ])
        .arg(target_folder)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile_folder.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo
        .status()
        .expect("cargo starts, since it started this test");
    assert!(status.success(), "`misbehave` does not build: {status}");
    profile_folder.join("misbehave")
}
