//! The nodes of a YAML document, each with its bytes.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span as Marked};

use super::unsupported;
use crate::patch::definition::span;
use crate::patch::failure::Failure;
use crate::patch::structured::items::Comments;
use crate::patch::structured::layout::{line_end, line_start, next_line};

/// How deep nodes may lie in each other; deeper, reading them would need more stack than a thread has.
const MAX_DEPTH: usize = 128;

/// A mark of a node whose type is not the one that its text tells.
pub(super) const TAG: &str = "a YAML tag";
const ANCHOR: &str = "a YAML anchor";
const ALIAS: &str = "a YAML alias";
const COMPLEX_KEY: &str = "a complex YAML key";

/// One node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Its bytes, without a comment behind it; empty where nothing is written.
    pub(super) range: Range<usize>,
    /// What keeps it from being edited in place.
    pub(super) mark: Option<&'static str>,
    /// The name of its anchor.
    pub(super) anchor: Option<String>,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum Kind {
    Scalar { value: String, is_plain: bool },
    Alias(String),
    List { items: Vec<Item>, is_flow: bool },
    Map { pairs: Vec<Pair>, is_flow: bool },
}

/// One item of a list.
#[derive(Debug)]
pub(super) struct Item {
    /// Where its dash stands; nowhere between brackets.
    pub(super) dash: Option<usize>,
    pub(super) node: Node,
}

/// One member of a map.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) key: Node,
    /// Behind its colon; none where there is no colon, or it stands on another line.
    pub(super) after_colon: Option<usize>,
    pub(super) value: Node,
}

impl Pair {
    /// The key as a pointer names it.
    pub(super) fn name(&self, text: &str) -> String {
        match &self.key.kind {
            Kind::Scalar { value, .. } => value.clone(),
            _ => text[self.key.range.clone()].to_owned(),
        }
    }
}

impl Node {
    /// The node that a token names.
    pub(super) fn child(&self, token: &str) -> Option<&Self> {
        match &self.kind {
            Kind::List { items, .. } => Some(&items.get(super::index(token)?)?.node),
            Kind::Map { pairs, .. } => {
                let pair = pairs.iter().find(
                    |pair| matches!(&pair.key.kind, Kind::Scalar { value, .. } if value == token),
                )?;
                Some(&pair.value)
            }
            _ => None,
        }
    }

    /// All nodes below and this one.
    pub(super) fn all(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        match &self.kind {
            Kind::List { items, .. } => items.iter().for_each(|item| item.node.all(visit)),
            Kind::Map { pairs, .. } => {
                for pair in pairs {
                    pair.key.all(visit);
                    pair.value.all(visit);
                }
            }
            _ => {}
        }
    }

    pub(super) const fn is_collection(&self) -> bool {
        matches!(self.kind, Kind::List { .. } | Kind::Map { .. })
    }

    pub(super) const fn is_flow(&self) -> bool {
        matches!(
            self.kind,
            Kind::List { is_flow: true, .. } | Kind::Map { is_flow: true, .. }
        )
    }
}

/// Reads the one document of a text.
pub(super) fn parse(text: &str) -> Result<Node, Failure> {
    let mut reader = Reader {
        text,
        offsets: (!text.is_ascii()).then(|| {
            let starts = text.char_indices().map(|(at, _)| at);
            starts.chain([text.len()]).collect()
        }),
        open: Vec::new(),
        root: None,
        documents: 0,
    };
    for event in Parser::new_from_str(text) {
        let (event, marked) = event.map_err(|error| {
            let at = reader.offset(error.marker().index());
            failed(text, &(at..at), error.info().to_owned())
        })?;
        reader.take(event, marked)?;
    }
    if reader.documents > 1 {
        return Err(unsupported("a stream of several YAML documents"));
    }
    Ok(reader.root.unwrap_or_else(|| Node {
        kind: Kind::Scalar {
            value: String::new(),
            is_plain: true,
        },
        range: text.len()..text.len(),
        mark: None,
        anchor: None,
    }))
}

fn failed(text: &str, range: &Range<usize>, reason: String) -> Failure {
    Failure::FormatParse {
        format: "YAML",
        span: span(text.as_bytes(), range),
        reason,
        unpaired: None,
    }
}

/// A collection whose end is still to come.
struct Open {
    node: Node,
    key: Option<Node>,
}

struct Reader<'t> {
    text: &'t str,
    /// Byte offsets of the characters, where they differ.
    offsets: Option<Vec<usize>>,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
}

impl Reader<'_> {
    fn offset(&self, character: usize) -> usize {
        let known = self.offsets.as_ref();
        let at = known.map_or(character, |offsets| {
            offsets.get(character).copied().unwrap_or(self.text.len())
        });
        at.min(self.text.len())
    }

    fn take(&mut self, event: Event<'_>, marked: Marked) -> Result<(), Failure> {
        let start = self.offset(marked.start.index());
        let end = self.offset(marked.end.index());
        match event {
            Event::DocumentStart(_) => self.documents += 1,
            Event::Alias(_) => {
                let name = self.text[start..end]
                    .trim_start_matches('*')
                    .trim()
                    .to_owned();
                let kind = Kind::Alias(name);
                self.close(Node {
                    kind,
                    range: start..end,
                    mark: Some(ALIAS),
                    anchor: None,
                });
            }
            Event::Scalar(value, style, anchor, tag) => {
                let (mark, anchor) = self.mark(start, anchor, tag.is_some());
                let range = self.scalar(start..end, marked.start.col(), style, &value)?;
                let kind = Kind::Scalar {
                    is_plain: style == ScalarStyle::Plain,
                    value: value.into_owned(),
                };
                self.close(Node {
                    kind,
                    range,
                    mark,
                    anchor,
                });
            }
            Event::SequenceStart(anchor, tag) => {
                let is_flow = self.text[..end].ends_with('[') && start < end;
                let kind = Kind::List {
                    items: Vec::new(),
                    is_flow,
                };
                self.open(kind, start..end, anchor, tag.is_some())?;
            }
            Event::MappingStart(anchor, tag) => {
                let is_flow = self.text[..end].ends_with('{') && start < end;
                let kind = Kind::Map {
                    pairs: Vec::new(),
                    is_flow,
                };
                self.open(kind, start..end, anchor, tag.is_some())?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop().expect("an end follows its start");
                let mut node = open.node;
                if node.is_flow() {
                    // The parser's end of a bracket may lie behind blanks and a comment.
                    node.range.end = start + 1;
                } else {
                    self.bound(&mut node);
                }
                self.close(node);
            }
            _ => {}
        }
        Ok(())
    }

    /// The bytes of a collection in a block are those of its first to its last node.
    fn bound(&self, node: &mut Node) {
        let is_marked = node.mark.is_some();
        let (start, end) = match &node.kind {
            Kind::List { items, .. } => {
                let first = items.first().and_then(|item| item.dash);
                (first, items.last().map(|item| item.node.range.end))
            }
            Kind::Map { pairs, .. } => (
                pairs.first().map(|pair| pair.key.range.start),
                pairs
                    .last()
                    .map(|pair| pair.value.range.end.max(pair.key.range.end)),
            ),
            _ => (None, None),
        };
        if let Some(start) = start.filter(|_| !is_marked) {
            node.range.start = start;
        }
        node.range.end = end.unwrap_or(node.range.end).max(node.range.start);
        if let (Kind::Map { is_flow: false, .. }, true) = (&node.kind, self.is_in_flow()) {
            node.mark = Some("a pair without braces");
        }
    }

    fn is_in_flow(&self) -> bool {
        self.open.iter().any(|open| open.node.is_flow())
    }

    fn mark(
        &self,
        start: usize,
        anchor: usize,
        is_tagged: bool,
    ) -> (Option<&'static str>, Option<String>) {
        let name = self.text[start..].split_once('&').map(|(_, rest)| {
            let is_end = |character: char| character.is_whitespace() || ",[]{}".contains(character);
            rest.split(is_end).next().unwrap_or_default().to_owned()
        });
        let anchor = name.filter(|_| anchor > 0);
        let mark = match (is_tagged, &anchor) {
            (true, _) => Some(TAG),
            (false, Some(_)) => Some(ANCHOR),
            (false, None) => None,
        };
        (mark, anchor)
    }

    fn open(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        anchor: usize,
        is_tagged: bool,
    ) -> Result<(), Failure> {
        if self.open.len() >= MAX_DEPTH {
            let reason = format!("it is nested deeper than {MAX_DEPTH}");
            return Err(failed(self.text, &range, reason));
        }
        let (mark, anchor) = self.mark(range.start, anchor, is_tagged);
        let mut node = Node {
            kind,
            range,
            mark,
            anchor,
        };
        if node.is_flow() && mark.is_none() {
            node.range.start = node.range.end - 1;
        } else if let (Kind::List { .. }, None) = (&node.kind, mark)
            && let Some(dash) = self.first_dash()
        {
            // The parser starts a list that is not indented behind its first dash.
            node.range.start = dash;
        }
        self.open.push(Open { node, key: None });
        Ok(())
    }

    /// The dash below the key that waits for its value.
    fn first_dash(&self) -> Option<usize> {
        let key = self.open.last()?.key.as_ref()?;
        let rest = self.text[key.range.end..].trim_start_matches([' ', '\t']);
        let after_colon = self.text.len() - rest.strip_prefix(':')?.len();
        let dash = Comments::Hash.skip(self.text, after_colon);
        self.text[dash..].starts_with('-').then_some(dash)
    }

    /// Hands a whole node to the collection around it.
    fn close(&mut self, mut node: Node) {
        let text = self.text;
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return;
        };
        let is_unwritten = matches!(&node.kind, Kind::Scalar { value, is_plain: true } if value.is_empty())
            && node.mark.is_none();
        let around = open.node.range.start;
        match &mut open.node.kind {
            Kind::List { items, is_flow } => {
                let before = items.last().map_or(around, |item| item.node.range.end);
                let dash = Comments::Hash.skip(text, before);
                let dash = (!*is_flow && text[dash..].starts_with('-')).then_some(dash);
                if let Some(dash) = dash.filter(|_| is_unwritten) {
                    node.range = dash + 1..dash + 1;
                }
                items.push(Item { dash, node });
            }
            Kind::Map { pairs, .. } => match open.key.take() {
                None => open.key = Some(node),
                Some(mut key) => {
                    let blanks = text[key.range.end..].trim_start_matches([' ', '\t']);
                    let colon = text.len() - blanks.len();
                    let after_colon = blanks.starts_with(':').then_some(colon + 1);
                    if is_unwritten {
                        let at = after_colon.unwrap_or(key.range.end);
                        node.range = at..at;
                    }
                    let is_explicit = text[..key.range.start].trim_end_matches(' ').ends_with('?');
                    if is_explicit || key.is_collection() || key.mark.is_some() {
                        key.mark = Some(COMPLEX_KEY);
                        node.mark = node.mark.or(Some(COMPLEX_KEY));
                    }
                    pairs.push(Pair {
                        key,
                        after_colon,
                        value: node,
                    });
                }
            },
            _ => {}
        }
    }

    /// The bytes of a scalar: the parser's own end may lie behind blanks and comments.
    fn scalar(
        &self,
        range: Range<usize>,
        column: usize,
        style: ScalarStyle,
        value: &str,
    ) -> Result<Range<usize>, Failure> {
        let text = self.text;
        match style {
            ScalarStyle::Plain if value.is_empty() => Ok(range.start..range.start),
            ScalarStyle::Plain => {
                let written = text[range.clone()].trim_end().len();
                Ok(range.start..range.start + written)
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let quote = if style == ScalarStyle::SingleQuoted {
                    '\''
                } else {
                    '"'
                };
                let open = text[range.start..]
                    .find(quote)
                    .map_or(range.start, |at| range.start + at);
                Ok(range.start..quoted_end(text, open, quote))
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                block_scalar(text, range.start, column, value)
                    .ok_or_else(|| unsupported("this YAML block text"))
            }
        }
    }
}

/// Behind the quote that closes the one at an offset.
fn quoted_end(text: &str, open: usize, quote: char) -> usize {
    let mut rest = text[open + 1..].char_indices();
    while let Some((at, character)) = rest.next() {
        if character == '\\' && quote == '"' {
            rest.next();
        } else if character == quote {
            let after = open + 1 + at + 1;
            if quote == '\'' && text[after..].starts_with('\'') {
                rest.next();
            } else {
                return after;
            }
        }
    }
    text.len()
}

/// A text behind `|` or `>`, from that sign to the end of its last line.
fn block_scalar(text: &str, content: usize, column: usize, value: &str) -> Option<Range<usize>> {
    let mut line = line_start(text, content);
    while line > 0 {
        let above = line_start(text, line - 1);
        line = above;
        if !text[above..line_end(text, above)].trim().is_empty() {
            break;
        }
    }
    let header = &text[line..line_end(text, line)];
    let is_header = |at: usize| {
        let rest = &header[at + 1..];
        let signs =
            rest.trim_start_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let comment = signs.trim_start();
        rest.len() - signs.len() <= 2 && (comment.is_empty() || comment.starts_with('#'))
    };
    let sign = header
        .match_indices(['|', '>'])
        .map(|(at, _)| at)
        .find(|at| is_header(*at))?;
    let keeps = header[sign + 1..].chars().take(2).any(|sign| sign == '+');
    let mut end = line_end(text, line);
    let mut next = next_line(text, line);
    while !value.is_empty() && next < text.len() {
        let body = &text[next..line_end(text, next)];
        let is_blank = body.trim_matches(' ').is_empty();
        let indent = body.len() - body.trim_start_matches(' ').len();
        if !is_blank && indent < column {
            break;
        }
        if !is_blank || keeps {
            end = next + body.len();
        }
        next = next_line(text, next);
    }
    Some(line + sign..end)
}
