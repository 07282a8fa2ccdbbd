//! JSON, with comments where the file has them.

use jsonc_parser::ast::{ObjectPropName, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;
use std::collections::BTreeMap;

use super::items::{Comments, Items};
use super::layout::{Layout, indent_at};
use super::model::{self, Model, depth_of, wrapped};
use crate::patch::definition::span;
use crate::patch::delimiter::{Format, Unpaired};
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
    let parsed = parsed.map_err(|error| {
        let range = error.range().start..error.range().end;
        // What is said of a whole object or list is seen where the parser stopped.
        let is_wide = body[range.clone()].contains('\n');
        let range = if is_wide { range.end..range.end } else { range };
        Failure::FormatParse {
            format: "JSON",
            span: span(body.as_bytes(), &range),
            reason: error.kind().to_string().to_lowercase(),
            unpaired: Unpaired::of_format(body, Format::Json).map(Box::new),
        }
    })?;
    parsed.value.ok_or_else(|| Failure::FormatParse {
        format: "JSON",
        span: span(body.as_bytes(), &(0..0)),
        reason: "the file holds no value".to_owned(),
        unpaired: None,
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
                        unpaired: None,
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
            let indent = is_long.then(|| indent_at(body, range.start));
            Splice::new(range.start..range.end, style.render(value, indent))
        }
        ValueChange::Set { value, .. } => {
            let value = wrapped(value, &tokens[depth + 1..]);
            style.insert(body, node, Some(&tokens[depth]), &value)
        }
        ValueChange::Append { value } => style.insert(body, node, None, value),
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
            let index = index.expect("the model has what the nodes have");
            style.items(parent).remove(body, index)
        }
    };
    splice.start += shift;
    splice.end += shift;
    Ok(splice)
}

/// How the file is written.
struct Style {
    layout: Layout,
    colon: &'static str,
}

impl Style {
    fn of(text: &str) -> Self {
        let is_tight = text.contains("\":") && !text.contains("\": ");
        Self {
            layout: Layout::of(text),
            colon: if is_tight { ":" } else { ": " },
        }
    }

    fn items(&self, node: &Node<'_>) -> Items {
        let bytes = |range: jsonc_parser::common::Range| range.start..range.end;
        let members = match node {
            Node::Object(object) => {
                let properties = object.properties.iter();
                properties.map(|property| bytes(property.range)).collect()
            }
            Node::Array(array) => {
                let elements = array.elements.iter();
                elements.map(|item| bytes(item.range())).collect()
            }
            _ => Vec::new(),
        };
        Items {
            range: bytes(node.range()),
            members,
            comments: Comments::Slashes,
            padding: "",
            gap: if self.colon == ":" { "" } else { " " },
            spreads: true,
        }
    }

    fn insert(&self, text: &str, node: &Node<'_>, key: Option<&String>, value: &Value) -> Splice {
        self.items(node).insert(text, &self.layout, |indent| {
            let rendered = self.render(value, indent);
            key.map_or_else(
                || rendered.clone(),
                |key| format!("{}{}{rendered}", Value::from(key.as_str()), self.colon),
            )
        })
    }

    /// A value, on several lines below an indentation, or on one.
    fn render(&self, value: &Value, indent: Option<&str>) -> String {
        let inner = indent
            .filter(|_| self.layout.is_long)
            .map(|indent| format!("{indent}{}", self.layout.unit));
        let inner = inner.as_deref();
        let (open, items, close): (_, Vec<String>, _) = match value {
            Value::Array(list) if !list.is_empty() => {
                let items = list.iter().map(|item| self.render(item, inner));
                ('[', items.collect(), ']')
            }
            Value::Object(map) if !map.is_empty() => {
                let item = |(key, value): (&String, &Value)| {
                    let key = Value::from(key.as_str());
                    format!("{key}{}{}", self.colon, self.render(value, inner))
                };
                ('{', map.iter().map(item).collect(), '}')
            }
            other => return other.to_string(),
        };
        if let (Some(inner), Some(indent)) = (inner, indent) {
            let end = self.layout.line_end;
            let items = items.join(&format!(",{end}{inner}"));
            return format!("{open}{end}{inner}{items}{end}{indent}{close}");
        }
        let comma = if self.colon == ":" { "," } else { ", " };
        format!("{open}{}{close}", items.join(comma))
    }
}
