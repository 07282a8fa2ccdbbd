//! The other programs of this repository, which a test of this one needs too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::program::PROGRAM;

/// Gives the path of a program, built first if need be: cargo builds no program of another package for a test.
pub(crate) fn program(name: &str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let package = match name {
        "lonis-session" => return PROGRAM.into(),
        "lonis" => "lonis-cli",
        name => name,
    };
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let path = built
        .entry(name.to_owned())
        .or_insert_with(|| build(package, name));
    path.clone()
}

fn build(package: &str, name: &str) -> PathBuf {
    let profile = Path::new(PROGRAM).parent().expect("a folder");
    let target = profile.parent().expect("a folder");
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo
        .args(["build", "--quiet", "--package", package, "--bin", name])
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo
        .status()
        .expect("cargo starts, since it started this test");
    assert!(status.success(), "`{name}` does not build: {status}");
    profile.join(name)
}
