//! Laws of cutting an output into values.

use lonis_core::subprocess::decode::{DecodeError, Decoder, Framing};
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
