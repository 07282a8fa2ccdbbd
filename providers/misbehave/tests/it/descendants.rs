//! Descendants announce themselves, and the handshake hears of their ends.

use std::time::Duration;

use misbehave::{Handshake, session_of};
use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};

use crate::command;

const LIMIT: Duration = Duration::from_mins(1);

/// Runs a mode until its leader says so, as a group of its own, and gives what the roles' groups and sessions are.
fn started(arguments: &[&str], until: &str) -> (Handshake, std::process::Child) {
    use std::os::unix::process::CommandExt;
    let mut handshake = Handshake::new().unwrap();
    let log = handshake.argument();
    let child = command(&[arguments, &[&log]].concat())
        .process_group(0)
        .spawn()
        .unwrap();
    handshake.wait_for("leader", until, LIMIT).unwrap();
    (handshake, child)
}

fn end(mut handshake: Handshake, mut child: std::process::Child) {
    for pid in handshake.pids() {
        // Some have ended by themselves; the wait below is what counts.
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
    }
    child.wait().unwrap();
    assert_eq!(handshake.wait_gone(LIMIT), []);
}

fn pid_of(handshake: &mut Handshake, role: &str) -> Pid {
    Pid::from_raw(handshake.wait_for(role, "started", LIMIT).unwrap().pid).unwrap()
}

#[test]
fn a_grandchild_outlives_its_leader_and_the_handshake_knows() {
    let (mut handshake, mut child) = started(&["exit-held"], "leaving");
    assert!(child.wait().unwrap().success());
    let grandchild = pid_of(&mut handshake, "grandchild");
    assert_eq!(
        handshake.wait_gone(Duration::ZERO),
        [("grandchild".to_owned(), grandchild.as_raw_pid())]
    );
    kill_process(grandchild, Signal::KILL).unwrap();
    assert_eq!(handshake.wait_gone(LIMIT), []);
}

#[test]
fn every_way_out_leaves_what_it_says() {
    for (via, leaves_group, leaves_session) in [
        ("session", true, true),
        ("group", true, false),
        ("double-fork", false, false),
        ("both", true, true),
    ] {
        let (mut handshake, child) = started(&["escape", &format!("via={via}")], "ready");
        let leader = pid_of(&mut handshake, "leader");
        let escapee = pid_of(&mut handshake, "escapee");
        assert_eq!(
            getpgid(Some(escapee)).unwrap() != leader,
            leaves_group,
            "{via}"
        );
        assert_eq!(
            session_of(escapee.as_raw_pid()).unwrap() != session_of(leader.as_raw_pid()).unwrap(),
            leaves_session,
            "{via}"
        );
        end(handshake, child);
    }
}

#[test]
fn a_group_kill_reaches_all_that_stayed() {
    for arguments in [&["hold-pipe"][..], &["fork-many", "count=5"], &["endless"]] {
        let (mut handshake, mut child) = started(arguments, "ready");
        kill_process_group(pid_of(&mut handshake, "leader"), Signal::KILL).unwrap();
        child.wait().unwrap();
        assert_eq!(handshake.wait_gone(LIMIT), [], "{arguments:?}");
    }
}

#[test]
fn a_family_has_one_that_left_the_session() {
    let (mut handshake, child) = started(&["family"], "ready");
    let session = pid_of(&mut handshake, "session");
    assert_eq!(session_of(session.as_raw_pid()), Some(session.as_raw_pid()));
    assert_eq!(
        getpgid(Some(pid_of(&mut handshake, "background"))).unwrap(),
        pid_of(&mut handshake, "leader")
    );
    end(handshake, child);
}

#[test]
fn signals_are_announced_and_ignored_or_obeyed() {
    let (mut handshake, child) = started(&["ignore-term"], "ready");
    let leader = pid_of(&mut handshake, "leader");
    for (signal, line) in [(Signal::TERM, "signal 15"), (Signal::INT, "signal 2")] {
        kill_process(leader, signal).unwrap();
        handshake.wait_for("leader", line, LIMIT).unwrap();
    }
    assert_eq!(handshake.wait_gone(Duration::ZERO).len(), 1);
    end(handshake, child);

    let (mut handshake, mut child) = started(&["leave-on-term", "exit=7"], "ready");
    kill_process(pid_of(&mut handshake, "leader"), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(7));
}

#[test]
fn gates_hold_each_block_until_they_are_opened() {
    let (mut handshake, mut child) =
        started(&["blocks", "form=array", "gated=yes", "count=2"], "gate");
    for number in 0..2 {
        assert!(
            handshake
                .heard()
                .iter()
                .all(|heard| heard.line != format!("printed {number}"))
        );
        handshake.open_gate("leader", LIMIT).unwrap();
        handshake
            .wait_for("leader", &format!("printed {number}"), LIMIT)
            .unwrap();
    }
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_file_takes_announcements_too() {
    let handshake = Handshake::new().unwrap();
    let file = handshake.folder().join("lines");
    let argument = format!("log={}", file.display());
    let child = command(&["exit-unread", &argument]).spawn().unwrap();
    let id = child.id();
    child.wait_with_output().unwrap();
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        format!("pid leader {id}\n")
    );
}
