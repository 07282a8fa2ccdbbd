//! What `#[lonis_payload(…)]` and `#[serde(…)]` on a payload enum say.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, Data, DataEnum, DeriveInput, ExprPath, Fields, Ident, LitStr};

use super::field::{self, Field};
use super::{CRATE_KEY, refuse, refuse_generics};
use crate::attr::{self, Keys, Value, key};
use crate::case::snake;
use crate::check::{self, MAX_NAME_CHARS, SEED_KINDS};
use crate::mistakes::Mistakes;

const NEEDS: &str = "`BlockPayload` needs an enum with at least one variant";

const ENUM_KEYS: Keys = Keys {
    known: &[
        key("namespace", r#"namespace = "acme""#),
        key("render_fn", r#"render_fn = "path::to::render""#),
        CRATE_KEY,
    ],
    refusal: "unknown key",
};

const VARIANT_KEYS: Keys = Keys {
    known: &[key("kind", r#"kind = "search""#)],
    refusal: "unknown key",
};

const GRAMMAR: &str = "`[a-z0-9_]+`, joined by `.`";

/// A payload enum, checked.
#[derive(Debug)]
pub(crate) struct Payload {
    pub(crate) render_fn: Option<ExprPath>,
    pub(crate) variants: Vec<Variant>,
}

/// One variant, and the kind it has on the wire.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) kind: String,
    /// Where the kind is written.
    at: TokenStream,
    pub(crate) shape: Shape,
}

/// What a variant's `data` is.
#[derive(Debug)]
pub(crate) enum Shape {
    /// `null`.
    Unit,
    /// An object with these members.
    Object(Vec<Field>),
}

impl Payload {
    /// Reads the item, or finds what is wrong with it.
    pub(crate) fn read(item: &DeriveInput) -> Result<Self, syn::Error> {
        let mut mistakes = Mistakes::default();
        let payload = Self::take(item, &mut mistakes);
        mistakes.or(payload)
    }

    fn take(item: &DeriveInput, mistakes: &mut Mistakes) -> Option<Self> {
        refuse_generics(&item.generics, NEEDS, mistakes);
        refuse_serde(&item.attrs, mistakes);
        let (mut render_fn, mut namespace) = (None, None::<String>);
        if let Some(attribute) = attr::single(&item.attrs, "lonis_payload", mistakes) {
            let mut seen = Vec::new();
            let is_whole = attr::read(attribute, ENUM_KEYS, &mut seen, mistakes, |value| {
                match value.key.name {
                    "namespace" => namespace = kind_word(value).map(|text| text.value()),
                    "render_fn" => render_fn = value.function(),
                    // Checked here; `chosen_crate` is what reads it.
                    _ => drop(value.path()),
                }
            });
            // A namespace that is refused still counts as given: no kind is refused for the lack of one.
            if !is_whole || seen.iter().any(|key| key.name == "namespace") {
                namespace.get_or_insert_default();
            }
        }
        let item = declared_enum(item, mistakes)?;
        let variants: Vec<Variant> = item
            .variants
            .iter()
            .filter_map(|variant| Variant::take(variant, namespace.as_deref(), mistakes))
            .collect();
        refuse_twins(&variants, mistakes);
        Some(Self {
            render_fn,
            variants,
        })
    }
}

impl Variant {
    fn take(
        variant: &syn::Variant,
        namespace: Option<&str>,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        refuse_serde(&variant.attrs, mistakes);
        let mut given = None;
        let mut is_whole = true;
        if let Some(attribute) = attr::single(&variant.attrs, "lonis_payload", mistakes) {
            let mut seen = Vec::new();
            is_whole = attr::read(attribute, VARIANT_KEYS, &mut seen, mistakes, |value| {
                given = Some(kind_word(value));
            });
        }
        let shape = Shape::take(variant, mistakes);
        let (name, at) = match given {
            Some(name) => name.map(|name| (name.value(), name.into_token_stream())),
            None if is_whole => named_kind(&variant.ident, mistakes)
                .map(|name| (name, variant.ident.to_token_stream())),
            None => None,
        }?;
        let kind = match namespace {
            Some(namespace) => format!("{namespace}.{name}"),
            None => name,
        };
        check_kind(&kind, &at, mistakes);
        Some(Self {
            ident: variant.ident.clone(),
            kind,
            at,
            shape: shape?,
        })
    }
}

impl Shape {
    fn take(variant: &syn::Variant, mistakes: &mut Mistakes) -> Option<Self> {
        let name = &variant.ident;
        let fields = match &variant.fields {
            Fields::Unit => return Some(Self::Unit),
            empty if empty.is_empty() => {
                let text =
                    format!("a variant without fields is a unit variant: write `{name}` alone");
                mistakes.add(empty, text);
                return None;
            }
            Fields::Unnamed(unnamed) => {
                let text =
                    format!("tuple variants are not supported; name the fields: `{name} {{ … }}`");
                mistakes.add(unnamed, text);
                return None;
            }
            Fields::Named(named) => &named.named,
        };
        let fields: Vec<Field> = fields
            .iter()
            .filter_map(|field| Some(Field::read(field.ident.as_ref()?, field, mistakes)))
            .collect();
        refuse_same_keys(&fields, mistakes);
        Some(Self::Object(fields))
    }
}

fn declared_enum<'a>(item: &'a DeriveInput, mistakes: &mut Mistakes) -> Option<&'a DataEnum> {
    match &item.data {
        Data::Enum(data) if !data.variants.is_empty() => return Some(data),
        Data::Enum(_) => mistakes.add(
            &item.ident,
            format!("an enum without variants is not supported; {NEEDS}"),
        ),
        Data::Struct(data) => mistakes.add(
            data.struct_token,
            format!("a struct is not supported; {NEEDS}"),
        ),
        Data::Union(data) => mistakes.add(
            data.union_token,
            format!("a union is not supported; {NEEDS}"),
        ),
    }
    None
}

/// Tagging is not the user's to choose; what is may be chosen on fields.
fn refuse_serde(attributes: &[Attribute], mistakes: &mut Mistakes) {
    let keys = field::KEYS.names();
    let text = format!("the derive fixes the tagging; `#[serde]` stands on fields, with {keys}");
    refuse(attributes, "serde", &text, mistakes);
}

/// A namespace, or a kind's name after it.
fn kind_word(value: Value<'_>) -> Option<LitStr> {
    let name = value.key.name;
    value.checked_string(check::is_kind, |text| {
        format!("`{text}` cannot be a {name}: it is {GRAMMAR}")
    })
}

/// The kind's name that follows from the variant's.
fn named_kind(ident: &Ident, mistakes: &mut Mistakes) -> Option<String> {
    let name = snake(&ident.unraw().to_string());
    if check::is_kind(&name) {
        return Some(name);
    }
    let text = format!(
        "`{ident}` gives no kind, which is {GRAMMAR}; set `#[lonis_payload(kind = \"…\")]`"
    );
    mistakes.add(ident, text);
    None
}

fn check_kind(kind: &str, at: &TokenStream, mistakes: &mut Mistakes) {
    if SEED_KINDS.contains(&kind) {
        let text = format!(
            "kind `{kind}` is one of the wire contract's own; set `namespace` on the enum, or another `kind` here"
        );
        mistakes.add(at, text);
    }
    if !check::fits(kind, MAX_NAME_CHARS) {
        let seen = kind.len();
        let text = format!(
            "a kind has at most {MAX_NAME_CHARS} characters with its namespace, here {seen}"
        );
        mistakes.add(at, text);
    }
}

fn refuse_twins(variants: &[Variant], mistakes: &mut Mistakes) {
    let mut first: HashMap<&str, &Variant> = HashMap::new();
    for variant in variants {
        let Variant {
            ident, kind, at, ..
        } = variant;
        let Some(before) = first.get(kind.as_str()) else {
            first.insert(kind, variant);
            continue;
        };
        mistakes.add(
            &before.at,
            format!("kind `{kind}` is given twice: to `{}` here", before.ident),
        );
        mistakes.add(
            at,
            format!("kind `{kind}` is given twice: to `{ident}` here; set another `kind` on one"),
        );
    }
}

fn refuse_same_keys(fields: &[Field], mistakes: &mut Mistakes) {
    let mut first: HashMap<String, (&Ident, TokenStream)> = HashMap::new();
    for field in fields.iter().filter(|field| !field.skip) {
        let ident = &field.ident;
        for (key, at) in field.keys() {
            let Some((before, before_at)) = first.get(&key) else {
                first.insert(key, (ident, at));
                continue;
            };
            if *before != ident {
                mistakes.add(
                    before_at,
                    format!("key `{key}` is given twice: to `{before}` here"),
                );
            }
            mistakes.add(
                at,
                format!("key `{key}` is given twice: to `{ident}` here; rename one"),
            );
        }
    }
}
