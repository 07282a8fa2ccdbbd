//! Replacing, inserting and deleting definitions, and the check after it.

use std::ops::Range;

use serde_json::{Value, json};

use super::Reader;
use super::outline::{Definition, Names, Outline, span};
use super::select;
use crate::patch::document::{Anchor, DefinitionChange, Target};
use crate::patch::engine::{Compiled, Stop};
use crate::patch::failure::Failure;
use crate::patch::files::Files;
use crate::patch::line;
use crate::patch::outcome::Warning;
use crate::patch::splice::{Splice, refine, spliced};
use crate::path::WorkspacePath;

/// Words that may stand in front of a definition and are easily lost.
const MODIFIERS: [&str; 12] = [
    "pub",
    "export",
    "default",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "final",
    "abstract",
    "unsafe",
    "extern",
];

/// One file whose definitions are edited.
pub(super) struct Source<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) path: &'a WorkspacePath,
    pub(super) text: &'a [u8],
    pub(super) outline: &'a Outline,
}

/// A splice before it is checked, and what must hold after it.
struct Planned {
    splice: Splice,
    /// The path at which a definition stands afterwards, if one must.
    expected: Option<Names>,
    /// Whether any definition must stand in the new text.
    adds: bool,
    /// The names of the definitions around, which change with what they hold.
    around: Option<Names>,
}

impl Source<'_> {
    /// Compiles one change.
    pub(super) fn compile<F: Files>(
        &self,
        files: &F,
        change: &DefinitionChange,
    ) -> Result<Compiled, Stop> {
        let select = |target: &Target| {
            select::select(self.outline, self.text, target, || {
                select::elsewhere(files, self.path, target)
            })
        };
        let mut warnings = Vec::new();
        let (planned, members) = match change {
            DefinitionChange::Replace { target, text } => {
                let definition = select(target)?;
                warnings.extend(self.dropped_modifiers(definition, text));
                (
                    self.replace(definition, text),
                    json!({ "target": self.normal(definition), "text": text }),
                )
            }
            DefinitionChange::Delete { target } => {
                let definition = select(target)?;
                (
                    self.delete(definition),
                    json!({ "target": self.normal(definition) }),
                )
            }
            DefinitionChange::Insert { anchor, text } => {
                let (planned, anchor) = match anchor {
                    Anchor::Before(target) => {
                        let definition = select(target)?;
                        (
                            self.insert_beside(definition, text, true),
                            json!({ "before": self.normal(definition) }),
                        )
                    }
                    Anchor::After(target) => {
                        let definition = select(target)?;
                        (
                            self.insert_beside(definition, text, false),
                            json!({ "after": self.normal(definition) }),
                        )
                    }
                    Anchor::Into(target) => {
                        let definition = select(target)?;
                        (
                            self.insert_into(definition, text)?,
                            json!({ "into": self.normal(definition) }),
                        )
                    }
                    Anchor::First => (self.insert_at_edge(text, true), json!("first")),
                    Anchor::Last => (self.insert_at_edge(text, false), json!("last")),
                };
                (planned, json!({ "anchor": anchor, "text": text }))
            }
            DefinitionChange::Rename { .. } => {
                unreachable!("a rename may edit several files and is compiled by itself")
            }
        };
        let after = self.check(&planned)?;
        let mut splices = Vec::new();
        refine(self.text, &planned.splice, &mut splices);
        let mut members = members;
        members["language"] = json!(self.reader.name());
        Ok(Compiled {
            splices,
            members,
            warnings,
            parsed: self.reader.parsed(after),
        })
    }

    /// A target as a normal form names it.
    pub(super) fn normal(&self, definition: &Definition) -> Value {
        json!({
            "path": definition.path.to_vec(),
            "kind": definition.kind,
            "occurrence": self.outline.occurrence(definition),
        })
    }

    fn replace(&self, definition: &Definition, text: &str) -> Planned {
        let text = text.trim_end_matches(['\r', '\n']);
        let keeps = !self.brings_leading(text) && !definition.shares_statement;
        let mut start = if keeps {
            definition.core.start
        } else {
            definition.range.start
        };
        if text.starts_with([' ', '\t']) {
            start -= indent_before(self.text, start).len();
        }
        let end = line_end(self.text, start);
        Planned {
            splice: Splice::new(start..definition.range.end, with_ends(text, &end)),
            expected: Some(definition.path.clone()),
            adds: true,
            around: definition.path.around().cloned(),
        }
    }

    /// Whether a text starts with a comment, an attribute or a decorator.
    fn brings_leading(&self, text: &str) -> bool {
        let text = text.trim_start();
        match self.reader.name() {
            "python" => text.starts_with(['#', '@']),
            "rust" => ["//", "/*", "#["]
                .iter()
                .any(|start| text.starts_with(start)),
            _ => ["//", "/*", "@"]
                .iter()
                .any(|start| text.starts_with(start)),
        }
    }

    fn delete(&self, definition: &Definition) -> Planned {
        let range = if definition.shares_statement {
            self.with_comma(&definition.range)
        } else {
            self.with_blank_lines(&definition.range)
        };
        Planned {
            splice: Splice::new(range, ""),
            expected: None,
            adds: false,
            around: definition.path.around().cloned(),
        }
    }

    /// A declarator with the comma behind it, or before it where it is the last.
    fn with_comma(&self, range: &Range<usize>) -> Range<usize> {
        let is_space = |byte: &u8| byte.is_ascii_whitespace();
        let next = range.end
            + self.text[range.end..]
                .iter()
                .take_while(|byte| is_space(byte))
                .count();
        if self.text.get(next) == Some(&b',') {
            let after = next + 1;
            return range.start
                ..after
                    + self.text[after..]
                        .iter()
                        .take_while(|byte| is_space(byte))
                        .count();
        }
        let before = self.text[..range.start]
            .iter()
            .rev()
            .take_while(|byte| is_space(byte))
            .count();
        let comma = range.start - before;
        if comma > 0 && self.text[comma - 1] == b',' {
            comma - 1..range.end
        } else {
            range.clone()
        }
    }

    /// Whole lines with the blank lines after them, or before them where nothing follows in the same place.
    fn with_blank_lines(&self, range: &Range<usize>) -> Range<usize> {
        let indent = indent_before(self.text, range.start);
        let mut start = range.start - indent.len();
        let rest = &self.text[range.end..];
        let blanks = rest
            .iter()
            .take_while(|byte| line::is_blank(**byte))
            .count();
        let stands_alone = start == 0 || self.text[start - 1] == b'\n';
        if !stands_alone || !matches!(rest.get(blanks), None | Some(b'\n' | b'\r')) {
            return range.clone();
        }
        let mut end = range.end + blanks;
        end += self.text[end..]
            .split_inclusive(|byte| *byte == b'\n')
            .next()
            .map_or(0, <[u8]>::len);
        let behind = blank_lines(&self.text[end..]);
        let next = &self.text[end + behind..];
        let next_indent = line::indent_of(next).len();
        let is_last = next.is_empty()
            || matches!(next.get(next_indent), Some(b'}' | b')'))
            || next_indent < indent.len();
        if !is_last {
            return start..end + behind;
        }
        let mut above: Vec<&[u8]> = line::split(&self.text[..start]).collect();
        while let Some(text) = above.pop()
            && line::trim_end(line::body_of(text)).is_empty()
        {
            start -= text.len();
        }
        start..end
    }

    fn insert_beside(&self, definition: &Definition, text: &str, is_before: bool) -> Planned {
        let indent = indent_before(self.text, definition.range.start);
        let end = line_end(self.text, definition.range.start);
        let gap = end.repeat(self.separation(definition) + 1);
        let text = indented(text, indent, &end);
        let splice = if is_before {
            let start = definition.range.start - indent.len();
            Splice::new(start..start, [text, gap].concat())
        } else {
            let rest = &self.text[definition.range.end..];
            let blanks = rest
                .iter()
                .take_while(|byte| line::is_blank(**byte))
                .count();
            let at = definition.range.end + blanks;
            Splice::new(at..at, [gap, text].concat())
        };
        Planned {
            splice,
            expected: None,
            adds: true,
            around: definition.path.around().cloned(),
        }
    }

    /// Blank lines between a definition and its neighbours, else the usual ones of the language.
    fn separation(&self, definition: &Definition) -> usize {
        let parent = definition.path.around();
        let is_nested = parent.is_some();
        let siblings: Vec<&Definition> = self
            .outline
            .definitions
            .iter()
            .filter(|other| other.path.around() == parent)
            .collect();
        let index = siblings
            .iter()
            .position(|other| other.range == definition.range)
            .unwrap_or(0);
        let pairs = [(index, index + 1), (index.wrapping_sub(1), index)];
        for (first, second) in pairs {
            if let (Some(first), Some(second)) = (siblings.get(first), siblings.get(second))
                && first.range.end <= second.range.start
            {
                let between = &self.text[first.range.end..second.range.start];
                let is_blank = between.iter().all(u8::is_ascii_whitespace);
                let line_feeds = memchr::memchr_iter(b'\n', between).count();
                if is_blank && line_feeds > 0 {
                    return line_feeds - 1;
                }
            }
        }
        self.usual(is_nested)
    }

    fn usual(&self, is_nested: bool) -> usize {
        match self.reader {
            Reader::Grammar(language) => language.usual_blank_lines(is_nested),
            Reader::Tool(..) => 1,
        }
    }

    fn insert_into(&self, container: &Definition, text: &str) -> Result<Planned, Failure> {
        let inner = self.outline.definitions.iter().filter(|other| {
            other.path.around() == Some(&container.path)
                && container.range.start <= other.range.start
                && other.range.end <= container.range.end
        });
        if let Some(last) = inner.max_by_key(|definition| definition.range.end)
            && !last.shares_statement
        {
            return Ok(self.insert_beside(last, text, false));
        }
        let holds = matches!(
            &*container.kind,
            "class" | "interface" | "module" | "impl" | "trait" | "enum" | "record" | "struct"
        );
        let Some(body) = container.body.clone().filter(|_| holds) else {
            return Err(Failure::PathState {
                expected: "a definition that holds others",
                actual: "one that does not",
            });
        };
        let end = line_end(self.text, body.start);
        let outer = indent_before(self.text, container.range.start);
        let mut indent = outer.to_vec();
        indent.extend_from_slice(self.unit().as_bytes());
        let text = indented(text, &indent, &end);
        let inside = &self.text[body.clone()];
        let splice = if inside.ends_with(b"}") {
            let content = line::trim_end(&inside[..inside.len() - 1]);
            let is_open = content.ends_with(b"\n");
            let at = body.start + content.len();
            let lead = if is_open { Vec::new() } else { end.clone() };
            let close = if is_open {
                body.end - 1 - (inside.len() - 1 - content.len())
            } else {
                body.end - 1
            };
            let tail = if is_open {
                end
            } else {
                [&end[..], outer].concat()
            };
            Splice::new(at..close.max(at), [lead, text, tail].concat())
        } else {
            let gap = end.repeat(self.usual(true) + 1);
            Splice::new(body.end..body.end, [gap, text].concat())
        };
        Ok(Planned {
            splice,
            expected: None,
            adds: true,
            around: Some(container.path.clone()),
        })
    }

    /// One step of indentation as the file has it.
    fn unit(&self) -> String {
        let indents = line::split(self.text)
            .map(line::indent_of)
            .filter(|indent| !indent.is_empty());
        match indents.min_by_key(|indent| indent.len()) {
            Some(indent) if indent.len() <= 8 => String::from_utf8_lossy(indent).into_owned(),
            _ if self.reader.name() == "go" => "\t".to_owned(),
            _ => "    ".to_owned(),
        }
    }

    fn insert_at_edge(&self, text: &str, is_first: bool) -> Planned {
        let mut top = self
            .outline
            .definitions
            .iter()
            .filter(|definition| definition.path.count() == 1 && !definition.shares_statement);
        let edge = if is_first {
            top.next()
        } else {
            top.max_by_key(|definition| definition.range.end)
        };
        if let Some(edge) = edge {
            return self.insert_beside(edge, text, is_first);
        }
        let end = line_end(self.text, self.text.len());
        let text = [indented(text, b"", &end), end.clone()].concat();
        let needs_end = !self.text.is_empty() && !self.text.ends_with(b"\n");
        let count = if self.text.is_empty() {
            0
        } else {
            self.usual(false) + usize::from(needs_end)
        };
        let splice = Splice::new(
            self.text.len()..self.text.len(),
            [end.repeat(count), text].concat(),
        );
        Planned {
            splice,
            expected: None,
            adds: true,
            around: None,
        }
    }

    fn dropped_modifiers(&self, definition: &Definition, text: &str) -> Option<Warning> {
        let words = |text: &str| -> Vec<String> {
            let head = text.split(['{', '=', ':']).next().unwrap_or_default();
            let words =
                head.split(|character: char| !character.is_alphanumeric() && character != '_');
            words
                .filter(|word| MODIFIERS.contains(word))
                .map(str::to_owned)
                .collect()
        };
        let old = words(&String::from_utf8_lossy(
            &self.text[definition.core.clone()],
        ));
        let code: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with(['/', '#', '@', '*']))
            .collect();
        let new = words(&code.join("\n"));
        let dropped: Vec<String> = old.into_iter().filter(|word| !new.contains(word)).collect();
        (!dropped.is_empty()).then(|| Warning {
            name: "dropped-modifier",
            path: self.path.clone(),
            detail: format!("`{}` of `{}` is gone", dropped.join(" "), definition.path),
        })
    }

    /// Parses the file again and holds it to what the edit may change.
    fn check(&self, planned: &Planned) -> Result<Outline, Failure> {
        let splices = std::slice::from_ref(&planned.splice);
        let text = spliced(self.text, splices);
        let after =
            self.reader
                .outline_after(self.path, (self.outline, self.text), splices, &text)?;
        let spans = |text: &[u8], errors: &[Range<usize>]| {
            errors
                .iter()
                .take(20)
                .map(|error| span(text, error))
                .collect()
        };
        let refuse = |reason: &str| {
            Err(Failure::SyntaxRegression {
                reason: reason.to_owned(),
                before: spans(self.text, &self.outline.errors),
                after: spans(&text, &after.errors),
                unpaired: after.unpaired(&text),
            })
        };
        if after.errors.len() > self.outline.errors.len() {
            return refuse("the edit adds syntax errors");
        }
        let new = planned.splice.start..planned.splice.start + planned.splice.bytes.len();
        let kept_before = untouched(
            self.outline,
            self.text,
            &planned.splice.range(),
            planned.around.as_ref(),
        );
        let kept_after = untouched(&after, &text, &new, planned.around.as_ref());
        if kept_before != kept_after {
            return refuse("the edit would change other definitions");
        }
        let inside = |definition: &&Definition| {
            definition.core.start < new.end && definition.core.end > new.start
        };
        let within =
            |definition: &&Definition| inside(definition) && definition.core.end <= new.end + 1;
        if planned.adds
            && !after
                .definitions
                .iter()
                .any(|definition| within(&definition))
        {
            return refuse("the text holds no definition of this language");
        }
        if let Some(expected) = &planned.expected
            && !after
                .definitions
                .iter()
                .filter(inside)
                .any(|definition| definition.path == *expected)
        {
            return refuse("the new text does not define the name that it replaces");
        }
        Ok(after)
    }
}

/// The definitions that a range does not touch, as names and bytes; those around it as names alone.
fn untouched<'a>(
    outline: &'a Outline,
    text: &'a [u8],
    range: &Range<usize>,
    around: Option<&Names>,
) -> Vec<(&'a Names, &'a str, &'a [u8])> {
    let definition = |definition: &'a Definition| {
        // A declarator that is left alone in its statement is the same one as before.
        let own = definition.declarator.as_ref().unwrap_or(&definition.range);
        let (start, end) = (own.start, own.end);
        let core = &definition.core;
        // What holds the range may end where it ends, as a class does with its last method.
        let reaches = end >= range.start || text[end..range.start].trim_ascii().is_empty();
        let holds = start <= range.start && reaches && definition.path.holds(around);
        let is_apart = end <= range.start || start >= range.end;
        let is_around = core.start < range.start && core.end > range.end;
        if is_apart && !holds {
            return Some((&definition.path, &*definition.kind, &text[start..end]));
        }
        (holds || is_around).then_some((&definition.path, &*definition.kind, &[][..]))
    };
    outline.definitions.iter().filter_map(definition).collect()
}

/// The blanks between the start of a line and an offset; none where something else stands there.
fn indent_before(text: &[u8], offset: usize) -> &[u8] {
    let start = memchr::memrchr(b'\n', &text[..offset]).map_or(0, |at| at + 1);
    let before = &text[start..offset];
    if before.iter().all(|byte| line::is_blank(*byte)) {
        before
    } else {
        &[]
    }
}

/// Bytes of the blank lines that a text starts with.
fn blank_lines(text: &[u8]) -> usize {
    let blank =
        |text: &&[u8]| line::trim_end(line::body_of(text)).is_empty() && text.ends_with(b"\n");
    line::split(text).take_while(blank).map(<[u8]>::len).sum()
}

/// The line end of the line at an offset, else of the file, else LF.
fn line_end(text: &[u8], offset: usize) -> Vec<u8> {
    crate::patch::text::end_above(text, offset)
}

/// A text with the line ends of the file.
fn with_ends(text: &str, end: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(text.len());
    for text in line::split(text.as_bytes()) {
        written.extend_from_slice(line::body_of(text));
        if text.ends_with(b"\n") {
            written.extend_from_slice(end);
        }
    }
    written
}

/// A text whose first line has the given indentation, the others shifted with it, without a last line end.
fn indented(text: &str, indent: &[u8], end: &[u8]) -> Vec<u8> {
    let text = text
        .trim_end_matches(['\r', '\n'])
        .trim_start_matches(['\r', '\n']);
    let own = line::indent_of(text.as_bytes());
    let mut written = Vec::with_capacity(text.len() + 64);
    for (index, text) in text.lines().enumerate() {
        if index > 0 {
            written.extend_from_slice(end);
        }
        let body = text.as_bytes();
        if !line::trim_end(body).is_empty() {
            written.extend_from_slice(indent);
            let common = body
                .iter()
                .zip(own)
                .take_while(|(left, right)| left == right)
                .count();
            written.extend_from_slice(&body[common..]);
        }
    }
    written
}
