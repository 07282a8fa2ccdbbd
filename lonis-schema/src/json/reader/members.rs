//! Reading an object member by member, without a visitor.
//!
//! For code that knows which members it wants and gives up on all others: it sees keys as they are spelled, and has to
//! find those that stand twice by itself.

use std::borrow::Cow;

use super::{Reader, Refusal};

impl<'de> Reader<'de> {
    /// Opens the object that stands next; false where something else does.
    pub(crate) fn begin_object(&mut self) -> Result<bool, Refusal> {
        let is_object = self.peek() == Some(b'{');
        if is_object {
            self.open()?;
        }
        Ok(is_object)
    }

    /// Reads the next key and its colon, and stands before the value; none where the object has ended.
    ///
    /// A key is given as it stands between its quotes: one that is spelled with escapes equals no name.
    pub(crate) fn next_member(&mut self, is_first: bool) -> Result<Option<&'de str>, Refusal> {
        if !self.next_key(is_first)? {
            return Ok(None);
        }
        self.colon()?;
        self.peek();
        Ok(Some(self.key().inside))
    }

    /// Reads the value that stands next, where it is a string.
    pub(crate) fn next_string(&mut self) -> Result<Option<Cow<'de, str>>, Refusal> {
        match self.peek() {
            Some(b'"') => self.string().map(Some),
            _ => Ok(None),
        }
    }

    /// Skips the value that stands next, where it is spelled like `value`, which is an array or object that was read
    /// before at the same depth.
    pub(crate) fn skip_equal(&mut self, value: &str) -> bool {
        // No array or object is the beginning of another one.
        let is_equal = self.rest().starts_with(value);
        if is_equal {
            self.position += value.len();
        }
        is_equal
    }

    /// The text that was read since `start`.
    pub(crate) fn since(&self, start: usize) -> &'de str {
        &self.text[start..self.position]
    }

    fn rest(&self) -> &'de str {
        &self.text[self.position..]
    }
}
