//! From JSON to values.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{FieldForm, Form, FormId, Forms, Map, PayloadForm, Value, VariantForm, integer};
use crate::environment::Number;
use crate::json::{At, Json, Malformed};

/// Reads a value of a type.
///
/// # Errors
/// When the JSON is of another type, with the place as `$.a[2].key`: fields that are missing or unknown, numbers out of range,
/// unknown tags, keys of a map that come twice, values of opaque types and functions.
pub fn read(forms: &mut Forms<'_>, form: FormId, json: &Json) -> Result<Value, Malformed> {
    // Nesting is bounded by what `Json` reads.
    value(forms, form, &At::root(json))
}

fn value(forms: &mut Forms<'_>, form: FormId, at: &At<'_>) -> Result<Value, Malformed> {
    match forms.get(form) {
        Form::Number(number) => self::number(number, at),
        Form::Text => Ok(Value::text(at.text()?)),
        Form::Bytes => bytes(at),
        Form::Unit => match at.json() {
            Json::Null => Ok(Value::Unit),
            _ => Err(at.malformed("must be `null`")),
        },
        Form::Boolean => match at.json() {
            Json::Boolean(holds) => Ok(Value::boolean(*holds)),
            _ => Err(at.malformed("must be `true` or `false`")),
        },
        Form::List(element) => {
            let elements = at.entries()?.map(|at| value(forms, element, &at));
            Ok(Value::List(Rc::new(elements.collect::<Result<_, _>>()?)))
        }
        Form::Map(key, of) => map(forms, (key, of), at),
        Form::Record(fields) => Ok(Value::record(record(forms, &fields, at)?)),
        Form::Sum(variants) => sum(forms, &variants, at),
        Form::Opaque => Err(at.malformed("has an opaque type, whose values cannot be written")),
        Form::Function => Err(at.malformed("is a function, which cannot be written")),
        Form::Variable => Err(at.malformed("has a type that is not known")),
    }
}

fn record(
    forms: &mut Forms<'_>,
    fields: &[FieldForm],
    at: &At<'_>,
) -> Result<Vec<Value>, Malformed> {
    let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
    let members = at.members(&names, &[])?;
    let values = fields.iter().map(|field| {
        let at = members.get(&field.name)?;
        value(forms, field.form, &at)
    });
    values.collect()
}

fn sum(forms: &mut Forms<'_>, variants: &[VariantForm], at: &At<'_>) -> Result<Value, Malformed> {
    let found = at.variant()?;
    let position = variants.iter().position(|known| *known.name == *found.tag);
    let Some(position) = position else {
        let names: Vec<String> = variants
            .iter()
            .map(|known| format!("`{}`", known.name))
            .collect();
        let message = format!(
            "has the tag `{}`, which is none of {}",
            found.tag,
            names.join(", ")
        );
        return Err(at.malformed(message));
    };
    let tag = u32::try_from(position).expect("an environment has fewer than 2^32 variants");
    match (&variants[position].payload, found.value) {
        (PayloadForm::Empty, None) => Ok(Value::Tag(tag)),
        (PayloadForm::Value(form), Some(at)) => {
            Ok(Value::variant(tag, [value(forms, *form, &at)?]))
        }
        (PayloadForm::Record(fields), Some(at)) => {
            Ok(Value::variant(tag, record(forms, fields, &at)?))
        }
        (PayloadForm::Empty, Some(_)) => {
            Err(at.malformed(format!("has a value, which `{}` does not take", found.tag)))
        }
        (_, None) => Err(at.malformed(format!("lacks the value of `{}`", found.tag))),
    }
}

fn map(
    forms: &mut Forms<'_>,
    (key, of): (FormId, FormId),
    at: &At<'_>,
) -> Result<Value, Malformed> {
    let mut map = Map::default();
    for entry in at.entries()? {
        let members = entry.members(&["key", "value"], &[])?;
        let key = value(forms, key, &members.get("key")?)?;
        if map.get(&key).is_some() {
            return Err(entry.malformed("has a key that came before"));
        }
        map.insert(key, value(forms, of, &members.get("value")?)?);
    }
    Ok(Value::Map(Rc::new(map)))
}

fn number(number: Number, at: &At<'_>) -> Result<Value, Malformed> {
    match number {
        Number::F64 => float(at),
        Number::BigInt => {
            let (Json::Number(text) | Json::Text(text)) = at.json() else {
                return Err(at.malformed("must be an integer or a decimal string"));
            };
            if !is_integer(text) {
                return Err(at.malformed(format!("must be an integer, `{text}` is none")));
            }
            let value = integer::big_integer(text);
            let value = value
                .ok_or_else(|| at.malformed(format!("must be an integer, `{text}` is none")))?;
            Ok(Value::Big(Rc::new(value)))
        }
        _ => {
            let Json::Number(text) = at.json() else {
                return Err(at.malformed("must be an integer"));
            };
            if !is_integer(text) {
                return Err(at.malformed(format!("must be an integer, `{text}` is none")));
            }
            let value = text.parse().ok();
            let value = value.and_then(|value| integer::fits(number, value));
            value.ok_or_else(|| {
                at.malformed(format!(
                    "must be in the range of {number:?}, here is `{text}`"
                ))
            })
        }
    }
}

/// Says whether a text is an integer as JSON spells it.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let has_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    has_digits && (digits == "0" || !digits.starts_with('0'))
}

fn float(at: &At<'_>) -> Result<Value, Malformed> {
    let value = match at.json() {
        Json::Text(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Inf" => Some(f64::INFINITY),
            "-Inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        Json::Number(text) => {
            let value = text.parse().ok();
            let value = value.filter(|value: &f64| value.is_finite());
            let message = || at.malformed(format!("must be a finite number, here is `{text}`"));
            Some(value.ok_or_else(message)?)
        }
        _ => None,
    };
    let message = || at.malformed("must be a number, `\"NaN\"`, `\"Inf\"` or `\"-Inf\"`");
    value.map(Value::Float).ok_or_else(message)
}

fn bytes(at: &At<'_>) -> Result<Value, Malformed> {
    let bytes = STANDARD.decode(at.text()?);
    let bytes = bytes.map_err(|error| at.malformed(format!("is no padded base64: {error}")))?;
    Ok(Value::bytes(bytes))
}
