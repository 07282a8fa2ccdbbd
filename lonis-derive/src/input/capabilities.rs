//! What `#[lonis(…)]` on a tool says.

mod value;

use proc_macro2::TokenStream;
use syn::{Attribute, Data, DeriveInput, Ident, LitStr, Type};

use super::{CRATE_KEY, refuse, refuse_generics};
use crate::attr::{self, Key, Keys, Value, key};
use crate::check::{self, MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, MAX_REFERENCE_CHARS};
use crate::mistakes::Mistakes;

const NEEDS: &str = "`LonisCapabilities` needs a struct or an enum that has none";

const KEYS: Keys = Keys {
    known: &[
        key("tool_id", r#"tool_id = "acme:kv:get""#),
        key("version", r#"version = "1.2.0""#),
        key("schema_version", r#"schema_version = "lonis.tool/v1""#),
        key("formats", "formats = [human, json, ndjson]"),
        key("exit_codes", r#"exit_codes = [("not_found", 3)]"#),
        CRATE_KEY,
        key("description", r#"description = "Reads one key.""#),
        key("determinism", r#"determinism = "deterministic""#),
        key("side_effects", r#"side_effects = "read-only""#),
        key("cost", r#"cost = "low""#),
        key("input_schema", r#"input_schema = "acme.kv.get.input/v1""#),
        key(
            "output_schema",
            r#"output_schema = "acme.kv.get.output/v1""#,
        ),
        key("capabilities", r#"capabilities = ["lookup"]"#),
        key("input", "input = GetInput"),
        key("output", "output = GetOutput"),
    ],
    refusal: "unknown key",
};

/// The keys that make a contract; all of them, or none and nothing else of it.
const CONTRACT_KEYS: [&str; 4] = ["description", "determinism", "side_effects", "cost"];
const CONTRACT_EXTRAS: [&str; 5] = [
    "input_schema",
    "output_schema",
    "capabilities",
    "input",
    "output",
];

/// A tool's self-description, checked.
#[derive(Debug)]
pub(crate) struct Capabilities {
    pub(crate) tool_id: LitStr,
    pub(crate) schema_version: Option<LitStr>,
    pub(crate) version: Option<LitStr>,
    /// Variants of the output mode.
    pub(crate) formats: Option<Vec<Ident>>,
    pub(crate) exit_codes: Option<Vec<(LitStr, u8)>>,
    pub(crate) contract: Option<Contract>,
}

/// The contract that the attribute declares.
#[derive(Debug)]
pub(crate) struct Contract {
    pub(crate) description: LitStr,
    pub(crate) determinism: Ident,
    pub(crate) side_effects: Ident,
    pub(crate) cost: Ident,
    pub(crate) input_schema: Option<LitStr>,
    pub(crate) output_schema: Option<LitStr>,
    pub(crate) capabilities: Vec<LitStr>,
    pub(crate) input: Option<Type>,
    pub(crate) output: Option<Type>,
}

/// The values as they come, any of them absent.
#[derive(Debug, Default)]
struct Given {
    tool_id: Option<LitStr>,
    schema_version: Option<LitStr>,
    version: Option<LitStr>,
    formats: Option<Vec<Ident>>,
    exit_codes: Option<Vec<(LitStr, u8)>>,
    /// The first key of a contract, where an incomplete one is reported.
    contract_at: Option<TokenStream>,
    description: Option<LitStr>,
    determinism: Option<Ident>,
    side_effects: Option<Ident>,
    cost: Option<Ident>,
    input_schema: Option<LitStr>,
    output_schema: Option<LitStr>,
    capabilities: Option<Vec<LitStr>>,
    input: Option<Type>,
    output: Option<Type>,
}

impl Capabilities {
    /// Reads the item, or finds what is wrong with it.
    pub(crate) fn read(item: &DeriveInput) -> Result<Self, syn::Error> {
        let mut mistakes = Mistakes::default();
        let capabilities = Self::take(item, &mut mistakes);
        mistakes.or(capabilities)
    }

    fn take(item: &DeriveInput, mistakes: &mut Mistakes) -> Option<Self> {
        refuse_generics(&item.generics, NEEDS, mistakes);
        refuse_misplaced(&item.data, mistakes);
        let Some(attribute) = attr::single(&item.attrs, "lonis", mistakes) else {
            let form = KEYS.known[0].form;
            mistakes.add(
                &item.ident,
                format!("`tool_id` is missing: add `#[lonis({form})]`"),
            );
            return None;
        };
        let mut seen = Vec::new();
        let mut given = Given::default();
        let is_whole = attr::read(attribute, KEYS, &mut seen, mistakes, |value| {
            given.take(value);
        });
        if !is_whole {
            return None;
        }
        given.finish(attribute, &seen, mistakes)
    }
}

impl Given {
    fn take(&mut self, value: Value<'_>) {
        let name = value.key.name;
        if CONTRACT_KEYS.contains(&name) || CONTRACT_EXTRAS.contains(&name) {
            self.contract_at.get_or_insert_with(|| value.at());
        }
        match name {
            "tool_id" => self.tool_id = value::tool_id(value),
            "version" => self.version = value::text(value, MAX_NAME_CHARS),
            "schema_version" => self.schema_version = value::schema_version(value),
            "formats" => self.formats = value::formats(value),
            "exit_codes" => self.exit_codes = value::exit_codes(value),
            // Checked here; `chosen_crate` is what reads it.
            "crate" => drop(value.path()),
            "description" => self.description = value::text(value, MAX_DESCRIPTION_CHARS),
            "determinism" => self.determinism = value::word(value, value::DETERMINISM),
            "side_effects" => self.side_effects = value::word(value, value::SIDE_EFFECTS),
            "cost" => self.cost = value::word(value, value::COST),
            "input_schema" => self.input_schema = value::text(value, MAX_REFERENCE_CHARS),
            "output_schema" => self.output_schema = value::text(value, MAX_REFERENCE_CHARS),
            "capabilities" => self.capabilities = value::capabilities(value),
            "input" => self.input = value.ty(),
            _ => self.output = value.ty(),
        }
    }

    fn finish(
        self,
        attribute: &Attribute,
        seen: &[Key],
        mistakes: &mut Mistakes,
    ) -> Option<Capabilities> {
        let is_given = |name: &str| seen.iter().any(|key| key.name == name);
        if !is_given("tool_id") {
            let form = KEYS.known[0].form;
            mistakes.add(
                attribute.path(),
                format!("`tool_id` is missing: add `{form}`"),
            );
        }
        let missing: Vec<&str> = CONTRACT_KEYS
            .into_iter()
            .filter(|name| !is_given(name))
            .collect();
        if let (Some(at), false) = (&self.contract_at, missing.is_empty()) {
            let (all, missing) = (CONTRACT_KEYS.join("`, `"), missing.join("`, `"));
            mistakes.add(
                at,
                format!("a contract has all of `{all}`; missing: `{missing}`"),
            );
        }
        let tool_id = self.tool_id?;
        let has_references = self.input_schema.is_some() && self.output_schema.is_some();
        let default = format!("{}.output/v1", tool_id.value());
        if self.contract_at.is_some()
            && !has_references
            && !check::fits(&default, MAX_REFERENCE_CHARS)
        {
            let text = format!(
                "so long an id gives references of more than {MAX_REFERENCE_CHARS} characters; \
                 set `input_schema` and `output_schema`"
            );
            mistakes.add(&tool_id, text);
        }
        let contract = match self.contract_at {
            Some(_) => Some(Contract {
                description: self.description?,
                determinism: self.determinism?,
                side_effects: self.side_effects?,
                cost: self.cost?,
                input_schema: self.input_schema,
                output_schema: self.output_schema,
                capabilities: self.capabilities.unwrap_or_default(),
                input: self.input,
                output: self.output,
            }),
            None => None,
        };
        Some(Capabilities {
            tool_id,
            schema_version: self.schema_version,
            version: self.version,
            formats: self.formats,
            exit_codes: self.exit_codes,
            contract,
        })
    }
}

/// `#[lonis]` on a part of the type would be read by nobody.
fn refuse_misplaced(data: &Data, mistakes: &mut Mistakes) {
    let text = "`#[lonis]` stands on the type, not on its parts";
    let fields = |fields: &syn::Fields, mistakes: &mut Mistakes| {
        for field in fields {
            refuse(&field.attrs, "lonis", text, mistakes);
        }
    };
    match data {
        Data::Struct(item) => fields(&item.fields, mistakes),
        Data::Enum(item) => {
            for variant in &item.variants {
                refuse(&variant.attrs, "lonis", text, mistakes);
                fields(&variant.fields, mistakes);
            }
        }
        Data::Union(item) => mistakes.add(
            item.union_token,
            "a union is not supported; `LonisCapabilities` needs a struct or an enum",
        ),
    }
}
