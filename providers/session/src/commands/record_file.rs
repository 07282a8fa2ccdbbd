//! `record.json`: the record of a session as a file, for whoever looks at a store without this program.
//!
//! It is written after each event and believed by nobody: every command folds the log.

use std::io;

use crate::engine::Record;
use crate::identity::canonical_bytes;
use crate::store::disk::Disk;
use crate::store::layout::transaction;

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
    disk.read(&path_of(record.session.as_str()))
        .is_ok_and(|stored| stored == bytes(record))
}

/// A journal that is there for a while is no part of it.
fn bytes(record: &Record) -> Vec<u8> {
    let mut kept = record.clone();
    kept.recovery_pending = false;
    let mut bytes = canonical_bytes(&kept);
    bytes.push(b'\n');
    bytes
}
