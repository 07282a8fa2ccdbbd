//! The canonical text of anything that serializes: `serde_json` walks the value, the writer spells it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

use super::writer::Writer;
use super::{CanonicalError, Overflow, events};
use crate::number::Number;

/// Serializes into canonical text; the value was checked to be finite.
pub(super) fn write<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    let mut writer = Writer::new();
    let mut failure = None;
    let formatter = CanonicalFormatter {
        writer: &mut writer,
        failure: &mut failure,
        is_key: false,
        is_in_string: false,
    };
    let written = value.serialize(&mut Serializer::with_formatter(io::sink(), formatter));
    match (failure, written) {
        (Some(failure), _) => Err(failure),
        (None, Err(error)) => Err(CanonicalError::Serialize(error.to_string())),
        (None, Ok(())) => Ok(writer.into_bytes()),
    }
}

/// Takes every token from `serde_json` and none of its spellings, which go to a sink.
struct CanonicalFormatter<'a> {
    writer: &'a mut Writer,
    /// `io::Error` cannot carry it without an allocation and a downcast.
    failure: &'a mut Option<CanonicalError>,
    is_key: bool,
    /// A key that is a number arrives as a number between two quotes.
    is_in_string: bool,
}

impl CanonicalFormatter<'_> {
    fn number(&mut self, text: &str) -> io::Result<()> {
        if self.is_in_string {
            self.writer.string_content(text);
            return Ok(());
        }
        let written = Overflow::Refuse.write(text, self.writer);
        self.note(written)
    }

    fn integer(&mut self, number: Number) {
        if self.is_in_string {
            self.writer.string_content(&number.to_string());
        } else {
            self.writer.number(number);
        }
    }

    /// Spells a double as `serde_json` does, for the value of its text.
    fn double(&mut self, spell: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        let mut text = Vec::with_capacity(24);
        spell(&mut text)?;
        self.number(&String::from_utf8_lossy(&text))
    }

    fn note(&mut self, result: Result<(), CanonicalError>) -> io::Result<()> {
        result.map_err(|error| {
            *self.failure = Some(error);
            io::Error::other("no canonical text")
        })
    }
}

/// The integers that fit one of the two exact types.
macro_rules! exact_integers {
    ($($name:ident: $from:ty => $to:ty),+ $(,)?) => {
        $(fn $name<W: ?Sized + Write>(&mut self, _: &mut W, value: $from) -> io::Result<()> {
            self.integer(Number::from(<$to>::from(value)));
            Ok(())
        })+
    };
}

impl Formatter for CanonicalFormatter<'_> {
    exact_integers! {
        write_i8: i8 => i64, write_i16: i16 => i64, write_i32: i32 => i64, write_i64: i64 => i64,
        write_u8: u8 => u64, write_u16: u16 => u64, write_u32: u32 => u64, write_u64: u64 => u64,
    }

    fn write_i128<W: ?Sized + Write>(&mut self, _: &mut W, value: i128) -> io::Result<()> {
        self.number(&value.to_string())
    }

    fn write_u128<W: ?Sized + Write>(&mut self, _: &mut W, value: u128) -> io::Result<()> {
        self.number(&value.to_string())
    }

    fn write_f32<W: ?Sized + Write>(&mut self, _: &mut W, value: f32) -> io::Result<()> {
        // A short double is written in its own shortest digits, and what is hashed is what is written.
        self.double(|text| CompactFormatter.write_f32(text, value))
    }

    fn write_f64<W: ?Sized + Write>(&mut self, _: &mut W, value: f64) -> io::Result<()> {
        if self.is_in_string {
            return self.double(|text| CompactFormatter.write_f64(text, value));
        }
        let number = Number::try_from(value).map_err(CanonicalError::from);
        let written = number.map(|number| self.writer.number(number));
        self.note(written)
    }

    fn write_number_str<W: ?Sized + Write>(&mut self, _: &mut W, value: &str) -> io::Result<()> {
        self.number(value)
    }

    fn write_null<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.writer.token("null");
        Ok(())
    }

    fn write_bool<W: ?Sized + Write>(&mut self, _: &mut W, value: bool) -> io::Result<()> {
        let word = if value { "true" } else { "false" };
        if self.is_in_string {
            self.writer.string_content(word);
        } else {
            self.writer.token(word);
        }
        Ok(())
    }

    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_in_string = true;
        if !self.is_key {
            self.writer.begin_string();
        }
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_in_string = false;
        if !self.is_key {
            self.writer.end_string();
        }
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.writer.plain_content(fragment);
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let character = match escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        };
        self.writer
            .string_content(character.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.writer.begin_array();
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.writer.end_array();
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.writer.begin_object();
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        let ended = self.writer.end_object();
        self.note(ended)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, _: &mut W, _first: bool) -> io::Result<()> {
        self.is_key = true;
        self.writer.begin_key();
        Ok(())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_key = false;
        self.writer.end_key();
        Ok(())
    }

    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let written = events::write(fragment, Overflow::Refuse, self.writer);
        self.note(written)
    }
}
