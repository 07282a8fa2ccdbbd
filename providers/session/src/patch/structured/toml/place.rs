//! One place of a TOML file, and the run of bytes that changes there.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{ArrayOfTables, Document, InlineTable, Item, Table, Value as Node};

use super::sections::Sections;
use super::{inline, key, lines, unsupported};
use crate::patch::failure::Failure;
use crate::patch::splice::Splice;
use crate::patch::structured::items::{Comments, Items};
use crate::patch::structured::layout::{Layout, indent_at, line_end, line_start, next_line};
use crate::patch::structured::model;

/// What stands at a pointer.
#[derive(Debug, Clone, Copy)]
enum Found<'d> {
    Table(&'d Table),
    Tables(&'d ArrayOfTables),
    Value(&'d Node),
}

/// One place of a file.
pub(super) struct Place<'d> {
    text: &'d str,
    tokens: &'d [String],
    found: Found<'d>,
    /// Whether the way here leads through a list of tables: a header written elsewhere would mean another item.
    is_in_list: bool,
    sections: Sections<'d>,
    layout: Layout,
}

impl<'d> Place<'d> {
    /// What stands below some tokens.
    pub(super) fn find(
        text: &'d str,
        document: &'d Document<&str>,
        tokens: &'d [String],
    ) -> Option<Self> {
        let root = document.as_table();
        let mut found = Found::Table(root);
        let mut is_in_list = false;
        for token in tokens {
            is_in_list |= matches!(found, Found::Tables(_));
            found = child(found, token)?;
        }
        Some(Self {
            text,
            tokens,
            found,
            is_in_list,
            sections: Sections::of(root),
            layout: Layout::of(text),
        })
    }

    fn pointed(&self) -> String {
        match self.tokens {
            [] => "the whole document".to_owned(),
            tokens => format!("`{}`", tokens.join(".")),
        }
    }

    /// Replaces what stands here.
    pub(super) fn set(&self, value: &Value) -> Result<Splice, Failure> {
        match self.found {
            Found::Value(node) => {
                let range = self.range_of(node)?;
                let rendered = match (node, value) {
                    (Node::Array(_), Value::Array(list))
                        if self.text[range.clone()].contains('\n') && !list.is_empty() =>
                    {
                        self.long_array(range.start, list)?
                    }
                    _ => inline(value)?,
                };
                Ok(Splice::new(range, rendered))
            }
            Found::Table(table) => match value {
                Value::Object(map) if self.tokens.is_empty() => {
                    let range = 0..self.text.len();
                    Ok(Splice::new(range, lines(map, self.layout.line_end)?))
                }
                Value::Object(map) if self.sections.below(self.tokens).count() == 1 => {
                    let header = table.span().ok_or_else(|| self.scattered())?;
                    let start = next_line(self.text, header.end);
                    let end = next_line(self.text, own_end(table).unwrap_or(header.end));
                    let body = lines(map, self.layout.line_end)?;
                    Ok(Splice::new(
                        start..end.max(start),
                        self.on_own_line(start, &body),
                    ))
                }
                _ => Err(self.scattered()),
            },
            Found::Tables(_) => Err(self.scattered()),
        }
    }

    fn scattered(&self) -> Failure {
        unsupported(format!(
            "{}, which stands in several places,",
            self.pointed()
        ))
    }

    /// The bytes of a value, if they stand together.
    fn range_of(&self, node: &Node) -> Result<Range<usize>, Failure> {
        let is_dotted = matches!(node, Node::InlineTable(table) if table.is_dotted());
        node.span()
            .filter(|_| !is_dotted)
            .ok_or_else(|| unsupported(format!("the dotted key of {}", self.pointed())))
    }

    fn long_array(&self, start: usize, list: &[Value]) -> Result<String, Failure> {
        let outer = indent_at(self.text, start);
        let end = self.layout.line_end;
        let unit = &self.layout.unit;
        let line = |item: &Value| Ok(format!("{outer}{unit}{},{end}", inline(item)?));
        let lines: Vec<String> = list.iter().map(line).collect::<Result<_, Failure>>()?;
        Ok(format!("[{end}{}{outer}]", lines.concat()))
    }

    /// Adds a member to what stands here.
    pub(super) fn insert(&self, name: &str, value: &Value) -> Result<Splice, Failure> {
        match self.found {
            Found::Table(table) if table.is_dotted() => self.insert_dotted(table, name, value),
            Found::Table(table) => match value {
                Value::Object(map) if !map.is_empty() && self.holds_tables(table) => {
                    let path = [self.tokens, &[name.to_owned()]].concat();
                    let at = self.sections.end(self.text, self.tokens);
                    self.section(at, &path, ["[", "]"], map)
                }
                _ => Ok(self.insert_line(table, &format!("{} = {}", key(name), inline(value)?))),
            },
            Found::Value(Node::InlineTable(table)) => {
                let items = self.members(table)?;
                let member = format!("{} = {}", key(name), inline(value)?);
                Ok(items.insert(self.text, &self.layout, |_| member.clone()))
            }
            _ => Err(self.scattered()),
        }
    }

    /// Whether members with members of their own stand below headers here.
    fn holds_tables(&self, table: &Table) -> bool {
        let mut items = table.iter().map(|(_, item)| item);
        !self.is_in_list
            && (self.tokens.is_empty()
                || (!table.is_empty() && items.all(|item| !item.is_value() && !is_dotted(item))))
    }

    fn insert_line(&self, table: &Table, line: &str) -> Splice {
        let end = self.layout.line_end;
        if let Some(last) = own_end(table) {
            let at = line_end(self.text, last);
            let first = own_start(table).unwrap_or(last);
            let indent = indent_at(self.text, first);
            return Splice::new(at..at, format!("{end}{indent}{line}"));
        }
        let is_root = self.tokens.is_empty();
        if let Some(header) = table.span().filter(|_| !is_root && !table.is_implicit()) {
            let at = line_end(self.text, header.end);
            return Splice::new(at..at, format!("{end}{line}"));
        }
        // No member yet, and no header: a new one goes in front of the first header below.
        let first = self.sections.below(self.tokens).next();
        let at = first.map_or(self.text.len(), |section| {
            above_comments(self.text, section.header.start)
        });
        let written = match (is_root, first.is_some()) {
            (true, true) => format!("{line}{end}{end}"),
            (true, false) => format!("{line}{end}"),
            (false, _) => format!("[{}]{end}{line}{end}{end}", dotted(self.tokens)),
        };
        Splice::new(at..at, self.on_own_line(at, &written))
    }

    /// A text that starts a line, where the file does not end in one.
    fn on_own_line(&self, at: usize, text: &str) -> String {
        let starts_line = at == 0 || self.text[..at].ends_with('\n');
        let end = if starts_line {
            ""
        } else {
            self.layout.line_end
        };
        format!("{end}{text}")
    }

    fn insert_dotted(&self, table: &Table, name: &str, value: &Value) -> Result<Splice, Failure> {
        let last = table
            .iter()
            .last()
            .and_then(|(last, _)| table.key(last)?.span());
        let refused = || unsupported(format!("the dotted key of {}", self.pointed()));
        let (last, end) = last.zip(own_end(table)).ok_or_else(refused)?;
        let prefix = &self.text[line_start(self.text, last.start)..last.start];
        let line = format!("{prefix}{} = {}", key(name), inline(value)?);
        let at = line_end(self.text, end);
        Ok(Splice::new(
            at..at,
            format!("{}{line}", self.layout.line_end),
        ))
    }

    /// A new header with its members.
    fn section(
        &self,
        at: usize,
        path: &[String],
        brackets: [&str; 2],
        map: &serde_json::Map<String, Value>,
    ) -> Result<Splice, Failure> {
        let end = self.layout.line_end;
        let [open, close] = brackets;
        let body = lines(map, end)?;
        let header = format!("{open}{}{close}{end}", dotted(path));
        let lead = match &self.text[..at] {
            "" => String::new(),
            above if above.ends_with('\n') => end.to_owned(),
            _ => format!("{end}{end}"),
        };
        Ok(Splice::new(at..at, format!("{lead}{header}{body}")))
    }

    /// Adds a last item.
    pub(super) fn append(&self, value: &Value) -> Result<Splice, Failure> {
        match (self.found, value) {
            (Found::Value(Node::Array(array)), _) => {
                let items = self.items(array)?;
                let item = inline(value)?;
                Ok(items.insert(self.text, &self.layout, |_| item.clone()))
            }
            (Found::Tables(_), Value::Object(map)) if !self.is_in_list => {
                let at = self.sections.end(self.text, self.tokens);
                self.section(at, self.tokens, ["[[", "]]"], map)
            }
            _ => Err(self.scattered()),
        }
    }

    /// Takes a member or an item out.
    pub(super) fn remove(&self, name: &str) -> Result<Splice, Failure> {
        match self.found {
            Found::Value(Node::InlineTable(table)) => {
                let index = table.iter().position(|(member, _)| member == name);
                let index = index.expect("the model has what the items have");
                Ok(self.members(table)?.remove(self.text, index))
            }
            Found::Value(Node::Array(array)) => {
                let index = model::index(name).expect("the model has what the items have");
                Ok(self.items(array)?.remove(self.text, index))
            }
            Found::Table(table) => {
                let item = table.get(name).expect("the model has what the items have");
                match leaf(table, name, item) {
                    Some(range) => Ok(Splice::new(self.line(&range), "")),
                    None => self.remove_section(name),
                }
            }
            _ => self.remove_section(name),
        }
    }

    /// The whole line of a member, its comment and line end included.
    fn line(&self, range: &Range<usize>) -> Range<usize> {
        let end = Comments::Hash.end_on_line(self.text, range.end);
        let start = line_start(self.text, range.start);
        let next = next_line(self.text, end);
        let is_last_without_end = next == self.text.len() && !self.text.ends_with('\n');
        if is_last_without_end && start > 0 {
            line_end(self.text, start - 1)..next
        } else {
            start..next
        }
    }

    fn remove_section(&self, name: &str) -> Result<Splice, Failure> {
        let path = [self.tokens, &[name.to_owned()]].concat();
        let range = self.sections.range(self.text, &path);
        let range = range.ok_or_else(|| {
            unsupported(format!(
                "`{}`, which stands in several places,",
                path.join(".")
            ))
        })?;
        Ok(Splice::new(range, ""))
    }

    fn members(&self, table: &InlineTable) -> Result<Items, Failure> {
        let refused = || unsupported(format!("the dotted key of {}", self.pointed()));
        let range = table.span().filter(|_| !table.is_dotted());
        let range = range.ok_or_else(refused)?;
        let member = |(name, value): (&str, &Node)| {
            let start = table.key(name)?.span()?.start;
            Some(start..self.range_of(value).ok()?.end)
        };
        let items: Option<Vec<_>> = table.iter().map(member).collect();
        Ok(hashed(range, items.ok_or_else(refused)?, " "))
    }

    fn items(&self, array: &toml_edit::Array) -> Result<Items, Failure> {
        let items: Option<Vec<_>> = array.iter().map(Node::span).collect();
        let (range, items) = array.span().zip(items).ok_or_else(|| self.scattered())?;
        Ok(hashed(range, items, ""))
    }
}

fn hashed(range: Range<usize>, members: Vec<Range<usize>>, padding: &'static str) -> Items {
    Items {
        range,
        members,
        comments: Comments::Hash,
        padding,
        gap: " ",
        spreads: false,
    }
}

fn child<'d>(found: Found<'d>, token: &str) -> Option<Found<'d>> {
    Some(match found {
        Found::Table(table) => match table.get(token)? {
            Item::Value(value) => Found::Value(value),
            Item::Table(table) => Found::Table(table),
            Item::ArrayOfTables(tables) => Found::Tables(tables),
            Item::None => return None,
        },
        Found::Tables(tables) => Found::Table(tables.get(model::index(token)?)?),
        Found::Value(Node::InlineTable(table)) => Found::Value(table.get(token)?),
        Found::Value(Node::Array(array)) => Found::Value(array.get(model::index(token)?)?),
        Found::Value(_) => return None,
    })
}

fn is_dotted(item: &Item) -> bool {
    matches!(item, Item::Table(table) if table.is_dotted())
}

/// A path as a header writes it; indices of lists are not written.
fn dotted(path: &[String]) -> String {
    path.iter()
        .map(|name| key(name))
        .collect::<Vec<_>>()
        .join(".")
}

/// Where the last member ends that stands below the header of a table itself.
pub(super) fn own_end(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value_end(value),
        Item::Table(inner) if inner.is_dotted() => own_end(inner),
        _ => None,
    });
    ends.max()
}

fn value_end(value: &Node) -> Option<usize> {
    match value {
        Node::InlineTable(table) if table.is_dotted() => {
            table.iter().filter_map(|(_, value)| value_end(value)).max()
        }
        _ => Some(value.span()?.end),
    }
}

fn own_start(table: &Table) -> Option<usize> {
    let keys = table.iter().filter(|(_, item)| item.is_value());
    keys.filter_map(|(name, _)| Some(table.key(name)?.span()?.start))
        .min()
}

/// The bytes of a member that is one line: a value, or a dotted key with one.
fn leaf(table: &Table, name: &str, item: &Item) -> Option<Range<usize>> {
    match item {
        Item::Value(value) => {
            let start = table.key(name)?.span()?.start;
            Some(start..value_end(value)?)
        }
        Item::Table(inner) if inner.is_dotted() && inner.len() == 1 => {
            let (name, item) = inner.iter().next()?;
            leaf(inner, name, item)
        }
        _ => None,
    }
}

/// The start of the comment lines directly above a line.
fn above_comments(text: &str, offset: usize) -> usize {
    let mut start = line_start(text, offset);
    while start > 0 {
        let above = line_start(text, start - 1);
        if !text[above..start].trim_start().starts_with('#') {
            break;
        }
        start = above;
    }
    start
}
