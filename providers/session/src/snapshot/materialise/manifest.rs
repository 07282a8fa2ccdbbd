//! What a workspace holds, as we put it there.

use std::io;

use crate::beneath::Stamp;
use crate::identity::Identity;
use crate::snapshot::stat_cache::{Known, decode, encode, read_behind};
use crate::store::disk::Disk;

const MAGIC: &[u8; 8] = b"LONISWRK";

/// Bytes of the boot id that are kept.
const BOOT_BYTES: usize = 36;

/// What was going on when the manifest was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing: all files are as the manifest says.
    Clean = 1,
    /// Files were being written: none is known.
    Writing = 2,
    /// Something ran, and may have changed any of them.
    Running = 3,
}

/// A manifest.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) state: State,
    pub(super) snapshot: Identity,
    /// Files and links, ascending.
    pub(super) files: Vec<Known>,
    /// When it was written, by the clock of the file system.
    pub(super) written: Stamp,
}

impl Held {
    pub(super) fn new(state: State, snapshot: Identity, mut files: Vec<Known>) -> Self {
        files.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        Self {
            state,
            snapshot,
            files,
            // Until it is read from the disk, no stat of a file is older than it.
            written: Stamp::default(),
        }
    }
}

/// Reads a manifest; `None` where there is none that is whole, and after another boot, since nothing in a workspace is synced.
pub(super) fn load(disk: &dyn Disk, path: &str, written: Stamp) -> Option<Held> {
    let files_at = MAGIC.len() + 1 + BOOT_BYTES + 32;
    let bytes = read_behind(disk, path, files_at as u64)?;
    let rest = bytes.strip_prefix(MAGIC)?;
    let (state, rest) = rest.split_first()?;
    let (boot, rest) = rest.split_first_chunk::<BOOT_BYTES>()?;
    let (snapshot, files) = rest.split_first_chunk::<32>()?;
    if *boot != boot_id() {
        return None;
    }
    Some(Held {
        state: match state {
            1 => State::Clean,
            2 => State::Writing,
            3 => State::Running,
            _ => return None,
        },
        snapshot: Identity::from_bytes(*snapshot),
        files: decode(files)?,
        written,
    })
}

pub(super) fn save(disk: &dyn Disk, path: &str, held: &Held) -> io::Result<()> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(held.state as u8);
    bytes.extend(boot_id());
    bytes.extend(held.snapshot.as_bytes());
    bytes.extend(encode(&held.files));
    let temporary = format!("{path}.tmp");
    match disk.remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => disk.create_file(&temporary, &bytes, 0o600)?,
    }
    disk.rename(&temporary, path)
}

/// What names this run of the kernel, where the system says so.
fn boot_id() -> [u8; BOOT_BYTES] {
    let mut id = [b'-'; BOOT_BYTES];
    if let Ok(text) = std::fs::read("/proc/sys/kernel/random/boot_id") {
        for (held, byte) in id.iter_mut().zip(text) {
            *held = byte;
        }
    }
    id
}
