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
const MAX_COMPARED_KEYS: usize = 24;

/// The keys of all open objects, the innermost object's last.
#[derive(Debug, Default)]
pub(super) struct Keys {
    objects: Vec<Object>,
    known: Vec<Key>,
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
        if self.is_known(buffer, &key) {
            let characters = String::from_utf8_lossy(self.characters(buffer, &key));
            return Err(JsonError::duplicate_key(quote, &characters));
        }
        self.known.push(key);
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

    fn is_known(&mut self, buffer: &[u8], key: &Key) -> bool {
        let object = self
            .objects
            .last()
            .expect("a key is read inside of an object");
        let siblings = &self.known[object.first_key..];
        let characters = self.characters(buffer, key);
        let equals = |sibling: &Key| self.characters(buffer, sibling) == characters;
        if siblings.len() < MAX_COMPARED_KEYS {
            return siblings.iter().any(equals);
        }
        let hash = |key: &Key| self.secret.hash_one(self.characters(buffer, key));
        let new_hash = hash(key);
        let first_hashes = object
            .hashes
            .is_none()
            .then(|| siblings.iter().map(hash).collect::<HashSet<_>>());
        // Two keys may share a hash, so a hash that is there already asks for the comparison; by chance that is rare.
        let is_seen = first_hashes
            .as_ref()
            .or(object.hashes.as_ref())
            .is_some_and(|seen| seen.contains(&new_hash));
        if is_seen && siblings.iter().any(equals) {
            return true;
        }
        let object = self
            .objects
            .last_mut()
            .expect("a key is read inside of an object");
        if first_hashes.is_some() {
            object.hashes = first_hashes;
        }
        if let Some(seen) = &mut object.hashes {
            seen.insert(new_hash);
        }
        false
    }

    fn characters<'a>(&'a self, buffer: &'a [u8], key: &Key) -> &'a [u8] {
        match key {
            Key::InBuffer(range) => &buffer[range.clone()],
            Key::Unescaped(range) => self.unescaped[range.clone()].as_bytes(),
        }
    }
}
