//! What is wrong with the user's item, collected so that one compilation shows all of it.

use std::fmt::Display;

use quote::ToTokens;

/// The mistakes found so far, each at its own token.
#[derive(Debug, Default)]
pub(crate) struct Mistakes {
    found: Option<syn::Error>,
}

impl Mistakes {
    /// Adds one at the given tokens.
    pub(crate) fn add(&mut self, at: impl ToTokens, text: impl Display) {
        self.take(syn::Error::new_spanned(at, text));
    }

    /// Adds what the parser refused.
    pub(crate) fn take(&mut self, error: syn::Error) {
        match &mut self.found {
            Some(found) => found.combine(error),
            None => self.found = Some(error),
        }
    }

    /// Returns what was read, if nothing is wrong with it.
    pub(crate) fn or<T>(self, read: Option<T>) -> Result<T, syn::Error> {
        match self.found {
            Some(error) => Err(error),
            None => Ok(read.expect("what could not be read is a mistake")),
        }
    }
}

/// Writes names as a list for people: `a`, `b` or `c`.
pub(crate) fn alternatives(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
