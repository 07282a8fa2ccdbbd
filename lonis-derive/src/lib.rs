//! The derive macros of Lonis, as `lonis` and `lonis-schema` re-export them: an implementation detail of theirs.
//!
//! Each macro is here twice. What it writes has to name the crate that the user depends on, and a macro cannot see which
//! that is; so the facade re-exports those that name `lonis`, the schema crate those that name `lonis_schema`. Examples
//! stand where the macros are re-exported.

mod attr;
mod case;
mod check;
mod expand;
mod input;
mod mistakes;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `lonis_schema::Capabilities` from `#[lonis(…)]`.
#[doc = include_str!("../docs/capabilities.md")]
#[proc_macro_derive(LonisCapabilities, attributes(lonis))]
pub fn lonis_capabilities(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    expand::capabilities(syn::parse_quote!(::lonis_schema), &item).into()
}

/// Implements `lonis_schema::BlockPayload` and the serde traits it needs, from `#[lonis_payload(…)]`.
#[doc = include_str!("../docs/payload.md")]
#[proc_macro_derive(BlockPayload, attributes(lonis_payload, serde))]
pub fn block_payload(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    expand::payload(syn::parse_quote!(::lonis_schema), &item).into()
}

/// Implements `lonis::Capabilities` from `#[lonis(…)]`.
#[doc = include_str!("../docs/capabilities.md")]
#[proc_macro_derive(FacadeCapabilities, attributes(lonis))]
pub fn facade_capabilities(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    expand::capabilities(syn::parse_quote!(::lonis), &item).into()
}

/// Implements `lonis::BlockPayload` and the serde traits it needs, from `#[lonis_payload(…)]`.
#[doc = include_str!("../docs/payload.md")]
#[proc_macro_derive(FacadePayload, attributes(lonis_payload, serde))]
pub fn facade_payload(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    expand::payload(syn::parse_quote!(::lonis), &item).into()
}
