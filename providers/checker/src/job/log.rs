//! `<name>.log`: what happened to a definition, for people; nothing ever reads it as an input.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lonis::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value};

use super::directory::open_regular;
use super::hold::{is_missing, wait_for};
use super::record::Record;

/// How much of the end of a log is looked at first for its last number.
///
/// # Units and bounds
/// Bytes: 16 KiB, some dozens of calls.
const TAIL_BYTES: u64 = 16 << 10;

/// How much of the end of a log is looked at at most.
///
/// # Units and bounds
/// Bytes: 1 MiB, the longest line that is expected.
const MAX_TAIL_BYTES: u64 = 1 << 20;

/// How long an event waits for another one to be written.
///
/// # Units and bounds
/// 1 s, some hundred times what one takes.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The log of one definition.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    path: PathBuf,
}

impl Log {
    /// Gives the log of a definition whose files stand in a folder.
    pub(crate) fn of(folder: &Path, name: &str) -> Self {
        Self {
            path: folder.join(format!("{name}.log")),
        }
    }

    /// Appends an event as one whole line.
    ///
    /// # Errors
    /// What the system says; no call fails for it.
    pub(crate) fn write(&self, event: &str, fields: Value) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = open_regular(&mut options, &self.path)?;
        // Two jobs of one definition number their events one after the other; one that is held up writes all the same.
        wait_for(&file, MAX_WAIT)?;
        let (before, number) = numbered_tail(&mut file)?;
        // What an event says of itself is put over whatever fields come with it.
        let mut line = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        line.insert("event".to_owned(), event.into());
        line.insert("seq".to_owned(), (number + 1).into());
        line.insert("time".to_owned(), Timestamp::now().to_string().into());
        line.insert("mono_ms".to_owned(), monotonic_millis().into());
        // A line that a full disk cut off stays alone, so that this one reads.
        let start = if before.is_empty() || before.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let text = format!("{start}{}\n", ordered(&line));
        file.write_all(text.as_bytes())
    }

    /// Appends an event; one that cannot be written is lost, as no call fails for its log.
    pub(crate) fn note(&self, event: &str, fields: Value) {
        // The log is for people, who see on the human face that it is missing.
        let _ = self.write(event, fields);
    }

    /// Says why nothing can be added to the log, where that is so.
    pub(crate) fn problem(&self) -> Option<String> {
        let mut options = OpenOptions::new();
        let opened = open_regular(options.append(true), &self.path);
        let error = opened.err().filter(|error| !is_missing(error))?;
        Some(format!(
            "the log `{}` cannot be written: {error}",
            self.path.display()
        ))
    }

    /// Gives the last events, each as it was written.
    pub(crate) fn last(&self, count: usize) -> Vec<String> {
        let file = open_regular(OpenOptions::new().read(true), &self.path);
        let tail = file.and_then(|mut file| tail(&mut file, MAX_TAIL_BYTES));
        let text = tail.unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.len().saturating_sub(count);
        lines[first..]
            .iter()
            .map(|line| (*line).to_owned())
            .collect()
    }
}

impl Record {
    /// Gives the log of the definition.
    pub(crate) fn log(&self) -> Log {
        Log::of(&self.folder(), self.name())
    }

    /// Gives the folder of the definition's module, which is the root itself where no folder below it has its name.
    pub(crate) fn folder(&self) -> PathBuf {
        let folder = self.root.join(self.module());
        let found = folder.symlink_metadata();
        if found.is_ok_and(|found| found.is_dir()) {
            folder
        } else {
            self.root.clone()
        }
    }
}

/// Writes an event with its own members first.
fn ordered(line: &Map<String, Value>) -> String {
    const FIRST: [&str; 4] = ["event", "seq", "time", "mono_ms"];
    let own = FIRST.iter().filter_map(|key| line.get_key_value(*key));
    let rest = line
        .iter()
        .filter(|(key, _)| !FIRST.contains(&key.as_str()));
    let members = own.chain(rest).map(|(key, value)| {
        let key = Value::from(key.as_str());
        format!("{key}:{value}")
    });
    let members: Vec<String> = members.collect();
    format!("{{{}}}", members.join(","))
}

/// Gives the end of a log, and the number of its last event, 0 before the first.
fn numbered_tail(file: &mut File) -> io::Result<(String, u64)> {
    let usual = tail(file, TAIL_BYTES)?;
    if let Some(number) = last_number(&usual) {
        return Ok((usual, number));
    }
    let whole = tail(file, MAX_TAIL_BYTES)?;
    let number = last_number(&whole).unwrap_or(0);
    Ok((whole, number))
}

fn last_number(text: &str) -> Option<u64> {
    text.lines().rev().find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        event["seq"].as_u64()
    })
}

fn tail(file: &mut File, most: u64) -> io::Result<String> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let expected = length.min(most) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn monotonic_millis() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let millis = now.tv_sec.saturating_mul(1_000) + now.tv_nsec / 1_000_000;
    u64::try_from(millis).unwrap_or(0)
}
