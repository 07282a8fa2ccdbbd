//! The blocks that one run printed.

use lonis::subprocess::decode::{Decoder, Framing};
use lonis::{Finding, SeedBlock};

use crate::counted::counted;

use super::observed::Observed;

/// The blocks of one run, with what they break.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) blocks: Vec<SeedBlock>,
    pub(crate) findings: Vec<Finding>,
}

/// Reads the blocks of a run that succeeded, as a host does.
///
/// # Errors
/// What keeps them from being read, for a report.
pub(crate) fn decode(observed: &Observed) -> Result<Decoded, String> {
    if !observed.succeeded() {
        return Err(observed.how_it_ended());
    }
    let mut decoder = Decoder::new(Framing::Blocks, observed.stdout.len());
    decoder.push(&observed.stdout);
    decoder.end();
    let mut found = Decoded::default();
    loop {
        match decoder.advance() {
            Ok(true) => {}
            Ok(false) => return Ok(found),
            Err(error) => {
                let seen = decoder.excerpt().unwrap_or_default();
                return Err(format!(
                    "stdout, after {}: {error}; there is `{seen}`",
                    counted(found.blocks.len(), "block")
                ));
            }
        }
        let text = decoder.value().map_or("", |value| value.text());
        let read = SeedBlock::read(text).map_err(|error| {
            format!(
                "block {} at byte {}: {error}",
                found.blocks.len(),
                decoder.value_offset()
            )
        })?;
        found.blocks.push(read.value);
        found.findings.extend(read.findings);
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
