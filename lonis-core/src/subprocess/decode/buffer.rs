//! The part of an output that is not read to its end yet, as text.

use std::fmt::Write;

/// What is shown around an error.
const EXCERPT_BYTES: usize = 120;

/// How much of it stands before the error, where that is inside of a value.
const EXCERPT_LEAD_BYTES: u64 = 60;

/// Capacity that is kept for ordinary values; what one huge value took is given back.
const KEPT_CAPACITY: usize = 1 << 18;

/// Bytes that were joined to characters, with their place in the output.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    text: String,
    /// How much of `text` was read.
    read: usize,
    /// Where `text` begins in the output.
    base: u64,
    /// Line ends of the output before `text`.
    lines: u64,
    /// The bytes after `text`: the beginning of a character, or what follows from the first byte that is not UTF-8.
    rest: Vec<u8>,
    is_bad: bool,
}

impl Buffer {
    /// Takes more of the output.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        if self.rest.is_empty() {
            self.append_characters(bytes);
        } else if self.is_bad {
            let missing = EXCERPT_BYTES.saturating_sub(self.rest.len());
            self.rest
                .extend_from_slice(&bytes[..bytes.len().min(missing)]);
        } else {
            let mut joined = std::mem::take(&mut self.rest);
            joined.extend_from_slice(bytes);
            self.append_characters(&joined);
        }
    }

    /// Takes as much more of the output as the excerpt of an error at `offset` shows.
    pub(super) fn append_excerpt(&mut self, bytes: &[u8], offset: u64) {
        let end = self.base + (self.text.len() + self.rest.len()) as u64;
        let missing = (offset + EXCERPT_BYTES as u64).saturating_sub(end);
        let missing = usize::try_from(missing).unwrap_or(usize::MAX);
        self.append(&bytes[..bytes.len().min(missing)]);
    }

    fn append_characters(&mut self, bytes: &[u8]) {
        // One check of the whole, which is several times faster than going from character to character.
        let (valid, rest) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, &[][..]),
            Err(error) => {
                // A character that is cut is no error yet: the missing bytes may follow.
                self.is_bad = error.error_len().is_some();
                let (valid, rest) = bytes.split_at(error.valid_up_to());
                let valid = std::str::from_utf8(valid).expect("the check came this far");
                (valid, rest)
            }
        };
        self.text.push_str(valid);
        self.rest
            .extend_from_slice(&rest[..rest.len().min(EXCERPT_BYTES)]);
    }

    /// Forgets what was read.
    pub(super) fn discard_read(&mut self) {
        let read = &self.text.as_bytes()[..self.read];
        self.lines += memchr::memchr_iter(b'\n', read).count() as u64;
        self.base += self.read as u64;
        self.text.drain(..self.read);
        self.read = 0;
        if self.text.capacity() > KEPT_CAPACITY && self.text.len() < KEPT_CAPACITY / 4 {
            self.text.shrink_to(KEPT_CAPACITY);
        }
    }

    pub(super) fn unread(&self) -> &str {
        &self.text[self.read..]
    }

    /// Where the unread part begins in the output.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.read as u64
    }

    /// The line of the byte at `offset` of the unread part, counted from 1.
    pub(super) fn line(&self, offset: usize) -> u64 {
        let before = &self.text.as_bytes()[..self.read + offset];
        self.lines + memchr::memchr_iter(b'\n', before).count() as u64 + 1
    }

    /// The byte after the text, if it is certain that it is not part of a character.
    pub(super) fn bad_byte(&self, is_ended: bool) -> Option<u8> {
        self.rest
            .first()
            .copied()
            .filter(|_| self.is_bad || is_ended)
    }

    pub(super) fn read(&mut self, length: usize) {
        self.read += length;
    }

    pub(super) fn skip_byte_order_mark(&mut self) {
        if let Some(rest) = self.unread().strip_prefix('\u{feff}') {
            self.read = self.text.len() - rest.len();
        }
    }

    pub(super) fn skip_whitespace(&mut self) {
        let rest = self.unread().trim_start_matches([' ', '\t', '\n', '\r']);
        self.read = self.text.len() - rest.len();
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.text.capacity()
    }

    /// Shows what stands around `offset` of the output, which is unread, escaped.
    pub(super) fn excerpt(&self, offset: u64, with_lead: bool) -> String {
        let lead = if with_lead {
            EXCERPT_LEAD_BYTES.min(offset - self.offset())
        } else {
            0
        };
        let start = usize::try_from(offset - lead - self.base)
            .unwrap_or(usize::MAX)
            .min(self.text.len());
        let start = self.text.floor_char_boundary(start);
        let all = &self.text[start..];
        let text = &all[..all.floor_char_boundary(EXCERPT_BYTES)];
        let room = if text.len() < all.len() {
            0
        } else {
            EXCERPT_BYTES - text.len()
        };
        let mut escaped = text.escape_debug().to_string();
        for chunk in self.rest[..self.rest.len().min(room)].utf8_chunks() {
            escaped.extend(chunk.valid().escape_debug());
            for byte in chunk.invalid() {
                write!(escaped, "\\x{byte:02x}").expect("a string takes every text");
            }
        }
        escaped
    }
}
