//! Diagnostics in their source, for people.

use std::collections::HashMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use soil::diagnostic::{Code, Diagnostic, Diagnostics, Edit, EditKind, MAX_IN_DOCUMENT, Note};
use soil::source::{FileId, Sources, Span};

use crate::failure::Failure;

/// The most edits that are shown of one diagnostic.
const MAX_EDITS: usize = 3;

/// The end of the line that is put behind a text.
const LAST_LINE: &str = "\n";

/// How bad what is shown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// It is wrong.
    Error,
    /// It is worth knowing.
    Warning,
}

impl Severity {
    const fn level(self) -> Level<'static> {
        match self {
            Self::Error => Level::ERROR,
            Self::Warning => Level::WARNING,
        }
    }

    const fn noun(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Error, 1) => "error",
            (Self::Error, _) => "errors",
            (Self::Warning, 1) => "warning",
            (Self::Warning, _) => "warnings",
        }
    }
}

/// Gives the text for people, with the codes that colour it.
pub(super) fn render(failure: &Failure) -> String {
    let renderer = Renderer::styled();
    report(
        &failure.diagnostics,
        &failure.sources,
        Severity::Error,
        &renderer,
    )
}

/// Gives the text for people, without colour.
pub(crate) fn labelled(found: &Diagnostics, sources: &Sources, severity: Severity) -> String {
    report(found, sources, severity, &Renderer::plain())
}

fn report(
    found: &Diagnostics,
    sources: &Sources,
    severity: Severity,
    renderer: &Renderer,
) -> String {
    let sorted = found.clone().into_sorted();
    let texts = Texts::new(sources, &sorted, severity);
    let mut out = String::new();
    for diagnostic in sorted.iter().take(MAX_IN_DOCUMENT) {
        let report = texts.report(diagnostic);
        out.push_str(&renderer.render(&report));
        out.push_str("\n\n");
    }
    let shown = sorted.len().min(MAX_IN_DOCUMENT);
    out + &summary(shown, sorted.len() - shown + found.suppressed(), severity)
}

/// Counts what was found.
fn summary(shown: usize, hidden: usize, severity: Severity) -> String {
    let count = shown + hidden;
    let noun = severity.noun(count);
    match hidden {
        0 => format!("{count} {noun}\n"),
        _ => format!("{count} {noun}, {hidden} of them not shown\n"),
    }
}

/// The texts that diagnostics speak of, made fit for showing.
struct Texts<'a> {
    sources: &'a Sources,
    readable: HashMap<FileId, String>,
    severity: Severity,
}

impl<'a> Texts<'a> {
    fn new(sources: &'a Sources, diagnostics: &[Diagnostic], severity: Severity) -> Self {
        let mut readable = HashMap::new();
        for file in diagnostics.iter().flat_map(files) {
            if let Some(source) = sources.get(file) {
                readable
                    .entry(file)
                    .or_insert_with(|| readable_text(&source.bytes));
            }
        }
        Self {
            sources,
            readable,
            severity,
        }
    }

    fn text(&self, file: FileId) -> &str {
        self.readable.get(&file).map_or("", String::as_str)
    }

    /// Gives a text as it is, without the line that [`readable_text`] puts behind it.
    fn written(&self, file: FileId) -> &str {
        let text = self.text(file);
        text.strip_suffix(LAST_LINE).unwrap_or(text)
    }

    fn path(&self, file: FileId) -> &'a str {
        self.sources.get(file).map_or("", |source| &source.path)
    }

    fn report<'t>(&'t self, diagnostic: &'t Diagnostic) -> Vec<Group<'t>> {
        let title = self
            .severity
            .level()
            .primary_title(&*diagnostic.message)
            .id(diagnostic.code.text());
        let mut group = Group::with_title(title);
        let own = diagnostic.file;
        if let Some((file, span)) = own.zip(diagnostic.span) {
            let primary = AnnotationKind::Primary.span(self.range(file, span));
            let notes = diagnostic.notes.iter().filter_map(|note| {
                let span = note.span.filter(|_| note.file == own)?;
                let range = self.range(file, span);
                Some(AnnotationKind::Context.span(range).label(&*note.message))
            });
            let annotations = std::iter::once(primary).chain(notes);
            group = group.element(self.snippet(file).annotations(annotations));
        } else if let Some(path) = own.map(|file| self.path(file))
            && !diagnostic.message.contains(path)
        {
            group = group.element(Origin::path(path));
        }
        for note in &diagnostic.notes {
            group = self.note(group, note, diagnostic);
        }
        let mut report = vec![group];
        let edits = diagnostic.edits.iter().take(MAX_EDITS);
        report.extend(edits.filter_map(|edit| self.edit(edit)));
        report
    }

    /// Adds a note that has no place in the diagnostic's own file.
    fn note<'t>(&'t self, group: Group<'t>, note: &'t Note, of: &Diagnostic) -> Group<'t> {
        if note.file == of.file && note.span.is_some() && of.span.is_some() {
            return group;
        }
        let group = group.element(Level::NOTE.message(note_text(note, of.code)));
        let Some((file, span)) = note.file.zip(note.span) else {
            return group;
        };
        let annotation = AnnotationKind::Context.span(self.range(file, span));
        group.element(self.snippet(file).annotation(annotation))
    }

    /// Shows an edit as it changes the one file that it is about.
    fn edit<'t>(&'t self, edit: &'t Edit) -> Option<Group<'t>> {
        let file = edit.splices.first()?.file;
        if edit.splices.iter().any(|splice| splice.file != file) {
            return None;
        }
        let title = match edit.kind {
            EditKind::Machine => Level::HELP.secondary_title(&*edit.title),
            EditKind::Placeholder | EditKind::Choice => {
                Level::HELP.secondary_title(format!("perhaps {}", edit.title))
            }
        };
        let patches = edit.splices.iter().map(|splice| {
            let range = self.range(file, splice.span);
            Patch::new(range, &*splice.text)
        });
        let snippet = Snippet::source(self.written(file)).path(self.path(file));
        Some(title.element(snippet.patches(patches)))
    }

    fn snippet<T: Clone>(&self, file: FileId) -> Snippet<'_, T> {
        Snippet::source(self.text(file)).path(self.path(file))
    }

    /// Gives the part of the text that a span means, at the borders of characters.
    fn range(&self, file: FileId, span: Span) -> Range<usize> {
        let text = self.text(file);
        let range = span.range();
        let start = text.floor_char_boundary(range.start);
        start..text.ceil_char_boundary(range.end).max(start)
    }
}

/// Gives the text of a note; a bare missing case says what it is.
fn note_text(note: &Note, code: Code) -> String {
    if code == Code::NonExhaustiveMatch && note.span.is_none() {
        return format!("`{}` is not matched", note.message);
    }
    note.message.clone()
}

fn files(diagnostic: &Diagnostic) -> impl Iterator<Item = FileId> {
    let notes = diagnostic.notes.iter().filter_map(|note| note.file);
    let splices = diagnostic.edits.iter().flat_map(|edit| &edit.splices);
    let splices = splices.map(|splice| splice.file);
    diagnostic.file.into_iter().chain(notes).chain(splices)
}

/// Gives a text in which each byte that is not UTF-8 is a question mark, so that offsets stay.
///
/// Behind its last newline stands one more line, so that a place there is shown on the line that documents count.
fn readable_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text + LAST_LINE
}
