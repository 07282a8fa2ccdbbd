//! The whole of stdout as one text.

use lonis_schema::Json;

use super::{OutputError, TextEncoding};

/// Keeps stdout until its end; its cap is what bounds it.
#[derive(Debug)]
pub(crate) struct Text {
    encoding: TextEncoding,
    bytes: Vec<u8>,
    ended: bool,
}

impl Text {
    pub(crate) fn new(encoding: TextEncoding) -> Self {
        Self {
            encoding,
            bytes: Vec::new(),
            ended: false,
        }
    }

    /// Takes more of stdout.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Notes that nothing follows.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Returns the text once, after its end, as the output of a `result`.
    pub(crate) fn next(&mut self) -> Result<Option<Json>, OutputError> {
        if !std::mem::take(&mut self.ended) {
            return Ok(None);
        }
        let bytes = std::mem::take(&mut self.bytes);
        self.encoding.output("stdout", &bytes, 0).map(Some)
    }

    /// Returns what has come so far.
    pub(crate) fn partial(&self) -> &[u8] {
        &self.bytes
    }
}
