//! What ends decoding, and where.

use lonis_schema::json::JsonErrorReason;

use super::Framing;

/// The first byte that an output may not have, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset}, line {line}")]
pub struct DecodeError {
    offset: u64,
    line: u64,
    reason: DecodeErrorReason,
}

/// Why an output cannot be read on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorReason {
    /// The output breaks a rule of JSON, or another value stands where a block is due.
    #[error(transparent)]
    Json(JsonErrorReason),
    /// The output ends inside a value or a top-level array.
    #[error("truncated after {values} {}", .framing.noun(*.values))]
    Truncated {
        /// How many values were whole.
        values: u64,
        /// What the values were to be.
        framing: Framing,
    },
    /// One value is longer than allowed; the offset is that of its first byte.
    #[error("a value longer than {limit_bytes} bytes")]
    TooLong {
        /// The limit.
        limit_bytes: usize,
    },
}

impl DecodeError {
    pub(super) fn new(offset: u64, line: u64, reason: DecodeErrorReason) -> Self {
        Self {
            offset,
            line,
            reason,
        }
    }

    /// Returns where the bad byte stands; where the output ends too early, its length.
    ///
    /// # Units and bounds
    /// Bytes from the start of the output, a byte order mark included.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the line of that byte, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns why the byte may not stand there.
    pub fn reason(&self) -> &DecodeErrorReason {
        &self.reason
    }
}

impl Framing {
    fn noun(self, count: u64) -> &'static str {
        match (self, count) {
            (Self::Blocks, 1) => "block",
            (Self::Blocks, _) => "blocks",
            (Self::Values, 1) => "value",
            (Self::Values, _) => "values",
        }
    }
}
