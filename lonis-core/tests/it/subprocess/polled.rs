//! A call as an asynchronous stream: the same blocks and the same end, with no executor and no thread of its own.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::Thread;
use std::time::Duration;

use futures_core::Stream;
use lonis_core::limits::Bound;
use lonis_core::process::CancelToken;
use lonis_core::{AsyncBlockStream, Call, Tool};
use lonis_schema::{BlockKind, ErrorKind, SeedBlock, ToolError};
use misbehave::Handshake;
use serde_json::json;

use super::support::{output, tool};
use crate::process::support::{limits, slack, within};

const LIMIT: Duration = Duration::from_mins(1);

/// Unparks the thread that polls.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls once, with a waker that unparks the calling thread.
fn poll_once(
    stream: &mut AsyncBlockStream<BlockKind>,
) -> Poll<Option<Result<SeedBlock, ToolError>>> {
    let waker = Arc::new(Unpark(std::thread::current())).into();
    Pin::new(stream).poll_next(&mut Context::from_waker(&waker))
}

/// Waits for the next item as an executor would.
pub(crate) fn next(
    stream: &mut AsyncBlockStream<BlockKind>,
) -> Option<Result<SeedBlock, ToolError>> {
    loop {
        match poll_once(stream) {
            Poll::Ready(item) => return item,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn a_dropped_stream_leaves_nothing_behind() {
    let mut handshake = Handshake::new().expect("a handshake");
    let endless = tool(&["endless", &handshake.argument()]);
    let mut stream = endless
        .start(Call::new(json!(null)))
        .expect("it starts")
        .into_async();
    assert!(next(&mut stream).expect("an item").is_ok());
    handshake
        .wait_for("leader", "ready", LIMIT)
        .expect("it announces itself");
    within(Duration::from_millis(50), || drop(stream));
    assert_eq!(handshake.wait_gone(slack()), []);
}

#[test]
fn a_task_that_waits_is_woken_by_the_next_block() {
    let mut handshake = Handshake::new().expect("a handshake");
    let gated = tool(&["blocks", "count=2", "gated=yes", &handshake.argument()]);
    let mut stream = gated
        .start(Call::new(json!(null)))
        .expect("it starts")
        .into_async();
    for number in 0..2 {
        handshake
            .wait_for("leader", "gate", LIMIT)
            .expect("it waits");
        assert!(
            poll_once(&mut stream).is_pending(),
            "nothing was printed yet"
        );
        handshake.open_gate("leader", LIMIT).expect("it waits");
        let block = next(&mut stream).expect("an item").expect("a block");
        assert_eq!(output(&block)["number"], number);
    }
    assert!(next(&mut stream).is_none());
    assert!(stream.get_ref().outcome().is_some());
}

#[test]
fn deadline_and_cancel_wake_a_task() {
    let quiet =
        tool(&["quiet", "millis=100000"]).with_limits(limits(&[(Bound::TimeoutMillis, 200)]));
    let mut stream = quiet
        .start(Call::new(json!(null)))
        .expect("it starts")
        .into_async();
    let error = within(Duration::from_millis(450), || next(&mut stream))
        .expect("an item")
        .expect_err("too late");
    assert_eq!(error.kind(), &ErrorKind::Timeout);
    assert!(next(&mut stream).is_none());

    let token = CancelToken::new();
    let call = Call::new(json!(null)).with_cancel(token.clone());
    let mut stream = tool(&["quiet", "millis=100000"])
        .start(call)
        .expect("it starts")
        .into_async();
    assert!(poll_once(&mut stream).is_pending());
    token.cancel();
    let error = within(Duration::from_millis(250), || next(&mut stream))
        .expect("an item")
        .expect_err("cancelled");
    assert_eq!(error.kind(), &ErrorKind::Cancelled);
}

#[test]
fn not_polling_holds_the_tool_back() {
    let mut handshake = Handshake::new().expect("a handshake");
    let endless =
        tool(&["endless", "children=0", &handshake.argument()]).with_max_stdout_bytes(1 << 30);
    let mut stream = endless
        .start(Call::new(json!(null)))
        .expect("it starts")
        .into_async();
    assert!(next(&mut stream).expect("an item").is_ok());
    let pid = handshake
        .wait_for("leader", "ready", LIMIT)
        .expect("it announces itself")
        .pid;
    // Asleep it stands in its write: the pipe is full and nobody reads.
    let written = std::iter::repeat_with(|| written_while_asleep(pid))
        .flatten()
        .next()
        .expect("it comes to rest");
    // One read buffer, the pipe, and what a write in progress has passed on.
    assert!(
        written <= 4 << 16,
        "{written} bytes are ahead of the consumer"
    );
    assert!(next(&mut stream).expect("an item").is_ok());
}

/// Returns what a process has written, if it sleeps.
fn written_while_asleep(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it lives");
    let is_asleep = stat
        .rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim_start().starts_with('S'));
    let io = std::fs::read_to_string(format!("/proc/{pid}/io")).expect("it lives");
    let written = io.lines().find_map(|line| line.strip_prefix("wchar: "))?;
    is_asleep.then(|| written.parse().expect("a number"))
}
