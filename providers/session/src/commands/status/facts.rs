//! What a read tells of a file beside its bytes: how its text is written, and what it defines.

use serde_json::{Value, json};

use crate::identity::{Domain, Identity};
use crate::patch::definition::{Language, MAX_PARSED_BYTES, Outline};
use crate::patch::line::Lines;
use crate::path::WorkspacePath;

/// Definitions that one file lists; a read of part of them is one of `within`.
const MAX_DEFINITIONS: usize = 500;

/// Adds the facts to the entry of a file.
pub(super) fn add(entry: &mut Value, path: &WorkspacePath, bytes: &[u8]) {
    entry["text"] = text(bytes);
    let Some(language) = Language::of_path(path) else {
        return;
    };
    let Ok(outline) = Outline::of(language, bytes) else {
        // What is there is not known, and that it is not is.
        let code = "patch/limit";
        entry["unparsed"] =
            json!({"code": code, "limit": MAX_PARSED_BYTES, "observed": bytes.len()});
        return;
    };
    let shown = outline.definitions.iter().take(MAX_DEFINITIONS);
    let lines = Lines::of(bytes);
    let definition = |definition| {
        let mut shown = json!(outline.candidate(&lines, definition));
        let blob = Identity::of(Domain::Blob, &bytes[definition.range.clone()]);
        shown["blob"] = json!(blob);
        shown
    };
    entry["definitions"] = shown.map(definition).collect();
    let cut = outline.cut.map_or(0, |cut| cut.omitted);
    let omitted = cut + outline.definitions.len().saturating_sub(MAX_DEFINITIONS);
    if omitted > 0 {
        entry["omitted"] = json!({"definitions": omitted});
    }
}

fn text(bytes: &[u8]) -> Value {
    let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let encoding = if is_utf16 {
        "utf-16"
    } else if bytes.contains(&0) {
        "binary"
    } else if std::str::from_utf8(bytes).is_ok() {
        "utf-8"
    } else {
        "other"
    };
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    json!({
        "encoding": encoding,
        "bom": is_utf16 || bytes.starts_with(b"\xef\xbb\xbf"),
        "line_end": line_end(&lines),
        "final_newline": bytes.ends_with(b"\n"),
        "indent": indent(&lines),
        "lines": lines.len(),
    })
}

fn line_end(lines: &[&[u8]]) -> &'static str {
    let crlf = lines.iter().filter(|line| line.ends_with(b"\r\n")).count();
    let all = lines.iter().filter(|line| line.ends_with(b"\n")).count();
    match (crlf, all) {
        (_, 0) => "none",
        (0, _) => "lf",
        _ if crlf == all => "crlf",
        _ => "mixed",
    }
}

/// `tab`, `space:<n>` with the smallest step, `mixed`, or `none`.
fn indent(lines: &[&[u8]]) -> String {
    let blanks = |line: &&[u8]| {
        let count = line
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let is_blank = line[count..].iter().all(u8::is_ascii_whitespace);
        (!is_blank && count > 0).then(|| line[..count].to_vec())
    };
    let indents: Vec<Vec<u8>> = lines.iter().filter_map(blanks).collect();
    let has_tabs = indents.iter().any(|indent| indent.contains(&b'\t'));
    let has_spaces = indents.iter().any(|indent| indent.starts_with(b" "));
    match (has_tabs, has_spaces) {
        (false, false) => "none".to_owned(),
        (true, false) => "tab".to_owned(),
        (true, true) => "mixed".to_owned(),
        (false, true) => {
            // One space alone is the continuation of a block comment as often as an indentation.
            let widths = || indents.iter().map(Vec::len);
            let step = widths()
                .filter(|width| *width > 1)
                .min()
                .or_else(|| widths().min());
            format!("space:{}", step.unwrap_or(1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_told_as_it_is_written() {
        for (bytes, expected) in [
            (&b""[..], ["utf-8", "false", "none", "false", "none", "0"]),
            (
                b"a\n  b\n",
                ["utf-8", "false", "lf", "true", "space:2", "2"],
            ),
            (
                b"\xef\xbb\xbfa\r\n\tb",
                ["utf-8", "true", "crlf", "false", "tab", "2"],
            ),
            (
                b"a\r\nb\n",
                ["utf-8", "false", "mixed", "true", "none", "2"],
            ),
            (
                b"\tx\n    y\n",
                ["utf-8", "false", "lf", "true", "mixed", "2"],
            ),
            (
                b"/**\n * x\n */\n    y\n",
                ["utf-8", "false", "lf", "true", "space:4", "4"],
            ),
            (b"caf\xe9\n", ["other", "false", "lf", "true", "none", "1"]),
            (b"a\0b", ["binary", "false", "none", "false", "none", "1"]),
            (
                b"\xff\xfea\0",
                ["utf-16", "true", "none", "false", "none", "1"],
            ),
            (b" \n\t\n", ["utf-8", "false", "lf", "true", "none", "2"]),
        ] {
            let told = text(bytes);
            let members = [
                "encoding",
                "bom",
                "line_end",
                "final_newline",
                "indent",
                "lines",
            ];
            let told = members.map(|name| told[name].to_string().trim_matches('"').to_owned());
            assert_eq!(told, expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_file_that_is_too_long_to_be_parsed_says_so() {
        let path = WorkspacePath::new("a.py").unwrap();
        for (length, is_parsed) in [(MAX_PARSED_BYTES, true), (MAX_PARSED_BYTES + 1, false)] {
            let mut entry = json!({});
            add(
                &mut entry,
                &path,
                &b"#\n".repeat(length.div_ceil(2))[..length],
            );
            assert_eq!(entry["definitions"].is_array(), is_parsed);
            let unparsed =
                json!({"code": "patch/limit", "limit": MAX_PARSED_BYTES, "observed": length});
            assert_eq!(entry.get("unparsed"), (!is_parsed).then_some(&unparsed));
            assert_eq!(entry["text"]["encoding"], "utf-8");
        }
        let mut entry = json!({});
        let unknown = WorkspacePath::new("a.txt").unwrap();
        add(&mut entry, &unknown, b"a\n");
        assert_eq!(entry.get("unparsed"), None);
    }

    #[test]
    fn definitions_are_told_with_their_blob() {
        let path = WorkspacePath::new("a.py").unwrap();
        let source = b"def f():\n    pass\n\n\ndef f():\n    pass\n";
        let mut entry = json!({});
        add(&mut entry, &path, source);
        let blob = Identity::of(Domain::Blob, b"def f():\n    pass");
        assert_eq!(
            entry["definitions"][1],
            json!({"path": ["f"], "kind": "function", "start_line": 5, "end_line": 6,
                "occurrence": {"index": 2, "of": 2}, "blob": blob})
        );
    }
}
