//! The one difference by which the lines of a file are shifted against quoted ones.

use crate::patch::line;

/// How lines of the file differ at their start from quoted ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shift {
    /// Not at all.
    None,
    /// The file has these blanks in front.
    Added(Vec<u8>),
    /// The quoted lines have these blanks in front.
    Removed(Vec<u8>),
    /// A tab in the file stands for so many quoted spaces.
    TabsForSpaces(usize),
    /// So many spaces in the file stand for a quoted tab.
    SpacesForTabs(usize),
}

impl Shift {
    /// The shift that fits all lines that are not blank, if the new text can take it too.
    pub(super) fn between(quoted: &[&[u8]], standing: &[&[u8]], replace: &str) -> Option<Self> {
        let pairs: Vec<(&[u8], &[u8])> = quoted
            .iter()
            .zip(standing)
            .filter(|(quoted, _)| !line::trim_end(quoted).is_empty())
            .map(|(quoted, standing)| (line::indent_of(quoted), line::indent_of(standing)))
            .collect();
        let (first_quoted, first_standing) = pairs
            .iter()
            .find(|(quoted, standing)| quoted != standing)
            .unwrap_or(&pairs[0]);
        let candidates = [
            Some(Self::None),
            first_standing
                .strip_suffix(*first_quoted)
                .map(|added| Self::Added(added.to_vec())),
            first_quoted
                .strip_suffix(*first_standing)
                .map(|removed| Self::Removed(removed.to_vec())),
            ratio(first_quoted, first_standing).map(Self::TabsForSpaces),
            ratio(first_standing, first_quoted).map(Self::SpacesForTabs),
        ];
        let fits = |shift: &Self| {
            pairs
                .iter()
                .all(|(quoted, standing)| shift.apply(quoted).as_deref() == Some(*standing))
        };
        let new: Vec<&[u8]> = line::split(replace.as_bytes()).map(line::body_of).collect();
        let takes = |shift: &Self| new.iter().all(|text| shift.apply(text).is_some());
        candidates
            .into_iter()
            .flatten()
            .find(|shift| fits(shift) && takes(shift))
    }

    /// A line with the shift; none if it lacks the blanks that are to go.
    pub(super) fn apply(&self, text: &[u8]) -> Option<Vec<u8>> {
        let indent = line::indent_of(text);
        let is_blank = !text.is_empty() && indent.len() == text.len();
        match self {
            Self::None => Some(text.to_vec()),
            _ if text.is_empty() && !matches!(self, Self::Added(_)) => Some(Vec::new()),
            Self::Added(added) => Some([added, text].concat()),
            Self::Removed(removed) => match text.strip_prefix(removed.as_slice()) {
                Some(rest) => Some(rest.to_vec()),
                None if is_blank => Some(Vec::new()),
                None => None,
            },
            Self::TabsForSpaces(width) => {
                let spaces = indent.iter().take_while(|byte| **byte == b' ').count();
                let mut line = vec![b'\t'; spaces / width];
                line.extend_from_slice(&text[spaces / width * width..]);
                Some(line)
            }
            Self::SpacesForTabs(width) => {
                let tabs = indent.iter().take_while(|byte| **byte == b'\t').count();
                let mut line = vec![b' '; tabs * width];
                line.extend_from_slice(&text[tabs..]);
                Some(line)
            }
        }
    }
}

/// How many spaces of `spaces` stand for one tab of `tabs`.
fn ratio(spaces: &[u8], tabs: &[u8]) -> Option<usize> {
    let only = |text: &[u8], byte: u8| !text.is_empty() && text.iter().all(|found| *found == byte);
    let fits = only(spaces, b' ') && only(tabs, b'\t') && spaces.len().is_multiple_of(tabs.len());
    (fits && spaces.len() / tabs.len() <= 16).then(|| spaces.len() / tabs.len())
}
