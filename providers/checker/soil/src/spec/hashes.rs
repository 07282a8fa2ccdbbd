//! The hashes of a `.tr` file and of the decisions in scope.

use super::block::BlockKind;
use super::container::Container;
use super::location::SpecKind;
use crate::hash::Digest;
use crate::source::Span;

/// The hashes of the parts of a `.tr` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// Of the name and the formal blocks.
    pub formal: Digest,
    /// Of the tests; only functions have one.
    pub test: Option<Digest>,
    /// Of everything else but decisions.
    pub prose: Digest,
}

impl Container {
    /// Gives the hashes of the file, whose text this is.
    pub fn hashes(&self, bytes: &[u8], kind: SpecKind) -> Hashes {
        let test =
            (kind == SpecKind::Function).then(|| Digest::of(self.parts(bytes, BlockKind::is_test)));
        let name = self
            .frontmatter
            .name
            .as_ref()
            .map_or("", |name| name.value.as_str());
        let formal = std::iter::once(name.as_bytes().to_vec())
            .chain(self.parts(bytes, BlockKind::is_formal));
        Hashes {
            formal: Digest::of(formal),
            test,
            prose: self.prose_hash(bytes),
        }
    }

    /// Gives info and content of each block of a sort.
    fn parts(&self, bytes: &[u8], is_wanted: impl Fn(BlockKind) -> bool) -> Vec<Vec<u8>> {
        let wanted = self.fences.iter().filter(|fence| {
            let kind = BlockKind::from_text(&fence.info.lang);
            kind.is_some_and(&is_wanted)
        });
        wanted
            .flat_map(|fence| {
                let content = bytes[fence.content.range()].to_vec();
                [fence.info.hashed().into_bytes(), content]
            })
            .collect()
    }

    fn prose_hash(&self, bytes: &[u8]) -> Digest {
        let reserved = self
            .fences
            .iter()
            .filter(|fence| BlockKind::from_text(&fence.info.lang).is_some());
        let left_out = reserved.map(|fence| fence.span);
        let left_out = self.frontmatter.name_line.into_iter().chain(left_out);
        let mut prose = Vec::with_capacity(bytes.len());
        let mut from = 0;
        for Span { start, end } in left_out {
            prose.extend_from_slice(&bytes[from..start as usize]);
            from = end as usize;
        }
        prose.extend_from_slice(&bytes[from..]);
        Digest::of([prose])
    }
}

/// One decision that a definition is subject to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopedDecision {
    /// `project`, or the name of the module.
    pub scope: String,
    /// Its label.
    pub label: String,
    /// The hash of its entry.
    pub entry: Digest,
}

/// Gives the hash of a scope: of the labels of project and module, which changes with each decision made or dropped.
pub fn scope_hash<'a>(labels: impl IntoIterator<Item = &'a str>) -> Digest {
    let mut labels: Vec<&str> = labels.into_iter().collect();
    labels.sort_unstable();
    Digest::of([labels.join("\0")])
}

/// Gives the digest of all entries in scope, which changes with the text of each.
pub fn entries_digest(decisions: &[ScopedDecision]) -> Digest {
    let mut rows: Vec<(&str, &str, String)> = decisions
        .iter()
        .map(|decision| {
            (
                decision.scope.as_str(),
                decision.label.as_str(),
                decision.entry.to_string(),
            )
        })
        .collect();
    rows.sort_unstable();
    let parts = rows
        .iter()
        .flat_map(|(scope, label, entry)| [*scope, *label, entry.as_str()]);
    Digest::of(parts)
}
