//! Hosts in unusual states, hosts that die, and what a process keeps after many calls.

use std::fs;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use lonis_core::process::{
    self, CancelToken, HostDeath, Job, Pool, ProcessError, Running, Status, Stream,
    raise_descriptor_limit,
};

use super::support::{Handshake, in_own_process, limits, python, shell, slack, stat, within};
use lonis_core::limits::Bound;

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("there").count()
}

fn children() -> String {
    let threads = fs::read_dir("/proc/self/task").expect("there").flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .collect()
}

#[test]
fn a_thousand_drops_leave_nothing_behind() {
    in_own_process(
        "process::hosts::a_thousand_drops_leave_nothing_behind",
        || {
            let endless = shell("echo; while :; do echo; done");
            let round = |rounds: usize| {
                for _ in 0..rounds {
                    let mut running = Job::new(&endless).start().expect("started");
                    assert!(running.next_chunk().expect("endless").is_some());
                    drop(running);
                    drop(Job::new(&endless).start().expect("started"));
                    assert_eq!(
                        process::run(&shell("exit 3"), []).outcome.status,
                        Some(Status::Exited(3))
                    );
                }
            };
            // A reap that takes long is handed to the supervisor: its thread and its two descriptors are there from here on.
            let held = limits(&[(Bound::MaxWallMillis, 60_000)]);
            let mut running = Job::new(&endless)
                .with_limits(held)
                .start()
                .expect("started");
            assert!(running.next_chunk().expect("endless").is_some());
            drop(running);
            round(3);
            let before = descriptors();
            round(333);
            let deadline = Instant::now() + slack();
            while (descriptors() != before || !children().is_empty()) && Instant::now() < deadline {
                std::thread::yield_now();
            }
            assert_eq!(descriptors(), before);
            assert_eq!(children(), "", "no child, be it a zombie");
        },
    );
}

#[test]
fn a_large_host_starts_tools_without_copying_its_memory() {
    in_own_process(
        "process::hosts::a_large_host_starts_tools_without_copying_its_memory",
        || {
            const PAGE: usize = 4_096;
            const PAGES: usize = 16_384;
            let mut memory = vec![0_u8; PAGE * PAGES];
            let mut touch = |value: u8| {
                for page in memory.chunks_mut(PAGE) {
                    page[0] = value;
                }
            };
            let faults = || {
                let stat = stat(std::process::id()).expect("this process runs");
                let fields = stat.rsplit(')').next().unwrap_or_default().to_owned();
                fields
                    .split_whitespace()
                    .nth(7)
                    .and_then(|field| field.parse::<usize>().ok())
                    .expect("a number")
            };
            let program = shell("exit 0");
            touch(1);
            process::run(&program, []);
            let before = faults();
            process::run(&program, []);
            touch(2);
            let taken = faults() - before;
            // A start that copies the page tables makes every page fault again.
            assert!(taken < 64, "{taken} faults");
        },
    );
}

/// Says what a child finds of its signals; a shell lists what was ignored when it started.
const SIGNALS: &str = "grep -E '^Sig(Blk|Ign)' /proc/self/status";

#[test]
fn blocked_and_ignored_signals_of_the_host_do_not_reach_its_tools() {
    // A shell that ignores signals and starts this test once more in its place.
    let own = std::env::current_exe().expect("this program has a path");
    let script = format!(
        "trap '' INT PIPE HUP TERM; exec {} --exact process::hosts::host_with_ignored_signals --nocapture",
        own.display()
    );
    #[expect(
        clippy::disallowed_methods,
        reason = "the host under test is a process of its own"
    )]
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .env("LONIS_TEST_HOST", "1")
        .output();
    let output = output.expect("the shell runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("tested as a host"),
        "{text}"
    );
}

#[test]
fn host_with_ignored_signals() {
    if std::env::var_os("LONIS_TEST_HOST").is_none() {
        return;
    }
    let captured = process::run(&shell(SIGNALS), []);
    let text = String::from_utf8_lossy(&captured.stdout).into_owned();
    assert_eq!(text.matches("0000000000000000").count(), 2, "{text}");
    // TERM reaches a tool although this process ignores it.
    let captured = process::run(&shell("kill -TERM $$"), []);
    assert_eq!(captured.outcome.status.and_then(Status::signal), Some(15));
    println!("tested as a host");
}

#[test]
fn a_host_that_discards_statuses_is_told_so() {
    // Ignoring SIGCHLD is inherited over exec.
    let own = std::env::current_exe().expect("this program has a path");
    let script = "
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], [sys.argv[1], '--exact', 'process::hosts::host_without_statuses', '--nocapture'])";
    let program = python(script)
        .with_args([own])
        .with_env("LONIS_TEST_HOST", "1");
    let captured = process::run(&program, []);
    let text = String::from_utf8_lossy(&captured.stdout).into_owned();
    assert_eq!(captured.outcome.status, Some(Status::Exited(0)), "{text}");
    assert!(text.contains("tested as a host"), "{text}");
}

#[test]
fn host_without_statuses() {
    if std::env::var_os("LONIS_TEST_HOST").is_none() {
        return;
    }
    let captured = process::run(&shell("exit 3"), []);
    assert_eq!(captured.failure, Some(ProcessError::StatusLost));
    assert_eq!(captured.outcome.backend, None, "nothing was started");
    // A program that owns its process may set it right.
    process::restore_child_signal();
    assert_eq!(
        process::run(&shell("exit 3"), []).outcome.status,
        Some(Status::Exited(3))
    );
    println!("tested as a host");
}

/// Starts this test again as a host that runs a tool with a grandchild, and kills that host when both are there.
fn kill_host(case: &str, handshake: &Handshake) {
    let own = std::env::current_exe().expect("this program has a path");
    #[expect(
        clippy::disallowed_methods,
        reason = "the host under test is a process of its own"
    )]
    let mut host = std::process::Command::new(own)
        .args([
            "--exact",
            "process::hosts::host_that_is_killed",
            "--nocapture",
        ])
        .env("LONIS_TEST_HOST", case)
        .env("LONIS_TEST_FOLDER", handshake.path(""))
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    handshake.wait_for("leader");
    handshake.wait_for("grandchild");
    host.kill().expect("ours");
    host.wait().expect("reaped");
}

#[test]
fn host_that_is_killed() {
    let (Ok(case), Some(folder)) = (
        std::env::var("LONIS_TEST_HOST"),
        std::env::var_os("LONIS_TEST_FOLDER"),
    ) else {
        return;
    };
    let folder = std::path::Path::new(&folder).display().to_string();
    let announce = |name: &str, pid: &str| {
        format!("echo {pid} > {folder}/{name}.new; mv {folder}/{name}.new {folder}/{name}")
    };
    let script = format!(
        "{}; sleep 100 > /dev/null 2>&1 & {}; echo; wait",
        announce("leader", "$$"),
        announce("grandchild", "$!")
    );
    let job = Job::new(&shell(&script)).with_limits(limits(&[(Bound::TimeoutMillis, 60_000)]));
    let pull =
        |mut running: Running| while running.next_chunk().is_ok_and(|chunk| chunk.is_some()) {};
    match case.as_str() {
        "collected" => drop(job.run()),
        "tied" => pull(job.tied_to_host().start().expect("started")),
        "pooled" => drop(Pool::new().run_all([job])),
        _ => pull(job.start().expect("started")),
    }
}

#[test]
fn a_host_that_is_killed_takes_with_it_what_is_tied_to_it() {
    for case in ["collected", "tied", "pooled"] {
        let handshake = Handshake::new();
        kill_host(case, &handshake);
        let started = Instant::now();
        let leader = handshake.pid("leader");
        while stat(leader).is_some_and(|stat| !stat.contains(") Z ")) {
            assert!(
                started.elapsed() < Duration::from_secs(1) + slack(),
                "{case}: the leader lives on"
            );
            std::thread::yield_now();
        }
        // The level says `leader`: what that one started lives on.
        super::support::kill(handshake.pid("grandchild"));
    }
    let handshake = Handshake::new();
    kill_host("untied", &handshake);
    for name in ["leader", "grandchild"] {
        super::support::kill(handshake.pid(name));
    }
}

#[test]
fn a_tied_tool_outlives_the_thread_that_asked_for_it() {
    let tied = || {
        Job::new(&shell("echo one; read line; echo two"))
            .with_stdin("x\n")
            .tied_to_host()
    };
    let ask = std::thread::spawn(move || {
        let mut running = tied().start().expect("started");
        let first = running
            .next_chunk()
            .expect("no failure")
            .map(<[u8]>::to_vec);
        (running, first.expect("output"))
    });
    // How much of the output one read holds is the system's business.
    let (mut running, mut output) = ask.join().expect("no panic");
    while let Some(chunk) = running.next_chunk().expect("no failure") {
        output.extend_from_slice(chunk);
    }
    assert_eq!(output, b"one\ntwo\n");
    let outcome = running.outcome().expect("over");
    assert_eq!(outcome.status, Some(Status::Exited(0)));
    assert_eq!(
        outcome.containment.expect("started").host_death,
        HostDeath::Leader
    );
}

#[test]
fn a_raised_limit_on_descriptors_stays_with_the_host() {
    in_own_process(
        "process::hosts::a_raised_limit_on_descriptors_stays_with_the_host",
        || {
            use rustix::process::{Resource, getrlimit};
            let program = shell("ulimit -Sn; ulimit -Hn");
            let before = process::run(&program, []).stdout;
            raise_descriptor_limit().expect("allowed up to the hard limit");
            raise_descriptor_limit().expect("a second time as well");
            let present = getrlimit(Resource::Nofile);
            assert_eq!(
                present.current,
                present
                    .maximum
                    .map_or(Some(65_536), |hard| Some(hard.min(65_536)))
            );
            assert_eq!(process::run(&program, []).stdout, before);
        },
    );
}

#[test]
fn calls_beyond_the_descriptors_wait() {
    in_own_process("process::hosts::calls_beyond_the_descriptors_wait", || {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let present = getrlimit(Resource::Nofile);
        let few = Rlimit {
            current: Some(100),
            maximum: present.maximum,
        };
        setrlimit(Resource::Nofile, few).expect("lowered");
        let echo = shell("cat");
        let jobs = (0..100).map(|number| Job::new(&echo).with_stdin(format!("{number}")));
        let results = Pool::with_width(100).run_all(jobs);
        for (number, captured) in results.iter().enumerate() {
            assert_eq!(captured.failure, None);
            assert_eq!(captured.stdout, number.to_string().as_bytes());
        }
    });
}

#[test]
fn a_quiet_tool_costs_its_host_nothing() {
    in_own_process(
        "process::hosts::a_quiet_tool_costs_its_host_nothing",
        || {
            let switches = || {
                let status = fs::read_to_string("/proc/thread-self/status").expect("there");
                let line = status
                    .lines()
                    .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
                line.and_then(|line| line.trim().parse::<u64>().ok())
                    .expect("a number")
            };
            let before = switches();
            let captured = process::run(&shell("sleep 1"), []);
            assert_eq!(captured.failure, None);
            let taken = switches() - before;
            assert!(taken < 50, "{taken} switches");
        },
    );
}

#[test]
fn a_thousand_live_calls_take_three_threads_of_their_host() {
    in_own_process(
        "process::hosts::a_thousand_live_calls_take_three_threads_of_their_host",
        || {
            use rustix::process::{Resource, geteuid, getrlimit};
            let threads = || fs::read_dir("/proc/self/task").expect("there").count();
            raise_descriptor_limit().expect("allowed up to the hard limit");
            // An unprivileged user has pipes for fewer, and a container may have descriptors for fewer.
            let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
            let has_room = geteuid().is_root() && descriptors > 5_000;
            let calls = if has_room { 1_000 } else { 150 };
            let before = threads();
            let token = CancelToken::new();
            let patient = limits(&[(Bound::TimeoutMillis, 600_000)]);
            let program = shell("echo >&2; exec sleep 600");
            let (announce, announced) = mpsc::channel();
            let (end, ended) = mpsc::channel();
            let pool = Pool::with_width(calls);
            for _ in 0..calls {
                let announce = announce.clone();
                let end = end.clone();
                let job = Job::new(&program)
                    .with_limits(patient)
                    .with_cancel(token.clone())
                    .on_stderr(move |_| announce.send(()).expect("the test waits"));
                pool.submit(job, move |captured| {
                    end.send(captured.failure).expect("the test waits");
                });
            }
            for _ in 0..calls {
                announced.recv().expect("every call runs");
            }
            assert!(ended.try_recv().is_err(), "all of them live");
            let added = threads() - before;
            assert!(added <= 3, "{added} threads for {calls} live calls");
            token.cancel();
            for _ in 0..calls {
                assert_eq!(ended.recv(), Ok(Some(ProcessError::Cancelled)));
            }
        },
    );
}

#[test]
fn many_threads_call_side_by_side() {
    // Each is quiet until all eight are there.
    let handshake = Handshake::new();
    let folder = handshake.path("");
    let program = shell(&format!(
        "cd {}; : > $$; while [ $(ls | wc -l) -lt 8 ]; do sleep 0.01; done; cat",
        folder.display()
    ));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let program = &program;
            scope.spawn(move || {
                let captured = process::run(program, format!("{number}"));
                assert_eq!(captured.stdout, format!("{number}").as_bytes());
            });
        }
    });
}

#[test]
fn a_flood_is_cut_in_little_memory() {
    in_own_process("process::hosts::a_flood_is_cut_in_little_memory", || {
        let peak_kibibytes = || {
            let status = fs::read_to_string("/proc/self/status").expect("there");
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("VmHWM:"))
                .expect("it has memory");
            let number = line.split_ascii_whitespace().next().expect("a number");
            number.parse::<u64>().expect("a number")
        };
        process::run(&shell("echo; echo >&2"), []);
        let before = peak_kibibytes();
        for (script, stream) in [
            ("exec yes", Stream::Stdout),
            ("exec yes >&2", Stream::Stderr),
        ] {
            let captured = within(Duration::from_secs(1), || process::run(&shell(script), []));
            let Some(ProcessError::OutputLimit {
                stream: found,
                limit_bytes,
            }) = captured.failure
            else {
                panic!("{:?}", captured.failure);
            };
            assert_eq!(found, stream);
            assert_eq!(
                (captured.stdout.len() + captured.stderr.len()) as u64,
                limit_bytes
            );
        }
        // The buffers grow with what is kept, by doubling, and nothing else is held.
        let grown = peak_kibibytes() - before;
        assert!(grown <= 4 << 10, "{grown} KiB more");
    });
}

#[test]
fn a_listener_that_panics_leaves_nothing_behind() {
    let handshake = Handshake::new();
    let script = format!(
        "echo $$ > {}; echo loud >&2; exec sleep 100",
        handshake.path("leader").display()
    );
    let job = Job::new(&shell(&script)).on_stderr(|_| panic!("a listener that fails"));
    let collected = std::thread::spawn(move || job.run()).join();
    assert!(collected.is_err(), "the panic is the caller's");
    handshake.assert_gone(&["leader"]);
}
