//! The code that the derives write.
//!
//! It stands in an anonymous constant, names nothing but what it finds under one path, and takes the user's names in
//! nowhere but where the user wrote them: fields and variants of its own have names of its own.

mod capabilities;
mod payload;
mod stand_in;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{DeriveInput, Path};

use crate::input::{Capabilities, Payload, chosen_crate};

/// Writes `impl Capabilities`, or the mistakes and what stands in for it.
///
/// `named` is the crate that the macro was found in; the attribute may choose another.
pub(crate) fn capabilities(named: Path, item: &DeriveInput) -> TokenStream {
    let root = chosen_crate(&item.attrs, "lonis").unwrap_or(named);
    let code = match Capabilities::read(item) {
        Ok(input) => capabilities::implementation(&item.ident, &input),
        Err(mistakes) => refused(&mistakes, stand_in::capabilities(item)),
    };
    enclosed(&root, &code)
}

/// Writes `impl BlockPayload` and its serde traits, or the mistakes and what stands in for them.
pub(crate) fn payload(named: Path, item: &DeriveInput) -> TokenStream {
    let root = chosen_crate(&item.attrs, "lonis_payload").unwrap_or(named);
    let code = match Payload::read(item) {
        Ok(input) => payload::implementations(&item.ident, &input),
        Err(mistakes) => refused(&mistakes, stand_in::payload(item)),
    };
    enclosed(&root, &code)
}

fn refused(mistakes: &syn::Error, stand_in: TokenStream) -> TokenStream {
    let mut code = mistakes.to_compile_error();
    code.extend(stand_in);
    code
}

/// Puts the code where it sees what it needs as `__lonis`, and where nobody sees its names.
fn enclosed(root: &Path, code: &TokenStream) -> TokenStream {
    // What the user has deprecated is named here too, where the user cannot say that it may be.
    let quiet = quote!(#[allow(deprecated)]);
    quote! {
        #quiet
        const _: () = {
            use #root::__private as __lonis;
            #code
        };
    }
}

/// Writes the type's name for `Self`, since the tokens are moved into another type.
fn without_self(tokens: impl ToTokens, name: &Ident) -> TokenStream {
    let tokens = tokens.into_token_stream().into_iter();
    tokens
        .map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                let mut name = name.clone();
                name.set_span(ident.span());
                name.into()
            }
            TokenTree::Group(group) => {
                let inner = without_self(group.stream(), name);
                let mut renamed = Group::new(group.delimiter(), inner);
                renamed.set_span(group.span());
                renamed.into()
            }
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use quote::{format_ident, quote};

    use super::without_self;

    #[test]
    fn self_becomes_the_type_at_any_depth() {
        let tokens = quote!(Vec<(Self, [Box<Self>; 2])>);
        let expected = quote!(Vec<(Acme, [Box<Acme>; 2])>);
        let written = without_self(tokens, &format_ident!("Acme"));
        assert_eq!(written.to_string(), expected.to_string());
    }
}
