//! Where things are, as documents say it, and how long what they say may be.

use std::collections::HashMap;

use super::Writer;
use crate::source::{FileId, LineIndex, Sources, Span};

/// Finds paths, lines and columns.
pub(super) struct Places<'a> {
    sources: &'a Sources,
    lines: HashMap<FileId, LineIndex>,
}

impl<'a> Places<'a> {
    pub(super) fn new(sources: &'a Sources) -> Self {
        Self {
            sources,
            lines: HashMap::new(),
        }
    }

    /// Writes the members `file` and `span`.
    pub(super) fn place(&mut self, writer: &mut Writer, file: Option<FileId>, span: Option<Span>) {
        let source = file.and_then(|file| self.sources.get(file));
        let path = source.map(|source| source.path.as_ref());
        writer
            .key("file")
            .option(path, |writer, path: &str| writer.string(path));
        writer
            .key("span")
            .option(file.zip(span), |writer, (file, span)| {
                self.span(writer, file, span);
            });
    }

    /// Writes a span of a file.
    pub(super) fn span(&mut self, writer: &mut Writer, file: FileId, span: Span) {
        let bytes = self
            .sources
            .get(file)
            .map_or(&[][..], |source| &source.bytes);
        let lines = self
            .lines
            .entry(file)
            .or_insert_with(|| LineIndex::new(bytes));
        writer.span(span, lines);
    }

    /// Writes the member `file`, if it is another one than that of the diagnostic.
    pub(super) fn other_file(
        &self,
        writer: &mut Writer,
        file: Option<FileId>,
        own: Option<FileId>,
    ) {
        let other = file.filter(|file| Some(*file) != own);
        if let Some(source) = other.and_then(|file| self.sources.get(file)) {
            writer.key("file").string(&source.path);
        }
    }
}

/// Cuts a text at 2 KiB, at the end of a character.
pub(super) fn clipped(text: &str) -> String {
    const MAX_TEXT_BYTES: usize = 2 << 10;
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_TEXT_BYTES - '…'.len_utf8());
    format!("{}…", &text[..end])
}
