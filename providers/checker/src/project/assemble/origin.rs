//! Where the texts of a program come from that are parts of specs.

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::source::{FileId, Span};

/// The place in a spec that a text of a program is a copy of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The spec among the sources of the project.
    file: FileId,
    place: Place,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// The text begins at this byte.
    Offset(u32),
    /// The text as a whole stands for this place.
    Whole(Span),
}

impl Origin {
    /// Says that a text is a copy from this byte on.
    pub(super) fn new(file: FileId, offset: usize) -> Self {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            file,
            place: Place::Offset(offset),
        }
    }

    /// Says that a text as a whole stands for a place.
    pub(super) const fn whole(file: FileId, span: Span) -> Self {
        Self {
            file,
            place: Place::Whole(span),
        }
    }

    fn span(self, span: Span) -> Span {
        match self.place {
            Place::Whole(whole) => whole,
            Place::Offset(offset) => Span::new(
                span.start.saturating_add(offset),
                span.end.saturating_add(offset),
            ),
        }
    }
}

/// The origins of all texts of a program.
#[derive(Debug)]
pub(super) struct Origins {
    /// By the number of the text; none for a text that is a file of its own.
    origins: Vec<Option<Origin>>,
    /// The number of the project's first text among those of the program.
    first: usize,
}

impl Origins {
    pub(super) const fn new(origins: Vec<Option<Origin>>, first: usize) -> Self {
        Self { origins, first }
    }

    /// Gives a file of the project as one of the program.
    pub(super) fn project_file(&self, file: FileId) -> FileId {
        let index = self.first + file.index();
        FileId::new(u32::try_from(index).expect("fewer than 2^32 texts fit in memory"))
    }

    /// Moves reports about parts of specs to the specs.
    pub(super) fn placed(&self, found: &Diagnostics) -> Diagnostics {
        let mut placed = Diagnostics::new();
        let mut positions = Vec::with_capacity(found.len());
        for diagnostic in found.iter() {
            // Files that need each other are reported as such, not by the order that they cannot have.
            if diagnostic.code == Code::ForwardReference {
                positions.push(None);
                continue;
            }
            let mut diagnostic = diagnostic.clone();
            self.place(&mut diagnostic);
            let root = diagnostic.root.and_then(|root| positions.get(root));
            diagnostic.root = root.copied().flatten();
            positions.push(placed.push(diagnostic));
        }
        for _ in 0..found.suppressed() {
            placed.count_suppressed();
        }
        placed
    }

    fn place(&self, diagnostic: &mut Diagnostic) {
        if let Some(origin) = self.origin(diagnostic.file) {
            diagnostic.file = Some(self.project_file(origin.file));
            diagnostic.span = diagnostic.span.map(|span| origin.span(span));
            // Both speak of places in the text that was made.
            diagnostic.edits.clear();
            diagnostic.params = None;
        }
        for note in &mut diagnostic.notes {
            if let Some(origin) = self.origin(note.file) {
                note.file = Some(self.project_file(origin.file));
                note.span = note.span.map(|span| origin.span(span));
            }
        }
    }

    /// Says whether a text is part of a spec.
    pub(super) fn is_part(&self, file: FileId) -> bool {
        self.origin(Some(file)).is_some()
    }

    /// Gives the spec that a text is part of, as a file of the project.
    pub(super) fn spec_of(&self, file: FileId) -> Option<FileId> {
        Some(self.origin(Some(file))?.file)
    }

    fn origin(&self, file: Option<FileId>) -> Option<Origin> {
        self.origins.get(file?.index()).copied().flatten()
    }

    /// Moves reports about files of the project to where these stand among the sources of the program.
    pub(super) fn of_project(&self, found: &Diagnostics) -> Diagnostics {
        let mut moved = Diagnostics::new();
        for diagnostic in found.iter() {
            let mut diagnostic = diagnostic.clone();
            let shift = |file: &mut FileId| *file = self.project_file(*file);
            diagnostic.file.iter_mut().for_each(shift);
            let notes = diagnostic.notes.iter_mut();
            notes.filter_map(|note| note.file.as_mut()).for_each(shift);
            let edits = diagnostic.edits.iter_mut();
            let splices = edits.flat_map(|edit| edit.splices.iter_mut());
            splices.map(|splice| &mut splice.file).for_each(shift);
            moved.push(diagnostic);
        }
        for _ in 0..found.suppressed() {
            moved.count_suppressed();
        }
        moved
    }
}
