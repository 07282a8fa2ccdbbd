//! The keys of one object, to find one that stands twice.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::json::scan::{tag, unescape};

/// Keys up to which comparing each with each is cheaper than hashing.
const MAX_COMPARED_KEYS: usize = 16;

/// A key as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'de> {
    /// Where its quote stands.
    pub(super) start: usize,
    /// What stands between its quotes.
    pub(super) inside: &'de str,
    pub(super) is_escaped: bool,
}

impl<'de> Key<'de> {
    /// The characters that the key stands for.
    pub(super) fn characters(self) -> Cow<'de, str> {
        if self.is_escaped {
            unescape(self.inside)
        } else {
            Cow::Borrowed(self.inside)
        }
    }
}

/// The keys of one object: few and plainly spelled ones in place, all of them in a set otherwise.
///
/// The set hashes under a random secret, so that no choice of keys makes the check quadratic.
#[derive(Debug, Default)]
pub(super) struct KeySet<'de> {
    length: usize,
    /// One tag for each key: equal keys have equal tags, and few others do unless they are chosen to.
    tags: [u64; MAX_COMPARED_KEYS],
    /// Where the insides of the keys begin.
    starts: [usize; MAX_COMPARED_KEYS],
    hashed: Option<HashSet<Cow<'de, str>>>,
}

impl<'de> KeySet<'de> {
    /// Adds a key of the text; false where it is there already.
    pub(super) fn insert(&mut self, text: &'de str, key: Key<'de>) -> bool {
        if self.hashed.is_none() && self.length < MAX_COMPARED_KEYS && !key.is_escaped {
            return self.compare(text, key);
        }
        let known = &self.starts[..self.length];
        let hashed = self.hashed.get_or_insert_with(|| {
            known
                .iter()
                .map(|start| Cow::Borrowed(inside(text, *start)))
                .collect()
        });
        hashed.insert(key.characters())
    }

    fn compare(&mut self, text: &'de str, key: Key<'de>) -> bool {
        let tag = tag(key.inside.as_bytes());
        let known = self.tags[..self.length].iter().zip(&self.starts);
        for (other, start) in known {
            if *other == tag && inside(text, *start) == key.inside {
                return false;
            }
        }
        self.tags[self.length] = tag;
        self.starts[self.length] = key.start + 1;
        self.length += 1;
        true
    }
}

/// The inside of a plainly spelled key that begins at `start`.
fn inside(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    rest.split_once('"').map_or(rest, |(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::{Key, KeySet};

    #[test]
    fn a_key_is_found_again_however_many_there_are() {
        let names: Vec<String> = (0..40).map(|number| format!("key{number}")).collect();
        for escaped_at in [0, 7, 15, 16, 39] {
            let mut text = String::new();
            let starts: Vec<(usize, usize)> = names
                .iter()
                .enumerate()
                .map(|(at, name)| {
                    let start = text.len();
                    let spelled = if at == escaped_at {
                        name.replace('k', "\\u006b")
                    } else {
                        name.clone()
                    };
                    text.push('"');
                    text.push_str(&spelled);
                    text.push('"');
                    (start, text.len())
                })
                .collect();
            let keys: Vec<Key<'_>> = starts
                .iter()
                .enumerate()
                .map(|(at, (start, end))| Key {
                    start: *start,
                    inside: &text[start + 1..end - 1],
                    is_escaped: at == escaped_at,
                })
                .collect();
            let mut set = KeySet::default();
            for (at, key) in keys.iter().enumerate() {
                assert!(set.insert(&text, *key), "{key:?} is new");
                for known in &keys[..=at] {
                    assert!(!set.insert(&text, *known), "{known:?} is known");
                }
            }
        }
    }
}
