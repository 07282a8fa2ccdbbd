//! The catalogue of schemas: complete, in order, and the same documents inside the envelope and apart.

use lonis_schema::{BlockKind, schemas};
use serde_json::{Value, json};

/// What a schema has for its own place, and not inside another.
const OWN_KEYS: &[&str] = &[
    "$schema",
    "$id",
    "title",
    "x-lonis-protocol-version",
    "$defs",
];

#[test]
fn the_sixteen_come_first_and_each_has_its_id() {
    let names: Vec<&str> = schemas::ALL.iter().map(schemas::Schema::name).collect();
    let mut expected = vec!["block"];
    expected.extend(BlockKind::SEED_KINDS);
    expected.extend(["extension", "error", "contract", "manifest", "tools_list"]);
    assert_eq!(names, expected);
    for (at, schema) in schemas::ALL.iter().enumerate() {
        let document = schema.to_value();
        assert_eq!(document["$id"], schema.id());
        assert_eq!(
            document["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        let marker = if at < 16 {
            json!("lonis.block/v1")
        } else {
            Value::Null
        };
        assert_eq!(
            document["x-lonis-protocol-version"],
            marker,
            "{}",
            schema.name()
        );
        assert!(
            jsonschema::draft202012::meta::is_valid(&document),
            "{}",
            schema.name()
        );
    }
    assert_eq!(
        schemas::find("plan").map(schemas::Schema::name),
        Some("plan")
    );
    assert_eq!(schemas::find("Plan"), None);
}

#[test]
fn the_envelope_has_every_kind_as_its_own_document_does() {
    let envelope = schemas::find("block").expect("in the catalogue").to_value();
    let parts = &envelope["$defs"];
    let mut names: Vec<&str> = BlockKind::SEED_KINDS.to_vec();
    names.push("extension");
    for name in &names {
        let mut document = schemas::find(name).expect("in the catalogue").to_value();
        for (shared, part) in document["$defs"].as_object().into_iter().flatten() {
            assert_eq!(part, &parts[shared], "{shared} of {name}");
        }
        let members = document.as_object_mut().expect("an object");
        members.retain(|key, _| !OWN_KEYS.contains(&&**key));
        assert_eq!(&document, &parts[name], "{name}");
    }
    let choices: Vec<Value> = names
        .iter()
        .map(|name| json!({ "$ref": format!("#/$defs/{name}") }))
        .collect();
    assert_eq!(envelope["properties"]["payload"]["oneOf"], json!(choices));
    names.extend(["plan_step", "evidence_data"]);
    names.sort_unstable();
    let mut found: Vec<&str> = parts
        .as_object()
        .expect("an object")
        .keys()
        .map(|key| &**key)
        .collect();
    found.sort_unstable();
    assert_eq!(found, names);
}

#[test]
fn the_extension_excludes_the_seed_kinds() {
    let extension = schemas::find("extension")
        .expect("in the catalogue")
        .to_value();
    assert_eq!(
        extension["properties"]["kind"]["not"]["enum"],
        json!(BlockKind::SEED_KINDS)
    );
}

#[test]
fn a_capability_carries_a_contract() {
    let capability = schemas::find("capability")
        .expect("in the catalogue")
        .to_value();
    let mut contract = schemas::find("contract")
        .expect("in the catalogue")
        .to_value();
    contract
        .as_object_mut()
        .expect("an object")
        .retain(|key, _| !OWN_KEYS.contains(&&**key));
    assert_eq!(capability["properties"]["data"], contract);
}

/// Follows a schema along an instance, and names members that the instance lacks.
fn missing_members(
    schema: &Value,
    root: &Value,
    instance: &Value,
    at: &str,
    missing: &mut Vec<String>,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        let part = root
            .pointer(&reference[1..])
            .expect("a reference inside the schema");
        return missing_members(part, root, instance, at, missing);
    }
    for (key, member) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}/{key}");
        match instance.get(key) {
            Some(value) => missing_members(member, root, value, &at, missing),
            None => missing.push(at),
        }
    }
    if let (Some(items), Some(values)) = (schema.get("items"), instance.as_array()) {
        match values.first() {
            Some(value) => missing_members(items, root, value, at, missing),
            None => missing.push(format!("{at}/0")),
        }
    }
}

#[test]
fn golden_blocks_have_every_member_so_that_tests_reach_each() {
    for name in BlockKind::SEED_KINDS.iter().chain(&["extension"]) {
        let block = super::fixtures::golden_block(name);
        let schema = schemas::find(name).expect("in the catalogue").to_value();
        let mut missing = Vec::new();
        missing_members(&schema, &schema, &block["payload"], "", &mut missing);
        assert_eq!(missing, [""; 0], "{name}");
    }
    let schema = schemas::find("block").expect("in the catalogue").to_value();
    let mut missing = Vec::new();
    missing_members(
        &schema,
        &schema,
        &super::fixtures::golden_block("result"),
        "",
        &mut missing,
    );
    assert_eq!(missing, [""; 0], "the golden result has the whole envelope");
}
