//! Compares a recorded call with one that was made again.

use lonis_schema::{
    Block, BlockPayload, ContentHash, ErrorKind, Json, ObservedHashes, ReplayStatus, ToolContract,
    ToolError, verify_replay,
};
use serde::Serialize;
use serde_json::json;

use super::recording::{Recording, incomplete};
use crate::BlockStream;

/// How many differences are told one by one.
const MOST_TOLD: usize = 64;

/// What came of making a recorded call again.
///
/// # Wire shape
/// An object: `reproduced`, `contract` (`same`, `changed` or `unknown`), `recorded_blocks` and `observed_blocks`,
/// `differences` with the block's number and both hashes, `pins` with what a block's own pins say, and `errors` where
/// the two calls ended differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether the same came out, and no pin of a block speaks against it.
    pub reproduced: bool,
    /// Whether the tool promises what it promised.
    pub contract: &'static str,
    /// How many blocks the record has.
    pub recorded_blocks: u64,
    /// How many blocks came now.
    pub observed_blocks: u64,
    /// Blocks with another content, the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Blocks whose pins do not hold, the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<BrokenPins>,
    /// The kinds of the two errors, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<[Option<String>; 2]>,
}

/// A block that came out differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// Its number, from 1.
    pub block: u64,
    /// The content hash in the record; `None` where the record has no such block.
    pub recorded: Option<ContentHash>,
    /// The content hash seen now; `None` where no such block came.
    pub observed: Option<ContentHash>,
}

/// A block whose own pins say that it was not made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BrokenPins {
    /// Its number, from 1.
    pub block: u64,
    /// Pins that are required and absent on either side.
    pub missing: Vec<String>,
    /// Pins that differ.
    pub differing: Vec<String>,
}

impl Verdict {
    /// Compares a record with a call that was started for it, to the end of both.
    ///
    /// # Errors
    /// What is wrong with the record; that the call fails is no error but a part of what is compared.
    pub fn of<P: BlockPayload>(
        recording: Recording,
        contract: Option<&ToolContract>,
        observed: Result<BlockStream<P>, ToolError>,
    ) -> Result<Self, ToolError> {
        let mut verdict = Self {
            reproduced: true,
            contract: same_contract(recording.contract(), contract),
            recorded_blocks: 0,
            observed_blocks: 0,
            differences: Vec::new(),
            pins: Vec::new(),
            errors: None,
        };
        let input_hash = recording.input_hash().to_string();
        let (mut recorded, mut recorded_error) = begun(recording.play::<P>()?);
        let (mut observed, mut seen_error) = begun(observed);
        loop {
            let old = recorded
                .as_mut()
                .and_then(|stream| next(stream, &mut recorded_error));
            // A record that is damaged is no call to compare with.
            let is_whole = recorded.as_ref().is_none_or(BlockStream::has_replayed_end);
            if let Some(error) = recorded_error.take_if(|_| !is_whole) {
                return Err(error);
            }
            let new = observed
                .as_mut()
                .and_then(|stream| next(stream, &mut seen_error));
            if old.is_none() && new.is_none() {
                break;
            }
            verdict.compare(old.as_ref(), new.as_ref(), &input_hash)?;
        }
        let kind = |error: &Option<ToolError>| error.as_ref().map(|error| error.kind().to_string());
        let (old, new) = (kind(&recorded_error), kind(&seen_error));
        if old != new {
            verdict.reproduced = false;
            verdict.errors = Some([old, new]);
        }
        Ok(verdict)
    }

    fn compare<P: BlockPayload>(
        &mut self,
        old: Option<&Block<P>>,
        new: Option<&Block<P>>,
        input_hash: &str,
    ) -> Result<(), ToolError> {
        self.recorded_blocks += u64::from(old.is_some());
        self.observed_blocks += u64::from(new.is_some());
        let block = self.recorded_blocks.max(self.observed_blocks);
        let hash = |block: Option<&Block<P>>| {
            block
                .map(Block::content_hash)
                .transpose()
                .map_err(|error| ToolError::new(ErrorKind::Serialization, error.to_string()))
        };
        let (recorded, observed) = (hash(old)?, hash(new)?);
        if recorded != observed {
            self.reproduced = false;
            if self.differences.len() < MOST_TOLD {
                self.differences.push(Difference {
                    block,
                    recorded,
                    observed,
                });
            }
        }
        let (Some(old), Some(new)) = (old, new) else {
            return Ok(());
        };
        let now = new.provenance();
        let observed = ObservedHashes {
            project_hash: now.project_hash.clone(),
            input_hash: Some(input_hash.to_owned()),
            plan_hash: now.plan_hash.clone(),
            result_hash: now.result_hash.clone(),
        };
        if let ReplayStatus::Failed {
            missing,
            mismatches,
        } = verify_replay(old, &observed)
        {
            self.reproduced = false;
            if self.pins.len() < MOST_TOLD {
                self.pins.push(BrokenPins {
                    block,
                    missing,
                    differing: mismatches.into_iter().map(|pin| pin.field).collect(),
                });
            }
        }
        Ok(())
    }

    /// Returns the error for a call that did not come out as it was recorded.
    ///
    /// # Errors
    /// `not_reproduced`, with the verdict as its details.
    pub fn into_result(self) -> Result<Self, ToolError> {
        if self.reproduced {
            return Ok(self);
        }
        let kind = ErrorKind::from("not_reproduced");
        let message = "the call did not come out as it was recorded";
        Err(ToolError::new(kind, message).with_details(json!(self)))
    }
}

/// Refuses an input of which something was left out.
///
/// # Errors
/// `invalid_input` that names the places.
pub fn whole_input(recording: &Recording) -> Result<Json, ToolError> {
    match recording.masked() {
        [] => Ok(recording.input().clone()),
        masked => Err(incomplete(masked)),
    }
}

fn same_contract(old: Option<&ToolContract>, new: Option<&ToolContract>) -> &'static str {
    match (old, new) {
        (Some(old), Some(new)) if old == new => "same",
        (Some(_), Some(_)) => "changed",
        _ => "unknown",
    }
}

/// A stream, or the error of a call that did not begin.
fn begun<P>(
    started: Result<BlockStream<P>, ToolError>,
) -> (Option<BlockStream<P>>, Option<ToolError>) {
    match started {
        Ok(stream) => (Some(stream), None),
        Err(error) => (None, Some(error)),
    }
}

/// The next block; an error ends the blocks and is kept.
fn next<P: BlockPayload>(
    stream: &mut BlockStream<P>,
    error: &mut Option<ToolError>,
) -> Option<Block<P>> {
    match stream.next()? {
        Ok(block) => Some(block),
        Err(failure) => {
            *error = Some(failure);
            None
        }
    }
}

#[cfg(test)]
mod tests;
