//! New values as TOML writes them.

use serde_json::Value;

use super::unsupported;
use crate::patch::failure::Failure;

/// A key, quoted where it has to be.
pub(super) fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !name.is_empty() && name.bytes().all(is_bare) {
        name.to_owned()
    } else {
        string(name)
    }
}

/// A basic string: what JSON escapes, TOML escapes alike, and DEL too.
fn string(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A value on one line.
pub(super) fn inline(value: &Value) -> Result<String, Failure> {
    Ok(match value {
        Value::Null => return Err(unsupported("`null`, which TOML does not have,")),
        Value::String(text) => string(text),
        Value::Number(number)
            if number
                .as_u64()
                .is_some_and(|whole| i64::try_from(whole).is_err()) =>
        {
            return Err(unsupported(format!(
                "`{number}`, where a whole number of TOML is at most {},",
                i64::MAX
            )));
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(inline).collect::<Result<_, _>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let member = |(name, value): (&String, &Value)| {
                Ok(format!("{} = {}", key(name), inline(value)?))
            };
            let members: Vec<String> = map.iter().map(member).collect::<Result<_, Failure>>()?;
            format!("{{ {} }}", members.join(", "))
        }
    })
}

/// The members of an object, one on each line.
pub(super) fn lines(
    map: &serde_json::Map<String, Value>,
    line_end: &str,
) -> Result<String, Failure> {
    let line = |(name, value): (&String, &Value)| {
        Ok(format!("{} = {}{line_end}", key(name), inline(value)?))
    };
    map.iter().map(line).collect()
}
