//! `tools describe`: what the provider says a tool does.

use super::{PREFIX, Question, list, unknown_tool};
use crate::block::quote;
use crate::modes;
use crate::options::Failure;

pub(super) fn answer(question: &Question, name: &str) -> Result<u8, Failure> {
    let native = name.split(',').next().unwrap_or_default();
    let mode = native.strip_prefix(PREFIX).and_then(modes::find);
    if mode.is_none() && !list::ODD_NAMES.contains(&native) {
        return unknown_tool(name);
    }
    let summary = mode.map_or("An odd name", |mode| mode.summary);
    let contract = |name: &str, determinism: &str, side_effects: &str, extra: &str| {
        format!(
            "{{\"name\":{},\"description\":{},\"input_schema\":\"misbehave.any.input/v1\",\
             \"output_schema\":\"misbehave.any.output/v1\",\"determinism\":\"{determinism}\",\
             \"side_effects\":\"{side_effects}\",\"cost\":\"low\"{extra}}}",
            quote(name),
            quote(summary)
        )
    };
    let good = contract(name, "nondeterministic", "mutates-external", "");
    match question.options.text("describe", "ok") {
        "other" => question.print(contract("misbehave.somebody-else", "deterministic", "none", "")),
        "read-only" => question.print(contract(name, "deterministic", "read-only", "")),
        "claims-pure" => question.print(contract(name, "deterministic", "none", "")),
        "id" => question.print(contract(&name.replace('.', ":"), "nondeterministic", "read-only", "")),
        "schema" => question.print(contract(
            name,
            "deterministic",
            "none",
            ",\"input_json_schema\":{\"type\":\"object\",\"required\":[\"word\"],\"additionalProperties\":false,\
             \"properties\":{\"word\":{\"type\":\"string\",\"examples\":[\"hello\"]}}}",
        )),
        "bad-schema" => question.print(contract(name, "deterministic", "none", ",\"input_json_schema\":{\"type\":7}")),
        "remote-schema" => {
            let remote = ",\"input_json_schema\":{\"$ref\":\"https://example.invalid/x.json\"}";
            question.print(contract(name, "deterministic", "none", remote))
        }
        "array-schema" => question.print(contract(name, "deterministic", "none", ",\"input_json_schema\":[1]")),
        "unknown-keys" => question.print(contract(name, "deterministic", "none", ",\"later\":null")),
        "bad-word" => question.print(contract(name, "mostly", "none", "")),
        "missing-key" => question.print(format!("{{\"name\":{}}}\n", quote(name))),
        variant => question.common(variant, &good),
    }
}
