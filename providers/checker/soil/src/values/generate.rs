//! Drawing values of a type.

use std::rc::Rc;

use dashu_int::IBig;
use hashbrown::HashMap;
use thiserror::Error;

use super::{
    FieldForm, Form, FormId, Forms, Map, PayloadForm, SplitMix64, Value, VariantForm, integer,
};
use crate::environment::Number;

/// Names what [`Generator`] draws for a seed; changes when a single value does.
pub const GENERATOR: &str = "soil-gen/1";

/// The longest list, map, text or run of bytes that is drawn.
const MAX_LENGTH: usize = 24;

/// From this depth on only what is small is drawn.
const SMALL_DEPTH: u32 = 4;

/// The most forms that are looked at to find the least values of a type.
const MAX_FORMS: usize = 10_000;

/// The deepest least value that is drawn, as deep as JSON goes.
const MAX_HEIGHT: u32 = 127;

/// Past so many values within one, only small ones are drawn, so that wide types give no value beyond memory.
const MAX_PARTS: u32 = 100_000;

/// A type of which no value can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Ungenerable {
    /// Functions, opaque values and values of unknown types are not drawn.
    #[error("values of functions, opaque types and type variables are not drawn")]
    Kind,
    /// Each value would hold another one without end, or the least one is too deep.
    #[error("the type has no value of a bounded depth")]
    Endless,
}

/// Draws values, always the same for a seed.
#[derive(Clone, Debug)]
pub struct Generator {
    random: SplitMix64,
    heights: HashMap<FormId, u32>,
    part_count: u32,
}

impl Generator {
    /// Begins with a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            random: SplitMix64::new(seed),
            heights: HashMap::new(),
            part_count: 0,
        }
    }

    /// Draws a value of a type.
    ///
    /// # Errors
    /// When the type has values that are not drawn.
    pub fn draw(&mut self, forms: &mut Forms<'_>, form: FormId) -> Result<Value, Ungenerable> {
        self.prepare(forms, form)?;
        self.part_count = 0;
        Ok(self.value(forms, form, 0))
    }

    /// Finds how deep the least values of a type are.
    ///
    /// # Errors
    /// When the type has values that are not drawn.
    pub fn prepare(&mut self, forms: &mut Forms<'_>, form: FormId) -> Result<(), Ungenerable> {
        if !self.heights.contains_key(&form) {
            self.heights = heights(forms, form)?;
        }
        match self.heights.get(&form) {
            Some(height) if *height <= MAX_HEIGHT => Ok(()),
            _ => Err(Ungenerable::Endless),
        }
    }

    fn value(&mut self, forms: &mut Forms<'_>, form: FormId, depth: u32) -> Value {
        self.part_count += 1;
        match forms.get(form) {
            Form::Number(number) => self.number(number),
            Form::Text => {
                let len = self.length();
                Value::text((0..len).map(|_| self.character()).collect::<String>())
            }
            Form::Bytes => {
                let len = self.length();
                Value::bytes((0..len).map(|_| self.byte()).collect::<Vec<u8>>())
            }
            Form::Boolean => Value::boolean(self.random.below(2) == 0),
            Form::List(element) => {
                let len = self.length_at(depth);
                let elements = (0..len).map(|_| self.value(forms, element, depth + 1));
                Value::list(elements.collect())
            }
            Form::Map(key, of) => self.map(forms, (key, of), depth),
            Form::Record(fields) => Value::record(self.fields(forms, &fields, depth)),
            Form::Sum(variants) => self.sum(forms, &variants, depth),
            // Types whose values are not drawn were refused before.
            Form::Unit | Form::Opaque | Form::Function | Form::Variable => Value::Unit,
        }
    }

    fn map(&mut self, forms: &mut Forms<'_>, (key, of): (FormId, FormId), depth: u32) -> Value {
        let mut map = Map::default();
        for _ in 0..self.length_at(depth) {
            let key = self.value(forms, key, depth + 1);
            let value = self.value(forms, of, depth + 1);
            if map.get(&key).is_none() {
                map.insert(key, value);
            }
        }
        Value::Map(Rc::new(map))
    }

    fn fields(&mut self, forms: &mut Forms<'_>, fields: &[FieldForm], depth: u32) -> Vec<Value> {
        let values = fields.iter();
        values
            .map(|field| self.value(forms, field.form, depth + 1))
            .collect()
    }

    fn sum(&mut self, forms: &mut Forms<'_>, variants: &[VariantForm], depth: u32) -> Value {
        let allowed = self.allowed(variants, depth);
        let drawn = self.random.below(wide(allowed.len()));
        let position = usize::try_from(drawn).unwrap_or(0);
        let (tag, variant) = allowed[position];
        match &variant.payload {
            PayloadForm::Empty => Value::Tag(tag),
            PayloadForm::Value(form) => Value::variant(tag, [self.value(forms, *form, depth + 1)]),
            PayloadForm::Record(fields) => Value::variant(tag, self.fields(forms, fields, depth)),
        }
    }

    /// Lists the variants to draw from: all, or where values have to stay small those that end soonest.
    fn allowed<'v>(&self, variants: &'v [VariantForm], depth: u32) -> Vec<(u32, &'v VariantForm)> {
        let numbered = (0..).zip(variants);
        let height = |variant: &VariantForm| self.payload_height(&variant.payload);
        if !self.is_small(depth) {
            let finite = numbered.filter(|(_, variant)| height(variant).is_some());
            return finite.collect();
        }
        let least = variants.iter().filter_map(height).min();
        numbered
            .filter(|(_, variant)| height(variant) == least)
            .collect()
    }

    fn payload_height(&self, payload: &PayloadForm) -> Option<u32> {
        payload_height(&self.heights, payload)
    }

    const fn is_small(&self, depth: u32) -> bool {
        depth >= SMALL_DEPTH || self.part_count > MAX_PARTS
    }

    fn length_at(&mut self, depth: u32) -> usize {
        if self.is_small(depth) {
            0
        } else {
            self.length()
        }
    }

    fn length(&mut self) -> usize {
        let mut length = 0;
        while length < MAX_LENGTH && self.random.below(8) != 0 {
            length += 1;
        }
        length
    }

    fn byte(&mut self) -> u8 {
        self.random.next().to_le_bytes()[0]
    }

    fn character(&mut self) -> char {
        const OTHERS: [char; 8] = ['"', '\\', '\n', ' ', '0', 'é', '中', '🙂'];
        if self.random.below(4) != 0 {
            let letter = self.random.below(26).to_le_bytes()[0];
            return char::from(b'a' + letter);
        }
        self.choose(&OTHERS)
    }

    fn choose<T: Copy>(&mut self, list: &[T]) -> T {
        let drawn = self.random.below(wide(list.len()));
        list[usize::try_from(drawn).unwrap_or(0)]
    }

    fn number(&mut self, number: Number) -> Value {
        match number {
            Number::F64 => Value::Float(self.float()),
            Number::BigInt => {
                let mut value = IBig::from(self.integer(Number::I64));
                if self.random.below(4) == 0 {
                    value *= self.integer(Number::I64);
                }
                Value::Big(Rc::new(value))
            }
            _ => {
                let value = self.integer(number);
                integer::fits(number, value).expect("integers are drawn within their range")
            }
        }
    }

    fn integer(&mut self, number: Number) -> i128 {
        let (min, max) = integer::bounds(number).unwrap_or_default();
        if self.random.below(8) == 0 {
            return if number.is_unsigned() {
                self.choose(&[0, 1, max, max - 1])
            } else {
                self.choose(&[0, 1, -1, min, max, min + 1, max - 1])
            };
        }
        let width = max - min + 1;
        let low = i128::from(self.random.next()) % width;
        // The low bits are those of two's complement.
        if low > max { low - width } else { low }
    }

    fn float(&mut self) -> f64 {
        const BOUNDARIES: [f64; 9] = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::MAX,
            5e-324,
        ];
        if self.random.below(8) == 0 {
            return self.choose(&BOUNDARIES);
        }
        loop {
            let value = f64::from_bits(self.random.next());
            if value.is_finite() {
                return value;
            }
        }
    }
}

/// Finds for all forms within one how deep their least values are; those without finite values are left out.
fn heights(forms: &mut Forms<'_>, root: FormId) -> Result<HashMap<FormId, u32>, Ungenerable> {
    let mut found = vec![root];
    let mut seen: HashMap<FormId, ()> = HashMap::from_iter([(root, ())]);
    let mut position = 0;
    // A type may hold itself at ever new arguments; what lies beyond the bound counts as without values.
    while let Some(form) = found
        .get(position)
        .copied()
        .filter(|_| found.len() < MAX_FORMS)
    {
        position += 1;
        let form = forms.get(form);
        if matches!(form, Form::Opaque | Form::Function | Form::Variable) {
            return Err(Ungenerable::Kind);
        }
        for part in parts(&form) {
            if seen.insert(part, ()).is_none() {
                found.push(part);
            }
        }
    }
    let mut heights = HashMap::new();
    loop {
        let before = heights.len();
        let mut has_changed = false;
        for id in &found {
            let Some(height) = height(&heights, &forms.get(*id)) else {
                continue;
            };
            has_changed |= heights.insert(*id, height).is_none_or(|old| old != height);
        }
        if !has_changed && before == heights.len() {
            return Ok(heights);
        }
    }
}

fn height(heights: &HashMap<FormId, u32>, form: &Form) -> Option<u32> {
    match form {
        Form::Record(fields) => fields_height(heights, fields),
        Form::Sum(variants) => {
            let all = variants.iter();
            all.filter_map(|variant| payload_height(heights, &variant.payload))
                .min()
        }
        _ => Some(0),
    }
}

fn payload_height(heights: &HashMap<FormId, u32>, payload: &PayloadForm) -> Option<u32> {
    match payload {
        PayloadForm::Empty => Some(0),
        PayloadForm::Value(form) => Some(heights.get(form)? + 1),
        PayloadForm::Record(fields) => Some(fields_height(heights, fields)?.max(1)),
    }
}

fn fields_height(heights: &HashMap<FormId, u32>, fields: &[FieldForm]) -> Option<u32> {
    let mut all = fields
        .iter()
        .map(|field| Some(heights.get(&field.form)? + 1));
    all.try_fold(0, |highest, height| Some(highest.max(height?)))
}

fn parts(form: &Form) -> Vec<FormId> {
    match form {
        Form::List(element) => vec![*element],
        Form::Map(key, value) => vec![*key, *value],
        Form::Record(fields) => fields.iter().map(|field| field.form).collect(),
        Form::Sum(variants) => {
            let payloads = variants.iter().flat_map(|variant| match &variant.payload {
                PayloadForm::Empty => Vec::new(),
                PayloadForm::Value(form) => vec![*form],
                PayloadForm::Record(fields) => fields.iter().map(|field| field.form).collect(),
            });
            payloads.collect()
        }
        _ => Vec::new(),
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
