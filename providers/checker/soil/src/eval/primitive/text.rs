//! Texts.

use std::rc::Rc;

use super::{Arguments, Builtin, mistyped, range, signed, some, take};
use crate::eval::raised::Fault;
use crate::values::{Meter, Value};

pub(super) fn run(
    builtin: Builtin,
    arguments: &mut Arguments<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    if builtin == Builtin::Utf8Decode {
        return decode(arguments, meter);
    }
    let mut text = take!(arguments, Text);
    match builtin {
        Builtin::Utf8Encode => {
            meter.make_bytes(text.len())?;
            Ok(Value::bytes(text.as_bytes()))
        }
        Builtin::Utf8Split => {
            let whole = take!(arguments, Text);
            split(&text, &whole, meter)
        }
        Builtin::Utf8Trim => {
            meter.spend_bytes(text.len())?;
            let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
            meter.make_bytes(trimmed.len())?;
            Ok(Value::text(trimmed))
        }
        Builtin::Utf8Concat => {
            let other = take!(arguments, Text);
            meter.make_bytes(text.len() + other.len())?;
            Rc::make_mut(&mut text).push_str(&other);
            Ok(Value::Text(text))
        }
        Builtin::Utf8Join => join(&text, &arguments.next()?, meter),
        Builtin::Utf8Len => {
            meter.spend_bytes(text.len())?;
            Ok(signed(text.chars().count()))
        }
        Builtin::Utf8Slice => {
            let (start, end) = (take!(arguments, Signed), take!(arguments, Signed));
            slice(&text, start, end, meter)
        }
        Builtin::Utf8ParseF64 => {
            meter.spend_bytes(text.len())?;
            let value = is_decimal(&text, true)
                .then(|| text.parse::<f64>().ok())
                .flatten();
            optional(
                value.filter(|value| value.is_finite()).map(Value::Float),
                meter,
            )
        }
        Builtin::Utf8ParseI64 => {
            meter.spend_bytes(text.len())?;
            let value = is_decimal(&text, false)
                .then(|| text.parse::<i64>().ok())
                .flatten();
            optional(value.map(Value::Signed), meter)
        }
        _ => Err(mistyped()),
    }
}

fn optional(value: Option<Value>, meter: &mut Meter) -> Result<Value, Fault> {
    match value {
        Some(value) => some(value, meter),
        None => Ok(Value::option(None)),
    }
}

/// Gives `Ok` with the text, or `Err (InvalidUtf8 { at })` with the first bad offset.
fn decode(arguments: &mut Arguments<'_>, meter: &mut Meter) -> Result<Value, Fault> {
    let bytes = take!(arguments, Bytes);
    meter.spend_bytes(bytes.len())?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => {
            meter.make_bytes(text.len())?;
            meter.make(1)?;
            Ok(Value::variant(0, [Value::text(text)]))
        }
        Err(error) => {
            meter.make(1)?;
            meter.make(1)?;
            let at = u64::try_from(error.valid_up_to()).unwrap_or(u64::MAX);
            let invalid = Value::variant(0, [Value::Unsigned(at)]);
            Ok(Value::variant(1, [invalid]))
        }
    }
}

fn split(separator: &str, whole: &str, meter: &mut Meter) -> Result<Value, Fault> {
    meter.spend_bytes(separator.len() + whole.len())?;
    let mut pieces = Vec::new();
    // An empty separator stands nowhere, so the text is one piece.
    let cut: Box<dyn Iterator<Item = &str>> = if separator.is_empty() {
        Box::new(std::iter::once(whole))
    } else {
        Box::new(whole.split(separator))
    };
    for piece in cut {
        meter.spend(1)?;
        meter.make_bytes(piece.len())?;
        meter.grow()?;
        pieces.push(Value::text(piece));
    }
    meter.make(0)?;
    Ok(Value::list(pieces))
}

fn join(separator: &str, pieces: &Value, meter: &mut Meter) -> Result<Value, Fault> {
    let Value::List(pieces) = pieces else {
        return Err(mistyped());
    };
    let mut len: usize = 0;
    for (position, piece) in pieces.iter().enumerate() {
        let Value::Text(piece) = piece else {
            return Err(mistyped());
        };
        meter.spend(1)?;
        let before = if position > 0 { separator.len() } else { 0 };
        len = len.saturating_add(before).saturating_add(piece.len());
    }
    // Paid before it is made: a list may hold the same long text many times.
    meter.make_bytes(len)?;
    let mut text = String::with_capacity(len);
    for (position, piece) in pieces.iter().enumerate() {
        if let Value::Text(piece) = piece {
            text.push_str(if position > 0 { separator } else { "" });
            text.push_str(piece);
        }
    }
    Ok(Value::text(text))
}

fn slice(text: &str, start: i64, end: i64, meter: &mut Meter) -> Result<Value, Fault> {
    meter.spend_bytes(text.len())?;
    let range = range(start, end, text.chars().count())?;
    let mut offsets = text.char_indices().map(|(offset, _)| offset);
    let from = offsets.clone().nth(range.start).unwrap_or(text.len());
    let to = offsets.nth(range.end).unwrap_or(text.len());
    meter.make_bytes(to - from)?;
    Ok(Value::text(&text[from..to]))
}

/// Says whether a text is `-?digits`, or that with a fraction.
fn is_decimal(text: &str, takes_fraction: bool) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits.split_once('.') {
        Some((whole, fraction)) => takes_fraction && is_digits(whole) && is_digits(fraction),
        None => is_digits(digits),
    }
}
