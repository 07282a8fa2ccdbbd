//! The outline of a file: its definitions, each with the bytes that belong to it, and its syntax errors.

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::{InputEdit, Node, Parser, Point, Tree, TreeCursor};

use super::language::Language;
use crate::patch::document::Occurrence;
use crate::patch::failure::{Candidate, Failure, Span};
use crate::patch::line::{self, Lines};
use crate::patch::splice::Splice;

/// The most bytes of a file that is parsed.
pub const MAX_PARSED_BYTES: usize = 4 * 1024 * 1024;
/// Errors that are looked at; a file with more is not worth counting further.
const MAX_ERRORS: usize = 1000;

/// One definition of a file.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Names from the outermost.
    pub path: Vec<String>,
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
    pub(crate) tree: Option<Tree>,
}

impl Outline {
    /// Parses a text.
    ///
    /// # Errors
    /// `patch/limit` for a text that is too long.
    pub fn of(language: Language, text: &[u8]) -> Result<Self, Failure> {
        Self::parse(language, text, None)
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
        let mut walk = Walk {
            language,
            text,
            lines: Lines::of(text),
            names: Vec::new(),
            definitions: Vec::new(),
        };
        walk.run(tree.root_node());
        let mut definitions = walk.definitions;
        definitions.sort_by_key(|definition| {
            (
                definition.range.start,
                std::cmp::Reverse(definition.range.end),
            )
        });
        Ok(Self {
            definitions,
            errors: errors(tree.root_node()),
            tree: Some(tree),
        })
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
            path: definition.path.clone(),
            kind: definition.kind.clone().into_owned(),
            start_line: lines.at(definition.range.start) + 1,
            end_line: lines.at(definition.range.end.saturating_sub(1)) + 1,
            occurrence: (occurrence.of > 1).then_some(occurrence),
        }
    }
}

fn tree_of(language: Language, text: &[u8], old: Option<&Tree>) -> Tree {
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
    // From the last to the first, so that the offsets of those still to come stay true.
    for splice in splices.iter().rev() {
        let point = |offset: usize| point_at(before, offset);
        tree.edit(&InputEdit {
            start_byte: splice.start,
            old_end_byte: splice.end,
            new_end_byte: splice.start + splice.bytes.len(),
            start_position: point(splice.start),
            old_end_position: point(splice.end),
            new_end_position: end_point(point(splice.start), &splice.bytes),
        });
    }
    tree
}

/// Where the grammar does not fit a text.
pub(super) fn syntax_errors(
    language: Language,
    text: &[u8],
    old: Option<&Tree>,
) -> Vec<Range<usize>> {
    errors(tree_of(language, text, old).root_node())
}

fn point_at(text: &[u8], offset: usize) -> Point {
    let row = memchr::memchr_iter(b'\n', &text[..offset]).count();
    let start = memchr::memrchr(b'\n', &text[..offset]).map_or(0, |at| at + 1);
    Point {
        row,
        column: offset - start,
    }
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

/// All nodes below one, in order, without recursion: a file may be nested as deep as it likes.
pub(super) fn descend<'t>(
    cursor: &mut TreeCursor<'t>,
    mut enter: impl FnMut(Node<'t>, bool) -> bool,
) {
    loop {
        if enter(cursor.node(), true) && cursor.goto_first_child() {
            continue;
        }
        enter(cursor.node(), false);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            enter(cursor.node(), false);
        }
    }
}

fn errors(root: Node<'_>) -> Vec<Range<usize>> {
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

struct Walk<'a> {
    language: Language,
    text: &'a [u8],
    lines: Lines,
    /// The names around, each with the node that ends it.
    names: Vec<(usize, String)>,
    definitions: Vec<Definition>,
}

impl Walk<'_> {
    fn run(&mut self, root: Node<'_>) {
        descend(&mut root.walk(), |node, is_entered| {
            if !is_entered {
                if self.names.last().is_some_and(|(id, _)| *id == node.id()) {
                    self.names.pop();
                }
                return false;
            }
            if !node.is_named() {
                return false;
            }
            if let Some(rule) = self.language.rule(node, self.text) {
                let mut path: Vec<String> =
                    self.names.iter().map(|(_, name)| name.clone()).collect();
                path.push(rule.name.clone());
                let definition = self.definition(root, node, path, &rule);
                self.definitions.push(definition);
                self.names.push((node.id(), rule.name));
            }
            true
        });
    }

    fn definition(
        &self,
        root: Node<'_>,
        node: Node<'_>,
        path: Vec<String>,
        rule: &super::language::Rule,
    ) -> Definition {
        let outer = Language::outer(node);
        let shares_statement = node.kind() == "variable_declarator" && outer.id() == node.id();
        let end = self.end(root, outer, shares_statement);
        let core = Self::core(outer, node)..end;
        let start = if shares_statement {
            core.start
        } else {
            self.start(root, outer)
        };
        Definition {
            path,
            kind: Cow::Borrowed(rule.kind),
            range: start..end,
            core,
            name: rule.token.map(|(start, end)| start..end),
            body: node
                .child_by_field_name("body")
                .map(|body| body.byte_range()),
            shares_statement,
            declarator: (node.kind() == "variable_declarator").then(|| node.byte_range()),
        }
    }

    /// Where the definition starts without decorators and annotations that are part of its node.
    fn core(outer: Node<'_>, node: Node<'_>) -> usize {
        let from = if outer.kind() == "decorated_definition" {
            node
        } else {
            outer
        };
        let mut start = from.start_byte();
        let mut next = from.child(0);
        while let Some(child) = next {
            match child.kind() {
                "decorator" => next = child.next_sibling(),
                "modifiers" => {
                    let mut modifiers = child.child(0);
                    while let Some(modifier) = modifiers
                        && matches!(modifier.kind(), "marker_annotation" | "annotation")
                    {
                        modifiers = modifier.next_sibling();
                    }
                    start = modifiers
                        .or_else(|| child.next_sibling())
                        .map_or(start, |kept| kept.start_byte());
                    break;
                }
                _ => {
                    start = child.start_byte();
                    break;
                }
            }
        }
        start.max(from.start_byte())
    }

    /// Where the definition ends: with its semicolon, and a comment behind it on its last line.
    fn end(&self, root: Node<'_>, outer: Node<'_>, shares_statement: bool) -> usize {
        let mut end = outer.end_byte();
        while end > outer.start_byte() && matches!(self.text[end - 1], b'\n' | b'\r') {
            end -= 1;
        }
        if shares_statement {
            return end;
        }
        let blanks = |from: usize| {
            from + self.text[from..]
                .iter()
                .take_while(|byte| line::is_blank(**byte))
                .count()
        };
        if self.text.get(blanks(end)) == Some(&b';') && self.language != Language::Rust {
            end = blanks(end) + 1;
        }
        let next = blanks(end);
        // Looking a node up costs as much as there are definitions: only where a comment can start.
        let may_start = self.text.get(next).is_some_and(|byte| b"/#".contains(byte));
        let comment = may_start
            .then(|| self.node_at(root, next))
            .flatten()
            .filter(|node| is_comment(*node) && node.start_byte() == next);
        match comment {
            Some(comment) if next > outer.start_byte() => {
                let mut last = comment.end_byte();
                while matches!(self.text[last - 1], b'\n' | b'\r') {
                    last -= 1;
                }
                let rest = line::body_of(
                    self.text[last..]
                        .split_inclusive(|byte| *byte == b'\n')
                        .next()
                        .unwrap_or_default(),
                );
                let is_one_line = !self.text[next..last].contains(&b'\n');
                if is_one_line && line::trim_end(rest).is_empty() {
                    last
                } else {
                    end
                }
            }
            _ => end,
        }
    }

    /// Where the definition starts: with attributes, decorators, and the comments directly above it.
    fn start(&self, root: Node<'_>, outer: Node<'_>) -> usize {
        let mut start = outer.start_byte();
        loop {
            let index = self.lines.at(start);
            let line_start = self.lines.start(index);
            if !self.text[line_start..start]
                .iter()
                .all(|byte| line::is_blank(*byte))
            {
                // An attribute or decorator on the same line.
                match self.belongs_before(
                    root,
                    line_start + line::indent_of(&self.text[line_start..]).len(),
                    start,
                ) {
                    Some(before) => {
                        start = before;
                        continue;
                    }
                    None => return start,
                }
            }
            let Some(above) = index.checked_sub(1) else {
                return start;
            };
            let body = line::trim_end(line::body_of(&self.text[self.lines.range(above)]));
            if body.is_empty() {
                return start;
            }
            if !may_belong(body) {
                return start;
            }
            let last = self.lines.start(above) + body.len() - 1;
            match self.belongs_before(root, last, start) {
                Some(before) => start = before,
                None => return start,
            }
        }
    }

    /// The start of what stands at an offset, if it belongs to the definition that starts at `limit`.
    fn belongs_before(&self, root: Node<'_>, offset: usize, limit: usize) -> Option<usize> {
        let mut node = self.node_at(root, offset)?;
        loop {
            if node.end_byte() > limit + 1 || node.start_byte() >= limit {
                return None;
            }
            if is_comment(node)
                || matches!(
                    node.kind(),
                    "attribute_item" | "decorator" | "marker_annotation" | "annotation"
                )
            {
                break;
            }
            node = node.parent()?;
        }
        let text = &self.text[node.byte_range()];
        let line_start = self.lines.start(self.lines.at(node.start_byte()));
        let starts_line = self.text[line_start..node.start_byte()]
            .iter()
            .all(|byte| line::is_blank(*byte));
        let is_header = text.starts_with(b"//!")
            || text.starts_with(b"/*!")
            || text.starts_with(b"#!")
            || (self.language == Language::Python
                && line_start < 256
                && self.lines.at(line_start) < 2
                && contains(text, b"coding"));
        (starts_line && !(is_comment(node) && is_header)).then_some(node.start_byte())
    }

    fn node_at<'t>(&self, root: Node<'t>, offset: usize) -> Option<Node<'t>> {
        if offset >= self.text.len() {
            return None;
        }
        let mut node = root.descendant_for_byte_range(offset, offset + 1)?;
        while let Some(parent) = node.parent()
            && is_comment(parent)
        {
            node = parent;
        }
        Some(node)
    }
}

/// Whether a line can be the last one of a comment, an attribute, a decorator or an annotation.
fn may_belong(line: &[u8]) -> bool {
    let text = &line[line::indent_of(line).len()..];
    let starts = [&b"//"[..], b"/*", b"*", b"#", b"@"];
    starts.iter().any(|start| text.starts_with(start))
        || text.ends_with(b"*/")
        || text.ends_with(b"]")
        || text.ends_with(b")")
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

pub(super) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "line_comment" | "block_comment")
}
