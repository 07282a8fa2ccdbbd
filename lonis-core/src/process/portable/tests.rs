use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};

use super::super::pipes::Pipes;
use super::*;

struct Running {
    child: PortableChild,
    ours: Ends,
}

fn start(script: &str) -> Running {
    start_in(script, None).expect("it starts")
}

fn start_in(script: &str, directory: Option<&Path>) -> io::Result<Running> {
    let mut environment = Environment::default();
    environment.set("PATH", "/usr/bin:/bin");
    environment.set("NAME", "a value");
    let arguments = ["-c".into(), script.into()];
    let order = Order {
        program: Path::new("/bin/sh"),
        arguments: &arguments,
        environment: &environment,
        directory,
    };
    let pipes = Pipes::new().expect("three pipes");
    let child = spawn(&order, &pipes.theirs)?;
    Ok(Running {
        child,
        ours: pipes.ours,
    })
}

fn wait(descriptor: BorrowedFd<'_>) {
    let mut set = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    // A child's end interrupts it, once `wait-timeout` has its handler.
    while poll(&mut set, None) == Err(Errno::INTR) {}
}

impl Running {
    fn line(&mut self) -> String {
        let mut text = Vec::new();
        while text.last() != Some(&b'\n') {
            wait(self.ours.stdout.as_fd());
            let mut byte = [0];
            assert_eq!(
                rustix::io::read(&self.ours.stdout, &mut byte),
                Ok(1),
                "{text:?}"
            );
            text.extend(byte);
        }
        String::from_utf8(text)
            .expect("a line of text")
            .trim_end()
            .to_owned()
    }

    /// Waits for the exit and returns the status.
    fn end(self) -> ExitStatus {
        wait(self.child.as_fd());
        assert!(self.child.has_exited().expect("its status is kept"));
        self.child.reap().expect("its status is kept").status
    }
}

fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.trim_start().chars().next()
}

/// What a busy machine may take; the programs of these tests stay for longer.
const PATIENCE: Duration = Duration::from_secs(30);

fn until(holds: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never so");
        thread::yield_now();
    }
}

#[test]
fn the_exit_wakes_a_poll_and_is_reaped_with_its_status() {
    assert_eq!(start("exit 7").end().code(), Some(7));
    assert_eq!(start("kill -9 $$").end().signal(), Some(9));
}

#[test]
fn environment_directory_and_input_are_the_orders() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut running =
        start_in("pwd -P; env; read line; echo $line", Some(folder.path())).expect("it starts");
    let own = folder.path().canonicalize().expect("it is there");
    assert_eq!(running.line(), own.display().to_string());
    let mut variables = [running.line(), running.line(), running.line()];
    variables.sort();
    assert_eq!(variables[..2], ["NAME=a value", "PATH=/usr/bin:/bin"]);
    // The shell's own.
    assert!(variables[2].starts_with("PWD="));
    fs::File::from(running.ours.stdin.try_clone().expect("a copy"))
        .write_all(b"input\n")
        .expect("it is read");
    assert_eq!(running.line(), "input");
    assert!(running.end().success());
}

#[test]
fn a_signal_reaches_the_whole_group_while_the_leader_is_not_reaped() {
    let mut running = start("sleep 100 & echo $!; exit 0");
    let grandchild: u32 = running.line().parse().expect("a process id");
    wait(running.child.as_fd());
    assert_eq!(
        state(running.child.pid()),
        Some('Z'),
        "seen, and not reaped"
    );
    assert_ne!(state(grandchild), None);
    running
        .child
        .signal_group(Signal::KILL)
        .expect("the group is there");
    let mut rest = Vec::new();
    rustix::fs::fcntl_setfl(&running.ours.stdout, rustix::fs::OFlags::empty())
        .expect("it may block");
    fs::File::from(running.ours.stdout.try_clone().expect("a copy"))
        .read_to_end(&mut rest)
        .expect("it ends");
    assert!(running.end().success());
}

#[test]
fn a_program_or_directory_that_is_missing_is_an_error() {
    let missing = Path::new("/nowhere/at/all");
    let error = start_in("exit 0", Some(missing))
        .err()
        .expect("no such directory");
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_dropped_child_is_ended_and_reaped_with_its_group() {
    let mut running = start("sleep 100 & echo $!; wait");
    let grandchild: u32 = running.line().parse().expect("a process id");
    let leader = running.child.pid();
    let started = Instant::now();
    drop(running.child);
    assert!(started.elapsed() < PATIENCE);
    // Reaped by the drop, or by the watcher where the machine is too busy for that.
    until(|| state(leader).is_none());
    // Its new parent has to reap it.
    until(|| matches!(state(grandchild), None | Some('Z')));
}

#[test]
fn a_child_that_nobody_waits_for_is_reaped_by_its_watcher() {
    let mut running = start("echo here; read line");
    assert_eq!(running.line(), "here");
    let leader = running.child.pid();
    // What a drop does when its patience is over.
    let group = running.child.group.take().expect("not reaped");
    *running.child.watch.lock() = Watched::Abandoned(group);
    let exit = running.child.exit.try_clone().expect("a copy");
    drop(running.ours.stdin);
    wait(exit.as_fd());
    until(|| state(leader).is_none());
}
