use std::{
    fs,
    io::{ErrorKind, PipeReader, Read, Write},
    mem,
    os::fd::{AsFd, AsRawFd},
    ptr,
};

use lonis_spawn::{
    Backend, ChildSignal, Isolation, ReapError, Request, Signal, Step, child_signal,
    restore_child_signal, spawn, survive_file_size_signal, write_without_sigpipe,
};

use crate::probe::{self, BACKENDS};

fn set(signal: i32, handler: libc::sighandler_t) {
    // SAFETY: every handler in these tests is a constant or runs nothing.
    unsafe { libc::signal(signal, handler) };
}

fn block(signal: i32) {
    // SAFETY: the record is initialised by the first call.
    unsafe {
        let mut signals = mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        libc::sigaddset(&raw mut signals, signal);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, ptr::null_mut());
    }
}

fn own_status(name: &str) -> String {
    probe::status_line(
        &fs::read_to_string("/proc/thread-self/status").unwrap(),
        name,
    )
}

/// The signals that the C library keeps for itself, which its own way of starting leaves ignored.
const LIBRARY_SIGNALS: u64 = 0b11 << 31;

fn signals(line: &str) -> u64 {
    u64::from_str_radix(line, 16).unwrap()
}

extern "C" fn handler(_: i32) {}

#[test]
fn a_deaf_host_starts_children_that_hear() {
    for backend in BACKENDS {
        probe::run_host("deaf-host", backend);
    }
}

pub(crate) fn deaf_host(backend: Backend) {
    block(libc::SIGTERM);
    block(libc::SIGRTMIN() + 3);
    for signal in [
        libc::SIGINT,
        libc::SIGCHLD,
        libc::SIGPIPE,
        libc::SIGHUP,
        libc::SIGRTMIN() + 2,
    ] {
        set(signal, libc::SIG_IGN);
    }
    set(libc::SIGUSR1, handler as *const () as libc::sighandler_t);
    let own = || ["SigBlk", "SigIgn", "SigCgt"].map(own_status);
    let before = own();
    for keep_hangup in [false, true] {
        let mut isolation = Isolation::default();
        isolation.keep_hangup = keep_hangup;
        let plan = probe::plan(&["stay"])
            .with_backend(backend)
            .with_isolation(isolation);
        let mut running = probe::run(&plan).unwrap();
        running.wait_here();
        assert_eq!(signals(&running.status("SigBlk")), 0);
        let ignored = signals(&running.status("SigIgn")) & !LIBRARY_SIGNALS;
        assert_eq!(ignored, u64::from(keep_hangup));
        running.started.signal_group(Signal::TERMINATE).unwrap();
        assert!(
            matches!(running.started.reap(), Err(ReapError::Lost)),
            "SIGCHLD is ignored"
        );
        plan.inject_failures(Step::Exec, &[libc::ENOMEM]);
        assert_eq!(probe::run(&plan).err().unwrap().errno(), libc::ENOMEM);
    }
    assert_eq!(
        own(),
        before,
        "the host's mask and dispositions are as they were"
    );
}

#[test]
fn a_status_that_the_host_throws_away_is_reported_as_lost() {
    for backend in BACKENDS {
        probe::run_host("host-without-status", backend);
    }
}

pub(crate) fn host_without_status(backend: Backend) {
    assert_eq!(child_signal(), ChildSignal::Default);
    set(libc::SIGCHLD, handler as *const () as libc::sighandler_t);
    assert_eq!(child_signal(), ChildSignal::Handled);
    // SAFETY: the record is all zero but for its flags, and so the default.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_flags = libc::SA_NOCLDWAIT;
        libc::sigaction(libc::SIGCHLD, &raw const action, ptr::null_mut());
    }
    assert_eq!(child_signal(), ChildSignal::Ignored);
    set(libc::SIGCHLD, libc::SIG_IGN);
    assert_eq!(child_signal(), ChildSignal::Ignored);

    let plan = probe::plan(&["stay"]).with_backend(backend);
    let mut running = probe::run(&plan).unwrap();
    running.wait_here();
    assert!(!running.started.has_exited().unwrap());
    drop(running.stdin);
    running.stdout.read_to_end(&mut Vec::new()).unwrap();
    assert!(matches!(running.started.reap(), Err(ReapError::Lost)));

    restore_child_signal();
    assert_eq!(child_signal(), ChildSignal::Default);
    assert_eq!(probe::run(&plan).unwrap().finish().0, Some(0));
}

#[test]
fn a_closed_pipe_never_ends_the_host() {
    probe::run_host("host-of-a-closed-pipe", Backend::Clone3);
}

pub(crate) fn host_of_a_closed_pipe() {
    let (reader, writer) = std::io::pipe().unwrap();
    assert_eq!(write_without_sigpipe(writer.as_fd(), b"read").unwrap(), 4);
    drop(reader);
    let is_broken = || {
        let error = write_without_sigpipe(writer.as_fd(), b"unread").unwrap_err();
        error.kind() == ErrorKind::BrokenPipe
    };
    let pending = || signals(&own_status("SigPnd")) & (1 << (libc::SIGPIPE - 1)) != 0;
    // By default SIGPIPE ends a process; this one has not been touched by the language's runtime.
    set(libc::SIGPIPE, libc::SIG_DFL);
    let before = own_status("SigBlk");
    assert!(is_broken() && !pending());
    assert_eq!(own_status("SigBlk"), before);
    set(libc::SIGPIPE, libc::SIG_IGN);
    assert!(is_broken() && !pending());
    // One that waited already is the host's own and stays.
    set(libc::SIGPIPE, libc::SIG_DFL);
    block(libc::SIGPIPE);
    assert!(is_broken() && !pending(), "ours is taken");
    // SAFETY: takes no pointer.
    unsafe { libc::raise(libc::SIGPIPE) };
    assert!(is_broken() && pending(), "the host's is left");
}

#[test]
fn a_file_that_may_not_grow_does_not_end_a_host_that_asks_for_it() {
    probe::run_host("host-of-a-full-file", Backend::Clone3);
}

pub(crate) fn host_of_a_full_file() {
    let mut file = tempfile::tempfile().unwrap();
    let nothing = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the record is valid for the call.
    let answer = unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const nothing) };
    assert_eq!(answer, 0);
    survive_file_size_signal();
    let error = file.write_all(b"more").unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EFBIG));
    // Whoever started this process and ignores it is left alone.
    set(libc::SIGXFSZ, libc::SIG_IGN);
    survive_file_size_signal();
    let ignored = signals(&own_status("SigIgn")) & (1 << (libc::SIGXFSZ - 1));
    assert_ne!(ignored, 0);
}

#[test]
fn the_child_of_a_host_that_is_killed_ends_too() {
    let running = probe::run(&probe::plan(&["host-that-dies", "Clone3"])).unwrap();
    // The grandchild of this test writes through the same pipe, which ends when both are gone.
    let mut running = running;
    running.wait_here();
    running.started.signal_group(Signal::KILL).unwrap();
    assert!(ends(&running.stdout), "the child outlived its host");
    running.started.reap().unwrap();
}

pub(crate) fn host_that_dies(backend: Backend) {
    let plan = probe::plan(&["stay"]).with_backend(backend);
    let (stdin, _held) = std::io::pipe().unwrap();
    let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
    let mut request = Request::new(stdin.as_fd(), stdout.as_fd(), stderr.as_fd());
    request.parent_death = Some(Signal::KILL);
    spawn(&plan, &request).unwrap().reap().unwrap();
}

/// Waits for the end of a pipe, but not for ever.
fn ends(pipe: &PipeReader) -> bool {
    let mut poll = libc::pollfd {
        fd: pipe.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: the record is valid for the call.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 10_000) };
    ready == 1 && (&*pipe).read(&mut [0; 16]).unwrap() == 0
}
