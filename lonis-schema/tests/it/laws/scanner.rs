//! Laws of reading JSON text.

use lonis_schema::json::{Json, JsonError, JsonErrorReason, Scan, Scanner, document};
use serde_json::Value;

/// Checks the laws on any bytes.
///
/// # Panics
/// Where one does not hold.
pub(crate) fn check(bytes: &[u8]) {
    let read = document(bytes);
    agrees_with_the_library(bytes, read.as_ref().err());
    match read {
        Ok(scanned) => {
            let start = scanned.start();
            assert_eq!(
                &bytes[start..start + scanned.text().len()],
                scanned.text().as_bytes()
            );
            let json = Json::from(scanned);
            assert_eq!(Json::parse(json.text()).expect("it was read before"), json);
        }
        Err(error) => assert!(error.offset() <= bytes.len(), "{error}"),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let whole = Scanner::new().finish(bytes);
        for step in [1, 2, 7] {
            assert_eq!(scan_in_steps(text, step), whole, "in steps of {step}");
        }
    }
}

/// The library accepts a key that stands twice, and a byte order mark nowhere; in all else the two agree.
fn agrees_with_the_library(bytes: &[u8], error: Option<&JsonError>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let theirs = serde_json::from_slice::<Value>(bytes);
    match error.map(JsonError::reason) {
        // A build of it that keeps the text of numbers bounds none.
        Some(JsonErrorReason::DuplicateKey(_) | JsonErrorReason::Number(_)) => {}
        Some(reason) => assert!(theirs.is_err(), "{reason}"),
        None => {
            let theirs = theirs.expect("what is read here is JSON");
            let ours = Json::from(document(bytes).expect("it was read before"));
            assert_eq!(ours, Json::from(&theirs));
            assert_eq!(ours.to_value(), theirs);
        }
    }
}

/// Scans a text that grows by some characters at a time.
fn scan_in_steps(text: &str, step: usize) -> Result<usize, JsonError> {
    let mut scanner = Scanner::new();
    for (end, _) in text.char_indices().step_by(step) {
        if let Scan::Complete { end } = scanner.scan(&text.as_bytes()[..end])? {
            return Ok(end);
        }
    }
    scanner.finish(text.as_bytes())
}
