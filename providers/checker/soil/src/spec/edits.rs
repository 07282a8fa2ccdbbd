//! Edits that may mend a `.tr` file; [`read`](super::read) tries them before they are offered.

use super::container::{Container, Fence};
use super::location::Location;
use super::{Allowed, Reader, Spanned};
use crate::diagnostic::{Code, Diagnostics, Edit, EditKind};
use crate::source::{FileId, Span};

/// Offers the name that a file of this place has to have, where the frontmatter or its name is missing.
pub(super) fn offer_name(
    diagnostics: &mut Diagnostics,
    file: FileId,
    location: Location<'_>,
    container: Option<&Container>,
) {
    let kind = container.map_or(super::SpecKind::Function, |container| {
        location.kind(container)
    });
    let name = location.name(kind);
    for diagnostic in diagnostics.iter_mut() {
        let Some(span) = diagnostic.span else {
            continue;
        };
        let (place, text) = match diagnostic.code {
            Code::TrMissingFrontmatter => (0, format!("---\nname: {name}\n---\n")),
            // Behind the line of `---`.
            Code::TrMissingName => (span.start + 4, format!("name: {name}\n")),
            _ => continue,
        };
        let title = format!("name it `{name}`");
        let place = Span::empty_at(place);
        let edit = Edit::new(EditKind::Machine, title, file, place, text);
        diagnostic.edits.push(edit);
    }
}

impl Reader<'_> {
    /// Offers another text for what stands at a place.
    pub(super) fn writing(&self, kind: EditKind, span: Span, text: &str) -> Edit {
        Edit::new(kind, format!("write `{text}`"), self.file, span, text)
    }

    /// Offers to take away what stands at a place, with the space before it.
    pub(super) fn removing(&self, kind: EditKind, span: Span) -> Edit {
        let start = span.start as usize;
        let space = self.bytes[..start]
            .iter()
            .rev()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let start = u32::try_from(start - space).unwrap_or(span.start);
        let text = String::from_utf8_lossy(&self.bytes[span.range()]).into_owned();
        let title = format!("remove `{text}`");
        Edit::new(kind, title, self.file, Span::new(start, span.end), "")
    }

    /// Offers a name for a block that has none.
    pub(super) fn naming(&self, fence: &Fence, fences: &[Fence]) -> Edit {
        let word = &fence.info.lang;
        let name = free_name(word, fences);
        let title = format!("call it `{name}`");
        let place = Span::empty_at(fence.info.span.start + super::lines::length(word));
        Edit::new(
            EditKind::Machine,
            title,
            self.file,
            place,
            format!(" {name}"),
        )
    }

    /// Offers another name for a block whose name is taken.
    pub(super) fn renaming(&self, name: &Spanned<String>, fences: &[Fence]) -> Edit {
        let free = free_name(&name.value, fences);
        let title = format!("call it `{free}`");
        Edit::new(EditKind::Machine, title, self.file, name.span, free)
    }

    /// Offers the words that an `allow` block may have.
    pub(super) fn allowed_words(&self, span: Span) -> Vec<Edit> {
        let words = Allowed::ALL.iter().map(|allowed| allowed.text());
        words
            .map(|word| self.writing(EditKind::Choice, span, word))
            .collect()
    }
}

/// Gives a name made of a word that no block of the file has.
fn free_name(word: &str, fences: &[Fence]) -> String {
    let is_taken = |name: &str| {
        let mut names = fences.iter().filter_map(|fence| fence.info.name.as_ref());
        names.any(|other| other.value == name)
    };
    let mut numbered = (2_u32..).map(|number| format!("{word}{number}"));
    if is_taken(word) {
        numbered.find(|name| !is_taken(name)).unwrap_or_default()
    } else {
        word.to_owned()
    }
}
