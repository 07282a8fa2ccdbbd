//! The documents that the checker was built with: an agent reads the rules of the very checker that judges it.

mod skill;

use soil::diagnostic::{Code, Diagnostic};
use soil::document::Writer;

use crate::failure::Failure;

pub(crate) use skill::skill;

/// The longest text that is served of one section.
///
/// # Units and bounds
/// Bytes: 8 000. Of a longer one its own text is given, and its subsections with their sizes.
const MAX_SERVED_BYTES: usize = 8_000;

/// How many references are named where one is unknown.
const NEAREST: usize = 3;

/// A document with its slug.
struct Document {
    slug: &'static str,
    text: &'static str,
}

macro_rules! documents {
    ($($slug:literal),* $(,)?) => {
        &[$(Document {
            slug: $slug,
            text: include_str!(concat!("documents/", $slug, ".md")),
        }),*]
    };
}

/// All documents.
const DOCUMENTS: &[Document] = documents![
    "soil-syntax-spec",
    "soil0-cli",
    "tr-grammar",
    "lock-schema",
    "trellis-daemon",
    "soil-toml",
    "design",
];

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// The words behind the number.
    pub(crate) title: String,
    /// What stands below the heading, subsections included.
    pub(crate) text: String,
}

/// A heading with its place.
struct Heading<'d> {
    number: &'d str,
    title: &'d str,
    level: usize,
    /// Where the heading begins, and where its text does.
    start: usize,
    body: usize,
}

/// Gives the section that a reference `document#section` names.
///
/// # Errors
/// `unknown-spec-ref`, with the nearest references as notes.
pub(crate) fn section(reference: &str) -> Result<Section, Failure> {
    find(reference).ok_or_else(|| {
        let message = format!("there is no section `{reference}`");
        let diagnostic = Diagnostic::new(Code::UnknownSpecRef, message);
        let nearest = nearest(reference).into_iter();
        nearest
            .fold(diagnostic, |diagnostic, (reference, title)| {
                diagnostic.with_note(format!("`{reference}` is about {title}"))
            })
            .into()
    })
}

fn find(reference: &str) -> Option<Section> {
    let (slug, number) = reference.split_once('#')?;
    let document = DOCUMENTS.iter().find(|document| document.slug == slug)?;
    let headings = headings(document.text);
    let position = headings.iter().position(|one| one.number == number)?;
    let heading = &headings[position];
    let below = &headings[position + 1..];
    let own_end = below.first().map_or(document.text.len(), |next| next.start);
    let mut after = below.iter();
    let end = after.find(|next| next.level <= heading.level);
    let end = end.map_or(document.text.len(), |next| next.start);
    let whole = document.text[heading.body..end].trim();
    let text = if whole.len() <= MAX_SERVED_BYTES {
        whole.to_owned()
    } else {
        let own = document.text[heading.body..own_end].trim();
        let inner = below.iter().take_while(|next| next.start < end);
        let lines = inner.enumerate().map(|(index, inner)| {
            let end = below.get(index + 1).map_or(end, |next| next.start.min(end));
            let size = end - inner.start;
            format!("- {slug}#{} {} ({size} bytes)", inner.number, inner.title)
        });
        let lines: Vec<String> = lines.collect();
        format!("{own}\n\n{}", lines.join("\n"))
    };
    Some(Section {
        title: heading.title.to_owned(),
        text,
    })
}

/// Lists the numbered headings of a text; lines within fences are none.
fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut found = Vec::new();
    let (mut at, mut is_fenced) = (0, false);
    for line in text.split_inclusive('\n') {
        is_fenced ^= line.starts_with("```");
        let marks = line.len() - line.trim_start_matches('#').len();
        let rest = line[marks..].trim();
        let parts = rest
            .split_once(' ')
            .filter(|_| (2..=3).contains(&marks) && !is_fenced);
        if let Some((number, title)) = parts
            && number.starts_with(|first: char| first.is_ascii_digit())
        {
            found.push(Heading {
                number,
                title,
                level: marks,
                start: at,
                body: at + line.len(),
            });
        }
        at += line.len();
    }
    found
}

/// Lists the references that are most like one, each with its title.
fn nearest(reference: &str) -> Vec<(String, String)> {
    let all = DOCUMENTS.iter().flat_map(|document| {
        let headings = headings(document.text).into_iter();
        headings.map(|one| {
            (
                format!("{}#{}", document.slug, one.number),
                one.title.to_owned(),
            )
        })
    });
    let mut all: Vec<(String, String)> = all.collect();
    // The sort is stable, so that equal ones stay in the order of the documents.
    all.sort_by_cached_key(|(known, _)| strsim::levenshtein(known, reference));
    all.truncate(NEAREST);
    all
}

impl Section {
    /// Gives the document of the section.
    ///
    /// # Wire shape
    /// `{"title":S,"text":S}`
    pub(crate) fn document(&self) -> String {
        let mut writer = Writer::new();
        writer.object(|writer| {
            writer.key("title").string(&self.title);
            writer.key("text").string(&self.text);
        });
        writer.finish_document()
    }
}

#[cfg(test)]
mod tests;
