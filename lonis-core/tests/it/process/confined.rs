//! Rules for files and the network: what they keep from a tool, what they leave it, and what is said where they cannot hold.

use std::net::TcpListener;
use std::path::PathBuf;

use lonis_core::process::{
    self, Backend, Captured, Confined, Confinement, ProcessError, Program, Status, View,
};

use super::support::{Handshake, python, shell};

/// Whether this machine holds the rules, as a start of its own tells.
#[expect(clippy::print_stdout, reason = "a test says what it skips")]
fn holds(confinement: &Confinement) -> bool {
    let tried = process::run(
        &shell(":").with_confinement(confinement.clone().required()),
        [],
    );
    if let Some(
        ProcessError::ConfinementNotHeld { missing } | ProcessError::NetworkNotClosed { missing },
    ) = &tried.failure
    {
        println!("skipped: {missing}");
        return false;
    }
    assert_eq!(tried.failure, None);
    true
}

fn run(program: &Program, confinement: &Confinement) -> Captured {
    process::run(&program.clone().with_confinement(confinement.clone()), [])
}

fn status(captured: &Captured) -> Option<Status> {
    assert_eq!(captured.failure, None, "{captured:?}");
    captured.outcome.status
}

const DONE: Option<Status> = Some(Status::Exited(0));

#[test]
fn what_a_tool_may_not_change_it_cannot_change_by_any_call() {
    let handshake = Handshake::new();
    let theirs = handshake.path("theirs");
    std::fs::write(&theirs, "kept").expect("written");
    let path = theirs.display();
    let folder = handshake.path("");
    let folder = folder.display();
    let nowhere = Confinement::writing_nowhere();
    if !holds(&nowhere) {
        return;
    }
    for attempt in [
        format!("echo x >> {path}"),
        format!(": > {path}"),
        format!("rm {path}"),
        format!("mv {path} {path}.moved"),
        format!("ln {path} {path}.linked"),
        format!("ln -s x {folder}/link"),
        format!("mkdir {folder}/made"),
        format!("mkfifo {folder}/pipe"),
        format!("touch {folder}/new"),
        format!("cp {path} . && mv theirs {folder}/back"),
        // From inside what it may write to, by a link that leads out of it.
        format!("ln -s {path} out && echo x >> out"),
        // By a descendant that left the session.
        format!("setsid sh -c 'echo x >> {path}'"),
    ] {
        let captured = run(&shell(&format!("{attempt} 2>/dev/null")), &nowhere);
        assert_ne!(status(&captured), DONE, "{attempt}");
        assert_eq!(
            std::fs::read_to_string(&theirs).expect("there"),
            "kept",
            "{attempt}"
        );
    }
    let left: Vec<PathBuf> = std::fs::read_dir(handshake.path(""))
        .expect("there")
        .map(|entry| entry.expect("listed").path())
        .collect();
    assert_eq!(left, [theirs]);
}

#[test]
fn what_is_its_own_a_tool_may_change() {
    let handshake = Handshake::new();
    let inside = handshake.path("inside");
    std::fs::create_dir(&inside).expect("made");
    let below = Confinement::writing_below([inside.clone()]);
    if !holds(&below) {
        return;
    }
    let script = format!(
        "mkdir -p deep/er && echo x > deep/er/file && mv deep/er/file . && rm file && echo x > /dev/null \
         && echo x > \"$HOME/a\" && echo x > \"$TMPDIR/b\" && echo kept > {}/file",
        inside.display()
    );
    let captured = run(&shell(&script).with_base_env(), &below);
    assert_eq!(
        status(&captured),
        DONE,
        "{}",
        String::from_utf8_lossy(&captured.stderr)
    );
    assert_eq!(
        std::fs::read_to_string(inside.join("file")).expect("written"),
        "kept\n"
    );
    let report = captured.outcome.confinement.expect("rules were asked for");
    assert!(report.enforced.contains(&Confined::Files), "{report:?}");
}

#[test]
fn a_tool_without_the_network_reaches_nobody_and_one_with_it_does() {
    let nowhere = Confinement::writing_nowhere();
    if !holds(&nowhere) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("bound").port();
    let connect = python(&format!(
        "import socket, sys\ntry: socket.create_connection(('127.0.0.1', {port}), 2)\nexcept OSError: sys.exit(3)"
    ));
    let closed = run(&connect, &nowhere);
    assert_eq!(status(&closed), Some(Status::Exited(3)));
    let report = closed.outcome.confinement.expect("rules were asked for");
    assert_eq!(report.enforced, [Confined::Files, Confined::Network]);
    let open = run(&connect, &nowhere.with_network());
    assert_eq!(status(&open), DONE);
    assert_eq!(
        open.outcome.confinement.expect("asked for").enforced,
        [Confined::Files]
    );
}

#[test]
fn what_cannot_be_held_is_said_or_refused() {
    let script = shell("echo x > own");
    for backend in [Backend::PosixSpawn, Backend::Portable] {
        let program = script.clone().with_backend(backend);
        let captured = run(&program, &Confinement::writing_nowhere());
        assert_eq!(status(&captured), DONE);
        let report = captured.outcome.confinement.expect("rules were asked for");
        assert_eq!(
            report.unenforced,
            [Confined::Files, Confined::Network],
            "{backend:?}"
        );
        let strict = Confinement::writing_nowhere().required();
        let refused = run(&program, &strict);
        let error = lonis_schema::ToolError::from(refused.failure.expect("refused"));
        assert_eq!(
            (error.kind().as_str(), error.exit_code()),
            ("not_implemented", 69)
        );
        assert_eq!(refused.outcome.status, None, "nothing was started");
    }
    let free = run(&script, &Confinement::none());
    assert_eq!(status(&free), DONE);
    let report = free.outcome.confinement.expect("asked for");
    assert!(report.enforced.is_empty() && report.unenforced.is_empty());
    let document = serde_json::to_value(run(&script, &Confinement::writing_nowhere()).outcome)
        .expect("a document");
    assert!(document["confinement"]["enforced"].is_array(), "{document}");
}

#[test]
fn a_program_finds_a_folder_laid_over_another_and_writes_below_it_alone() {
    let handshake = Handshake::new();
    let folders = ["lower", "upper", "work", "seen", "hidden"].map(|name| handshake.path(name));
    for folder in &folders {
        std::fs::create_dir(folder).expect("made");
    }
    let [lower, upper, work, seen, hidden] = &folders;
    std::fs::write(lower.join("kept"), "base").expect("written");
    std::fs::write(lower.join("gone"), "base").expect("written");
    std::fs::write(hidden.join("secret"), "secret").expect("written");
    let empty = handshake.path("empty");
    std::fs::create_dir(&empty).expect("made");
    let view = View::default()
        .with_overlay(lower, upper, work, seen)
        .with_folder(&empty, hidden)
        .with_writable(seen);
    let script = format!(
        "echo more >> kept && rm gone && echo new > new && ls && test -z \"$(ls {})\" && ! (echo x > {}) 2>/dev/null",
        hidden.display(),
        handshake.path("outside").display()
    );
    let program = shell(&script)
        .with_cwd(seen)
        .with_view(view.clone())
        .with_confinement(Confinement::writing_nowhere().with_network());
    let captured = process::run(&program, []);
    if let Some(ProcessError::ConfinementNotHeld { missing }) = &captured.failure {
        println!("skipped: {missing}");
        return;
    }
    let report = captured
        .outcome
        .confinement
        .clone()
        .expect("it was asked for");
    if report.enforced.contains(&Confined::Files) {
        assert_eq!(status(&captured), DONE, "{captured:?}");
        assert_eq!(captured.stdout, b"kept\nnew\n");
    }
    let text = |path: &std::path::Path| std::fs::read_to_string(path).ok();
    assert_eq!(text(&lower.join("kept")).as_deref(), Some("base"));
    assert_eq!(text(&lower.join("gone")).as_deref(), Some("base"));
    assert_eq!(text(&upper.join("kept")).as_deref(), Some("basemore\n"));
    assert_eq!(seen.read_dir().expect("listed").count(), 0);
    assert_eq!(text(&hidden.join("secret")).as_deref(), Some("secret"));

    // What cannot be mounted starts nothing: the folder for the system still holds what the first run left there.
    let again = process::run(&shell("true").with_view(view), []);
    assert!(
        matches!(again.failure, Some(ProcessError::ConfinementNotHeld { .. })),
        "{again:?}"
    );
}
