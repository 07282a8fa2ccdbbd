//! The log that `LONIS_LOG` asks for: lines on stderr for people, lines of JSON in the file that `LONIS_LOG_FILE` names.
//!
//! In machine modes stderr is one error or notes, so that the file is the only place then.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::{Mutex, PoisonError};

use lonis::log::{Event, Level, Value, is_on, set_sink};
use lonis::{OutputMode, Timestamp};
use serde_json::{Map, json};

use crate::output::{Output, say_log_line};

/// Which events are wanted, by the word of a level.
const LEVEL: &str = "LONIS_LOG";
/// Where they go beside stderr.
const FILE: &str = "LONIS_LOG_FILE";

/// Begins to log, where that is asked for; what is wrong with the asking is a note.
pub(crate) fn begin(output: &mut Output) {
    // An empty variable is one that is not set.
    let Some(word) = std::env::var_os(LEVEL).filter(|word| !word.is_empty()) else {
        return;
    };
    let level = match word.to_string_lossy().parse::<Level>() {
        Ok(level) => level,
        Err(error) => return output.note(format!("nothing is logged: in `{LEVEL}` {error}")),
    };
    let file = std::env::var_os(FILE).filter(|path| !path.is_empty());
    let file = file.and_then(|path| {
        let opened = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path);
        opened
            .map_err(|error| {
                let shown = path.to_string_lossy();
                output.note(format!("nothing is logged to `{shown}`: {error}"));
            })
            .ok()
    });
    let is_shown = output.mode() == OutputMode::Human;
    if !is_shown && file.is_none() {
        return;
    }
    let file = file.map(Mutex::new);
    set_sink(level, move |event| {
        if is_shown {
            say_log_line(&line(event));
        }
        if let Some(file) = &file {
            keep(event, file);
        }
    });
}

/// Returns whether people see the log, so that nothing else may move the cursor.
pub(crate) fn is_shown() -> bool {
    is_on(Level::Error)
}

/// An event for people: its level, its name and its fields.
fn line(event: &Event) -> String {
    let mut line = format!("log[{}] {}", event.level, event.name);
    for (name, value) in &event.fields {
        // Writing to a string does not fail.
        let _ = match value {
            Value::Number(number) => write!(line, " {name}={number}"),
            Value::Text(text) => write!(line, " {name}={text:?}"),
        };
    }
    line
}

/// Adds an event to the file, with one write, so that the lines of two programs do not mix.
fn keep(event: &Event, file: &Mutex<File>) {
    let mut members = Map::new();
    members.insert("time".to_owned(), json!(Timestamp::now().to_string()));
    members.insert("level".to_owned(), json!(event.level.word()));
    members.insert("event".to_owned(), json!(event.name));
    members.insert("pid".to_owned(), json!(std::process::id()));
    for (name, value) in &event.fields {
        let value = match value {
            Value::Number(number) => json!(number),
            Value::Text(text) => json!(text),
        };
        members.insert((*name).to_owned(), value);
    }
    let line = format!("{}\n", serde_json::Value::Object(members));
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    // A log that cannot be kept is no reason to fail what is logged.
    let _ = file.write_all(line.as_bytes());
}
