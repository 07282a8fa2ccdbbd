//! Making values smaller.

use std::rc::Rc;

use dashu_int::IBig;

use super::{FieldForm, Form, FormId, Forms, List, Map, PayloadForm, Value, VariantForm};

/// Lists smaller values of the same type, the most promising first and at most so many.
///
/// Sequences lose a half, then single elements, then have smaller elements; integers become 0, half of themselves and one nearer
/// to 0; floats 0.0, 1.0 and whole; sums the earliest variant without payload, then have a smaller payload; records are
/// shrunk field by field. Taking one of the candidates again and again comes to an end.
pub fn candidates(forms: &mut Forms<'_>, form: FormId, value: &Value, limit: usize) -> Vec<Value> {
    let mut found = match (value, forms.get(form)) {
        (Value::Signed(value), _) => integers((*value).into(), |value| {
            i64::try_from(value).ok().map(Value::Signed)
        }),
        (Value::Unsigned(value), _) => integers((*value).into(), |value| {
            u64::try_from(value).ok().map(Value::Unsigned)
        }),
        (Value::Big(value), _) => bigs(value),
        (Value::Float(value), _) => floats(*value),
        (Value::Text(text), _) => texts(text, limit),
        (Value::Bytes(bytes), _) => self::bytes(bytes, limit),
        (Value::List(list), Form::List(element)) => lists(forms, element, list, limit),
        (Value::Map(map), Form::Map(_, of)) => maps(forms, of, map, limit),
        (Value::Record(fields), Form::Record(forms_of)) => {
            let smaller = records(forms, &forms_of, fields.values(), limit);
            smaller.into_iter().map(Value::record).collect()
        }
        (Value::Tag(tag), Form::Boolean) if *tag != 0 => vec![Value::TRUE],
        (Value::Tag(_) | Value::Variant(..), Form::Sum(variants)) => {
            sums(forms, &variants, value, limit)
        }
        _ => Vec::new(),
    };
    found.truncate(limit);
    found
}

fn integers(value: i128, make: impl Fn(i128) -> Option<Value>) -> Vec<Value> {
    let mut smaller = Vec::new();
    for candidate in [0, value / 2, value - value.signum()] {
        if candidate != value && !smaller.contains(&candidate) {
            smaller.push(candidate);
        }
    }
    smaller.into_iter().filter_map(make).collect()
}

fn bigs(value: &IBig) -> Vec<Value> {
    let zero = IBig::ZERO;
    let nearer = match value.cmp(&zero) {
        std::cmp::Ordering::Less => value + 1,
        std::cmp::Ordering::Equal => return Vec::new(),
        std::cmp::Ordering::Greater => value - 1,
    };
    let mut smaller = Vec::new();
    for candidate in [zero, value / 2, nearer] {
        if !smaller.contains(&candidate) {
            smaller.push(candidate);
        }
    }
    let values = smaller.into_iter();
    values.map(|value| Value::Big(Rc::new(value))).collect()
}

fn floats(value: f64) -> Vec<Value> {
    let bits = value.to_bits();
    let mut smaller = Vec::new();
    if bits != 0 {
        smaller.push(0.0);
        if bits != 1.0_f64.to_bits() {
            smaller.push(1.0);
        }
        let whole = value.trunc();
        if whole.is_finite() && whole.to_bits() != bits && whole.to_bits() != 0 {
            smaller.push(whole);
        }
    }
    smaller.into_iter().map(Value::Float).collect()
}

/// Gives the ranges of positions that are left out, in order.
fn cuts(len: usize, limit: usize) -> Vec<std::ops::Range<usize>> {
    let mut cuts = Vec::new();
    if len > 1 {
        cuts.push(len.div_ceil(2)..len);
        cuts.push(0..len / 2);
    }
    cuts.extend((0..len.min(limit)).map(|index| index..index + 1));
    cuts
}

fn without<T: Clone>(items: &[T], cut: &std::ops::Range<usize>) -> Vec<T> {
    [&items[..cut.start], &items[cut.end..]].concat()
}

fn texts(text: &str, limit: usize) -> Vec<Value> {
    let characters: Vec<char> = text.chars().collect();
    let cuts = cuts(characters.len(), limit);
    let shorter = cuts.iter().map(|cut| without(&characters, cut));
    let others = (0..characters.len()).filter(|index| characters[*index] != 'a');
    let plainer = others.map(|index| {
        let mut characters = characters.clone();
        characters[index] = 'a';
        characters
    });
    let all = shorter.chain(plainer).take(limit);
    all.map(|characters| Value::text(characters.into_iter().collect::<String>()))
        .collect()
}

fn bytes(bytes: &[u8], limit: usize) -> Vec<Value> {
    let cuts = cuts(bytes.len(), limit);
    let shorter = cuts.iter().map(|cut| without(bytes, cut));
    let smaller = bytes.iter().enumerate().flat_map(|(index, byte)| {
        let candidates = integers((*byte).into(), |value| {
            u64::try_from(value).ok().map(Value::Unsigned)
        });
        candidates.into_iter().map(move |candidate| {
            let mut bytes = bytes.to_vec();
            if let Value::Unsigned(value) = candidate {
                bytes[index] = value.to_le_bytes()[0];
            }
            bytes
        })
    });
    shorter
        .chain(smaller)
        .take(limit)
        .map(Value::bytes)
        .collect()
}

fn lists(forms: &mut Forms<'_>, element: FormId, list: &List, limit: usize) -> Vec<Value> {
    let elements: Vec<Value> = list.iter().cloned().collect();
    let cuts = cuts(elements.len(), limit);
    let mut found: Vec<Value> = cuts
        .iter()
        .take(limit)
        .map(|cut| Value::list(without(&elements, cut)))
        .collect();
    let inner = parts(
        forms,
        elements.iter().map(|value| (value, element)),
        limit,
        found.len(),
    );
    found.extend(inner.into_iter().map(|(index, smaller)| {
        let mut elements = elements.clone();
        elements[index] = smaller;
        Value::list(elements)
    }));
    found
}

fn maps(forms: &mut Forms<'_>, of: FormId, map: &Map, limit: usize) -> Vec<Value> {
    let entries: Vec<(Value, Value)> = map
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let make = |entries: Vec<(Value, Value)>| {
        let mut map = Map::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        Value::Map(Rc::new(map))
    };
    let cuts = cuts(entries.len(), limit);
    let mut found: Vec<Value> = cuts
        .iter()
        .take(limit)
        .map(|cut| make(without(&entries, cut)))
        .collect();
    let inner = parts(
        forms,
        entries.iter().map(|(_, value)| (value, of)),
        limit,
        found.len(),
    );
    found.extend(inner.into_iter().map(|(index, smaller)| {
        let mut entries = entries.clone();
        entries[index].1 = smaller;
        make(entries)
    }));
    found
}

fn records(
    forms: &mut Forms<'_>,
    fields: &[FieldForm],
    values: &[Value],
    limit: usize,
) -> Vec<Vec<Value>> {
    let typed = values.iter().zip(fields);
    let inner = parts(
        forms,
        typed.map(|(value, field)| (value, field.form)),
        limit,
        0,
    );
    let changed = inner.into_iter().map(|(index, smaller)| {
        let mut values = values.to_vec();
        values[index] = smaller;
        values
    });
    changed.collect()
}

fn sums(
    forms: &mut Forms<'_>,
    variants: &[VariantForm],
    value: &Value,
    limit: usize,
) -> Vec<Value> {
    let (tag, values) = match value {
        Value::Variant(tag, values) => (*tag, values.values()),
        Value::Tag(tag) => (*tag, &[][..]),
        _ => return Vec::new(),
    };
    let is_empty = |variant: &VariantForm| matches!(variant.payload, PayloadForm::Empty);
    let earliest = (0..).zip(variants).find(|(_, variant)| is_empty(variant));
    let mut found = Vec::new();
    if let Some((earliest, _)) = earliest.filter(|(earliest, _)| *earliest != tag) {
        found.push(Value::Tag(earliest));
    }
    match variants.get(tag as usize).map(|variant| &variant.payload) {
        Some(PayloadForm::Value(form)) => {
            let payload = values
                .first()
                .map(|value| candidates(forms, *form, value, limit));
            let payloads = payload.into_iter().flatten();
            found.extend(payloads.map(|payload| Value::variant(tag, [payload])));
        }
        Some(PayloadForm::Record(fields)) => {
            let smaller = records(forms, fields, values, limit);
            found.extend(
                smaller
                    .into_iter()
                    .map(|values| Value::variant(tag, values)),
            );
        }
        Some(PayloadForm::Empty) | None => {}
    }
    found
}

/// Lists smaller values of single parts, with the positions of the parts.
fn parts<'v>(
    forms: &mut Forms<'_>,
    typed: impl Iterator<Item = (&'v Value, FormId)>,
    limit: usize,
    found: usize,
) -> Vec<(usize, Value)> {
    let mut smaller = Vec::new();
    for (index, (value, form)) in typed.enumerate() {
        let room = limit.saturating_sub(found + smaller.len());
        if room == 0 {
            break;
        }
        let inner = candidates(forms, form, value, room).into_iter();
        smaller.extend(inner.map(|value| (index, value)));
    }
    smaller
}
