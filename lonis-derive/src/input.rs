//! The user's item, read into what the expansion needs, with every rule checked on the way.

mod capabilities;
mod field;
mod payload;

pub(crate) use capabilities::{Capabilities, Contract};
pub(crate) use field::{Fallback, Field};
pub(crate) use payload::{Payload, Shape, Variant};

use syn::{Attribute, Generics, Path};

use crate::attr::{self, Key, Keys, key};
use crate::mistakes::Mistakes;

const CRATE_KEY: Key = key("crate", r#"crate = "path::to::lonis""#);

/// Returns the crate that the attribute of this name asks for, whatever else is wrong with it.
///
/// It is read apart from the other keys, since what stands in for a refused item needs it too.
pub(crate) fn chosen_crate(attributes: &[Attribute], name: &str) -> Option<Path> {
    let keys = Keys {
        known: &[CRATE_KEY],
        refusal: "",
    };
    let mut reported_elsewhere = Mistakes::default();
    let attribute = attr::single(attributes, name, &mut reported_elsewhere)?;
    let mut path = None;
    attr::read(
        attribute,
        keys,
        &mut Vec::new(),
        &mut reported_elsewhere,
        |value| path = value.path(),
    );
    path
}

/// Refuses generics: what crosses the wire is one concrete type.
fn refuse_generics(generics: &Generics, needs: &str, mistakes: &mut Mistakes) {
    let text = format!("generics and lifetimes are not supported; {needs}");
    if !generics.params.is_empty() {
        mistakes.add(generics, text);
    } else if let Some(clause) = &generics.where_clause {
        mistakes.add(clause, text);
    }
}

/// Refuses an attribute where it has no meaning, rather than to ignore it.
fn refuse(attributes: &[Attribute], name: &str, text: &str, mistakes: &mut Mistakes) {
    for attribute in attributes {
        if attribute.path().is_ident(name) {
            mistakes.add(attribute.path(), text);
        }
    }
}

#[cfg(test)]
mod tests;
