//! The run of bytes that an edit of a YAML node changes.

use serde_json::{Map, Value};

use super::node::{Kind, Node, Pair};
use super::scalar::{Quotes, literal, written};
use super::unsupported;
use crate::patch::failure::Failure;
use crate::patch::splice::Splice;
use crate::patch::structured::items::{Comments, Items};
use crate::patch::structured::layout::{Layout, line_end, line_start, next_line};

/// A text, its nodes, and how it is laid out.
pub(super) struct Editor<'t> {
    text: &'t str,
    root: &'t Node,
    layout: Layout,
    /// How much deeper than its key a list in a block stands.
    list_indent: usize,
}

/// What a node is the value of.
enum Holder<'t> {
    Root,
    Member(&'t Pair, usize),
    Item(usize),
}

/// A new value in a block: what stands on the line of its key, and the lines below.
struct Written {
    head: String,
    body: String,
}

impl<'t> Editor<'t> {
    pub(super) fn new(text: &'t str, root: &'t Node) -> Self {
        let layout = Layout::of(text);
        let mut list_indent = None;
        root.all(&mut |node| {
            if let Kind::Map {
                pairs,
                is_flow: false,
            } = &node.kind
            {
                let column = column(text, node.range.start);
                let list = pairs.iter().find(|pair| {
                    matches!(&pair.value.kind, Kind::List { is_flow: false, .. })
                        && pair.value.mark.is_none()
                });
                if let Some(list) = list {
                    let deeper = self::column(text, list.value.range.start);
                    list_indent.get_or_insert(deeper.saturating_sub(column));
                }
            }
        });
        Self {
            text,
            root,
            list_indent: list_indent.unwrap_or(layout.unit.len()),
            layout,
        }
    }

    fn find(&self, tokens: &[String]) -> &'t Node {
        let found = tokens
            .iter()
            .try_fold(self.root, |node, token| node.child(token));
        found.expect("the model has what the nodes have")
    }

    /// Whether a node stands between brackets.
    fn is_in_flow(&self, tokens: &[String]) -> bool {
        (0..tokens.len()).any(|depth| self.find(&tokens[..depth]).is_flow())
    }

    fn holder(&self, tokens: &[String]) -> Holder<'t> {
        let Some((last, parents)) = tokens.split_last() else {
            return Holder::Root;
        };
        let parent = self.find(parents);
        match &parent.kind {
            Kind::Map { pairs, .. } => {
                let pair = pairs.iter().find(|pair| pair.name(self.text) == *last);
                let pair = pair.expect("the model has what the nodes have");
                Holder::Member(pair, column(self.text, parent.range.start))
            }
            Kind::List { items, .. } => {
                let index = super::index(last).expect("the model has what the nodes have");
                Holder::Item(items[index].dash.unwrap_or(parent.range.start))
            }
            _ => Holder::Root,
        }
    }

    /// Refuses to take away an anchor that something else names.
    pub(super) fn check_anchors(&self, tokens: &[String]) -> Result<(), Failure> {
        let target = self.find(tokens);
        let mut anchors = Vec::new();
        target.all(&mut |node| anchors.extend(node.anchor.clone()));
        let mut is_used = false;
        self.root.all(&mut |node| {
            let is_outside =
                node.range.start < target.range.start || node.range.end > target.range.end;
            is_used |=
                is_outside && matches!(&node.kind, Kind::Alias(name) if anchors.contains(name));
        });
        if is_used {
            return Err(unsupported("a YAML anchor that an alias names"));
        }
        Ok(())
    }

    /// Replaces a node.
    pub(super) fn set(&self, tokens: &[String], value: &Value) -> Result<Splice, Failure> {
        let node = self.find(tokens);
        let holder = self.holder(tokens);
        if self.is_in_flow(tokens) {
            return Ok(self.set_in_flow(node, value));
        }
        let is_long = self.text[node.range.clone()].contains('\n');
        let keeps_flow = node.is_flow() && !is_long && is_nonempty(value);
        let at = match holder {
            Holder::Root => 0,
            Holder::Member(_, column) => column,
            Holder::Item(dash) => column(self.text, dash) + 2,
        };
        if keeps_flow {
            return Ok(Splice::new(node.range.clone(), flow(value)));
        }
        let stands = column(self.text, node.range.start);
        let is_block = node.is_collection() && !node.is_flow();
        let takes_place = is_block
            && is_nonempty(value)
            && (stands > at || value.is_array() || !matches!(holder, Holder::Member(..)));
        if takes_place {
            return Ok(Splice::new(node.range.clone(), self.block(value, stands)));
        }
        match holder {
            Holder::Root => {
                let written = self.value(value, None, self.quotes(node));
                let body = if written.body.is_empty() {
                    written.head
                } else {
                    written.body
                };
                Ok(Splice::new(
                    node.range.clone(),
                    body.trim_start_matches(['\r', '\n']),
                ))
            }
            Holder::Member(pair, column) => {
                let colon = pair.after_colon;
                let colon = colon.ok_or_else(|| unsupported("a complex YAML key"))?;
                Ok(self.replace_behind(
                    colon,
                    node,
                    self.value(value, Some(column), self.quotes(node)),
                ))
            }
            Holder::Item(dash) => {
                let written = self.item(value, column(self.text, dash), self.quotes(node));
                Ok(self.replace_behind(dash + 1, node, written))
            }
        }
    }

    /// Replaces a node behind a colon or a dash; a comment on that line stays there.
    fn replace_behind(&self, from: usize, node: &Node, new: Written) -> Splice {
        let old_line = line_end(self.text, from);
        let is_below = node.range.start > old_line;
        let is_unwritten = node.range.is_empty();
        if new.body.is_empty() && !is_below && !is_unwritten {
            return Splice::new(node.range.clone(), new.head);
        }
        let head = if new.head.is_empty() {
            String::new()
        } else {
            format!(" {}", new.head)
        };
        if is_below {
            let comment = self.text[from..old_line].trim_end();
            return Splice::new(from..node.range.end, format!("{head}{comment}{}", new.body));
        }
        let is_text = self.text[node.range.clone()].contains('\n');
        let end = if is_text {
            node.range.end
        } else {
            Comments::Hash.end_on_line(self.text, node.range.end)
        };
        let comment = &self.text[node.range.end..end];
        let body = if comment.is_empty() {
            new.body
        } else {
            self.below(new.body)
        };
        Splice::new(from..end, format!("{head}{comment}{body}"))
    }

    /// A body that starts on the line of its dash, as it stands below a comment.
    fn below(&self, body: String) -> String {
        match body.strip_prefix(' ') {
            Some(rest) => {
                let second = rest.lines().nth(1).unwrap_or_default();
                let blanks = second.len() - second.trim_start_matches(' ').len();
                let indent = " ".repeat(blanks.max(2));
                format!("{}{indent}{rest}", self.layout.line_end)
            }
            None => body,
        }
    }

    fn set_in_flow(&self, node: &Node, value: &Value) -> Splice {
        let rendered = match value {
            Value::Array(_) | Value::Object(_) => flow(value),
            scalar => written(scalar, self.quotes(node)),
        };
        let lead = match (
            node.range.is_empty(),
            self.text[..node.range.start].ends_with(':'),
        ) {
            (false, _) => "",
            (true, true) => " ",
            (true, false) => ": ",
        };
        Splice::new(node.range.clone(), format!("{lead}{rendered}"))
    }

    fn quotes(&self, node: &Node) -> Quotes {
        let text = &self.text[node.range.clone()];
        match (&node.kind, text.chars().next()) {
            (
                Kind::Scalar {
                    is_plain: false, ..
                },
                Some('\''),
            ) => Quotes::Single,
            (
                Kind::Scalar {
                    is_plain: false, ..
                },
                Some('"'),
            ) => Quotes::Double,
            _ => Quotes::Plain,
        }
    }

    /// A value behind a key at a column; at the left edge of the file without one.
    fn value(&self, value: &Value, key: Option<usize>, quotes: Quotes) -> Written {
        let end = self.layout.line_end;
        let inner = key.map_or(0, |column| column + self.layout.unit.len());
        if is_nonempty(value) {
            let list = key.map_or(0, |column| column + self.list_indent);
            let column = if value.is_array() { list } else { inner };
            let indent = " ".repeat(column);
            let body = format!("{end}{indent}{}", self.block(value, column));
            return Written {
                head: String::new(),
                body,
            };
        }
        match value
            .as_str()
            .and_then(literal)
            .filter(|_| quotes == Quotes::Plain && key.is_some())
        {
            Some((sign, lines)) => Written {
                head: sign.to_owned(),
                body: self.lines(&lines, inner),
            },
            None => Written {
                head: written(value, quotes),
                body: String::new(),
            },
        }
    }

    /// A value behind a dash at a column.
    fn item(&self, value: &Value, dash: usize, quotes: Quotes) -> Written {
        if is_nonempty(value) {
            let body = format!(" {}", self.block(value, dash + 2));
            return Written {
                head: String::new(),
                body,
            };
        }
        self.value(value, Some(dash), quotes)
    }

    fn lines(&self, lines: &[&str], column: usize) -> String {
        let mut text = String::new();
        for line in lines {
            text.push_str(self.layout.line_end);
            if !line.is_empty() {
                text.push_str(&" ".repeat(column));
                text.push_str(line);
            }
        }
        text
    }

    /// A collection in a block whose first line starts at a column.
    fn block(&self, value: &Value, column: usize) -> String {
        let joint = format!("{}{}", self.layout.line_end, " ".repeat(column));
        let lines: Vec<String> = match value {
            Value::Object(map) => {
                let member = |(name, value): (&String, &Value)| self.member(name, value, column);
                map.iter().map(member).collect()
            }
            Value::Array(list) => {
                let item = |value: &Value| {
                    let written = self.item(value, column, Quotes::Plain);
                    let gap = if written.head.is_empty() { "" } else { " " };
                    format!("-{gap}{}{}", written.head, written.body)
                };
                list.iter().map(item).collect()
            }
            scalar => return written(scalar, Quotes::Plain),
        };
        lines.join(&joint)
    }

    fn member(&self, name: &str, value: &Value, column: usize) -> String {
        let new = self.value(value, Some(column), Quotes::Plain);
        let gap = if new.head.is_empty() { "" } else { " " };
        let key = written(&Value::from(name), Quotes::Plain);
        format!("{key}:{gap}{}{}", new.head, new.body)
    }

    /// Adds a member to a map.
    pub(super) fn insert(
        &self,
        tokens: &[String],
        name: &str,
        value: &Value,
    ) -> Result<Splice, Failure> {
        let node = self.find(tokens);
        match &node.kind {
            Kind::Map { is_flow: true, .. } => {
                let key = written(&Value::from(name), Quotes::Plain);
                let member = format!("{key}: {}", flow(value));
                let items = self.items(node);
                Ok(items.insert(self.text, &self.layout, |_| member.clone()))
            }
            Kind::Map { pairs, .. } if !pairs.is_empty() => {
                let column = column(self.text, node.range.start);
                Ok(self.behind(node, column, &self.member(name, value, column)))
            }
            _ => Err(unsupported("a YAML map without a member")),
        }
    }

    /// Adds an item to a list.
    pub(super) fn append(&self, tokens: &[String], value: &Value) -> Result<Splice, Failure> {
        let node = self.find(tokens);
        match &node.kind {
            Kind::List { is_flow: true, .. } => {
                let item = flow(value);
                let items = self.items(node);
                Ok(items.insert(self.text, &self.layout, |_| item.clone()))
            }
            Kind::List { .. } => {
                let column = column(self.text, node.range.start);
                let item = self.block(&Value::Array(vec![value.clone()]), column);
                Ok(self.behind(node, column, &item))
            }
            _ => Err(unsupported("a YAML list without an item")),
        }
    }

    /// New lines below the last one of a node.
    fn behind(&self, node: &Node, column: usize, lines: &str) -> Splice {
        let at = line_end(self.text, node.range.end);
        let (end, indent) = (self.layout.line_end, " ".repeat(column));
        Splice::new(at..at, format!("{end}{indent}{lines}"))
    }

    /// Takes a member or an item out.
    pub(super) fn remove(&self, tokens: &[String]) -> Result<Splice, Failure> {
        let (last, parents) = tokens
            .split_last()
            .expect("the document refuses an empty pointer here");
        let parent = self.find(parents);
        let (starts, ends, index) = self.spans(parent, last);
        if starts.len() == 1 && !parent.is_flow() {
            let empty = match &parent.kind {
                Kind::List { .. } => Value::Array(Vec::new()),
                _ => Value::Object(Map::new()),
            };
            return self.set(parents, &empty);
        }
        if parent.is_flow() {
            return Ok(self.items(parent).remove(self.text, index));
        }
        let (start, mut end) = (starts[index], ends[index]);
        end = Comments::Hash.end_on_line(self.text, end);
        let line = line_start(self.text, start);
        if self.text[line..start].trim().is_empty() {
            let next = next_line(self.text, end);
            let is_cut = next == self.text.len() && !self.text.ends_with('\n') && line > 0;
            return Ok(if is_cut {
                Splice::new(line_end(self.text, line - 1)..next, "")
            } else {
                Splice::new(line..next, "")
            });
        }
        // The first one, behind the dash of the item that holds it.
        let next = starts.get(index + 1).copied().unwrap_or(end);
        if self.text[end..next].trim().is_empty() {
            return Ok(Splice::new(start..next, ""));
        }
        let blanks = self.text[..start].len() - self.text[..start].trim_end_matches(' ').len();
        Ok(Splice::new(start - blanks..end, ""))
    }

    /// Where each member or item of a collection starts and ends, and which one a token names.
    fn spans(&self, parent: &Node, token: &str) -> (Vec<usize>, Vec<usize>, usize) {
        match &parent.kind {
            Kind::Map { pairs, .. } => (
                pairs.iter().map(|pair| pair.key.range.start).collect(),
                pairs.iter().map(|pair| pair.value.range.end).collect(),
                pairs
                    .iter()
                    .position(|pair| pair.name(self.text) == token)
                    .unwrap_or(0),
            ),
            Kind::List { items, .. } => (
                items
                    .iter()
                    .map(|item| item.dash.unwrap_or(item.node.range.start))
                    .collect(),
                items.iter().map(|item| item.node.range.end).collect(),
                super::index(token).unwrap_or(0),
            ),
            _ => (Vec::new(), Vec::new(), 0),
        }
    }

    fn items(&self, node: &Node) -> Items {
        let (starts, ends, _) = self.spans(node, "");
        Items {
            range: node.range.clone(),
            members: starts
                .into_iter()
                .zip(ends)
                .map(|(start, end)| start..end)
                .collect(),
            comments: Comments::Hash,
            padding: "",
            gap: " ",
            spreads: false,
        }
    }
}

fn is_nonempty(value: &Value) -> bool {
    match value {
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => false,
    }
}

/// A value between brackets, on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let member = |(name, value): (&String, &Value)| {
                let key = written(&Value::from(name.as_str()), Quotes::Plain);
                format!("{key}: {}", flow(value))
            };
            let members: Vec<String> = map.iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
        scalar => written(scalar, Quotes::Plain),
    }
}

/// How many characters stand in front of an offset on its line.
fn column(text: &str, offset: usize) -> usize {
    text[line_start(text, offset)..offset].chars().count()
}
