//! What `#[lonis(…)]` on a tool says.

use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Data, DeriveInput, Ident, LitInt, LitStr, Token, Type, parenthesized};

use super::{CRATE_KEY, refuse, refuse_generics};
use crate::attr::{self, Key, Keys, Value, key};
use crate::check::{
    self, MAX_CAPABILITIES, MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, MAX_REFERENCE_CHARS,
};
use crate::mistakes::{Mistakes, alternatives};

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

/// Words of the wire, each with the variant that stands for it.
type Words = &'static [(&'static str, &'static str)];
const FORMATS: Words = &[("human", "Human"), ("json", "Json"), ("ndjson", "Ndjson")];
const DETERMINISM: Words = &[
    ("deterministic", "Deterministic"),
    ("bounded-nondeterministic", "BoundedNondeterministic"),
    ("nondeterministic", "Nondeterministic"),
];
const SIDE_EFFECTS: Words = &[
    ("none", "None"),
    ("read-only", "ReadOnly"),
    ("writes-filesystem", "WritesFilesystem"),
    ("mutates-external", "MutatesExternal"),
    ("network", "Network"),
    ("destructive", "Destructive"),
];
const COST: Words = &[("low", "Low"), ("medium", "Medium"), ("high", "High")];

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
            "tool_id" => self.tool_id = tool_id(value),
            "version" => self.version = text(value, MAX_NAME_CHARS),
            "schema_version" => self.schema_version = schema_version(value),
            "formats" => self.formats = formats(value),
            "exit_codes" => self.exit_codes = exit_codes(value),
            // Checked here; `chosen_crate` is what reads it.
            "crate" => drop(value.path()),
            "description" => self.description = text(value, MAX_DESCRIPTION_CHARS),
            "determinism" => self.determinism = word(value, DETERMINISM),
            "side_effects" => self.side_effects = word(value, SIDE_EFFECTS),
            "cost" => self.cost = word(value, COST),
            "input_schema" => self.input_schema = text(value, MAX_REFERENCE_CHARS),
            "output_schema" => self.output_schema = text(value, MAX_REFERENCE_CHARS),
            "capabilities" => self.capabilities = capabilities(value),
            "input" => self.input = value.ty(),
            _ => self.output = value.ty(),
        }
    }
}

impl Given {
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
            let text = "so long an id gives references of more than 1024 characters; set `input_schema` and `output_schema`";
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

fn tool_id(value: Value<'_>) -> Option<LitStr> {
    value.checked_string(check::is_tool_id, |text| {
        format!(
            "`{text}` is not a tool id: two or more segments joined by `:`, none empty, no control character, \
             at most {MAX_REFERENCE_CHARS} characters"
        )
    })
}

fn schema_version(value: Value<'_>) -> Option<LitStr> {
    value.checked_string(check::is_schema_version, |text| {
        format!(
            "`{text}` is not a schema version: `<name>/v<N>`, the name of `[a-z0-9._-]`, N from 1 without a leading zero"
        )
    })
}

/// A text that is not empty and has at most so many characters.
fn text(value: Value<'_>, limit: usize) -> Option<LitStr> {
    let name = value.key.name;
    value.checked_string(
        |text| !text.is_empty() && check::fits(text, limit),
        |text| {
            let seen = text.chars().count();
            format!("`{name}` has 1 to {limit} characters, here {seen}")
        },
    )
}

/// One of the words of the wire, as the variant that stands for it.
fn word(value: Value<'_>, words: Words) -> Option<Ident> {
    let name = value.key.name;
    let text = value.checked_string(
        |text| words.iter().any(|(word, _)| *word == text),
        |text| format!("`{name}` is {}, not `{text}`", offer(words)),
    )?;
    variant(words, &text.value(), text.span())
}

fn variant(words: Words, text: &str, at: Span) -> Option<Ident> {
    let (_, variant) = words.iter().find(|(word, _)| *word == text)?;
    Some(Ident::new(variant, at))
}

fn offer(words: Words) -> String {
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    alternatives(&words)
}

fn formats(value: Value<'_>) -> Option<Vec<Ident>> {
    let at = value.at();
    let (words, mistakes) = value.list(Ident::parse)?;
    if words.is_empty() {
        mistakes.add(
            at,
            format!("`formats` has at least one of {}", offer(FORMATS)),
        );
    }
    let mut seen: Vec<Ident> = Vec::new();
    for word in words {
        let written = word.to_string();
        let Some(format) = variant(FORMATS, &written, word.span()) else {
            mistakes.add(
                &word,
                format!("a format is {}, not `{written}`", offer(FORMATS)),
            );
            continue;
        };
        if seen.contains(&format) {
            mistakes.add(&word, format!("format `{written}` is given twice"));
        } else {
            seen.push(format);
        }
    }
    Some(seen)
}

fn exit_codes(value: Value<'_>) -> Option<Vec<(LitStr, u8)>> {
    let (pairs, mistakes) = value.list(exit_code)?;
    let mut codes: Vec<(LitStr, u8)> = Vec::new();
    for (name, code) in pairs {
        if codes.iter().any(|(before, _)| *before == name) {
            mistakes.add(
                &name,
                format!("exit code `{}` is given twice", name.value()),
            );
            continue;
        }
        match code.base10_parse::<u8>() {
            Ok(number) => codes.push((name, number)),
            Err(_) => mistakes.add(&code, format!("an exit code is 0 to 255, not `{code}`")),
        }
    }
    Some(codes)
}

fn exit_code(input: ParseStream<'_>) -> syn::Result<(LitStr, LitInt)> {
    let content;
    parenthesized!(content in input);
    attr::drained(&content, |content| {
        let name = content.parse()?;
        content.parse::<Token![,]>()?;
        let code = content.parse()?;
        content.parse::<Option<Token![,]>>()?;
        Ok((name, code))
    })
}

fn capabilities(value: Value<'_>) -> Option<Vec<LitStr>> {
    let at = value.at();
    let (words, mistakes) = value.list(<LitStr as Parse>::parse)?;
    if words.len() > MAX_CAPABILITIES {
        let seen = words.len();
        mistakes.add(
            at,
            format!("a contract has at most {MAX_CAPABILITIES} capabilities, here {seen}"),
        );
    }
    for word in &words {
        if !check::fits(&word.value(), MAX_NAME_CHARS) {
            mistakes.add(
                word,
                format!("a capability has at most {MAX_NAME_CHARS} characters"),
            );
        }
    }
    Some(words)
}
