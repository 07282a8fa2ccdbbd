//! Laws of reading JSON: what is read, with which types, and what is refused.

use soil::environment::{self, Environment};
use soil::json::{Json, JsonError};
use soil::program::Manifest;
use soil::syntax::Names;
use soil::testing::Bundle;
use soil::values::{FormId, Forms, Meter, Value, read, write};

/// Types beside those of the language: a record, and a sum with each kind of payload.
const TYPES: &str = r#"{"types":[
{"name":"Pair","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Record","value":{"fields":[
 {"name":"first","shape":{"tag":"SCon","value":{"name":"I64","args":[]}},"ignored":{"tag":"None"}},
 {"name":"second","shape":{"tag":"SCon","value":{"name":"Utf8","args":[]}},"ignored":{"tag":"None"}}]}}},
{"name":"Shape","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Sum","value":{"variants":[
 {"name":"Dot","payload":{"tag":"None"}},
 {"name":"Line","payload":{"tag":"Some","value":{"tag":"SCon","value":{"name":"F64","args":[]}}}},
 {"name":"Both","payload":{"tag":"Some","value":{"tag":"SCon","value":{"name":"Pair","args":[]}}}}]}}}
]}"#;

/// The types that each text is read as.
const READ_AS: [&str; 14] = [
    "I64", "U64", "I8", "U16", "BigInt", "F64", "Utf8", "Bytes", "Unit", "Bool", "Pair", "Shape",
    "List", "Map",
];

/// Checks the laws on any text, and gives the number of types that it is a value of.
///
/// # Panics
/// Where one does not hold.
pub(crate) fn check(bytes: &[u8]) -> usize {
    inputs(bytes);
    let json = Json::read(bytes);
    let is_text = serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    match &json {
        Ok(_) => assert!(
            serde_json::from_slice::<&serde_json::value::RawValue>(bytes).is_ok(),
            "what is no JSON was read"
        ),
        Err(JsonError::Syntax(message)) => assert!(!is_text, "{message}"),
        Err(JsonError::DuplicateKey(_) | JsonError::TooDeep) => {}
    }
    json.map_or(0, |json| values(&json))
}

/// The inputs of the language face are read, or refused in the same words each time.
fn inputs(bytes: &[u8]) {
    let all = || {
        let manifest = Manifest::read(bytes).map_err(|error| error.to_string());
        let bundle = Bundle::read(bytes).map_err(|error| error.to_string());
        let types = environment::read(bytes, &mut Names::new()).map_err(|error| error.to_string());
        [manifest.err(), bundle.err(), types.err()]
    };
    let refused = all();
    assert_eq!(refused, all());
    // No text is good for more than one of them.
    assert!(refused.iter().flatten().count() >= 2);
    for message in refused.iter().flatten() {
        assert!(!message.is_empty());
    }
}

/// A value that is read is written in a text that reads as the same value.
fn values(json: &Json) -> usize {
    let mut names = Names::new();
    let environment = environment::read(TYPES.as_bytes(), &mut names).expect("the types read");
    let mut forms = Forms::new(&environment, &names);
    let mut good = 0;
    for name in READ_AS {
        let form = form(&mut forms, &environment, &names, name);
        let Ok(value) = read(&mut forms, form, json) else {
            continue;
        };
        good += 1;
        let text = written(&mut forms, form, &value);
        let again = Json::read(text.as_bytes()).expect("what is written is JSON");
        let again = read(&mut forms, form, &again);
        let again = again.expect("what is written reads");
        assert_eq!(written(&mut forms, form, &again), text, "{name}");
    }
    good
}

fn written(forms: &mut Forms<'_>, form: FormId, value: &Value) -> String {
    write(forms, form, value, &mut Meter::UNBOUNDED.clone()).expect("nothing is bounded")
}

/// Gives the form of a type; a list is one of `Shape`, a map one from `Utf8` to `F64`.
fn form(
    forms: &mut Forms<'_>,
    environment: &Environment,
    names: &Names,
    name: &'static str,
) -> FormId {
    let arguments: &[&str] = match name {
        "List" => &["Shape"],
        "Map" => &["Utf8", "F64"],
        _ => &[],
    };
    let arguments: Vec<FormId> = arguments
        .iter()
        .map(|argument| form(forms, environment, names, argument))
        .collect();
    let name = names.get(name).expect("the name is known");
    let id = environment.type_named(name).expect("the type is known");
    forms.of_type(id, &arguments)
}
