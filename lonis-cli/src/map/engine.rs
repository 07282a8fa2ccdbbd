//! Drives the calls of a map.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_core::Stream;
use lonis::limits::Limits;
use lonis::process::CancelToken;
use lonis::{
    AsyncBlockStream, BlockKind, Call, ErrorKind, Json, OutputMode, SeedBlock, Tool, ToolError,
    not_written,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::bell::Bell;
use super::{Inputs, Item, Journal, item};
use crate::output::Output;

/// How many inputs for each call at one time may be ahead of the output.
const AHEAD: u64 = 4;
/// How many blocks of one call are taken before the others have their turn.
const TURN: usize = 64;
/// How long the first repetition of a call waits; each further one waits twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// No repetition waits longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How the calls are made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) tool: Arc<dyn Tool<BlockKind>>,
    pub(crate) limits: Limits,
    pub(crate) width: u64,
    /// How often a call that failed for a reason that may pass is made again.
    pub(crate) retries: u32,
    pub(crate) cancel: Option<CancelToken>,
    pub(crate) is_confirmed: bool,
}

/// One call under way.
struct Live {
    input: Json,
    attempt: u32,
    stream: AsyncBlockStream<BlockKind>,
    blocks: Vec<SeedBlock>,
}

/// A call that is to be made again.
struct Waiting {
    input: Json,
    attempt: u32,
    due: Instant,
}

/// The calls of a map, from the first input to the last result.
pub(crate) struct Engine<'a> {
    plan: Plan,
    inputs: Inputs,
    journal: Option<Journal>,
    bell: Arc<Bell>,
    live: HashMap<u64, Live>,
    waiting: HashMap<u64, Waiting>,
    /// Results that others come before, as they are to be written.
    done: BTreeMap<u64, Result<String, String>>,
    next_input: u64,
    next_output: u64,
    failed: u64,
    output: &'a mut Output,
}

/// How many inputs there were, and how many of their calls failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) total: u64,
    pub(crate) failed: u64,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(
        plan: Plan,
        inputs: Inputs,
        journal: Option<Journal>,
        output: &'a mut Output,
    ) -> Result<Self, ToolError> {
        let bell = Bell::new().map_err(|error| {
            ToolError::new(ErrorKind::Io, format!("no pipe can be made: {error}"))
        })?;
        Ok(Self {
            plan,
            inputs,
            journal,
            bell,
            live: HashMap::new(),
            waiting: HashMap::new(),
            done: BTreeMap::new(),
            next_input: 0,
            next_output: 0,
            failed: 0,
            output,
        })
    }

    /// Makes every call and writes every result.
    pub(crate) fn run(mut self) -> Result<Tally, ToolError> {
        let is_array = self.output.mode() == OutputMode::Json;
        if is_array {
            self.output.text("[")?;
        }
        loop {
            // What one step changes may be what the next one needs, without anybody ringing for it.
            while self.step()? {}
            if self.inputs.is_over() && self.next_output == self.next_input {
                break;
            }
            if self.is_cancelled() && self.live.is_empty() {
                return Err(ToolError::new(
                    ErrorKind::Cancelled,
                    "the map was cancelled",
                ));
            }
            self.wait()?;
        }
        if is_array {
            self.output.text("]\n")?;
        }
        Ok(Tally {
            total: self.next_output,
            failed: self.failed,
        })
    }

    /// Does what can be done without waiting; returns whether that was anything.
    fn step(&mut self) -> Result<bool, ToolError> {
        let (inputs, outputs) = (self.next_input, self.next_output);
        self.take_inputs()?;
        self.repeat_what_is_due()?;
        let rung = self.bell.take();
        for index in &rung {
            self.look_at(*index)?;
        }
        self.write_what_is_next()?;
        Ok(!rung.is_empty() || self.next_input > inputs || self.next_output > outputs)
    }

    fn is_cancelled(&self) -> bool {
        let token = self.plan.cancel.as_ref();
        token.is_some_and(CancelToken::is_cancelled)
    }

    /// Starts calls for the inputs that were read, as far as there is room.
    fn take_inputs(&mut self) -> Result<(), ToolError> {
        while self.has_room() {
            let Some(input) = self.inputs.next() else {
                break;
            };
            let index = self.next_input;
            self.next_input += 1;
            match input {
                Err(error) => self.conclude(&Item::refused(index, error))?,
                Ok(input) => match self.kept(index, &input)? {
                    Some(line) => {
                        let text = item::kept_text(line, self.output.mode())?;
                        self.done.insert(index, Ok(text));
                    }
                    None => self.start(index, input, 1)?,
                },
            }
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let under_way = (self.live.len() + self.waiting.len()) as u64;
        !self.is_cancelled()
            && under_way < self.plan.width
            && self.next_input - self.next_output < self.plan.width * AHEAD
    }

    fn kept(&self, index: u64, input: &Json) -> Result<Option<String>, ToolError> {
        match &self.journal {
            Some(journal) => journal.known(index, input.content_hash()),
            None => Ok(None),
        }
    }

    fn start(&mut self, index: u64, input: Json, attempt: u32) -> Result<(), ToolError> {
        let mut call = Call::new(input.clone())
            .with_limits(self.plan.limits)
            // The calls are started by the main thread: what ends with it ends with the program.
            .tied_to_thread();
        if let Some(token) = &self.plan.cancel {
            call = call.with_cancel(token.clone());
        }
        if self.plan.is_confirmed {
            call = call.confirmed();
        }
        match self.plan.tool.start(call) {
            Ok(stream) => {
                let stream = stream.into_async();
                let blocks = Vec::new();
                self.live.insert(
                    index,
                    Live {
                        input,
                        attempt,
                        stream,
                        blocks,
                    },
                );
                self.bell.ring(index);
                Ok(())
            }
            Err(error) => {
                let notes = Vec::new();
                self.finish(index, input, attempt, (Vec::new(), notes), Some(error))
            }
        }
    }

    /// Takes what a call has, up to its turn.
    fn look_at(&mut self, index: u64) -> Result<(), ToolError> {
        // A call may ring once more after its end.
        let Some(live) = self.live.get_mut(&index) else {
            return Ok(());
        };
        let waker = self.bell.waker(index);
        let mut context = Context::from_waker(&waker);
        for _ in 0..TURN {
            match Pin::new(&mut live.stream).poll_next(&mut context) {
                Poll::Pending => return Ok(()),
                Poll::Ready(Some(Ok(block))) => live.blocks.push(block),
                Poll::Ready(end) => {
                    let error = end.and_then(Result::err);
                    return match self.live.remove(&index) {
                        Some(Live {
                            input,
                            attempt,
                            stream,
                            blocks,
                        }) => {
                            let notes = stream.get_ref().notes().to_vec();
                            self.finish(index, input, attempt, (blocks, notes), error)
                        }
                        None => Ok(()),
                    };
                }
            }
        }
        self.bell.ring(index);
        Ok(())
    }

    /// Concludes a call, or notes that it is to be made again.
    fn finish(
        &mut self,
        index: u64,
        input: Json,
        attempt: u32,
        (blocks, notes): (Vec<SeedBlock>, Vec<String>),
        error: Option<ToolError>,
    ) -> Result<(), ToolError> {
        let may_pass = error.as_ref().is_some_and(|error| {
            matches!(
                error.kind(),
                ErrorKind::Timeout
                    | ErrorKind::Io
                    | ErrorKind::Unavailable
                    | ErrorKind::RateLimited
            )
        });
        if may_pass && attempt <= self.plan.retries {
            let pause = FIRST_PAUSE.saturating_mul(1 << (attempt - 1).min(16));
            let due = Instant::now() + pause.min(LONGEST_PAUSE);
            let attempt = attempt + 1;
            self.waiting.insert(
                index,
                Waiting {
                    input,
                    attempt,
                    due,
                },
            );
            return Ok(());
        }
        self.conclude(&Item {
            index,
            input_hash: Some(input.content_hash()),
            blocks,
            error,
            attempts: attempt,
            notes,
        })
    }

    fn conclude(&mut self, item: &Item) -> Result<(), ToolError> {
        let is_failure = item.error.is_some();
        // What was broken off is no result: a map that goes on from its journal makes the call again.
        let kept = self.journal.as_mut().filter(|_| !is_failure);
        if let Some(journal) = kept {
            journal.add(&item.text(OutputMode::Ndjson)?)?;
        }
        let text = item.text(self.output.mode())?;
        let text = if is_failure { Err(text) } else { Ok(text) };
        self.done.insert(item.index, text);
        Ok(())
    }

    fn repeat_what_is_due(&mut self) -> Result<(), ToolError> {
        let now = Instant::now();
        let is_due = |waiting: &mut Waiting| waiting.due <= now;
        let due: Vec<_> = self
            .waiting
            .extract_if(|_, waiting| is_due(waiting))
            .collect();
        for (index, Waiting { input, attempt, .. }) in due {
            self.start(index, input, attempt)?;
        }
        Ok(())
    }

    /// Writes the results that nothing comes before any more.
    fn write_what_is_next(&mut self) -> Result<(), ToolError> {
        let mut has_written = false;
        while let Some(text) = self.done.remove(&self.next_output) {
            let is_first = self.next_output == 0;
            self.failed += u64::from(text.is_err());
            let text = text.unwrap_or_else(|failure| failure);
            match self.output.mode() {
                // A call without a block has nothing to show.
                OutputMode::Human if text.is_empty() => {}
                OutputMode::Human => self.output.line(&text)?,
                OutputMode::Json if is_first => self.output.text(&text)?,
                OutputMode::Json => self.output.text(&format!(",\n{text}"))?,
                OutputMode::Ndjson => self.output.text(&format!("{text}\n"))?,
            }
            self.next_output += 1;
            has_written = true;
        }
        if has_written {
            self.output
                .data()
                .flush()
                .map_err(|error| not_written(&error))?;
        }
        Ok(())
    }

    /// Waits until a call rings, a repetition is due, or there are inputs and room for them.
    fn wait(&mut self) -> Result<(), ToolError> {
        let due = self.waiting.values().map(|waiting| waiting.due).min();
        let patience = due.map(|due| due.saturating_duration_since(Instant::now()));
        let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let inputs = self.inputs.waits_for().filter(|_| self.has_room());
        let mut polled = vec![PollFd::new(&*self.bell, PollFlags::IN)];
        polled.extend(inputs.map(|inputs| PollFd::from_borrowed_fd(inputs, PollFlags::IN)));
        let waited = poll(&mut polled, patience.as_ref());
        let has_input = polled
            .get(1)
            .is_some_and(|inputs| !inputs.revents().is_empty());
        match waited {
            Ok(_) if has_input => self.inputs.fill(),
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(ToolError::new(
                ErrorKind::Io,
                format!("waiting failed: {error}"),
            )),
        }
    }
}
