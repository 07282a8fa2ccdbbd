//! TERM, INT and HUP end what was started, then the program by the same signal.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::time::Instant;

use misbehave::Handshake;

use crate::program::{PATIENCE, Place, misbehave};

fn send(signal: &str, pid: u32) {
    let status = std::process::Command::new("kill")
        .args([signal, &pid.to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_signal_ends_the_tree_and_then_the_program() {
    for (name, number) in [("-TERM", 15), ("-INT", 2), ("-HUP", 1)] {
        for stream in [&[][..], &["--stream"]] {
            let place = Place::new();
            let mut shake = Handshake::new().unwrap();
            place.config(&format!(
                "[tools.\"t:hang\"]\ndescription = ''\ncommand = ['{}', 'hold-pipe', '{}']\n",
                misbehave().display(),
                shake.argument()
            ));
            let mut child =
                place.start(&[&["call", "t:hang", "{}", "--timeout", "90s"], stream].concat());
            shake.wait_for("grandchild", "ready", PATIENCE).unwrap();
            let start = Instant::now();
            send(name, child.id());
            let status = child.wait().unwrap();
            assert_eq!(
                status.signal(),
                Some(number),
                "{name} {stream:?}: {status:?}"
            );
            assert!(start.elapsed() < PATIENCE, "{name} {stream:?}");
            assert_eq!(shake.wait_gone(PATIENCE), []);
        }
    }
}

#[test]
fn a_collected_call_has_no_thread_but_the_main_one() {
    let place = Place::new();
    let script = place.script("threads", "#!/bin/sh\nls /proc/$PPID/task | wc -l\n");
    place.config(&format!(
        "[tools.\"t:threads\"]\ndescription = ''\nmapping = 'json'\ncommand = '{}'\n",
        script.display()
    ));
    let run = place
        .run(&["call", "t:threads", "{}", "--mode", "ndjson"])
        .ok();
    assert!(run.stdout.contains("\"output\":1"), "{}", run.stdout);
}

#[test]
fn a_signal_in_discovery_ends_the_provider_and_is_not_remembered() {
    let place = Place::new();
    let mut shake = Handshake::new().unwrap();
    let argument = shake.argument();
    place.config(&format!(
        "[providers.hang]\ncommand = ['{}', 'quiet', 'millis=100000', '{argument}']\nbounds = {{ timeout_millis = 90_000 }}\n",
        misbehave().display(),
    ));
    let mut child = place.start(&["tools", "list"]);
    shake.wait_for("leader", "ready", PATIENCE).unwrap();
    send("-INT", child.id());
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    assert_eq!(shake.wait_gone(PATIENCE), []);
    let cache = std::fs::read_to_string(place.path("home/.cache/lonis/discovery-v1"));
    assert!(!cache.unwrap_or_default().contains("cancelled"));
}

#[test]
fn waiting_for_input_ends_at_once() {
    let place = Place::new();
    place.config("[tools.\"t:cat\"]\ndescription = ''\ncommand = 'cat'\n");
    let (reader, writer) = std::io::pipe().unwrap();
    let mut child = place
        .command(&["call", "t:cat"])
        .stdin(reader)
        .spawn()
        .unwrap();
    // Asleep in the read of its input, as the system tells of its main thread.
    let state = format!("/proc/{}/wchan", child.id());
    let patience = Instant::now() + PATIENCE;
    while !std::fs::read_to_string(&state).unwrap().contains("pipe") && Instant::now() < patience {
        std::thread::yield_now();
    }
    let start = Instant::now();
    send("-INT", child.id());
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    drop(writer);
}

#[test]
fn a_program_with_nothing_to_end_ends_at_once() {
    let place = Place::new();
    let mut child = place
        .command(&["call", "lonis:builtin:echo"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    send("-TERM", child.id());
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    drop(stdin);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().count();
    assert_eq!(lines, 0);
}

#[test]
fn a_killed_program_takes_its_tool_with_it() {
    for stream in [&[][..], &["--stream"]] {
        let place = Place::new();
        let mut shake = Handshake::new().unwrap();
        place.config(&format!(
            "[tools.\"t:quiet\"]\ndescription = ''\ncommand = ['{}', 'quiet', 'millis=100000', '{}']\n",
            misbehave().display(),
            shake.argument()
        ));
        let mut child =
            place.start(&[&["call", "t:quiet", "{}", "--timeout", "90s"], stream].concat());
        shake.wait_for("leader", "started", PATIENCE).unwrap();
        send("-KILL", child.id());
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert_eq!(shake.wait_gone(PATIENCE), [], "{stream:?}");
    }
}

#[test]
fn a_tool_gets_the_grace_that_its_file_gives_it() {
    let place = Place::new();
    // Longer than the grace that most tools have; said once it may be signalled, and again when it has put things away.
    let script = place.path("slow-to-leave");
    std::fs::write(
        &script,
        "trap 'sleep 2; echo left > \"$1\"; exit 0' TERM\necho ready > \"$1.ready\"\n\
         while :; do sleep 0.1; done\n",
    )
    .unwrap();
    place.config(&format!(
        "[tools.\"t:slow\"]\ndescription = ''\ncommand = ['sh', '{0}']\nargs = ['{0}.said']\n\
         bounds = {{ timeout_millis = 60_000, kill_grace_millis = 30_000 }}\n",
        script.display()
    ));
    let said = |ending: &str| place.path(&format!("slow-to-leave.said{ending}"));
    named_pipe(&said(".ready"));
    let mut child = place.start(&["call", "t:slow"]);
    assert_eq!(std::fs::read_to_string(said(".ready")).unwrap(), "ready\n");
    send("-TERM", child.id());
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(std::fs::read_to_string(said("")).unwrap(), "left\n");
}

/// Makes a pipe with a name, from which a read waits for its writer.
fn named_pipe(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo")
        .arg(path)
        .status()
        .unwrap();
    assert!(made.success());
}
