//! What people see of a result: the same data, the most important first.

use std::fmt::Write as _;
use std::io::Write as _;

use lonis_diagnostics::Entry;
use serde_json::Value;

use crate::command::Command;
use crate::obligation::Progress;

/// Digits of an identity that people see.
const SHORT: usize = 12;
/// Left-out paths that people see with a new base.
const MAX_LEFT_OUT: usize = 5;

/// Writes the data of a command as text; each line ends with a line feed.
pub(crate) fn text(command: Command, data: &Value) -> String {
    let mut out = String::new();
    if let Some(transaction) = data.get("transaction").filter(|value| value.is_object()) {
        head(&mut out, transaction);
    }
    match command {
        Command::List => rows(&mut out, data, "sessions", |row| {
            format!(
                "{} {} {}",
                word(row, "session"),
                word(row, "status"),
                counted(row, "patch_count", "patch", "patches")
            )
        }),
        Command::Log => rows(&mut out, data, "events", |row| {
            format!(
                "{:>4} {} {} {}",
                word(row, "seq"),
                word(row, "at"),
                word(row, "kind"),
                short(row, "id")
            )
        }),
        _ => {}
    }
    if data["obligation_count"] == 0 {
        out.push_str("warning: nothing was checked, because no obligation is declared\n");
    }
    rows(&mut out, data, "changes", change);
    rows(&mut out, data, "entries", |row| {
        if row["kind"] == "not-captured" {
            return format!("{} is left out: {}", word(row, "path"), word(row, "reason"));
        }
        format!(
            "{} {} {} bytes {}",
            word(row, "path"),
            word(row, "kind"),
            word(row, "bytes"),
            short(row, "blob")
        )
    });
    if data["excluded"].is_object() {
        left_out(&mut out, &data["excluded"]);
    }
    if data["excluded"].is_array() {
        rows(&mut out, data, "excluded", |row| {
            format!("left out: {} ({})", word(row, "path"), word(row, "reason"))
        });
    }
    rows(&mut out, data, "results", |row| {
        let outcome = if row["reused_from"].is_string() {
            format!("passed before, {}", short(row, "reused_from"))
        } else if row["ok"] == true {
            "passed".to_owned()
        } else {
            word(row, "code")
        };
        format!("obligation {}: {outcome}", word(row, "name"))
    });
    rows(&mut out, data, "warnings", warning);
    if command == Command::Recover {
        recovery(&mut out, data);
    }
    facts(&mut out, data);
    if let Some(text) = data.get("text").and_then(Value::as_str) {
        out.push_str(text);
    }
    out
}

/// What a base lacks: how many paths for each reason, and the first few of them.
fn left_out(out: &mut String, excluded: &Value) {
    let by_reason = excluded["by_reason"].as_object();
    let counts: Vec<String> = by_reason
        .into_iter()
        .flatten()
        .map(|(reason, count)| format!("{count} {}", clean(reason)))
        .collect();
    if counts.is_empty() {
        return;
    }
    let total = excluded["count"].as_u64().unwrap_or_default();
    let noun = if total == 1 { "path is" } else { "paths are" };
    let _ = writeln!(
        out,
        "warning: the base is not whole: {total} {noun} left out ({}), and no obligation sees them",
        counts.join(", ")
    );
    let samples = excluded["samples"].as_array().into_iter().flatten();
    for row in samples.take(MAX_LEFT_OUT) {
        let line = format!("left out: {} ({})", word(row, "path"), word(row, "reason"));
        let _ = writeln!(out, "{}", clean(&line));
    }
    if total > MAX_LEFT_OUT as u64 {
        out.push_str("`lonis-session status SESSION --excluded` lists them all\n");
    }
}

/// What was undone, finished, made anew or found damaged.
fn recovery(out: &mut String, data: &Value) {
    rows(out, data, "recovered", |row| {
        let count = row["paths"].as_array().map_or(0, Vec::len);
        format!(
            "{}: brought to {}, paths: {count}",
            word(row, "session"),
            word(row, "outcome")
        )
    });
    rows(out, data, "rebuilt", |row| match &row["session"] {
        Value::Null => format!("made anew: {}", word(row, "what")),
        _ => format!(
            "made anew: {} of {}",
            word(row, "what"),
            word(row, "session")
        ),
    });
    rows(out, data, "orphans", |name| {
        format!("removed: tmp/{}", name.as_str().unwrap_or_default())
    });
    rows(out, data, "damaged", |row| {
        let place = ["identity", "session", "segment"];
        let place = place.iter().find(|name| row[**name].is_string());
        let place = place.map_or_else(String::new, |name| word(row, name));
        let state = if row["repaired"] == true {
            "restored"
        } else {
            "damaged"
        };
        format!("{state}: {place}: {}", word(row, "reason"))
    });
}

/// Tells on stderr how far a run is.
pub(super) fn tell(progress: &Progress<'_>) {
    let place = format!("{}/{}", progress.number, progress.count);
    let line = match progress.ended {
        None => format!("obligation {} ({place})\n", progress.name),
        Some(result) => {
            let outcome = result.code.as_deref().unwrap_or("passed");
            let millis = result.duration_micros / 1000;
            format!(
                "obligation {} ({place}): {outcome}, {millis} ms\n",
                progress.name
            )
        }
    };
    // Where stderr is lost, the result still says it all.
    let _ = std::io::stderr()
        .lock()
        .write_all(clean(&line).trim_end().as_bytes());
    let _ = std::io::stderr().lock().write_all(b"\n");
}

/// The session in one line.
fn head(out: &mut String, transaction: &Value) {
    let verified = match &transaction["verification"] {
        Value::Null => "not verified".to_owned(),
        seen if seen["vacuous"] == true => "verified by no obligation".to_owned(),
        seen if seen["obligations_ok"] == true => "verified".to_owned(),
        _ => "obligations failed".to_owned(),
    };
    let _ = writeln!(
        out,
        "{}: {}, base {}, current {}, {}, {verified}",
        word(transaction, "session"),
        word(transaction, "status"),
        short(transaction, "base_snapshot"),
        short(transaction, "current_snapshot"),
        counted(transaction, "patch_count", "patch", "patches"),
    );
    if transaction["recovery_pending"] == true {
        out.push_str("an apply was cut short: `lonis-session recover` finishes it\n");
    }
}

/// A warning, with its path where it is about one.
fn warning(row: &Value) -> String {
    let place = match &row["path"] {
        Value::String(path) => format!(" {path}"),
        _ => String::new(),
    };
    let name = word(row, "name");
    format!("warning: {name}{place}: {}", word(row, "detail"))
}

fn change(row: &Value) -> String {
    let letter = match (&row["before"], &row["after"]) {
        (Value::Null, _) => 'A',
        (_, Value::Null) => 'D',
        _ => 'M',
    };
    format!("{letter} {}", word(row, "path"))
}

fn rows(out: &mut String, data: &Value, list: &str, row: impl Fn(&Value) -> String) {
    for item in data
        .get(list)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        out.push_str(&clean(&row(item)));
        out.push('\n');
    }
}

/// Members that are one number or word.
fn facts(out: &mut String, data: &Value) {
    for (name, value) in data.as_object().into_iter().flatten() {
        let is_fact = value.is_number() || value.is_boolean() || value.is_string();
        if is_fact && !["schema", "text", "head"].contains(&name.as_str()) {
            let _ = writeln!(
                out,
                "{}: {}",
                name.replace('_', " "),
                clean(&word(data, name))
            );
        }
    }
}

fn word(value: &Value, name: &str) -> String {
    match &value[name] {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

/// A count with its noun, which is singular for one.
fn counted(value: &Value, name: &str, one: &str, several: &str) -> String {
    let count = word(value, name);
    let noun = if count == "1" { one } else { several };
    format!("{count} {noun}")
}

fn short(value: &Value, name: &str) -> String {
    word(value, name).chars().take(SHORT).collect()
}

/// Nothing in a name can move the cursor or start a line.
fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

/// One entry of the catalog.
pub(super) fn explained(entry: &Entry) -> String {
    let mut out = format!(
        "{} (exit code {}, {})\n",
        entry.text,
        entry.exit_code,
        entry.phase.as_str()
    );
    for cause in entry.causes {
        let _ = writeln!(out, "cause: {cause}");
    }
    let _ = writeln!(out, "fix: {}", entry.fix);
    for action in entry.actions {
        let _ = writeln!(
            out,
            "next ({}): {}",
            action.kind.as_str(),
            action.description
        );
        if !action.command.is_empty() {
            let _ = writeln!(out, "  {}", action.command.join(" "));
        }
    }
    out
}
