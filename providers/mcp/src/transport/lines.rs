//! Lines of the client, cut before they are decoded.

use std::io::{self, BufRead, BufReader, Read};
use std::mem;
use std::thread;

use crossbeam_channel::{Receiver, bounded};

/// How many lines may wait to be looked at; beyond, the client's pipe fills.
const WAITING_LINES: usize = 8;
/// How much of a line that is too long is kept, so that its id can be told.
const KEPT_FRONT_BYTES: usize = 4096;
/// How much is asked of the pipe at once.
const CHUNK_BYTES: usize = 64 << 10;

/// What came from the client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line without its newline.
    Whole(Vec<u8>),
    /// The front of a line beyond the limit; the rest of it is gone.
    TooLong(Vec<u8>),
    /// Nothing more will come; the reason, where the pipe failed.
    End(Option<String>),
}

/// Starts reading; the last item is [`Line::End`].
///
/// The thread is never joined: it may wait for the client until the end of the process, and holds nothing that has to be
/// put away.
pub(crate) fn read_lines(
    source: impl Read + Send + 'static,
    max_bytes: usize,
) -> io::Result<Receiver<Line>> {
    let (sender, receiver) = bounded(WAITING_LINES);
    thread::Builder::new().name("input".into()).spawn(move || {
        let mut lines = Lines::new(source, max_bytes);
        loop {
            let line = lines.next_line();
            let is_end = matches!(line, Line::End(_));
            if sender.send(line).is_err() || is_end {
                return;
            }
        }
    })?;
    Ok(receiver)
}

struct Lines<R> {
    source: BufReader<R>,
    max_bytes: usize,
}

impl<R: Read> Lines<R> {
    fn new(source: R, max_bytes: usize) -> Self {
        let source = BufReader::with_capacity(CHUNK_BYTES, source);
        Self { source, max_bytes }
    }

    /// Returns the next line; one without a newline at the very end is a line too.
    fn next_line(&mut self) -> Line {
        let mut line = Vec::new();
        let mut is_too_long = false;
        loop {
            let chunk = match self.source.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Line::End(Some(error.to_string())),
            };
            if chunk.is_empty() {
                return match (line.is_empty() && !is_too_long, is_too_long) {
                    (true, _) => Line::End(None),
                    (false, true) => Line::TooLong(line),
                    (false, false) => Line::Whole(line),
                };
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if !is_too_long && line.len() + part.len() <= self.max_bytes {
                line.extend_from_slice(part);
            } else {
                is_too_long = true;
                let room = KEPT_FRONT_BYTES.saturating_sub(line.len()).min(part.len());
                line.extend_from_slice(&part[..room]);
                line.truncate(KEPT_FRONT_BYTES);
                line.shrink_to_fit();
            }
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            if end.is_some() {
                let line = mem::take(&mut line);
                return if is_too_long {
                    Line::TooLong(line)
                } else {
                    Line::Whole(line)
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], max_bytes: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, max_bytes);
        let mut seen = Vec::new();
        loop {
            let line = lines.next_line();
            let is_end = matches!(line, Line::End(_));
            seen.push(line);
            if is_end {
                return seen;
            }
        }
    }

    #[test]
    fn lines_are_cut_at_newlines_and_counted_before_they_are_read() {
        let whole = |text: &str| Line::Whole(text.into());
        let long = |text: &str| Line::TooLong(text.into());
        for (text, expected) in [
            ("", vec![]),
            ("a\nbb\n", vec![whole("a"), whole("bb")]),
            ("a\r\n\nrest", vec![whole("a\r"), whole(""), whole("rest")]),
            (
                "1234\n12345\n1\n",
                vec![whole("1234"), long("12345"), whole("1")],
            ),
            ("12345", vec![long("12345")]),
        ] {
            let mut expected = expected;
            expected.push(Line::End(None));
            assert_eq!(all(text.as_bytes(), 4), expected, "{text:?}");
        }
    }

    #[test]
    fn of_a_line_without_end_only_the_front_is_kept() {
        let text = [b"x".repeat(3 << 20), b"\nnext\n".to_vec()].concat();
        let lines = all(&text, 1 << 20);
        assert_eq!(lines[0], Line::TooLong(b"x".repeat(KEPT_FRONT_BYTES)));
        assert_eq!(lines[1], Line::Whole(b"next".to_vec()));
    }
}
