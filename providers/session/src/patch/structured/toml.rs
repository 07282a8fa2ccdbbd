//! TOML: values, inline containers, tables below headers and lists of tables.
//!
//! A member that is set goes where a person would put it: behind the last one of its table, or as a table of its own
//! where it holds members itself. What cannot be done by changing one run of bytes is refused.

mod place;
mod render;
mod sections;

use std::collections::BTreeMap;

use toml_edit::{Document, Item, TableLike, Value as Node};

use super::model::{Model, depth_of, wrapped};
use crate::patch::definition::span;
use crate::patch::delimiter::{Format, Unpaired};
use crate::patch::document::{StructuredEdit, ValueChange};
use crate::patch::failure::Failure;
use crate::patch::splice::Splice;
use place::Place;
use render::{inline, key, lines};

/// Reads a file as its model.
pub(super) fn read(text: &str) -> Result<Model, Failure> {
    Ok(model_of(parse(text)?.as_item()))
}

fn parse(text: &str) -> Result<Document<&str>, Failure> {
    Document::parse(text).map_err(|error| Failure::FormatParse {
        format: "TOML",
        span: span(text.as_bytes(), &error.span().unwrap_or(0..0)),
        reason: error.message().to_owned(),
        unpaired: Unpaired::of_format(text, Format::Toml).map(Box::new),
    })
}

fn model_of(item: &Item) -> Model {
    match item {
        Item::None => Model::Null,
        Item::Value(value) => model_of_value(value),
        Item::Table(table) => model_of_table(table),
        Item::ArrayOfTables(tables) => {
            Model::List(tables.iter().map(|table| model_of_table(table)).collect())
        }
    }
}

fn model_of_table(table: &dyn TableLike) -> Model {
    let members = table.iter();
    let members: BTreeMap<_, _> = members
        .map(|(name, item)| (name.to_owned(), model_of(item)))
        .collect();
    Model::Map(members)
}

fn model_of_value(value: &Node) -> Model {
    match value {
        Node::String(text) => Model::Text(text.value().clone()),
        Node::Integer(number) => Model::number(&number.value().to_string()),
        Node::Float(number) if number.value().is_finite() => {
            Model::number(&format!("{:?}", number.value()))
        }
        Node::Float(number) => Model::Number(format!("{:?}", number.value())),
        Node::Boolean(flag) => Model::Bool(*flag.value()),
        Node::Datetime(date) => Model::Text(date.value().to_string()),
        Node::Array(array) => Model::List(array.iter().map(model_of_value).collect()),
        Node::InlineTable(table) => model_of_table(table),
    }
}

/// The splice of an edit that the model allows.
pub(super) fn splice(text: &str, edit: &StructuredEdit) -> Result<Splice, Failure> {
    let document = parse(text)?;
    let tokens = edit.pointer.tokens();
    let depth = depth_of(&model_of(document.as_item()), tokens);
    let at = |count: usize| {
        Place::find(text, &document, &tokens[..count]).expect("the model has what the items have")
    };
    match &edit.change {
        ValueChange::Set { value, .. } if depth == tokens.len() => at(depth).set(value),
        ValueChange::Set { value, .. } => {
            at(depth).insert(&tokens[depth], &wrapped(value, &tokens[depth + 1..]))
        }
        ValueChange::Append { value } => at(depth).append(value),
        ValueChange::Remove => {
            let (last, parents) = tokens
                .split_last()
                .expect("the document refuses an empty pointer here");
            at(parents.len()).remove(last)
        }
    }
}

fn unsupported(construct: impl Into<String>) -> Failure {
    Failure::FormatUnsupported {
        construct: construct.into(),
    }
}
