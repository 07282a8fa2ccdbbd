use std::time::{Duration, Instant};

use super::super::child::substitute::{self, Act};
use super::super::outcome::{LeftBehindReason, Status};
use super::*;
use crate::limits::{Bound, Limits};

const TERMINATE: Act = Act::Signal(15);
const CONTINUE: Act = Act::Signal(18);
const KILL: Act = Act::Signal(9);

fn shell(script: &str) -> Program {
    Program::new("sh").with_args(["-c", script])
}

fn limits(values: &[(Bound, u64)]) -> Limits {
    let set = |limits: Limits, (bound, value): &(Bound, u64)| {
        limits.with(*bound, *value).expect("in range")
    };
    values.iter().fold(Limits::new(), set)
}

#[test]
fn the_group_is_killed_before_the_leader_is_reaped() {
    let check = |script: &str, values: &[(Bound, u64)], expected: &[Act]| {
        Job::new(&shell(script)).with_limits(limits(values)).run();
        assert_eq!(substitute::acts(), expected, "{script}");
    };
    let timeout = (Bound::TimeoutMillis, 100);
    check("exit 0", &[], &[KILL, Act::Reap]);
    check(
        "sleep 100 & exit 1",
        &[(Bound::DrainGraceMillis, 20)],
        &[KILL, Act::Reap],
    );
    check(
        "sleep 100",
        &[timeout],
        &[TERMINATE, CONTINUE, KILL, Act::Reap],
    );
    let deaf = "trap '' TERM; while :; do sleep 1; done";
    check(
        deaf,
        &[timeout, (Bound::KillGraceMillis, 50)],
        &[TERMINATE, CONTINUE, KILL, Act::Reap],
    );
    check(
        "sleep 100",
        &[timeout, (Bound::KillGraceMillis, 0)],
        &[KILL, Act::Reap],
    );
    check(
        "yes",
        &[(Bound::MaxStdoutBytes, 10)],
        &[TERMINATE, CONTINUE, KILL, Act::Reap],
    );

    drop(Job::new(&shell("sleep 100")).start().expect("started"));
    assert_eq!(substitute::acts(), [KILL, Act::Reap]);
}

#[test]
fn a_leader_whose_end_is_never_reported_is_left_behind() {
    substitute::silence_next();
    let started = Instant::now();
    let job = Job::new(&shell("sleep 100"));
    let captured = job
        .with_limits(limits(&[(Bound::TimeoutMillis, 100)]))
        .run();
    // Deadline, grace, patience.
    let elapsed = started.elapsed();
    assert!(
        (Duration::from_millis(600)..Duration::from_secs(30)).contains(&elapsed),
        "{elapsed:?}"
    );
    assert!(matches!(
        captured.failure,
        Some(ProcessError::Timeout { .. })
    ));
    assert_eq!(captured.outcome.status, None);
    let left: Vec<_> = captured
        .outcome
        .left_behind
        .iter()
        .map(|left| left.reason)
        .collect();
    assert_eq!(left, [LeftBehindReason::Uninterruptible]);
    assert_eq!(substitute::acts(), [TERMINATE, CONTINUE, KILL, Act::Reap]);
    // The layer goes on.
    assert_eq!(
        run(&shell("exit 3"), []).outcome.status,
        Some(Status::Exited(3))
    );
}

#[test]
fn a_cap_is_exact_however_long_the_output_is() {
    let check = |bytes: usize, cap: usize| {
        let program = Program::new("head").with_args(["-c", &bytes.to_string(), "/dev/zero"]);
        let values = [
            (Bound::TimeoutMillis, 90_000),
            (Bound::MaxStdoutBytes, cap as u64),
        ];
        let captured = run(&program.with_limits(limits(&values)), []);
        assert_eq!(captured.stdout.len(), bytes.min(cap), "{bytes} under {cap}");
        let is_over = matches!(captured.failure, Some(ProcessError::OutputLimit { .. }));
        assert_eq!(is_over, bytes > cap, "{bytes} under {cap}");
    };
    // Around what is read at once, and where a long text is read to its place.
    for cap in [65_535, 65_536, 65_537, 131_072, 200_000, 1_000_003] {
        for bytes in [cap - 1, cap, cap + 1, cap + 65_536, 2 * cap] {
            check(bytes, cap);
        }
    }
}

#[test]
fn input_of_every_size_arrives_with_its_end() {
    for bytes in [0, 1, 4_095, 4_096, 65_535, 65_536, 65_537, 1_000_000] {
        let values = [
            (Bound::TimeoutMillis, 90_000),
            (Bound::MaxStdoutBytes, 2_000_000),
        ];
        let program = Program::new("cat").with_limits(limits(&values));
        let input: Vec<u8> = (0..=250).cycle().take(bytes).collect();
        let captured = run(&program, input.clone());
        assert_eq!(captured.failure, None, "{bytes}");
        assert!(captured.stdout == input, "{bytes}");
        assert_eq!(captured.outcome.stdin_bytes, bytes as u64);
    }
}
