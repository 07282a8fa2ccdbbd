//! Cuts what a program prints into JSON values while it prints.
//!
//! Owns the framing of the wire contract: which values may stand at top level, what may stand between them, and what an
//! unfinished or wrong byte means. It gives texts and knows no processes; whole blocks it has read by a
//! [`FrontReader`], in one pass.

mod buffer;
mod error;

use buffer::Buffer;
pub use error::{DecodeError, DecodeErrorReason};
use lonis_schema::json::{Found, JsonError, JsonErrorReason, Scan, Scanned, Scanner};
use lonis_schema::{Block, BlockPayload, FrontBlock, FrontReader, Read};

/// Which values stand at top level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Objects, and arrays of objects whose elements are handed out as they close; each object is a value.
    Blocks,
    /// Values of any type; an array is one value.
    Values,
}

/// An incremental reader of one output: bytes go in, whole values come out.
///
/// The same bytes give the same values and the same error, however they are split into pushes. A byte order mark at the
/// start and whitespace between values are skipped. The first error is the last word: nothing is looked for after it.
///
/// # Example
/// ```
/// use lonis_core::subprocess::decode::{Decoder, Framing};
///
/// let mut decoder = Decoder::new(Framing::Blocks, 1 << 20);
/// decoder.push(br#"[{"n":1},{"n"#);
/// assert!(decoder.advance()?);
/// assert_eq!(decoder.value().map(|value| value.text()), Some(r#"{"n":1}"#));
/// assert!(!decoder.advance()?);
/// decoder.push(br#"":2}"#);
/// decoder.end();
/// assert!(decoder.advance()?);
/// assert_eq!(decoder.advance().unwrap_err().to_string(), "truncated after 2 blocks at byte 16, line 1");
/// # Ok::<(), lonis_core::subprocess::decode::DecodeError>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    framing: Framing,
    max_value_bytes: usize,
    buffer: Buffer,
    scanner: Scanner,
    fronts: FrontReader,
    place: Place,
    values: u64,
    is_ended: bool,
    failure: Option<DecodeError>,
}

/// Where in the output the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before everything, where a byte order mark may stand.
    Start,
    TopLevel,
    /// After `[`.
    FirstElement,
    /// After a comma in a top-level array.
    Element,
    /// After an element of a top-level array.
    AfterElement,
    /// In a value, which began in a top-level array or outside of one.
    Value {
        in_array: bool,
    },
    /// At the end of such a value, which is the current one.
    Whole {
        in_array: bool,
    },
    /// The same for a value of this many bytes, which the scanner has not seen.
    Front {
        in_array: bool,
        length: usize,
    },
}

impl Decoder {
    /// Stands before the first byte of an output.
    ///
    /// # Units and bounds
    /// `max_value_bytes` is the longest value that is handed out, from its first byte to its last.
    pub fn new(framing: Framing, max_value_bytes: usize) -> Self {
        Self::with_scanner(framing, max_value_bytes, Scanner::new())
    }

    /// Stands before the first byte of an output whose values will be put into others, and may have fewer levels for it.
    ///
    /// # Units and bounds
    /// Levels of arrays and objects; at most, and else, [`MAX_DEPTH`](lonis_schema::json::MAX_DEPTH).
    pub fn with_max_depth(framing: Framing, max_value_bytes: usize, max_depth: usize) -> Self {
        Self::with_scanner(framing, max_value_bytes, Scanner::with_max_depth(max_depth))
    }

    fn with_scanner(framing: Framing, max_value_bytes: usize, scanner: Scanner) -> Self {
        Self {
            framing,
            max_value_bytes,
            buffer: Buffer::default(),
            scanner,
            fronts: FrontReader::default(),
            place: Place::Start,
            values: 0,
            is_ended: false,
            failure: None,
        }
    }

    /// Takes more of the output; the current value is gone.
    ///
    /// After an error the bytes only serve [`excerpt`](Self::excerpt).
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(failure) = &self.failure {
            self.buffer.append_excerpt(bytes, failure.offset());
            return;
        }
        self.leave_value();
        self.buffer.discard_read();
        self.buffer.append(bytes);
    }

    /// Notes that nothing follows.
    pub fn end(&mut self) {
        self.is_ended = true;
    }

    /// Goes on to the next value; false where more bytes are needed, or where the output is at its end.
    ///
    /// # Errors
    /// The first byte that the output may not have there. Asked again, the answer is the same.
    pub fn advance(&mut self) -> Result<bool, DecodeError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        self.leave_value();
        let advanced = self.find_value();
        if let Err(failure) = &advanced {
            self.failure = Some(failure.clone());
        }
        advanced
    }

    /// Goes on to the next value and reads it as a block, in one pass over its text.
    ///
    /// Gives nothing where the value is no whole block, for whatever reason: [`advance`](Self::advance) then finds out
    /// which. For a value that is given, `advance` need not be called.
    pub fn front_block<P: BlockPayload>(&mut self) -> Option<Read<Block<P>>> {
        let in_array = self.find_front()?;
        let (block, length) = self.fronts.typed(self.buffer.unread())?;
        self.take_front(in_array, length)?;
        Some(block)
    }

    /// Does the same with a payload that is not parsed; [`front_text`](Self::front_text) is the text it was read from.
    pub fn front_raw(&mut self) -> Option<FrontBlock> {
        let in_array = self.find_front()?;
        let block = self.fronts.raw(self.buffer.unread())?;
        self.take_front(in_array, block.end())?;
        Some(block)
    }

    /// Returns the text that begins with the current or the next value.
    pub fn front_text(&self) -> &str {
        self.buffer.unread()
    }

    /// Goes on to the first byte of a value, and tells whether it is in an array.
    fn find_front(&mut self) -> Option<bool> {
        if self.failure.is_some() || matches!(self.place, Place::Value { .. }) {
            return None;
        }
        self.leave_value();
        // What is wrong before the value is found again by `advance`.
        self.find_start().ok()?
    }

    /// Stands at a value of this many bytes that the scanner has not seen, where none may be longer.
    fn take_front(&mut self, in_array: bool, length: usize) -> Option<()> {
        if length > self.max_value_bytes {
            return None;
        }
        self.place = Place::Front { in_array, length };
        self.values += 1;
        Some(())
    }

    /// Returns the current value: the one that [`advance`](Self::advance) went on to.
    pub fn value(&self) -> Option<Scanned<'_>> {
        match self.place {
            Place::Whole { .. } => self.scanner.scanned(self.buffer.unread()),
            _ => None,
        }
    }

    /// Returns where the current or the unfinished value begins.
    ///
    /// # Units and bounds
    /// Bytes from the start of the output.
    pub fn value_offset(&self) -> u64 {
        self.buffer.offset()
    }

    /// Returns how many values were handed out.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// Returns what has begun and is not whole.
    pub fn partial(&self) -> &[u8] {
        match self.place {
            Place::Whole { .. } | Place::Front { .. } => &[],
            _ => self.buffer.unread().as_bytes(),
        }
    }

    /// Shows what stands around the error, escaped: as much of 120 bytes as was read.
    pub fn excerpt(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        let is_in_value = matches!(self.place, Place::Value { .. });
        Some(self.buffer.excerpt(failure.offset(), is_in_value))
    }

    /// Drops the current value.
    fn leave_value(&mut self) {
        let (in_array, length) = match self.place {
            Place::Whole { in_array } => {
                (in_array, self.value().map_or(0, |value| value.text().len()))
            }
            Place::Front { in_array, length } => (in_array, length),
            _ => return,
        };
        self.buffer.read(length);
        self.place = if in_array {
            Place::AfterElement
        } else {
            Place::TopLevel
        };
    }
}

impl Decoder {
    fn find_value(&mut self) -> Result<bool, DecodeError> {
        match self.find_start()? {
            Some(in_array) => self.scan_value(in_array),
            None => self.starve(),
        }
    }

    /// Goes on to the next value, whose first byte it finds or is past already, and tells whether it is in an array.
    fn find_start(&mut self) -> Result<Option<bool>, DecodeError> {
        loop {
            if let Place::Value { in_array } = self.place {
                return Ok(Some(in_array));
            }
            if self.place == Place::Start && !self.buffer.unread().is_empty() {
                self.buffer.skip_byte_order_mark();
                self.place = Place::TopLevel;
            }
            self.buffer.skip_whitespace();
            let Some(byte) = self.buffer.unread().bytes().next() else {
                return Ok(None);
            };
            self.step(byte)?;
        }
    }

    /// Takes a byte between values, or finds that it begins one.
    fn step(&mut self, byte: u8) -> Result<(), DecodeError> {
        let begins_value = self.framing == Framing::Values || byte == b'{';
        let next = match (self.place, byte) {
            (Place::TopLevel, _) if begins_value => Place::Value { in_array: false },
            (Place::FirstElement | Place::Element, _) if begins_value => {
                Place::Value { in_array: true }
            }
            (Place::TopLevel, b'[') => Place::FirstElement,
            (Place::FirstElement | Place::AfterElement, b']') => Place::TopLevel,
            (Place::AfterElement, b',') => Place::Element,
            (place, _) => return Err(self.unexpected(place)),
        };
        if matches!(next, Place::Value { .. }) {
            self.scanner.reset();
        } else {
            self.buffer.read(1);
        }
        self.place = next;
        Ok(())
    }

    fn scan_value(&mut self, in_array: bool) -> Result<bool, DecodeError> {
        let unread = self.buffer.unread();
        // One byte beyond the limit tells a value that is too long from one that just fits.
        let window = &unread[..unread.floor_char_boundary(self.max_value_bytes.saturating_add(1))];
        match self.scanner.scan(window.as_bytes()) {
            Ok(Scan::Complete { end }) if end <= self.max_value_bytes => Ok(self.deliver(in_array)),
            Ok(Scan::Incomplete) if unread.len() <= self.max_value_bytes => self.starve(),
            Err(error) if error.offset() < self.max_value_bytes => Err(self.refuse(&error)),
            _ => Err(self.fail(
                0,
                DecodeErrorReason::TooLong {
                    limit_bytes: self.max_value_bytes,
                },
            )),
        }
    }

    /// Says what it means that there are no more bytes.
    fn starve(&mut self) -> Result<bool, DecodeError> {
        let unread = self.buffer.unread();
        if let Some(byte) = self.buffer.bad_byte(self.is_ended) {
            let reason = DecodeErrorReason::Json(JsonErrorReason::NotUtf8(byte));
            return Err(self.fail(unread.len(), reason));
        }
        match self.place {
            _ if !self.is_ended => return Ok(false),
            Place::Start | Place::TopLevel => return Ok(false),
            Place::Value { in_array } => match self.scanner.finish(unread.as_bytes()) {
                Ok(_) => return Ok(self.deliver(in_array)),
                Err(error) if !error.is_truncation() => return Err(self.refuse(&error)),
                Err(_) => {}
            },
            _ => {}
        }
        let reason = DecodeErrorReason::Truncated {
            values: self.values,
            framing: self.framing,
        };
        Err(self.fail(unread.len(), reason))
    }

    fn deliver(&mut self, in_array: bool) -> bool {
        self.values += 1;
        self.place = Place::Whole { in_array };
        true
    }

    fn unexpected(&self, place: Place) -> DecodeError {
        let expected = match place {
            Place::FirstElement => "a block or `]`",
            Place::Element => "a block",
            Place::AfterElement => "`,` or `]`",
            _ => "a block or an array of blocks",
        };
        let reason = match Found::at(self.buffer.unread().as_bytes(), 0) {
            Some(found) => JsonErrorReason::Unexpected { expected, found },
            None => JsonErrorReason::End { expected },
        };
        self.fail(0, DecodeErrorReason::Json(reason))
    }

    fn refuse(&self, error: &JsonError) -> DecodeError {
        self.fail(
            error.offset(),
            DecodeErrorReason::Json(error.reason().clone()),
        )
    }

    /// Makes the error for the byte at `offset` of what is unread.
    fn fail(&self, offset: usize, reason: DecodeErrorReason) -> DecodeError {
        DecodeError::new(
            self.buffer.offset() + offset as u64,
            self.buffer.line(offset),
            reason,
        )
    }
}

#[cfg(test)]
mod tests;
