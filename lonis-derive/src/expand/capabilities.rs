//! `impl Capabilities`, from what `#[lonis(…)]` says.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::input::{Capabilities, Contract};

/// Writes the implementation; what the attribute leaves out has the default of the wire contract.
pub(super) fn implementation(name: &Ident, input: &Capabilities) -> TokenStream {
    let tool_id = &input.tool_id;
    let schema_version = input.schema_version.as_ref().map_or_else(
        || quote!(__lonis::SchemaVersion::TOOL_V1),
        |text| quote!(__lonis::schema_version(#text)),
    );
    let version = input.version.as_ref().map_or_else(
        // The compiler of the user's crate reads it, so it is that crate's own.
        || quote!(::core::env!("CARGO_PKG_VERSION")),
        |text| quote!(#text),
    );
    let formats = input.formats.as_ref().map_or_else(
        || quote!(__lonis::OutputMode::ALL),
        |formats| quote!(&[#(__lonis::OutputMode::#formats),*]),
    );
    let exit_codes = input.exit_codes.as_ref().map_or_else(
        || quote!(__lonis::exit_code::BASELINE),
        |codes| {
            let codes = codes.iter().map(|(name, code)| quote!((#name, #code)));
            quote!(&[#(#codes),*])
        },
    );
    let contract = input
        .contract
        .as_ref()
        .map(|contract| declared_contract(tool_id, contract));
    quote! {
        #[automatically_derived]
        impl __lonis::Capabilities for #name {
            fn schema_version(&self) -> __lonis::SchemaVersion {
                #schema_version
            }
            fn tool_version(&self) -> &str {
                #version
            }
            fn output_formats(&self) -> &'static [__lonis::OutputMode] {
                #formats
            }
            fn exit_code_map(&self) -> &'static [(&'static str, u8)] {
                #exit_codes
            }
            fn tool_id(&self) -> __lonis::ToolId {
                __lonis::tool_id(#tool_id)
            }
            #contract
        }
    }
}

fn declared_contract(tool_id: &syn::LitStr, contract: &Contract) -> TokenStream {
    let Contract {
        description,
        determinism,
        side_effects,
        cost,
        capabilities,
        ..
    } = contract;
    let input_schema = contract.input_schema.iter();
    let output_schema = contract.output_schema.iter();
    let input = contract.input.iter();
    let output = contract.output.iter();
    quote! {
        fn declared_contract(&self) -> ::core::option::Option<__lonis::ToolContract> {
            let contract = __lonis::ToolContract::new(#tool_id, #description)
                .with_determinism(__lonis::Determinism::#determinism)
                .with_side_effects(__lonis::SideEffects::#side_effects)
                .with_cost(__lonis::Cost::#cost)
                #(.with_input_schema(#input_schema))*
                #(.with_output_schema(#output_schema))*
                .with_capabilities::<&str>([#(#capabilities),*])
                #(.with_input_json_schema(__lonis::input_schema::<#input>()))*
                #(.with_output_json_schema(__lonis::output_schema::<#output>()))*;
            ::core::option::Option::Some(contract)
        }
    }
}
