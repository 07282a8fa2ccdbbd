//! What stands in for an impl that could not be written, so that one mistake gives one message.
//!
//! The traits are there for whoever uses the type; nothing of it can run, since the errors beside it end the build.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_quote};

/// `Capabilities`, without a body.
pub(super) fn capabilities(item: &DeriveInput) -> TokenStream {
    let name = &item.ident;
    let (parameters, arguments, bounds) = item.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters __lonis::Capabilities for #name #arguments #bounds {
            fn schema_version(&self) -> __lonis::SchemaVersion { ::core::unreachable!() }
            fn tool_version(&self) -> &str { ::core::unreachable!() }
            fn output_formats(&self) -> &'static [__lonis::OutputMode] { ::core::unreachable!() }
            fn exit_code_map(&self) -> &'static [(&'static str, u8)] { ::core::unreachable!() }
            fn tool_id(&self) -> __lonis::ToolId { ::core::unreachable!() }
        }
    }
}

/// `BlockPayload` and what it needs, without a body.
pub(super) fn payload(item: &DeriveInput) -> TokenStream {
    let name = &item.ident;
    let mut generics = item.generics.clone();
    if !generics.params.is_empty() {
        // Parameters are the mistake itself; what they would have to be is no second one.
        let payload = parse_quote!(Self: ::core::marker::Send + ::core::marker::Sync + 'static);
        generics.make_where_clause().predicates.push(payload);
    }
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let mut with_lifetime = generics.clone();
    with_lifetime.params.insert(0, parse_quote!('__de));
    let (read_parameters, _, _) = with_lifetime.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters __lonis::serde::Serialize for #name #arguments #bounds {
            fn serialize<__S: __lonis::serde::Serializer>(
                &self,
                _: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                ::core::unreachable!()
            }
        }
        #[automatically_derived]
        impl #read_parameters __lonis::serde::Deserialize<'__de> for #name #arguments #bounds {
            fn deserialize<__D: __lonis::serde::Deserializer<'__de>>(
                _: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                ::core::unreachable!()
            }
        }
        #[automatically_derived]
        impl #parameters __lonis::BlockPayload for #name #arguments #bounds {
            fn kind_name(&self) -> &str { ::core::unreachable!() }
            fn schema_id(&self) -> ::std::string::String { ::core::unreachable!() }
            fn render_human(&self) -> ::std::string::String { ::core::unreachable!() }
        }
    }
}
