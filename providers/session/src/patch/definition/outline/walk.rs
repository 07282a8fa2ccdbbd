//! The walk that finds definitions: once over the tree, then over the bytes around each.

use std::borrow::Cow;
use std::cell::Cell;

use tree_sitter::Node;

use super::marks::Marks;
use super::names::{MAX_NAMES, Names};
use super::{Cut, Definition, MAX_DEFINITIONS, MAX_NAME_BYTES, descend};
use crate::patch::definition::language::{Above, Kinded, Language, Level, Rule, marks_test};
use crate::patch::line::{self, Lines};

/// The definitions below a node, in the order of their first byte, outer before inner, and what is left out of them.
pub(super) fn definitions(
    language: Language,
    text: &[u8],
    root: Node<'_>,
) -> (Vec<Definition>, Option<Cut>) {
    let grammar = language.grammar();
    let kinds = 0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
    let mut walk = Walk {
        language,
        text,
        kinds: kinds
            .map(|kind| grammar.node_kind_for_id(kind).unwrap_or_default())
            .collect(),
        above: Vec::new(),
        is_test: Vec::new(),
        names: Vec::new(),
        marks: Marks::default(),
        found: Vec::new(),
        cut: None,
    };
    walk.run(root);
    let around = Surroundings {
        language,
        text,
        lines: Lines::of(text),
        marks: walk.marks,
        blanks: Cell::default(),
    };
    let found = walk.found.into_iter();
    let mut definitions: Vec<Definition> = found.map(|found| around.definition(found)).collect();
    definitions.sort_by_key(|definition| {
        (
            definition.range.start,
            std::cmp::Reverse(definition.range.end),
        )
    });
    (definitions, walk.cut)
}

/// A definition whose surroundings were not looked at yet.
struct Found<'t> {
    path: Names,
    rule: Rule,
    node: Node<'t>,
    outer: Node<'t>,
}

struct Walk<'a, 't> {
    language: Language,
    text: &'a [u8],
    /// The names of all kinds of node, by their number.
    kinds: Vec<&'t str>,
    /// The nodes around, the nearest last.
    above: Vec<Level<'t>>,
    /// For each of them, whether what was last seen directly in it makes a test of what comes next.
    is_test: Vec<bool>,
    /// The names around, each with the node that ends it; none where they are left out.
    names: Vec<(usize, Option<Names>)>,
    marks: Marks,
    found: Vec<Found<'t>>,
    cut: Option<Cut>,
}

impl<'t> Walk<'_, 't> {
    fn run(&mut self, root: Node<'t>) {
        descend(&mut root.walk(), |node, is_entered| {
            if is_entered {
                return self.enter(node);
            }
            self.above.pop();
            self.is_test.pop();
            if self.names.last().is_some_and(|(id, _)| *id == node.id()) {
                self.names.pop();
            }
            false
        });
    }

    fn enter(&mut self, node: Node<'t>) -> bool {
        if !node.is_named() {
            return false;
        }
        // What does not fit the grammar has no number in the table, and is nothing here.
        let kind = self.kinds.get(usize::from(node.kind_id()));
        let kinded = Kinded {
            node,
            kind: kind.copied().unwrap_or_default(),
        };
        self.marks.add(kinded);
        let above = Above {
            nodes: &self.above,
            is_test: self.is_test.last().is_some_and(|is_test| *is_test),
        };
        if let Some(rule) = self.language.rule(kinded, &above, self.text) {
            let outer = Language::outer(node, &above);
            self.define(node, outer, rule);
        }
        if let Some(is_test) = self.is_test.last_mut()
            && let Some(marked) = marks_test(kinded, self.text)
        {
            *is_test = marked;
        }
        self.above.push(Level::below(self.above.last(), kinded));
        self.is_test.push(false);
        true
    }

    /// Takes a definition, or counts it where it passes a bound.
    fn define(&mut self, node: Node<'t>, outer: Node<'t>, rule: Rule) {
        let around = self.names.last();
        let cut = match (&rule.name, around) {
            (_, Some((_, None))) if self.names.len() < MAX_NAMES => self.cut,
            (_, Some((_, None))) => Some(Cut::nested(self.names.len() + 1)),
            (None, _) => Some(Cut::new(
                "the bytes of a definition's name",
                MAX_NAME_BYTES,
                MAX_NAME_BYTES + 1,
            )),
            _ if self.found.len() >= MAX_DEFINITIONS => Some(Cut::new(
                "the definitions of a file",
                MAX_DEFINITIONS,
                self.found.len() + self.cut.map_or(0, |cut| cut.omitted) + 1,
            )),
            _ => None,
        };
        let around = around.and_then(|(_, names)| names.as_ref());
        let path = rule.name.as_deref().filter(|_| cut.is_none());
        let path = path.and_then(|name| Names::below(around, name));
        self.names.push((node.id(), path.clone()));
        if let Some(path) = path {
            self.found.push(Found {
                path,
                rule,
                node,
                outer,
            });
            return;
        }
        let cut = cut.unwrap_or_else(|| Cut::nested(self.names.len()));
        let known = self.cut.get_or_insert(cut);
        known.omitted += 1;
        known.raise(&cut);
    }
}

/// Where the definition starts without decorators and annotations that are part of its node.
fn core(outer: Node<'_>, node: Node<'_>) -> usize {
    let from = if outer.kind() == "decorated_definition" {
        node
    } else {
        outer
    };
    let mut cursor = from.walk();
    let mut children = from.children(&mut cursor);
    let first = children.find(|child| child.kind() != "decorator");
    let start = match first {
        Some(modifiers) if modifiers.kind() == "modifiers" => {
            let mut inner = modifiers.walk();
            let mut kept = modifiers.children(&mut inner);
            let kept = kept.find(|kept| !matches!(kept.kind(), "marker_annotation" | "annotation"));
            kept.or_else(|| children.next())
        }
        first => first,
    };
    let start = start.map_or(from.start_byte(), |node| node.start_byte());
    start.max(from.start_byte())
}

/// What stands around the definitions of a file.
struct Surroundings<'a> {
    language: Language,
    text: &'a [u8],
    lines: Lines,
    marks: Marks,
    /// The line that was looked at last, and the first byte in it that is no blank: what stands in it may be many definitions.
    blanks: Cell<(usize, usize)>,
}

impl Surroundings<'_> {
    fn definition(&self, found: Found<'_>) -> Definition {
        let Found {
            path,
            rule,
            node,
            outer,
        } = found;
        let is_declarator = node.kind() == "variable_declarator";
        let shares_statement = is_declarator && outer.id() == node.id();
        let end = self.end(outer, shares_statement);
        let core = core(outer, node)..end;
        let start = if shares_statement {
            core.start
        } else {
            self.start(outer)
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
            declarator: is_declarator.then(|| node.byte_range()),
        }
    }

    /// Where the definition ends: with its semicolon, and a comment behind it on its last line.
    fn end(&self, outer: Node<'_>, shares_statement: bool) -> usize {
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
        let comment = self.marks.at(next);
        match comment.filter(|mark| mark.is_comment && mark.range.start == next) {
            Some(comment) if next > outer.start_byte() => {
                let mut last = comment.range.end;
                while matches!(self.text[last - 1], b'\n' | b'\r') {
                    last -= 1;
                }
                // Looked at no further than its blanks: a line may hold many definitions, each with a comment.
                let rest = &self.text[blanks(last)..];
                let ends_line =
                    rest.is_empty() || rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
                let is_one_line = !self.text[next..last].contains(&b'\n');
                if is_one_line && ends_line { last } else { end }
            }
            _ => end,
        }
    }

    /// Where the definition starts: with attributes, decorators, and the comments directly above it.
    fn start(&self, outer: Node<'_>) -> usize {
        let mut start = outer.start_byte();
        loop {
            let index = self.lines.at(start);
            let first = self.first_in_line(self.lines.start(index));
            if first < start {
                // An attribute or decorator on the same line, with nothing but others between.
                match self.marks_before(first, start) {
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
            match self.belongs_before(self.lines.start(above) + body.len() - 1, start) {
                Some(before) => start = before,
                None => return start,
            }
        }
    }

    /// The first byte of a line that is no blank.
    fn first_in_line(&self, line_start: usize) -> usize {
        let (known, first) = self.blanks.get();
        if known == line_start && first > 0 {
            return first;
        }
        let first = line_start + line::indent_of(&self.text[line_start..]).len();
        self.blanks.set((line_start, first));
        first
    }

    /// The start of what stands first in a line, if that and all up to `limit` belong to the definition that starts there.
    fn marks_before(&self, first: usize, limit: usize) -> Option<usize> {
        let mut start = limit;
        while start > first {
            let before = line::trim_end(&self.text[first..start]);
            let mark = self.marks.at(first + before.len().checked_sub(1)?)?;
            start = mark.range.start;
        }
        self.belongs_before(first, limit)
    }

    /// The start of what stands at an offset, if it belongs to the definition that starts at `limit`.
    fn belongs_before(&self, offset: usize, limit: usize) -> Option<usize> {
        let mark = self.marks.at(offset)?;
        if mark.range.end > limit + 1 || mark.range.start >= limit {
            return None;
        }
        let text = &self.text[mark.range.clone()];
        let line_start = self.lines.start(self.lines.at(mark.range.start));
        let starts_line = self.first_in_line(line_start) >= mark.range.start;
        let is_header = text.starts_with(b"//!")
            || text.starts_with(b"/*!")
            || text.starts_with(b"#!")
            || (self.language == Language::Python
                && line_start < 256
                && self.lines.at(line_start) < 2
                && contains(text, b"coding"));
        (starts_line && !(mark.is_comment && is_header)).then_some(mark.range.start)
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}
