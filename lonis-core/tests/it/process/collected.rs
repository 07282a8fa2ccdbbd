//! Calls that run to their end in the calling thread.

use std::time::Duration;

use lonis_core::limits::Bound;
use lonis_core::process::{self, Backend, Job, ProcessError, Program, Status, Stream};

use super::support::{Handshake, backend, limits, shell, within};

const T: u64 = 2_500;
const G: Duration = Duration::from_millis(250);
const D: Duration = Duration::from_millis(250);

fn timed_out(millis: u64) -> Duration {
    Duration::from_millis(millis) + G
}

#[test]
fn input_output_and_status_come_through() {
    let captured = process::run(&shell("cat; echo err >&2; exit 7"), b"abc".to_vec());
    assert_eq!(captured.failure, None);
    assert_eq!(captured.stdout, b"abc");
    assert_eq!(captured.stderr, b"err\n");
    let outcome = captured.outcome;
    assert_eq!(outcome.status, Some(Status::Exited(7)));
    assert_eq!(
        (
            outcome.stdin_bytes,
            outcome.stdout_bytes,
            outcome.stderr_bytes
        ),
        (3, 3, 4)
    );
    assert!(outcome.wall >= outcome.tool_time);
    // The standard library's wait tells no usage.
    assert_eq!(outcome.cpu.is_some(), backend() != Some(Backend::Portable));
    assert!(!outcome.descendants_ended && outcome.drain_cut.is_empty());
}

#[test]
fn a_grandchild_on_the_pipe_does_not_outlive_the_deadline() {
    let handshake = Handshake::new();
    let script = format!(
        "sleep 100 & echo $! > {}; sleep 100",
        handshake.path("grandchild").display()
    );
    let job = Job::new(&shell(&script)).with_limits(limits(&[(Bound::TimeoutMillis, T)]));
    let captured = within(timed_out(T), || job.run());
    assert!(
        matches!(captured.failure, Some(ProcessError::Timeout { .. })),
        "{captured:?}"
    );
    handshake.assert_ended(&["grandchild"]);
}

#[test]
fn a_leader_that_left_early_is_a_success_within_the_drain() {
    let handshake = Handshake::new();
    let script = format!(
        "sleep 100 & echo $! > {}; echo block",
        handshake.path("grandchild").display()
    );
    let captured = within(D, || process::run(&shell(&script), []));
    assert_eq!(captured.failure, None);
    assert_eq!(captured.stdout, b"block\n");
    assert!(captured.outcome.descendants_ended);
    assert_eq!(captured.outcome.drain_cut, [Stream::Stdout, Stream::Stderr]);
    assert_eq!(captured.outcome.notes.len(), 1);
    handshake.assert_ended(&["grandchild"]);
}

#[test]
fn input_that_is_not_read_is_no_fault() {
    let input = vec![b'x'; 10 << 20];
    let job = Job::new(&shell("sleep 100")).with_stdin(input.clone());
    let job = job.with_limits(limits(&[(Bound::TimeoutMillis, T)]));
    let captured = within(timed_out(T), || job.run());
    assert!(matches!(
        captured.failure,
        Some(ProcessError::Timeout { .. })
    ));
    assert!(captured.outcome.stdin_bytes < 1 << 20);

    let captured = process::run(&shell("exit 0"), input);
    assert_eq!(captured.failure, None);
    assert_eq!(captured.outcome.status, Some(Status::Exited(0)));
}

#[test]
fn both_directions_move_at_once() {
    let input: Vec<u8> = (0..8 << 20)
        .map(|index: u32| index.to_le_bytes()[1])
        .collect();
    let raised = limits(&[
        (Bound::MaxStdoutBytes, 16 << 20),
        (Bound::MaxStderrBytes, 16 << 20),
    ]);
    let captured = Job::new(&shell("exec cat"))
        .with_stdin(input.clone())
        .with_limits(raised)
        .run();
    assert!(captured.stdout == input, "{:?}", captured.failure);
    let captured = Job::new(&shell("exec cat >&2"))
        .with_stdin(input.clone())
        .with_limits(raised)
        .run();
    assert!(captured.stderr == input, "{:?}", captured.failure);
}

#[test]
fn a_cap_allows_exactly_its_value() {
    for (script, bound, stream) in [
        (
            "head -c {} /dev/zero",
            Bound::MaxStdoutBytes,
            Stream::Stdout,
        ),
        (
            "head -c {} /dev/zero >&2",
            Bound::MaxStderrBytes,
            Stream::Stderr,
        ),
    ] {
        for (limit, printed) in [(100_000, 100_000), (100_000, 100_001), (0, 0), (0, 1)] {
            let script = script.replace("{}", &format!("{printed}"));
            let captured = Job::new(&shell(&script))
                .with_limits(limits(&[(bound, limit)]))
                .run();
            let expected = (printed > limit).then_some(ProcessError::OutputLimit {
                stream,
                limit_bytes: limit,
            });
            assert_eq!(
                captured.failure, expected,
                "{printed} of {limit} on {stream}"
            );
            let kept = captured.stdout.len() + captured.stderr.len();
            assert_eq!(kept as u64, printed.min(limit));
        }
    }
}

#[test]
fn a_closed_output_is_not_the_end_of_the_call() {
    let job = Job::new(&shell("exec sleep 100 >&- 2>&-"))
        .with_limits(limits(&[(Bound::TimeoutMillis, T)]));
    let captured = within(timed_out(T), || job.run());
    assert!(matches!(
        captured.failure,
        Some(ProcessError::Timeout { .. })
    ));
}

#[test]
fn a_tool_that_ignores_term_is_killed_after_the_grace() {
    let handshake = Handshake::new();
    let script = format!(
        "trap 'echo term > {}' TERM; trap '' INT; while :; do sleep 1; done",
        handshake.path("term").display()
    );
    // Long enough for a busy machine to run the trap.
    let grace = 3_000;
    let set = limits(&[(Bound::TimeoutMillis, T), (Bound::KillGraceMillis, grace)]);
    let job = Job::new(&shell(&script)).with_limits(set);
    let captured = within(timed_out(T + grace), || job.run());
    assert!(matches!(
        captured.failure,
        Some(ProcessError::Timeout { .. })
    ));
    assert_eq!(captured.outcome.status, Some(Status::Signaled(9)));
    assert!(captured.outcome.wall >= Duration::from_millis(T + grace));
    assert!(handshake.path("term").exists(), "TERM came first");
}

#[test]
fn a_tool_that_leaves_on_term_is_not_waited_for() {
    let job = Job::new(&shell("trap 'exit 0' TERM; while :; do sleep 0.05; done"));
    let patient = limits(&[(Bound::TimeoutMillis, T), (Bound::KillGraceMillis, 60_000)]);
    let captured = within(Duration::from_millis(T), || job.with_limits(patient).run());
    assert!(matches!(
        captured.failure,
        Some(ProcessError::Timeout { .. })
    ));
}

#[test]
fn a_stopped_tool_is_ended() {
    let job = Job::new(&shell("kill -STOP $$")).with_limits(limits(&[(Bound::TimeoutMillis, T)]));
    let captured = within(timed_out(T), || job.run());
    assert!(matches!(
        captured.failure,
        Some(ProcessError::Timeout { .. })
    ));
    assert_eq!(captured.outcome.status, Some(Status::Signaled(15)));
}

#[test]
fn a_signal_is_a_fact() {
    for (number, name) in [(9, "SIGKILL"), (11, "SIGSEGV"), (15, "SIGTERM")] {
        let captured = process::run(&shell(&format!("kill -{number} $$")), []);
        let status = captured.outcome.status.expect("ended");
        assert_eq!(
            (status.signal(), status.signal_name()),
            (Some(number), Some(name))
        );
        assert_eq!(i32::from(status.code()), 128 + number);
    }
}

#[test]
fn managed_runtimes_run_under_the_default_limits() {
    // A Go program and the virtual machine of Java are there as their own tools, where they are there at all.
    for (runtime, arguments) in [
        ("python3", &["-c", "print('hello')"][..]),
        ("node", &["-e", "console.log('hello')"]),
        ("go", &["version"]),
        ("java", &["--version"]),
    ] {
        // All bounds are the default ones but the time that a machine with other work on it takes for a start.
        let program = Program::new(runtime)
            .with_args(arguments.iter().copied())
            .with_limits(limits(&[(Bound::TimeoutMillis, 120_000)]));
        if program.resolve().is_err() {
            println!("skipped: `{runtime}` is not on PATH");
            continue;
        }
        let captured = process::run(&program, []);
        assert_eq!(captured.failure, None, "{captured:?}");
        assert_eq!(
            captured.outcome.status,
            Some(Status::Exited(0)),
            "{captured:?}"
        );
        assert!(!captured.stdout.is_empty(), "{captured:?}");
    }
}
