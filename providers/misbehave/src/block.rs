//! The text of blocks and errors, written by hand so that it can be wrong where a mode wants it so.

use std::fmt::Write;

/// A JSON string with quotes.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => {
                write!(quoted, "\\u{:04x}", u32::from(control)).expect("a string takes any text");
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// When the blocks of modes without a clock say that they were made.
const FIXED_STAMP: &str = "2026-01-01T00:00:00Z";

/// A valid block with this payload.
pub(crate) fn block(mode: &str, kind: &str, data: &str) -> String {
    stamped(mode, FIXED_STAMP, kind, data)
}

/// A valid block that was made at this time.
pub(crate) fn stamped(mode: &str, when: &str, kind: &str, data: &str) -> String {
    format!(
        "{{\"schema_version\":\"lonis.block/v1\",\"attribution\":{{\"identity\":\"misbehave:{mode}\",\"provenance\":\
         {{\"when\":\"{when}\",\"producer\":\"misbehave\"}}}},\"payload\":{{\"kind\":{},\"data\":{data}}}}}",
        quote(kind)
    )
}

/// A valid `result` block with this output.
pub(crate) fn result(mode: &str, output: &str) -> String {
    block(mode, "result", &format!("{{\"output\":{output}}}"))
}

/// A valid `result` block whose text has exactly this many bytes, or the smallest possible.
pub(crate) fn sized(mode: &str, bytes: usize) -> String {
    let smallest = result(mode, "\"\"").len();
    result(
        mode,
        &format!("\"{}\"", "x".repeat(bytes.saturating_sub(smallest))),
    )
}

/// A `ToolError` on one line, without a newline.
pub(crate) fn error(kind: &str, message: &str, exit_code: u64) -> String {
    let (kind, message) = (quote(kind), quote(message));
    format!(
        "{{\"kind\":{kind},\"message\":{message},\"details\":{{\"from\":\"misbehave\"}},\"exit_code\":{exit_code}}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_escaped() {
        assert_eq!(quote("a\"b\\c\n\u{1b}é"), "\"a\\\"b\\\\c\\u000a\\u001bé\"");
    }

    #[test]
    fn a_sized_block_has_that_size() {
        for bytes in [200, 201, 4096] {
            assert_eq!(sized("blocks", bytes).len(), bytes);
        }
    }
}
