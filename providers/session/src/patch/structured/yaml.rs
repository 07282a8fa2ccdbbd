//! YAML of one document: values in blocks and between brackets.
//!
//! The tree is read from the events of a parser, with the bytes of each node. An anchor, alias, tag or complex key on
//! the way to a value is refused: what else hangs on it cannot be told from the bytes.

mod edit;
mod node;
mod scalar;

use std::collections::BTreeMap;

use super::model::{self, Model, depth_of, wrapped};
use crate::patch::definition::span;
use crate::patch::document::{StructuredEdit, ValueChange};
use crate::patch::failure::Failure;
use crate::patch::splice::Splice;
use edit::Editor;
use node::{Kind, Node};

/// Reads a file as its model.
pub(super) fn read(text: &str) -> Result<Model, Failure> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    model_of(body, &node::parse(body)?)
}

/// Refuses a construct on the way of a pointer whose other uses an edit cannot keep.
pub(super) fn check_path(text: &str, tokens: &[String]) -> Result<(), Failure> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = node::parse(body)?;
    let mut at = Some(&root);
    let mut tokens = tokens.iter();
    while let Some(node) = at {
        if let Some(mark) = node.mark {
            return Err(unsupported(mark));
        }
        at = tokens.next().and_then(|token| node.child(token));
    }
    Ok(())
}

fn model_of(text: &str, node: &Node) -> Result<Model, Failure> {
    if node.mark == Some(node::TAG) {
        return Ok(Model::Opaque(text[node.range.clone()].to_owned()));
    }
    Ok(match &node.kind {
        Kind::Scalar { value, is_plain } if *is_plain => scalar::resolved(value),
        Kind::Scalar { value, .. } => Model::Text(value.clone()),
        Kind::Alias(name) => Model::Opaque(format!("*{name}")),
        Kind::List { items, .. } => {
            let items = items.iter().map(|item| model_of(text, &item.node));
            Model::List(items.collect::<Result<_, _>>()?)
        }
        Kind::Map { pairs, .. } => {
            let mut map = BTreeMap::new();
            for pair in pairs {
                let name = pair.name(text);
                let value = model_of(text, &pair.value)?;
                if map.insert(name.clone(), value).is_some() {
                    return Err(Failure::FormatParse {
                        format: "YAML",
                        span: span(text.as_bytes(), &pair.key.range),
                        reason: format!("the key `{name}` stands twice"),
                        unpaired: None,
                    });
                }
            }
            Model::Map(map)
        }
    })
}

/// The splice of an edit that the model allows.
pub(super) fn splice(text: &str, edit: &StructuredEdit) -> Result<Splice, Failure> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let shift = text.len() - body.len();
    let root = node::parse(body)?;
    let tokens = edit.pointer.tokens();
    let depth = depth_of(&model_of(body, &root)?, tokens);
    let editor = Editor::new(body, &root);
    let mut splice = match &edit.change {
        ValueChange::Set { value, .. } if depth == tokens.len() => {
            editor.check_anchors(tokens)?;
            editor.set(tokens, value)?
        }
        ValueChange::Set { value, .. } => {
            let value = wrapped(value, &tokens[depth + 1..]);
            editor.insert(&tokens[..depth], &tokens[depth], &value)?
        }
        ValueChange::Append { value } => editor.append(tokens, value)?,
        ValueChange::Remove => {
            editor.check_anchors(tokens)?;
            editor.remove(tokens)?
        }
    };
    splice.start += shift;
    splice.end += shift;
    Ok(splice)
}

fn unsupported(construct: impl Into<String>) -> Failure {
    Failure::FormatUnsupported {
        construct: construct.into(),
    }
}

/// The index of a list that a token names.
fn index(token: &str) -> Option<usize> {
    model::index(token)
}
