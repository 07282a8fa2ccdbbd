//! Leaves out of an input what its schema marks as `writeOnly`: keys and passwords that no record may keep.

use lonis_schema::Json;
use serde_json::Value;

/// What stands in place of such a value.
const MASK: &str = "***";
/// How deep schemas may lead into each other before the rest of an input is left out as a whole.
const DEEPEST: usize = 64;

/// Returns the input without what is marked, and where something was left out, as JSON Pointers.
pub(super) fn masked(input: &Json, schema: Option<&Json>) -> (Json, Vec<String>) {
    // The commonest schema has no such member, and then nothing of it is read.
    let Some(schema) = schema.filter(|schema| schema.text().contains("writeOnly")) else {
        return (input.clone(), Vec::new());
    };
    let (schema, mut value) = (schema.to_value(), input.to_value());
    let mut mask = Mask {
        root: &schema,
        places: Vec::new(),
    };
    mask.go(&schema, &mut value, &mut String::new(), 0);
    if mask.places.is_empty() {
        return (input.clone(), Vec::new());
    }
    mask.places.sort();
    mask.places.dedup();
    (Json::from(value), mask.places)
}

struct Mask<'a> {
    root: &'a Value,
    places: Vec<String>,
}

impl<'a> Mask<'a> {
    fn go(&mut self, schema: &'a Value, value: &mut Value, place: &mut String, depth: usize) {
        let Some(rules) = schema.as_object() else {
            return;
        };
        if depth > DEEPEST || rules.get("writeOnly") == Some(&Value::Bool(true)) {
            *value = MASK.into();
            self.places.push(place.clone());
            return;
        }
        if let Some(target) = rules
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|target| self.find(target))
        {
            self.go(target, value, place, depth + 1);
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            for part in rules
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.go(part, value, place, depth + 1);
            }
        }
        for key in ["if", "then", "else", "not"] {
            if let Some(part) = rules.get(key) {
                self.go(part, value, place, depth + 1);
            }
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let own = rules.get("properties").and_then(|all| all.get(name));
                    let rest = rules.get("additionalProperties").filter(|_| own.is_none());
                    for schema in own.into_iter().chain(rest) {
                        self.below(
                            schema,
                            member,
                            &name.replace('~', "~0").replace('/', "~1"),
                            place,
                            depth,
                        );
                    }
                }
            }
            Value::Array(elements) => {
                let fixed = rules.get("prefixItems").and_then(Value::as_array);
                for (at, element) in elements.iter_mut().enumerate() {
                    let own = fixed.and_then(|fixed| fixed.get(at));
                    if let Some(schema) = own.or_else(|| rules.get("items")) {
                        self.below(schema, element, &at.to_string(), place, depth);
                    }
                }
            }
            _ => {}
        }
    }

    fn below(
        &mut self,
        schema: &'a Value,
        value: &mut Value,
        step: &str,
        place: &mut String,
        depth: usize,
    ) {
        let length = place.len();
        place.push('/');
        place.push_str(step);
        self.go(schema, value, place, depth + 1);
        place.truncate(length);
    }

    /// The schema that a reference means; one to elsewhere means nothing here.
    fn find(&self, target: &str) -> Option<&'a Value> {
        self.root.pointer(target.strip_prefix('#')?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_marked_is_left_out_wherever_it_stands() {
        let secret = json!({"type": "string", "writeOnly": true});
        let schema = json!({
            "$defs": {"login": {"properties": {"key": secret}}, "loop": {"items": {"$ref": "#/$defs/loop"}}},
            "properties": {
                "token": secret,
                "a/b": {"items": {"allOf": [{"$ref": "#/$defs/login"}]}},
                "pair": {"prefixItems": [{}, secret]},
                "named": {"additionalProperties": secret},
                "deep": {"$ref": "#/$defs/loop"},
            },
        });
        let schema = Json::from(schema);
        let mask = |input: Value| {
            let (input, places) = masked(&Json::from(input), Some(&schema));
            (input.to_value(), places)
        };
        assert_eq!(
            mask(
                json!({"token": "t", "plain": "p", "a/b": [{"key": 1, "more": 2}], "pair": ["x", "y"], "named": {"n": []}})
            ),
            (
                json!({"token": "***", "plain": "p", "a/b": [{"key": "***", "more": 2}], "pair": ["x", "***"], "named": {"n": "***"}}),
                ["/a~1b/0/key", "/named/n", "/pair/1", "/token"]
                    .map(str::to_owned)
                    .into()
            )
        );
        assert_eq!(mask(json!({"plain": 1})), (json!({"plain": 1}), vec![]));
        assert_eq!(mask(json!([])), (json!([]), vec![]));
        let text = r#"{"z":1.50,"a":1}"#;
        let kept = masked(&Json::parse(text).unwrap(), Some(&schema));
        assert_eq!(
            kept.0.text(),
            text,
            "digits and order stay where nothing is left out"
        );
    }

    #[test]
    fn a_schema_that_comes_back_to_itself_ends() {
        let schema = Json::from(json!({"$ref": "#", "x": "writeOnly"}));
        let (input, places) = masked(&Json::from(json!({"a": 1})), Some(&schema));
        assert_eq!(
            (input.to_value(), places),
            (json!("***"), vec![String::new()])
        );
    }
}
