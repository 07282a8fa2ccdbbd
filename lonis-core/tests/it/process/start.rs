//! What cannot be started, and what a program that was started finds around it.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use lonis_core::limits::Bound;
use lonis_core::process::{
    self, Backend, Captured, HostDeath, Job, ProcessError, Program, Status, UnavailableReason,
};
use lonis_schema::{ErrorKind, ToolError};

use super::support::{Handshake, in_own_process, limits, python, shell};

fn executable(path: &Path, text: impl AsRef<[u8]>) {
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("made executable");
}

fn refused(program: &Program) -> ProcessError {
    let captured = process::run(program, []);
    assert_eq!(captured.outcome.status, None, "nothing was started");
    captured.failure.expect("refused")
}

/// Checks an error as a user of a tool sees it.
fn check(program: &Program, kind: &ErrorKind, details: &[(&str, &str)]) {
    let error = ToolError::from(refused(program));
    assert_eq!(error.kind(), kind, "{error}");
    let found = error.details().expect("details").to_value();
    for (name, value) in details {
        assert_eq!(found[name], *value, "`{name}` of {found}");
    }
}

#[test]
fn every_flaw_of_a_program_is_unavailable_with_its_reason() {
    let handshake = Handshake::new();
    let at = |name: &str| handshake.path(name);
    fs::write(at("plain"), "").expect("written");
    fs::create_dir(at("directory")).expect("made");
    std::os::unix::fs::symlink("/nonexistent/target", at("dangling")).expect("linked");
    executable(&at("script"), "#!/nonexistent/interpreter\n");
    executable(&at("crlf"), "#!/bin/sh\r\necho\r\n");
    executable(&at("nothing"), "");
    executable(&at("garbage"), [0x7f, b'E', b'L', b'F', 9, 9, 9]);
    executable(
        &at("no_line"),
        "echo this is no script without a first line\n",
    );
    let check = |name: &str, reason: &str, part: &str| {
        let path = at(name).display().to_string();
        let details = [("reason", reason), ("failed_part", part), ("path", &path)];
        check(&Program::new(at(name)), &ErrorKind::Unavailable, &details);
    };
    check("missing", "not_found", "command");
    check("dangling", "not_found", "command");
    check("directory", "is_directory", "command");
    check("plain", "not_executable", "command");
    check("script", "bad_interpreter", "interpreter");
    check("crlf", "bad_interpreter", "interpreter");
    check("nothing", "exec_format", "command");
    check("garbage", "exec_format", "command");
    check("no_line", "exec_format", "command");

    let ProcessError::Unavailable(error) = refused(&Program::new("no-program-of-this-name")) else {
        panic!("unavailable");
    };
    assert_eq!(error.reason, UnavailableReason::NotOnPath);
    let ProcessError::Unavailable(error) = refused(&Program::new(at("script"))) else {
        panic!("unavailable");
    };
    let interpreter = "/nonexistent/interpreter".into();
    assert_eq!(
        error.reason,
        UnavailableReason::BadInterpreter { interpreter }
    );
}

#[test]
fn a_directory_that_cannot_be_entered_is_an_input_output_error() {
    let program = shell("true").with_cwd("/nonexistent/folder");
    check(
        &program,
        &ErrorKind::Io,
        &[("failed_part", "cwd"), ("path", "/nonexistent/folder")],
    );
    let program = shell("true").with_temporary("/nonexistent/folder");
    check(
        &program,
        &ErrorKind::Io,
        &[("failed_part", "cwd"), ("path", "/nonexistent/folder")],
    );
}

#[test]
fn what_no_program_can_be_given_is_refused_and_shown_escaped() {
    for program in [
        shell("true").with_args(["a\0b"]),
        shell("true").with_env("A", "secret\0"),
        shell("true").with_env("A=B", "secret"),
        shell("true").with_env("", "secret"),
        shell("true").with_cwd("a\0b"),
        Program::new("/bin/a\0b"),
    ] {
        let error = refused(&program);
        assert!(
            matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unavailable
            ),
            "{error:?}"
        );
        let text = error.to_string();
        assert!(!text.contains('\0') && !text.contains("secret"), "{text}");
    }
}

#[test]
fn an_argument_list_that_is_too_long_is_named() {
    let long = "x".repeat(200_000);
    check(
        &shell("true").with_args([long]),
        &ErrorKind::Io,
        &[("reason", "arg_too_long")],
    );
}

#[test]
fn names_and_arguments_need_not_be_text() {
    let handshake = Handshake::new();
    let name = std::ffi::OsString::from_vec(b"to\xffol".to_vec());
    let path = handshake.path("").join(&name);
    executable(&path, "#!/bin/sh\nprintf %s \"$1\"; pwd\n");
    let argument = std::ffi::OsString::from_vec(b"\xfe".to_vec());
    let folder = handshake
        .path("")
        .join(std::ffi::OsString::from_vec(b"di\xffr".to_vec()));
    fs::create_dir(&folder).expect("made");
    let captured = process::run(
        &Program::new(&path).with_args([argument]).with_cwd(&folder),
        [],
    );
    assert_eq!(captured.failure, None);
    assert!(captured.stdout.starts_with(b"\xfe") && captured.stdout.ends_with(b"di\xffr\n"));
}

#[test]
fn a_relative_command_keeps_its_meaning_when_the_directory_changes() {
    in_own_process(
        "process::start::a_relative_command_keeps_its_meaning_when_the_directory_changes",
        || {
            let handshake = Handshake::new();
            executable(&handshake.path("tool"), "#!/bin/sh\nexit 5\n");
            std::env::set_current_dir(handshake.path("")).expect("entered");
            let program = Program::new("./tool");
            assert!(program.resolve().is_ok());
            std::env::set_current_dir("/").expect("entered");
            assert!(program.resolve().is_ok());
            assert_eq!(
                process::run(&program, []).outcome.status,
                Some(Status::Exited(5))
            );
        },
    );
}

/// Says what a program finds around it.
const SURROUNDINGS: &str = r#"
import os, resource, signal, stat, sys
# Where limits are set after the start, the input ends after that.
sys.stdin.read()
print("environment", *sorted(os.environ))
print("descriptors", *sorted(os.listdir("/proc/self/fd"), key=int)[:-1])
print("directory", oct(os.stat(".").st_mode & 0o777), *os.listdir("."))
open("made", "w").close()
print("file", oct(os.stat("made").st_mode & 0o777))
print("core", *resource.getrlimit(resource.RLIMIT_CORE))
print("files", *resource.getrlimit(resource.RLIMIT_NOFILE))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print("blocked", status["SigBlk"].strip())
print("ignored", status["SigIgn"].strip())
print("privileges", status["NoNewPrivs"].strip())
print("session", os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid())
print("kind", *(stat.S_ISFIFO(os.fstat(n).st_mode) for n in (0, 1, 2)))
try: os.close(os.open("/dev/tty", os.O_RDWR)); print("terminal yes")
except OSError as error: print("terminal", error.errno)
"#;

fn facts(captured: &Captured) -> Vec<String> {
    assert_eq!(captured.failure, None);
    let text = String::from_utf8_lossy(&captured.stdout);
    assert_eq!(
        captured.outcome.status,
        Some(Status::Exited(0)),
        "{text}{}",
        String::from_utf8_lossy(&captured.stderr)
    );
    text.lines().map(str::to_owned).collect()
}

#[track_caller]
fn assert_fact(facts: &[String], expected: &str) {
    assert!(
        facts.iter().any(|fact| fact == expected),
        "`{expected}` is not in {facts:#?}"
    );
}

#[test]
fn a_child_finds_what_was_declared_and_nothing_else() {
    // A descriptor of the host that is not closed on exec.
    let leaked = rustix::io::dup(std::io::stdin()).expect("duplicated");
    let set = limits(&[(Bound::MaxOpenFiles, 50)]);
    for backend in [Backend::Clone3, Backend::PosixSpawn] {
        let program = python(SURROUNDINGS)
            .with_env("DECLARED", "1")
            .with_backend(backend);
        let captured = Job::new(&program).with_limits(set).run();
        let outcome = &captured.outcome;
        assert_eq!(outcome.backend, Some(backend));
        let names: Vec<_> = outcome
            .environment
            .iter()
            .map(|name| name.to_string_lossy())
            .collect();
        assert_eq!(names, ["PATH", "DECLARED"]);
        let facts = facts(&captured);
        // Python adds one of its own, from the locale that is not set.
        let environment = facts
            .iter()
            .find(|fact| fact.starts_with("environment "))
            .expect("printed");
        let environment = environment.replace(" LC_CTYPE", "");
        assert_eq!(environment, "environment DECLARED PATH");
        for fact in [
            "descriptors 0 1 2",
            "directory 0o700",
            "core 1 1",
            "files 50 50",
            "blocked 0000000000000000",
            "session True True",
            "kind True True True",
            "terminal 6",
        ] {
            assert_fact(&facts, fact);
        }
        let host_death = outcome.containment.expect("started").host_death;
        let held = outcome
            .bounds
            .iter()
            .find(|held| held.bound == Bound::MaxOpenFiles)
            .expect("held");
        match backend {
            Backend::Clone3 => {
                assert_fact(&facts, "file 0o600");
                assert_fact(&facts, "privileges 1");
                assert_eq!((host_death, held.late), (HostDeath::Leader, false));
            }
            _ => assert_eq!((host_death, held.late), (HostDeath::None, true)),
        }
    }
    drop(leaked);
}

#[test]
fn the_base_environment_is_three_declared_pairs() {
    let script = "
import os
print(*sorted(name for name in os.environ if name != 'LC_CTYPE'))
print(os.environ['LANG'], os.environ['HOME'] != os.environ['TMPDIR'] != os.getcwd())
print(*(len(os.listdir(path)) for path in (os.environ['HOME'], os.environ['TMPDIR'], '.')))
print(os.environ['HOME'])";
    let captured = process::run(&python(script).with_base_env(), []);
    let facts = facts(&captured);
    assert_eq!(facts[0], "HOME LANG PATH TMPDIR");
    assert_eq!(facts[1], "C.UTF-8 True");
    assert_eq!(facts[2], "0 0 0");
    assert!(!Path::new(&facts[3]).exists(), "removed after the reap");
    let captured = process::run(&python(script).with_base_env().with_env("LANG", "C"), []);
    assert!(String::from_utf8_lossy(&captured.stdout).contains("\nC True"));
}

#[test]
fn two_calls_have_folders_of_their_own_that_go_with_them() {
    let handshake = Handshake::new();
    let base = handshake.path("base");
    fs::create_dir(&base).expect("made");
    let script = "pwd; mkdir -p deep/er; echo x > deep/er/file; chmod 0 deep/er deep; ln -s / link";
    let program = shell(script).with_temporary(&base);
    let results = process::Pool::with_width(2).run_all((0..2).map(|_| Job::new(&program)));
    assert_ne!(results[0].stdout, results[1].stdout);
    for captured in &results {
        assert_eq!(captured.outcome.notes, [""; 0]);
    }
    assert_eq!(fs::read_dir(&base).expect("there").count(), 0);
}

#[test]
fn a_umask_and_a_directory_may_be_configured() {
    let handshake = Handshake::new();
    let program = shell("umask; pwd")
        .with_umask(0o022)
        .with_cwd(handshake.path(""));
    let captured = process::run(&program, []);
    let folder = fs::canonicalize(handshake.path("")).expect("there");
    assert_eq!(
        String::from_utf8_lossy(&captured.stdout),
        format!("0022\n{}\n", folder.display())
    );
}

#[test]
fn a_pinned_path_is_the_one_that_is_searched() {
    let handshake = Handshake::new();
    executable(&handshake.path("pinned"), "#!/bin/sh\necho $PATH\n");
    let program = Program::new("pinned");
    assert!(program.resolve().is_err());
    let program = program.with_path(handshake.path(""));
    let captured = process::run(&program, []);
    assert_eq!(
        captured.stdout,
        format!("{}\n", handshake.path("").display()).into_bytes()
    );
}

#[test]
fn a_bare_name_is_looked_for_at_each_start() {
    let handshake = Handshake::new();
    for folder in ["first", "second"] {
        fs::create_dir(handshake.path(folder)).expect("made");
    }
    executable(&handshake.path("second/tool"), "#!/bin/sh\nexit 2\n");
    let path =
        std::env::join_paths([handshake.path("first"), handshake.path("second")]).expect("joined");
    let program = Program::new("tool").with_path(path);
    assert_eq!(
        process::run(&program, []).outcome.status,
        Some(Status::Exited(2))
    );
    executable(&handshake.path("first/tool"), "#!/bin/sh\nexit 1\n");
    assert_eq!(
        process::run(&program, []).outcome.status,
        Some(Status::Exited(1))
    );
}

#[test]
fn values_of_variables_are_never_shown() {
    let program = shell("true").with_env("TOKEN", "secret");
    let shown = format!(
        "{program:?} {:?} {:?}",
        Job::new(&program),
        process::run(&program, [])
    );
    assert!(
        shown.contains("TOKEN") && !shown.contains("secret"),
        "{shown}"
    );
}

/// Connects to a port of this machine, and says what came of it.
const CONNECT: &str = "import socket,sys\ntry: socket.create_connection((\"127.0.0.1\", int(sys.argv[1])), 5)\nexcept OSError: print(\"closed\")\nelse: print(\"open\")";

#[test]
fn a_program_without_network_reaches_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port().to_string();
    let open = python(CONNECT).with_args([&port]);
    let captured = process::run(&open, []);
    assert_eq!(captured.stdout, b"open\n", "{captured:?}");

    let captured = process::run(&open.without_network(), []);
    match captured.failure {
        Some(ProcessError::NetworkNotClosed { missing }) => {
            // What cannot be held is refused: nothing was started.
            assert_eq!(captured.outcome.status, None);
            println!("skipped: {missing}");
        }
        None => assert_eq!(captured.stdout, b"closed\n", "{captured:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_backend_without_namespaces_refuses_to_close_the_network() {
    for backend in [Backend::PosixSpawn, Backend::Portable] {
        let program = Program::new("sh").with_args(["-c", "exit 0"]);
        let captured = process::run(&program.with_backend(backend).without_network(), []);
        let refused = captured.failure.expect("refused");
        assert!(
            matches!(refused, ProcessError::NetworkNotClosed { .. }),
            "{refused:?}"
        );
        assert_eq!(captured.outcome.status, None);
        let error = ToolError::from(refused);
        assert_eq!(error.exit_code(), 69);
    }
}
