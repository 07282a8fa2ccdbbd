//! Missing cases as patterns.

use hashbrown::HashMap;

use super::space::{Head, Key, Occurrence};
use super::{MAX_WITNESSES, Walk};
use crate::environment::{ConstructorId, Payload, TypeId};
use crate::print;
use crate::syntax::Name;

/// A decision about one place of the value.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    occurrence: Occurrence,
    chosen: Chosen,
    before: Option<usize>,
}

/// What a place was decided to be.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    /// A form with parts, the first of them at this place.
    Form(Head, Occurrence),
    /// One of these variants of a sum.
    Others(TypeId, Vec<usize>),
    /// Some value that no arm names.
    Any,
}

impl Walk<'_> {
    pub(super) fn choose(
        &mut self,
        before: Option<usize>,
        occurrence: Occurrence,
        chosen: Chosen,
    ) -> usize {
        self.choices.push(Choice {
            occurrence,
            chosen,
            before,
        });
        self.choices.len() - 1
    }

    /// Names the cases of a branch without arms.
    pub(super) fn add_missing(&mut self, choice: Option<usize>) {
        let room = MAX_WITNESSES - self.missing.len();
        if room == 0 {
            self.is_cut = true;
            return;
        }
        let mut chosen = HashMap::new();
        let mut at = choice;
        while let Some(index) = at {
            let Choice {
                occurrence, before, ..
            } = self.choices[index];
            chosen.insert(occurrence, index);
            at = before;
        }
        let mut texts = self.texts(Occurrence::ROOT, &chosen, false, room + 1);
        if texts.len() > room {
            self.is_cut = true;
            texts.truncate(room);
        }
        self.missing.extend(texts);
    }

    /// Gives the patterns of a place, at most so many.
    fn texts(
        &self,
        at: Occurrence,
        chosen: &HashMap<Occurrence, usize>,
        is_atom: bool,
        most: usize,
    ) -> Vec<String> {
        let any = || vec!["_".to_owned()];
        let Some(choice) = chosen.get(&at) else {
            return any();
        };
        match &self.choices[*choice].chosen {
            Chosen::Any | Chosen::Form(Head::Wildcard, _) => any(),
            Chosen::Others(owner, variants) => {
                let constructors = variants.iter().take(most);
                let ids = constructors
                    .filter_map(|variant| self.environment.constructor_at(*owner, *variant));
                ids.map(|id| self.open_variant(id, is_atom)).collect()
            }
            Chosen::Form(Head::Literal(key), _) => vec![self.literal(*key)],
            Chosen::Form(Head::Record(owner), first) => {
                let fields = self.environment.record_fields(*owner).unwrap_or_default();
                let visible = fields.iter().filter(|field| field.ignored.is_none());
                let names: Vec<Name> = visible.map(|field| field.name).collect();
                let records = self.records(&names, *first, chosen, most);
                let records = records.into_iter();
                records
                    .map(|text| {
                        if text == "{ .. }" {
                            "_".to_owned()
                        } else {
                            text
                        }
                    })
                    .collect()
            }
            Chosen::Form(Head::Constructor(id), first) => {
                self.variant_texts(*id, *first, chosen, is_atom, most)
            }
        }
    }

    fn variant_texts(
        &self,
        id: ConstructorId,
        first: Occurrence,
        chosen: &HashMap<Occurrence, usize>,
        is_atom: bool,
        most: usize,
    ) -> Vec<String> {
        let name = self.program.constructor_text(id);
        let payloads = match &self.environment.variant(id).payload {
            Payload::Empty => return vec![name],
            Payload::Value(_) => self.texts(first, chosen, true, most),
            Payload::Record(fields) => {
                let visible = fields.iter().filter(|field| field.ignored.is_none());
                let names: Vec<Name> = visible.map(|field| field.name).collect();
                self.records(&names, first, chosen, most)
            }
        };
        let applied = payloads.into_iter();
        applied
            .map(|payload| bracketed(format!("{name} {payload}"), is_atom))
            .collect()
    }

    /// Gives the pattern of a variant of which nothing more is known.
    fn open_variant(&self, id: ConstructorId, is_atom: bool) -> String {
        let name = self.program.constructor_text(id);
        match &self.environment.variant(id).payload {
            Payload::Empty => name,
            Payload::Value(_) => bracketed(format!("{name} _"), is_atom),
            Payload::Record(_) => bracketed(format!("{name} {{ .. }}"), is_atom),
        }
    }

    /// Gives record patterns; fields that may be anything are left to `..`.
    fn records(
        &self,
        names: &[Name],
        first: Occurrence,
        chosen: &HashMap<Occurrence, usize>,
        most: usize,
    ) -> Vec<String> {
        let mut records: Vec<Vec<String>> = vec![Vec::new()];
        for (occurrence, name) in (first.0..).map(Occurrence).zip(names) {
            let texts = self.texts(occurrence, chosen, false, most);
            if texts == ["_"] {
                continue;
            }
            let name = &self.program.names[*name];
            let extended = records.iter().flat_map(|record| {
                texts.iter().map(move |text| {
                    let mut record = record.clone();
                    record.push(format!("{name} = {text}"));
                    record
                })
            });
            records = extended.take(most).collect();
        }
        let texts = records.into_iter().map(|mut fields| {
            if fields.len() < names.len() || fields.is_empty() {
                fields.push("..".to_owned());
            }
            format!("{{ {} }}", fields.join(", "))
        });
        texts.collect()
    }

    fn literal(&self, key: Key) -> String {
        let names = &self.program.names;
        match key {
            Key::Int(text) => names[text].to_owned(),
            Key::Float(bits) => float_text(f64::from_bits(bits)),
            Key::Text(value) => print::string(&names[value]),
        }
    }
}

fn bracketed(text: String, is_atom: bool) -> String {
    if is_atom { format!("({text})") } else { text }
}

/// Gives a number as a literal, in which an exponent stands behind a fraction only.
fn float_text(number: f64) -> String {
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format(number);
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text.to_owned(),
    }
}
