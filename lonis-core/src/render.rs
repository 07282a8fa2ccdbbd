//! Blocks, errors and notes as bytes, in the three output modes.
//!
//! Machine modes write the payload of a block that was received as it was received. Text for people comes from the
//! typed value, and nothing in it can move the cursor or start a line of its own. Where the bytes go is the caller's
//! business.

use std::io::{self, Write};

use lonis_schema::{Block, BlockPayload, Json, OutputMode, ToolError};
use serde::Serialize;

/// What stands before each further line of one text.
const CONTINUATION_INDENT: &str = "  ";

/// Writes blocks in one mode: an array, one block a line, or text for people.
///
/// # Errors
/// What the writer refuses, and `InvalidData` for a payload that has no JSON form. Nothing is flushed.
///
/// # Example
/// ```
/// use lonis_core::render;
/// use lonis_schema::{Attribution, Block, BlockKind, OutputMode};
/// use lonis_schema::kind::Message;
///
/// let message = Message { content: "two\nlines".to_owned(), ..Message::default() };
/// let block = Block::new(Attribution::new("acme:say", "acme:say"), BlockKind::from(message));
/// let mut text = Vec::new();
/// render(&[block], OutputMode::Human, &mut text)?;
/// assert_eq!(text, b"message: two\n  lines\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn render<P: BlockPayload>(
    blocks: &[Block<P>],
    mode: OutputMode,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = BlockWriter::new(mode, out);
    for block in blocks {
        writer.write(block)?;
    }
    writer.finish()
}

/// Writes an error as the mode wants it.
///
/// In the machine modes it is one line of JSON, for people `error: <kind>: <message>`, then `hint: <text>` if it has one.
///
/// # Errors
/// What the writer refuses.
pub fn render_error(error: &ToolError, mode: OutputMode, out: &mut dyn Write) -> io::Result<()> {
    if mode.is_machine() {
        return write_line(error, out);
    }
    write_text(&format!("error: {error}"), &mut *out)?;
    let details = error.details().map(Json::to_value);
    match details
        .as_ref()
        .and_then(|details| details.get("hint")?.as_str())
    {
        Some(hint) => write_text(&format!("hint: {hint}"), out),
        None => Ok(()),
    }
}

/// Writes a fact about a call: `{"note": …}` on one line in the machine modes, `note: <text>` for people.
///
/// # Errors
/// What the writer refuses.
pub fn render_note(note: &str, mode: OutputMode, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Note<'a> {
        note: &'a str,
    }
    if mode.is_machine() {
        return write_line(&Note { note }, out);
    }
    write_text(&format!("note: {note}"), out)
}

/// Writes blocks one after the other; what it has written is valid in its mode once it is finished.
#[derive(Debug)]
pub struct BlockWriter<W> {
    mode: OutputMode,
    out: W,
    /// Whether the array of the `json` mode has its opening bracket.
    opened: bool,
    line: Vec<u8>,
}

impl<W: Write> BlockWriter<W> {
    /// Makes a writer for one call.
    pub fn new(mode: OutputMode, out: W) -> Self {
        Self {
            mode,
            out,
            opened: false,
            line: Vec::new(),
        }
    }

    /// Writes one block with one write.
    ///
    /// # Errors
    /// What the writer refuses, and `InvalidData` for a payload that has no JSON form; nothing of it is written then.
    pub fn write<P: BlockPayload>(&mut self, block: &Block<P>) -> io::Result<()> {
        self.line.clear();
        match self.mode {
            OutputMode::Human => write_text(&for_people(block), &mut self.line)?,
            OutputMode::Json => {
                self.line
                    .extend_from_slice(if self.opened { b",\n" } else { b"[" });
                serde_json::to_writer(&mut self.line, block)?;
            }
            OutputMode::Ndjson => write_line(block, &mut self.line)?,
        }
        self.opened = true;
        self.out.write_all(&self.line)
    }

    /// Writes what is needed to close the document, and hands everything on to where it goes.
    ///
    /// # Errors
    /// What the writer refuses.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.mode == OutputMode::Json {
            self.out
                .write_all(if self.opened { b"]\n" } else { b"[]\n" })?;
        }
        self.out.flush()
    }

    /// Hands what was written on to where it goes.
    ///
    /// # Errors
    /// What the writer refuses.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What people read of a block: its payload, then what its producer or its host warns of.
fn for_people<P: BlockPayload>(block: &Block<P>) -> String {
    let mut text = block.render_human();
    for warning in block.unrendered_warnings() {
        text.truncate(text.trim_end_matches('\n').len());
        text.push_str("\nwarning: ");
        text.push_str(warning);
    }
    text
}

fn write_line<T: Serialize + ?Sized>(value: &T, mut out: impl Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    out.write_all(&line)
}

/// Writes a text that others chose, so that it stays one text.
///
/// Further lines are indented, and every character that could drive a terminal or reorder a line is shown by its number.
///
/// # Errors
/// What the writer refuses.
pub fn write_text(text: &str, mut out: impl Write) -> io::Result<()> {
    let mut safe = String::with_capacity(text.len() + 1);
    let mut characters = text.strip_suffix('\n').unwrap_or(text).chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => {
                safe.push('\n');
                // A line without a character says nothing, so it needs no indent to say it is no line of its own.
                if characters.peek().is_some_and(|next| *next != '\n') {
                    safe.push_str(CONTINUATION_INDENT);
                }
            }
            '\t' | '\r' => safe.extend(character.escape_default()),
            _ if drives_a_terminal(character) => safe.extend(character.escape_unicode()),
            _ => safe.push(character),
        }
    }
    safe.push('\n');
    out.write_all(safe.as_bytes())
}

/// Tells whether a character is of C0, DEL or C1, ends a line, or changes the direction of the text after it.
fn drives_a_terminal(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests;
