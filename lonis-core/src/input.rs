//! Input as a program gets it: bytes to one JSON value, and a value to the author's own type.

use std::io::Read;

use lonis_schema::{ErrorKind, Json, ToolError, json};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Largest input that is read from a pipe or a file, in bytes; what is longer is refused, not cut.
pub const MAX_INPUT_BYTES: u64 = 64 << 20;

/// Reads one input to its end.
///
/// One leading byte order mark and whitespace around the value are ignored; nothing at all is `null`. Key order and the
/// spelling of numbers are kept.
///
/// # Errors
/// `invalid_input` when it is not exactly one JSON value, `limit_exceeded` above [`MAX_INPUT_BYTES`], `io` when it
/// cannot be read.
pub fn read_input(source: &mut dyn Read) -> Result<Json, ToolError> {
    let mut bytes = Vec::new();
    source
        .take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| {
            ToolError::new(ErrorKind::Io, format!("input could not be read: {error}"))
        })?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        let message = format!("input is longer than the {MAX_INPUT_BYTES} bytes that are read");
        return Err(
            ToolError::new(ErrorKind::LimitExceeded, message).with_details(json!({
                "bound": "max_input_bytes",
                "limit": MAX_INPUT_BYTES,
            })),
        );
    }
    parse_document(&bytes)
}

/// Reads one JSON value from the bytes of an input, as [`read_input`] does.
///
/// # Errors
/// `invalid_input` when it is not exactly one JSON value.
pub fn parse_document(bytes: &[u8]) -> Result<Json, ToolError> {
    let is_blank = |bytes: &[u8]| bytes.iter().all(|byte| b" \t\n\r".contains(byte));
    if is_blank(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)) {
        return Ok(Json::from(Value::Null));
    }
    json::document(bytes).map(Json::from).map_err(|error| {
        ToolError::new(
            ErrorKind::InvalidInput,
            format!("input is not one JSON value: {error}"),
        )
        .with_details(json!({"byte_offset": error.offset()}))
    })
}

/// Turns an input into the author's own type.
///
/// # Errors
/// `invalid_input`, with `details.pointer` as a JSON Pointer to the place in the input.
///
/// # Example
/// ```
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Debug, Deserialize)]
/// struct Get {
///     keys: Vec<String>,
/// }
///
/// let error = lonis_core::parse_input::<Get>(json!({"keys": ["a", 7]})).unwrap_err();
/// assert_eq!(error.details().map(|details| details.to_value()), Some(json!({"pointer": "/keys/1"})));
/// ```
pub fn parse_input<T: DeserializeOwned>(input: Value) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        ToolError::new(
            ErrorKind::InvalidInput,
            format!("input is not usable: {}", error.inner()),
        )
        .with_detail("pointer", Value::String(pointer(error.path())))
    })
}

/// Writes a path as a JSON Pointer, RFC 6901.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        let step = match segment {
            Segment::Seq { index } => index.to_string(),
            // The variant of an enum is the key of an object on the wire.
            Segment::Map { key } | Segment::Enum { variant: key } => {
                key.replace('~', "~0").replace('/', "~1")
            }
            Segment::Unknown => break,
        };
        pointer.push('/');
        pointer.push_str(&step);
    }
    pointer
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn an_input_is_one_value_and_keeps_its_spelling() {
        for (text, expected) in [
            (
                "{\"b\":1.50,\"a\":12345678901234567890123}",
                "{\"b\":1.50,\"a\":12345678901234567890123}",
            ),
            ("\u{feff} -7 \r\n", "-7"),
            ("", "null"),
            (" \n\t", "null"),
            ("\u{feff}", "null"),
        ] {
            assert_eq!(
                read_input(&mut text.as_bytes()).unwrap().text(),
                expected,
                "{text:?}"
            );
        }
        for bytes in [
            &b"{} {}"[..],
            b"[1,]",
            b"nul",
            b"\"\xff\"",
            b"\xef\xbb\xbf\xef\xbb\xbf1",
        ] {
            let error = read_input(&mut &*bytes).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidInput, "{bytes:?}");
        }
    }

    #[test]
    fn an_input_without_end_is_cut_off() {
        let error = read_input(&mut io::repeat(b' ')).unwrap_err();
        assert_eq!(
            (error.kind(), error.exit_code()),
            (&ErrorKind::LimitExceeded, 7)
        );
    }

    #[test]
    fn pointers_name_the_place_in_the_input() {
        #[derive(Debug, serde::Deserialize)]
        #[expect(dead_code, reason = "only the shape is of interest")]
        struct Input {
            #[serde(rename = "a/b~c")]
            odd: Vec<Option<u8>>,
        }
        for (input, pointer) in [
            (json!({"a/b~c": [1, null, 300]}), "/a~1b~0c/2"),
            (json!({"a/b~c": {}}), "/a~1b~0c"),
            (json!({}), ""),
            (json!(7), ""),
        ] {
            let error = parse_input::<Input>(input.clone()).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidInput);
            assert_eq!(
                error.details().unwrap().to_value()["pointer"],
                pointer,
                "{input}"
            );
        }
    }
}
