//! The keys of the open objects, to find one that stands twice.

use std::borrow::Cow;
use std::collections::HashSet;

/// Keys up to which comparing each with each is cheaper than hashing.
const MAX_COMPARED_KEYS: usize = 24;

/// The keys of all open objects, the innermost object's last.
#[derive(Debug, Default)]
pub(super) struct KeyStack<'de> {
    keys: Vec<Cow<'de, str>>,
}

/// The keys of one open object.
///
/// The set of a large one hashes under a random secret, so that no choice of keys makes the check quadratic.
#[derive(Debug)]
pub(super) struct ObjectKeys<'de> {
    first: usize,
    hashed: Option<HashSet<Cow<'de, str>>>,
}

impl<'de> KeyStack<'de> {
    pub(super) fn begin(&self) -> ObjectKeys<'de> {
        ObjectKeys {
            first: self.keys.len(),
            hashed: None,
        }
    }

    pub(super) fn end(&mut self, object: &ObjectKeys<'de>) {
        self.keys.truncate(object.first);
    }

    /// Adds a key to the innermost object; false where it is there already.
    pub(super) fn insert(&mut self, object: &mut ObjectKeys<'de>, key: Cow<'de, str>) -> bool {
        if let Some(hashed) = &mut object.hashed {
            return hashed.insert(key);
        }
        let siblings = &self.keys[object.first..];
        if siblings.contains(&key) {
            return false;
        }
        if siblings.len() < MAX_COMPARED_KEYS {
            if self.keys.capacity() == 0 {
                self.keys.reserve(MAX_COMPARED_KEYS);
            }
            self.keys.push(key);
            return true;
        }
        let mut hashed: HashSet<_> = siblings.iter().cloned().collect();
        hashed.insert(key);
        object.hashed = Some(hashed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::KeyStack;
    use std::borrow::Cow;

    #[test]
    fn a_key_is_found_again_however_many_there_are() {
        let names: Vec<String> = (0..60).map(|number| format!("key{number}")).collect();
        let mut stack = KeyStack::default();
        let mut outer = stack.begin();
        assert!(stack.insert(&mut outer, Cow::Borrowed("key3")));
        for owned_at in [0, 7, 24, 25, 59] {
            let mut inner = stack.begin();
            for (at, name) in names.iter().enumerate() {
                let key = if at == owned_at {
                    Cow::Owned(name.clone())
                } else {
                    Cow::Borrowed(&**name)
                };
                assert!(stack.insert(&mut inner, key), "{name} is new");
                for known in &names[..=at] {
                    assert!(
                        !stack.insert(&mut inner, Cow::Borrowed(known)),
                        "{known} is known"
                    );
                }
            }
            stack.end(&inner);
        }
        assert!(!stack.insert(&mut outer, Cow::Borrowed("key3")));
        assert!(stack.insert(&mut outer, Cow::Borrowed("key4")));
    }
}
