//! The inputs, a line each, taken as they come: an input that is none is an error of its own, and no end of the others.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

use lonis::{ErrorKind, Json, MAX_INPUT_BYTES, ToolError, parse_document};
use serde_json::json;

/// Bytes that are taken at once.
const READ_BYTES: usize = 64 * 1024;

/// How much of a line that is too long is passed over before its end is given up.
const MOST_SKIPPED_BYTES: u64 = MAX_INPUT_BYTES;

/// One input, or why its line is none.
pub(crate) type Input = Result<Json, ToolError>;

/// A line of the inputs.
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// Lines of a file or pipe that is read when there is something to read.
#[derive(Debug)]
pub(crate) struct Inputs {
    source: File,
    unread: Vec<u8>,
    /// How much of `unread` is known to hold no line end.
    seen: usize,
    line: u64,
    /// The line that is being read is longer than an input may be, and is passed over.
    is_too_long: bool,
    /// How much of that line was passed over since it was found to be too long.
    skipped: u64,
    has_ended: bool,
}

impl Inputs {
    pub(crate) fn new(source: File) -> Self {
        Self {
            source,
            unread: Vec::new(),
            seen: 0,
            line: 0,
            is_too_long: false,
            skipped: 0,
            has_ended: false,
        }
    }

    /// Returns what is known of the file that is read.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.source.metadata()
    }

    /// Returns whether everything was read and handed out.
    pub(super) fn is_over(&self) -> bool {
        self.has_ended && self.unread.is_empty() && !self.is_too_long
    }

    /// Returns what to wait for before [`fill`](Self::fill), unless all was read.
    pub(super) fn waits_for(&self) -> Option<BorrowedFd<'_>> {
        (!self.has_ended).then(|| self.source.as_fd())
    }

    /// Reads once; to be called when there is something to read. A line that never ends is an error.
    pub(super) fn fill(&mut self) -> Result<(), ToolError> {
        if self.skipped > MOST_SKIPPED_BYTES {
            return Err(self.endless());
        }
        let start = self.unread.len();
        self.unread.resize(start + READ_BYTES, 0);
        let read = match self.source.read(&mut self.unread[start..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            read => read.map(Some),
        };
        let count = read.as_ref().ok().copied().flatten().unwrap_or(0);
        self.unread.truncate(start + count);
        self.has_ended = matches!(read, Ok(Some(0)));
        read.map(|_| ()).map_err(|error| {
            ToolError::new(
                ErrorKind::InvalidInput,
                format!("the inputs cannot be read: {error}"),
            )
        })
    }

    /// Takes the next input of what was read; blank lines are none.
    pub(super) fn next(&mut self) -> Option<Input> {
        loop {
            let line = self.next_line()?;
            self.line += 1;
            match line {
                Line::TooLong => return Some(Err(self.too_long())),
                Line::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => {}
                Line::Whole(line) => return Some(self.parse(&line)),
            }
        }
    }

    fn next_line(&mut self) -> Option<Line> {
        let end = self.unread[self.seen..]
            .iter()
            .position(|byte| *byte == b'\n');
        if let Some(end) = end {
            let rest = self.unread.split_off(self.seen + end + 1);
            let line = std::mem::replace(&mut self.unread, rest);
            self.seen = 0;
            return Some(self.finished(line));
        }
        if self.has_ended && (self.is_too_long || !self.unread.is_empty()) {
            self.seen = 0;
            let line = std::mem::take(&mut self.unread);
            return Some(self.finished(line));
        }
        self.seen = self.unread.len();
        if self.is_too_long || self.seen as u64 > MAX_INPUT_BYTES {
            if std::mem::replace(&mut self.is_too_long, true) {
                self.skipped += self.seen as u64;
            }
            self.unread.clear();
            self.seen = 0;
        }
        None
    }

    fn finished(&mut self, line: Vec<u8>) -> Line {
        self.skipped = 0;
        let is_whole =
            !std::mem::take(&mut self.is_too_long) && line.len() as u64 <= MAX_INPUT_BYTES;
        if is_whole {
            Line::Whole(line)
        } else {
            Line::TooLong
        }
    }

    fn parse(&self, line: &[u8]) -> Input {
        // Only the first line of a text has a mark in front.
        let line = match line.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if self.line == 1 => rest,
            _ => line,
        };
        parse_document(line).map_err(|error| error.with_detail("line", json!(self.line)))
    }

    fn too_long(&self) -> ToolError {
        let message = format!("an input is longer than the {MAX_INPUT_BYTES} bytes that are read");
        ToolError::new(ErrorKind::InvalidInput, message).with_detail("line", json!(self.line))
    }

    fn endless(&self) -> ToolError {
        let line = self.line + 1;
        let message = format!(
            "line {line} of the inputs is longer than the {MAX_INPUT_BYTES} bytes that are read, and does not end within \
             {MOST_SKIPPED_BYTES} more"
        );
        ToolError::new(ErrorKind::InvalidInput, message).with_detail("line", json!(line))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// All inputs of a text: their JSON, or the line of an error.
    fn all(text: &[u8]) -> Vec<Result<String, u64>> {
        let (reader, mut writer) = io::pipe().unwrap();
        let text = text.to_vec();
        let feeder = std::thread::spawn(move || writer.write_all(&text).unwrap());
        let mut inputs = Inputs::new(File::from(std::os::fd::OwnedFd::from(reader)));
        let mut found = Vec::new();
        while !inputs.is_over() {
            while let Some(input) = inputs.next() {
                found.push(match input {
                    Ok(json) => Ok(json.text().to_owned()),
                    Err(error) => Err(error.details().unwrap().to_value()["line"]
                        .as_u64()
                        .unwrap()),
                });
            }
            if inputs.waits_for().is_some() {
                inputs.fill().unwrap();
            }
        }
        feeder.join().unwrap();
        found
    }

    #[test]
    fn each_line_is_one_input_or_one_error() {
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(all(b""), []);
        assert_eq!(all(b"\n \r\n"), []);
        assert_eq!(all(b"1"), [ok("1")]);
        assert_eq!(all(b"\xef\xbb\xbf1\r\n\n[ 2 ]\n"), [ok("1"), ok("[2]")]);
        assert_eq!(
            all(b"1.50\nx\n{\"a\":1,\"a\":2}\n1 2\n3"),
            [ok("1.50"), Err(2), Err(3), Err(4), ok("3")]
        );
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let most = usize::try_from(MAX_INPUT_BYTES).unwrap();
        let mut text = b"1\n\"".to_vec();
        text.extend(std::iter::repeat_n(b'x', most));
        text.extend(b"\"\n2\n");
        assert_eq!(all(&text), [Ok("1".to_owned()), Err(2), Ok("2".to_owned())]);
        text.truncate(most + 4);
        assert_eq!(all(&text), [Ok("1".to_owned()), Err(2)]);
    }

    #[test]
    fn a_line_that_never_ends_ends_the_reading() {
        let mut inputs = Inputs::new(File::open("/dev/zero").unwrap());
        let most = (MAX_INPUT_BYTES + MOST_SKIPPED_BYTES) / READ_BYTES as u64 + 4;
        let error = (0..most)
            .find_map(|_| {
                assert!(inputs.next().is_none());
                inputs.fill().err()
            })
            .unwrap();
        assert_eq!(error.kind(), &ErrorKind::InvalidInput);
        assert!(error.message().contains("line 1 "), "{error}");
        assert!(error.message().contains("67108864 bytes"), "{error}");
    }
}
