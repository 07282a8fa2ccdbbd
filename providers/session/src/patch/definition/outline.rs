//! The outline of a file: its definitions, each with the bytes that belong to it, and its syntax errors.

mod marks;
mod names;
mod walk;

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::{InputEdit, Node, Parser, Point, Tree, TreeCursor};

pub(crate) use names::MAX_NAMES;
pub use names::Names;

use super::language::Language;
use crate::patch::delimiter::{self, Unpaired};
use crate::patch::document::Occurrence;
use crate::patch::failure::{Candidate, Failure, Span};
use crate::patch::line::Lines;
use crate::patch::splice::Splice;
use crate::patch::steps;

/// The most bytes of a file that is parsed.
pub const MAX_PARSED_BYTES: usize = 4 * 1024 * 1024;
/// Errors that are looked at; a file with more is not worth counting further.
const MAX_ERRORS: usize = 1000;
/// Definitions that one outline holds; with what is kept of each it bounds the memory that a file of names takes.
pub(super) const MAX_DEFINITIONS: usize = 250_000;
/// The most bytes of one name, that of an `impl` included.
pub(super) const MAX_NAME_BYTES: usize = 1024;

/// One definition of a file.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Names from the outermost.
    pub path: Names,
    /// What it is.
    pub kind: Cow<'static, str>,
    /// All its bytes: with what belongs to it above, and a comment behind it.
    pub range: Range<usize>,
    /// Its bytes without comments, attributes and decorators above.
    pub core: Range<usize>,
    /// Its name, where that is one token.
    pub name: Option<Range<usize>>,
    /// The inside of its body, where it holds other definitions.
    pub body: Option<Range<usize>>,
    /// Whether it shares its statement with others, and so takes a comma along.
    pub shares_statement: bool,
    /// Its bytes without the statement around it, where others may share that.
    pub declarator: Option<Range<usize>>,
}

/// Definitions and errors of one text.
#[derive(Debug)]
pub struct Outline {
    /// The definitions in the order of their first byte, outer before inner.
    pub definitions: Vec<Definition>,
    /// Where the grammar does not fit.
    pub errors: Vec<Range<usize>>,
    /// What is left out, where a bound was passed.
    pub cut: Option<Cut>,
    pub(crate) tree: Option<Tree>,
}

/// Definitions that an outline does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// How many.
    pub omitted: usize,
    /// The bound that the first of them passed.
    what: &'static str,
    limit: usize,
    observed: usize,
}

impl Cut {
    /// Definitions that lie too deep in each other.
    pub(super) const fn nested(observed: usize) -> Self {
        let what = "the depth to which definitions of a file lie in each other";
        Self::new(what, MAX_NAMES, observed)
    }

    pub(super) const fn new(what: &'static str, limit: usize, observed: usize) -> Self {
        Self {
            omitted: 0,
            what,
            limit,
            observed,
        }
    }

    /// Takes over how far the same bound was passed.
    pub(super) fn raise(&mut self, other: &Self) {
        if self.what == other.what {
            self.observed = self.observed.max(other.observed);
        }
    }
}

impl Outline {
    /// Parses a text. Definitions beyond a bound are left out, which [`Outline::cut`] says.
    ///
    /// # Errors
    /// `patch/limit` for a text that is too long.
    pub fn of(language: Language, text: &[u8]) -> Result<Self, Failure> {
        Self::parse(language, text, None)
    }

    /// A bracket of a text with errors that seems to have no partner, where this outline was parsed.
    pub(super) fn unpaired(&self, text: &[u8]) -> Option<Box<Unpaired>> {
        let is_judged = !self.errors.is_empty() && text.len() <= delimiter::MAX_BYTES;
        let tree = self.tree.as_ref().filter(|_| is_judged)?;
        let mut tokens = Vec::new();
        descend(&mut tree.root_node().walk(), |node, is_entered| {
            if is_entered && node.child_count() == 0 && !node.is_named() {
                tokens.push(node.byte_range());
            }
            is_entered
        });
        Unpaired::of_tokens(text, tokens.into_iter()).map(Box::new)
    }

    /// Parses the text after splices of the text that this outline is of.
    pub(super) fn after(
        &self,
        language: Language,
        before: &[u8],
        splices: &[Splice],
        after: &[u8],
    ) -> Result<Self, Failure> {
        let tree = self.tree.as_ref();
        let tree = tree.map(|tree| edited(tree, before, splices));
        Self::parse(language, after, tree.as_ref())
    }

    /// Parses a text, with the tree of a text that it was edited from.
    pub(super) fn parse(
        language: Language,
        text: &[u8],
        old: Option<&Tree>,
    ) -> Result<Self, Failure> {
        if text.len() > MAX_PARSED_BYTES {
            return Err(Failure::Limit {
                what: "a file that is parsed".to_owned(),
                limit: MAX_PARSED_BYTES as u64,
                observed: text.len() as u64,
            });
        }
        let tree = tree_of(language, text, old);
        let (definitions, cut) = walk::definitions(language, text, tree.root_node());
        Ok(Self {
            definitions,
            errors: errors(tree.root_node()),
            cut,
            tree: Some(tree),
        })
    }

    /// The outline with every definition in it: an edit that cannot see all of them could not keep them.
    pub(super) fn whole(self) -> Result<Self, Failure> {
        match self.cut {
            None => Ok(self),
            Some(cut) => Err(Failure::Limit {
                what: cut.what.to_owned(),
                limit: cut.limit as u64,
                observed: cut.observed as u64,
            }),
        }
    }

    /// Which one of how many with its path and kind, from 1.
    pub fn occurrence(&self, definition: &Definition) -> Occurrence {
        let same =
            |other: &&Definition| other.path == definition.path && other.kind == definition.kind;
        let before = |other: &&Definition| other.range.start <= definition.range.start;
        Occurrence {
            index: self
                .definitions
                .iter()
                .filter(same)
                .filter(before)
                .count()
                .max(1),
            of: self.definitions.iter().filter(same).count().max(1),
        }
    }

    /// A definition as reports and reads show it.
    pub(crate) fn candidate(&self, lines: &Lines, definition: &Definition) -> Candidate {
        let occurrence = self.occurrence(definition);
        Candidate {
            path: definition.path.to_vec(),
            kind: definition.kind.clone().into_owned(),
            start_line: lines.at(definition.range.start) + 1,
            end_line: lines.at(definition.range.end.saturating_sub(1)) + 1,
            occurrence: (occurrence.of > 1).then_some(occurrence),
        }
    }
}

pub(super) fn tree_of(language: Language, text: &[u8], old: Option<&Tree>) -> Tree {
    steps::count(text.len());
    let mut parser = Parser::new();
    parser
        .set_language(&language.grammar())
        .expect("the grammars are of the version that the parser reads");
    parser
        .parse(text, old)
        .expect("a parser with a language and no deadline gives a tree")
}

/// The tree of a text, told of splices that are sorted and do not overlap.
pub(super) fn edited(tree: &Tree, before: &[u8], splices: &[Splice]) -> Tree {
    let mut tree = tree.clone();
    let points = points(before, splices);
    // From the last to the first, so that the offsets of those still to come stay true.
    for (splice, (start, end)) in splices.iter().zip(points).rev() {
        tree.edit(&InputEdit {
            start_byte: splice.start,
            old_end_byte: splice.end,
            new_end_byte: splice.start + splice.bytes.len(),
            start_position: start,
            old_end_position: end,
            new_end_position: end_point(start, &splice.bytes),
        });
    }
    tree
}

/// Where splices start and end, in one pass over the text before.
fn points(before: &[u8], splices: &[Splice]) -> Vec<(Point, Point)> {
    let mut reached = 0;
    let mut point = Point::default();
    let mut at = |offset: usize| {
        steps::count(offset - reached);
        point = end_point(point, &before[reached..offset]);
        reached = offset;
        point
    };
    splices
        .iter()
        .map(|splice| (at(splice.start), at(splice.end)))
        .collect()
}

fn end_point(start: Point, bytes: &[u8]) -> Point {
    match memchr::memrchr(b'\n', bytes) {
        None => Point {
            row: start.row,
            column: start.column + bytes.len(),
        },
        Some(at) => Point {
            row: start.row + memchr::memchr_iter(b'\n', bytes).count(),
            column: bytes.len() - at - 1,
        },
    }
}

/// A range as lines and columns.
pub(crate) fn span(text: &[u8], range: &Range<usize>) -> Span {
    let position = |offset: usize| {
        let offset = offset.min(text.len());
        steps::count(offset);
        let start = memchr::memrchr(b'\n', &text[..offset]).map_or(0, |at| at + 1);
        let row = memchr::memchr_iter(b'\n', &text[..start]).count();
        let column = String::from_utf8_lossy(&text[start..offset])
            .chars()
            .count();
        (row + 1, column + 1)
    };
    let (start_line, start_column) = position(range.start);
    let (end_line, end_column) = position(range.end);
    Span {
        start_line,
        start_column,
        end_line,
        end_column,
    }
}

/// All nodes below one, in order, without recursion: a file may be nested as deep as it likes. One that is gone into is come to
/// again when it is left.
pub(super) fn descend<'t>(
    cursor: &mut TreeCursor<'t>,
    mut enter: impl FnMut(Node<'t>, bool) -> bool,
) {
    loop {
        let node = cursor.node();
        if enter(node, true) {
            if cursor.goto_first_child() {
                continue;
            }
            enter(node, false);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            enter(cursor.node(), false);
        }
    }
}

/// Where the grammar does not fit.
pub(super) fn errors(root: Node<'_>) -> Vec<Range<usize>> {
    let mut errors = Vec::new();
    descend(&mut root.walk(), |node, is_entered| {
        if !is_entered || !node.has_error() || errors.len() >= MAX_ERRORS {
            return false;
        }
        if node.is_error() || node.is_missing() {
            errors.push(node.byte_range());
        }
        true
    });
    errors
}
