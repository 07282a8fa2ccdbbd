//! `record.json`: the record of a session as a file, for whoever looks at a store without this program.
//!
//! It is written after each event and believed by nobody: every command folds the log.

use std::io;

use serde_json::Value;

use crate::engine::Record;
use crate::identity::{Identity, canonical_bytes};
use crate::session_id::SessionId;
use crate::store::disk::Disk;
use crate::store::layout::transaction;

/// The longest record that is read: one of the longest chain there is.
const MAX_RECORD_BYTES: u64 = 64 * 1024 * 1024;

/// The file of a session's record.
pub(super) fn path_of(session: &str) -> String {
    format!("{}/record.json", transaction(session))
}

/// Writes the record of a session; not synced, since it can be made again.
pub(super) fn write(disk: &dyn Disk, record: &Record) -> io::Result<()> {
    let path = path_of(record.session.as_str());
    let temporary = format!("{path}.tmp");
    match disk.remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => disk.create_file(&temporary, &bytes(record), 0o644)?,
    }
    disk.rename(&temporary, &path)
}

/// Whether the file of a session holds its record.
pub(super) fn holds(disk: &dyn Disk, record: &Record) -> bool {
    let expected = bytes(record);
    disk.read(&path_of(record.session.as_str()), expected.len() as u64)
        .is_ok_and(|stored| stored == expected)
}

/// The last event that the file of a session knows of.
pub(super) fn head(disk: &dyn Disk, session: &SessionId) -> Option<Identity> {
    let bytes = disk
        .read(&path_of(session.as_str()), MAX_RECORD_BYTES)
        .ok()?;
    let record: Value = serde_json::from_slice(&bytes).ok()?;
    record.get("log_head")?.as_str()?.parse().ok()
}

/// A journal that is there for a while is no part of it.
fn bytes(record: &Record) -> Vec<u8> {
    let mut kept = record.clone();
    kept.recovery_pending = false;
    let mut bytes = canonical_bytes(&kept);
    bytes.push(b'\n');
    bytes
}
