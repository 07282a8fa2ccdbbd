//! Finds a key that stands twice in one object, at the moment it is read.
//!
//! Small objects are compared key by key without allocation; large ones by hashes under a random secret, so that no
//! choice of keys makes the check quadratic.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use super::super::error::JsonError;
use super::string::unescape;

/// Keys up to which comparing each with each is cheaper than hashing.
const MAX_COMPARED_KEYS: usize = 64;

/// The keys of all open objects, the innermost object's last.
#[derive(Debug, Default)]
pub(super) struct Keys {
    objects: Vec<Object>,
    known: Vec<Key>,
    /// One tag for each known key: equal keys have equal tags, and few others do unless they are chosen to.
    tags: Vec<u64>,
    /// The characters of keys that were spelled with escapes.
    unescaped: String,
    secret: RandomState,
}

#[derive(Debug)]
struct Object {
    first_key: usize,
    unescaped_start: usize,
    /// Set once the object is large.
    hashes: Option<HashSet<u64>>,
}

/// Where the characters of a key stand.
#[derive(Debug, Clone)]
enum Key {
    InBuffer(Range<usize>),
    Unescaped(Range<usize>),
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.objects.clear();
        self.known.clear();
        self.tags.clear();
        self.unescaped.clear();
    }

    pub(super) fn begin_object(&mut self) {
        self.objects.push(Object {
            first_key: self.known.len(),
            unescaped_start: self.unescaped.len(),
            hashes: None,
        });
    }

    pub(super) fn end_object(&mut self) {
        if let Some(object) = self.objects.pop() {
            self.known.truncate(object.first_key);
            self.tags.truncate(object.first_key);
            self.unescaped.truncate(object.unescaped_start);
        }
    }

    /// Adds the key whose inside stands at `inside` to the innermost object.
    ///
    /// # Errors
    /// `DuplicateKey` where the object has it, at the quote that begins it.
    pub(super) fn add(
        &mut self,
        buffer: &[u8],
        inside: Range<usize>,
        is_escaped: bool,
    ) -> Result<(), JsonError> {
        let quote = inside.start - 1;
        let key = self.locate(buffer, inside, is_escaped);
        let tag = tag(self.characters(buffer, &key));
        let object = self
            .objects
            .last()
            .expect("a key is read inside of an object");
        let is_known = if self.known.len() - object.first_key < MAX_COMPARED_KEYS {
            self.is_tagged(object.first_key, tag) && self.is_known(buffer, &key)
        } else {
            self.is_hashed(buffer, &key) && self.is_known(buffer, &key)
        };
        if is_known {
            let characters = String::from_utf8_lossy(self.characters(buffer, &key));
            return Err(JsonError::duplicate_key(quote, &characters));
        }
        self.known.push(key);
        self.tags.push(tag);
        Ok(())
    }

    fn locate(&mut self, buffer: &[u8], inside: Range<usize>, is_escaped: bool) -> Key {
        if !is_escaped {
            return Key::InBuffer(inside);
        }
        let start = self.unescaped.len();
        let text = String::from_utf8_lossy(&buffer[inside]);
        self.unescaped.push_str(&unescape(&text));
        Key::Unescaped(start..self.unescaped.len())
    }

    /// Whether a key of the innermost object has the tag, without a branch for each key.
    fn is_tagged(&self, first_key: usize, tag: u64) -> bool {
        self.tags[first_key..]
            .iter()
            .filter(|&&other| other == tag)
            .count()
            > 0
    }

    /// Whether the innermost object has the key, by comparing all.
    fn is_known(&self, buffer: &[u8], key: &Key) -> bool {
        let characters = self.characters(buffer, key);
        let first_key = self.objects.last().map_or(0, |object| object.first_key);
        self.known[first_key..]
            .iter()
            .any(|other| self.characters(buffer, other) == characters)
    }

    /// Adds the hash of a key to those of the innermost object; whether it was there, which different keys manage by chance alone.
    fn is_hashed(&mut self, buffer: &[u8], key: &Key) -> bool {
        let hash = |key: &Key| self.secret.hash_one(self.characters(buffer, key));
        let new_hash = hash(key);
        let object = self
            .objects
            .last()
            .expect("a key is read inside of an object");
        let first_hashes = object.hashes.is_none().then(|| {
            self.known[object.first_key..]
                .iter()
                .map(hash)
                .collect::<HashSet<_>>()
        });
        let object = self
            .objects
            .last_mut()
            .expect("a key is read inside of an object");
        let hashes = object
            .hashes
            .get_or_insert_with(|| first_hashes.unwrap_or_default());
        !hashes.insert(new_hash)
    }

    fn characters<'a>(&'a self, buffer: &'a [u8], key: &Key) -> &'a [u8] {
        match key {
            Key::InBuffer(range) => &buffer[range.clone()],
            Key::Unescaped(range) => self.unescaped[range.clone()].as_bytes(),
        }
    }
}

/// Mixes the length, the first and the last eight bytes of a key.
pub(crate) fn tag(characters: &[u8]) -> u64 {
    let length = characters.len();
    let (first, last) = match (characters.first_chunk(), characters.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (
            characters
                .iter()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)),
            0,
        ),
    };
    first
        .wrapping_add(last.rotate_left(29))
        .wrapping_add(length as u64)
}
