//! Builds a `serde_json` value from a checked text, without recursion.

use serde_json::{Map, Value};

use super::events::{Event, Events};
use super::scan::unescape;

/// An array or object whose end was not read yet.
enum Open {
    Array(Vec<Value>),
    Object {
        members: Map<String, Value>,
        key: String,
    },
}

pub(super) fn build(text: &str) -> Value {
    let mut open: Vec<Open> = Vec::new();
    for event in Events::new(text) {
        let value = match event {
            Event::BeginArray => {
                open.push(Open::Array(Vec::new()));
                continue;
            }
            Event::BeginObject => {
                open.push(Open::Object {
                    members: Map::new(),
                    key: String::new(),
                });
                continue;
            }
            Event::Key(inside) => {
                if let Some(Open::Object { key, .. }) = open.last_mut() {
                    *key = unescape(inside).into_owned();
                }
                continue;
            }
            Event::EndArray | Event::EndObject => match open.pop() {
                Some(Open::Array(elements)) => Value::Array(elements),
                Some(Open::Object { members, .. }) => Value::Object(members),
                None => break,
            },
            Event::String(inside) => Value::String(unescape(inside).into_owned()),
            Event::Number(text) => number(text),
            Event::Word("true") => Value::Bool(true),
            Event::Word("false") => Value::Bool(false),
            Event::Word(_) => Value::Null,
        };
        match open.last_mut() {
            None => return value,
            Some(Open::Array(elements)) => elements.push(value),
            Some(Open::Object { members, key }) => {
                members.insert(std::mem::take(key), value);
            }
        }
    }
    Value::Null
}

/// Reads through the library, which keeps the digits in builds that hold numbers as text.
fn number(text: &str) -> Value {
    serde_json::from_str(text)
        .map(Value::Number)
        .expect("a checked number is one to the library")
}
