//! What is wrong with the cases of a spec that leaves the signature to the draft.
//!
//! Without types two texts may stand for one value, so only what differs for every type is told.

use std::cmp::Ordering;
use std::collections::HashMap;

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::json::Json;
use soil::testing::{Expectation, TestCase, spec_cases};

use super::Subject;

impl Subject<'_> {
    /// Looks for two cases of one call that expect two outcomes.
    pub(super) fn contradictions(&self) -> Diagnostics {
        let mut found = Diagnostics::new();
        // A case that does not read is told by who runs it.
        let cases = spec_cases(self.function, &self.named.program_name()).unwrap_or_default();
        let mut seen: HashMap<String, &TestCase> = HashMap::new();
        for case in cases.iter().filter(|case| !case.is_xfail) {
            let call = format!("{:?} {:?}", case.binds, case.arguments);
            let earlier = *seen.entry(call).or_insert(case);
            if !may_agree(&earlier.expected, &case.expected) {
                let message = format!(
                    "`{}` and `{}` expect two outcomes of one call",
                    earlier.name, case.name
                );
                let mut one = Diagnostic::new(Code::PreflightContradiction, message);
                one.file = Some(self.file);
                found.push(one);
            }
        }
        found
    }
}

/// Says whether two outcomes can be one.
fn may_agree(left: &Expectation, right: &Expectation) -> bool {
    match (left, right) {
        (Expectation::Panic, Expectation::Panic) => true,
        (Expectation::Value(left), Expectation::Value(right)) => may_be_one(left, right),
        _ => false,
    }
}

/// Says whether there is a type of which two texts are one value.
fn may_be_one(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Array(left), Json::Array(right)) => {
            let is_map = left.iter().chain(right).all(is_entry);
            let mut pairs = left.iter().zip(right);
            // The entries of a map stand in any order.
            left.len() == right.len()
                && (is_map || pairs.all(|(left, right)| may_be_one(left, right)))
        }
        (Json::Object(left), Json::Object(right)) => {
            let has = |(key, value): &(String, Json)| {
                let mut members = right.iter();
                members.any(|(other, found)| key == other && may_be_one(value, found))
            };
            left.len() == right.len() && left.iter().all(has)
        }
        // One number has many texts, and a large one may be a string.
        (Json::Number(left) | Json::Text(left), Json::Number(right) | Json::Text(right)) => {
            let numbers = (left.parse::<f64>(), right.parse::<f64>());
            let is_number = matches!(
                numbers,
                (Ok(left), Ok(right)) if left.partial_cmp(&right) == Some(Ordering::Equal)
            );
            left == right || is_number
        }
        _ => left == right,
    }
}

fn is_entry(json: &Json) -> bool {
    let Json::Object(members) = json else {
        return false;
    };
    members.len() == 2
        && members
            .iter()
            .all(|(key, _)| key == "key" || key == "value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_one_value_of_some_type_are_told_from_others() {
        let table = [
            ("1", "1", true),
            ("1", "1.0", true),
            ("1", "2", false),
            ("10", "1e1", true),
            ("1", "\"1\"", true),
            ("\"a\"", "\"b\"", false),
            ("\"a\"", "\"a\"", true),
            ("true", "false", false),
            ("null", "null", true),
            ("null", "0", false),
            ("[1,2]", "[1,2.0]", true),
            ("[1,2]", "[2,1]", false),
            ("[1]", "[1,1]", false),
            ("[]", "[]", true),
            ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true),
            ("{\"a\":1}", "{\"a\":2}", false),
            ("{\"a\":1}", "{\"b\":1}", false),
            (
                "{\"tag\":\"None\"}",
                "{\"tag\":\"Some\",\"value\":1}",
                false,
            ),
            (
                "[{\"key\":1,\"value\":2},{\"key\":3,\"value\":4}]",
                "[{\"key\":3,\"value\":4},{\"key\":1,\"value\":2}]",
                true,
            ),
        ];
        for (left, right, expected) in table {
            let [left, right] = [left, right].map(|text| Json::read(text.as_bytes()).expect(text));
            assert_eq!(may_be_one(&left, &right), expected, "{left:?} {right:?}");
            assert_eq!(may_be_one(&right, &left), expected, "{right:?} {left:?}");
        }
    }
}
