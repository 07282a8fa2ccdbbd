//! Results that are too long for a frame, kept to be read in pages.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::ToolResult;
use crate::code::McpCode;
use crate::refusal::Refusal;

/// The longest page, in bytes.
const PAGE_BYTES: usize = 64 << 10;
/// What is kept of one connection's results, in bytes; the oldest go first.
const KEPT_BYTES: usize = 256 << 20;
/// How much of a result is shown in place of it, in bytes.
const HEAD_BYTES: usize = 1024;
/// Where results are read.
pub(crate) const RESULTS: &str = "lonis://results/";

/// The results of one connection that are read in pages.
#[derive(Debug)]
pub(crate) struct Pages {
    kept: VecDeque<(String, Arc<str>)>,
    kept_bytes: usize,
    most_bytes: usize,
    /// How many were let go.
    gone: usize,
}

impl Default for Pages {
    fn default() -> Self {
        Self::up_to(KEPT_BYTES)
    }
}

impl Pages {
    fn up_to(most_bytes: usize) -> Self {
        Self {
            kept: VecDeque::new(),
            kept_bytes: 0,
            most_bytes,
            gone: 0,
        }
    }

    /// Keeps a result, and returns what stands in its place.
    pub(crate) fn keep(&mut self, result: ToolResult) -> PagedResult {
        let text: Arc<str> = result.text.into();
        let hash = sha256(text.as_bytes());
        if !self.kept.iter().any(|(known, _)| *known == hash) {
            self.kept_bytes += text.len();
            self.kept.push_back((hash.clone(), Arc::clone(&text)));
        }
        while self.kept_bytes > self.most_bytes
            && let Some((_, oldest)) = self.kept.pop_front()
        {
            self.kept_bytes -= oldest.len();
            self.gone += 1;
        }
        let uri = format!("{RESULTS}{hash}");
        let mut envelope = result.structured.unwrap_or_default();
        envelope["data"] = json!({
            "paged": true,
            "uri": uri,
            "bytes": text.len(),
            "sha256": hash,
            "pages": borders(&text).len() - 1,
            "head": &text[..text.floor_char_boundary(HEAD_BYTES)],
        });
        PagedResult {
            uri,
            bytes: text.len(),
            result: ToolResult::of_envelope(envelope),
        }
    }

    /// Reads one page of a result by what follows [`RESULTS`] in its URI.
    ///
    /// # Errors
    /// `mcp/resource-gone` for one that was let go, `mcp/resource-unknown` for any other.
    pub(crate) fn read(&self, rest: &str) -> Result<Value, Refusal> {
        let (hash, page) = match rest.split_once("?page=") {
            Some((hash, page)) => (hash, page.parse::<usize>().ok()),
            None => (rest, Some(1)),
        };
        let is_hash =
            hash.len() == 64 && hash.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
        let kept = self.kept.iter().find(|(known, _)| known == hash);
        let Some((_, text)) = kept else {
            let code = if is_hash && self.gone > 0 {
                McpCode::ResourceGone
            } else {
                McpCode::ResourceUnknown
            };
            return Err(Refusal::new(
                code,
                "no result of this connection has this name",
            ));
        };
        let borders = borders(text);
        let pages = borders.len() - 1;
        let page = page
            .filter(|page| (1..=pages).contains(page))
            .ok_or_else(|| {
                let message = format!("the result has the pages 1 to {pages}");
                Refusal::new(McpCode::ResourceUnknown, message).with("pages", pages)
            })?;
        let uri = format!("{RESULTS}{hash}?page={page}");
        Ok(json!({
            "contents": [{
                "uri": uri,
                "mimeType": "application/json",
                "text": &text[borders[page - 1]..borders[page]],
                "_meta": {"io.lonis/page": page, "io.lonis/pages": pages},
            }],
        }))
    }
}

/// A result that is read in pages.
#[derive(Debug)]
pub(crate) struct PagedResult {
    uri: String,
    bytes: usize,
    pub(crate) result: ToolResult,
}

impl PagedResult {
    pub(crate) fn to_value(&self, audit: Option<&Value>, effect: &str) -> Value {
        let mut value = self.result.to_value(audit, effect);
        let link = json!({
            "type": "resource_link",
            "uri": self.uri,
            "name": "result",
            "mimeType": "application/json",
            "size": self.bytes,
        });
        value["content"]
            .as_array_mut()
            .expect("a result has a list of content")
            .push(link);
        value
    }
}

/// Where the pages of a text begin, and where the last one ends.
fn borders(text: &str) -> Vec<usize> {
    let mut borders = vec![0];
    let mut at = 0;
    while at < text.len() {
        at = text.floor_char_boundary(at + PAGE_BYTES);
        borders.push(at);
    }
    borders
}

/// Returns the SHA-256 of bytes in hex digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        write!(hex, "{byte:02x}").expect("a text takes all that is written to it");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(text: &str) -> ToolResult {
        ToolResult::of_envelope(json!({"ok": true, "kind": "k", "data": text}))
    }

    fn rest(paged: &PagedResult) -> &str {
        paged.uri.strip_prefix(RESULTS).expect("it is a result")
    }

    #[test]
    fn pages_joined_are_the_result() {
        for size in [
            0,
            1,
            PAGE_BYTES - 1,
            PAGE_BYTES,
            PAGE_BYTES + 1,
            3 * PAGE_BYTES + 7,
        ] {
            let result = long(&"ü".repeat(size / 2 + 1));
            let whole = result.text.clone();
            let mut pages = Pages::default();
            let shown = pages.keep(result);
            let data = shown.result.structured.as_ref().expect("an envelope")["data"].clone();
            assert_eq!(data["sha256"], sha256(whole.as_bytes()));
            let count = data["pages"].as_u64().expect("a count");
            let mut joined = String::new();
            for page in 1..=count {
                let read = pages
                    .read(&format!("{}?page={page}", rest(&shown)))
                    .expect("it is kept");
                let text = read["contents"][0]["text"]
                    .as_str()
                    .expect("a text")
                    .to_owned();
                assert!(text.len() <= PAGE_BYTES);
                joined.push_str(&text);
            }
            assert_eq!(joined, whole);
            let beyond = pages.read(&format!("{}?page={}", rest(&shown), count + 1));
            assert_eq!(
                beyond.expect_err("no page").code(),
                McpCode::ResourceUnknown
            );
        }
    }

    #[test]
    fn the_oldest_results_go_first() {
        let mut pages = Pages::up_to(1000);
        let first = pages.keep(long("first"));
        assert!(pages.read(rest(&first)).is_ok());
        let half = "x".repeat(500);
        let (second, third) = (
            pages.keep(long(&half)),
            pages.keep(long(&format!("{half}y"))),
        );
        for (paged, is_kept) in [(&first, false), (&second, false), (&third, true)] {
            match pages.read(rest(paged)) {
                Ok(_) => assert!(is_kept),
                Err(refusal) => {
                    assert_eq!((refusal.code(), is_kept), (McpCode::ResourceGone, false));
                }
            }
        }
        let unknown = pages.read("nothing").expect_err("no name of a result");
        assert_eq!(unknown.code(), McpCode::ResourceUnknown);
    }
}
