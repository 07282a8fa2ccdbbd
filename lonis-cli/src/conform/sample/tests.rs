use super::*;

fn candidates(schema: &Value) -> Vec<Value> {
    let check = SchemaCheck::compile(schema).unwrap();
    Sampler::new(
        schema,
        &check,
        &[Path::new("/tmp/folder"), Path::new("/tmp/folder/file")],
    )
    .candidates()
}

#[test]
fn the_first_candidate_does_the_most_telling_work() {
    for (schema, expected) in [
        (
            json!({"type": "object", "examples": [{"a": 1}], "default": {}}),
            json!({"a": 1}),
        ),
        (
            json!({"type": "object", "required": ["key"], "properties": {"key": {"type": "string"}, "n": {"type": "integer"}}}),
            json!({"key": "sample"}),
        ),
        (
            json!({"type": "object", "required": ["at"], "properties": {"at": {"type": "string", "x-lonis-path": true}}}),
            json!({"at": "/tmp/folder"}),
        ),
        (json!({"enum": ["b", "a"]}), json!("b")),
        (json!({"const": null}), Value::Null),
        (json!({"type": ["integer", "null"], "minimum": 7}), json!(7)),
        (
            json!({"type": "integer", "exclusiveMinimum": 4, "multipleOf": 5}),
            json!(10),
        ),
        (json!({"type": "integer", "maximum": -3}), json!(-3)),
        (
            json!({"type": "string", "minLength": 8, "maxLength": 9}),
            json!("samplexx"),
        ),
        (json!({"type": "string", "maxLength": 2}), json!("sa")),
        (
            json!({"type": "array", "minItems": 2, "items": {"type": "boolean"}}),
            json!([true, true]),
        ),
        (
            json!({"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}, "minItems": 2}),
            json!([1, 2]),
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "additionalProperties": false,
                   "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"a": "sample"}),
        ),
        (
            json!({"allOf": [{"$ref": "#/$defs/x"}, {"required": ["b"], "properties": {"b": {"const": 2}}}],
                   "$defs": {"x": {"type": "object", "required": ["a"], "properties": {"a": {"const": 1}}}}}),
            json!({"a": 1, "b": 2}),
        ),
        (json!(true), json!({})),
        (json!({}), json!({})),
    ] {
        assert_eq!(candidates(&schema).first(), Some(&expected), "{schema}");
    }
}

#[test]
fn a_member_that_is_called_a_path_gets_one() {
    for (member, gets_path) in [
        (json!({"source_file": {"type": "string"}}), true),
        (
            json!({"paths": {"type": "array", "items": {"type": "string"}, "minItems": 1}}),
            true,
        ),
        (json!({"file": {"type": "string", "enum": ["a"]}}), false),
        (json!({"file": {"type": "integer"}}), false),
        (json!({"profile": {"type": "string"}}), false),
    ] {
        let name = member.as_object().unwrap().keys().next().unwrap();
        let schema = json!({"type": "object", "required": [name], "properties": member});
        let first = candidates(&schema)[0].to_string();
        assert_eq!(first.contains("/tmp/folder"), gets_path, "{first}");
    }
}

#[test]
fn every_candidate_is_valid_and_stands_once() {
    let schema = json!({
        "type": "object", "required": ["path"], "additionalProperties": false,
        "examples": [{"path": 7}, {"path": "/a"}],
        "properties": {"path": {"type": "string", "x-lonis-path": true}, "limit": {"type": "integer", "default": 10}},
    });
    let expected = [
        json!({"path": "/a"}),
        json!({"path": "/tmp/folder"}),
        json!({"path": "/tmp/folder", "limit": 10}),
        json!({"path": "/tmp/folder/file"}),
        json!({"path": "/tmp/folder/file", "limit": 10}),
    ];
    assert_eq!(candidates(&schema), expected);
    let check = SchemaCheck::compile(&schema).unwrap();
    assert_eq!(Sampler::new(&schema, &check, &[]).bad_examples().len(), 1);
}

#[test]
fn a_schema_that_never_ends_gives_no_candidate() {
    let schema = json!({"$ref": "#/$defs/a", "$defs": {"a": {
        "type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/a"}},
    }}});
    assert_eq!(candidates(&schema), Vec::<Value>::new());
    let doubling = json!({"$ref": "#/$defs/a", "$defs": {"a": {
        "type": "object", "required": ["l", "r"],
        "properties": {"l": {"$ref": "#/$defs/a"}, "r": {"$ref": "#/$defs/a"}},
    }}});
    assert_eq!(candidates(&doubling), Vec::<Value>::new());
    let joined = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
    assert!(
        SchemaCheck::compile(&joined).is_err(),
        "no host takes such a schema"
    );
    assert_eq!(candidates(&json!(false)), Vec::<Value>::new());
    assert_eq!(
        candidates(&json!({"type": "string", "pattern": "^[0-9]{40}$"})),
        Vec::<Value>::new()
    );
}

#[test]
fn a_bad_input_breaks_the_schema() {
    for (schema, good) in [
        (
            json!({"type": "object", "required": ["key"], "properties": {"key": {"type": "string"}}}),
            json!({"key": "a"}),
        ),
        (
            json!({"type": "object", "additionalProperties": false}),
            json!({}),
        ),
        (json!({"type": "integer"}), json!(1)),
        (
            json!({"type": ["object", "array", "string", "number", "boolean"]}),
            json!({}),
        ),
    ] {
        let check = SchemaCheck::compile(&schema).unwrap();
        let bad = Sampler::new(&schema, &check, &[]).bad(Some(&good)).unwrap();
        assert!(check.check(&bad).is_err(), "{schema} {bad}");
    }
    let anything = json!({});
    let check = SchemaCheck::compile(&anything).unwrap();
    assert_eq!(
        Sampler::new(&anything, &check, &[]).bad(Some(&json!({}))),
        None
    );
}

#[test]
fn growth_keeps_the_rest_of_the_input() {
    let grown_text = grown(&json!({"path": "/a", "text": "x"}), 1_000);
    assert_eq!(grown_text["path"], "/a");
    for (input, pointer) in [
        (json!({"text": "x"}), "/text"),
        (json!({"path": "/a"}), "/padding"),
        (json!(7), "/padding"),
        (json!("x"), ""),
    ] {
        let grown = grown(&input, 1_000);
        assert!(
            grown.pointer(pointer).unwrap().as_str().unwrap().len() >= 1_000,
            "{input}"
        );
    }
}
