//! How much work a schema can make of a check, before it is used for one.
//!
//! A schema of a few hundred bytes can send a checker through itself 2^40 times for one number, or down thousands of
//! steps at each level of the input. Both come of references, and of keywords that apply a further schema to the same
//! value; what goes into the value is bounded by the value.

use std::collections::HashMap;

use serde_json::Value;

/// Schemas that may apply to one value, when each reference is replaced by what it refers to.
///
/// Large schemas stay below a hundredth of it; a million take a fraction of a second.
const MAX_SCHEMAS_AT_ONE_VALUE: u64 = 100_000;

/// Keywords that apply what they hold to the value that is being checked.
const IN_PLACE: &[&str] = &[
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
];

/// Keywords that look at what the keywords beside them have looked at, by looking once more.
const LOOKING_AGAIN: &[&str] = &["unevaluatedProperties", "unevaluatedItems"];

/// How often what stands beside such a keyword may be gone through: for itself, and for what it has looked at.
const LOOKS: u64 = 3;

/// What a check by a schema can take at one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weighed {
    /// Steps at one level of the input before the check goes to the next.
    pub(super) steps: usize,
    /// How often one part of a value may be gone into from the value.
    pub(super) ways: u64,
}

/// Weighs a schema.
///
/// # Errors
/// Why the schema is too heavy, or cannot be weighed.
pub(super) fn weigh(schema: &Value) -> Result<Weighed, &'static str> {
    let mut parts = Parts::default();
    parts.add(schema, String::new(), false);
    if !parts.references.is_empty() && parts.has_embedded_id {
        return Err(
            "has a part with an `$id` of its own beside references, so that its work cannot be foreseen",
        );
    }
    parts.resolve();
    parts.weigh()
}

/// Tells whether a schema comes back to a part of itself further down in the value.
pub(super) fn is_recursive(schema: &Value) -> bool {
    let mut parts = Parts::default();
    parts.add(schema, String::new(), false);
    parts.resolve();
    // What nothing leads to from outside a round is taken away until nothing or the rounds are left.
    let edges = |number: usize| parts.applies[number].iter().chain(&parts.holds[number]);
    let mut leading_here = vec![0_usize; parts.applies.len()];
    for number in 0..parts.applies.len() {
        edges(number).for_each(|&next| leading_here[next] += 1);
    }
    let mut free: Vec<usize> = (0..leading_here.len())
        .filter(|&number| leading_here[number] == 0)
        .collect();
    let mut taken = 0;
    while let Some(number) = free.pop() {
        taken += 1;
        for &next in edges(number) {
            leading_here[next] -= 1;
            if leading_here[next] == 0 {
                free.push(next);
            }
        }
    }
    taken < leading_here.len()
}

/// The objects and arrays of a schema, and which of them each applies to its own value.
#[derive(Default)]
struct Parts<'a> {
    applies: Vec<Vec<usize>>,
    /// The parts in each of them that apply to what is in its value.
    holds: Vec<Vec<usize>>,
    /// The keywords of those in `holds`, in the same order; an element of a list has none.
    held_by: Vec<Vec<&'a str>>,
    looks_again: Vec<bool>,
    /// References that are resolved once all parts are known.
    references: Vec<(usize, &'a str)>,
    by_pointer: HashMap<String, usize>,
    by_anchor: HashMap<&'a str, usize>,
    has_embedded_id: bool,
}

/// What is known of a part.
#[derive(Clone, Copy)]
enum Weight {
    Unknown,
    /// It is on the way that is being followed.
    Open,
    Known {
        /// Parts that are met, the part included.
        size: u64,
        /// Parts on the longest way.
        steps: usize,
        /// Times that one part of the value is gone into.
        ways: u64,
    },
}

impl<'a> Parts<'a> {
    /// Adds a value and all in it; a text that was read as JSON is not nested deeper than that allows.
    ///
    /// `applies_all` says that the value is a map or a list of schemas for one and the same value.
    fn add(&mut self, value: &'a Value, pointer: String, applies_all: bool) -> usize {
        let number = self.applies.len();
        self.applies.push(Vec::new());
        self.holds.push(Vec::new());
        self.held_by.push(Vec::new());
        let has = |key: &&str| value.get(*key).is_some();
        self.looks_again.push(LOOKING_AGAIN.iter().any(has));
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match (key.as_str(), member) {
                        ("$ref" | "$dynamicRef", Value::String(target)) => {
                            self.references.push((number, target));
                        }
                        ("$anchor" | "$dynamicAnchor", Value::String(name)) => {
                            self.by_anchor.insert(name, number);
                        }
                        ("$id", Value::String(_)) => self.has_embedded_id |= number > 0,
                        _ => {
                            let step = key.replace('~', "~0").replace('/', "~1");
                            let is_in_place = IN_PLACE.contains(&key.as_str());
                            let pointer = format!("{pointer}/{step}");
                            let is_applied = applies_all || is_in_place;
                            self.add_below(number, member, pointer, (key, is_applied), is_in_place);
                        }
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let pointer = format!("{pointer}/{index}");
                    self.add_below(number, item, pointer, ("", applies_all), false);
                }
            }
            _ => {}
        }
        self.by_pointer.insert(pointer, number);
        number
    }

    fn add_below(
        &mut self,
        number: usize,
        value: &'a Value,
        pointer: String,
        (key, is_applied): (&'a str, bool),
        is_list: bool,
    ) {
        if value.is_object() || value.is_array() {
            let below = self.add(value, pointer, is_list);
            if is_applied {
                self.applies[number].push(below);
            } else {
                self.holds[number].push(below);
                self.held_by[number].push(key);
            }
        }
    }

    fn resolve(&mut self) {
        for (number, target) in std::mem::take(&mut self.references) {
            let fragment = percent_decoded(target.strip_prefix('#').unwrap_or(target));
            let found = self
                .by_pointer
                .get(fragment.as_str())
                .or_else(|| self.by_anchor.get(fragment.as_str()));
            // What is not found here the compiler will not find either.
            self.applies[number].extend(found.copied());
        }
    }

    /// Follows every way from every part, without recursion, and measures it.
    fn weigh(&self) -> Result<Weighed, &'static str> {
        let mut weights = vec![Weight::Unknown; self.applies.len()];
        let mut most = Weighed { steps: 0, ways: 0 };
        let coming_back = self.coming_back();
        for start in 0..self.applies.len() {
            let mut path = vec![start];
            while let Some(&number) = path.last() {
                match weights[number] {
                    Weight::Unknown => {
                        weights[number] = Weight::Open;
                        path.extend(&self.applies[number]);
                    }
                    Weight::Open => {
                        let (weight, weighed) = self.weight(number, &weights, &coming_back)?;
                        weights[number] = weight;
                        most.steps = most.steps.max(weighed.steps);
                        most.ways = most.ways.max(weighed.ways);
                        path.pop();
                    }
                    Weight::Known { .. } => {
                        path.pop();
                    }
                }
            }
        }
        Ok(most)
    }

    /// Which parts lead back to a part of themselves; what does not is gone through once for each part of a value.
    fn coming_back(&self) -> Vec<bool> {
        let edges = |number: usize| self.applies[number].iter().chain(&self.holds[number]);
        let mut led_to_by = vec![Vec::new(); self.applies.len()];
        let mut open: Vec<usize> = (0..self.applies.len())
            .map(|number| edges(number).count())
            .collect();
        for number in 0..self.applies.len() {
            edges(number).for_each(|&next| led_to_by[next].push(number));
        }
        let mut ends: Vec<usize> = (0..open.len())
            .filter(|&number| open[number] == 0)
            .collect();
        let mut coming_back = vec![true; open.len()];
        while let Some(number) = ends.pop() {
            coming_back[number] = false;
            for &before in &led_to_by[number] {
                open[before] -= 1;
                if open[before] == 0 {
                    ends.push(before);
                }
            }
        }
        coming_back
    }

    /// How often a part goes, by its own keywords, into one part of its value from where the way leads back.
    fn own_ways(&self, number: usize, coming_back: &[bool]) -> u64 {
        let below = |wanted: &str| {
            let held = self.held_by[number].iter().zip(&self.holds[number]);
            let mut found = held.filter(|(key, _)| **key == wanted);
            found.find_map(|(_, part)| coming_back[*part].then_some(*part))
        };
        let has = |key: &str| u64::from(below(key).is_some());
        let patterns = below("patternProperties").map_or(0, |map| {
            let led_back = self.holds[map].iter().filter(|part| coming_back[**part]);
            led_back.count() as u64
        });
        // What one of these has looked at, the ones beside it leave out.
        let left_out = has("additionalProperties").max(has("unevaluatedProperties"));
        let of_objects = (has("properties") + patterns).max(left_out);
        let of_arrays = has("prefixItems")
            .max(has("items"))
            .max(has("unevaluatedItems"));
        of_objects.max(of_arrays + has("contains"))
    }

    /// Adds up a part from what it applies, all of which is known unless a way comes back to itself.
    fn weight(
        &self,
        number: usize,
        weights: &[Weight],
        coming_back: &[bool],
    ) -> Result<(Weight, Weighed), &'static str> {
        let (mut total, mut deepest, mut ways) = (1_u64, 0, 0_u64);
        for next in &self.applies[number] {
            let Weight::Known {
                size,
                steps,
                ways: below,
            } = weights[*next]
            else {
                return Err("applies itself to the value that it is checking");
            };
            total = total.saturating_add(size);
            deepest = deepest.max(steps);
            ways = ways.saturating_add(below);
        }
        if self.looks_again[number] {
            total = total.saturating_mul(LOOKS);
            ways = ways.saturating_mul(LOOKS);
        }
        let ways = ways.saturating_add(self.own_ways(number, coming_back));
        if total > MAX_SCHEMAS_AT_ONE_VALUE {
            return Err("refers to its parts so often that a check might not come to an end");
        }
        let steps = deepest + 1;
        let known = Weight::Known {
            size: total,
            steps,
            ways,
        };
        Ok((known, Weighed { steps, ways }))
    }
}

/// Undoes the escapes of a URI fragment.
fn percent_decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .filter(|_| first == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn steps_at_one_value(schema: &Value) -> Result<usize, &'static str> {
        weigh(schema).map(|weighed| weighed.steps)
    }

    #[test]
    fn what_looks_again_counts_for_more_at_each_level() {
        let nested = |depth: usize| {
            (0..depth).fold(
                json!({"type": "object"}),
                |below, _| json!({"allOf": [below], "unevaluatedProperties": true}),
            )
        };
        assert!(weigh(&nested(4)).is_ok());
        assert!(weigh(&nested(40)).is_err());
        let back = json!({"$ref": "#"});
        for (schema, ways) in [
            (
                json!({"properties": {"a": back}, "additionalProperties": back}),
                1,
            ),
            (
                json!({"patternProperties": {"a": back, "b": {}}, "items": back}),
                1,
            ),
            (json!({"patternProperties": {"a": back, "b": back}}), 2),
            (json!({"items": back, "contains": back}), 2),
            (json!({"items": back, "contains": {"type": "object"}}), 1),
            (
                json!({"anyOf": [{"items": back}, {"prefixItems": [back]}]}),
                2,
            ),
            (
                json!({"properties": {"a": back}, "unevaluatedProperties": false}),
                1,
            ),
            (
                json!({"anyOf": [{"properties": {"a": back}}], "unevaluatedProperties": false}),
                3,
            ),
            (
                json!({"anyOf": [{"properties": {"a": {}}}], "properties": {"b": back}, "unevaluatedProperties": false}),
                1,
            ),
            (json!({"properties": {"a": {"items": {}}}}), 0),
        ] {
            assert_eq!(
                weigh(&schema).map(|weighed| weighed.ways),
                Ok(ways),
                "{schema}"
            );
        }
    }

    /// A chain of definitions, each of which refers to the next one so many times.
    fn chain(length: usize, times: usize, reference: impl Fn(usize) -> String) -> Value {
        let mut definitions = Map::new();
        for number in 0..length {
            let next = json!({"$ref": reference(number + 1)});
            definitions.insert(format!("d{number}"), json!({"allOf": vec![next; times]}));
        }
        definitions.insert(format!("d{length}"), json!({"type": "integer"}));
        json!({"$ref": reference(0), "$defs": definitions})
    }

    #[test]
    fn a_schema_that_applies_too_much_to_one_value_is_refused() {
        let plain = |number| format!("#/$defs/d{number}");
        // The root, and for each definition itself, its list and its reference; then the last one.
        assert_eq!(steps_at_one_value(&chain(40, 1, plain)), Ok(122));
        assert!(steps_at_one_value(&chain(4, 2, plain)).is_ok());
        assert!(steps_at_one_value(&chain(40, 2, plain)).is_err());
        assert!(
            steps_at_one_value(&chain(40, 2, |number| format!("#/%24defs/d{number}"))).is_err()
        );
    }

    #[test]
    fn a_schema_that_applies_itself_in_place_is_refused() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"dependentSchemas": {"x": {"$ref": "#/$defs/a"}}}}}),
            json!({"$anchor": "self", "not": {"$ref": "#self"}}),
            json!({"items": {"$id": "a:b"}, "not": {"$ref": "#/items"}}),
        ] {
            assert!(steps_at_one_value(&schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn what_goes_into_the_value_may_come_back() {
        for (schema, steps) in [
            (
                json!({"properties": {"next": {"$ref": "#"}, "other": {"$ref": "#"}}}),
                2,
            ),
            (
                json!({"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}),
                2,
            ),
            (
                json!({"oneOf": [{"type": "null"}, {"additionalProperties": {"$ref": "#"}}]}),
                4,
            ),
            (json!({"properties": {"allOf": {"$ref": "#"}}}), 3),
            (
                json!({"$ref": "#/nowhere", "$id": "a:b", "enum": [{"c": 1}]}),
                1,
            ),
        ] {
            assert_eq!(steps_at_one_value(&schema), Ok(steps), "{schema}");
        }
    }
}
