//! The log of a session: one event a line, each naming the one before it.
//!
//! Owns reading and adding lines. A reader repairs nothing; the next writer cuts off a torn last line. A log is made whole with
//! its first line, so that one without is damage. What the events mean is for [`engine`](crate::engine).

use std::io;

use super::disk::Disk;
use super::layout::{QUARANTINE, TRANSACTIONS, make_directories, replace_file, transaction};
use crate::clock::Clock;
use crate::event::{Event, Fact, MAX_LINE_BYTES, NO_EVENT};
use crate::identity::Identity;
use crate::session_id::SessionId;

/// How much of a log is read at once.
const PIECE_BYTES: usize = 64 * 1024;

/// What is wrong with a line that is none.
const LONG: &str = "its line is longer than an event can be";

/// Why a log cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A line does not follow from those before it (`session/state-invalid`).
    #[error("event {seq} of the log of `{session}` does not verify: {rule}")]
    Invalid {
        /// The session.
        session: String,
        /// The place of the line.
        seq: u64,
        /// What it breaks.
        rule: String,
    },
    /// The log is not as it was when the command began (`session/log-tampered`); it was put back.
    #[error(
        "the log of `{session}` was changed beside the command, and holds its {events} events again"
    )]
    Changed {
        /// The session.
        session: String,
        /// How many events it holds.
        events: u64,
    },
    /// A line would be too long (`session/limit`).
    #[error("an event of {observed} bytes passes the limit of {MAX_LINE_BYTES}")]
    Length {
        /// Its length.
        observed: usize,
    },
    /// The log cannot be read (`io/read`).
    #[error("the log of `{session}` cannot be read")]
    Read {
        /// The session.
        session: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The log cannot be written (`session/state-write`).
    #[error("`{path}` cannot be written")]
    Write {
        /// The file or directory.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// A log that was read.
#[derive(Debug)]
pub struct Log {
    session: SessionId,
    events: Vec<Event>,
    /// The bytes of whole lines; what stands behind them is a torn line.
    whole_bytes: u64,
    /// What they hash to, so that an append can tell whether they are still there.
    hasher: blake3::Hasher,
    /// The bytes of a torn line.
    torn_bytes: u64,
}

/// The file of a session's log.
pub(crate) fn path_of(session: &SessionId) -> String {
    format!("{}/log.ndjson", transaction(session.as_str()))
}

impl Log {
    /// Reads and verifies the log of a session; one that is not there is of a session that never began.
    ///
    /// # Errors
    /// A line that does not verify, a log without a whole line, and what the system says.
    pub fn read(disk: &dyn Disk, session: &SessionId) -> Result<Self, LogError> {
        let mut log = Self::new(session);
        let mut lines = Lines::of(disk, path_of(session));
        loop {
            let line = match lines.next() {
                Err(error) if error.kind() == io::ErrorKind::NotFound && log.events.is_empty() => {
                    return Ok(log);
                }
                line => line.map_err(|source| LogError::Read {
                    session: session.to_string(),
                    source,
                })?,
            };
            match line {
                Line::Whole(line) => {
                    let event = log.verified(line)?;
                    log.take(event, line);
                }
                Line::Torn(line) => {
                    log.check_torn(line)?;
                    log.torn_bytes = line.len() as u64;
                    break;
                }
                Line::Long => return Err(log.invalid(LONG.to_owned())),
                Line::End => break,
            }
        }
        if log.events.is_empty() {
            return Err(log.invalid("its first line is missing".to_owned()));
        }
        Ok(log)
    }

    /// Brings a log back to the lines that follow from each other, where these are all up to an event that is known to be the last
    /// one; gives none where they are not, and where all lines follow. What stood there is kept in quarantine.
    ///
    /// The caller holds the lock of the session.
    ///
    /// # Errors
    /// What the system says.
    pub fn repair(
        disk: &dyn Disk,
        session: &SessionId,
        head: Identity,
    ) -> Result<Option<Self>, LogError> {
        let mut log = Self::new(session);
        let path = path_of(session);
        let mut lines = Lines::of(disk, path.clone());
        let mut has_others = false;
        loop {
            let line = lines.next().map_err(|source| LogError::Read {
                session: session.to_string(),
                source,
            })?;
            match line {
                Line::Whole(line) => match log.verified(line) {
                    Ok(event) => log.take(event, line),
                    Err(_) => has_others = true,
                },
                Line::Torn(_) | Line::Long => {
                    has_others = true;
                    break;
                }
                Line::End => break,
            }
        }
        if !has_others || log.head() != head {
            return Ok(None);
        }
        let kept = (0_u64..).map(|number| format!("{QUARANTINE}/{session}.log.{number}"));
        let written = make_directories(disk, QUARANTINE).and_then(|()| {
            for kept in kept {
                match disk.link(&path, &kept) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    linked => {
                        linked?;
                        break;
                    }
                }
            }
            replace_file(disk, &path, log.text().as_bytes())
        });
        written.map_err(|source| LogError::Write { path, source })?;
        Ok(Some(log))
    }

    fn new(session: &SessionId) -> Self {
        Self {
            session: session.clone(),
            events: Vec::new(),
            whole_bytes: 0,
            hasher: blake3::Hasher::new(),
            torn_bytes: 0,
        }
    }

    /// Takes a line that was verified.
    fn take(&mut self, event: Event, line: &[u8]) {
        self.events.push(event);
        self.whole_bytes += line.len() as u64;
        self.hasher.update(line);
    }

    /// All its lines.
    fn text(&self) -> String {
        self.events.iter().map(Event::line).collect()
    }

    /// Tells an append that was cut short from a last line whose end was damaged: a line feed is the last byte to be written.
    fn check_torn(&self, tail: &[u8]) -> Result<(), LogError> {
        let Some((_, line)) = tail.split_last() else {
            return Ok(());
        };
        match Event::parse(line) {
            Ok(_) => Err(self.invalid("its line does not end in a line feed".to_owned())),
            Err(_) => Ok(()),
        }
    }

    /// The error of the line behind the events that were read.
    fn invalid(&self, rule: String) -> LogError {
        LogError::Invalid {
            session: self.session.to_string(),
            seq: self.events.len() as u64,
            rule,
        }
    }

    fn verified(&self, line: &[u8]) -> Result<Event, LogError> {
        let seq = self.events.len() as u64;
        let invalid = |rule: String| self.invalid(rule);
        let event = Event::parse(line).map_err(|error| invalid(error.to_string()))?;
        if event.seq != seq {
            return Err(invalid("its number does not follow".to_owned()));
        }
        if event.prev != self.head() {
            return Err(invalid("it does not name the event before it".to_owned()));
        }
        let begins = matches!(&event.fact, Fact::Begun(begun) if begun.session == self.session);
        if begins != (seq == 0) {
            return Err(invalid(
                "a log begins with `begun` of its own session, once".to_owned(),
            ));
        }
        Ok(event)
    }

    /// Adds an event, durably; a torn line is cut off first.
    ///
    /// # Errors
    /// What the system says. What was written of the event is cut off again; where that fails too, the next append of this
    /// log does it, and the next reader may see the event.
    pub fn append(
        &mut self,
        disk: &dyn Disk,
        clock: &dyn Clock,
        call: Option<String>,
        fact: Fact,
    ) -> Result<&Event, LogError> {
        let path = path_of(&self.session);
        let event = Event::new(
            self.events.len() as u64,
            self.head(),
            clock.now(),
            call,
            fact,
        );
        let line = event.line();
        if line.len() > MAX_LINE_BYTES {
            return Err(LogError::Length {
                observed: line.len(),
            });
        }
        self.check_unchanged(disk, &path)?;
        let written = if self.events.is_empty() {
            self.begin(disk, &path, line.as_bytes())
        } else {
            self.write(disk, &path, line.as_bytes())
        };
        written.map_err(|source| LogError::Write { path, source })?;
        self.whole_bytes += line.len() as u64;
        self.hasher.update(line.as_bytes());
        Ok(self.events.push_mut(event))
    }

    /// Refuses to write behind lines that are not those that were read, and puts those back.
    ///
    /// Whoever holds the lock is the only one to write; an obligation that writes here all the same would else have what follows
    /// stand behind its bytes, where no reader comes to it.
    fn check_unchanged(&self, disk: &dyn Disk, path: &str) -> Result<(), LogError> {
        if self.events.is_empty() || self.stands(disk, path).unwrap_or(false) {
            return Ok(());
        }
        let restored = replace_file(disk, path, self.text().as_bytes());
        restored.map_err(|source| LogError::Write {
            path: path.to_owned(),
            source,
        })?;
        Err(LogError::Changed {
            session: self.session.to_string(),
            events: self.events.len() as u64,
        })
    }

    /// Whether the file holds what was read of it, and nothing else.
    fn stands(&self, disk: &dyn Disk, path: &str) -> io::Result<bool> {
        let length = disk.look(path)?.map(|look| look.bytes);
        if length != Some(self.whole_bytes + self.torn_bytes) {
            return Ok(false);
        }
        let mut hasher = blake3::Hasher::new();
        let mut read = 0;
        while read < self.whole_bytes {
            let left = usize::try_from(self.whole_bytes - read).unwrap_or(usize::MAX);
            let piece = disk.read_range(path, read, left.min(PIECE_BYTES))?;
            if piece.is_empty() {
                return Ok(false);
            }
            hasher.update(&piece);
            read += piece.len() as u64;
        }
        Ok(hasher.finalize() == self.hasher.finalize())
    }

    /// Makes the log with its first line; it is there whole or not at all.
    fn begin(&self, disk: &dyn Disk, path: &str, line: &[u8]) -> io::Result<()> {
        make_directories(disk, &transaction(self.session.as_str()))?;
        let begun = replace_file(disk, path, line);
        if begun.is_err() {
            // A session whose `begin` failed has not begun, also where only the last sync failed; a file that is not there
            // is what is wanted.
            let _ = disk.remove_file(path);
        }
        begun
    }

    fn write(&mut self, disk: &dyn Disk, path: &str, line: &[u8]) -> io::Result<()> {
        if self.torn_bytes > 0 {
            disk.cut(path, self.whole_bytes)?;
            self.torn_bytes = 0;
        }
        let written = disk.append(path, line).and_then(|()| disk.sync(path));
        if written.is_err() {
            // A command that failed has no event: what is there of it goes, and nothing is ever written behind it.
            if disk.cut(path, self.whole_bytes).is_err() {
                let look = disk.look(path).ok().flatten();
                self.torn_bytes =
                    look.map_or(0, |look| look.bytes.saturating_sub(self.whole_bytes));
            }
        }
        written
    }

    /// The events, the first one first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The identity of the last event.
    pub fn head(&self) -> Identity {
        self.events.last().map_or(NO_EVENT, |event| event.id)
    }
}

/// What a file of lines gives.
enum Line<'a> {
    /// A line with its line feed.
    Whole(&'a [u8]),
    /// What stands behind the last line feed.
    Torn(&'a [u8]),
    /// A line that is longer than any event.
    Long,
    End,
}

/// The lines of a file, of which no more is held than one line and what was read with its end.
struct Lines<'d> {
    disk: &'d dyn Disk,
    path: String,
    /// How much was read.
    read: u64,
    held: Vec<u8>,
    /// Where the next line starts in what is held.
    start: usize,
    is_ended: bool,
}

impl<'d> Lines<'d> {
    fn of(disk: &'d dyn Disk, path: String) -> Self {
        Self {
            disk,
            path,
            read: 0,
            held: Vec::new(),
            start: 0,
            is_ended: false,
        }
    }

    fn next(&mut self) -> io::Result<Line<'_>> {
        let mut sought = self.start;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.held[sought..]) {
                let (start, end) = (self.start, sought + at + 1);
                self.start = end;
                let line = &self.held[start..end];
                let is_long = line.len() > MAX_LINE_BYTES;
                return Ok(if is_long {
                    Line::Long
                } else {
                    Line::Whole(line)
                });
            }
            let rest = self.held.len() - self.start;
            if rest > MAX_LINE_BYTES {
                return Ok(Line::Long);
            }
            if self.is_ended {
                let start = std::mem::replace(&mut self.start, self.held.len());
                let rest = &self.held[start..];
                return Ok(if rest.is_empty() {
                    Line::End
                } else {
                    Line::Torn(rest)
                });
            }
            self.held.drain(..self.start);
            (self.start, sought) = (0, rest);
            let piece = self.disk.read_range(&self.path, self.read, PIECE_BYTES)?;
            self.is_ended = piece.len() < PIECE_BYTES;
            self.read += piece.len() as u64;
            self.held.extend_from_slice(&piece);
        }
    }
}

/// The ids of all sessions that have a directory, ascending.
///
/// # Errors
/// What the system says (`io/read`).
pub fn sessions(disk: &dyn Disk) -> io::Result<Vec<SessionId>> {
    let names = match disk.list(TRANSACTIONS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        names => names?,
    };
    Ok(names
        .iter()
        .filter_map(|name| SessionId::new(name).ok())
        .collect())
}

#[cfg(test)]
mod tests;
