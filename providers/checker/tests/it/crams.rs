//! Shell sessions of specs.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::job_root::{Root, checker};
use crate::outside::{assert_none_left, run, spec, tested};

const HALF: &str = "half : (x : I64) -> panic I64\nhalf x = x / 2\n";

/// Makes a project of `m/half` with one session.
fn half(info: &str, session: &str) -> Root {
    let blocks = format!("```cram {info}\n{session}```\n");
    Root::new(&[
        (
            "m/half.tr",
            &spec("half", "(x : I64) -> panic I64", &blocks),
        ),
        ("m/half.soil", HALF),
    ])
}

/// Runs a session, and gives for each command its result with what came instead.
fn results(info: &str, session: &str) -> Option<Vec<(String, Value)>> {
    let definition = tested(&half(info, session), &["--real"])?;
    let rows = definition["cases"].as_array();
    let rows = rows.unwrap_or_else(|| panic!("{definition}"));
    let name = info.split(' ').next().expect("a name");
    let named = rows.iter().enumerate().map(|(index, row)| {
        assert_eq!(row["name"], format!("{name}#{}", index + 1));
        let result = row["result"].as_str().expect("a word").to_owned();
        (result, row["details"]["value"]["actual"].clone())
    });
    Some(named.collect())
}

#[test]
fn commands_that_say_what_they_have_to_pass() {
    let sessions = [
        // One folder, one shell, standard output and errors together.
        "$ pwd > ../here && x=5 && ls\n$ echo $x; echo bad >&2; echo good\n5\nbad\ngood\n",
        "with file \"a/b/c.txt\" = \"one\\n\"\nwith file \"q.txt\" = \"it's 100%\\t\\\\n \\u0000\\u00e9\\n\"\n\
         $ cat a/b/c.txt; ls -A\none\na\nq.txt\n$ printf \"it's 100%%\\t\\\\\\\\n \\0\\303\\251\\n\" | cmp - q.txt\n",
        // What looks like an option is content.
        "with file \"a\" = \"-%\\n\"\nwith file \"b\" = \"--help\\n\"\nwith file \"c\" = \"-\"\n$ cat a b c; echo\n-%\n--help\n-\n",
        // A status ends the output, so blank lines behind it are none; others are output as any line.
        "$ false\n[1]\n\n$ sh -c 'echo out; exit 7'\nout\n[7]\n\n\n$ echo; echo; (exit 3)\n\n\n[3]\n",
        "$ echo a; echo\na\n\n$ echo\n\n$ printf '\\n\\n'\n\n\n",
        // Definitions of the project, wherever the session stands.
        "$ cd / && trellis call half 9\n4\n$ trellis call m/half -- -9\n-5\n$ trellis call m/half -9\n-5\n",
        "$ trellis call half 1 2>/dev/null >&2\n$ trellis call half 2>/dev/null\n[2]\n$ test -f \"$TRELLIS_ROOT/soil.toml\"\n",
        // Nothing to read, nothing of the caller.
        "$ cat\n$ echo \"[$SECRET_OF_THE_CALLER$lonis_script]\"\n[]\n$ ls -A \"$TMPDIR\"\n",
        "$ echo 'a quote'\"'\"' and a $dollar' # and no more\na quote' and a $dollar\n",
        "$ sleep 600 & echo started\nstarted\n$ (setsid sleep 600 &)\n",
        "$ printf 'x' && echo\nx\n$ printf '\\n\\nx\\n\\n'\n\n\nx\n\n$ echo last\nlast\n",
    ];
    for session in sessions {
        let Some(results) = results("c", session) else {
            return;
        };
        for (result, actual) in &results {
            assert_eq!(result, "pass", "{actual} {session}");
        }
    }
}

#[test]
fn what_comes_instead_is_shown() {
    let pass = || ("pass".to_owned(), Value::Null);
    let fail = |actual: &str| ("fail".to_owned(), json!(actual));
    let cases = [
        ("$ echo b\na\n", vec![fail("b\n")]),
        ("$ printf a\na\n", vec![fail("a(no line end)\n")]),
        (
            "$ echo a; false\na\n$ echo b\nb\n",
            vec![fail("a\n[1]\n"), pass()],
        ),
        ("$ true\n[2]\n", vec![fail("")]),
        ("$ echo a\na\n\n$ true\n\n", vec![fail("a\n"), fail("")]),
        ("$ printf '\\377\\n'\n\u{fffd}\n", vec![fail("\u{fffd}\n")]),
        (
            "$ echo a; exit 3\na\n[3]\n$ echo b\nb\n",
            vec![
                fail("a\n(the shell ended with status 3)"),
                fail("(not run: the shell had ended)"),
            ],
        ),
        ("$ exit\n", vec![fail("(the shell ended here)")]),
        (
            "$ kill -9 $$\n",
            vec![fail("(the shell ended with SIGKILL)")],
        ),
        (
            "$ yes\n$ true\n",
            vec![fail("…"), fail("(not run: the shell had ended)")],
        ),
    ];
    for (session, expected) in cases {
        let Some(results) = results("c", session) else {
            return;
        };
        for (result, expected) in results.iter().zip(&expected) {
            if expected.1 == "…" {
                let actual = result.1.as_str().expect("a text");
                let end = "(stdout is over its limit of 4194304 bytes)";
                assert!(actual.ends_with(end), "{}", &actual[actual.len() - 80..]);
            } else {
                assert_eq!(result, expected, "{session}");
            }
        }
        assert_eq!(results.len(), expected.len(), "{session}");
    }
}

#[test]
fn a_session_that_has_to_fail_may() {
    let session = "$ echo b\na\n$ echo b\nb\n";
    let Some(results) = results("c xfail", session) else {
        return;
    };
    let words: Vec<&str> = results.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(words, ["xfail", "xpass"]);
}

#[test]
fn a_command_that_does_not_read_hides_no_other() {
    let Some(results) = results("c", "$ echo 'open\n$ echo b\nb\n") else {
        return;
    };
    let first = results[0].1.as_str().expect("it fails");
    assert!(
        first.contains("nterminated") || first.contains("unexpected EOF"),
        "{first}"
    );
}

#[test]
fn files_that_cannot_stand_together_fail_every_command() {
    let session = "with file \"a\" = \"\"\nwith file \"a/b\" = \"\"\n$ true\n$ true\n";
    let Some(results) = results("c", session) else {
        return;
    };
    assert_eq!(results.len(), 2);
    for (result, _) in &results {
        assert_eq!(result, "fail");
    }
    let first = results[0].1.as_str().expect("a text");
    assert!(
        first.contains('a') && first.contains("the shell ended with status"),
        "{first}"
    );
}

#[test]
fn sessions_run_only_where_they_are_asked_for() {
    let root = half("c", "$ echo ran > \"$TRELLIS_ROOT/ran\"\n");
    let Some(definition) = tested(&root, &[]) else {
        return;
    };
    assert_eq!(definition["cases"], json!([]));
    assert!(!root.has("ran"));
    let refreshed = run(&root, &["refresh"]).expect("nothing runs");
    assert_eq!(refreshed.code, 0, "{refreshed:?}");
    assert!(!root.has("ran"));
    let lock: Value = serde_json::from_str(&root.read("m/half.lock")).expect("it is JSON");
    assert_eq!(lock["tests"], json!([]));
    if tested(&root, &["--real"]).is_some() {
        assert!(root.has("ran"));
    }
    // Nor are they in a bundle.
    let folder = root.path().join("out");
    let packed = run(
        &root,
        &["context", "half", "--budget", "20000", "--out", "out"],
    );
    assert_eq!(packed.expect("nothing runs").code, 0);
    let tests = std::fs::read_to_string(folder.join("tests.json")).expect("it is there");
    assert_eq!(tests, "{\"cases\":[]}\n");
}

#[test]
fn trellis_has_one_command() {
    let Some(results) = results("c", "$ trellis\n$ trellis check\n$ trellis call nothing\n") else {
        return;
    };
    for (result, actual) in &results {
        let actual = actual.as_str().expect("it fails");
        assert_eq!(result, "fail");
        assert!(
            actual.starts_with("error[usage]: ") && actual.ends_with("[2]\n"),
            "{actual}"
        );
    }
}

#[test]
fn a_signal_ends_what_runs_before_the_program() {
    // Each side waits for the other by a pipe: the session says that all of it runs, and its silence that none does.
    let session = "$ cd \"$TRELLIS_ROOT\"\n$ (setsid sh -c 'sleep 600 & wait' &) ; sleep 600 & echo up > up; wait\n";
    for signal in [Signal::INT, Signal::TERM] {
        let root = half("c", session);
        if tested(&half("c", "$ true\n"), &["--real"]).is_none() {
            return;
        }
        let pipe = root.path().join("up");
        mkfifoat(CWD, &pipe, Mode::RWXU).expect("it is made");
        let mut command = checker(&root.path(), &["test", "--real"]);
        command.env("PATH", std::env::var_os("PATH").expect("there is one"));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        assert_eq!(std::fs::read_to_string(&pipe).expect("it is read"), "up\n");
        let pid = Pid::from_child(&child);
        kill_process(pid, signal).expect("it is a child");
        let status = child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(signal.as_raw()));
        assert_none_left(&root.path());
    }
}
