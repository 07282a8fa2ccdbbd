//! Where two values differ first.

use crate::json::Json;

/// Gives the first place at which two canonical texts differ, as `$.a[2].key`; none where they are equal or one nests too
/// deeply to be looked at.
pub fn difference(expected: &str, actual: &str) -> Option<String> {
    let expected = Json::read(expected.as_bytes()).ok()?;
    let actual = Json::read(actual.as_bytes()).ok()?;
    let mut place = "$".to_owned();
    first(&expected, &actual, &mut place).then_some(place)
}

/// Extends a place to the first difference; says whether there is one. The nesting of what was read is bounded.
fn first(expected: &Json, actual: &Json, place: &mut String) -> bool {
    let len = place.len();
    match (expected, actual) {
        (Json::Array(expected), Json::Array(actual)) => {
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                push_index(place, index);
                if first(expected, actual, place) {
                    return true;
                }
                place.truncate(len);
            }
            if expected.len() != actual.len() {
                let index = expected.len().min(actual.len());
                push_index(place, index);
                return true;
            }
            false
        }
        (Json::Object(expected), Json::Object(actual)) => {
            for ((key, expected), (other, actual)) in expected.iter().zip(actual) {
                if key != other {
                    return true;
                }
                place.push('.');
                place.push_str(key);
                if first(expected, actual, place) {
                    return true;
                }
                place.truncate(len);
            }
            expected.len() != actual.len()
        }
        _ => expected != actual,
    }
}

fn push_index(place: &mut String, index: usize) {
    place.push('[');
    place.push_str(&index.to_string());
    place.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_has_its_place() {
        let cases = [
            ("1", "1", None),
            ("1", "2", Some("$")),
            ("[1,2]", "[1,3]", Some("$[1]")),
            ("[1]", "[1,3]", Some("$[1]")),
            (
                r#"{"a":[{"key":1}]}"#,
                r#"{"a":[{"key":2}]}"#,
                Some("$.a[0].key"),
            ),
            (
                r#"{"tag":"Some","value":1}"#,
                r#"{"tag":"None"}"#,
                Some("$.tag"),
            ),
        ];
        for (expected, actual, place) in cases {
            assert_eq!(difference(expected, actual).as_deref(), place);
        }
    }
}
