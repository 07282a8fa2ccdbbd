//! Reports: which op is refused, where, why, and how it may be sent again.

use serde_json::{Map, Value, json};

use super::failure::Failure;
use crate::identity::Identity;

/// The most reports that one answer holds.
pub const MAX_REPORTS: usize = 100;

/// The longest `retry`, in bytes of its JSON.
const MAX_RETRY_BYTES: usize = 16 * 1024;

/// Why one op is refused.
///
/// # Wire shape
/// `{"ordinal", "op", "path", "code", "reason", "hint"}`, the facts of the code, and where they are known `file`,
/// `seen_in` and `retry`.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Number of the op in the patch, from 0.
    pub ordinal: usize,
    /// Its name.
    pub op: String,
    /// Its path as it was sent.
    pub path: String,
    /// Why it is refused.
    pub failure: Failure,
    /// Paths that were perhaps meant, where nothing stands at `path`.
    pub nearest: Vec<String>,
    /// Blob of the file as the op found it.
    pub file: Option<Identity>,
    /// Another state in which the quoted text stands.
    pub seen_in: Option<SeenIn>,
    /// The op as it would apply at the place that was meant.
    pub retry: Option<Value>,
}

/// A state of the file in which what was quoted stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenIn {
    /// `base`, `patch:<n>` or `live`.
    pub state: String,
    /// The patch or session that changed it since.
    pub changed_by: Option<String>,
}

impl Report {
    /// A report without the members that need the file.
    pub fn new(ordinal: usize, op: &str, path: &str, failure: Failure) -> Self {
        Self {
            ordinal,
            op: op.to_owned(),
            path: path.to_owned(),
            failure,
            nearest: Vec::new(),
            file: None,
            seen_in: None,
            retry: None,
        }
    }

    /// The report as it stands in results and diagnostics.
    pub fn to_value(&self) -> Value {
        let mut report = Map::new();
        report.insert("ordinal".to_owned(), json!(self.ordinal));
        report.insert("op".to_owned(), json!(self.op));
        report.insert("path".to_owned(), json!(self.path));
        report.insert("code".to_owned(), json!(self.failure.code()));
        report.insert("reason".to_owned(), json!(self.failure.to_string()));
        report.insert("hint".to_owned(), json!(self.failure.hint()));
        report.extend(self.failure.facts());
        if !self.nearest.is_empty() {
            report.insert("nearest".to_owned(), json!(self.nearest));
        }
        if let Some(file) = &self.file {
            report.insert("file".to_owned(), json!(format!("blob:{file}")));
        }
        if let Some(seen) = &self.seen_in {
            let changed_by = &seen.changed_by;
            report.insert(
                "seen_in".to_owned(),
                json!({ "state": seen.state, "changed_by": changed_by }),
            );
        }
        if let Some(retry) = self.retry.as_ref().filter(|retry| is_short(retry)) {
            report.insert("retry".to_owned(), retry.clone());
        }
        Value::Object(report)
    }
}

/// Whether a `retry` is short enough to be sent.
pub(crate) fn is_short(retry: &Value) -> bool {
    retry.to_string().len() <= MAX_RETRY_BYTES
}

/// Cuts a text at a character boundary, with an ellipsis.
pub(crate) fn clipped(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let end = (0..=max_bytes)
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    format!("{}…", &text[..end])
}

/// A text with its blanks and unusual characters made visible, cut where it is long.
pub(crate) fn visible(line: &[u8], max_bytes: usize) -> String {
    let mut shown = String::new();
    let text = &line[..line.len().min(max_bytes)];
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                ' ' => shown.push('·'),
                '\t' => shown.push('→'),
                '\r' => shown.push('␍'),
                '\n' => shown.push('␊'),
                odd if odd.is_control() || odd.is_whitespace() || is_invisible(odd) => {
                    let code = u32::from(odd);
                    shown.extend([format!("<U+{code:04X}>")]);
                }
                plain => shown.push(plain),
            }
        }
        for byte in chunk.invalid() {
            shown.extend([format!("<{byte:02X}>")]);
        }
    }
    if line.len() > max_bytes {
        shown.push('…');
    }
    shown
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}
