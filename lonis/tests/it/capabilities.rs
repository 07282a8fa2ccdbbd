//! `LonisCapabilities`: defaults, what each key changes, and the declared contract.

use lonis::{
    Capabilities, Cost, Determinism, Json, LonisCapabilities, OutputMode, SchemaVersion,
    SideEffects,
};
use serde_json::{Value, json};

#[derive(LonisCapabilities)]
#[lonis(tool_id = "acme:kv:get")]
struct Plain;

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "acme:text:search",
    version = "9.8.7",
    schema_version = "acme.search/v2",
    formats = [ndjson, json],
    exit_codes = [("ok", 0), ("no_index", 12)],
    description = "Finds lines.",
    determinism = "bounded-nondeterministic",
    side_effects = "writes-filesystem",
    cost = "high",
    input_schema = "acme.query/v1",
    output_schema = "acme.hit/v3",
    capabilities = ["search", "index"],
    input = Vec<Query<u8>>,
    output = Hit,
)]
enum Full {
    Any,
}

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "acme:kv.v2:get",
    description = "Reads one key.",
    determinism = "deterministic",
    side_effects = "none",
    cost = "low"
)]
struct Described;

#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Query<T> {
    pattern: String,
    limit: Option<T>,
    context: Json,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Hit {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_deserializing)]
    text: String,
}

#[test]
fn an_id_is_enough_and_the_rest_has_defaults() {
    let tool: &dyn Capabilities = &Plain;
    assert_eq!(tool.tool_id().as_str(), "acme:kv:get");
    assert_eq!(tool.schema_version(), SchemaVersion::TOOL_V1);
    assert_eq!(tool.tool_version(), env!("CARGO_PKG_VERSION"));
    assert_eq!(
        tool.output_formats(),
        [OutputMode::Human, OutputMode::Json, OutputMode::Ndjson]
    );
    let baseline = [
        ("ok", 0),
        ("generic", 1),
        ("invalid_input", 2),
        ("not_found", 3),
        ("confirmation_required", 4),
        ("rate_limited", 5),
    ];
    assert_eq!(tool.exit_code_map(), baseline);
    assert_eq!(tool.declared_contract(), None);
}

#[test]
fn each_key_takes_the_place_of_its_default() {
    let tool = Full::Any;
    assert_eq!(tool.tool_id().as_str(), "acme:text:search");
    assert_eq!(tool.schema_version().as_str(), "acme.search/v2");
    assert_eq!(tool.tool_version(), "9.8.7");
    assert_eq!(
        tool.output_formats(),
        [OutputMode::Ndjson, OutputMode::Json]
    );
    assert_eq!(tool.exit_code_map(), [("ok", 0), ("no_index", 12)]);
}

#[test]
fn four_keys_make_a_contract() {
    let contract = Described.declared_contract().unwrap();
    assert_eq!(contract.name(), "acme:kv.v2:get");
    assert_eq!(contract.description(), "Reads one key.");
    assert_eq!(contract.determinism(), Determinism::Deterministic);
    assert_eq!(contract.side_effects(), SideEffects::None);
    assert_eq!(contract.cost(), Cost::Low);
    assert_eq!(contract.input_schema(), "acme.kv.v2.get.input/v1");
    assert_eq!(contract.output_schema(), "acme.kv.v2.get.output/v1");
    assert!(contract.capabilities().is_empty());
    assert_eq!(contract.input_json_schema(), None);
    assert_eq!(contract.output_json_schema(), None);
}

#[test]
fn a_contract_has_what_the_attribute_says() {
    let contract = Full::Any.declared_contract().unwrap();
    assert_eq!(contract.determinism(), Determinism::BoundedNondeterministic);
    assert_eq!(contract.side_effects(), SideEffects::WritesFilesystem);
    assert_eq!(contract.cost(), Cost::High);
    assert_eq!(contract.input_schema(), "acme.query/v1");
    assert_eq!(contract.output_schema(), "acme.hit/v3");
    assert_eq!(contract.capabilities(), ["search", "index"]);
}

#[test]
fn inline_schemas_are_those_of_the_types() {
    let contract = Full::Any.declared_contract().unwrap();
    let input = contract.input_json_schema().unwrap().to_value();
    assert_eq!(
        input["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert_eq!(input["type"], "array");
    let reference = input["items"]["$ref"].as_str().unwrap();
    let query = input.pointer(&reference[1..]).unwrap();
    assert_eq!(query["properties"]["context"], true);
    assert_eq!(query["required"], json!(["pattern", "context"]));

    // What is written need not be what could be read: a member may be left out, and one may never be read.
    let output = contract.output_json_schema().unwrap().to_value();
    let properties: Vec<&String> = output["properties"].as_object().unwrap().keys().collect();
    assert_eq!(properties, ["line", "text"]);
    assert_eq!(output["required"], json!(["text"]));
}

#[test]
fn every_word_of_a_contract_is_the_one_on_the_wire() {
    // The formatter moves an attribute inside of a macro further to the right each time.
    #[rustfmt::skip]
    macro_rules! check {
        ($determinism:literal, $side_effects:literal, $cost:literal) => {{
            #[derive(LonisCapabilities)]
            #[lonis(
                tool_id = "a:b",
                description = "d",
                determinism = $determinism,
                side_effects = $side_effects,
                cost = $cost
            )]
            struct Tool;
            let written: Value = serde_json::to_value(Tool.declared_contract()).unwrap();
            assert_eq!(written["determinism"], $determinism);
            assert_eq!(written["side_effects"], $side_effects);
            assert_eq!(written["cost"], $cost);
        }};
    }
    check!("deterministic", "none", "low");
    check!("bounded-nondeterministic", "read-only", "medium");
    check!("nondeterministic", "writes-filesystem", "high");
    check!("deterministic", "mutates-external", "low");
    check!("deterministic", "network", "low");
    check!("deterministic", "destructive", "low");
}
