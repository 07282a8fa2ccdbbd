//! What can belong to a definition and stands beside it: comments, attributes, decorators and annotations.

use std::ops::Range;

use crate::patch::definition::language::Kinded;

/// One of them.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) range: Range<usize>,
    pub(super) is_comment: bool,
    /// The one around it, as of a comment in an attribute.
    around: Option<usize>,
    /// How many lie around it.
    depth: usize,
}

/// How deep marks lie in each other that are kept: each that is sought is sought outward through so many.
const MAX_DEPTH: usize = 64;

/// All of a file, in the order of their first byte, outer before inner.
///
/// Kept beside the tree because a tree is searched from its root, through all that stands before the place.
#[derive(Debug, Default)]
pub(super) struct Marks(Vec<Mark>);

impl Marks {
    /// Takes a node of a walk that comes to each node before those in it.
    pub(super) fn add(&mut self, Kinded { node, kind }: Kinded<'_>) {
        let is_comment = matches!(kind, "comment" | "line_comment" | "block_comment");
        let is_mark = is_comment
            || matches!(
                kind,
                "attribute_item" | "decorator" | "marker_annotation" | "annotation"
            );
        if !is_mark {
            return;
        }
        let range = node.byte_range();
        let around = self.around(self.0.len().checked_sub(1), range.start);
        // A comment within a comment is a part of that one.
        if is_comment && around.is_some_and(|around| self.0[around].is_comment) {
            return;
        }
        let depth = around.map_or(0, |around| self.0[around].depth + 1);
        if depth < MAX_DEPTH {
            self.0.push(Mark {
                range,
                is_comment,
                around,
                depth,
            });
        }
    }

    /// The innermost one that holds a byte.
    pub(super) fn at(&self, offset: usize) -> Option<&Mark> {
        let last = self.0.partition_point(|mark| mark.range.start <= offset);
        let holding = self.around(last.checked_sub(1), offset)?;
        self.0.get(holding)
    }

    /// The first of a mark and those around it that holds a byte.
    fn around(&self, mut mark: Option<usize>, offset: usize) -> Option<usize> {
        while let Some(index) = mark {
            if self.0[index].range.end > offset {
                return mark;
            }
            mark = self.0[index].around;
        }
        None
    }
}
