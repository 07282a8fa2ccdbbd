//! The lines between `---` at the beginning of a file.

use super::lines::{Piece, Spanned, is_scalar, length};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Edit, EditKind};
use crate::source::{FileId, Span};

/// What the frontmatter says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontmatter {
    /// The name, unless it is missing.
    pub name: Option<Spanned<String>>,
    /// The tags.
    pub tags: Vec<Spanned<String>>,
    /// The line of the name with its newline, which no hash of the prose has.
    pub name_line: Option<Span>,
    /// The whole of it with both `---` lines.
    pub span: Span,
}

impl Frontmatter {
    /// Reads the frontmatter at the beginning of a text.
    pub(super) fn read(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Option<Self> {
        let reader = FrontmatterReader {
            file,
            diagnostics,
            found: Self {
                name: None,
                tags: Vec::new(),
                name_line: None,
                span: Span::empty_at(0),
            },
            seen: Vec::new(),
            is_in_list: false,
        };
        reader.read(text)
    }
}

struct FrontmatterReader<'a> {
    file: FileId,
    diagnostics: &'a mut Diagnostics,
    found: Frontmatter,
    seen: Vec<String>,
    /// Whether `tags:` stood on the line before, or an item of its list.
    is_in_list: bool,
}

impl FrontmatterReader<'_> {
    fn report(&mut self, code: Code, span: Span, message: String) {
        self.diagnostics
            .push(Diagnostic::at(code, self.file, span, message));
    }

    /// Offers something for the last report.
    fn offer(&mut self, kind: EditKind, title: &str, span: Span, text: String) {
        if let Some(diagnostic) = self.diagnostics.iter_mut().last() {
            let edit = Edit::new(kind, title, self.file, span, text);
            diagnostic.edits.push(edit);
        }
    }

    fn read(mut self, text: &str) -> Option<Frontmatter> {
        let mut lines = Piece::new(text, 0).lines();
        let first = lines.next().unwrap_or(Piece::new("", 0));
        if first.text.trim_end() != "---" {
            let message = "the file does not begin with a `---` line".to_owned();
            self.report(Code::TrMissingFrontmatter, first.span(), message);
            return None;
        }
        let lines: Vec<Piece<'_>> = lines.collect();
        let Some(closing) = lines.iter().position(|line| line.text.trim_end() == "---") else {
            let message = "the frontmatter has no closing `---` line".to_owned();
            let end = Span::empty_at(length(text));
            self.report(Code::TrFrontmatterSyntax, end, message);
            return None;
        };
        let next_line = |position: usize| {
            lines
                .get(position + 1)
                .map_or(length(text), |line| line.start)
        };
        for (position, line) in lines[..closing].iter().enumerate() {
            self.line(*line, next_line(position));
        }
        self.found.span = Span::new(0, next_line(closing));
        if !self.seen.iter().any(|key| key == "name") {
            let span = Span::new(0, lines[closing].span().end);
            self.report(
                Code::TrMissingName,
                span,
                "the frontmatter has no `name`".to_owned(),
            );
        }
        Some(self.found)
    }

    fn line(&mut self, line: Piece<'_>, end: u32) {
        let content = line.trimmed();
        if content.text.is_empty() {
            return;
        }
        if let Some(item) = content.text.strip_prefix("- ").filter(|_| self.is_in_list) {
            let item = Piece::new(item, content.start + 2).trimmed();
            return self.tag(item);
        }
        self.is_in_list = false;
        let is_indented = content.start > line.start;
        match content.split_once(":") {
            Some((key, value)) if is_scalar(key.text) && !is_indented => {
                self.entry(key, value.trimmed(), Span::new(line.start, end));
            }
            _ => self.syntax(content, "`key: value`"),
        }
    }

    fn syntax(&mut self, piece: Piece<'_>, expected: &str) {
        let message = format!("expected {expected}, found `{}`", shown(piece.text));
        self.report(Code::TrFrontmatterSyntax, piece.span(), message);
    }

    fn entry(&mut self, key: Piece<'_>, value: Piece<'_>, line: Span) {
        if self.seen.iter().any(|seen| seen == key.text) {
            let message = format!("`{}` is there twice", key.text);
            return self.report(Code::TrFrontmatterSyntax, key.span(), message);
        }
        self.seen.push(key.text.to_owned());
        match key.text {
            "name" => {
                self.found.name_line = Some(line);
                if is_scalar(value.text) {
                    self.found.name = Some(value.to_spanned());
                } else {
                    self.syntax(value, "a name of letters, digits, `_` and `-`");
                }
            }
            "tags" if value.text.is_empty() => self.is_in_list = true,
            "tags" => self.tags(value),
            _ => {
                let message = format!("`{}` is no key, `name` and `tags` are", shown(key.text));
                self.report(Code::TrUnknownFrontmatterKey, key.span(), message);
                self.offer(EditKind::Choice, "remove the line", line, String::new());
            }
        }
    }

    fn tags(&mut self, value: Piece<'_>) {
        let inside = value
            .text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let Some(inside) = inside else {
            self.syntax(value, "`[a, b]`");
            let text = format!("[{}]", value.text);
            return self.offer(EditKind::Machine, "put brackets around", value.span(), text);
        };
        let mut rest = Piece::new(inside, value.start + 1);
        if rest.is_blank() {
            return;
        }
        while let Some((tag, behind)) = rest.split_once(",") {
            self.tag(tag.trimmed());
            rest = behind;
        }
        self.tag(rest.trimmed());
    }

    fn tag(&mut self, tag: Piece<'_>) {
        if is_scalar(tag.text) {
            self.found.tags.push(tag.to_spanned());
        } else {
            self.syntax(tag, "a tag of letters, digits, `_` and `-`");
        }
    }
}

/// Shortens what a message shows.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(60).flat_map(char::escape_debug).collect()
}
