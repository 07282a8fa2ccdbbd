//! The journal of an apply: what recovery needs to undo or finish it. It is there only while an apply is unfinished.

use std::io;

use lonis::canonical;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::disk::Disk;
use super::layout::{JOURNALS, replace_file};
use crate::apply::plan::Op;
use crate::event::JournalState;
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::session_id::SessionId;
use crate::snapshot::tree::Entry;

/// The longest journal that is read; one of a million paths is no longer.
const MAX_JOURNAL_BYTES: u64 = 512 * 1024 * 1024;

/// One path of an apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The path.
    pub path: WorkspacePath,
    /// What is done to it.
    pub op: Op,
    /// What stood there.
    pub base: Option<Entry>,
    /// What will stand there.
    pub target: Option<Entry>,
    /// The name of the prepared file, then of what came out.
    pub temp: String,
}

/// A journal.
///
/// # Wire shape
/// One canonical line, closed; `checksum` is the identity of the object without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    schema: String,
    /// The session.
    pub session: SessionId,
    /// The host's call.
    pub call: Option<String>,
    /// The snapshot that the live tree was.
    pub base: Identity,
    /// The snapshot that it becomes.
    pub target: Identity,
    /// The difference.
    pub change_set: Identity,
    /// The paths, in the order in which they are swapped.
    pub paths: Vec<Step>,
    /// Directories that the apply makes, the outermost first.
    pub created_dirs: Vec<String>,
    /// How far it has come.
    pub state: JournalState,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    checksum: Option<Identity>,
}

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// It is damaged, and nothing is touched (`session/state-invalid`).
    #[error("the journal of `{session}` is damaged: {rule}")]
    Damaged {
        /// The session.
        session: String,
        /// What it breaks.
        rule: String,
    },
    /// It cannot be read or written (`session/state-write`).
    #[error("`{path}` cannot be read or written")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

fn path_of(session: &str) -> String {
    format!("{JOURNALS}/{session}")
}

impl Journal {
    /// Makes a journal that nothing was done by yet.
    pub fn new(
        session: SessionId,
        call: Option<String>,
        snapshots: (Identity, Identity),
        change_set: Identity,
    ) -> Self {
        Self {
            schema: Domain::Journal.schema(),
            session,
            call,
            base: snapshots.0,
            target: snapshots.1,
            change_set,
            paths: Vec::new(),
            created_dirs: Vec::new(),
            state: JournalState::Writing,
            checksum: None,
        }
    }

    /// Writes it whole and durably.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, disk: &dyn Disk) -> Result<(), JournalError> {
        let mut whole = self.clone();
        whole.checksum = None;
        whole.checksum = Some(whole.identity());
        let path = path_of(self.session.as_str());
        let line = text(&whole) + "\n";
        replace_file(disk, &path, line.as_bytes())
            .map_err(|source| JournalError::Io { path, source })
    }

    fn identity(&self) -> Identity {
        Identity::of(Domain::Journal, text(self).as_bytes())
    }

    /// Reads the journal of a session; `None` where no apply is unfinished.
    ///
    /// # Errors
    /// A damaged one, and what the system says.
    pub fn read(disk: &dyn Disk, session: &str) -> Result<Option<Self>, JournalError> {
        let path = path_of(session);
        let damaged = |rule: &str| JournalError::Damaged {
            session: session.to_owned(),
            rule: rule.to_owned(),
        };
        let bytes = match read_line(disk, &path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(damaged("it is longer than a journal can be"));
            }
            read => read.map_err(|source| JournalError::Io { path, source })?,
        };
        let bytes = bytes.ok_or_else(|| damaged("it is not one line"))?;
        // By way of a value: a missing member that may be `null` is told from one that is.
        let value: Value = serde_json::from_slice(&bytes).map_err(|_| damaged("it is not JSON"))?;
        let mut journal: Self =
            serde_json::from_value(value).map_err(|error| damaged(&error.to_string()))?;
        let checksum = journal
            .checksum
            .take()
            .ok_or_else(|| damaged("its checksum is missing"))?;
        if journal.identity() != checksum || journal.session.as_str() != session {
            return Err(damaged("its checksum is another one"));
        }
        Ok(Some(journal))
    }

    /// Removes it, durably: the apply is over.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, disk: &dyn Disk) -> Result<(), JournalError> {
        let path = path_of(self.session.as_str());
        let failed = |source| JournalError::Io {
            path: path.clone(),
            source,
        };
        match disk.remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        disk.sync(JOURNALS).map_err(failed)
    }
}

/// The line of a journal; none where the file does not end as one, which is then not read whole.
fn read_line(disk: &dyn Disk, path: &str) -> io::Result<Option<Vec<u8>>> {
    let look = disk.look(path)?.ok_or(io::ErrorKind::NotFound)?;
    let last = disk.read_range(path, look.bytes.saturating_sub(1), 1)?;
    if last != b"\n" {
        return Ok(None);
    }
    disk.read(path, MAX_JOURNAL_BYTES).map(Some)
}

fn text(journal: &Journal) -> String {
    canonical::text(journal).expect("a journal holds texts, identities and counts")
}

/// Removes journals that were never finished.
///
/// # Errors
/// What the system says.
pub fn sweep(disk: &dyn Disk) -> Result<(), JournalError> {
    let failed = |source| JournalError::Io {
        path: JOURNALS.to_owned(),
        source,
    };
    let names = match disk.list(JOURNALS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        names => names.map_err(failed)?,
    };
    for name in names
        .iter()
        .filter(|name| name.strip_suffix(".tmp").is_some())
    {
        disk.remove_file(&format!("{JOURNALS}/{name}"))
            .map_err(failed)?;
    }
    Ok(())
}

/// The sessions with an unfinished apply.
///
/// # Errors
/// What the system says.
pub fn unfinished(disk: &dyn Disk) -> io::Result<Vec<String>> {
    match disk.list(JOURNALS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        names => Ok(names?
            .into_iter()
            .filter(|name| SessionId::new(name).is_ok())
            .collect()),
    }
}
