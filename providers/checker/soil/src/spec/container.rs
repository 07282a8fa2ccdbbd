//! The outer form of a `.tr` file: frontmatter, prose and fenced blocks.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::frontmatter::Frontmatter;
use super::info::Info;
use super::lines::{Piece, length};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, LimitParams, Params};
use crate::source::{FileId, MAX_SOURCE_BYTES, Span};

/// A `.tr` file with its blocks found and not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// What the frontmatter says.
    pub frontmatter: Frontmatter,
    /// The fenced blocks at the top level of the text, in order.
    pub fences: Vec<Fence>,
    /// Whether a paragraph is there; a heading is none.
    pub has_prose: bool,
    /// Whether a fence was not closed, so that blocks may stand in it.
    pub(super) has_open_fence: bool,
}

/// One fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// What stands behind the opening fence.
    pub info: Info,
    /// The bytes between the fence lines, last newline included.
    pub content: Span,
    /// From the beginning of the opening line to the newline behind the closing fence.
    pub span: Span,
}

impl Container {
    /// Reads the outer form of a file.
    ///
    /// # Errors
    /// None after `tr-missing-frontmatter`, a frontmatter without end, a text that is not UTF-8 or one past its bound, each of
    /// which is reported; so are other mistakes of frontmatter and info strings.
    pub fn read(file: FileId, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<Self> {
        let text = checked_text(file, bytes, diagnostics)?;
        let frontmatter = Frontmatter::read(file, text, diagnostics)?;
        let mut reader = ContainerReader {
            file,
            text,
            diagnostics,
            fences: Vec::new(),
            has_prose: false,
            has_open_fence: false,
        };
        reader.body(frontmatter.span.end);
        Some(Self {
            frontmatter,
            fences: reader.fences,
            has_prose: reader.has_prose,
            has_open_fence: reader.has_open_fence,
        })
    }
}

fn checked_text<'a>(
    file: FileId,
    bytes: &'a [u8],
    diagnostics: &mut Diagnostics,
) -> Option<&'a str> {
    if bytes.len() > MAX_SOURCE_BYTES {
        let (max, seen) = (MAX_SOURCE_BYTES as u64, bytes.len() as u64);
        let message = format!("the text has {seen} bytes, `source-bytes` allows {max}");
        let limit = "source-bytes";
        let params = Params::Limit(LimitParams { limit, max, seen });
        let place = Span::empty_at(u32::try_from(MAX_SOURCE_BYTES).unwrap_or(u32::MAX));
        let diagnostic = Diagnostic::at(Code::LimitExceeded, file, place, message);
        diagnostics.push(diagnostic.with_params(params));
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let place = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
            let message = format!("the text is not UTF-8 from byte {place} on");
            let span = Span::new(place, place + 1);
            diagnostics.push(Diagnostic::at(Code::MalformedInput, file, span, message));
            None
        }
    }
}

struct ContainerReader<'a> {
    file: FileId,
    text: &'a str,
    diagnostics: &'a mut Diagnostics,
    fences: Vec<Fence>,
    has_prose: bool,
    has_open_fence: bool,
}

impl ContainerReader<'_> {
    /// Finds fences and paragraphs behind the frontmatter.
    fn body(&mut self, start: u32) {
        let body = &self.text[start as usize..];
        let mut depth = 0_u32;
        for (event, range) in Parser::new_ext(body, Options::empty()).into_offset_iter() {
            match event {
                Event::Start(tag) => {
                    self.has_prose |= matches!(tag, Tag::Paragraph);
                    if depth == 0 && matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_))) {
                        self.fence(start as usize + range.start);
                    }
                    depth += 1;
                }
                Event::End(TagEnd::CodeBlock | _) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Reads the fence whose marks stand at an offset.
    fn fence(&mut self, at: usize) {
        let line_start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let open = Piece::new(self.text, 0).after(line_start);
        let mut lines = open.lines().zip(open.text.split_inclusive('\n'));
        let Some((first, whole)) = lines.next() else {
            return;
        };
        let marks = Marks::opening(first.text);
        let info = first.after(first.text.len() - first.text.trim_start().len() + marks.count);
        let content_start = open.start + length(whole);
        let mut end = content_start;
        for (line, whole) in lines {
            let line_end = end + length(whole);
            if marks.is_closed_by(line.text) {
                let info = Info::read(self.file, info, self.diagnostics);
                self.fences.push(Fence {
                    info,
                    content: Span::new(content_start, end),
                    span: Span::new(open.start, line_end),
                });
                return;
            }
            end = line_end;
        }
        self.has_open_fence = true;
        let message = "the block is not closed".to_owned();
        let place = first.trimmed().span();
        self.diagnostics
            .push(Diagnostic::at(Code::TrBlockInfo, self.file, place, message));
    }
}

/// The marks that open a fence.
#[derive(Clone, Copy)]
struct Marks {
    mark: char,
    count: usize,
}

impl Marks {
    fn opening(line: &str) -> Self {
        let line = line.trim_start();
        let mark = line.chars().next().unwrap_or('`');
        let count = line.len() - line.trim_start_matches(mark).len();
        Self { mark, count }
    }

    /// Says whether a line closes the fence: up to 3 spaces, as many marks or more, and nothing else.
    fn is_closed_by(self, line: &str) -> bool {
        let marks = line.trim_start_matches(' ');
        let rest = marks.trim_start_matches(self.mark);
        let is_indented = line.len() - marks.len() > 3;
        !is_indented
            && marks.len() - rest.len() >= self.count
            && rest.trim_matches([' ', '\t', '\r']).is_empty()
    }
}
