//! What holds an obligation: one broken promise for each limit, and nothing that outlives the run.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{Root, code_of};

/// Runs one obligation, and gives its result and the entry of its code.
fn ran(argv: &[&str], keys: &str) -> (Value, Value) {
    let policy =
        format!("version = 1\n\n[[obligation]]\nname = \"held\"\nargv = {argv:?}\n{keys}\n");
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", &policy)]);
    root.passes(&["begin", "s"]);
    let (code, envelope) = root.run(&["test", "s"], &Value::Null);
    let result = envelope["data"]["results"][0].clone();
    assert_eq!(code == 0, result["ok"] == true, "{envelope}");
    let own = result["code"].as_str();
    // What could not be started comes first, before the run.
    let first = match own {
        Some("obligation/unavailable") => (6, "obligation/unavailable"),
        _ => (30, "session/obligations-failed"),
    };
    if code != 0 {
        assert_eq!((code, code_of(&envelope)), first);
    }
    let mut entries = envelope["diagnostics"].as_array().unwrap().iter();
    let entry = entries.find(|entry| entry["code"].as_str() == own).cloned();
    (result, entry.unwrap_or_default())
}

fn misbehave() -> &'static str {
    misbehave::program().to_str().unwrap()
}

#[test]
fn each_limit_has_its_code_its_value_and_what_held_it() {
    let mode = misbehave();
    for (argv, key, code, member) in [
        (
            &["sleep", "millis=600000"][..],
            "timeout_millis = 400",
            "obligation/timeout",
            "wall",
        ),
        (
            &["flood", "stream=stdout"],
            "max_stdout_bytes = 1000",
            "obligation/output-limit",
            "output",
        ),
        (
            &["flood", "stream=stderr"],
            "max_stderr_bytes = 1000",
            "obligation/output-limit",
            "output",
        ),
        (
            &["cpu", "millis=600000"],
            "max_cpu_millis = 200",
            "obligation/resource",
            "cpu",
        ),
        (
            &["memory", "millis=600000"],
            "max_memory_bytes = 67108864",
            "obligation/resource",
            "memory",
        ),
        (
            &["processes", "millis=600000"],
            "max_processes = 8",
            "obligation/resource",
            "processes",
        ),
        (
            &["big-file"],
            "max_file_bytes = 1048576",
            "obligation/resource",
            "file_size",
        ),
    ] {
        let argv = [&[mode], argv].concat();
        let (result, entry) = ran(&argv, key);
        assert_eq!(result["code"], code, "{argv:?}: {result}");
        assert_eq!(entry["code"], code, "{argv:?}");
        let limit: u64 = key.rsplit(' ').next().unwrap().parse().unwrap();
        assert_eq!(entry["parameters"]["limit"], limit, "{argv:?}: {entry}");
        assert_ne!(
            result["enforcement"][member], "unavailable",
            "{argv:?}: {result}"
        );
        let name = key.split(' ').next().unwrap();
        assert_eq!(result["limits"][name], limit, "{argv:?}");
    }
}

#[test]
fn an_end_of_its_own_is_told_as_it_was() {
    let mode = misbehave();
    let (result, entry) = ran(&[mode, "exit", "code=5"], "");
    assert_eq!(
        (&result["code"], &result["exit"]),
        (&json!("obligation/exit-status"), &json!(5))
    );
    assert_eq!(entry["parameters"]["expected"], json!([0]));
    let (result, _) = ran(&[mode, "exit", "code=5"], "expected_exit = [4, 5]");
    assert_eq!((&result["ok"], &result["exit"]), (&json!(true), &json!(5)));
    let (result, entry) = ran(&[mode, "die", "signal=9"], "");
    assert_eq!(
        (&result["code"], &result["signal"]),
        (&json!("obligation/signal"), &json!(9))
    );
    assert_eq!(
        (&result["exit"], &entry["parameters"]["signal"]),
        (&Value::Null, &json!(9))
    );
    let (result, entry) = ran(&["no-such-program-anywhere"], "");
    assert_eq!(result["code"], "obligation/unavailable");
    assert_eq!(result["tool"]["blake3"], Value::Null);
    assert_eq!(entry["parameters"]["command"], "no-such-program-anywhere");
}

/// A process that leaves its session writes its number down; nothing waits for it.
#[test]
fn what_leaves_its_session_does_not_outlive_the_run() {
    let outside = tempfile::tempdir().unwrap();
    let told = outside.path().join("pid");
    let script = format!(
        "setsid sh -c 'echo $$ > {told}.new; mv {told}.new {told}; exec sleep 86399' >/dev/null 2>&1 </dev/null & \
         while [ ! -e {told} ]; do sleep 0.02; done",
        told = told.display()
    );
    let temporary = format!("env = {{ TMPDIR = \"{}\" }}", outside.path().display());
    let (result, _) = ran(&["sh", "-c", &script], &temporary);
    assert_eq!(result["ok"], true, "{result}");
    let pid = fs::read_to_string(&told).unwrap();
    let held = result["enforcement"]["processes"].as_str().unwrap();
    let is_alive = fs::read(Path::new("/proc").join(pid.trim()).join("cmdline"))
        .is_ok_and(|words| words.windows(5).any(|window| window == b"86399"));
    if held.contains("child-subreaper") || held.contains("control-group") {
        assert!(!is_alive, "{held}");
    } else {
        // The evidence says that nothing here reaches it.
        assert_eq!(held, "session");
        let _ = std::process::Command::new("kill").arg(pid.trim()).status();
    }
}
