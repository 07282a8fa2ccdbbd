//! `impl BlockPayload` and its serde traits, from a payload enum.
//!
//! Writing goes through an enum that borrows, reading through one struct for each variant with data. Both are derived by
//! serde, so that an attribute on a field means what it means there.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ExprPath, LitStr};

use super::without_self;
use crate::input::{Fallback, Field, Payload, Shape, Variant};

/// Writes all four implementations.
pub(super) fn implementations(name: &Ident, input: &Payload) -> TokenStream {
    let written = written(name, &input.variants);
    let read = read(name, &input.variants);
    let block_payload = block_payload(name, input);
    quote! {
        #written
        #read
        #block_payload
    }
}

fn block_payload(name: &Ident, input: &Payload) -> TokenStream {
    let variants = input.variants.iter().map(|variant| &variant.ident);
    let kinds = input.variants.iter().map(|variant| &variant.kind);
    let render = input.render_fn.as_ref().map_or_else(
        // It says the enum's name, since that is what may lack `Debug`.
        || quote!(__lonis::debug_text::<#name>(self)),
        |function| {
            let path = without_self(function, name);
            // A macro that wrote the enum has another `self`.
            let this = quote!(self);
            quote_spanned!(function.span()=> #path(#this))
        },
    );
    quote! {
        #[automatically_derived]
        impl __lonis::BlockPayload for #name {
            fn kind_name(&self) -> &str {
                match self {
                    #(Self::#variants { .. } => #kinds,)*
                }
            }
            fn render_human(&self) -> ::std::string::String {
                #render
            }
        }
    }
}

/// The borrowing enum, and `Serialize` through it.
fn written(name: &Ident, variants: &[Variant]) -> TokenStream {
    let mut functions = TokenStream::new();
    let mut declarations = TokenStream::new();
    let mut arms = TokenStream::new();
    let mut borrows = false;
    for (at, variant) in variants.iter().enumerate() {
        let (ident, kind) = (&variant.ident, &variant.kind);
        let own = format_ident!("V{at}");
        declarations.extend(quote!(#[serde(rename = #kind)]));
        match &variant.shape {
            Shape::Unit => {
                // A unit variant would be written without `data`.
                declarations.extend(quote!(#own(()),));
                arms.extend(quote!(#name::#ident => __Written::#own(()),));
            }
            Shape::Object(fields) => {
                let fields: Vec<&Field> = fields.iter().filter(|field| !field.skip).collect();
                borrows |= !fields.is_empty();
                let members = fields
                    .iter()
                    .enumerate()
                    .map(|(number, field)| written_field(name, at, number, field, &mut functions));
                declarations.extend(quote!(#own { #(#members),* },));
                let own_names: Vec<Ident> = (0..fields.len()).map(own_name).collect();
                let names = fields.iter().map(|field| &field.ident);
                arms.extend(quote! {
                    #name::#ident { #(#names: #own_names,)* .. } => __Written::#own { #(#own_names),* },
                });
            }
        }
    }
    let lifetime = borrows.then(|| quote!(<'__lonis>));
    quote! {
        #functions

        #[derive(__lonis::serde::Serialize)]
        #[serde(crate = "__lonis::serde", tag = "kind", content = "data")]
        enum __Written #lifetime {
            #declarations
        }

        #[automatically_derived]
        impl __lonis::serde::Serialize for #name {
            fn serialize<__S: __lonis::serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                let written = match self {
                    #arms
                };
                __lonis::serde::Serialize::serialize(&written, serializer)
            }
        }
    }
}

/// One borrowed member. Functions of the user take the field itself, not the borrow of it, so they are wrapped.
fn written_field(
    name: &Ident,
    variant: usize,
    number: usize,
    field: &Field,
    functions: &mut TokenStream,
) -> TokenStream {
    let own = own_name(number);
    let key = field.key();
    let ty = without_self(&field.ty, name);
    let mut attributes = quote!(rename = #key);
    if let Some(function) = &field.skip_serializing_if {
        let function = without_self(function, name);
        let own = format_ident!("__skips_{variant}_{number}");
        functions.extend(quote! {
            fn #own(value: &&#ty) -> bool {
                #function(*value)
            }
        });
        let own = own.to_string();
        attributes.extend(quote!(, skip_serializing_if = #own));
    }
    if let Some(function) = field.write_function() {
        let function = without_self(function, name);
        let own = format_ident!("__writes_{variant}_{number}");
        functions.extend(quote! {
            fn #own<__S: __lonis::serde::Serializer>(
                value: &&#ty,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #function(*value, serializer)
            }
        });
        let own = own.to_string();
        attributes.extend(quote!(, serialize_with = #own));
    }
    quote!(#[serde(#attributes)] #own: &'__lonis #ty)
}

/// The structs of the data, and `Deserialize` through them.
fn read(name: &Ident, variants: &[Variant]) -> TokenStream {
    let mut structs = TokenStream::new();
    let mut arms = TokenStream::new();
    for (at, variant) in variants.iter().enumerate() {
        let (ident, kind) = (&variant.ident, &variant.kind);
        let made = match &variant.shape {
            Shape::Unit => quote! {
                let __lonis::Null = source.read()?;
                ::core::result::Result::Ok(#name::#ident)
            },
            Shape::Object(fields) => {
                let own = format_ident!("__Read{at}");
                structs.extend(read_struct(name, &own, kind, fields));
                let own_names: Vec<Ident> = (0..fields.len()).map(own_name).collect();
                let names = fields.iter().map(|field| &field.ident);
                quote! {
                    let __lonis::Object(#own { #(#own_names),* }) = source.read()?;
                    ::core::result::Result::Ok(#name::#ident { #(#names: #own_names),* })
                }
            }
        };
        arms.extend(quote!(#kind => { #made }));
    }
    let kinds = variants.iter().map(|variant| &variant.kind);
    quote! {
        #structs

        #[automatically_derived]
        impl __lonis::Tagged for #name {
            fn read_data<'__de, __R: __lonis::DataSource<'__de>>(
                kind: &str,
                source: __R,
            ) -> ::core::result::Result<Self, __R::Error> {
                match kind {
                    #arms
                    _ => ::core::result::Result::Err(__lonis::unknown_kind(kind, &[#(#kinds),*])),
                }
            }
        }

        #[automatically_derived]
        impl<'__de> __lonis::serde::Deserialize<'__de> for #name {
            fn deserialize<__D: __lonis::serde::Deserializer<'__de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                __lonis::read_tagged(deserializer)
            }
        }
    }
}

fn read_struct(name: &Ident, own: &Ident, kind: &str, fields: &[Field]) -> TokenStream {
    let expecting = format!("the data of `{kind}`, an object");
    let members = fields.iter().enumerate().map(|(number, field)| {
        let own = own_name(number);
        let ty = without_self(&field.ty, name);
        let attributes = read_attributes(name, field);
        quote!(#[serde(#attributes)] #own: #ty)
    });
    quote! {
        #[derive(__lonis::serde::Deserialize)]
        #[serde(crate = "__lonis::serde", deny_unknown_fields, expecting = #expecting)]
        struct #own {
            #(#members),*
        }
    }
}

fn read_attributes(name: &Ident, field: &Field) -> TokenStream {
    let key = field.key();
    let aliases = &field.aliases;
    let mut attributes = quote!(rename = #key #(, alias = #aliases)*);
    if field.skip {
        attributes.extend(quote!(, skip));
    }
    match &field.default {
        Fallback::Required => {}
        Fallback::Default => attributes.extend(quote!(, default)),
        Fallback::Function(function) => {
            let function = as_literal(function, name);
            attributes.extend(quote!(, default = #function));
        }
    }
    if let Some(function) = field.read_function() {
        let function = as_literal(&function, name);
        attributes.extend(quote!(, deserialize_with = #function));
    }
    attributes
}

/// A path as serde's attributes take it; what is wrong with it is reported where the user wrote it.
fn as_literal(path: &ExprPath, name: &Ident) -> LitStr {
    let text = without_self(path, name).to_string();
    LitStr::new(&text, path.span())
}

/// The name of a member in a type of ours, which no lint on the user's names can meet.
fn own_name(number: usize) -> Ident {
    format_ident!("field_{number}")
}
