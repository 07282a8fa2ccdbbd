//! The canonical text of a `serde_json` value, however deep it is.

use serde_json::{Value, map};

use super::writer::Writer;
use crate::number::Number;

/// What is left of an array or object that was begun.
enum Rest<'a> {
    Array(std::slice::Iter<'a, Value>),
    Object(map::Iter<'a>),
}

/// The canonical text of a value.
pub(crate) fn of_value(value: &Value) -> Vec<u8> {
    let mut writer = Writer::new();
    let mut open: Vec<Rest<'_>> = Vec::new();
    let mut next = Some(value);
    while let Some(value) = next.take() {
        open.extend(begin(value, &mut writer));
        while let Some(rest) = open.last_mut() {
            next = match rest {
                Rest::Array(elements) => elements.next(),
                Rest::Object(members) => members.next().map(|(key, value)| {
                    writer.key(key);
                    value
                }),
            };
            if next.is_some() {
                break;
            }
            end(rest, &mut writer);
            open.pop();
        }
    }
    writer.into_bytes()
}

fn begin<'a>(value: &'a Value, writer: &mut Writer) -> Option<Rest<'a>> {
    match value {
        Value::Null => writer.token("null"),
        Value::Bool(true) => writer.token("true"),
        Value::Bool(false) => writer.token("false"),
        Value::Number(number) => match Number::try_from(number) {
            Ok(number) => writer.number(number),
            Err(_) => writer.token(&number.to_string()),
        },
        Value::String(text) => writer.string(text),
        Value::Array(elements) => {
            writer.begin_array();
            return Some(Rest::Array(elements.iter()));
        }
        Value::Object(members) => {
            writer.begin_object();
            return Some(Rest::Object(members.iter()));
        }
    }
    None
}

fn end(rest: &Rest<'_>, writer: &mut Writer) {
    match rest {
        Rest::Array(_) => writer.end_array(),
        Rest::Object(_) => writer.end_object().expect("a map has each key once"),
    }
}
