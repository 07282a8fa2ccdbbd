//! The inside of strings: plain bytes in steps of eight, and escapes.

use std::borrow::Cow;

use super::super::error::{JsonError, JsonErrorReason};

/// One byte in each lane of a word.
const LANES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each lane.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// An escape as far as the buffer holds it.
pub(crate) enum Escape {
    Whole { character: char, length: usize },
    Cut,
}

/// Offset of the first byte from `from` on that does not stand for itself: a quote, a backslash or a control character.
#[inline]
pub(crate) fn skip_plain(text: &[u8], from: usize) -> usize {
    // Most strings end within two words, and are done without a call.
    let words = text.get(from..).and_then(|rest| rest.first_chunk::<16>());
    let Some([first, second]) = words.map(|words| words.as_chunks::<8>().0) else {
        return skip_plain_words(text, from);
    };
    if let Some(lane) = first_special(*first) {
        return from + lane;
    }
    match first_special(*second) {
        Some(lane) => from + 8 + lane,
        None => skip_plain_words(text, from + 16),
    }
}

#[inline(never)]
fn skip_plain_words(text: &[u8], from: usize) -> usize {
    let Some(rest) = text.get(from..) else {
        return text.len();
    };
    let mut position = from;
    let (chunks, _) = rest.as_chunks::<32>();
    for chunk in chunks {
        let (words, _) = chunk.as_chunks::<8>();
        let special = words.iter().fold(0, |special, word| {
            special | special_lanes(u64::from_le_bytes(*word))
        });
        if special != 0 {
            break;
        }
        position += 32;
    }
    let (words, tail) = text[position..].as_chunks::<8>();
    for word in words {
        if let Some(lane) = first_special(*word) {
            return position + lane;
        }
        position += 8;
    }
    if tail.is_empty() {
        return position;
    }
    // The last eight bytes once more cost less than the last few one by one.
    if let Some(&word) = rest.last_chunk() {
        return first_special(word).map_or(text.len(), |lane| text.len() - 8 + lane);
    }
    let plain = tail
        .iter()
        .position(|&byte| matches!(byte, b'"' | b'\\' | ..b' '))
        .unwrap_or(tail.len());
    position + plain
}

/// The first lane of a word that is not plain.
fn first_special(word: [u8; 8]) -> Option<usize> {
    let special = special_lanes(u64::from_le_bytes(word));
    (special != 0).then(|| (special.trailing_zeros() / 8) as usize)
}

/// Marks the lanes that are not plain; above the lowest marked one, marks may be wrong.
fn special_lanes(word: u64) -> u64 {
    let zero_lanes = |lanes: u64| lanes.wrapping_sub(LANES) & !lanes;
    let quotes = zero_lanes(word ^ (LANES * u64::from(b'"')));
    let backslashes = zero_lanes(word ^ (LANES * u64::from(b'\\')));
    let controls = word.wrapping_sub(LANES * u64::from(b' ')) & !word;
    (quotes | backslashes | controls) & HIGH_BITS
}

/// Reads the escape whose backslash stands at `at`.
pub(crate) fn read_escape(text: &[u8], at: usize) -> Result<Escape, JsonError> {
    let whole = |character| {
        Ok(Escape::Whole {
            character,
            length: 2,
        })
    };
    match text.get(at + 1) {
        None => Ok(Escape::Cut),
        Some(b'"') => whole('"'),
        Some(b'\\') => whole('\\'),
        Some(b'/') => whole('/'),
        Some(b'b') => whole('\u{8}'),
        Some(b'f') => whole('\u{c}'),
        Some(b'n') => whole('\n'),
        Some(b'r') => whole('\r'),
        Some(b't') => whole('\t'),
        Some(b'u') => read_unicode_escape(text, at),
        Some(_) => Err(JsonError::unexpected(text, at + 1, "an escape")),
    }
}

fn read_unicode_escape(text: &[u8], at: usize) -> Result<Escape, JsonError> {
    let Some(first) = read_hex(text, at + 2)? else {
        return Ok(Escape::Cut);
    };
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Ok(Escape::Whole {
            character,
            length: 6,
        });
    }
    let lone = || Err(JsonError::new(at, JsonErrorReason::LoneSurrogate(first)));
    if first >= 0xDC00 {
        return lone();
    }
    match (text.get(at + 6), text.get(at + 7)) {
        (Some(b'\\'), Some(b'u')) => {}
        (None, _) | (Some(b'\\'), None) => return Ok(Escape::Cut),
        _ => return lone(),
    }
    let Some(second) = read_hex(text, at + 8)? else {
        return Ok(Escape::Cut);
    };
    match char::decode_utf16([first, second]).next() {
        Some(Ok(character)) => Ok(Escape::Whole {
            character,
            length: 12,
        }),
        _ => lone(),
    }
}

/// Reads four hexadecimal digits; none where the text ends before the fourth.
fn read_hex(text: &[u8], at: usize) -> Result<Option<u16>, JsonError> {
    let mut value = 0;
    for offset in at..at + 4 {
        let Some(&byte) = text.get(offset) else {
            return Ok(None);
        };
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => return Err(JsonError::unexpected(text, offset, "a hexadecimal digit")),
        };
        value = value << 4 | u16::from(digit);
    }
    Ok(Some(value))
}

/// Offset of the byte after the string whose quote stands at `at`, in a text that is JSON.
pub(crate) fn skip_string(text: &[u8], at: usize) -> usize {
    let mut position = skip_plain(text, at + 1);
    while let Some(b'\\') = text.get(position) {
        position = skip_plain(text, position + 2);
    }
    (position + 1).min(text.len())
}

/// The characters that the inside of a scanned string stands for.
pub(crate) fn unescape(inside: &str) -> Cow<'_, str> {
    try_unescape(inside).unwrap_or(Cow::Borrowed(inside))
}

/// The characters that the inside of a string stands for.
///
/// # Errors
/// An escape that names no character; a scanned text has none.
pub(crate) fn try_unescape(inside: &str) -> Result<Cow<'_, str>, JsonError> {
    let bytes = inside.as_bytes();
    let mut plain_end = skip_plain(bytes, 0);
    if plain_end == bytes.len() {
        return Ok(Cow::Borrowed(inside));
    }
    let mut characters = String::with_capacity(inside.len());
    let mut position = 0;
    while plain_end < bytes.len() {
        characters.push_str(&inside[position..plain_end]);
        if bytes[plain_end] != b'\\' {
            return Err(JsonError::unexpected(bytes, plain_end, "an escape"));
        }
        match read_escape(bytes, plain_end)? {
            Escape::Whole { character, length } => {
                characters.push(character);
                position = plain_end + length;
            }
            Escape::Cut => return Err(JsonError::unexpected(bytes, bytes.len(), "an escape")),
        }
        plain_end = skip_plain(bytes, position);
    }
    characters.push_str(&inside[position..]);
    Ok(Cow::Owned(characters))
}
