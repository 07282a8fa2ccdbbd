//! Writing JSON piece by piece.

use crate::source::{LineIndex, Span};
use crate::syntax::tree::Row;
use crate::syntax::{Name, Names};

/// A JSON text that grows at its end; commas come by themselves.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: String,
    /// Whether a value stands before this place in the open object or array.
    needs_comma: bool,
}

impl Writer {
    /// Makes an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the text.
    pub fn finish(self) -> String {
        self.out
    }

    /// Gives the text as a document: with a newline at its end.
    pub fn finish_document(mut self) -> String {
        self.out.push('\n');
        self.out
    }

    /// Counts the bytes so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Says whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Writes text that is JSON already, as one value.
    pub fn raw(&mut self, json: &str) {
        self.separate();
        self.out.push_str(json);
    }

    fn separate(&mut self) {
        if std::mem::replace(&mut self.needs_comma, true) {
            self.out.push(',');
        }
    }

    /// Writes an object whose members the function writes.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.nested('{', '}', members);
    }

    /// Writes an array whose entries the function writes.
    pub fn array(&mut self, entries: impl FnOnce(&mut Self)) {
        self.nested('[', ']', entries);
    }

    fn nested(&mut self, open: char, close: char, inside: impl FnOnce(&mut Self)) {
        self.separate();
        self.out.push(open);
        self.needs_comma = false;
        inside(self);
        self.out.push(close);
        self.needs_comma = true;
    }

    /// Writes the key of the member whose value comes next.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.separate();
        push_string(&mut self.out, key);
        self.out.push(':');
        self.needs_comma = false;
        self
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) {
        self.separate();
        push_string(&mut self.out, text);
    }

    /// Writes the text of a name.
    pub fn name(&mut self, names: &Names, name: Name) {
        self.string(&names[name]);
    }

    /// Writes an integer.
    pub fn number(&mut self, number: u64) {
        self.separate();
        self.out.push_str(&number.to_string());
    }

    /// Writes `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// Writes a variant without value.
    pub fn tag(&mut self, tag: &str) {
        self.object(|writer| writer.key("tag").string(tag));
    }

    /// Writes a variant whose value is an object.
    pub fn variant(&mut self, tag: &str, members: impl FnOnce(&mut Self)) {
        self.tagged(tag, |writer| writer.object(members));
    }

    /// Writes a variant with any value.
    pub fn tagged(&mut self, tag: &str, value: impl FnOnce(&mut Self)) {
        self.object(|writer| {
            writer.key("tag").string(tag);
            value(writer.key("value"));
        });
    }

    /// Writes an optional value.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => self.tagged("Some", |writer| write(writer, value)),
            None => self.tag("None"),
        }
    }

    /// Writes a span with its line and column.
    pub fn span(&mut self, span: Span, lines: &LineIndex) {
        let position = lines.position(span);
        self.object(|writer| {
            writer.key("start").number(u64::from(span.start));
            writer.key("end").number(u64::from(span.end));
            writer.key("line").number(u64::from(position.line));
            writer.key("col").number(u64::from(position.column));
        });
    }

    /// Writes a row as it is written in a type.
    pub fn row(&mut self, names: &Names, row: Row) {
        self.object(|writer| {
            writer.key("effects").array(|writer| {
                for effect in row.effects.iter() {
                    writer.tag(effect.tag());
                }
            });
            writer.key("var").option(row.variable, |writer, variable| {
                writer.name(names, variable);
            });
        });
    }
}

/// Appends a JSON string literal.
fn push_string(out: &mut String, text: &str) {
    let quoted = serde_json::to_string(text).expect("a string is always JSON");
    out.push_str(&quoted);
}
