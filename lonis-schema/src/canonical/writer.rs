//! Writes canonical tokens, and puts the members of an object in order when it ends.
//!
//! Knows nothing of where the tokens come from. An object that was given in order, as most are after the first time, is
//! never moved.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::CanonicalError;
use crate::json::scan::{skip_plain, try_unescape, unescape};
use crate::number::Number;

/// Room for the text, objects and members of an ordinary block, so that it is written without growing.
const ORDINARY_BYTES: usize = 1024;
const ORDINARY_OBJECTS: usize = 8;
const ORDINARY_MEMBERS: usize = 24;

/// A canonical text that is being written.
#[derive(Debug)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    /// The innermost object that is open.
    object: Object,
    /// The objects around it.
    outer: Vec<Object>,

    /// The members of all open objects, the innermost object's last.
    members: Vec<Member>,
    /// Whether an escape was written since the last key began.
    has_escape: bool,
}

#[derive(Debug, Clone, Copy)]
struct Object {
    first_member: usize,
    is_sorted: bool,
}

impl Object {
    /// Outside of every object.
    const NONE: Self = Self {
        first_member: 0,
        is_sorted: true,
    };
}

#[derive(Debug)]
struct Member {
    /// The first characters of the key as a number of the same order, which decides nearly every comparison.
    prefix: u64,
    /// The inside of the key's quotes, as written.
    key: Range<usize>,
    is_escaped: bool,
    /// Where the member ends; known once the next one begins.
    end: usize,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self::with_capacity(ORDINARY_BYTES)
    }

    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
            object: Object::NONE,
            outer: Vec::with_capacity(ORDINARY_OBJECTS),

            members: Vec::with_capacity(ORDINARY_MEMBERS),
            has_escape: false,
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn number(&mut self, number: Number) {
        self.separate();
        number.write(&mut self.bytes);
    }

    /// Writes a token that has one spelling alone.
    pub(super) fn token(&mut self, text: &str) {
        self.separate();
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(super) fn string(&mut self, text: &str) {
        self.begin_string();
        self.string_content(text);
        self.end_string();
    }

    /// Writes a string in which nothing needs an escape.
    pub(super) fn plain_string(&mut self, text: &str) {
        self.begin_string();
        self.plain_content(text);
        self.end_string();
    }

    /// Writes a string from the inside of its quotes in another JSON text.
    pub(super) fn raw_string(&mut self, inside: &str) -> Result<(), CanonicalError> {
        self.begin_string();
        self.raw_content(inside)?;
        self.end_string();
        Ok(())
    }

    fn begin_string(&mut self) {
        self.separate();
        self.bytes.push(b'"');
    }

    fn end_string(&mut self) {
        self.bytes.push(b'"');
    }

    /// Writes a piece of a string in which nothing needs an escape.
    fn plain_content(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes a piece of a string, escaping what must be.
    fn string_content(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut position = 0;
        loop {
            let end = skip_plain(bytes, position);
            self.bytes.extend_from_slice(&bytes[position..end]);
            let Some(&special) = bytes.get(end) else {
                return;
            };
            self.escape(special);
            position = end + 1;
        }
    }

    pub(super) fn begin_array(&mut self) {
        self.separate();
        self.bytes.push(b'[');
    }

    pub(super) fn end_array(&mut self) {
        self.bytes.push(b']');
    }

    pub(super) fn begin_object(&mut self) {
        self.separate();
        self.bytes.push(b'{');
        self.outer.push(self.object);
        self.object = Object {
            first_member: self.members.len(),
            is_sorted: true,
        };
    }

    pub(super) fn key(&mut self, text: &str) {
        let start = self.begin_key();
        self.string_content(text);
        self.end_key(start);
    }

    /// Writes a key in which nothing needs an escape.
    pub(super) fn plain_key(&mut self, text: &str) {
        let start = self.begin_key();
        self.plain_content(text);
        self.end_key(start);
    }

    /// Writes a key from the inside of its quotes in another JSON text.
    pub(super) fn raw_key(&mut self, inside: &str) -> Result<(), CanonicalError> {
        let start = self.begin_key();
        self.raw_content(inside)?;
        self.end_key(start);
        Ok(())
    }

    /// Gives where the inside of the key begins.
    fn begin_key(&mut self) -> usize {
        self.end_member();
        self.begin_string();
        self.has_escape = false;
        self.bytes.len()
    }

    fn end_key(&mut self, start: usize) {
        let end = self.bytes.len();
        self.bytes.extend_from_slice(b"\":");
        let mut member = Member {
            prefix: 0,
            key: start..end,
            is_escaped: self.has_escape,
            end,
        };
        member.prefix = if self.has_escape {
            let characters = member.characters(&self.bytes);
            prefix(&characters, characters.len())
        } else {
            prefix(&self.bytes[start..], end - start)
        };
        if let Some(before) = self.members[self.object.first_member..].last() {
            self.object.is_sorted &= before.compare(&member, &self.bytes).is_lt();
        }
        self.members.push(member);
    }

    pub(super) fn end_object(&mut self) -> Result<(), CanonicalError> {
        self.end_member();
        if !self.object.is_sorted {
            self.sort()?;
        }
        self.members.truncate(self.object.first_member);
        self.object = self.outer.pop().unwrap_or(Object::NONE);
        self.bytes.push(b'}');
        Ok(())
    }

    /// Notes that the last member of the innermost object, if it has one, ends here.
    fn end_member(&mut self) {
        let end = self.bytes.len();
        if let Some(last) = self.members[self.object.first_member..].last_mut() {
            last.end = end;
        }
    }

    /// Moves the members of the innermost object, which end the text, into the order of their keys.
    fn sort(&mut self) -> Result<(), CanonicalError> {
        let members = &mut self.members[self.object.first_member..];
        let Some(start) = members.first().map(Member::start) else {
            return Ok(());
        };
        let bytes = &self.bytes;
        members.sort_unstable_by(|left, right| left.compare(right, bytes));
        for pair in members.windows(2) {
            if pair[0].compare(&pair[1], bytes).is_eq() {
                let key = String::from_utf8_lossy(&bytes[pair[0].key.clone()]).into_owned();
                return Err(CanonicalError::DuplicateKey(key));
            }
        }
        // Written anew behind themselves, and moved to where they were.
        let end = self.bytes.len();
        self.bytes.reserve(end - start);
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                self.bytes.push(b',');
            }
            self.bytes.extend_from_within(member.start()..member.end);
        }
        self.bytes.copy_within(end.., start);
        self.bytes.truncate(end);
        Ok(())
    }

    /// Writes the comma between two values: a value never ends in one of the bytes that precede a first one.
    fn separate(&mut self) {
        if !matches!(self.bytes.last(), None | Some(b'[' | b'{' | b':')) {
            self.bytes.push(b',');
        }
    }

    fn raw_content(&mut self, inside: &str) -> Result<(), CanonicalError> {
        match try_unescape(inside)? {
            // Without an escape the inside is canonical as it is.
            Cow::Borrowed(plain) => self.plain_content(plain),
            Cow::Owned(characters) => self.string_content(&characters),
        }
        Ok(())
    }

    fn escape(&mut self, special: u8) {
        self.has_escape = true;

        let letter = match special {
            b'"' | b'\\' => special,
            0x08 => b'b',
            0x0c => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            control => {
                self.bytes.extend_from_slice(b"\\u00");
                self.bytes.push(b'0' + (control >> 4));
                self.bytes
                    .push(b"0123456789abcdef"[usize::from(control & 0xf)]);
                return;
            }
        };
        self.bytes.extend_from_slice(&[b'\\', letter]);
    }
}

impl Member {
    /// Where the quote of the key stands.
    fn start(&self) -> usize {
        self.key.start - 1
    }

    fn compare(&self, other: &Self, bytes: &[u8]) -> Ordering {
        self.prefix
            .cmp(&other.prefix)
            .then_with(|| self.characters(bytes).cmp(&other.characters(bytes)))
    }

    /// What the key is sorted by: its characters, not their escapes.
    fn characters<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let key = &bytes[self.key.clone()];
        if !self.is_escaped {
            return Cow::Borrowed(key);
        }
        let key = std::str::from_utf8(key).expect("the canonical text is made from strings");
        Cow::Owned(unescape(key).into_owned().into_bytes())
    }
}

/// The first eight of the `length` characters that begin `text`, missing ones as zero.
fn prefix(text: &[u8], length: usize) -> u64 {
    match text.first_chunk() {
        Some(_) if length == 0 => 0,
        // One load for most keys: what follows a short key is shifted out.
        Some(&first) => u64::from_be_bytes(first) & (u64::MAX << (64 - 8 * length.min(8))),
        None => (0..8).fold(0, |prefix, index| {
            prefix << 8 | u64::from(if index < length { text[index] } else { 0 })
        }),
    }
}
