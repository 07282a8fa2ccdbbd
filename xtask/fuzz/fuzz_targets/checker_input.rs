//! The laws of `providers/checker/tests/it/laws/tool.rs`, on what the fuzzer finds, with a job of this process.

#![no_main]

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs, process};

#[path = "../../../providers/checker/tests/it/laws/tool.rs"]
mod law;

const SPEC: &str = "---\nname: f\n---\n\nGives what it takes.\n\n```soil-sig\nf : (x : I64) -> I64\n```\n\n```test t\n(1) => 1\n```\n";

/// The job that all inputs are about.
static JOB: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = env::temp_dir().join(format!("lonis-fuzz-{}", process::id()));
    fs::create_dir_all(root.join("m")).expect("the folder is made");
    fs::write(root.join("soil.toml"), "").expect("it is written");
    fs::write(root.join("m/f.tr"), SPEC).expect("it is written");
    let mut words: Vec<OsString> = ["job", "open", "m/f", "--turns", "1000000000", "--wall-ms", "1000000000000", "--root"]
        .map(OsString::from)
        .to_vec();
    words.push(root.clone().into_os_string());
    lonis_checker::run(OsStr::new("lonis-checker"), &words);
    root.join(".lonis/jobs/m.f.1")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    law::check(&JOB, bytes);
});
