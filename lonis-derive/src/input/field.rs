//! The fields of a struct variant, and what `#[serde(…)]` on one says.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, ExprPath, Ident, LitStr, Type};

use super::refuse;
use crate::attr::{self, Key, Keys, Value, key};
use crate::mistakes::Mistakes;

/// What serde's own derive knows of a field, less what changes the shape of the data.
pub(super) const KEYS: Keys = Keys {
    known: &[
        key("rename", r#"rename = "name""#),
        Key {
            name: "alias",
            form: r#"alias = "name""#,
            repeats: true,
        },
        key("default", r#"default = "path::to::function""#),
        key("skip", "skip"),
        key(
            "skip_serializing_if",
            r#"skip_serializing_if = "Option::is_none""#,
        ),
        key("with", r#"with = "path::to::module""#),
        key("serialize_with", r#"serialize_with = "path::to::function""#),
        key(
            "deserialize_with",
            r#"deserialize_with = "path::to::function""#,
        ),
    ],
    refusal: "the derive fixes the shape of the data and does not support",
};

/// One member of a variant's data.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) rename: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) default: Fallback,
    pub(crate) skip: bool,
    pub(crate) skip_serializing_if: Option<ExprPath>,
    /// A module with `serialize` and `deserialize`.
    pub(crate) with: Option<ExprPath>,
    pub(crate) serialize_with: Option<ExprPath>,
    pub(crate) deserialize_with: Option<ExprPath>,
}

/// What stands in for a member that is absent.
#[derive(Debug)]
pub(crate) enum Fallback {
    /// Nothing: it is an error, save for an `Option`.
    Required,
    /// Its `Default`.
    Default,
    /// What this function returns.
    Function(ExprPath),
}

impl Field {
    /// Reads a named field.
    pub(crate) fn read(ident: &Ident, field: &syn::Field, mistakes: &mut Mistakes) -> Self {
        let text =
            "`#[lonis_payload]` stands on the enum and its variants; a field takes `#[serde]`";
        refuse(&field.attrs, "lonis_payload", text, mistakes);
        let mut read = Self {
            ident: ident.clone(),
            ty: field.ty.clone(),
            rename: None,
            aliases: Vec::new(),
            default: Fallback::Required,
            skip: false,
            skip_serializing_if: None,
            with: None,
            serialize_with: None,
            deserialize_with: None,
        };
        read.take_attributes(&field.attrs, mistakes);
        read.check(mistakes);
        read
    }

    /// The function that writes the field, if it is not its own `Serialize`.
    pub(crate) fn write_function(&self) -> Option<ExprPath> {
        let own = self.serialize_with.clone();
        own.or_else(|| Some(inside(self.with.as_ref()?, "serialize")))
    }

    /// The function that reads the field, if it is not its own `Deserialize`.
    pub(crate) fn read_function(&self) -> Option<ExprPath> {
        let own = self.deserialize_with.clone();
        own.or_else(|| Some(inside(self.with.as_ref()?, "deserialize")))
    }

    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(module) = &self.with
            && (self.serialize_with.is_some() || self.deserialize_with.is_some())
        {
            let text = "`with` stands for both `serialize_with` and `deserialize_with`; give one or the other";
            mistakes.add(module, text);
        }
        // Another lifetime is one of the enum, which is refused there.
        let is_borrowed = matches!(&self.ty, Type::Reference(reference)
            if reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static"));
        if !self.skip && is_borrowed {
            let text = "a payload owns its data; a reference cannot be read back";
            mistakes.add(&self.ty, text);
        }
    }

    /// The key of the member on the wire.
    pub(crate) fn key(&self) -> String {
        self.rename
            .as_ref()
            .map_or_else(|| self.ident.unraw().to_string(), LitStr::value)
    }

    /// The key and those that are read in its place, each where it is written.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (String, TokenStream)> {
        let at = self.rename.to_token_stream();
        let at = if at.is_empty() {
            self.ident.to_token_stream()
        } else {
            at
        };
        let aliases = self.aliases.iter();
        std::iter::once((self.key(), at))
            .chain(aliases.map(|alias| (alias.value(), alias.to_token_stream())))
    }

    fn take_attributes(&mut self, attributes: &[Attribute], mistakes: &mut Mistakes) {
        let mut seen = Vec::new();
        for attribute in attributes {
            if attribute.path().is_ident("serde") {
                attr::read(attribute, KEYS, &mut seen, mistakes, |value| {
                    self.take(value);
                });
            }
        }
    }

    fn take(&mut self, value: Value<'_>) {
        match value.key.name {
            "rename" => self.rename = value.string(),
            "alias" => self.aliases.extend(value.string()),
            "default" if value.is_alone() => self.default = Fallback::Default,
            "default" => {
                if let Some(function) = value.function() {
                    self.default = Fallback::Function(function);
                }
            }
            "skip" => self.skip = value.flag(),
            "skip_serializing_if" => self.skip_serializing_if = value.function(),
            "serialize_with" => self.serialize_with = value.function(),
            "deserialize_with" => self.deserialize_with = value.function(),
            _ => self.with = value.function(),
        }
    }
}

/// The path of a function in a module.
fn inside(module: &ExprPath, function: &str) -> ExprPath {
    let mut path = module.clone();
    let name = Ident::new(function, module.span());
    path.path.segments.push(name.into());
    path
}
