//! Projects whose specs name programs, and what their runs leave.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::job_root::{Root, checker};
use crate::program::Run;

/// What the program says where the machine gives no namespaces.
pub(crate) const NO_NAMESPACES: &str = "the network cannot be closed off here";

/// Writes the spec of a function with a case or two and further blocks.
pub(crate) fn spec(name: &str, signature: &str, blocks: &str) -> String {
    format!(
        "---\nname: {name}\n---\n\nSays something.\n\n```soil-sig\n{name} : {signature}\n```\n\n{blocks}"
    )
}

/// Makes a file of a project executable.
pub(crate) fn executable(root: &Root, path: &str, text: &str) {
    root.write(path, text);
    let path = root.path().join(path);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is the test's own");
}

/// Runs the program in a root, with the programs of this machine; none where the machine cannot close the network off.
#[expect(clippy::print_stdout, reason = "a test says what it skips")]
pub(crate) fn run(root: &Root, words: &[&str]) -> Option<Run> {
    let mut command = checker(&root.path(), words);
    command.env("PATH", std::env::var_os("PATH").expect("there is one"));
    command.env("SECRET_OF_THE_CALLER", "x");
    let run = Run::of(command.output().expect("it starts"));
    assert_none_left(&root.path());
    if run.stdout.contains(NO_NAMESPACES) || run.stderr.contains(NO_NAMESPACES) {
        println!("skipped: {NO_NAMESPACES}");
        return None;
    }
    Some(run)
}

/// Runs `test` with the document as its answer, and gives that of the first definition.
pub(crate) fn tested(root: &Root, words: &[&str]) -> Option<Value> {
    let run = run(root, &[&["test", "--json"], words].concat())?;
    assert_eq!(run.stderr, "", "{run:?}");
    let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let definition = document["definitions"][0].clone();
    let rows = definition["cases"].as_array();
    let is_whole = definition["errors"].is_null();
    let is_good = rows.filter(|_| is_whole).is_some_and(|rows| {
        rows.iter()
            .all(|row| row["result"] == "pass" || row["result"] == "xfail")
    });
    assert_eq!(run.code, i32::from(!is_good), "{run:?}");
    Some(definition)
}

/// Says that no process of this machine stands in a folder.
pub(crate) fn assert_none_left(folder: &Path) {
    let processes = fs::read_dir("/proc").expect("there is one");
    for process in processes.flatten() {
        // One that is over or of another user has no folder that could be read.
        let Ok(stands) = fs::read_link(process.path().join("cwd")) else {
            continue;
        };
        assert_ne!(stands, folder, "{} is left", process.path().display());
    }
}
