//! Skipping values: by every rule, or by their brackets alone where the rules are known to hold.

use super::key_set::KeySet;
use super::{Reader, Refusal};
use crate::json::scan::{is_whitespace, skip_string};

impl<'de> Reader<'de> {
    /// Skips a value, and gives its text.
    pub(crate) fn skip_value(&mut self) -> Result<&'de str, Refusal> {
        self.peek();
        let start = self.position;
        if self.is_known {
            self.skip_known();
        } else {
            self.skip("a value")?;
        }
        Ok(&self.text[start..self.position])
    }

    /// Skips a value that keeps every rule: only its end is looked for.
    fn skip_known(&mut self) {
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        while let Some(byte) = bytes.get(self.position) {
            match byte {
                b'"' => {
                    self.position = skip_string(bytes, self.position);
                    if depth == 0 {
                        return;
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' | b',' if depth == 0 => return,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.position += 1;
                        return;
                    }
                }
                byte if depth == 0 && is_whitespace(*byte) => return,
                _ => {}
            }
            self.position += 1;
        }
    }

    fn skip(&mut self, expected: &'static str) -> Result<(), Refusal> {
        match self.peek() {
            Some(b'"') => self.skip_string().map(drop),
            Some(b'{') => self.skip_object(),
            Some(b'[') => self.skip_array(),
            Some(b'-' | b'0'..=b'9') => self.number().map(drop),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => Err(self.unexpected(expected)),
        }
    }

    fn skip_object(&mut self) -> Result<(), Refusal> {
        self.open()?;
        let mut keys = KeySet::default();
        let mut is_first = true;
        while self.next_key(is_first)? {
            if !keys.insert(self.text, self.key()) {
                return Err(self.duplicate_key());
            }
            self.colon()?;
            self.skip("a value")?;
            is_first = false;
        }
        Ok(())
    }

    fn skip_array(&mut self) -> Result<(), Refusal> {
        self.open()?;
        let mut expected = "a value or `]`";
        while self.next_element(expected != "a value")? {
            self.skip(expected)?;
            expected = "a value";
        }
        Ok(())
    }
}
