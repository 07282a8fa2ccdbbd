//! The blocks of one running child, and how its call ends.
//!
//! Bytes are asked for only when a block is, so that a slow consumer holds the child back. Reasons for an end are looked
//! at in the order of the wire contract: what the host ended, then what the child says, then what its output is.

use std::task::{Context, Poll};

use lonis_schema::{
    BlockBounds, BlockKind, ErrorKind, Json, RawBlock, Read, ReadError, ReplayProvenance,
    SeedBlock, ToolError,
};

use super::exit_meaning::{End, ExitCodes};
use super::failure::{self, Failure, Seen};
use super::made_block::Maker;
use super::mapping::OutputError;
use super::pins::Pins;
use super::reader::{Piece, Reader};
use crate::log::{self, Level};
use crate::process::{ProcessError, Running, Status};
use crate::secrets::Secrets;
use crate::stream::{BlockSource, Facts};

/// The source of a stream over a running child.
pub(crate) struct ChildStream {
    reader: Reader,
    conduct: Conduct,
    course: Course,
    /// Made after everything that the child printed.
    last: Option<SeedBlock>,
    /// The text of a block that was made here and is lent to the consumer.
    lent: String,
}

/// All of a call but its output.
struct Conduct {
    running: Running,
    maker: Maker,
    exit_codes: ExitCodes,
    blocks: u64,
    pins: Pins,
    facts: Facts,
    secrets: Secrets,
}

/// Where a call stands.
enum Course {
    /// The child may print more.
    Printing,
    /// Its output cannot be read on; it has the drain grace to fail by itself, which explains more.
    Explaining(OutputError),
    /// It has ended, and what it printed is handed out to its end.
    Ended,
}

/// What comes next.
enum Next {
    /// A piece, at which the reader stands.
    Piece,
    /// The last block, made by the host, or the end.
    Last,
}

impl ChildStream {
    pub(crate) fn new(
        running: Running,
        reader: Reader,
        maker: Maker,
        exit_codes: ExitCodes,
        notes: Vec<String>,
        secrets: Secrets,
    ) -> Self {
        let facts = Facts {
            notes,
            ..Facts::NONE
        };
        let conduct = Conduct {
            running,
            maker,
            exit_codes,
            blocks: 0,
            pins: Pins::default(),
            facts,
            secrets,
        };
        Self {
            reader,
            conduct,
            course: Course::Printing,
            last: None,
            lent: String::new(),
        }
    }

    /// Goes on to what comes next; an error is the end of the call.
    ///
    /// With a task's context it does not wait, and leaves the task's waker with whoever will have more.
    fn advance(&mut self, mut context: Option<&mut Context<'_>>) -> Poll<Result<Next, ToolError>> {
        loop {
            if !matches!(self.course, Course::Explaining(_)) {
                match self.reader.advance() {
                    Ok(true) => return Poll::Ready(Ok(Next::Piece)),
                    Ok(false) if matches!(self.course, Course::Ended) => {
                        if self.last.is_none() {
                            self.conduct.conclude();
                        }
                        return Poll::Ready(Ok(Next::Last));
                    }
                    Ok(false) => {}
                    Err(error) => self.let_explain(error),
                }
            }
            let chunk = match context.as_deref_mut() {
                Some(context) => match self.conduct.running.poll_chunk(context) {
                    Poll::Ready(chunk) => chunk,
                    Poll::Pending => return Poll::Pending,
                },
                None => self.conduct.running.next_chunk(),
            };
            let ended = match (chunk, &self.course) {
                (Ok(Some(bytes)), Course::Explaining(_)) => {
                    self.reader.push_after_error(bytes);
                    continue;
                }
                (Ok(Some(bytes)), _) => {
                    self.reader.push(bytes);
                    continue;
                }
                (Ok(None) | Err(_), Course::Explaining(error)) => {
                    let error = self.reader.with_excerpt(error);
                    Err(self.conduct.fail_by_output(&error, self.reader.partial()))
                }
                (Ok(None), _) => self.child_has_ended(),
                (Err(error), _) => Err(self.conduct.fail_by_host(&error, self.reader.partial())),
            };
            if let Err(error) = ended {
                return Poll::Ready(Err(error));
            }
        }
    }

    /// Decides what follows from the end of a child that the host did not end.
    fn child_has_ended(&mut self) -> Result<(), ToolError> {
        match self.conduct.judge(self.reader.partial())? {
            // What printed nothing has found nothing: there is no empty text to hand out.
            Some(no_match) if self.conduct.has_printed_nothing() => self.last = Some(no_match),
            last => {
                self.last = last;
                self.reader.end();
            }
        }
        self.course = Course::Ended;
        Ok(())
    }

    /// Gives up on the output of a child.
    fn let_explain(&mut self, error: OutputError) {
        if error.is_breach() {
            self.conduct.running.condemn();
        } else {
            self.conduct.running.abandon();
        }
        self.course = Course::Explaining(error);
    }

    fn typed(
        &mut self,
        mut context: Option<&mut Context<'_>>,
    ) -> Poll<Option<Result<SeedBlock, ToolError>>> {
        loop {
            if let Some(block) = self.front_block() {
                return Poll::Ready(Some(Ok(block)));
            }
            let next = match self.advance(context.as_deref_mut()) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(Ok(Next::Last)) => Ok(self.last.take()),
                Poll::Ready(Ok(Next::Piece)) => self.piece(),
            };
            match next {
                Err(error) => self.let_explain(error),
                Ok(block) => {
                    if let Some(block) = &block {
                        self.conduct.count(block.provenance(), block.bounds());
                    }
                    return Poll::Ready(block.map(Ok));
                }
            }
        }
    }

    /// Reads the block that comes next, where all of it was read and nothing is wrong before it or in it.
    fn front_block(&mut self) -> Option<SeedBlock> {
        if matches!(self.course, Course::Explaining(_)) {
            return None;
        }
        let block = self.reader.front_block()?.into_block();
        self.conduct.count(block.provenance(), block.bounds());
        Some(block)
    }

    /// Makes a block of the piece that the reader stands at.
    fn piece(&mut self) -> Result<Option<SeedBlock>, OutputError> {
        match self.reader.piece() {
            None => Ok(None),
            Some(Piece::Output(output)) => self.conduct.result(output).map(Some),
            Some(Piece::Block(text)) => match RawBlock::from_scanned(text).and_then(typed_block) {
                Ok(block) => Ok(Some(block)),
                Err(error) => Err(self.reader.not_a_block(&error)),
            },
        }
    }

    fn raw(&mut self) -> Result<Option<RawBlock<'_>>, ToolError> {
        if !matches!(self.course, Course::Explaining(_))
            && let Some(front) = self.reader.front_raw()
        {
            let block = front
                .in_text(self.reader.front_text())
                .expect("the text is the one that the block was read from")
                .into_raw_block();
            self.conduct.count(block.provenance(), block.bounds());
            return Ok(Some(block));
        }
        let next = match self.advance(None) {
            Poll::Ready(next) => next?,
            // Without a context every wait is carried out.
            Poll::Pending => return Ok(None),
        };
        let made = match next {
            Next::Last => match self.last.take() {
                Some(block) => Some(block),
                None => return Ok(None),
            },
            Next::Piece => match self.reader.piece() {
                Some(Piece::Output(output)) => match self.conduct.result(output) {
                    Ok(block) => Some(block),
                    Err(error) => {
                        self.conduct.running.give_up(true);
                        return Err(self.conduct.fail_by_output(&error, &[]));
                    }
                },
                Some(Piece::Block(_)) | None => None,
            },
        };
        let block = match made {
            Some(block) => {
                self.lent = serde_json::to_string(&block).map_err(|error| not_written(&error))?;
                RawBlock::read(&self.lent)
            }
            None => match self.reader.block() {
                Some(text) => RawBlock::from_scanned(text),
                None => return Ok(None),
            },
        };
        match block.map(Read::into_raw_block) {
            Ok(block) => {
                self.conduct.count(block.provenance(), block.bounds());
                Ok(Some(block))
            }
            Err(error) => {
                // The reader is lent out in the other case, so this one waits for the child right here.
                self.conduct.running.give_up(true);
                Err(self
                    .conduct
                    .fail_by_output(&self.reader.not_a_block(&error), &[]))
            }
        }
    }
}

/// Reads the payload of a block, all findings appended to its warnings.
fn typed_block(raw: Read<RawBlock<'_>>) -> Result<SeedBlock, ReadError> {
    let Read {
        value,
        mut findings,
    } = raw;
    let mut typed = value.typed()?;
    findings.append(&mut typed.findings);
    Ok(Read {
        value: typed.value,
        findings,
    }
    .into_block())
}

fn not_written(error: &serde_json::Error) -> ToolError {
    ToolError::new(
        ErrorKind::Serialization,
        format!("a block could not be written: {error}"),
    )
}

impl BlockSource<BlockKind> for ChildStream {
    fn next(&mut self) -> Option<Result<SeedBlock, ToolError>> {
        match self.typed(None) {
            Poll::Ready(block) => block,
            // Without a context every wait is carried out.
            Poll::Pending => None,
        }
    }

    fn lends_raw(&self) -> bool {
        true
    }

    fn next_raw(&mut self) -> Option<Result<RawBlock<'_>, ToolError>> {
        self.raw().transpose()
    }

    #[cfg(feature = "futures")]
    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<SeedBlock, ToolError>>> {
        self.typed(Some(context))
    }

    fn facts(&self) -> &Facts {
        &self.conduct.facts
    }
}

impl Conduct {
    /// Says how a child that ended by itself ended: with success, perhaps with a last block, or with a failure.
    fn judge(&mut self, partial: &[u8]) -> Result<Option<SeedBlock>, ToolError> {
        let Some(status) = self.running.outcome().and_then(|outcome| outcome.status) else {
            return Err(self.fail_by_host(&ProcessError::StatusLost, partial));
        };
        let last = match self.exit_codes.meaning(status) {
            End::Success => None,
            End::NoMatch(code) => Some(self.maker.no_match(code)),
            End::Listed(kind, code) => {
                let failure = failure::of_listed_code(kind, code, self.seen(partial));
                return Err(self.fail(failure));
            }
            End::Failure(status) => {
                let failure = failure::of_child(status, self.seen(partial));
                return Err(self.fail(failure));
            }
        };
        if let Some(error) = failure::said_with_success(self.running.stderr()) {
            self.facts.notes.push(format!(
                "the tool succeeded and left an error on stderr: {error}"
            ));
        }
        Ok(last)
    }

    /// Makes the block of an output, which may not be what the tool's definition says.
    fn result(&self, output: Json) -> Result<SeedBlock, OutputError> {
        self.maker.result(output, self.blocks + 1)
    }

    fn has_printed_nothing(&self) -> bool {
        self.running
            .outcome()
            .is_some_and(|outcome| outcome.stdout_bytes == 0)
    }

    fn fail_by_host(&mut self, error: &ProcessError, partial: &[u8]) -> ToolError {
        let error = failure::of_host(error, self.seen(partial));
        self.fail(Failure::of_host(error))
    }

    /// Says how a call whose output is not what its mapping says has failed, once its child has ended.
    fn fail_by_output(&mut self, error: &OutputError, partial: &[u8]) -> ToolError {
        // What stands at an error is no unfinished value, and has its excerpt.
        let partial = if error.is_in_unfinished_value() {
            partial
        } else {
            &[]
        };
        let own = Failure::of_host(self.seen(partial).added_to(error.to_tool_error()));
        if error.is_breach() {
            return self.fail(own);
        }
        if let Some(host) = self.running.failure().filter(comes_before_output) {
            return self.fail_by_host(&host, partial);
        }
        let ended_by_itself = self.running.ended_by_itself();
        let status = self
            .running
            .outcome()
            .and_then(|outcome| outcome.status)
            .filter(|_| ended_by_itself);
        let childs = match status.map(|status| self.exit_codes.meaning(status)) {
            Some(End::Failure(status)) => failure::of_child(status, self.seen(partial)),
            Some(End::Listed(kind, code)) => {
                failure::of_listed_code(kind, code, self.seen(partial))
            }
            Some(End::Success | End::NoMatch(_)) | None => return self.fail(own),
        };
        self.facts.notes.push(own.error.to_string());
        self.fail(childs)
    }

    fn fail(&mut self, failure: Failure) -> ToolError {
        self.facts.diagnostics = self.secrets.masked(failure.diagnostics);
        self.facts.is_hosts_error = !failure.is_childs;
        self.conclude();
        if failure.is_childs {
            failure.error
        } else {
            self.secrets.masked_error(failure.error)
        }
    }

    /// Completes what is known about a call that is over.
    fn conclude(&mut self) {
        if let Some(outcome) = self.running.outcome() {
            self.facts.notes.extend(outcome.notes.iter().cloned());
            self.facts.notes.extend(self.pins.notes(outcome.tool_time));
            self.facts.outcome = Some(outcome.clone());
        }
        log::event(Level::Info, "call.ended", || self.summary());
        for note in &mut self.facts.notes {
            *note = self.secrets.masked(std::mem::take(note));
        }
    }

    /// What is told of a call that is over.
    fn summary(&self) -> Vec<(&'static str, log::Value)> {
        let mut fields = vec![
            ("tool", self.maker.id().as_str().into()),
            ("blocks", self.blocks.into()),
        ];
        if let Some(outcome) = &self.facts.outcome {
            let micros = u64::try_from(outcome.wall.as_micros()).unwrap_or(u64::MAX);
            fields.push(("wall_micros", micros.into()));
            fields.push(("stdout_bytes", outcome.stdout_bytes.into()));
            fields.push(("stderr_bytes", outcome.stderr_bytes.into()));
            match outcome.status {
                Some(Status::Exited(code)) => fields.push(("exit_code", u64::from(code).into())),
                Some(status) => {
                    fields.extend(status.signal_name().map(|name| ("signal", name.into())));
                }
                None => {}
            }
        }
        fields
    }

    /// Counts a block that is handed out, and looks at what it claims about its call.
    fn count(&mut self, provenance: &ReplayProvenance, bounds: &BlockBounds) {
        self.blocks += 1;
        log::event(Level::Trace, "call.block", || {
            vec![("number", self.blocks.into())]
        });
        if let Some(pin) = &provenance.input_hash {
            self.pins
                .look_at_input(self.blocks, pin, self.maker.input_hash());
        }
        if let Some(millis) = bounds.timeout_millis {
            self.pins.look_at_timeout(self.blocks, millis);
        }
    }

    fn seen<'a>(&'a self, partial: &'a [u8]) -> Seen<'a> {
        Seen {
            stderr: self.running.stderr(),
            partial,
            blocks: self.blocks,
        }
    }
}

/// Tells whether a reason of the host's is reported before what is wrong with the output.
fn comes_before_output(error: &ProcessError) -> bool {
    !matches!(error, ProcessError::System(_) | ProcessError::StatusLost)
}
