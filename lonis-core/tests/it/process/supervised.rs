//! What holds while nobody asks: ceilings, cancels and bounds of held calls, tasks, and many calls at once.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use lonis_core::limits::Bound;
use lonis_core::process::{CancelToken, Job, Pool, ProcessError, Running, Status};

use super::support::{AMPLE_MILLIS, Handshake, limits, shell, slack, within};

const G: Duration = Duration::from_millis(250);

/// A ceiling that leaves the programs of a busy machine the time to begin.
const CEILING: u64 = 3_000;

/// Waits for a while by running a program that does, so that the test itself does not sleep.
fn pass(seconds: &str) {
    let captured = Job::new(&shell(&format!("sleep {seconds}"))).run();
    assert_eq!(captured.failure, None);
}

fn pull(running: &mut Running) -> (Vec<u8>, Result<(), ProcessError>) {
    let mut all = Vec::new();
    loop {
        match running.next_chunk() {
            Ok(Some(chunk)) => all.extend_from_slice(chunk),
            Ok(None) => return (all, Ok(())),
            Err(error) => return (all, Err(error)),
        }
    }
}

fn endless(handshake: &Handshake) -> String {
    format!(
        "echo $$ > {0}.new; mv {0}.new {0}; exec yes",
        handshake.path("leader").display()
    )
}

#[test]
fn a_ceiling_holds_with_nobody_asking() {
    let handshake = Handshake::new();
    let ceiling = limits(&[
        (Bound::MaxWallMillis, CEILING),
        // Long enough for a busy machine to let it leave on TERM.
        (Bound::KillGraceMillis, 20_000),
        (Bound::MaxStdoutBytes, 1 << 40),
    ]);
    let mut running = Job::new(&shell(&endless(&handshake)))
        .with_limits(ceiling)
        .start()
        .expect("started");
    assert!(running.next_chunk().expect("endless").is_some());
    let started = Instant::now();
    let leader = handshake.pid("leader");
    while super::support::stat(leader).is_some() {
        assert!(started.elapsed() < Duration::from_millis(CEILING) + slack());
        std::thread::yield_now();
    }
    // What lay in the pipe is handed over, then the reason comes.
    let (rest, end) = pull(&mut running);
    assert!(
        rest.starts_with(b"y\n") || rest.starts_with(b"\n"),
        "{}",
        rest.len()
    );
    let Err(ProcessError::Ceiling {
        limit,
        elapsed,
        held,
    }) = end
    else {
        panic!("{end:?}")
    };
    assert_eq!(limit, Duration::from_millis(CEILING));
    assert!(
        elapsed >= limit && held <= elapsed && held > Duration::ZERO,
        "{elapsed:?} {held:?}"
    );
    assert_eq!(
        running.outcome().expect("over").status,
        Some(Status::Signaled(15))
    );
}

#[test]
fn a_tool_that_left_before_the_ceiling_keeps_its_outcome() {
    let handshake = Handshake::new();
    let script = format!(
        "sleep 100 & echo $! > {0}.new; mv {0}.new {0}; echo last; exit 3",
        handshake.path("left").display()
    );
    let ceiling = limits(&[(Bound::MaxWallMillis, CEILING)]);
    let mut running = Job::new(&shell(&script))
        .with_limits(ceiling)
        .start()
        .expect("started");
    handshake.wait_for("left");
    // What it left running was ended at the ceiling.
    handshake.assert_ended(&["left"]);
    let (all, end) = pull(&mut running);
    assert_eq!((&all[..], end), (&b"last\n"[..], Ok(())));
    assert_eq!(
        running.outcome().expect("over").status,
        Some(Status::Exited(3))
    );
}

#[test]
fn a_ceiling_holds_for_a_consumer_that_asks() {
    let set = [(Bound::MaxWallMillis, 300), (Bound::TimeoutMillis, 60_000)];
    let mut running = Job::new(&shell("sleep 100"))
        .with_limits(limits(&set))
        .start()
        .expect("started");
    let (_, end) = within(Duration::from_millis(300) + G, || pull(&mut running));
    assert!(matches!(end, Err(ProcessError::Ceiling { .. })), "{end:?}");
    let captured = Job::new(&shell("sleep 100"))
        .with_limits(limits(&set))
        .run();
    assert!(matches!(
        captured.failure,
        Some(ProcessError::Ceiling { .. })
    ));
}

#[test]
fn a_held_call_is_cancelled() {
    let handshake = Handshake::new();
    let token = CancelToken::new();
    let job = Job::new(&shell(&endless(&handshake))).with_cancel(token.clone());
    let mut running = job.start().expect("started");
    assert!(running.next_chunk().expect("endless").is_some());
    token.cancel();
    let started = Instant::now();
    while super::support::stat(handshake.pid("leader")).is_some() {
        assert!(started.elapsed() < G + slack());
        std::thread::yield_now();
    }
    let (_, end) = pull(&mut running);
    assert_eq!(end, Err(ProcessError::Cancelled));
}

#[test]
fn a_second_cancel_without_grace_ends_at_once_whoever_drives() {
    let handshake = Handshake::new();
    let log = handshake.path("log");
    let deaf = shell(&format!(
        "trap '' TERM; echo; echo x >> {}; while :; do sleep 1; done",
        log.display()
    ));
    let patient = limits(&[
        (Bound::KillGraceMillis, 60_000),
        (Bound::TimeoutMillis, 60_000),
    ]);
    let token = CancelToken::new();
    let job = || {
        Job::new(&deaf)
            .with_limits(patient)
            .with_cancel(token.clone())
    };
    let mut held = job().start().expect("started");
    assert_eq!(held.next_chunk(), Ok(Some(&b"\n"[..])));
    let (sender, receiver) = mpsc::channel();
    let pooled = sender.clone();
    Pool::new().submit(job(), move |captured| {
        pooled.send(captured).expect("the test waits");
    });
    let own = job();
    let caller = std::thread::spawn(move || sender.send(own.run()).expect("the test waits"));
    let since = Instant::now();
    while std::fs::read(&log).map_or(0, |log| log.len()) < 3 * "x\n".len() {
        assert!(since.elapsed() < slack(), "not all of them were started");
        std::thread::yield_now();
    }
    token.cancel();
    pass("0.3");
    assert!(receiver.try_recv().is_err(), "they are in their grace");
    within(Duration::ZERO, || {
        token.kill();
        for _ in 0..2 {
            let captured = receiver.recv().expect("answered");
            assert_eq!(captured.failure, Some(ProcessError::Cancelled));
            assert_eq!(captured.outcome.status, Some(Status::Signaled(9)));
        }
        assert_eq!(pull(&mut held).1, Err(ProcessError::Cancelled));
    });
    caller.join().expect("no panic");
}

#[test]
fn sampled_bounds_hold_for_a_held_call() {
    let handshake = Handshake::new();
    let script = format!(
        "echo $$ > {0}; echo y; while :; do :; done",
        handshake.path("leader").display()
    );
    let set = limits(&[(Bound::MaxCpuMillis, 200)]);
    let mut running = Job::new(&shell(&script))
        .with_limits(set)
        .start()
        .expect("started");
    assert_eq!(running.next_chunk(), Ok(Some(&b"y\n"[..])));
    // How long it takes to burn that much is up to the machine; nobody asks meanwhile.
    let leader = handshake.pid("leader");
    let started = Instant::now();
    while super::support::stat(leader).is_some() {
        assert!(started.elapsed() < slack(), "nothing watches a held call");
        std::thread::yield_now();
    }
    let (_, end) = pull(&mut running);
    let Err(ProcessError::LimitExceeded(breach)) = end else {
        panic!("{end:?}")
    };
    assert_eq!(breach.bound, Bound::MaxCpuMillis);
}

/// Wakes the thread of a small executor.
struct Unpark(Thread, AtomicUsize);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.unpark();
    }
}

/// A task that polls a call, on this thread.
struct Task {
    running: Pin<Box<Running>>,
    wakes: Arc<Unpark>,
}

impl Task {
    fn new(running: Running) -> Self {
        let wakes = Arc::new(Unpark(std::thread::current(), AtomicUsize::new(0)));
        Self {
            running: Box::pin(running),
            wakes,
        }
    }

    fn poll(&mut self) -> Poll<Result<Option<Vec<u8>>, ProcessError>> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        let mut context = Context::from_waker(&waker);
        let polled = self.running.poll_chunk(&mut context);
        polled.map(|result| result.map(|chunk| chunk.map(<[u8]>::to_vec)))
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>, ProcessError> {
        loop {
            if let Poll::Ready(result) = self.poll() {
                return result;
            }
            std::thread::park_timeout(Duration::from_secs(10));
        }
    }

    fn pull(&mut self) -> (Vec<u8>, Result<(), ProcessError>) {
        let mut all = Vec::new();
        loop {
            match self.next() {
                Ok(Some(chunk)) => all.extend_from_slice(&chunk),
                Ok(None) => return (all, Ok(())),
                Err(error) => return (all, Err(error)),
            }
        }
    }
}

#[test]
fn a_task_is_woken_by_output_and_by_the_end() {
    let handshake = Handshake::new();
    let script = format!(
        "echo one; while [ ! -e {0} ]; do sleep 0.01; done; echo two; exec 1>&-; sleep 0.1; exit 4",
        handshake.path("go").display()
    );
    let mut task = Task::new(Job::new(&shell(&script)).start().expect("started"));
    assert_eq!(task.next(), Ok(Some(b"one\n".to_vec())));
    assert!(task.poll().is_pending());
    std::fs::write(handshake.path("go"), "").expect("written");
    assert_eq!(task.next(), Ok(Some(b"two\n".to_vec())));
    assert_eq!(task.next(), Ok(None));
    assert_eq!(task.next(), Ok(None));
    assert_eq!(
        task.running.outcome().expect("over").status,
        Some(Status::Exited(4))
    );
    assert!(
        task.wakes.1.load(Ordering::SeqCst) < 20,
        "no polling by wake-ups"
    );
}

#[test]
fn a_task_gets_everything_in_order() {
    let input: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let raised = limits(&[(Bound::MaxStdoutBytes, 1 << 30)]);
    let job = Job::new(&shell("exec cat"))
        .with_stdin(input.clone())
        .with_limits(raised);
    let mut task = Task::new(job.start().expect("started"));
    let (all, end) = task.pull();
    assert_eq!(end, Ok(()));
    assert!(all == input, "{} bytes", all.len());
}

#[test]
fn a_task_sees_deadline_ceiling_cap_and_cancel() {
    let check = |script: &str, bound: Bound, value: u64| {
        let job = Job::new(&shell(script)).with_limits(limits(&[(bound, value)]));
        let mut task = Task::new(job.start().expect("started"));
        within(Duration::from_millis(300) + G, || {
            task.pull().1.expect_err("a breach")
        })
    };
    assert!(matches!(
        check("sleep 100", Bound::TimeoutMillis, 300),
        ProcessError::Timeout { .. }
    ));
    assert!(matches!(
        check(
            "trap '' TERM; while :; do sleep 1; done",
            Bound::TimeoutMillis,
            300
        ),
        ProcessError::Timeout { .. }
    ));
    assert!(matches!(
        check("sleep 100", Bound::MaxWallMillis, 300),
        ProcessError::Ceiling { .. }
    ));
    assert!(matches!(
        check("exec yes", Bound::MaxStdoutBytes, 100_000),
        ProcessError::OutputLimit { .. }
    ));

    let token = CancelToken::new();
    let job = Job::new(&shell("sleep 100")).with_cancel(token.clone());
    let mut task = Task::new(job.start().expect("started"));
    assert!(task.poll().is_pending());
    within(G, || {
        token.cancel();
        assert_eq!(task.next(), Err(ProcessError::Cancelled));
    });
}

#[test]
fn the_time_that_a_task_takes_to_come_back_is_not_billed() {
    let handshake = Handshake::new();
    let script = format!(
        "while [ ! -e {0} ]; do sleep 0.01; done; echo one; sleep 0.2; echo two",
        handshake.path("go").display()
    );
    let job =
        Job::new(&shell(&script)).with_limits(limits(&[(Bound::TimeoutMillis, AMPLE_MILLIS)]));
    let mut task = Task::new(job.start().expect("started"));
    assert!(task.poll().is_pending());
    std::fs::write(handshake.path("go"), "").expect("written");
    // It is woken soon and comes back late.
    let told = Instant::now();
    while task.wakes.1.load(Ordering::SeqCst) == 0 {
        assert!(told.elapsed() < slack(), "nobody woke the task");
        std::thread::yield_now();
    }
    let woken = Instant::now();
    pass("0.6");
    let held = woken.elapsed();
    assert_eq!(task.pull(), (b"one\ntwo\n".to_vec(), Ok(())));
    let outcome = task.running.outcome().expect("over");
    assert!(outcome.held_time >= held, "{held:?} {outcome:?}");
}

#[test]
fn a_dropped_task_leaves_nothing_behind() {
    let handshake = Handshake::new();
    let mut task = Task::new(
        Job::new(&shell(&endless(&handshake)))
            .start()
            .expect("started"),
    );
    assert!(task.next().expect("endless").is_some());
    let leader = handshake.pid("leader");
    drop(task);
    handshake.assert_gone(&["leader"]);
    assert!(super::support::stat(leader).is_none());
}

#[test]
fn a_task_whose_output_is_of_no_use_hears_why_the_tool_fails() {
    let mut task = Task::new(
        Job::new(&shell("echo banner; echo why >&2; exit 2"))
            .with_limits(limits(&[(Bound::DrainGraceMillis, 20_000)]))
            .start()
            .expect("started"),
    );
    assert!(task.next().expect("banner").is_some());
    task.running.abandon();
    assert_eq!(task.next(), Ok(None));
    assert!(task.running.ended_by_itself());
    assert_eq!(
        task.running.outcome().expect("over").status,
        Some(Status::Exited(2))
    );
    assert_eq!(task.running.stderr(), b"why\n");
}

#[test]
fn a_condemned_task_ends_without_standing_still() {
    let handshake = Handshake::new();
    let mut task = Task::new(
        Job::new(&shell(&endless(&handshake)))
            .start()
            .expect("started"),
    );
    assert!(task.next().expect("endless").is_some());
    task.running.condemn();
    let (_, end) = within(G, || task.pull());
    assert_eq!(end, Ok(()));
    assert!(!task.running.ended_by_itself());
    handshake.assert_gone(&["leader"]);
}

#[test]
fn a_pool_runs_everything_within_its_width() {
    let handshake = Handshake::new();
    let script = format!(
        "echo x >> {0}; cat; sleep 0.02; echo y >> {0}",
        handshake.path("log").display()
    );
    let program = shell(&script);
    let jobs = (0..60).map(|number| Job::new(&program).with_stdin(format!("{number}")));
    let results = Pool::with_width(5).run_all(jobs);
    assert_eq!(results.len(), 60);
    for (number, captured) in results.into_iter().enumerate() {
        assert_eq!(captured.failure, None);
        assert_eq!(captured.stdout, number.to_string().as_bytes());
    }
    let log = std::fs::read_to_string(handshake.path("log")).expect("there");
    let mut running = 0_i32;
    let peak = log
        .lines()
        .map(|line| {
            running += if line == "x" { 1 } else { -1 };
            running
        })
        .max();
    assert!((1..=5).contains(&peak.expect("some ran")), "{peak:?}");
}

#[test]
fn each_call_of_a_pool_has_its_own_fate() {
    let token = CancelToken::new();
    let set = limits(&[(Bound::MaxStdoutBytes, 1_000)]);
    let job = |script: &str| Job::new(&shell(script)).with_limits(set);
    let brief = limits(&[(Bound::TimeoutMillis, 300)]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let jobs = vec![
        job("cat").with_stdin("fine"),
        job("sleep 100 & sleep 100").with_limits(brief),
        job("exec yes"),
        job("sleep 100").with_cancel(token.clone()),
        job("echo careful >&2")
            .on_stderr(move |bytes| listener.lock().expect("free").extend_from_slice(bytes)),
        job("echo loud >&2; sleep 100").on_stderr(|_| panic!("a listener that fails")),
        job("exec /nonexistent/program"),
        Job::new(&lonis_core::process::Program::new("/nonexistent/program")),
    ];
    let started = Instant::now();
    let cancel = std::thread::spawn(move || {
        pass("0.2");
        token.cancel();
    });
    let results = Pool::new().run_all(jobs);
    cancel.join().expect("no panic");
    assert!(started.elapsed() < Duration::from_millis(300) + G + slack());
    let failures: Vec<_> = results
        .iter()
        .map(|captured| captured.failure.as_ref())
        .collect();
    assert_eq!(failures[0], None);
    assert_eq!(results[0].stdout, b"fine");
    assert!(matches!(failures[1], Some(ProcessError::Timeout { .. })));
    assert!(matches!(
        failures[2],
        Some(ProcessError::OutputLimit { .. })
    ));
    assert_eq!(failures[3], Some(&ProcessError::Cancelled));
    assert_eq!(*heard.lock().expect("free"), b"careful\n");
    assert_eq!(failures[5], Some(&ProcessError::Cancelled));
    assert_eq!(results[6].outcome.status, Some(Status::Exited(127)));
    assert!(matches!(failures[7], Some(ProcessError::Unavailable(_))));
}

#[test]
fn a_submitted_job_is_answered_although_its_receiver_panics() {
    let pool = Pool::with_width(1);
    let (sender, receiver) = mpsc::channel();
    pool.submit(Job::new(&shell("exit 1")), |_| {
        panic!("a receiver that fails")
    });
    pool.submit(Job::new(&shell("exit 2")), move |captured| {
        sender
            .send(captured.outcome.status)
            .expect("the test waits");
    });
    assert_eq!(receiver.recv(), Ok(Some(Status::Exited(2))));
}
