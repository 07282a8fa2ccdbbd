//! The bound on a result: what is too long is cut, and counted.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

/// The most bytes of a result's data; an envelope of half a mebibyte has room for it and for what is said around it.
const MAX_DATA_BYTES: usize = 416 * 1024;

/// Cuts lists of a result until it is within its bound; `omitted` counts what is gone.
///
/// Of the record the oldest items go, of all else the last ones. Lists with a cursor are paged before.
pub(super) fn bound(data: &mut Value) {
    while let Some(excess) = length_of(data).checked_sub(MAX_DATA_BYTES + 1) {
        let Some((name, list)) = longest(data) else {
            return;
        };
        let is_of_record = ["patches", "attempts", "rebases"].contains(&name.as_str());
        let mut dropped = 0;
        let mut count = 0_u64;
        while dropped <= excess && !list.is_empty() {
            let item = if is_of_record {
                list.remove(0)
            } else {
                list.pop().unwrap_or_default()
            };
            dropped += length_of(&item) + 1;
            count += 1;
        }
        let before = data["omitted"][&name].as_u64().unwrap_or_default();
        data["omitted"][&name] = json!(before + count);
    }
}

/// The list with the longest text, with its name.
fn longest(data: &mut Value) -> Option<(String, &mut Vec<Value>)> {
    let Value::Object(members) = data else {
        return None;
    };
    let mut lists = Vec::new();
    for (name, member) in members {
        match member {
            Value::Array(items) => lists.push((name.clone(), items)),
            Value::Object(inner) if name == "transaction" => {
                for (name, member) in inner {
                    if let Value::Array(items) = member {
                        lists.push((name.clone(), items));
                    }
                }
            }
            _ => {}
        }
    }
    lists.retain(|(_, items)| !items.is_empty());
    lists.into_iter().max_by_key(|(_, items)| length_of(items))
}

/// How many bytes a value has as JSON.
pub(crate) fn length_of(value: &impl Serialize) -> usize {
    let mut counted = Counted(0);
    // Nothing is written anywhere, so that nothing can fail but a value that is no JSON.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}

struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_and_counted() {
        let long = "x".repeat(1000);
        let items = |count: usize| vec![json!({"text": long}); count];
        let mut data = json!({
            "changes": items(700), "paths": items(20), "word": "stays",
            "transaction": {"patches": (0..300).map(|n| json!({"n": n, "text": long})).collect::<Vec<_>>()},
        });
        bound(&mut data);
        assert!(length_of(&data) <= MAX_DATA_BYTES, "{}", length_of(&data));
        let count = |list: &Value| list.as_array().unwrap().len() as u64;
        assert_eq!(
            count(&data["changes"]) + data["omitted"]["changes"].as_u64().unwrap(),
            700
        );
        let patches = &data["transaction"]["patches"];
        let kept = count(patches);
        assert_eq!(kept + data["omitted"]["patches"].as_u64().unwrap_or(0), 300);
        // The newest one stays.
        assert_eq!(patches[usize::try_from(kept).unwrap() - 1]["n"], 299);
        assert_eq!(
            (count(&data["paths"]), &data["word"]),
            (20, &json!("stays"))
        );

        let mut short = json!({"changes": items(3)});
        let before = short.clone();
        bound(&mut short);
        assert_eq!(short, before);
        let mut only_text = json!({"text": "x".repeat(MAX_DATA_BYTES + 9)});
        bound(&mut only_text);
        assert_eq!(only_text.as_object().unwrap().len(), 1);
    }
}
