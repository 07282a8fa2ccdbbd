//! Reading `key` and `key = value` lists, for every attribute of both derives.
//!
//! It knows nothing of what the keys mean. A mistake in one value does not hide those in the next.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, ExprPath, Ident, Lit, LitStr, Meta, Path, Token, Type, bracketed};

use crate::mistakes::Mistakes;

/// A key that an attribute knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// The name as it is written.
    pub(crate) name: &'static str,
    /// The whole form, shown to who writes it otherwise.
    pub(crate) form: &'static str,
    /// Whether it may stand more than once.
    pub(crate) repeats: bool,
}

/// A key that stands at most once.
pub(crate) const fn key(name: &'static str, form: &'static str) -> Key {
    let repeats = false;
    Key {
        name,
        form,
        repeats,
    }
}

/// The keys of one attribute, and how one that is not among them is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys {
    pub(crate) known: &'static [Key],
    /// Stands before the key that is not known.
    pub(crate) refusal: &'static str,
}

impl Keys {
    pub(crate) fn names(self) -> String {
        let names: Vec<String> = self
            .known
            .iter()
            .map(|key| format!("`{}`", key.name))
            .collect();
        names.join(", ")
    }
}

/// Returns the attribute of this name; a second one is a mistake.
pub(crate) fn single<'a>(
    attributes: &'a [Attribute],
    name: &str,
    mistakes: &mut Mistakes,
) -> Option<&'a Attribute> {
    let mut named = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident(name));
    let first = named.next();
    for again in named {
        mistakes.add(
            again.path(),
            format!("`#[{name}]` is given twice; write all keys into one"),
        );
    }
    first
}

/// Reads one attribute and hands each known key to `take`.
///
/// `seen` holds the keys given before: each stands once, even over several attributes. The result is whether the list
/// could be read to its end; if not, what is missing from it is no mistake of its own.
pub(crate) fn read(
    attribute: &Attribute,
    keys: Keys,
    seen: &mut Vec<Key>,
    mistakes: &mut Mistakes,
    mut take: impl FnMut(Value<'_>),
) -> bool {
    let Meta::List(list) = &attribute.meta else {
        let name = attribute.path().to_token_stream();
        let form = keys.known.first().map_or("", |key| key.form);
        mistakes.add(
            &attribute.meta,
            format!("keys stand in parentheses: `#[{name}({form})]`"),
        );
        return false;
    };
    let result = list.parse_args_with(|input: ParseStream<'_>| {
        while !input.is_empty() {
            entry(input, keys, seen, mistakes, &mut take)?;
            if !input.is_empty() && !input.peek(Token![,]) {
                mistakes.take(input.error("a comma stands between keys"));
                skip_value(input);
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    });
    result.map_err(|error| mistakes.take(error)).is_ok()
}

fn entry(
    input: ParseStream<'_>,
    keys: Keys,
    seen: &mut Vec<Key>,
    mistakes: &mut Mistakes,
    take: &mut impl FnMut(Value<'_>),
) -> syn::Result<()> {
    let at =
        Punctuated::<Ident, Token![::]>::parse_separated_nonempty_with(input, Ident::parse_any)
            .map_err(|error| {
                syn::Error::new(error.span(), format!("a key stands here: {}", keys.names()))
            })?;
    let written = at.to_token_stream().to_string().replace(' ', "");
    let Some(key) = keys.known.iter().find(|key| key.name == written) else {
        let (refusal, names) = (keys.refusal, keys.names());
        mistakes.add(&at, format!("{refusal} `{written}`; known keys: {names}"));
        skip_value(input);
        return Ok(());
    };
    if !key.repeats && seen.iter().any(|before| before.name == key.name) {
        mistakes.add(&at, format!("`{written}` is given twice"));
        skip_value(input);
        return Ok(());
    }
    seen.push(*key);
    take(Value {
        key,
        at: &at,
        input,
        mistakes,
    });
    Ok(())
}

/// Reads what stands in brackets. If it does not fit, the rest goes with it and is no second mistake.
pub(crate) fn drained<T>(
    content: ParseStream<'_>,
    read: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<T> {
    let result = read(content);
    let rest = content.cursor().span();
    let is_read = content.is_empty();
    content.parse::<TokenStream>()?;
    match result {
        Ok(_) if !is_read => Err(syn::Error::new(rest, "")),
        result => result,
    }
}

/// Goes on to the next comma, or to the end.
fn skip_value(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

/// What stands after a key, not read yet.
pub(crate) struct Value<'a> {
    pub(crate) key: &'static Key,
    mistakes: &'a mut Mistakes,
    at: &'a Punctuated<Ident, Token![::]>,
    input: ParseStream<'a>,
}

impl<'a> Value<'a> {
    /// The key where it stands.
    pub(crate) fn at(&self) -> TokenStream {
        self.at.to_token_stream()
    }

    /// A key that stands alone.
    pub(crate) fn flag(self) -> bool {
        let alone = self.is_alone();
        if !alone {
            let Self { key, at, .. } = self;
            self.mistakes
                .add(at, format!("`{}` takes no value", key.name));
            skip_value(self.input);
        }
        alone
    }

    /// Whether the key has no value.
    pub(crate) fn is_alone(&self) -> bool {
        self.input.is_empty() || self.input.peek(Token![,])
    }

    /// A string literal.
    pub(crate) fn string(mut self) -> Option<LitStr> {
        self.literal()
    }

    /// A string literal that holds to a rule, or the text that says which.
    pub(crate) fn checked_string(
        mut self,
        holds: impl FnOnce(&str) -> bool,
        otherwise: impl FnOnce(&str) -> String,
    ) -> Option<LitStr> {
        let text = self.literal()?;
        if holds(&text.value()) {
            return Some(text);
        }
        self.mistakes.add(&text, otherwise(&text.value()));
        None
    }

    /// A string literal that holds the path of a crate or module.
    pub(crate) fn path(mut self) -> Option<Path> {
        let text = self.literal()?;
        let path = text.parse_with(Path::parse_mod_style).ok();
        self.parsed(&text, path)
    }

    /// A string literal that holds the path of a function.
    pub(crate) fn function(mut self) -> Option<ExprPath> {
        let text = self.literal()?;
        let path = text.parse::<ExprPath>().ok();
        self.parsed(&text, path)
    }

    /// A type.
    pub(crate) fn ty(mut self) -> Option<Type> {
        self.read(Type::parse, "a type")
    }

    /// A list in brackets, with the place for what is wrong with its elements.
    pub(crate) fn list<T>(
        mut self,
        element: fn(ParseStream<'_>) -> syn::Result<T>,
    ) -> Option<(Vec<T>, &'a mut Mistakes)> {
        let list = |input: ParseStream<'_>| {
            let content;
            bracketed!(content in input);
            drained(&content, |content| {
                Punctuated::<T, Token![,]>::parse_terminated_with(content, element)
            })
        };
        let list = self.read(list, "a list")?;
        Some((list.into_iter().collect(), self.mistakes))
    }

    fn literal(&mut self) -> Option<LitStr> {
        let text = |input: ParseStream<'_>| match input.parse::<Lit>()? {
            Lit::Str(text) if text.suffix().is_empty() => Ok(text),
            other => Err(syn::Error::new_spanned(other, "")),
        };
        self.read(text, "a string")
    }

    /// Reads what follows the equals sign; what does not fit is one mistake at its own place, with the form that does.
    fn read<T>(
        &mut self,
        parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
        what: &str,
    ) -> Option<T> {
        let Key { name, form, .. } = self.key;
        if self.input.parse::<Token![=]>().is_err() {
            self.mistakes
                .add(self.at, format!("`{name}` takes {what}: `{form}`"));
            skip_value(self.input);
            return None;
        }
        match parse(self.input) {
            Ok(value) => Some(value),
            Err(error) => {
                let text = format!("`{name}` takes {what}: `{form}`");
                self.mistakes.take(syn::Error::new(error.span(), text));
                skip_value(self.input);
                None
            }
        }
    }

    fn parsed<T>(self, text: &LitStr, path: Option<T>) -> Option<T> {
        if path.is_none() {
            let Key { name, form, .. } = self.key;
            let value = text.value();
            self.mistakes.add(
                text,
                format!("`{value}` is not a path; `{name}` takes one: `{form}`"),
            );
        }
        path
    }
}
