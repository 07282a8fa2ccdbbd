//! The headers of a TOML file, in the order in which they stand.

use std::ops::Range;

use toml_edit::{Item, Table};

use super::place::own_end;
use crate::patch::structured::layout::{line_start, next_line};

/// One header, and what stands below it.
pub(super) struct Section<'d> {
    /// Names, and indices of lists of tables.
    path: Vec<String>,
    /// The header itself.
    pub(super) header: Range<usize>,
    table: &'d Table,
}

impl Section<'_> {
    fn end(&self) -> usize {
        own_end(self.table).unwrap_or(self.header.end)
    }
}

/// All headers.
pub(super) struct Sections<'d>(Vec<Section<'d>>);

impl<'d> Sections<'d> {
    /// Those of a document.
    pub(super) fn of(root: &'d Table) -> Self {
        let mut sections = Vec::new();
        collect(root, &mut Vec::new(), &mut sections);
        sections.sort_by_key(|section| section.header.start);
        Self(sections)
    }

    /// Those of a path and below it.
    pub(super) fn below(&self, path: &[String]) -> impl Iterator<Item = &Section<'d>> {
        self.0
            .iter()
            .filter(move |section| section.path.starts_with(path))
    }

    /// Where a further header of a path goes: behind the last one below it.
    pub(super) fn end(&self, text: &str, path: &[String]) -> usize {
        let last = self.below(path).last();
        last.filter(|_| !path.is_empty())
            .map_or(text.len(), |section| next_line(text, section.end()))
    }

    /// The lines of a path, if they stand together: from its first header to its last member, with the blank lines behind.
    pub(super) fn range(&self, text: &str, path: &[String]) -> Option<Range<usize>> {
        let is_below = |section: &Section<'_>| section.path.starts_with(path);
        let first = self.0.iter().position(is_below)?;
        let last = self.0.iter().rposition(is_below)?;
        if !self.0[first..=last].iter().all(is_below) {
            return None;
        }
        let start = line_start(text, self.0[first].header.start);
        let mut end = next_line(text, self.0[last].end());
        while end < text.len() && text[end..next_line(text, end)].trim().is_empty() {
            end = next_line(text, end);
        }
        let mut before = start;
        while end == text.len() && before > 0 {
            let above = line_start(text, before - 1);
            if !text[above..before].trim().is_empty() {
                break;
            }
            before = above;
        }
        Some(before..end)
    }
}

fn collect<'d>(table: &'d Table, path: &mut Vec<String>, sections: &mut Vec<Section<'d>>) {
    for (name, item) in table {
        path.push(name.to_owned());
        match item {
            Item::Table(inner) if !inner.is_dotted() => {
                add(inner, path, sections);
            }
            Item::ArrayOfTables(tables) => {
                for (index, inner) in tables.iter().enumerate() {
                    path.push(index.to_string());
                    add(inner, path, sections);
                    path.pop();
                }
            }
            _ => {}
        }
        path.pop();
    }
}

fn add<'d>(table: &'d Table, path: &mut Vec<String>, sections: &mut Vec<Section<'d>>) {
    if let Some(header) = table.span().filter(|_| !table.is_implicit()) {
        sections.push(Section {
            path: path.clone(),
            header,
            table,
        });
    }
    collect(table, path, sections);
}
