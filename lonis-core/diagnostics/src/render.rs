//! A failure as text for people: three fields from the same diagnostic, wrapped to a width.

use serde_json::{Map, Value};

use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::plan;

/// The narrowest text.
pub const MIN_WIDTH: usize = 24;
/// The widest text.
pub const MAX_WIDTH: usize = 160;
/// The width where none is known.
const DEFAULT_WIDTH: usize = 96;
/// The longest field, in characters.
const MAX_FIELD_CHARS: usize = 512;
/// The most lines of a block behind the fields.
const MAX_BLOCK_LINES: usize = 20;
/// What stands for a fact that is missing.
const UNKNOWN: &str = "<unknown>";
/// Where the subject of a failure is looked for, in order.
const SUBJECT_KEYS: &[&str] = &[
    "subject",
    "source",
    "path",
    "module",
    "package",
    "manifest",
    "obligation",
    "tool",
    "session",
    "effect_op",
    "blocking_capability",
    "protocol_code",
];
/// Where the cause of a failure is looked for, in order.
const CAUSE_KEYS: &[&str] = &["reason", "message", "detail"];
/// The objects that are looked through after the keys of an object itself.
const NESTED_KEYS: &[&str] = &["facts", "legacy_context", "cause", "causes", "error"];

/// Whether labels have colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No colour.
    Plain,
    /// Colours of a terminal.
    Coloured,
}

impl Style {
    fn label(self, text: &str, code: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

/// Reads the width from the text of `COLUMNS`: 24 to 160, 96 where there is none.
pub fn width_of(columns: Option<&str>) -> usize {
    let width = columns.and_then(|text| text.trim().parse::<usize>().ok());
    width.map_or(DEFAULT_WIDTH, |width| width.clamp(MIN_WIDTH, MAX_WIDTH))
}

/// Writes a failure for people; each line ends with a line feed.
pub fn human(failure: &Failure, width: usize, style: Style) -> String {
    let cause = failure.cause();
    let width = width.clamp(MIN_WIDTH, MAX_WIDTH);
    let mut out = String::new();
    let head = format!("[{}]:", cause.code());
    let first = format!("{} failed for {}", field(cause.operation()), subject(cause));
    out.push_str(&style.label("error", "1;31"));
    out.push_str(&head);
    push_wrapped(
        &mut out,
        &first,
        "error".len() + head.len(),
        "error: ".len(),
        width,
    );
    for (label, text) in [("cause:", cause_of(cause)), ("next:", next(cause))] {
        out.push_str(&style.label(label, "1"));
        push_wrapped(&mut out, &text, label.len(), label.len() + 1, width);
    }
    for finding in failure.entries() {
        push_blocks(&mut out, finding);
    }
    out
}

/// Adds words behind what stands on the line, and breaks lines at the width; a word that is longer stands alone.
fn push_wrapped(out: &mut String, text: &str, used: usize, indent: usize, width: usize) {
    let mut column = used;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        if column + 1 + length > width && column > indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}

fn subject(diagnostic: &Diagnostic) -> String {
    if let Some(span) = diagnostic.primary_span() {
        return field(&format!(
            "{}:{}:{}",
            span.source, span.start_line, span.start_column
        ));
    }
    let parameters = Value::Object(diagnostic.parameters().clone());
    let context = diagnostic.context().to_value();
    let found = find(&parameters, SUBJECT_KEYS)
        .or_else(|| find(&context, SUBJECT_KEYS))
        .or_else(|| diagnostic.parameters().get("name").and_then(text_of))
        .or_else(|| diagnostic.parameters().get("received").and_then(text_of))
        .or_else(|| diagnostic.parameters().get("argument").and_then(text_of))
        .or_else(|| diagnostic.capability().map(str::to_owned));
    field(found.as_deref().unwrap_or(UNKNOWN))
}

fn cause_of(diagnostic: &Diagnostic) -> String {
    let context = diagnostic.context().to_value();
    let parameters = Value::Object(diagnostic.parameters().clone());
    let found = find(&context, CAUSE_KEYS).or_else(|| find(&parameters, CAUSE_KEYS));
    let message = diagnostic.message();
    let text = match found {
        // What the producer says names the thing; the reason alone may not.
        Some(reason) if message.contains(&reason) || message.is_empty() => {
            if message.is_empty() {
                reason
            } else {
                message.to_owned()
            }
        }
        Some(reason) => format!("{message}: {reason}"),
        None if message.is_empty() => {
            let causes = diagnostic.code().entry().causes;
            causes.first().copied().unwrap_or(UNKNOWN).to_owned()
        }
        None => message.to_owned(),
    };
    field(&text)
}

fn next(diagnostic: &Diagnostic) -> String {
    let facts: Map<String, Value> = diagnostic.all_facts();
    let action = diagnostic.code().entry().first_action();
    let text = plan::filled(action.description, &facts);
    match plan::filled_command(action, &facts) {
        Some(command) => field(&format!("{text}: `{}`", command.join(" "))),
        None => field(&text),
    }
}

/// Looks for the first of some keys that holds a text: those of an object first, then those of the objects in it.
fn find(value: &Value, keys: &[&str]) -> Option<String> {
    match value {
        Value::Object(members) => {
            let own = keys
                .iter()
                .find_map(|key| members.get(*key).and_then(text_of));
            own.or_else(|| {
                NESTED_KEYS
                    .iter()
                    .find_map(|key| members.get(*key).and_then(|inner| find(inner, keys)))
            })
        }
        Value::Array(items) => items.iter().find_map(|item| find(item, keys)),
        _ => None,
    }
}

fn text_of(value: &Value) -> Option<String> {
    value
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// One line of bounded length, without control characters and runs of blanks.
fn field(text: &str) -> String {
    let mut out = String::new();
    for (at, word) in text
        .split(|letter: char| letter.is_control() || letter == ' ')
        .filter(|word| !word.is_empty())
        .enumerate()
    {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
    match out.char_indices().nth(MAX_FIELD_CHARS) {
        Some((end, _)) => format!(
            "{}…",
            &out[..out[..end]
                .char_indices()
                .next_back()
                .map_or(0, |(at, _)| at)]
        ),
        None => out,
    }
}

/// Adds quoted texts: the end of an obligation's output, and the closest place to a text that was not found.
fn push_blocks(out: &mut String, diagnostic: &Diagnostic) {
    let parameters = diagnostic.parameters();
    if let Some(tail) = parameters.get("tail").and_then(Value::as_str) {
        push_block(out, tail, None);
    }
    let failed = parameters.get("failed").and_then(Value::as_array);
    for item in failed.into_iter().flatten() {
        let name = item.get("name").and_then(Value::as_str).unwrap_or(UNKNOWN);
        let code = item.get("code").and_then(Value::as_str).unwrap_or(UNKNOWN);
        out.push_str(&field(&format!("{name}: {code}")));
        out.push('\n');
        if let Some(tail) = item.get("tail").and_then(Value::as_str) {
            push_block(out, tail, None);
        }
    }
    let changed = ["overlapping", "disjoint"]
        .into_iter()
        .flat_map(|relation| {
            let items = parameters.get(relation).and_then(Value::as_array);
            let paths = items
                .into_iter()
                .flatten()
                .filter_map(|item| item.get("path"));
            paths
                .filter_map(Value::as_str)
                .map(move |path| format!("{path}: {relation}"))
        });
    for line in changed.take(MAX_BLOCK_LINES) {
        out.push_str(&field(&line));
        out.push('\n');
    }
    if let Some(closest) = parameters
        .get("closest")
        .filter(|closest| closest.is_object())
    {
        let line = closest.get("start_line").and_then(Value::as_u64);
        let text = closest
            .get("text")
            .and_then(Value::as_str)
            .unwrap_or_default();
        push_block(out, text, line);
    }
}

fn push_block(out: &mut String, text: &str, first_line: Option<u64>) {
    let lines: Vec<&str> = text.lines().collect();
    let skipped = match first_line {
        None => lines.len().saturating_sub(MAX_BLOCK_LINES),
        Some(_) => 0,
    };
    for (number, line) in (first_line.unwrap_or(1)..)
        .zip(&lines)
        .skip(skipped)
        .take(MAX_BLOCK_LINES)
    {
        let clean: String = line
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        let clean: String = clean.trim_end().chars().take(MAX_FIELD_CHARS).collect();
        // Writing to a text cannot fail.
        let _ = std::fmt::Write::write_fmt(out, format_args!("  {number:>5} | {clean}\n"));
    }
}

#[cfg(test)]
mod tests;
