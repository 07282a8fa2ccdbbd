//! The document of diagnostics.

use super::places::{Places, clipped};
use super::{Writer, params};
use crate::diagnostic::{Diagnostic, Diagnostics, Edit, MAX_IN_DOCUMENT, Note};
use crate::source::{FileId, Sources};

/// The longest document of diagnostics.
///
/// # Units and bounds
/// Bytes: 64 KiB; diagnostics that would pass it are cut off and counted.
const MAX_DOCUMENT_BYTES: usize = 64 << 10;

/// The most edits of one diagnostic in a document.
const MAX_EDITS: usize = 3;

/// What a document says of each diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Code, message, place and notes: the language face.
    Plain,
    /// The same with repair class and reference: the tool level.
    Classified,
    /// All of that with parameters, roots and edits.
    Rich,
    /// Parameters, roots and edits without class and reference: the language face with `--rich`.
    RichPlain,
}

impl Detail {
    const fn is_rich(self) -> bool {
        matches!(self, Self::Rich | Self::RichPlain)
    }

    const fn is_classified(self) -> bool {
        matches!(self, Self::Rich | Self::Classified)
    }
}

/// Gives the document of diagnostics, in the order of documents and cut off at 50.
///
/// # Wire shape
/// `{"errors":[{"code":…,"message":…,"file":…,"span":…,"notes":[…]}]}`
pub fn errors(diagnostics: Diagnostics, sources: &Sources, detail: Detail) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        let suppressed = list(writer.key("errors"), diagnostics, sources, detail);
        if detail.is_rich() && suppressed > 0 {
            writer.key("suppressed").number(suppressed as u64);
        }
    });
    writer.finish_document()
}

/// Writes the array of diagnostics, in the order of documents and cut off as [`errors`] does, and counts those cut off.
pub fn list(
    writer: &mut Writer,
    diagnostics: Diagnostics,
    sources: &Sources,
    detail: Detail,
) -> usize {
    let found = diagnostics.suppressed();
    let sorted = diagnostics.into_sorted();
    let mut places = Places::new(sources);
    let mut shown = 0;
    let before = writer.len();
    writer.array(|writer| {
        for diagnostic in sorted.iter().take(MAX_IN_DOCUMENT) {
            let mut one = Writer::new();
            places.diagnostic(&mut one, diagnostic, detail);
            if shown > 0 && writer.len() - before + one.len() > MAX_DOCUMENT_BYTES {
                break;
            }
            writer.raw(&one.finish());
            shown += 1;
        }
    });
    found + sorted.len() - shown
}

impl Places<'_> {
    fn diagnostic(&mut self, writer: &mut Writer, diagnostic: &Diagnostic, detail: Detail) {
        writer.object(|writer| {
            writer.key("code").string(diagnostic.code.text());
            writer.key("message").string(&clipped(&diagnostic.message));
            self.place(writer, diagnostic.file, diagnostic.span);
            writer.key("notes").array(|writer| {
                for note in &diagnostic.notes {
                    self.note(writer, note);
                }
            });
            if detail.is_classified() {
                writer
                    .key("repair_class")
                    .string(diagnostic.code.repair_class().text());
                writer.key("spec_ref").string(diagnostic.code.spec_ref());
            }
            if detail.is_rich() {
                self.rich(writer, diagnostic);
            }
        });
    }

    fn rich(&mut self, writer: &mut Writer, diagnostic: &Diagnostic) {
        if let Some(found) = &diagnostic.params {
            params::write(writer.key("params"), found, self, diagnostic.file);
        }
        if let Some(root) = diagnostic.root {
            writer.key("root").number(root as u64);
        }
        if !diagnostic.edits.is_empty() {
            writer.key("edits").array(|writer| {
                for edit in diagnostic.edits.iter().take(MAX_EDITS) {
                    self.edit(writer, edit, diagnostic.file);
                }
            });
        }
    }

    fn note(&mut self, writer: &mut Writer, note: &Note) {
        writer.object(|writer| {
            writer.key("message").string(&clipped(&note.message));
            self.place(writer, note.file, note.span);
        });
    }

    fn edit(&self, writer: &mut Writer, edit: &Edit, own: Option<FileId>) {
        writer.object(|writer| {
            writer.key("title").string(&clipped(&edit.title));
            writer.key("kind").string(edit.kind.text());
            writer.key("splices").array(|writer| {
                for splice in &edit.splices {
                    writer.object(|writer| {
                        self.other_file(writer, Some(splice.file), own);
                        writer.key("start").number(u64::from(splice.span.start));
                        writer.key("end").number(u64::from(splice.span.end));
                        writer.key("text").string(&splice.text);
                    });
                }
            });
        });
    }
}

#[cfg(test)]
mod tests;
