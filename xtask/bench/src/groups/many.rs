//! Many calls at once; time per call.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lonis::limits::{Bound, Limits};
use lonis::process::{self, CancelToken, Job, Pool, ProcessError, Program};
use serde_json::Value;

use super::call::{block_of, program};
use crate::case::{Case, Clock, Place};
use crate::kit::{Kit, which};
use crate::report::Fact;

/// Calls of one sample.
const CALLS: u32 = 200;
const LIVE: u32 = 1_000;

const WIDTH_EIGHT: &str = "ours: pool of width 8";
const LIGHT: &str = "published: a thread per call, 1 000 at once";
const HEAVY: &str = "published: a thread per call, heavy child";

pub(super) fn cases(kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let light = program(&kit.child, &["echo"]);
    let heavy = program(&kit.provider, &["--mode", "ndjson", "call", "bench:echo"]);
    let (block, text) = (block_of(1024), r#"{"text":"hello"}"#.to_owned());
    let pooled = |name: &str, width, calls, program: &Program, input: &String| {
        counted(name, calls, {
            let (program, input) = (program.clone(), input.clone());
            move || pool(width, calls, &program, &input)
        })
    };
    let mut cases = vec![
        pooled("ours: pool of width 1", 1, CALLS, &light, &block).beside(WIDTH_EIGHT),
        pooled(WIDTH_EIGHT, 8, CALLS, &light, &block),
        pooled("ours: pool of width 64", 64, CALLS, &light, &block).beside(WIDTH_EIGHT),
        pooled("ours: 1 000 at once", LIVE as usize, LIVE, &light, &block)
            .beside(WIDTH_EIGHT)
            .at_most_reach(0.5, 0.35, LIGHT),
        pooled(
            "ours: pool of width 8, heavy child",
            8,
            CALLS,
            &heavy,
            &text,
        )
        .at_most(0.9, HEAVY),
        counted("ours: a thread per call, 1 000 at once", LIVE, {
            let (program, input) = (light, block.clone());
            move || threads(LIVE, || process::run(&program, input.clone()).stdout.len())
        })
        .beside(WIDTH_EIGHT),
    ];
    cases.extend(peers(kit, absent, &block));
    cases
}

fn counted(name: &str, calls: u32, operation: impl FnMut() -> usize + 'static) -> Case {
    Case::new(name, Clock::Wall, operation, move |done| {
        *done == calls as usize
    })
    .divided_by(calls)
    .in_place(Place::Small)
}

fn pool(width: usize, calls: u32, program: &Program, input: &str) -> usize {
    let jobs = (0..calls).map(|_| Job::new(program).with_stdin(input));
    let mut done = 0;
    Pool::with_width(width).run_each(jobs, |_, captured| {
        done += usize::from(captured.failure.is_none() && captured.stdout.len() > 100);
    });
    done
}

/// Runs as many threads at once, and returns how many calls gave something.
fn threads(count: u32, call: impl Fn() -> usize + Sync) -> usize {
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| done.fetch_add(usize::from(call() > 0), Ordering::Relaxed));
        }
    });
    done.into_inner()
}

fn peers(kit: &Kit, absent: &mut Vec<String>, block: &str) -> Vec<Case> {
    let tool = |path: &Path, arguments: &[&str]| {
        let id = published_schema::ToolId::new("bench:echo:block").expect("three segments");
        published_core::SubprocessTool::new(id, path)
            .with_args(arguments.iter().map(ToString::to_string).collect())
            .with_timeout_millis(60_000)
    };
    let published = |tool: published_core::SubprocessTool, input: Value, count: u32| {
        move || {
            threads(count, || {
                let blocks = published_core::Tool::invoke(&tool, input.clone());
                blocks.map_or(0, |blocks| blocks.len())
            })
        }
    };
    let input: Value = serde_json::from_str(block).expect("a block is JSON");
    let light = tool(&kit.child, &["echo"]);
    let heavy = tool(&kit.provider, &["--mode", "ndjson", "call", "bench:echo"]);
    let text = serde_json::json!({"text": "hello"});
    let mut cases = vec![
        counted(LIGHT, LIVE, published(light, input, LIVE)).beside(WIDTH_EIGHT),
        counted(HEAVY, CALLS, published(heavy, text, CALLS)),
    ];
    for (name, peer, arguments) in [
        (
            "xargs -P 8 around the same child",
            "xargs",
            vec!["-P", "8", "-I", "{}"],
        ),
        (
            "GNU parallel -j 8 around the same child",
            "parallel",
            vec!["-j", "8"],
        ),
    ] {
        let Some(peer) = which(peer) else {
            absent.push(name.to_owned());
            continue;
        };
        let child = kit.child.clone();
        cases.push(
            counted(name, CALLS, move || {
                let mut command = Command::new(&peer);
                command.args(&arguments).arg(&child).args(["exit"]);
                usize::from(feed(command)) * CALLS as usize
            })
            .beside(WIDTH_EIGHT),
        );
    }
    cases
}

/// Gives a program a line for each call.
fn feed(mut command: Command) -> bool {
    let spawned = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = spawned else { return false };
    let lines = "line\n".repeat(CALLS as usize);
    let written = child
        .stdin
        .take()
        .is_some_and(|mut stdin| stdin.write_all(lines.as_bytes()).is_ok());
    let ended = child.wait();
    written && ended.is_ok_and(|status| status.success())
}

/// What 1 000 live calls take of their host, and how late deadlines are.
pub(super) fn facts(kit: &Kit) -> Result<Vec<Fact>, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(own)
        .arg("live")
        .arg(&kit.child)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let figures: Vec<f64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let [threads, kibibytes, live, p50, p99, most, lost] = figures[..] else {
        return Err(format!("the host of live calls printed `{text}`"));
    };
    let fact = |name: &str, value, unit, at_most| Fact {
        name: name.to_owned(),
        value,
        unit,
        at_most,
    };
    Ok(vec![
        fact("ours: calls alive at once", live, "calls", None),
        fact("ours: threads more for them", threads, "threads", Some(3.0)),
        fact(
            "ours: memory more for them",
            kibibytes / 1024.0,
            "MiB",
            Some(6.0),
        ),
        fact("200 timeouts, late by (p50)", p50, "ms", None),
        fact("200 timeouts, late by (p99)", p99, "ms", Some(5.0)),
        fact("200 timeouts, late by (most)", most, "ms", None),
        fact("200 timeouts, lost", lost, "calls", Some(0.0)),
    ])
}

/// The other side of [`facts`]: a process that holds the calls and looks at itself.
pub(crate) fn hold_live(child: &Path) -> Option<String> {
    let live = live(child)?;
    let late = timeouts(child);
    Some(format!("{live} {late}"))
}

fn live(child: &Path) -> Option<String> {
    // All threads and buffers that one call needs are there before the first look.
    pool(1, 1, &program(child, &["echo"]), &block_of(1024));
    let (threads, kibibytes) = (figure("Threads:")?, figure("VmRSS:")?);
    let limits = Limits::new().with_nearest(Bound::TimeoutMillis, 60_000);
    let sleeper = program(child, &["sleep", "60000"]).with_limits(limits);
    let token = CancelToken::new();
    let pool = Pool::with_width(LIVE as usize);
    for _ in 0..LIVE {
        pool.submit(
            Job::new(&sleeper).with_cancel(token.clone()),
            |_captured| {},
        );
    }
    let start = Instant::now();
    let mut alive = 0;
    while start.elapsed() < Duration::from_secs(20) && alive < LIVE as usize {
        thread::sleep(Duration::from_millis(50));
        alive = children();
    }
    let (threads, kibibytes) = (figure("Threads:")? - threads, figure("VmRSS:")? - kibibytes);
    token.cancel();
    while start.elapsed() < Duration::from_secs(40) && children() > 0 {
        thread::sleep(Duration::from_millis(20));
    }
    Some(format!("{threads} {kibibytes} {alive}"))
}

fn children() -> usize {
    let tasks = fs::read_dir("/proc/self/task");
    let lists = tasks.into_iter().flatten().flatten().filter_map(|task| {
        let list = fs::read_to_string(task.path().join("children")).ok()?;
        Some(list.split_whitespace().count())
    });
    lists.sum()
}

fn figure(key: &str) -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn timeouts(child: &Path) -> String {
    const LIMIT: Duration = Duration::from_millis(500);
    let limits = Limits::new().with_nearest(Bound::TimeoutMillis, 500);
    let holder = program(child, &["hold"]).with_limits(limits);
    let pool = Pool::with_width(CALLS as usize);
    let results = pool.run_all((0..CALLS).map(|_| Job::new(&holder)));
    let mut late: Vec<f64> = results
        .iter()
        .filter(|captured| matches!(captured.failure, Some(ProcessError::Timeout { .. })))
        .map(|captured| captured.outcome.wall.saturating_sub(LIMIT).as_secs_f64() * 1e3)
        .collect();
    let lost = CALLS as usize - late.len();
    late.sort_unstable_by(f64::total_cmp);
    let at = |percent: usize| late.get(late.len() * percent / 100).copied();
    let most = late.last().copied();
    let text = |value: Option<f64>| value.map_or("NaN".to_owned(), |value| value.to_string());
    format!("{} {} {} {lost}", text(at(50)), text(at(99)), text(most))
}
