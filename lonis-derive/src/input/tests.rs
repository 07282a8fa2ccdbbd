//! What is refused and what is taken, where a text of a compiler would say no more: limits, and what is read.

use syn::{DeriveInput, parse_str};

use super::{Capabilities, Fallback, Payload, Shape};

/// The messages that an item gets from the derive of capabilities.
fn capabilities(keys: &str) -> Vec<String> {
    let item = format!("#[lonis({keys})] struct Get;");
    messages(Capabilities::read(&parsed(&item)))
}

/// The messages that an item gets from the derive of a payload.
fn payload(item: &str) -> Vec<String> {
    messages(Payload::read(&parsed(item)))
}

fn parsed(item: &str) -> DeriveInput {
    parse_str(item).expect("the item is Rust")
}

fn messages<T>(read: Result<T, syn::Error>) -> Vec<String> {
    let errors = read.err().into_iter().flatten();
    errors.map(|error| error.to_string()).collect()
}

#[test]
fn each_text_has_its_limit() {
    let contract = r#"determinism = "deterministic", side_effects = "none", cost = "low""#;
    let check = |key: &str, limit: usize| {
        for (length, is_taken) in [(limit, true), (limit + 1, false)] {
            let text = "ä".repeat(length);
            let mut keys = format!(r#"tool_id = "a:b", {contract}, {key} = "{text}""#);
            if key != "description" {
                keys.push_str(r#", description = "d""#);
            }
            let messages = capabilities(&keys);
            let expected = format!("`{key}` has 1 to {limit} characters, here {length}");
            let expected = if is_taken { vec![] } else { vec![expected] };
            assert_eq!(messages, expected, "{key} of {length}");
        }
    };
    check("version", 256);
    check("description", 4096);
    check("input_schema", 1024);
    check("output_schema", 1024);
}

#[test]
fn capabilities_are_few_and_short() {
    let contract = r#"tool_id = "a:b", description = "d", determinism = "deterministic", side_effects = "none", cost = "low""#;
    let check = |words: usize, length: usize, expected: &[&str]| {
        let words = vec![format!("{:?}", "w".repeat(length)); words].join(", ");
        let messages = capabilities(&format!("{contract}, capabilities = [{words}]"));
        assert_eq!(messages, expected);
    };
    check(0, 1, &[]);
    check(64, 256, &[]);
    check(65, 1, &["a contract has at most 64 capabilities, here 65"]);
    check(1, 257, &["a capability has at most 256 characters"]);
}

#[test]
fn a_long_id_needs_references_of_its_own() {
    let id = format!("a:{}", "b".repeat(1022));
    let contract =
        r#"description = "d", determinism = "deterministic", side_effects = "none", cost = "low""#;
    let references = r#"input_schema = "i", output_schema = "o""#;
    let messages = capabilities(&format!(r#"tool_id = "{id}", {contract}"#));
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("set `input_schema` and `output_schema`"));
    for keys in [String::new(), format!(", {contract}, {references}")] {
        let messages = capabilities(&format!(r#"tool_id = "{id}"{keys}"#));
        assert!(messages.is_empty(), "{messages:?}");
    }
}

#[test]
fn a_kind_has_its_limit_with_its_namespace() {
    for (length, expected) in [
        (252, vec![]),
        (
            253,
            vec!["a kind has at most 256 characters with its namespace, here 257"],
        ),
    ] {
        let kind = "k".repeat(length);
        let item = format!(
            r#"#[lonis_payload(namespace = "abc")] enum P {{ #[lonis_payload(kind = "{kind}")] A }}"#
        );
        assert_eq!(payload(&item), expected);
    }
}

#[test]
fn kinds_follow_from_names_unless_they_are_given() {
    let item = r#"
        #[lonis_payload(namespace = "a.b")]
        enum P {
            HTTPServer,
            r#Type,
            #[lonis_payload(kind = "own.kind")]
            Übersicht { text: String },
        }
    "#;
    let read = Payload::read(&parsed(item)).unwrap();
    let kinds: Vec<&str> = read
        .variants
        .iter()
        .map(|variant| variant.kind.as_str())
        .collect();
    assert_eq!(kinds, ["a.b.http_server", "a.b.type", "a.b.own.kind"]);
    assert!(matches!(&read.variants[2].shape, Shape::Object(fields) if fields.len() == 1));
}

#[test]
fn attributes_of_one_field_may_be_many() {
    let item = r#"
        enum P {
            A {
                #[serde(rename = "b", alias = "c")]
                #[serde(alias = "d", default, skip_serializing_if = "Vec::is_empty")]
                /// A comment.
                r#a: Vec<u8>,
                #[serde(default = "seven", with = "a::b::<C>")]
                r#type: u8,
            },
        }
    "#;
    let read = Payload::read(&parsed(item)).unwrap();
    let Shape::Object(fields) = &read.variants[0].shape else {
        panic!("{read:?}");
    };
    let keys: Vec<Vec<String>> = fields
        .iter()
        .map(|field| field.keys().map(|(key, _)| key).collect())
        .collect();
    assert_eq!(keys, [vec!["b", "c", "d"], vec!["type"]]);
    assert!(matches!(fields[0].default, Fallback::Default));
    assert!(matches!(fields[1].default, Fallback::Function(_)));
    assert!(fields[0].skip_serializing_if.is_some());
    let written = fields[1]
        .write_function()
        .map(|path| quote::quote!(#path).to_string());
    assert_eq!(written.as_deref(), Some("a :: b :: < C > :: serialize"));
}

#[test]
fn a_field_that_is_skipped_has_no_key() {
    let item = "enum P { A { b: u8, #[serde(skip)] #[serde(rename = \"b\")] c: u8 } }";
    assert!(payload(item).is_empty());
}
