//! Rows 1 to 14: who is started, who is ended, and what a child finds.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use lonis::limits::{Bound, Limits};
use lonis::process::{OtherChildren, Program, adopt_orphans};
use lonis::{Availability, Call, Json, StdoutMapping, SubprocessProvider, SubprocessTool, ToolId};
use misbehave::Handshake;
use serde_json::{Value, json};

use super::host::{DRAIN_MILLIS, Ends, Host, MEMORY_MIB, WAYS, Way, case, end, output, room, tool};
use crate::program::{Place, misbehave};

const LIMIT: Duration = Duration::from_mins(1);

#[test]
fn case_01_a_grandchild_on_the_pipe_holds_nothing_up() {
    case(MEMORY_MIB, |host| {
        host.both(
            &tool(&["hold-pipe"]).with_timeout_millis(1_000),
            Ends::timeout(1_000),
        );
    });
}

#[test]
fn case_02_a_leader_that_left_is_waited_for_no_longer_than_the_drain() {
    case(MEMORY_MIB, |host| {
        let held = tool(&["exit-held"]).with_timeout_millis(60_000);
        for ended in host.both(&held, Ends::well().within(DRAIN_MILLIS)) {
            assert_eq!(ended.blocks.len(), 1);
            assert!(ended.notes[0].contains("outlived"), "{:?}", ended.notes);
        }
    });
}

/// A string whose JSON takes so many bytes.
fn text_of(bytes: usize) -> Json {
    Json::from(Value::from("x".repeat(bytes - 2)))
}

#[test]
fn case_03_input_that_nobody_reads_is_no_fault_and_holds_nothing_up() {
    // The input itself is in the host's memory, once for the test and once for the call.
    case(MEMORY_MIB + 32, |host| {
        let input = text_of(10 << 20);
        for way in WAYS {
            let deaf = tool(&["ignore-stdin"]).with_timeout_millis(1_000);
            host.call(&deaf, way, Call::new(input.clone()), Ends::timeout(1_000));
            let gone = host.call(
                &tool(&["exit-unread"]),
                way,
                Call::new(input.clone()),
                Ends::well(),
            );
            assert_eq!(gone.blocks.len(), 1);
        }
    });
}

#[test]
fn case_04_both_directions_move_at_once() {
    case(MEMORY_MIB, |host| {
        let cat = tool(&["cat"])
            .with_mapping(StdoutMapping::Text)
            .with_max_stdout_bytes(4 << 20);
        let input = text_of(1 << 20);
        for way in WAYS {
            let ended = host.call(&cat, way, Call::new(input.clone()), Ends::well());
            assert!(ended.outputs()[0]["stdout"] == input.text(), "another text");
        }
    });
}

#[test]
fn case_05_discovery_runs_under_the_same_supervision() {
    case(MEMORY_MIB, |host| {
        let program = Program::new(misbehave()).with_args(["manifest=grandchild"]);
        let provider = SubprocessProvider::of_program(program).with_timeout_millis(1_500);
        host.does(Ends::timeout(1_500), || provider.manifest())
            .unwrap_err();
    });
}

#[test]
fn case_06_a_descendant_that_left_ends_where_the_level_says_so() {
    case(MEMORY_MIB, |host| {
        let run = |way| {
            let mut handshake = Handshake::new().unwrap();
            let family = tool(&["family", &handshake.argument()]).with_timeout_millis(2_500);
            host.call(&family, way, Call::new(Value::Null), Ends::timeout(2_500));
            assert_eq!(
                handshake.wait_for("leader", "ready", LIMIT).unwrap().line,
                "ready"
            );
            let escapee = handshake.wait_for("session", "started", LIMIT).unwrap().pid;
            // Without this the one that got away would be waited for as well.
            let grown_old = handshake.wait_gone(Duration::ZERO);
            (grown_old, escapee, handshake)
        };
        // A library host holds a group unless it says otherwise.
        for way in WAYS {
            let (_, escapee, mut handshake) = run(way);
            end(escapee);
            assert_eq!(handshake.wait_gone(room()), []);
        }
        adopt_orphans(OtherChildren::None).unwrap();
        for way in WAYS {
            let (_, _, mut handshake) = run(way);
            assert_eq!(handshake.wait_gone(room()), [], "the tree is claimed");
        }
    });
}

fn send(signal: &str, pid: u32) {
    let sent = std::process::Command::new("kill")
        .args([signal, &pid.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn case_07_a_signal_to_the_host_ends_its_tools() {
    case(MEMORY_MIB, |host| {
        for (name, number) in [("-TERM", 15), ("-INT", 2), ("-HUP", 1), ("-KILL", 9)] {
            for stream in [&[][..], &["--stream"]] {
                let mut handshake = Handshake::new().unwrap();
                let place = Place::new();
                place.config(&format!(
                    "[tools.\"t:hang\"]\ndescription = ''\ncommand = ['{}', 'hold-pipe', 'millis=60000', '{}']\n",
                    misbehave().display(),
                    handshake.argument()
                ));
                let words = [&["call", "t:hang", "{}", "--timeout", "60s"], stream].concat();
                let mut child = host.start(&mut place.command(&words));
                handshake.wait_for("grandchild", "ready", LIMIT).unwrap();
                let status = host.takes(1_000, || {
                    send(name, child.id());
                    child.wait().unwrap()
                });
                assert_eq!(
                    (status.signal(), status.code()),
                    (Some(number), None),
                    "{name}"
                );
                if number == 9 {
                    // A host that was killed takes its leader with it; the rest of the tree is nobody's any more.
                    let grandchild = handshake
                        .wait_for("grandchild", "ready", LIMIT)
                        .unwrap()
                        .pid;
                    let until = Instant::now() + room();
                    while handshake
                        .wait_gone(Duration::ZERO)
                        .iter()
                        .any(|(role, _)| role == "leader")
                    {
                        assert!(Instant::now() < until, "the leader outlived its host");
                    }
                    end(grandchild);
                }
                assert_eq!(handshake.wait_gone(room()), [], "{name} {stream:?}");
            }
        }
    });
}

#[test]
fn case_08_term_comes_first_and_the_grace_is_no_longer_than_it_has_to_be() {
    case(MEMORY_MIB, |host| {
        for way in WAYS {
            let mut handshake = Handshake::new().unwrap();
            // Long enough for a busy machine to tell it of TERM.
            let grace = Limits::new().with(Bound::KillGraceMillis, 3_000).unwrap();
            let deaf = tool(&["ignore-term", &handshake.argument()])
                .with_limits(grace)
                .with_timeout_millis(2_500);
            let ended = host.call(&deaf, way, Call::new(Value::Null), Ends::timeout(2_500));
            assert!(ended.elapsed >= Duration::from_millis(2_500));
            assert!(
                handshake
                    .heard()
                    .iter()
                    .any(|heard| heard.line == "signal 15")
            );

            let limits = Limits::new()
                .with(Bound::TimeoutMillis, 2_500)
                .and_then(|limits| limits.with(Bound::KillGraceMillis, 60_000))
                .unwrap();
            let polite = tool(&["leave-on-term"]).with_limits(limits);
            host.call(&polite, way, Call::new(Value::Null), Ends::timeout(2_500));
        }
    });
}

#[test]
fn case_09_the_end_of_the_output_is_not_the_end_of_the_call() {
    case(MEMORY_MIB, |host| {
        host.both(
            &tool(&["close-output"]).with_timeout_millis(2_500),
            Ends::timeout(2_500),
        );
    });
}

fn executable(path: &Path, text: impl AsRef<[u8]>) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn named(command: impl Into<std::ffi::OsString>) -> SubprocessTool {
    SubprocessTool::new(ToolId::new("t:named").unwrap(), command)
}

/// The same, whose private folder is made in this one.
fn named_in(command: &Path, temporary: &str) -> SubprocessTool {
    let program = Program::new(command).with_temporary(temporary);
    SubprocessTool::of_program(ToolId::new("t:named").unwrap(), program)
}

#[test]
fn case_10_a_relative_command_keeps_its_meaning() {
    case(MEMORY_MIB, |host| {
        let folder = tempfile::tempdir().unwrap();
        executable(&folder.path().join("tool"), "#!/bin/sh\nexit 0\n");
        std::env::set_current_dir(folder.path()).unwrap();
        let relative = named("./tool");
        for _ in 0..2 {
            assert_eq!(relative.availability(), Availability::Ready);
            host.both(&relative, Ends::well());
            std::env::set_current_dir("/").unwrap();
        }
    });
}

#[test]
fn case_11_what_is_not_there_is_unavailable_before_anything_is_started() {
    case(MEMORY_MIB, |host| {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        for (command, is_missing) in [
            ("lonis-no-such-tool".into(), true),
            (folder.path().join("missing"), true),
            (folder.path().to_owned(), false),
            (plain, false),
        ] {
            // Nothing can be started in a folder that cannot be made, so that nothing was.
            let tool = named_in(&command, "/nonexistent/folder");
            match tool.availability() {
                Availability::Missing { .. } => assert!(is_missing, "{}", command.display()),
                Availability::NotExecutable { .. } => assert!(!is_missing, "{}", command.display()),
                Availability::Ready => panic!("{} is ready", command.display()),
            }
            for ended in host.both(&tool, Ends::with("unavailable", 6)) {
                assert_eq!(ended.details()["failed_part"], "command");
            }
        }
        host.both(
            &named_in("sh".as_ref(), "/nonexistent/folder"),
            Ends::with("io", 8),
        );
    });
}

#[test]
fn case_12_the_error_names_the_part_that_failed() {
    case(MEMORY_MIB, |host| {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        executable(&at("script"), "#!/nonexistent/interpreter\n");
        executable(&at("garbage"), "garbage");
        let homeless = tool(&["echo"]).with_cwd("/nonexistent/folder");
        let cases = [
            (
                named(at("script")),
                ("unavailable", 6),
                "interpreter",
                "/nonexistent/interpreter",
            ),
            (homeless, ("io", 8), "cwd", "/nonexistent/folder"),
            (
                named(at("garbage")),
                ("unavailable", 6),
                "command",
                "garbage",
            ),
        ];
        for (tool, (kind, code), part, path) in cases {
            for ended in host.both(&tool, Ends::with(kind, code)) {
                assert_eq!(ended.details()["failed_part"], part);
                let error = ended.error.unwrap();
                assert!(error.message().contains(path), "{error}");
            }
        }
        // Where other formats are handed to interpreters, a look cannot tell.
        let formats = fs::read_dir("/proc/sys/fs/binfmt_misc").map_or(0, Iterator::count);
        let probed = named(at("garbage")).availability();
        assert!(matches!(probed, Availability::NotExecutable { .. }) || formats > 2);
    });
}

#[test]
fn case_13_a_child_gets_the_environment_that_was_declared() {
    case(MEMORY_MIB, |host| {
        assert!(std::env::var("SECRET_TOKEN").is_ok() && std::env::vars_os().count() > 2);
        let said = |tool: &SubprocessTool| {
            let ended = host.both(tool, Ends::well());
            ended.map(|ended| ended.outputs()[0]["environment"].clone())
        };
        for environment in said(&tool(&["facts"]).with_env([("DECLARED", "1")])) {
            let names: BTreeSet<&String> = environment.as_object().unwrap().keys().collect();
            assert_eq!(names.into_iter().collect::<Vec<_>>(), ["DECLARED", "PATH"]);
        }
        let listed = Program::new(misbehave())
            .with_args(["facts"])
            .with_passed_env("SECRET_TOKEN")
            .with_passed_env("NOT_SET_ANYWHERE")
            .with_path("/pinned");
        let listed = SubprocessTool::of_program(ToolId::new("t:listed").unwrap(), listed);
        for environment in said(&listed) {
            assert_eq!(
                environment,
                json!({"PATH": "/pinned", "SECRET_TOKEN": "hunter2"})
            );
        }
    });
}

#[test]
fn case_14_every_call_has_a_folder_and_bounds_of_its_own() {
    case(MEMORY_MIB, |host| {
        two_private_folders(host);
        let bounded = |mode: &[&str], bound, value| {
            tool(mode).with_limits(Limits::new().with(bound, value).unwrap())
        };
        let hungry = bounded(&["memory"], Bound::MaxAddressSpaceBytes, 64 << 20);
        host.both(&hungry, Ends::with("tool_failed", 12));
        let greedy = bounded(&["open-files"], Bound::MaxOpenFiles, 32);
        host.both(&greedy, Ends::with("tool_failed", 24));
        host.both(&tool(&["exit", "code=0"]), Ends::well());
    });
}

fn two_private_folders(host: &Host) {
    let maker = tool(&["make-file"]);
    let made = host.takes(5_000, || {
        std::thread::scope(|scope| {
            let call = || {
                let ended = host.call(&maker, Way::Collected, Call::new(Value::Null), Ends::well());
                output(&ended.blocks[0])
            };
            let both = [scope.spawn(call), scope.spawn(call)];
            both.map(|thread| thread.join().unwrap())
        })
    });
    assert_ne!(made[0]["path"], made[1]["path"]);
    for file in &made {
        assert_eq!(file["mode"], "0600");
        assert!(
            !Path::new(file["path"].as_str().unwrap())
                .parent()
                .unwrap()
                .exists()
        );
    }
    for ended in host.both(&tool(&["facts"]), Ends::well()) {
        let facts = &ended.outputs()[0];
        assert_eq!(facts["directory"]["mode"], "0700");
        assert_eq!(facts["directory_entries"], json!([]));
    }
}
