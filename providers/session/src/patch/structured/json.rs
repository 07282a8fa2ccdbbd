//! JSON, with comments where the file has them.

use std::collections::BTreeMap;
use std::ops::Range;

use jsonc_parser::ast::{ObjectPropName, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::model::{self, Model, depth_of, wrapped};
use crate::patch::definition::span;
use crate::patch::document::{StructuredEdit, ValueChange};
use crate::patch::failure::Failure;
use crate::patch::splice::Splice;

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads a file as its model.
pub(super) fn read(text: &str) -> Result<Model, Failure> {
    model_of(text, &parse(text)?)
}

fn parse(text: &str) -> Result<Node<'_>, Failure> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(body, &CollectOptions::default(), &OPTIONS);
    let parsed = parsed.map_err(|error| Failure::FormatParse {
        format: "JSON",
        span: span(body.as_bytes(), &(error.range().start..error.range().end)),
        reason: error.kind().to_string().to_lowercase(),
    })?;
    parsed.value.ok_or_else(|| Failure::FormatParse {
        format: "JSON",
        span: span(body.as_bytes(), &(0..0)),
        reason: "the file holds no value".to_owned(),
    })
}

fn model_of(text: &str, node: &Node<'_>) -> Result<Model, Failure> {
    Ok(match node {
        Node::NullKeyword(_) => Model::Null,
        Node::BooleanLit(flag) => Model::Bool(flag.value),
        Node::NumberLit(number) => Model::number(number.value),
        Node::StringLit(string) => Model::Text(string.value.clone().into_owned()),
        Node::Array(array) => {
            let items = array.elements.iter().map(|item| model_of(text, item));
            Model::List(items.collect::<Result<_, _>>()?)
        }
        Node::Object(object) => {
            let mut map = BTreeMap::new();
            for property in &object.properties {
                let name = name_of(&property.name);
                if map
                    .insert(name.to_owned(), model_of(text, &property.value)?)
                    .is_some()
                {
                    let range = property.name.range();
                    return Err(Failure::FormatParse {
                        format: "JSON",
                        span: span(text.as_bytes(), &(range.start..range.end)),
                        reason: format!("the key `{name}` stands twice"),
                    });
                }
            }
            Model::Map(map)
        }
    })
}

fn name_of<'n>(name: &'n ObjectPropName<'_>) -> &'n str {
    match name {
        ObjectPropName::String(string) => &string.value,
        ObjectPropName::Word(word) => word.value,
    }
}

fn at<'n, 't>(node: &'n Node<'t>, tokens: &[String]) -> Option<&'n Node<'t>> {
    tokens.iter().try_fold(node, |node, token| match node {
        Node::Object(object) => {
            let property = object
                .properties
                .iter()
                .find(|property| name_of(&property.name) == token)?;
            Some(&property.value)
        }
        Node::Array(array) => array.elements.get(model::index(token)?),
        _ => None,
    })
}

/// The splice of an edit that the model allows.
pub(super) fn splice(text: &str, edit: &StructuredEdit) -> Result<Splice, Failure> {
    let shift = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let body = &text[shift..];
    let root = parse(body)?;
    let tokens = edit.pointer.tokens();
    let style = Style::of(body);
    let depth = depth_of(&model_of(body, &root)?, tokens);
    let node = at(&root, &tokens[..depth]).expect("the model has what the nodes have");
    let mut splice = match &edit.change {
        ValueChange::Set { value, .. } if depth == tokens.len() => {
            let range = node.range();
            let is_long = body[range.start..range.end].contains('\n')
                || !matches!(node, Node::Object(_) | Node::Array(_));
            let indent = style.indent_at(body, range.start);
            Splice::new(
                range.start..range.end,
                style.render(value, is_long.then_some(&indent)),
            )
        }
        ValueChange::Set { value, .. } => {
            let value = wrapped(value, &tokens[depth + 1..]);
            Items::of(body, node).insert(body, &style, Some(&tokens[depth]), &value)
        }
        ValueChange::Append { value } => Items::of(body, node).insert(body, &style, None, value),
        ValueChange::Remove => {
            let (last, parents) = tokens
                .split_last()
                .expect("the document refuses an empty pointer here");
            let parent = at(&root, parents).expect("the model has what the nodes have");
            let index = match parent {
                Node::Object(object) => object
                    .properties
                    .iter()
                    .position(|property| name_of(&property.name) == last),
                _ => model::index(last),
            };
            Items::of(body, parent).remove(body, index.expect("the model has what the nodes have"))
        }
    };
    splice.start += shift;
    splice.end += shift;
    Ok(splice)
}

/// How the file is laid out.
pub(super) struct Style {
    unit: String,
    line_end: &'static str,
    is_long: bool,
    colon: &'static str,
}

impl Style {
    fn of(text: &str) -> Self {
        let indent = text
            .lines()
            .map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
        let unit = indent
            .filter(|indent| !indent.is_empty())
            .min_by_key(|indent| indent.len());
        Self {
            unit: unit.unwrap_or("  ").to_owned(),
            line_end: if text.contains("\r\n") { "\r\n" } else { "\n" },
            is_long: text.trim().contains('\n'),
            colon: if text.contains("\":") && !text.contains("\": ") {
                ":"
            } else {
                ": "
            },
        }
    }

    fn indent_at(&self, text: &str, offset: usize) -> String {
        let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[start..];
        line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned()
    }

    /// A value, on several lines below an indentation, or on one.
    fn render(&self, value: &Value, indent: Option<&String>) -> String {
        let inner = indent
            .filter(|_| self.is_long)
            .map(|indent| format!("{indent}{}", self.unit));
        let (open, items, close): (_, Vec<String>, _) = match value {
            Value::Array(list) if !list.is_empty() => (
                '[',
                list.iter()
                    .map(|item| self.render(item, inner.as_ref()))
                    .collect(),
                ']',
            ),
            Value::Object(map) if !map.is_empty() => {
                let item = |(key, value): (&String, &Value)| {
                    format!(
                        "{}{}{}",
                        Value::from(key.as_str()),
                        self.colon,
                        self.render(value, inner.as_ref())
                    )
                };
                ('{', map.iter().map(item).collect(), '}')
            }
            other => return other.to_string(),
        };
        match (&inner, indent) {
            (Some(inner), Some(indent)) => {
                let end = self.line_end;
                let items = items.join(&format!(",{end}{inner}"));
                format!("{open}{end}{inner}{items}{end}{indent}{close}")
            }
            _ => format!(
                "{open}{}{close}",
                items.join(if self.colon == ":" { "," } else { ", " })
            ),
        }
    }
}

/// The members or items of one container, as bytes.
struct Items {
    range: Range<usize>,
    items: Vec<Range<usize>>,
}

impl Items {
    fn of(_text: &str, node: &Node<'_>) -> Self {
        let bytes = |range: jsonc_parser::common::Range| range.start..range.end;
        let items = match node {
            Node::Object(object) => object
                .properties
                .iter()
                .map(|property| bytes(property.range))
                .collect(),
            Node::Array(array) => array
                .elements
                .iter()
                .map(|item| bytes(item.range()))
                .collect(),
            _ => Vec::new(),
        };
        Self {
            range: bytes(node.range()),
            items,
        }
    }

    fn insert(&self, text: &str, style: &Style, key: Option<&String>, value: &Value) -> Splice {
        let outer = style.indent_at(text, self.range.start);
        let is_long = match self.items.first() {
            Some(first) => text[self.range.start..first.start].contains('\n'),
            None => style.is_long,
        };
        let indent = match self.items.last() {
            Some(last) if is_long => style.indent_at(text, last.start),
            _ => format!("{outer}{}", style.unit),
        };
        let rendered = style.render(value, is_long.then_some(&indent));
        let item = key.map_or_else(
            || rendered.clone(),
            |key| format!("{}{}{rendered}", Value::from(key.as_str()), style.colon),
        );
        let end = style.line_end;
        let Some(last) = self.items.last() else {
            let inside = self.range.start + 1..self.range.end - 1;
            if !text[inside.clone()].trim().is_empty() {
                return Splice::new(inside.start..inside.start, format!("{end}{indent}{item}"));
            }
            let whole = if is_long {
                format!("{end}{indent}{item}{end}{outer}")
            } else {
                item
            };
            return Splice::new(inside, whole);
        };
        let comma = after_trivia(text, last.end);
        let has_comma = text[comma..].starts_with(',');
        let from = if has_comma { comma + 1 } else { last.end };
        let at = if is_long {
            end_of_comment(text, from)
        } else {
            from
        };
        let kept = &text[from..at];
        let lead = if is_long {
            format!("{end}{indent}")
        } else {
            (if style.colon == ":" { "" } else { " " }).to_owned()
        };
        let (before, after) = if has_comma { ("", ",") } else { (",", "") };
        Splice::new(from..at, format!("{before}{kept}{lead}{item}{after}"))
    }

    fn remove(&self, text: &str, index: usize) -> Splice {
        let item = self.items[index].clone();
        let comma = after_trivia(text, item.end);
        let has_comma = text[comma..].starts_with(',');
        let end = end_of_comment(text, if has_comma { comma + 1 } else { item.end });
        let line_start = text[..item.start].rfind('\n').map_or(0, |at| at + 1);
        let starts_line = text[line_start..item.start].trim().is_empty();
        let rest = text[end..].strip_prefix('\r').unwrap_or(&text[end..]);
        let ends_line = rest.starts_with('\n');
        if self.items.len() == 1 {
            let inside = self.range.start + 1..self.range.end - 1;
            let others = [
                &text[inside.start..item.start],
                &text[end.min(inside.end)..inside.end],
            ]
            .concat();
            return if others.trim().is_empty() {
                Splice::new(inside, "")
            } else {
                Splice::new(item.start..end, "")
            };
        }
        if index + 1 < self.items.len() || (has_comma && index + 1 == self.items.len()) {
            if starts_line && ends_line {
                let line_end = end + (text[end..].len() - rest.len()) + 1;
                return Splice::new(line_start..line_end, "");
            }
            let next =
                end + (text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len());
            return Splice::new(item.start..next, "");
        }
        let before = self.items[index - 1].end;
        let between = &text[before..item.start];
        let comma = after_trivia(text, before) - before;
        let kept = [&between[..comma], &between[comma + 1..]].concat();
        Splice::new(before..end, kept.trim_end())
    }
}

/// The next byte that is neither blank nor comment.
fn after_trivia(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let skipped = if trimmed.starts_with("//") {
            trimmed.find('\n').unwrap_or(trimmed.len())
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
        } else {
            return at;
        };
        at += skipped;
    }
}

/// Behind a comment that stands on the same line; the offset itself where there is none.
fn end_of_comment(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let line = trimmed.split(['\n', '\r']).next().unwrap_or_default();
    let closes = line.starts_with("/*")
        && line.trim_end().ends_with("*/")
        && line.matches("*/").count() == 1;
    if line.starts_with("//") || closes {
        at + (rest.len() - trimmed.len()) + line.trim_end().len()
    } else {
        at
    }
}
