//! Scalars of YAML: what a plain one means in the core schema, and how new ones are written.

use serde_json::Value;

use crate::patch::structured::model::Model;

/// What a plain scalar means.
pub(super) fn resolved(text: &str) -> Model {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Model::Null,
        "true" | "True" | "TRUE" => return Model::Bool(true),
        "false" | "False" | "FALSE" => return Model::Bool(false),
        _ => {}
    }
    let based = |prefix: &str, radix| {
        let digits = text.strip_prefix(prefix)?;
        let is_digit = |character: char| character.is_digit(radix);
        digits.chars().all(is_digit).then_some(())?;
        i128::from_str_radix(digits, radix).ok()
    };
    if let Some(number) = based("0x", 16).or_else(|| based("0o", 8)) {
        return Model::Number(number.to_string());
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            let sign = if text.starts_with('-') { "-" } else { "" };
            return Model::Number(format!("{sign}inf"));
        }
        ".nan" | ".NaN" | ".NAN" if unsigned == text => return Model::Number("nan".to_owned()),
        _ if is_number(unsigned) => {}
        _ => return Model::Text(text.to_owned()),
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    Model::number(&format!("{sign}{unsigned}"))
}

/// Whether a text is a number of the core schema, its sign aside.
fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent
}

/// Which quotes a string had that is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// None, or it was no string.
    Plain,
    /// `'`.
    Single,
    /// `"`.
    Double,
}

/// A scalar on one line.
pub(super) fn written(value: &Value, quotes: Quotes) -> String {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => return real(&number.to_string()),
        other => return other.to_string(),
    };
    let is_printable = !text
        .chars()
        .any(|character| needs_escape(character) || character == '\n');
    match quotes {
        Quotes::Plain if is_plain(text) => text.clone(),
        Quotes::Single if is_printable => format!("'{}'", text.replace('\'', "''")),
        _ => double_quoted(text),
    }
}

/// A number so that readers of YAML 1.1 see one too: to them a mantissa without a point makes `1e-7` a text, and so does an
/// exponent without a sign.
fn real(text: &str) -> String {
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text.to_owned();
    };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) {
        ""
    } else {
        "+"
    };
    format!("{mantissa}{point}e{sign}{exponent}")
}

/// Between double quotes, as JSON; what JSON leaves and YAML does not print is escaped too.
fn double_quoted(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    if !quoted.chars().any(needs_escape) {
        return quoted;
    }
    let escaped = |character: char| match (needs_escape(character), u32::from(character)) {
        (false, _) => character.to_string(),
        (true, code @ 0x1_0000..) => format!("\\U{code:08X}"),
        (true, code) => format!("\\u{code:04X}"),
    };
    quoted.chars().map(escaped).collect()
}

fn needs_escape(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// Whether a string may stand without quotes anywhere, for readers of YAML 1.1 as well.
fn is_plain(text: &str) -> bool {
    let starts_well = text.starts_with(|first: char| first.is_alphabetic() || "_/".contains(first));
    let is_inner = |inner: char| inner.is_alphanumeric() || " _-./@+=()$".contains(inner);
    let lower = text.to_lowercase();
    let is_word = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "inf", "nan",
    ];
    starts_well
        && text.chars().all(is_inner)
        && !text.ends_with(' ')
        && !is_word.contains(&lower.as_str())
}

/// A text of several lines below `|`: its sign, and its lines; none where it has to be quoted.
pub(super) fn literal(text: &str) -> Option<(&'static str, Vec<&str>)> {
    let (sign, body) = match text.strip_suffix('\n') {
        Some(body) => ("|", body),
        None => ("|-", text),
    };
    let lines: Vec<&str> = body.split('\n').collect();
    let is_fit = |line: &&str| line.is_empty() || !line.trim_matches(' ').is_empty();
    let starts_well = !lines[0].is_empty() && !lines[0].starts_with([' ', '\t']);
    let ends_well = lines.last().is_some_and(|last| !last.is_empty());
    let fits = body.contains('\n') || sign == "|";
    let prints = !body
        .chars()
        .any(|character| needs_escape(character) && character != '\t');
    (fits && starts_well && ends_well && prints && lines.iter().all(is_fit))
        .then_some((sign, lines))
}
