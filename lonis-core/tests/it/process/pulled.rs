//! Calls whose output is handed out as it is asked for.

use std::time::{Duration, Instant};

use lonis_core::limits::Bound;
use lonis_core::process::{CancelToken, Job, ProcessError, Running, Status, Stream};

use super::support::{AMPLE_MILLIS, Handshake, limits, shell, within};

const G: Duration = Duration::from_millis(250);
const D: Duration = Duration::from_millis(250);

/// Pulls until the end and returns what came and how it ended.
fn drain(running: &mut Running) -> (Vec<u8>, Result<(), ProcessError>) {
    let mut all = Vec::new();
    loop {
        match running.next_chunk() {
            Ok(Some(chunk)) => all.extend_from_slice(chunk),
            Ok(None) => return (all, Ok(())),
            Err(error) => return (all, Err(error)),
        }
    }
}

#[test]
fn output_comes_as_it_is_printed() {
    let handshake = Handshake::new();
    let go = handshake.path("go");
    let script = format!(
        "echo one; while [ ! -e {0} ]; do sleep 0.01; done; echo two; exit 3",
        go.display()
    );
    let mut running = Job::new(&shell(&script)).start().expect("started");
    assert_eq!(running.next_chunk(), Ok(Some(&b"one\n"[..])));
    assert!(running.outcome().is_none());
    std::fs::write(&go, "").expect("written");
    assert_eq!(running.next_chunk(), Ok(Some(&b"two\n"[..])));
    for _ in 0..2 {
        assert_eq!(running.next_chunk(), Ok(None));
    }
    let outcome = running.outcome().expect("over");
    assert_eq!(
        (outcome.status, outcome.stdout_bytes),
        (Some(Status::Exited(3)), 8)
    );
}

#[test]
fn held_time_is_not_billed() {
    let handshake = Handshake::new();
    let script = format!("yes & echo $! > {}; wait", handshake.path("yes").display());
    let raised = limits(&[
        (Bound::TimeoutMillis, AMPLE_MILLIS),
        (Bound::MaxStdoutBytes, 1 << 40),
    ]);
    let mut running = Job::new(&shell(&script))
        .with_limits(raised)
        .start()
        .expect("started");
    let mut held = Duration::ZERO;
    // Another process is waited for meanwhile, so that the consumer is slow without sleeping.
    for _ in 0..4 {
        assert!(running.next_chunk().expect("no timeout").is_some());
        let since = Instant::now();
        Job::new(&shell("sleep 0.1")).run();
        held += since.elapsed();
    }
    running.condemn();
    while running.next_chunk().is_ok_and(|chunk| chunk.is_some()) {}
    let outcome = running.outcome().expect("over");
    assert!(outcome.held_time >= held, "{held:?} {outcome:?}");
    assert!(
        outcome.tool_time + outcome.held_time <= outcome.wall,
        "nothing is billed twice: {outcome:?}"
    );
    handshake.assert_ended(&["yes"]);
}

#[test]
fn a_cap_is_the_last_item_and_what_came_before_it_is_whole() {
    for _ in 0..20 {
        let job = Job::new(&shell("head -c 200000 /dev/zero"))
            .with_limits(limits(&[(Bound::MaxStdoutBytes, 199_999)]));
        let mut running = job.start().expect("started");
        let (all, end) = drain(&mut running);
        assert_eq!(all.len(), 199_999);
        let expected = ProcessError::OutputLimit {
            stream: Stream::Stdout,
            limit_bytes: 199_999,
        };
        assert_eq!(end, Err(expected.clone()));
        assert_eq!(running.next_chunk(), Err(expected));
    }
}

#[test]
fn a_timeout_is_the_last_item() {
    let job =
        Job::new(&shell("echo one; sleep 100")).with_limits(limits(&[(Bound::TimeoutMillis, 300)]));
    let (all, end) = within(Duration::from_millis(300) + G, || {
        drain(&mut job.start().expect("started"))
    });
    assert_eq!(all, b"one\n");
    assert!(matches!(end, Err(ProcessError::Timeout { .. })), "{end:?}");
}

#[test]
fn a_leader_that_left_early_is_a_success_within_the_drain() {
    let handshake = Handshake::new();
    let script = format!(
        "sleep 100 & echo $! > {}; echo block",
        handshake.path("grandchild").display()
    );
    let job = Job::new(&shell(&script));
    let mut running = job.start().expect("started");
    let (all, end) = within(D, || drain(&mut running));
    assert_eq!((&all[..], end), (&b"block\n"[..], Ok(())));
    let outcome = running.outcome().expect("over");
    assert!(outcome.descendants_ended);
    assert_eq!(outcome.drain_cut, [Stream::Stdout, Stream::Stderr]);
    handshake.assert_ended(&["grandchild"]);
}

#[test]
fn a_flood_by_a_descendant_does_not_hold_up_the_end() {
    let raised = limits(&[(Bound::MaxStdoutBytes, 1 << 40)]);
    let job = Job::new(&shell("yes & exit 0")).with_limits(raised);
    let mut running = job.start().expect("started");
    let mut bytes = 0;
    // Counted and not kept: what a consumer does with so many is its own time.
    within(D, || {
        while let Some(chunk) = running.next_chunk().expect("no failure") {
            bytes += chunk.len();
        }
    });
    assert!(bytes > 0);
    assert_eq!(
        running.outcome().expect("over").drain_cut,
        [Stream::Stdout, Stream::Stderr]
    );
}

#[test]
fn output_that_waited_long_after_the_exit_is_whole() {
    let mut running = Job::new(&shell("head -c 60000 /dev/zero"))
        .start()
        .expect("started");
    Job::new(&shell("sleep 0.6")).run();
    let (all, end) = drain(&mut running);
    assert_eq!((all.len(), end), (60_000, Ok(())));
}

#[test]
fn dropping_ends_the_group() {
    let handshake = Handshake::new();
    let script = format!(
        "echo $$ > {}; sh -c 'trap \"\" TERM; echo $$ > {}; while echo y; do :; done'",
        handshake.path("leader").display(),
        handshake.path("grandchild").display()
    );
    let mut running = Job::new(&shell(&script)).start().expect("started");
    assert!(running.next_chunk().expect("endless").is_some());
    within(Duration::ZERO, || drop(running));
    handshake.assert_gone(&["leader"]);
    handshake.assert_ended(&["grandchild"]);
}

#[test]
fn cancel_from_another_thread_ends_a_quiet_call() {
    let handshake = Handshake::new();
    let started = handshake.path("started");
    let token = CancelToken::new();
    let script = format!(
        "echo warning >&2; echo > {}; exec sleep 100",
        started.display()
    );
    let (sender, receiver) = std::sync::mpsc::channel();
    let job = Job::new(&shell(&script))
        .with_cancel(token.clone())
        .on_stderr(move |bytes| {
            sender.send(bytes.to_vec()).expect("the test listens");
        });
    std::thread::scope(|scope| {
        let call = scope.spawn(|| job.run());
        // The line is there before the program has ended.
        assert_eq!(receiver.recv().expect("heard"), b"warning\n");
        handshake.wait_for("started");
        let captured = within(G, || {
            token.cancel();
            call.join().expect("no panic")
        });
        assert_eq!(captured.failure, Some(ProcessError::Cancelled));
        assert_eq!(captured.stderr, b"warning\n");
    });
    let captured = Job::new(&shell("sleep 100")).with_cancel(token).run();
    assert_eq!(captured.failure, Some(ProcessError::Cancelled));
}

#[test]
fn a_tool_whose_output_is_of_no_use_may_still_say_why_it_fails() {
    let patient = limits(&[(Bound::DrainGraceMillis, 20_000)]);
    let mut running = Job::new(&shell("echo banner; echo why >&2; exit 2"))
        .with_limits(patient)
        .start()
        .expect("started");
    assert!(running.next_chunk().expect("banner").is_some());
    running.give_up(true);
    assert_eq!(
        running.outcome().expect("over").status,
        Some(Status::Exited(2))
    );
    assert_eq!(running.stderr(), b"why\n");

    let mut running = Job::new(&shell("echo banner; sleep 100"))
        .start()
        .expect("started");
    assert!(running.next_chunk().expect("banner").is_some());
    within(D + G, || running.give_up(true));
    let outcome = running.outcome().expect("over");
    assert_eq!(outcome.status, Some(Status::Signaled(15)));
}
