//! From values to canonical text.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dashu_int::IBig;

use super::{
    Exhausted, FieldForm, Form, FormId, Forms, Items, Meter, PayloadForm, Value, VariantForm,
    big_bits, float_text,
};
use crate::environment::Number;

/// The offset and the prime of FNV-1a, 64 bits.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// The largest integer that every JSON reader keeps.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// Gives the canonical text of a value of a type.
///
/// A function, which no document can hold, is written as the string `"<function>"`.
///
/// # Errors
/// When the meter is used up: each element takes a step, and so do 16 bytes of text.
pub fn write(
    forms: &mut Forms<'_>,
    form: FormId,
    value: &Value,
    meter: &mut Meter,
) -> Result<String, Exhausted> {
    // The commonest values are digits alone.
    match value {
        Value::Signed(number) => return digits(number, meter),
        Value::Unsigned(number) => return digits(number, meter),
        _ => {}
    }
    let mut writer = Writer {
        forms,
        meter,
        out: String::new(),
        open: vec![Step::Value(value, form)],
    };
    while let Some(step) = writer.open.pop() {
        writer.step(step)?;
    }
    Ok(writer.out)
}

fn digits(number: &impl ToString, meter: &mut Meter) -> Result<String, Exhausted> {
    meter.spend(1)?;
    Ok(number.to_string())
}

/// Hashes a text by FNV-1a.
pub fn hash_text(text: &str) -> u64 {
    text.bytes().fold(FNV_OFFSET, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
    })
}

/// Appends a string as canonical text, with its quotes.
pub fn push_json_text(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => write!(out, "\\u{byte:04x}").expect("writing to a string does not fail"),
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}

/// What is left to write; the steps of a value stand above what follows it.
enum Step<'v> {
    Value(&'v Value, FormId),
    Text(&'static str),
    List {
        items: Items<'v>,
        element: FormId,
        is_first: bool,
    },
    Map {
        items: Items<'v>,
        key: FormId,
        value: FormId,
        is_first: bool,
    },
    Fields {
        values: &'v [Value],
        fields: Rc<[FieldForm]>,
        position: usize,
    },
}

struct Writer<'w, 'p, 'v> {
    forms: &'w mut Forms<'p>,
    meter: &'w mut Meter,
    out: String,
    open: Vec<Step<'v>>,
}

impl<'v> Writer<'_, '_, 'v> {
    fn step(&mut self, step: Step<'v>) -> Result<(), Exhausted> {
        match step {
            Step::Text(text) => self.out.push_str(text),
            Step::Value(value, form) => {
                self.meter.spend(1)?;
                self.value(value, form)?;
            }
            Step::List {
                mut items,
                element,
                is_first,
            } => {
                if let Some(next) = items.next() {
                    self.out.push(if is_first { '[' } else { ',' });
                    let is_first = false;
                    self.open.push(Step::List {
                        items,
                        element,
                        is_first,
                    });
                    self.open.push(Step::Value(next, element));
                } else {
                    self.out.push_str(if is_first { "[]" } else { "]" });
                }
            }
            Step::Map {
                mut items,
                key,
                value,
                is_first,
            } => {
                if let (Some(next), Some(of)) = (items.next(), items.next()) {
                    let text = if is_first { "[{\"key\":" } else { ",{\"key\":" };
                    self.out.push_str(text);
                    let is_first = false;
                    self.open.push(Step::Map {
                        items,
                        key,
                        value,
                        is_first,
                    });
                    self.open.push(Step::Text("}"));
                    self.open.push(Step::Value(of, value));
                    self.open.push(Step::Text(",\"value\":"));
                    self.open.push(Step::Value(next, key));
                } else {
                    self.out.push_str(if is_first { "[]" } else { "]" });
                }
            }
            Step::Fields {
                values,
                fields,
                position,
            } => self.field(values, fields, position),
        }
        Ok(())
    }

    fn field(&mut self, values: &'v [Value], fields: Rc<[FieldForm]>, position: usize) {
        let (Some(field), Some(value)) = (fields.get(position), values.get(position)) else {
            self.out.push_str(if position == 0 { "{}" } else { "}" });
            return;
        };
        self.out.push(if position == 0 { '{' } else { ',' });
        push_json_text(&mut self.out, &field.name);
        self.out.push(':');
        let form = field.form;
        let position = position + 1;
        self.open.push(Step::Fields {
            values,
            fields,
            position,
        });
        self.open.push(Step::Value(value, form));
    }

    fn value(&mut self, value: &'v Value, form: FormId) -> Result<(), Exhausted> {
        let form = self.forms.get(form);
        let is_first = true;
        match (value, form) {
            (Value::Record(values), Form::Record(fields)) => {
                self.fields(values.values(), fields);
            }
            (Value::Tag(tag), Form::Boolean) => {
                self.out.push_str(if *tag == 0 { "true" } else { "false" });
            }
            (Value::Tag(tag), Form::Sum(variants)) => {
                self.tag(&variants, *tag);
                self.out.push('}');
            }
            (Value::Variant(tag, values), Form::Sum(variants)) => {
                self.variant(&variants, *tag, values.values());
            }
            (Value::List(_), Form::List(element)) => {
                self.open.extend(Items::of(value).map(|items| Step::List {
                    items,
                    element,
                    is_first,
                }));
            }
            (Value::Map(_), Form::Map(key, of)) => {
                self.open.extend(Items::of(value).map(|items| Step::Map {
                    items,
                    key,
                    value: of,
                    is_first,
                }));
            }
            (Value::Big(value), Form::Number(Number::BigInt)) => self.big(value)?,
            _ => self.leaf(value)?,
        }
        Ok(())
    }

    fn fields(&mut self, values: &'v [Value], fields: Rc<[FieldForm]>) {
        let position = 0;
        self.open.push(Step::Fields {
            values,
            fields,
            position,
        });
    }

    fn tag(&mut self, variants: &[VariantForm], tag: u32) {
        let name = variants
            .get(tag as usize)
            .map_or("", |variant| &variant.name);
        self.out.push_str("{\"tag\":");
        push_json_text(&mut self.out, name);
    }

    fn variant(&mut self, variants: &[VariantForm], tag: u32, values: &'v [Value]) {
        self.tag(variants, tag);
        self.out.push_str(",\"value\":");
        self.open.push(Step::Text("}"));
        match variants.get(tag as usize).map(|variant| &variant.payload) {
            Some(PayloadForm::Record(fields)) => self.fields(values, Rc::clone(fields)),
            Some(PayloadForm::Value(form)) => {
                self.open
                    .extend(values.first().map(|value| Step::Value(value, *form)));
            }
            Some(PayloadForm::Empty) | None => {}
        }
    }

    fn big(&mut self, value: &IBig) -> Result<(), Exhausted> {
        // What is read is paid for before it takes its time.
        self.meter.spend(big_bits(value) / 128)?;
        let is_safe = i64::try_from(value).is_ok_and(|value| value.unsigned_abs() <= MAX_SAFE);
        let text = value.to_string();
        self.meter.spend_bytes(text.len())?;
        if is_safe {
            self.out.push_str(&text);
        } else {
            push_json_text(&mut self.out, &text);
        }
        Ok(())
    }

    fn leaf(&mut self, value: &Value) -> Result<(), Exhausted> {
        match value {
            Value::Unit => self.out.push_str("null"),
            Value::Signed(value) => self.out.push_str(&value.to_string()),
            Value::Unsigned(value) => self.out.push_str(&value.to_string()),
            Value::Float(value) => self.out.push_str(&float_text(*value)),
            Value::Text(text) => {
                self.meter.spend_bytes(text.len())?;
                push_json_text(&mut self.out, text);
            }
            Value::Bytes(bytes) => {
                self.meter.spend_bytes(bytes.len())?;
                self.out.push('"');
                STANDARD.encode_string(&**bytes, &mut self.out);
                self.out.push('"');
            }
            Value::Handle(_) => self.out.push_str("\"<handle>\""),
            _ => self.out.push_str("\"<function>\""),
        }
        Ok(())
    }
}
