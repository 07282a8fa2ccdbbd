//! Jobs as people see them.

use std::fmt::Write as _;

use serde_json::{Value, json};
use soil::diagnostic::Code;

use super::directory::Directory;
use super::draft::Draft;
use super::place::Place;
use super::record::Record;
use crate::failure::Failure;

/// How many of the last events are shown.
const SHOWN_EVENTS: usize = 10;

/// Lists the jobs of a place, one a line, or as a document.
///
/// # Wire shape
/// `{"jobs":[{"job","definition","state","turns","cost_micros"}]}`
///
/// # Errors
/// `io`, when the place cannot be read.
pub(crate) fn list(place: &Place, is_json: bool) -> Result<String, Failure> {
    let jobs = place.jobs()?;
    if is_json {
        let jobs: Vec<Value> = jobs.iter().map(|(at, record)| row(at, record)).collect();
        return Ok(format!("{}\n", json!({"jobs": jobs})));
    }
    let mut text = String::new();
    for (directory, record) in &jobs {
        let name = directory.path().file_name().unwrap_or_default();
        writeln!(
            text,
            "{}  {}  {} of {} turns, {} micros",
            name.to_string_lossy(),
            record.state.text(),
            record.turns,
            record.caps.turns,
            record.cost_micros
        )
        .expect("a text takes all that is written to it");
    }
    Ok(text)
}

fn row(directory: &Directory, record: &Record) -> Value {
    json!({
        "job": directory.path().to_string_lossy(),
        "definition": record.definition,
        "state": record.state,
        "turns": record.turns,
        "cost_micros": record.cost_micros,
    })
}

/// Shows one job: its record, its draft and the last events of its definition.
///
/// # Wire shape
/// `{"record":{…},"draft":S|null,"events":[…]}`
///
/// # Errors
/// `job-not-running`, when there is no such job; `io`.
pub(crate) fn show(reference: &str, is_json: bool) -> Result<String, Failure> {
    let directory = Directory::find(reference)?;
    let record = directory.record()?.ok_or_else(|| {
        Failure::new(
            Code::JobNotRunning,
            format!("`{reference}` is no job any more"),
        )
    })?;
    let draft = Draft::text(&directory)?;
    let events = record.log().last(SHOWN_EVENTS);
    if is_json {
        let events = events.iter().map(|event| serde_json::from_str(event));
        let events: Vec<Value> = events.filter_map(Result::ok).collect();
        let document = json!({"record": record, "draft": draft, "events": events});
        return Ok(format!("{document}\n"));
    }
    let mut text = String::new();
    let caps = &record.caps;
    let lines = [
        format!("{}  {}", record.definition, record.state.text()),
        format!("turns {} of {}", record.turns, caps.turns),
        format!("cost {} micros", record.cost_micros),
    ];
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    if let Some(draft) = draft {
        write!(text, "\n{draft}").expect("a text takes all that is written to it");
    }
    if !events.is_empty() {
        text.push('\n');
    }
    if let Some(problem) = record.log().problem() {
        writeln!(text, "\n{problem}").expect("a text takes all that is written to it");
    }
    for event in events {
        writeln!(text, "{event}").expect("a text takes all that is written to it");
    }
    Ok(text)
}
