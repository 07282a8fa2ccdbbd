//! Paths and arguments as messages show them.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt;

/// Displays a text of the system: bytes that are not UTF-8, and characters that drive a terminal, are escaped.
pub(crate) struct Shown<'a>(&'a OsStr);

impl<'a> Shown<'a> {
    pub(crate) fn new(text: &'a (impl AsRef<OsStr> + ?Sized)) -> Self {
        Self(text.as_ref())
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.as_bytes().utf8_chunks() {
            for character in chunk.valid().chars() {
                if character.is_control() {
                    write!(formatter, "{}", character.escape_default())?;
                } else {
                    formatter.write_char(character)?;
                }
            }
            for byte in chunk.invalid() {
                write!(formatter, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_shown_is_escaped() {
        let check = |bytes: &[u8], expected: &str| {
            assert_eq!(Shown::new(OsStr::from_bytes(bytes)).to_string(), expected);
        };
        check("/tmp/ä b'c".as_bytes(), "/tmp/ä b'c");
        check(b"a\xffb\xc3", "a\\xffb\\xc3");
        check(b"a\0\n\x1b[2J", "a\\u{0}\\n\\u{1b}[2J");
        check("\u{9b}".as_bytes(), "\\u{9b}");
    }
}
