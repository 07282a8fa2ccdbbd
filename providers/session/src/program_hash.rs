//! The BLAKE3 of the programs that obligations run, each read once in the life of this process as long as its file stays.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::beneath::open_any;

/// What tells one state of a file from another: device, inode, length, and the change stamp, which nobody can set back.
type State = (u64, u64, u64, i64, i64);

/// The hashes of programs.
#[derive(Debug, Default)]
pub struct ProgramHashes(Mutex<HashMap<State, String>>);

impl ProgramHashes {
    /// The plain BLAKE3 of a program's bytes, as hex digits; `None` where it cannot be read.
    pub fn of(&self, program: &Path) -> Option<String> {
        let (file, _) = open_any(program).ok()?;
        let state = state(&file.metadata().ok()?);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hash) = known.get(&state) {
            return Some(hash.clone());
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(&file).ok()?;
        let hash = hasher.finalize().to_hex().to_string();
        known.insert(state, hash.clone());
        Some(hash)
    }
}

fn state(metadata: &Metadata) -> State {
    (
        metadata.dev(),
        metadata.ino(),
        metadata.len(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    )
}
