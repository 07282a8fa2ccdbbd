//! Each bound of a call: what it does, what it says, and what it leaves.

use std::time::Duration;

use lonis_core::limits::Bound;
use lonis_core::process::{
    Backend, Breach, Captured, Enforcement, Job, ProcessError, Program, Status,
};

use super::support::{backend, limits, python, shell, within};

const T: Duration = Duration::from_mins(1);

fn run(program: &Program, bound: Bound, limit: u64) -> Captured {
    within(T, || {
        Job::new(program)
            .with_limits(limits(&[(bound, limit)]))
            .run()
    })
}

fn breach(captured: &Captured) -> Breach {
    match &captured.failure {
        Some(ProcessError::LimitExceeded(breach)) => *breach,
        other => panic!("a breach is expected: {other:?} {captured:?}"),
    }
}

/// Returns whether this run is about the backend that sets no limits on a child, which has to refuse them.
fn is_refused(bound: Bound) -> bool {
    if backend() != Some(Backend::Portable) {
        return false;
    }
    let captured = run(&shell("exit 0"), bound, 1 << 20);
    assert!(
        matches!(captured.failure, Some(ProcessError::BoundNotHeld { bound: refused, .. }) if refused == bound),
        "{captured:?}"
    );
    assert_eq!(captured.outcome.status, None, "nothing was started");
    true
}

fn assert_breach(captured: &Captured, bound: Bound, limit: u64) {
    let breach = breach(captured);
    assert_eq!((breach.bound, breach.limit), (bound, limit));
    assert!(
        breach.observed.is_none_or(|observed| observed > limit),
        "{breach:?}"
    );
    let held = captured
        .outcome
        .bounds
        .iter()
        .find(|held| held.bound == bound)
        .expect("in force");
    assert_eq!(held.limit, limit);
    let is_late = bound == Bound::MaxFileBytes && backend() == Some(Backend::PosixSpawn);
    assert_eq!(held.late, is_late);
    if breach.observed.is_some() {
        assert_eq!(held.enforced_by, breach.enforced_by);
    }
}

#[test]
fn cpu_time_of_the_whole_tree() {
    let alone = run(&shell("while :; do :; done"), Bound::MaxCpuMillis, 200);
    assert_breach(&alone, Bound::MaxCpuMillis, 200);
    let together = run(
        &shell("for n in 1 2 3 4; do (while :; do :; done) & done; wait"),
        Bound::MaxCpuMillis,
        300,
    );
    assert_breach(&together, Bound::MaxCpuMillis, 300);
    assert!(together.outcome.cpu.expect("counted") >= Duration::from_millis(300));
    // Many short processes, each gone before it can be looked at.
    let short = run(&shell("while :; do (:); done"), Bound::MaxCpuMillis, 300);
    assert_breach(&short, Bound::MaxCpuMillis, 300);
}

#[test]
fn resident_memory_of_the_whole_tree() {
    let script = "import time\nx = bytearray(200 << 20)\ntime.sleep(100)";
    let limit = 64 << 20;
    let captured = run(&python(script), Bound::MaxMemoryBytes, limit);
    assert_breach(&captured, Bound::MaxMemoryBytes, limit);
    assert!(captured.outcome.peak_memory_bytes.expect("sampled") > limit);
}

#[test]
fn processes_of_the_tree() {
    let captured = run(
        &shell("for n in 1 2 3 4 5 6 7 8; do sleep 100 & done; wait"),
        Bound::MaxProcesses,
        4,
    );
    assert_breach(&captured, Bound::MaxProcesses, 4);
    let captured = run(
        &shell("sleep 0.1 & sleep 0.1 & wait"),
        Bound::MaxProcesses,
        3,
    );
    assert_eq!(captured.failure, None);
    assert!(captured.outcome.peak_processes.expect("counted") <= 3);
}

#[test]
fn the_size_of_a_file() {
    if is_refused(Bound::MaxFileBytes) {
        return;
    }
    // The shell is ended by the signal; Python ignores it and sees the error of its own write. Both wait for the end of
    // their input, since the second backend sets a limit only just after the start.
    let captured = run(
        &shell("read end; exec head -c 100000 /dev/zero > file"),
        Bound::MaxFileBytes,
        50_000,
    );
    assert_eq!(captured.outcome.status.and_then(Status::signal), Some(25));
    assert_breach(&captured, Bound::MaxFileBytes, 50_000);
    let captured = run(
        &python("open(0).read(); open('file', 'wb').write(bytes(100000))"),
        Bound::MaxFileBytes,
        50_000,
    );
    assert_eq!(
        (captured.failure, captured.outcome.status),
        (None, Some(Status::Exited(1)))
    );
}

#[test]
fn the_size_of_the_private_folders() {
    let script = "while :; do head -c 100000 /dev/zero >> file; sleep 0.005; done";
    for program in [
        shell(script),
        shell(&format!("cd \"$HOME\"; {script}")).with_base_env(),
    ] {
        let captured = run(&program, Bound::MaxPrivateBytes, 1_000_000);
        assert_breach(&captured, Bound::MaxPrivateBytes, 1_000_000);
        assert_eq!(
            breach(&captured).enforced_by,
            Enforcement::PrivateDirectoryGrowth
        );
    }
}

#[test]
fn open_files_and_address_space_make_the_tools_own_calls_fail() {
    if is_refused(Bound::MaxOpenFiles) && is_refused(Bound::MaxAddressSpaceBytes) {
        return;
    }
    let script = "open(0).read(); files = [open('/dev/null') for _ in range(100)]";
    let captured = run(&python(script), Bound::MaxOpenFiles, 64);
    assert_eq!(
        (captured.failure, captured.outcome.status),
        (None, Some(Status::Exited(1)))
    );
    assert!(String::from_utf8_lossy(&captured.stderr).contains("Too many open files"));
    let captured = run(
        &python("open(0).read(); bytearray(512 << 20)"),
        Bound::MaxAddressSpaceBytes,
        256 << 20,
    );
    assert_eq!(
        (captured.failure, captured.outcome.status),
        (None, Some(Status::Exited(1)))
    );
    assert!(String::from_utf8_lossy(&captured.stderr).contains("MemoryError"));
}

#[test]
fn a_bound_that_cannot_be_held_is_refused() {
    let program = shell("echo started > /proc/self/fd/2").with_cwd("/");
    let captured = run(&program, Bound::MaxPrivateBytes, 1_000);
    let Some(ProcessError::BoundNotHeld { bound, .. }) = captured.failure else {
        panic!("{captured:?}");
    };
    assert_eq!(bound, Bound::MaxPrivateBytes);
    assert!(captured.stderr.is_empty() && captured.outcome.status.is_none());
}

#[test]
fn a_breach_goes_before_a_timeout_and_after_an_output_limit() {
    let set = [(Bound::MaxCpuMillis, 1), (Bound::TimeoutMillis, 60_000)];
    let captured = Job::new(&shell("while :; do :; done"))
        .with_limits(limits(&set))
        .run();
    assert_eq!(breach(&captured).bound, Bound::MaxCpuMillis);
}
