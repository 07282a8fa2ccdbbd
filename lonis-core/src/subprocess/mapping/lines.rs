//! Lines of stdout, each handed out once its end is read.

use lonis_schema::Json;
use memchr::memchr;

use super::{OutputError, TextEncoding};

/// Cuts stdout into lines as it arrives.
#[derive(Debug)]
pub(crate) struct Lines {
    encoding: TextEncoding,
    max_line_bytes: u64,
    waiting: Vec<u8>,
    /// Where the next line begins in `waiting`.
    start: usize,
    /// Up to where `waiting` was looked through, so that no byte is looked at twice.
    looked: usize,
    /// Where the next line begins in stdout.
    offset: u64,
    ended: bool,
}

impl Lines {
    pub(crate) fn new(encoding: TextEncoding, max_line_bytes: u64) -> Self {
        Self {
            encoding,
            max_line_bytes,
            waiting: Vec::new(),
            start: 0,
            looked: 0,
            offset: 0,
            ended: false,
        }
    }

    /// Takes more of stdout; what was handed out makes room for it.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.waiting.drain(..self.start);
        self.looked -= self.start;
        self.start = 0;
        self.waiting.extend_from_slice(bytes);
    }

    /// Notes that nothing follows, so that a last line without its end is whole.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Returns the next whole line, as the output of a `result`.
    pub(crate) fn next(&mut self) -> Result<Option<Json>, OutputError> {
        let found = memchr(b'\n', &self.waiting[self.looked..]).map(|at| self.looked + at);
        let (end, after) = match found {
            Some(at) => (at, at + 1),
            None if self.ended && self.start < self.waiting.len() => {
                (self.waiting.len(), self.waiting.len())
            }
            None => {
                self.looked = self.waiting.len();
                // A CR may yet turn out to be part of the line's end.
                let line = self.partial();
                self.check_length(line.strip_suffix(b"\r").unwrap_or(line).len())?;
                return Ok(None);
            }
        };
        let line = &self.waiting[self.start..end];
        let line = line
            .strip_suffix(b"\r")
            .filter(|_| found.is_some())
            .unwrap_or(line);
        self.check_length(line.len())?;
        let output = self.encoding.output("line", line, self.offset)?;
        self.offset += (after - self.start) as u64;
        self.start = after;
        self.looked = after;
        Ok(Some(output))
    }

    /// Returns the line that has begun and has no end.
    pub(crate) fn partial(&self) -> &[u8] {
        &self.waiting[self.start..]
    }

    fn check_length(&self, length: usize) -> Result<(), OutputError> {
        if length as u64 > self.max_line_bytes {
            return Err(OutputError::TooLong {
                unit: "line",
                limit_bytes: self.max_line_bytes,
                byte_offset: self.offset,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(
        stdout: &[u8],
        pieces: usize,
        encoding: TextEncoding,
    ) -> (Vec<String>, Result<(), OutputError>) {
        let mut lines = Lines::new(encoding, 8);
        let mut seen = Vec::new();
        let mut chunks = stdout.chunks(pieces);
        loop {
            loop {
                match lines.next() {
                    Ok(Some(line)) => seen.push(line.text().to_owned()),
                    Ok(None) => break,
                    Err(error) => return (seen, Err(error)),
                }
            }
            match chunks.next() {
                Some(chunk) => lines.push(chunk),
                None if lines.ended => return (seen, Ok(())),
                None => lines.end(),
            }
        }
    }

    #[test]
    fn lines_do_not_depend_on_how_they_arrive() {
        for (stdout, expected) in [
            (&b""[..], &[][..]),
            (b"a\nbc\n", &[r#"{"line":"a"}"#, r#"{"line":"bc"}"#]),
            (
                b"a\r\n\r\nb\rc",
                &[r#"{"line":"a"}"#, r#"{"line":""}"#, r#"{"line":"b\rc"}"#],
            ),
            (b"\n", &[r#"{"line":""}"#]),
            ("é漢\n".as_bytes(), &[r#"{"line":"é漢"}"#]),
            (b"12345678\n", &[r#"{"line":"12345678"}"#]),
        ] {
            for pieces in 1..=stdout.len().max(1) {
                let expected: Vec<String> =
                    expected.iter().map(|line| (*line).to_owned()).collect();
                assert_eq!(
                    cut(stdout, pieces, TextEncoding::Utf8),
                    (expected, Ok(())),
                    "{stdout:?} by {pieces}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_text_is_an_error_unless_an_encoding_was_chosen() {
        let stdout = b"ok\n\xff\xfe\n";
        for pieces in 1..=stdout.len() {
            let (seen, error) = cut(stdout, pieces, TextEncoding::Utf8);
            assert_eq!(
                (seen.len(), error),
                (1, Err(OutputError::NotUtf8 { byte_offset: 3 }))
            );
        }
        assert_eq!(
            cut(stdout, 3, TextEncoding::Base64).0,
            [r#"{"line_base64":"b2s="}"#, r#"{"line_base64":"//4="}"#]
        );
        let lossy = "{\"line\":\"\u{fffd}\u{fffd}\",\"lossy\":true}";
        assert_eq!(cut(stdout, 3, TextEncoding::Lossy).0[1], lossy);
    }

    #[test]
    fn a_line_without_end_is_cut_off() {
        for pieces in [1, 4, 100] {
            let (seen, error) = cut(b"a\n123456789", pieces, TextEncoding::Utf8);
            assert_eq!(
                (seen.len(), error),
                (
                    1,
                    Err(OutputError::TooLong {
                        unit: "line",
                        limit_bytes: 8,
                        byte_offset: 2
                    })
                )
            );
        }
    }
}
