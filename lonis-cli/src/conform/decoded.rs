//! The blocks that one run printed.

use lonis::json::{Scan, Scanner};
use lonis::{Finding, SeedBlock};
use serde_json::value::RawValue;

use super::observed::{Observed, excerpt};

/// The blocks of one run, with what each breaks.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) blocks: Vec<SeedBlock>,
    pub(crate) findings: Vec<Finding>,
}

/// Reads the blocks of a run that succeeded, in any form that a host takes.
///
/// # Errors
/// What keeps them from being read, for a report.
pub(crate) fn decode(observed: &Observed) -> Result<Decoded, String> {
    if !observed.succeeded() {
        return Err(observed.how_it_ended());
    }
    let mut rest = observed
        .stdout
        .strip_prefix("\u{feff}".as_bytes())
        .unwrap_or(&observed.stdout);
    let mut decoded = Decoded::default();
    loop {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return Ok(decoded);
        }
        let count = decoded.blocks.len();
        let offset = observed.stdout.len() - rest.len();
        let at = |error: &dyn std::fmt::Display| {
            format!(
                "stdout at byte {offset}, after {} blocks: {error}; there is `{}`",
                count,
                excerpt(rest)
            )
        };
        let end = match Scanner::new().scan(rest).map_err(|error| at(&error))? {
            Scan::Complete { end } => end,
            Scan::Incomplete => return Err(at(&"the value has no end")),
        };
        decoded.take(&rest[..end]).map_err(|error| at(&error))?;
        rest = &rest[end..];
    }
}

impl Decoded {
    /// Takes one top-level value: a block, or an array of them.
    fn take(&mut self, value: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(value).map_err(|error| error.to_string())?;
        if !text.starts_with('[') {
            return self.take_block(text);
        }
        let elements: Vec<&RawValue> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        elements
            .into_iter()
            .try_for_each(|element| self.take_block(element.get()))
    }

    fn take_block(&mut self, text: &str) -> Result<(), String> {
        let read = SeedBlock::read(text).map_err(|error| error.to_string())?;
        self.blocks.push(read.value);
        self.findings.extend(read.findings);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::observed::ended;
    use super::*;

    const BLOCK: &str = r#"{"schema_version":"lonis.block/v1","attribution":{"identity":"a:b","provenance":{"when":"2026-01-01T00:00:00Z","producer":"p"}},"payload":{"kind":"a.b","data":1}}"#;

    #[test]
    fn blocks_are_read_in_every_form() {
        for (stdout, expected) in [
            (String::new(), Some(0)),
            (format!("{BLOCK}\n{BLOCK}\r\n"), Some(2)),
            (format!("\u{feff}[{BLOCK},{BLOCK}] {BLOCK}{BLOCK}"), Some(4)),
            ("[]".to_owned(), Some(0)),
            (format!("{BLOCK},{BLOCK}"), None),
            (format!("hello\n{BLOCK}"), None),
            (format!("[{BLOCK},7]"), None),
            (BLOCK[..50].to_owned(), None),
            (BLOCK.replace("v1", "v2"), None),
        ] {
            let found = decode(&ended(0, &stdout, ""));
            assert_eq!(
                found.as_ref().ok().map(|decoded| decoded.blocks.len()),
                expected,
                "{stdout}: {found:?}"
            );
        }
        assert!(decode(&ended(5, BLOCK, "")).is_err());
    }
}
