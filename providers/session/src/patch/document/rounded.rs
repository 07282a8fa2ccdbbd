//! The whole numbers of a text that were rounded as it was read.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

/// The whole numbers of a text of JSON that 64 bits do not hold, by the double that each was read as.
///
/// Which of the many whole numbers near that double was meant is lost, where a number that was written with a fraction or
/// an exponent is a double and nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rounded(BTreeSet<u64>);

impl Rounded {
    /// Those of a text that was read as JSON.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut found = BTreeSet::new();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = end_of_string(bytes, at),
                b'-' | b'0'..=b'9' => {
                    let rest = &bytes[at..];
                    let is_part =
                        |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                    let length = rest.iter().take_while(|byte| is_part(byte)).count();
                    found.extend(rounded(&text[at..at + length]));
                    at += length;
                }
                _ => at += 1,
            }
        }
        Self(found)
    }

    /// The first such number within a value.
    pub(crate) fn within(&self, value: &Value) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        match value {
            Value::Number(number) => self.holds(number).then(|| number.to_string()),
            Value::Array(list) => list.iter().find_map(|item| self.within(item)),
            Value::Object(map) => map.values().find_map(|member| self.within(member)),
            _ => None,
        }
    }

    fn holds(&self, number: &Number) -> bool {
        let real = number.as_f64().filter(|_| number.is_f64());
        real.is_some_and(|real| self.0.contains(&real.to_bits()))
    }
}

fn rounded(number: &str) -> Option<u64> {
    let is_whole = !number.contains(['.', 'e', 'E']);
    let is_held = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    let real: f64 = number.parse().ok()?;
    (is_whole && !is_held).then(|| real.to_bits())
}

/// Where a string that starts somewhere has ended.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_beyond_64_bits_are_rounded_and_no_others() {
        for (text, expected) in [
            (
                "[1e30, 1.5, 1000000000000000000000000000000.0, -7, 0]",
                None,
            ),
            ("18446744073709551615", None),
            ("-9223372036854775808", None),
            ("18446744073709551616", Some("1.8446744073709552e+19")),
            (
                "{\"a\": [-9223372036854775809]}",
                Some("-9.223372036854776e+18"),
            ),
            (
                "[\"18446744073709551616 \\\" 18446744073709551616\", 2]",
                None,
            ),
            ("[1e30,1000000000000000000000000000000]", Some("1e+30")),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let found = Rounded::of(text).within(&value);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_looked_through_all_the_same() {
        for text in ["\"", "\"\\", "-", "1e", "é\"é\\\"1"] {
            assert_eq!(Rounded::of(text), Rounded::default(), "{text}");
        }
    }
}
