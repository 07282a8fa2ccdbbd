//! One call, from its start to the end of its processes: the only module that runs tools.
//!
//! Each call is a program of its own under the host's bounds. A way to keep providers between calls would stand here, and
//! nothing else of the server would know.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lonis::limits::Limits;
use lonis::process::{CancelToken, Outcome};
use lonis::{BlockKind, Call, Json, RawBlock, Tool, ToolError};

/// A call that is about to run.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) tool: Arc<dyn Tool<BlockKind>>,
    pub(crate) input: Json,
    pub(crate) limits: Limits,
    pub(crate) cancel: CancelToken,
}

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The texts of the blocks, as received.
    pub(crate) blocks: Vec<String>,
    pub(crate) error: Option<ToolError>,
    /// What was measured; `None` where no program was started.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) wall: Duration,
    /// Whether this program's own code failed.
    pub(crate) has_crashed: bool,
}

/// Runs a call to its end; whoever waits for it is told of each block as it comes.
pub(crate) fn run(job: Job, mut on_block: impl FnMut(&RawBlock<'_>)) -> Finished {
    let began = Instant::now();
    let mut blocks = Vec::new();
    let ran = catch_unwind(AssertUnwindSafe(|| follow(job, &mut blocks, &mut on_block)));
    let has_crashed = ran.is_err();
    let (error, outcome) = ran.unwrap_or((None, None));
    Finished {
        blocks,
        error,
        outcome,
        wall: began.elapsed(),
        has_crashed,
    }
}

fn follow(
    job: Job,
    blocks: &mut Vec<String>,
    on_block: &mut dyn FnMut(&RawBlock<'_>),
) -> (Option<ToolError>, Option<Outcome>) {
    let call = Call::new(job.input)
        .with_limits(job.limits)
        .with_cancel(job.cancel)
        // The thread lives as long as the call, and ends with the process at the latest.
        .tied_to_thread()
        .without_pauses();
    let mut stream = match job.tool.start(call) {
        Ok(stream) => stream,
        Err(error) => return (Some(error), None),
    };
    let mut failed = None;
    while let Some(item) = stream.next_raw() {
        match item {
            Ok(block) => {
                on_block(&block);
                blocks.push(block.text().to_owned());
            }
            Err(error) => failed = Some(error),
        }
    }
    (failed, stream.outcome().cloned())
}
