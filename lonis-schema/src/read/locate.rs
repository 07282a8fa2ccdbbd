//! Finds the place that an error is about.

use crate::json::events::{Event, Events};
use crate::json::scan::unescape;

/// A container that is open, and where in it the reader stands.
enum Step<'a> {
    Object(&'a str),
    Array(usize),
}

/// Returns the JSON Pointer to the innermost value of a scanned text that has the offset inside.
pub(super) fn pointer(text: &str, offset: usize) -> String {
    let mut path: Vec<Step<'_>> = Vec::new();
    let mut events = Events::new(text);
    while let Some(event) = events.next() {
        let is_reached = events.position() > offset;
        match event {
            Event::Key(key) => {
                if is_reached {
                    // The key itself: what is wrong is the object.
                    path.pop();
                    break;
                }
                if let Some(Step::Object(current)) = path.last_mut() {
                    *current = key;
                }
                continue;
            }
            Event::EndArray | Event::EndObject => {
                path.pop();
                if is_reached {
                    break;
                }
                continue;
            }
            Event::BeginArray
            | Event::BeginObject
            | Event::String(_)
            | Event::Number(_)
            | Event::Word(_) => {}
        }
        if let Some(Step::Array(next)) = path.last_mut() {
            *next += 1;
        }
        if is_reached {
            break;
        }
        match event {
            Event::BeginArray => path.push(Step::Array(0)),
            Event::BeginObject => path.push(Step::Object("")),
            _ => {}
        }
    }
    write_pointer(&path)
}

fn write_pointer(path: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for step in path {
        pointer.push('/');
        match step {
            Step::Object(key) => {
                pointer.push_str(&unescape(key).replace('~', "~0").replace('/', "~1"));
            }
            Step::Array(next) => pointer.push_str(&next.saturating_sub(1).to_string()),
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::pointer;

    #[test]
    fn the_innermost_value_is_found() {
        let text = r#"{"a": [1, {"b/~": "xy"}, []], "\u0063": null}"#;
        let cases = [
            ("{\"a\"", ""),
            ("[1", "/a"),
            ("1", "/a/0"),
            ("b/~", "/a/1"),
            ("xy", "/a/1/b~1~0"),
            ("]]", "/a/2"),
            ("], \"", "/a"),
            ("null", "/c"),
            ("}\n", ""),
        ];
        for (at, expected) in cases {
            let offset = text.find(at.trim_end()).expect("in the text");
            let offset = if at == "}\n" { text.len() - 1 } else { offset };
            assert_eq!(pointer(text, offset), expected, "{at:?} at {offset}");
        }
    }
}
