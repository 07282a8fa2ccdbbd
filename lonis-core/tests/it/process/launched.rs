//! Tools behind a launcher: what differs is that nothing can get away from it.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use lonis_core::limits::Bound;
use lonis_core::process::{
    self, Backend, HostDeath, Job, Level, Mechanism, ProcessError, Status, Stream, name_launcher,
};

use super::support::{
    Handshake, backend, eventually, in_own_process, limits, python, shell, within,
};
use super::tree::{NAMES, assert_level, ended_once_away, escapes};

/// Names the example that is a launcher; `false`, with the reason printed, where the machine gives no process numbers.
#[expect(clippy::print_stdout, reason = "a test says what it skips")]
fn has_launcher() -> bool {
    if !matches!(backend(), None | Some(Backend::Clone3)) {
        println!("skipped: the backend knows no namespaces");
        return false;
    }
    let own = std::env::current_exe().expect("this program has a path");
    let build = own.parent().and_then(|folder| folder.parent());
    let launcher = build.expect("cargo's folder").join("examples/launcher");
    assert!(launcher.exists(), "build `{}` first", launcher.display());
    name_launcher(launcher).expect("absolute");
    let probe = process::run(&shell(":"), []);
    let mechanism = probe.outcome.containment.expect("started").mechanism;
    if mechanism != Mechanism::PidNamespace {
        println!("skipped: `{mechanism}` takes the place of a PID namespace here");
    }
    mechanism == Mechanism::PidNamespace
}

#[test]
fn nothing_gets_away_from_a_launcher() {
    in_own_process(
        "process::launched::nothing_gets_away_from_a_launcher",
        || {
            if !has_launcher() {
                return;
            }
            let handshake = Handshake::new();
            let captured = ended_once_away(&escapes(&handshake, "time.sleep(100)"), &handshake);
            assert_level(&captured, Level::Tree, Mechanism::PidNamespace);
            assert_eq!(captured.outcome.left_behind, []);
            handshake.assert_ended(&NAMES);

            // A leader that leaves in good time, and what it leaves.
            let handshake = Handshake::new();
            let captured = within(Duration::ZERO, || {
                process::run(&escapes(&handshake, ""), [])
            });
            assert_eq!(captured.failure, None);
            assert!(captured.outcome.descendants_ended, "{captured:?}");
            handshake.assert_ended(&NAMES);

            // One of them holds a pipe.
            let captured = within(Duration::from_millis(250), || {
                process::run(&shell("sleep 100 & echo done"), [])
            });
            assert_eq!(
                (captured.failure, captured.stdout),
                (None, b"done\n".to_vec())
            );
            assert!(captured.outcome.descendants_ended);
            assert_eq!(captured.outcome.drain_cut, [Stream::Stdout, Stream::Stderr]);

            // And one that leaves nothing.
            let captured = process::run(&python("print(1)"), []);
            assert!(!captured.outcome.descendants_ended, "{captured:?}");
        },
    );
}

#[test]
fn a_launched_tool_ends_as_it_would_without() {
    in_own_process(
        "process::launched::a_launched_tool_ends_as_it_would_without",
        || {
            if !has_launcher() {
                return;
            }
            let status = |script: &str| process::run(&shell(script), []).outcome.status;
            assert_eq!(status("exit 3"), Some(Status::Exited(3)));
            assert_eq!(status("kill -SEGV $$"), Some(Status::Signaled(11)));
            assert_eq!(status("kill -PIPE $$"), Some(Status::Signaled(13)));
            // It is not the first process, so a deadline's TERM reaches it.
            let patient = [
                (Bound::TimeoutMillis, 300),
                (Bound::KillGraceMillis, 60_000),
            ];
            let slow = Job::new(&shell("exec sleep 100"))
                .with_limits(limits(&patient))
                .run();
            assert!(matches!(slow.failure, Some(ProcessError::Timeout { .. })));
            assert_eq!(slow.outcome.status, Some(Status::Signaled(15)));
            let handshake = Handshake::new();
            let captured = ended_once_away(&escapes(&handshake, "time.sleep(100)"), &handshake);
            assert_eq!(captured.outcome.status, Some(Status::Signaled(9)));
            // It gets three descriptors, its arguments and its input as they are.
            let script = "for n in /proc/self/fd/*; do [ -e \"$n\" ] && printf '%s ' \"${n##*/}\"; done; printf '[%s]' \"$@\"; cat";
            let told = shell(script).with_args(["sh", "a b", "", "--lonis-launch"]);
            let captured = process::run(&told, b"input".to_vec());
            let text = String::from_utf8(captured.stdout).expect("text");
            assert_eq!(text, "0 1 2 [a b][][--lonis-launch]input");
            let containment = captured.outcome.containment.expect("started");
            assert_eq!(containment.host_death, HostDeath::Tree);
        },
    );
}

#[test]
fn what_keeps_a_launched_tool_from_its_start_is_its_own() {
    in_own_process(
        "process::launched::what_keeps_a_launched_tool_from_its_start_is_its_own",
        || {
            if !has_launcher() {
                return;
            }
            let folder = tempfile::tempdir().expect("a folder");
            let script = folder.path().join("tool");
            let ways: [(&str, &str); 2] = [
                ("#!/nonexistent/interpreter\n", "interpreter"),
                ("garbage", ""),
            ];
            for (content, part) in ways {
                fs::write(&script, content).expect("written");
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
                fs::set_permissions(&script, mode).expect("its own file");
                let launched = process::run(&super::support::program(&script), []);
                let failure = launched.failure.expect("it is no program");
                assert!(
                    matches!(failure, ProcessError::Unavailable(_)),
                    "{failure:?}"
                );
                assert!(failure.to_string().contains(part), "{failure}");
                assert_eq!(launched.outcome.backend, None, "nothing was started");
            }
        },
    );
}

fn assert_not_used(test: &str, launcher: &str) {
    in_own_process(&format!("process::launched::{test}"), || {
        name_launcher(launcher).expect("absolute");
        let captured = process::run(&shell("exit 3"), []);
        assert_eq!(captured.outcome.status, Some(Status::Exited(3)));
        let mechanism = captured.outcome.containment.expect("started").mechanism;
        assert_ne!(mechanism, Mechanism::PidNamespace);
    });
}

#[test]
fn a_launcher_that_is_not_there_is_not_used() {
    assert_not_used(
        "a_launcher_that_is_not_there_is_not_used",
        "/nonexistent/launcher",
    );
}

#[test]
fn a_launcher_that_is_no_program_is_not_used() {
    assert_not_used("a_launcher_that_is_no_program_is_not_used", "/etc/passwd");
}

#[test]
fn a_program_that_is_no_launcher_is_not_used() {
    assert_not_used("a_program_that_is_no_launcher_is_not_used", "/bin/true");
}

#[test]
fn a_name_that_could_mean_two_launchers_is_refused() {
    for name in ["launcher", "./launcher", "/bin/a\0b"] {
        let refused = name_launcher(name).expect_err(name);
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
    }
}

#[test]
fn many_launched_calls_leave_nothing() {
    in_own_process(
        "process::launched::many_launched_calls_leave_nothing",
        || {
            if !has_launcher() {
                return;
            }
            // What waits for slow ends has some descriptors of its own, once for all calls.
            let kept = 12;
            let open = || fs::read_dir("/proc/self/fd").expect("there").count();
            let before = open();
            for _ in 0..50 {
                let captured = process::run(&shell("sleep 100 >/dev/null 2>&1 & exit 3"), []);
                assert_eq!(captured.outcome.status, Some(Status::Exited(3)));
                let mut running = Job::new(&shell("echo; sleep 100"))
                    .start()
                    .expect("started");
                assert!(running.next_chunk().expect("one line").is_some());
                drop(running);
            }
            let lists = || fs::read_dir("/proc/self/task").expect("there").flatten();
            let has_children = || {
                lists().any(|thread| {
                    fs::read_to_string(thread.path().join("children"))
                        .is_ok_and(|list| !list.is_empty())
                })
            };
            eventually("all is gone", || open() <= before + kept && !has_children());
        },
    );
}

#[test]
fn host_of_a_launched_tree() {
    let Some(folder) = std::env::var_os("LONIS_TEST_LAUNCHED") else {
        return;
    };
    if !has_launcher() {
        fs::write(PathBuf::from(folder).join("skipped"), "").expect("written");
        return;
    }
    let script = r#"
import os, sys, time
def announce(name):
    path = os.path.join(sys.argv[1], name)
    with open(path + ".new", "w") as file: file.write(os.readlink("/proc/self"))
    os.rename(path + ".new", path)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: announce("grandchild")
    time.sleep(100)
announce("leader")
time.sleep(100)
"#;
    process::run(&python(script).with_args([folder]), []);
}

#[test]
fn the_whole_tree_ends_with_a_host_that_is_killed() {
    let handshake = Handshake::new();
    let own = std::env::current_exe().expect("this program has a path");
    #[expect(
        clippy::disallowed_methods,
        reason = "the host under test is a process of its own"
    )]
    let mut host = std::process::Command::new(own)
        .args(["--exact", "process::launched::host_of_a_launched_tree"])
        .env("LONIS_TEST_LAUNCHED", handshake.path(""))
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    let is_there = |name: &str| handshake.path(name).exists();
    eventually("the tree is there", || {
        is_there("skipped") || is_there("leader") && is_there("grandchild")
    });
    host.kill().expect("ours");
    host.wait().expect("reaped");
    if !is_there("skipped") {
        handshake.assert_ended(&["leader", "grandchild"]);
    }
}
