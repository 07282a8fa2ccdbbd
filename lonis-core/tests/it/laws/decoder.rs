//! Laws of cutting an output into values.

use lonis_core::subprocess::decode::{DecodeError, Decoder, Framing};
use lonis_schema::json::{Scan, Scanner};
use lonis_schema::{BlockKind, RawBlock, Read};
use serde_json::Value;

/// Small, so that short outputs meet it.
const MAX_VALUE_BYTES: usize = 48;

/// The values with their places, and what ended decoding.
type Decoded = (Vec<(u64, String)>, Option<DecodeError>);

/// Checks the laws on any output.
///
/// # Panics
/// Where one does not hold.
pub(crate) fn check(output: &[u8]) {
    for framing in [Framing::Blocks, Framing::Values] {
        let whole = decode(framing, [output]);
        check_values(framing, output, &whole.0);
        if let Some(error) = &whole.1 {
            assert!(error.offset() <= output.len() as u64, "{error}");
            assert!(
                error.line() <= output.split(|&byte| byte == b'\n').count() as u64,
                "{error}"
            );
        }
        for size in [1, 2, 3, 7, 64] {
            assert_eq!(
                decode(framing, output.chunks(size)),
                whole,
                "{framing:?} in pieces of {size}"
            );
        }
        // The bytes say themselves where to cut, so that a search finds every cut.
        let pieces = output.chunk_by(|&left, &right| left % 5 != right % 3);
        assert_eq!(decode(framing, pieces), whole, "{framing:?} in odd pieces");
    }
}

/// The longest block that the law of fronts lets through, so that some are too long.
const MAX_BLOCK_BYTES: usize = 400;

/// A value where it stands, and the block that it is, findings and all, or why it is none.
type Found = (u64, String, Result<String, String>);

/// Checks that values come out alike, whether whole blocks are read at the front in one pass or cut out first.
///
/// # Panics
/// Where they do not.
pub(crate) fn check_fronts(output: &[u8]) {
    for size in [output.len().max(1), 300, 7] {
        let pieces = || output.chunks(size);
        let cut_out = blocks(pieces(), |_| None);
        assert_eq!(blocks(pieces(), front_raw), cut_out, "in pieces of {size}");
        assert_eq!(
            blocks(pieces(), front_typed),
            cut_out,
            "in pieces of {size}"
        );
    }
}

fn blocks<'a>(
    pieces: impl Iterator<Item = &'a [u8]>,
    front: impl Fn(&mut Decoder) -> Option<(String, Result<String, String>)>,
) -> (Vec<Found>, Option<DecodeError>) {
    let mut decoder = Decoder::new(Framing::Blocks, MAX_BLOCK_BYTES);
    let mut found = Vec::new();
    for piece in pieces.map(Some).chain([None]) {
        match piece {
            Some(bytes) => decoder.push(bytes),
            None => decoder.end(),
        }
        loop {
            let (text, block) = match front(&mut decoder) {
                Some(read) => read,
                None => match decoder.advance() {
                    Ok(true) => {
                        let value = decoder.value().expect("it was advanced to");
                        let block = RawBlock::from_scanned(value);
                        let block = block.map_err(|error| error.to_string()).and_then(typed);
                        (value.text().to_owned(), block)
                    }
                    Ok(false) => break,
                    Err(error) => return (found, Some(error)),
                },
            };
            assert!(text.len() <= MAX_BLOCK_BYTES, "{} bytes", text.len());
            found.push((decoder.value_offset(), text, block));
            assert_eq!(decoder.values(), found.len() as u64);
            assert_eq!(decoder.partial(), b"");
        }
    }
    (found, None)
}

fn typed(raw: Read<RawBlock<'_>>) -> Result<String, String> {
    let raw = raw.into_raw_block();
    let read = raw
        .typed::<BlockKind>()
        .map_err(|error| error.to_string())?;
    serde_json::to_string(&read.into_block()).map_err(|error| error.to_string())
}

fn front_raw(decoder: &mut Decoder) -> Option<(String, Result<String, String>)> {
    let front = decoder.front_raw()?;
    let read = front
        .in_text(decoder.front_text())
        .expect("the text that it was read from");
    Some((read.value.text().to_owned(), typed(read)))
}

fn front_typed(decoder: &mut Decoder) -> Option<(String, Result<String, String>)> {
    let block = decoder.front_block::<BlockKind>()?.into_block();
    let written = serde_json::to_string(&block).map_err(|error| error.to_string());
    let text = decoder.front_text();
    match Scanner::new().scan(text.as_bytes()) {
        Ok(Scan::Complete { end }) => Some((text[..end].to_owned(), written)),
        other => panic!("{other:?} of {text}"),
    }
}

/// What is handed out stands in the output, in order, and is what the framing asks for.
fn check_values(framing: Framing, output: &[u8], values: &[(u64, String)]) {
    let mut end = 0;
    for (offset, text) in values {
        let start = usize::try_from(*offset).expect("a short output");
        assert!(start >= end, "values overlap");
        end = start + text.len();
        assert_eq!(&output[start..end], text.as_bytes());
        assert!(text.len() <= MAX_VALUE_BYTES, "{} bytes", text.len());
        let value: Value = serde_json::from_str(text).expect("what is handed out is JSON");
        assert!(
            framing == Framing::Values || value.is_object(),
            "{text} is no block"
        );
    }
}

fn decode<'a>(framing: Framing, pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut decoder = Decoder::new(framing, MAX_VALUE_BYTES);
    let mut values = Vec::new();
    let mut error = None;
    for piece in pieces {
        decoder.push(piece);
        error = error.or(drain(&mut decoder, &mut values));
    }
    decoder.end();
    error = error.or(drain(&mut decoder, &mut values));
    assert_eq!(decoder.values(), values.len() as u64);
    assert_eq!(decoder.excerpt().is_some(), error.is_some());
    assert!(
        decoder
            .excerpt()
            .is_none_or(|excerpt| excerpt.len() <= 120 * "\\u{10ffff}".len())
    );
    (values, error)
}

fn drain(decoder: &mut Decoder, values: &mut Vec<(u64, String)>) -> Option<DecodeError> {
    loop {
        match decoder.advance() {
            Ok(true) => {
                let value = decoder.value().expect("it was advanced to");
                values.push((decoder.value_offset(), value.text().to_owned()));
            }
            Ok(false) => return None,
            Err(error) => return Some(error),
        }
    }
}
