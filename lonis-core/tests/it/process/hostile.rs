//! The hostile program's modes, each run to its end, pulled, and in a pool: one answer, in time, with nothing left.

use std::time::{Duration, Instant};

use lonis_core::limits::{Bound, Limits};
use lonis_core::process::{Enforcement, Job, Outcome, Pool, ProcessError, Program, Status, Stream};
use misbehave::Handshake;

use super::support::{AMPLE_MILLIS, backend, limits, program, slack};

const G: Duration = Duration::from_millis(250);
const D: Duration = Duration::from_millis(250);

/// How a call is driven.
#[derive(Clone, Copy, Debug)]
enum Way {
    Collected,
    Pulled,
    Pooled,
}

/// What a call gave, whichever way it was driven.
#[derive(Debug)]
struct Answer {
    stdout: Vec<u8>,
    failure: Option<ProcessError>,
    outcome: Outcome,
    elapsed: Duration,
}

fn drive(job: Job, way: Way) -> Answer {
    let started = Instant::now();
    let (stdout, failure, outcome) = match way {
        Way::Collected => {
            let captured = job.run();
            (captured.stdout, captured.failure, captured.outcome)
        }
        Way::Pulled => {
            let mut running = job.start().expect("it starts");
            let mut stdout = Vec::new();
            while let Ok(Some(chunk)) = running.next_chunk() {
                stdout.extend_from_slice(chunk);
            }
            (
                stdout,
                running.failure(),
                running.outcome().expect("over").clone(),
            )
        }
        Way::Pooled => {
            let captured = Pool::new().run_all([job]).remove(0);
            (captured.stdout, captured.failure, captured.outcome)
        }
    };
    Answer {
        stdout,
        failure,
        outcome,
        elapsed: started.elapsed(),
    }
}

/// One case: a mode, its limits, how long it may take (the slack comes on top), and what must be true of the answer.
struct Case {
    mode: &'static [&'static str],
    limits: Limits,
    allowed: Duration,
}

impl Case {
    fn new(mode: &'static [&'static str]) -> Self {
        Self {
            mode,
            limits: Limits::new(),
            allowed: Duration::from_secs(5),
        }
    }

    /// The deadline, which is what ends the call.
    fn timing_out(self, millis: u64) -> Self {
        let limits = self
            .limits
            .with(Bound::TimeoutMillis, millis)
            .expect("in range");
        Self {
            limits,
            allowed: Duration::from_millis(millis) + G,
            ..self
        }
    }

    fn with(self, bound: Bound, value: u64) -> Self {
        Self {
            limits: self.limits.with(bound, value).expect("in range"),
            ..self
        }
    }

    fn within(self, allowed: Duration) -> Self {
        Self { allowed, ..self }
    }

    fn program(&self, handshake: &Handshake) -> Program {
        let arguments = self.mode.iter().map(|argument| (*argument).to_owned());
        program(misbehave::program()).with_args(arguments.chain([handshake.argument()]))
    }

    /// Runs the case in every way, checks the answer, the time, and that no process is left.
    fn check(&self, input: &[u8], check: impl Fn(&Answer)) {
        for way in [Way::Collected, Way::Pulled, Way::Pooled] {
            let mut handshake = Handshake::new().expect("a handshake");
            let job = Job::new(&self.program(&handshake))
                .with_limits(self.limits)
                .with_stdin(input);
            let answer = drive(job, way);
            let mode = self.mode;
            assert!(
                answer.elapsed <= self.allowed + slack(),
                "{mode:?} {way:?}: {:?}",
                answer.elapsed
            );
            check(&answer);
            assert_eq!(handshake.wait_gone(slack()), [], "{mode:?} {way:?}");
        }
    }
}

fn assert_timeout(answer: &Answer) {
    assert!(
        matches!(answer.failure, Some(ProcessError::Timeout { .. })),
        "{answer:?}"
    );
}

fn assert_status(answer: &Answer, status: Status) {
    assert_eq!(
        (answer.failure.as_ref(), answer.outcome.status),
        (None, Some(status)),
        "{answer:?}"
    );
}

#[test]
fn a_pipe_that_a_grandchild_holds_holds_nothing_up() {
    Case::new(&["hold-pipe"])
        .timing_out(2_500)
        .check(b"", assert_timeout);
    Case::new(&["exit-held"]).within(D).check(b"", |answer| {
        assert_status(answer, Status::Exited(0));
        assert!(answer.stdout.ends_with(b"}\n") && answer.outcome.descendants_ended);
        assert_eq!(answer.outcome.drain_cut, [Stream::Stdout, Stream::Stderr]);
    });
    Case::new(&["exit-held", "exit=3"])
        .within(D)
        .check(b"", |answer| {
            assert_status(answer, Status::Exited(3));
        });
}

#[test]
fn fifty_children_on_the_pipe_hold_nothing_up() {
    Case::new(&["fork-many"])
        .timing_out(4_000)
        .check(b"", assert_timeout);
}

#[test]
fn input_moves_beside_output_and_may_be_left() {
    let input: Vec<u8> = (0..1 << 20)
        .map(|number: u32| number.to_le_bytes()[1])
        .collect();
    let copied = input.clone();
    Case::new(&["cat"])
        .with(Bound::MaxStdoutBytes, 4 << 20)
        .check(&input, |answer| {
            assert_status(answer, Status::Exited(0));
            assert!(answer.stdout == copied, "{} bytes", answer.stdout.len());
            assert_eq!(answer.outcome.stdin_bytes, 1 << 20);
        });
    Case::new(&["ignore-stdin"])
        .timing_out(2_500)
        .check(&input, assert_timeout);
    for mode in [
        &["exit-unread"][..],
        &["close-stdin"],
        &["close-stdin", "bytes=10", "millis=50"],
    ] {
        Case::new(mode).check(&input, |answer| {
            assert_status(answer, Status::Exited(0));
            assert!(answer.outcome.stdin_bytes < 1 << 20);
        });
    }
}

#[test]
fn no_state_of_a_tool_outlives_its_deadline() {
    Case::new(&["ignore-term"])
        .timing_out(2_500)
        .check(b"", |answer| {
            assert_timeout(answer);
            assert_eq!(answer.outcome.status, Some(Status::Signaled(9)));
        });
    // It is not waited for once it has left, however long the grace would be.
    Case::new(&["leave-on-term"])
        .timing_out(2_500)
        .with(Bound::KillGraceMillis, 60_000)
        .check(b"", |answer| {
            assert_timeout(answer);
            assert_eq!(answer.outcome.status, Some(Status::Exited(0)));
        });
    Case::new(&["stopped"])
        .timing_out(2_500)
        .check(b"", assert_timeout);
    Case::new(&["close-output"])
        .timing_out(2_500)
        .check(b"", assert_timeout);
    Case::new(&["half-line"])
        .timing_out(2_500)
        .check(b"", |answer| {
            assert_timeout(answer);
            assert!(
                !answer.stdout.is_empty(),
                "what came before the deadline is kept"
            );
        });
}

#[test]
fn exits_and_signals_are_what_they_are() {
    Case::new(&["exit"]).check(b"", |answer| assert_status(answer, Status::Exited(5)));
    for (mode, number) in [(&["die", "signal=9"], 9), (&["die", "signal=11"], 11)] {
        Case::new(mode).check(b"", |answer| {
            assert_status(answer, Status::Signaled(number));
        });
    }
}

#[test]
fn each_stream_has_its_cap() {
    for (mode, bound, stream) in [
        (
            &["exact", "bytes=100000"][..],
            Bound::MaxStdoutBytes,
            Stream::Stdout,
        ),
        (
            &["exact", "bytes=100000", "stream=stderr"],
            Bound::MaxStderrBytes,
            Stream::Stderr,
        ),
    ] {
        Case::new(mode).with(bound, 100_000).check(b"", |answer| {
            assert_status(answer, Status::Exited(0));
        });
        Case::new(mode).with(bound, 99_999).check(b"", |answer| {
            let expected = ProcessError::OutputLimit {
                stream,
                limit_bytes: 99_999,
            };
            assert_eq!(answer.failure.as_ref(), Some(&expected));
        });
    }
    Case::new(&["flood"])
        .within(Duration::from_secs(1))
        .check(b"", |answer| {
            assert!(
                matches!(answer.failure, Some(ProcessError::OutputLimit { .. })),
                "{answer:?}"
            );
            assert_eq!(answer.stdout.len(), 1 << 20);
        });
}

#[test]
fn each_resource_has_its_bound() {
    let breach = |bound: Bound, limit: u64| {
        move |answer: &Answer| {
            let Some(ProcessError::LimitExceeded(breach)) = &answer.failure else {
                panic!("{answer:?}")
            };
            assert_eq!((breach.bound, breach.limit), (bound, limit));
            assert!(
                breach.observed.is_some_and(|observed| observed > limit),
                "{breach:?}"
            );
            let held = answer
                .outcome
                .bounds
                .iter()
                .find(|held| held.bound == bound)
                .expect("in force");
            assert_eq!(held.enforced_by, breach.enforced_by);
        }
    };
    let case = |mode, bound, limit| {
        Case::new(mode)
            .with(bound, limit)
            .with(Bound::TimeoutMillis, AMPLE_MILLIS)
            .within(Duration::from_mins(1))
    };
    let memory = 64 << 20;
    case(&["memory"], Bound::MaxMemoryBytes, memory)
        .check(b"", breach(Bound::MaxMemoryBytes, memory));
    case(&["cpu", "children=2"], Bound::MaxCpuMillis, 300)
        .check(b"", breach(Bound::MaxCpuMillis, 300));
    case(&["processes", "count=40"], Bound::MaxProcesses, 8)
        .check(b"", breach(Bound::MaxProcesses, 8));
    case(&["fill"], Bound::MaxPrivateBytes, 4 << 20).check(b"", |answer| {
        breach(Bound::MaxPrivateBytes, 4 << 20)(answer);
        let Some(ProcessError::LimitExceeded(breach)) = &answer.failure else {
            panic!("{answer:?}")
        };
        assert_eq!(breach.enforced_by, Enforcement::PrivateDirectoryGrowth);
    });
}

#[test]
fn a_bound_on_each_process_makes_its_own_calls_fail() {
    if backend().is_some() {
        // The other backends set these late or not at all, which their own tests are about.
        return;
    }
    Case::new(&["open-files"])
        .with(Bound::MaxOpenFiles, 64)
        .check(b"", |answer| {
            assert_status(answer, Status::Exited(24));
        });
    Case::new(&["memory"])
        .with(Bound::MaxAddressSpaceBytes, 128 << 20)
        .check(b"", |answer| {
            assert_status(answer, Status::Exited(12));
        });
    Case::new(&["big-file", "handle_signal=yes"])
        .with(Bound::MaxFileBytes, 1 << 20)
        .check(b"", |answer| {
            assert_status(answer, Status::Exited(27));
        });
    Case::new(&["big-file", "handle_signal=no"])
        .with(Bound::MaxFileBytes, 1 << 20)
        .check(b"", |answer| {
            let Some(ProcessError::LimitExceeded(breach)) = &answer.failure else {
                panic!("{answer:?}")
            };
            assert_eq!(
                (breach.bound, breach.enforced_by),
                (Bound::MaxFileBytes, Enforcement::FileSizeLimit)
            );
        });
}

#[test]
fn dropping_an_endless_stream_ends_and_reaps_its_group() {
    let mut handshake = Handshake::new().expect("a handshake");
    let case = Case::new(&["endless"]);
    let mut running = Job::new(&case.program(&handshake))
        .start()
        .expect("it starts");
    assert!(running.next_chunk().expect("endless").is_some());
    handshake
        .wait_for("leader", "ready", slack())
        .expect("announced");
    let started = Instant::now();
    drop(running);
    assert_eq!(handshake.wait_gone(slack()), []);
    assert!(started.elapsed() <= G + slack());
    let leader = handshake.pids()[0];
    assert!(!handshake.unreaped().contains(&leader), "no zombie of ours");
}

#[test]
fn a_tool_has_no_terminal() {
    Case::new(&["open-tty"]).check(b"", |answer| {
        assert_status(answer, Status::Exited(0));
        let text = String::from_utf8_lossy(&answer.stdout);
        // ENXIO: the session has none.
        assert!(text.contains("\"output\":6"), "{text}");
    });
}

#[test]
fn limits_of_a_call_go_before_those_of_its_program() {
    let handshake = Handshake::new().expect("a handshake");
    let patient = Case::new(&["quiet", "millis=100000"]).program(&handshake);
    let patient = patient.with_limits(limits(&[(Bound::TimeoutMillis, 60_000)]));
    let job = Job::new(&patient).with_limits(limits(&[(Bound::TimeoutMillis, 300)]));
    assert_timeout(&drive(job, Way::Collected));
}
