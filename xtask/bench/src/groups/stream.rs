//! Blocks of a running child, pulled one by one; time per block.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use futures_core::Stream;
use lonis::limits::{Bound, Limits};
use lonis::{BlockKind, BlockStream, Call, Json, SubprocessTool, Tool, ToolId};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use super::call::program;
use crate::case::{Case, Clock};
use crate::kit::{Kit, which};
use crate::report::Fact;

/// Blocks of one run.
const COUNT: u32 = 50_000;

const PULLED: &str = "ours: pulled, typed";
const PUBLISHED: &str = "published: streamed";

pub(super) fn cases(kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let per_block = |name: &str, operation: Box<dyn FnMut() -> usize>| {
        let all = |seen: &usize| *seen == COUNT as usize;
        Case::new(name, Clock::Wall, operation, all).divided_by(COUNT)
    };
    let (batched, each) = (tool(kit, None), tool(kit, Some("each")));
    let timed = tool(kit, Some("timed"));
    let tools = [batched.clone(), batched.clone(), batched.clone(), batched];
    let [pulled, borrowed, asynchronous, collected] = tools;
    let mut cases = vec![
        per_block(PULLED, Box::new(move || typed(start(&pulled))))
            .at_least(4.0, PUBLISHED)
            .micros_at_most(1.0 / 0.6),
        per_block(
            "ours: pulled, a flush per block",
            Box::new(move || typed(start(&each))),
        )
        .beside(PULLED)
        .micros_at_most(1.0 / 0.45),
        per_block(
            "ours: pulled, another time in each block",
            Box::new(move || typed(start(&timed))),
        )
        .beside(PULLED)
        .beside(PUBLISHED),
        per_block(
            "ours: borrowed",
            Box::new(move || borrowed_blocks(start(&borrowed))),
        )
        .beside(PULLED)
        .micros_at_most(1.0),
        per_block(
            "ours: async",
            Box::new(move || polled(start(&asynchronous))),
        )
        .at_least(0.6, PULLED),
        per_block(
            "ours: collected",
            Box::new(move || {
                start(&collected)
                    .collect_blocks()
                    .map_or(0, |blocks| blocks.len())
            }),
        )
        .beside(PULLED),
        first_block(kit),
    ];
    cases.extend(peers(kit, absent, per_block));
    cases
}

fn peers(
    kit: &Kit,
    absent: &mut Vec<String>,
    per_block: impl Fn(&str, Box<dyn FnMut() -> usize>) -> Case,
) -> Vec<Case> {
    let published = published(kit);
    let collecting = published.clone();
    let child = kit.child.clone();
    let mut cases = vec![
        per_block(
            PUBLISHED,
            Box::new(move || {
                let stream = published_core::Tool::invoke_stream(&published(), Value::Null);
                stream.map_or(0, |stream| stream.filter(Result::is_ok).count())
            }),
        )
        .beside(PULLED),
        per_block(
            "published: collected",
            Box::new(move || {
                let blocks = published_core::Tool::invoke(&collecting(), Value::Null);
                blocks.map_or(0, |blocks| blocks.len())
            }),
        )
        .beside(PULLED),
        per_block(
            "std: split at newlines only",
            Box::new(move || {
                let mut command = Command::new(&child);
                lines(command.args(["blocks", &COUNT.to_string()]))
            }),
        )
        .beside(PULLED),
    ];
    match which("jq") {
        None => absent.push("jq -c .".to_owned()),
        Some(jq) => {
            let file = kit.folder.join("blocks.ndjson");
            let mut child = Command::new(&kit.child);
            let output = child
                .args(["blocks", &COUNT.to_string()])
                .output()
                .map(|output| output.stdout)
                .unwrap_or_default();
            // A file that could not be written shows as a wrong count.
            let _ = fs::write(&file, output);
            cases.push(
                per_block(
                    "jq -c . from a file",
                    Box::new(move || {
                        let mut command = Command::new(&jq);
                        lines(command.args(["-c", "."]).arg(&file))
                    }),
                )
                .beside(PULLED),
            );
        }
    }
    cases
}

fn published(kit: &Kit) -> impl Fn() -> published_core::SubprocessTool + Clone + 'static {
    let child = kit.child.clone();
    move || {
        let id =
            published_schema::ToolId::new("bench:blocks:all").expect("three segments of an id");
        published_core::SubprocessTool::new(id, &child)
            .with_args(vec!["blocks".to_owned(), COUNT.to_string()])
            .with_max_stdout_bytes(4 << 30)
            .with_timeout_millis(60_000)
    }
}

fn tool(kit: &Kit, manner: Option<&str>) -> SubprocessTool {
    let count = COUNT.to_string();
    let arguments: Vec<&str> = ["blocks", &count].into_iter().chain(manner).collect();
    unlimited(kit.child.clone(), &arguments)
}

fn unlimited(path: PathBuf, arguments: &[&str]) -> SubprocessTool {
    let limits = Limits::new()
        .with_nearest(Bound::MaxStdoutBytes, 4 << 30)
        .with_nearest(Bound::TimeoutMillis, 60_000);
    let id = ToolId::new("bench:blocks").expect("two segments");
    SubprocessTool::of_program(id, program(&path, arguments).with_limits(limits))
}

fn start(tool: &SubprocessTool) -> BlockStream<BlockKind> {
    let started = tool.start(Call::new(Json::from(Value::Null)));
    started.unwrap_or_else(|error| BlockStream::from_results(std::iter::once(Err(error))))
}

fn typed(stream: BlockStream<BlockKind>) -> usize {
    stream.filter(Result::is_ok).count()
}

fn borrowed_blocks(mut stream: BlockStream<BlockKind>) -> usize {
    let mut count = 0;
    while let Some(Ok(block)) = stream.next_raw() {
        count += usize::from(block.kind() == "result");
    }
    count
}

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn polled(stream: BlockStream<BlockKind>) -> usize {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut stream = stream.into_async();
    let mut count = 0;
    loop {
        match Pin::new(&mut stream).poll_next(&mut context) {
            Poll::Ready(Some(item)) => count += usize::from(item.is_ok()),
            Poll::Ready(None) => return count,
            Poll::Pending => thread::park(),
        }
    }
}

fn lines(command: &mut Command) -> usize {
    let spawned = command.stdout(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else { return 0 };
    let Some(stdout) = child.stdout.take() else {
        return 0;
    };
    let mut reader = BufReader::with_capacity(1 << 16, stdout);
    let (mut count, mut line) = (0, Vec::new());
    while reader
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        count += 1;
        line.clear();
    }
    // Reaped without a look at its status: the count tells.
    let _ = child.wait();
    count
}

/// From the write of a block to its arrival, for a child that writes now and then.
fn first_block(kit: &Kit) -> Case {
    const WRITES: usize = 9;
    let tool = unlimited(kit.child.clone(), &["stamped", &WRITES.to_string()]);
    Case::of_samples("ours: from a block's write to its arrival", move || {
        let mut delays = Vec::new();
        let mut stream = start(&tool);
        while let Some(block) = stream.next_raw() {
            let block = block.map_err(|error| error.to_string())?;
            let now = clock_gettime(ClockId::Monotonic);
            let data: Value =
                serde_json::from_str(block.data()).map_err(|error| error.to_string())?;
            let written = data["output"].as_i64().unwrap_or_default();
            delays.push(now.tv_sec * 1_000_000_000 + now.tv_nsec - written);
        }
        delays.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "a delay is short")]
        match delays.get(WRITES / 2) {
            Some(delay) if delays.len() == WRITES => Ok(*delay as f64),
            _ => Err(format!("{} blocks of {WRITES} arrived", delays.len())),
        }
    })
    .micros_at_most(300.0)
}

/// Peaks of memory, each of a process of its own.
pub(super) fn facts(kit: &Kit) -> Result<Vec<Fact>, String> {
    let few = peak(kit, 10_000)?;
    let many = peak(kit, 2_000_000)?;
    let mebibytes = |name: &str, value: f64, at_most| Fact {
        name: name.to_owned(),
        value: value / 1024.0,
        unit: "MiB",
        at_most,
    };
    Ok(vec![
        mebibytes("ours: peak memory at 10 000 blocks", few, None),
        mebibytes(
            "ours: more of it at 2 000 000 blocks",
            many - few,
            Some(4.0),
        ),
    ])
}

fn peak(kit: &Kit, count: u32) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(own)
        .arg("peak")
        .arg(&kit.child)
        .arg(count.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut text = String::new();
    if let Some(stdout) = &mut child.stdout {
        stdout
            .read_to_string(&mut text)
            .map_err(|error| error.to_string())?;
    }
    // The figure is judged, not the status.
    let _ = child.wait();
    text.trim()
        .parse()
        .map_err(|_| format!("no peak in `{text}`"))
}

/// The other side of [`peak`]: pulls so many blocks and returns the peak of this process, in KiB.
pub(crate) fn peak_of(child: PathBuf, count: u32) -> Option<u64> {
    let text = count.to_string();
    let tool = unlimited(child, &["blocks", &text]);
    if typed(start(&tool)) != count as usize {
        return None;
    }
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
