//! The log of a session: one event a line, each naming the one before it.
//!
//! Owns reading and adding lines. A reader repairs nothing; the next writer cuts off a torn last line. A log is made whole with
//! its first line, so that one without is damage. What the events mean is for [`engine`](crate::engine).

use std::io;

use super::disk::Disk;
use super::layout::{TRANSACTIONS, make_directories, replace_file, transaction};
use crate::clock::Clock;
use crate::event::{Event, Fact, MAX_LINE_BYTES, NO_EVENT};
use crate::identity::Identity;
use crate::session_id::SessionId;

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
    is_torn: bool,
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
        let bytes = match disk.read(&path_of(session)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::new(session)),
            read => read.map_err(|source| LogError::Read {
                session: session.to_string(),
                source,
            })?,
        };
        let mut log = Self::new(session);
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            if !line.ends_with(b"\n") {
                log.check_torn(line)?;
                log.is_torn = true;
                break;
            }
            let event = log.verified(line)?;
            log.events.push(event);
            log.whole_bytes += line.len() as u64;
        }
        if log.events.is_empty() {
            return Err(log.invalid("its first line is missing".to_owned()));
        }
        Ok(log)
    }

    fn new(session: &SessionId) -> Self {
        Self {
            session: session.clone(),
            events: Vec::new(),
            whole_bytes: 0,
            is_torn: false,
        }
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
        let written = if self.events.is_empty() {
            self.begin(disk, &path, line.as_bytes())
        } else {
            self.write(disk, &path, line.as_bytes())
        };
        written.map_err(|source| LogError::Write { path, source })?;
        self.whole_bytes += line.len() as u64;
        Ok(self.events.push_mut(event))
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
        if self.is_torn {
            disk.cut(path, self.whole_bytes)?;
            self.is_torn = false;
        }
        let written = disk.append(path, line).and_then(|()| disk.sync(path));
        if written.is_err() {
            // A command that failed has no event: what is there of it goes, and nothing is ever written behind it.
            self.is_torn = disk.cut(path, self.whole_bytes).is_err();
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
