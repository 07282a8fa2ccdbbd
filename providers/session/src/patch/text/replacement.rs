//! What is written in the place of a text that was found.

use super::search::Found;
use crate::patch::document::ReplaceText;
use crate::patch::line;

/// The bytes that take the place of a match.
///
/// Lines that the quoted and the new text have in common keep the bytes of the file. A line that takes the place of
/// another keeps its line end, a further one takes that of the line above it.
pub(super) fn written(file: &[u8], op: &ReplaceText, found: &Found) -> Vec<u8> {
    let find = line::without_carriage_returns(op.find.as_bytes());
    let replace = line::without_carriage_returns(op.replace.as_bytes());
    let old: Vec<&[u8]> = line::split(&find).collect();
    let new: Vec<&[u8]> = line::split(&replace).collect();
    let standing: Vec<&[u8]> = line::split(&file[found.range.clone()]).collect();
    let mut writer = Writer {
        above: end_above(file, found.range.start),
        text: Vec::new(),
    };
    let mut reached = 0;
    for run in line::runs(&old, &new) {
        writer.keep(&standing[reached.min(standing.len())..run.old.start.min(standing.len())]);
        for (index, text) in new[run.new.clone()].iter().enumerate() {
            let paired = run.old.clone().nth(index).and_then(|old| standing.get(old));
            let body = line::body_of(text);
            let shifted = found.shift.apply(body).unwrap_or_else(|| body.to_vec());
            let is_plain = body.is_empty();
            writer.line(
                if is_plain { body } else { &shifted },
                text.ends_with(b"\n"),
                paired.copied(),
            );
        }
        reached = run.old.end;
    }
    writer.keep(&standing[reached.min(standing.len())..]);
    keep_final_newline(file, found, &mut writer.text);
    writer.text
}

struct Writer {
    /// The line end of the line above, or of the first one below.
    above: Vec<u8>,
    text: Vec<u8>,
}

impl Writer {
    fn keep(&mut self, lines: &[&[u8]]) {
        for text in lines {
            self.text.extend_from_slice(text);
            let end = line::end_of(text);
            if !end.is_empty() {
                self.above = end.to_vec();
            }
        }
    }

    fn line(&mut self, body: &[u8], has_end: bool, paired: Option<&[u8]>) {
        self.text.extend_from_slice(body);
        if has_end {
            let own = paired.map(line::end_of).filter(|end| !end.is_empty());
            let end = own.map_or_else(|| self.above.clone(), <[u8]>::to_vec);
            self.text.extend_from_slice(&end);
            self.above = end;
        }
    }
}

/// The line end above an offset, else the first one below, else LF.
pub(crate) fn end_above(file: &[u8], offset: usize) -> Vec<u8> {
    let end = |line_feed: usize| {
        if line_feed > 0 && file[line_feed - 1] == b'\r' {
            b"\r\n".to_vec()
        } else {
            b"\n".to_vec()
        }
    };
    memchr::memrchr(b'\n', &file[..offset])
        .or_else(|| memchr::memchr(b'\n', &file[offset..]).map(|at| offset + at))
        .map_or_else(|| b"\n".to_vec(), end)
}

/// Keeps whether the file ends in a line end, where the edit reaches its end.
fn keep_final_newline(file: &[u8], found: &Found, text: &mut Vec<u8>) {
    if found.range.end != file.len() {
        return;
    }
    let ended = file.ends_with(b"\n");
    let before = text.last().or_else(|| file[..found.range.start].last());
    let ends = before == Some(&b'\n');
    if ended && !ends && before.is_some() {
        text.extend_from_slice(&end_above(file, file.len()));
    } else if !ended && ends && text.ends_with(b"\n") {
        text.truncate(line::body_of(text).len());
    }
}
