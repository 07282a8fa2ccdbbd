//! What an apply does to each path, and what stands at one.

use std::collections::{BTreeSet, HashSet};
use std::io;

use serde::{Deserialize, Serialize};

use crate::identity::{Domain, Identity, IdentityHasher};
use crate::snapshot::change::Change;
use crate::snapshot::tree::Entry;
use crate::store::disk::{Disk, Kind, Look, ancestors_of};
use crate::store::journal::Step;
use crate::store::layout::TEMPORARY;

/// Up to this length a file is held whole while it is hashed; a longer one is read in pieces.
const MAX_WHOLE_BYTES: u64 = 16 * 1024 * 1024;

/// How much of a long file is held.
const PIECE_BYTES: usize = 1024 * 1024;

/// The most that a policy lets a file be: what is longer is none of those that an apply is about.
const MAX_FILE_BYTES: u64 = 1 << 40;

/// What is done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Nothing stood there.
    Create,
    /// Something stood there, and something else will.
    Replace,
    /// Nothing will stand there.
    Remove,
}

/// Makes the steps of a difference: removals first, so that a file can become a directory and a directory a file.
pub fn steps(session: &str, changes: &[Change]) -> Vec<Step> {
    let mut steps: Vec<Step> = changes
        .iter()
        .enumerate()
        .filter_map(|(number, change)| {
            let op = match (&change.before, &change.after) {
                (None, Some(_)) => Op::Create,
                (Some(_), Some(_)) => Op::Replace,
                (Some(_), None) => Op::Remove,
                (None, None) => return None,
            };
            Some(Step {
                path: change.path.clone(),
                op,
                base: change.before,
                target: change.after,
                temp: format!("{session}.{number}"),
            })
        })
        .collect();
    steps.sort_by_key(|step| step.op != Op::Remove);
    steps
}

/// Directories that have to be made before the files in them, the outermost first.
///
/// # Errors
/// What the system says.
pub fn missing_directories(disk: &dyn Disk, steps: &[Step]) -> io::Result<Vec<String>> {
    let creates = steps.iter().filter(|step| step.op == Op::Create);
    let above: BTreeSet<&str> = creates
        .flat_map(|step| ancestors_of(step.path.as_str()))
        .collect();
    let mut missing = Vec::new();
    // In the order of the set a directory comes before those in it.
    for directory in above {
        if !is_directory(disk, directory)? {
            missing.push(directory.to_owned());
        }
    }
    Ok(missing)
}

/// The place of a step's prepared file, then of what came out.
pub fn temporary(step: &Step) -> String {
    format!("{TEMPORARY}/{}", step.temp)
}

/// The second name of what a step replaces, where two paths cannot be exchanged.
pub fn linked(step: &Step) -> String {
    format!("{}.old", temporary(step))
}

/// The place of the emptied directory in whose stead a step creates a file.
pub fn cleared(step: &Step) -> String {
    format!("{}.dir", temporary(step))
}

/// Where a file may lie that a step took out of the live tree.
pub fn aside(step: &Step) -> [String; 2] {
    [temporary(step), linked(step)]
}

/// What lies at the temporary names of applies, listed at once: most steps use one name of the three that they have.
///
/// # Errors
/// What the system says.
pub(super) fn lying(disk: &dyn Disk) -> io::Result<HashSet<String>> {
    match disk.list(TEMPORARY) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HashSet::new()),
        names => Ok(names?
            .into_iter()
            .map(|name| format!("{TEMPORARY}/{name}"))
            .collect()),
    }
}

/// The place of a directory of the journal before it is moved into the live tree.
pub fn made(session: &str, number: usize) -> String {
    format!("{TEMPORARY}/{session}.made.{number}")
}

/// What stands at a path, content hashed; `None` for nothing, a directory, and what is neither file nor link.
///
/// # Errors
/// What the system says.
pub fn state_at(disk: &dyn Disk, path: &str) -> io::Result<Option<Entry>> {
    Ok(standing(disk, path)?.and_then(|(_, entry)| entry))
}

/// What stands at a path, and its entry; none for what is neither file nor link.
pub(super) fn standing(disk: &dyn Disk, path: &str) -> io::Result<Option<(Kind, Option<Entry>)>> {
    match disk.stand(path, MAX_WHOLE_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => streamed(disk, path),
        stands => Ok(stands?.map(|(look, bytes)| (look.kind, entry_of(look, &bytes)))),
    }
}

/// What stands at a path, where that is a file too long to be held.
fn streamed(disk: &dyn Disk, path: &str) -> io::Result<Option<(Kind, Option<Entry>)>> {
    let Some(look) = disk.look(path)? else {
        return Ok(None);
    };
    let mut hasher = IdentityHasher::new(Domain::Blob);
    let mut bytes = 0_u64;
    loop {
        let piece = disk.read_range(path, bytes, PIECE_BYTES)?;
        hasher.update(&piece);
        bytes += piece.len() as u64;
        if piece.len() < PIECE_BYTES {
            break;
        }
        if bytes > MAX_FILE_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
    }
    let entry = Entry::File {
        executable: look.is_executable(),
        blob: hasher.finish(),
        bytes,
    };
    Ok(Some((look.kind, Some(entry))))
}

/// What stands somewhere as an entry; `None` for what is neither file nor link.
fn entry_of(look: Look, bytes: &[u8]) -> Option<Entry> {
    let blob = || Identity::of(Domain::Blob, bytes);
    let length = bytes.len() as u64;
    match look.kind {
        Kind::File => Some(Entry::File {
            executable: look.is_executable(),
            blob: blob(),
            bytes: length,
        }),
        Kind::Link => Some(Entry::Link {
            blob: blob(),
            bytes: length,
        }),
        Kind::Directory | Kind::Other => None,
    }
}

/// Whether nothing at all stands at a path.
///
/// # Errors
/// What the system says.
pub fn is_free(disk: &dyn Disk, path: &str) -> io::Result<bool> {
    Ok(disk.look(path)?.is_none())
}

/// Whether the directory at `place`, which stood or will stand at `path`, is one of these and holds nothing but others of them.
///
/// # Errors
/// What the system says.
pub fn holds_only(
    disk: &dyn Disk,
    place: &str,
    path: &str,
    directories: &BTreeSet<&str>,
) -> io::Result<bool> {
    if !directories.contains(path) {
        return Ok(false);
    }
    for name in disk.list(place)? {
        let inner = format!("{place}/{name}");
        if !is_directory(disk, &inner)?
            || !holds_only(disk, &inner, &format!("{path}/{name}"), directories)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a directory stands at a path.
///
/// # Errors
/// What the system says.
pub fn is_directory(disk: &dyn Disk, path: &str) -> io::Result<bool> {
    let look = disk.look(path)?;
    Ok(look.is_some_and(|look| look.kind == Kind::Directory))
}
