//! Writes canonical tokens, and puts the members of an object in order when it ends.
//!
//! Knows nothing of where the tokens come from. An object that was given in order, as most are after the first time, is
//! never moved.

use std::borrow::Cow;
use std::ops::Range;

use super::CanonicalError;
use crate::json::scan::{skip_plain, try_unescape, unescape};
use crate::number::Number;

/// A canonical text that is being written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    objects: Vec<Object>,
    /// The members of all open objects, the innermost object's last.
    members: Vec<Member>,
    scratch: Vec<u8>,
}

#[derive(Debug)]
struct Object {
    first_member: usize,
    is_sorted: bool,
}

#[derive(Debug, Clone)]
struct Member {
    /// The inside of the key's quotes, as written.
    key: Range<usize>,
    is_escaped: bool,
    /// Where the member ends; known once the next one begins.
    end: usize,
}

impl Writer {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
            ..Self::default()
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

    /// Writes a string from the inside of its quotes in another JSON text.
    pub(super) fn raw_string(&mut self, inside: &str) -> Result<(), CanonicalError> {
        self.begin_string();
        self.raw_content(inside)?;
        self.end_string();
        Ok(())
    }

    pub(super) fn begin_string(&mut self) {
        self.separate();
        self.bytes.push(b'"');
    }

    pub(super) fn end_string(&mut self) {
        self.bytes.push(b'"');
    }

    /// Writes a piece of a string, escaping what must be.
    pub(super) fn string_content(&mut self, text: &str) {
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
        self.objects.push(Object {
            first_member: self.members.len(),
            is_sorted: true,
        });
    }

    /// Writes a key from the inside of its quotes in another JSON text.
    pub(super) fn key(&mut self, inside: &str) -> Result<(), CanonicalError> {
        self.begin_key();
        self.raw_content(inside)?;
        self.end_key();
        Ok(())
    }

    pub(super) fn begin_key(&mut self) {
        self.end_member();
        self.begin_string();
        let start = self.bytes.len();
        self.members.push(Member {
            key: start..start,
            is_escaped: false,
            end: start,
        });
    }

    pub(super) fn end_key(&mut self) {
        let end = self.bytes.len();
        self.bytes.extend_from_slice(b"\":");
        let (Some(object), Some(member)) = (self.objects.last_mut(), self.members.last_mut())
        else {
            return;
        };
        member.key.end = end;
        member.is_escaped = self.bytes[member.key.clone()].contains(&b'\\');
        if let [.., before, member] = &self.members[object.first_member..] {
            object.is_sorted &= before.characters(&self.bytes) < member.characters(&self.bytes);
        }
    }

    pub(super) fn end_object(&mut self) -> Result<(), CanonicalError> {
        self.end_member();
        let Some(object) = self.objects.pop() else {
            return Ok(());
        };
        if !object.is_sorted {
            self.sort(object.first_member)?;
        }
        self.members.truncate(object.first_member);
        self.bytes.push(b'}');
        Ok(())
    }

    /// Notes that the last member of the innermost object, if it has one, ends here.
    fn end_member(&mut self) {
        let end = self.bytes.len();
        let first_member = self.objects.last().map_or(0, |object| object.first_member);
        if let [.., last] = &mut self.members[first_member..] {
            last.end = end;
        }
    }

    /// Moves the members from `first_member` on, which end the text, into the order of their keys.
    fn sort(&mut self, first_member: usize) -> Result<(), CanonicalError> {
        let members = &mut self.members[first_member..];
        let Some(start) = members.first().map(Member::start) else {
            return Ok(());
        };
        let bytes = &self.bytes;
        members
            .sort_unstable_by(|left, right| left.characters(bytes).cmp(&right.characters(bytes)));
        for pair in members.windows(2) {
            if pair[0].characters(bytes) == pair[1].characters(bytes) {
                let key = String::from_utf8_lossy(&bytes[pair[0].key.clone()]).into_owned();
                return Err(CanonicalError::DuplicateKey(key));
            }
        }
        self.scratch.clear();
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                self.scratch.push(b',');
            }
            self.scratch
                .extend_from_slice(&bytes[member.start()..member.end]);
        }
        self.bytes.truncate(start);
        self.bytes.extend_from_slice(&self.scratch);
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
            Cow::Borrowed(plain) => self.bytes.extend_from_slice(plain.as_bytes()),
            Cow::Owned(characters) => self.string_content(&characters),
        }
        Ok(())
    }

    fn escape(&mut self, special: u8) {
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
