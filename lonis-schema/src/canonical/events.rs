//! The canonical text of a JSON text.

use super::writer::Writer;
use super::{CanonicalError, Overflow};
use crate::json::events::{Event, Events};

/// The canonical text of a scanned text.
pub(crate) fn of_text(text: &str) -> Vec<u8> {
    let mut writer = Writer::with_capacity(text.len());
    write(text, Overflow::KeepText, &mut writer)
        .expect("a scanned text has no bad escape and no key twice");
    writer.into_bytes()
}

/// Appends the canonical form of a text that is JSON, but may break the rules beyond the grammar.
pub(super) fn write(
    text: &str,
    overflow: Overflow,
    writer: &mut Writer,
) -> Result<(), CanonicalError> {
    let mut events = Events::new(text);
    while let Some(event) = events.next() {
        match event {
            Event::BeginArray => writer.begin_array(),
            Event::EndArray => writer.end_array(),
            Event::BeginObject => writer.begin_object(),
            Event::EndObject => writer.end_object()?,
            Event::Key(inside) if !events.has_escape() => writer.plain_key(inside),
            Event::Key(inside) => writer.raw_key(inside)?,
            Event::String(inside) if !events.has_escape() => writer.plain_string(inside),
            Event::String(inside) => writer.raw_string(inside)?,
            Event::Number(number) => overflow.write(number, writer)?,
            Event::Word(word) => writer.token(word),
        }
    }
    Ok(())
}
