//! What came out of the live tree: removed where it is what was expected, kept where somebody else changed it.

use std::collections::HashSet;
use std::io;

use super::ApplyError;
use super::plan::{
    Op, aside, cleared, is_directory, is_free, lying, made, standing, state_at, temporary,
};
use crate::identity::{Domain, Identity};
use crate::snapshot::tree::Entry;
use crate::store::disk::{Disk, Kind, ancestors_of};
use crate::store::journal::{self, Journal, Step};
use crate::store::layout::{KEPT, TEMPORARY, make_directories};

/// How much of a path's last segment stands in the name of a kept file, for people.
const SHOWN_BYTES: usize = 120;

/// How many digits of an identity stand in the name of a kept file.
const DIGITS: usize = 16;

/// Gives a file that is somebody else's a second name, under which nobody removes it.
///
/// # Errors
/// What the system says.
pub(super) fn keep(
    disk: &dyn Disk,
    journal: &Journal,
    path: &str,
    place: &str,
) -> io::Result<String> {
    let folder = format!("{KEPT}/{}", journal.session);
    make_directories(disk, &folder)?;
    let name = kept_name(path, state_at(disk, place)?.as_ref());
    let kept = format!("{folder}/{name}");
    let linked = if is_directory(disk, place)? {
        // A directory has one name only.
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        disk.link(place, &kept)
    };
    let done = match linked {
        // Where a second name is not to be had, as of another user's file, it has the new one alone.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => disk.rename_new(place, &kept),
        linked => linked,
    };
    match done {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        done => done?,
    }
    disk.sync(&folder)?;
    Ok(kept)
}

/// Named by the path and by what it holds, so that the same file is kept once however often a recovery comes by.
fn kept_name(path: &str, held: Option<&Entry>) -> String {
    let last = path.rsplit('/').next().unwrap_or(path);
    let shown = &last[..last.floor_char_boundary(SHOWN_BYTES)];
    let place = Identity::of(Domain::Blob, path.as_bytes()).to_string();
    let held = held.map_or_else(String::new, |entry| entry.blob().to_string());
    let content = held.get(..DIGITS).unwrap_or("directory");
    format!("{shown}.{}.{content}", &place[..DIGITS])
}

/// Whether nothing stands at a place, or one of these.
///
/// # Errors
/// What the system says.
pub(super) fn is_one_of(disk: &dyn Disk, place: &str, sides: &[Option<Entry>]) -> io::Result<bool> {
    let Some((_, state)) = standing(disk, place)? else {
        return Ok(true);
    };
    Ok(state.is_some() && sides.contains(&state))
}

/// Keeps every file that was changed after it came out, and names them. Nothing is removed.
///
/// # Errors
/// What the system says.
pub fn settle(disk: &dyn Disk, journal: &Journal) -> Result<Vec<String>, ApplyError> {
    let lying = lying(disk).map_err(ApplyError::write(TEMPORARY))?;
    let mut kept = Vec::new();
    for step in &journal.paths {
        for place in aside(step).iter().filter(|place| lying.contains(*place)) {
            let failed = |error| ApplyError::write(step.path.as_str())(error);
            if !is_one_of(disk, place, &[step.base]).map_err(failed)? {
                kept.push(keep(disk, journal, step.path.as_str(), place).map_err(failed)?);
            }
        }
    }
    Ok(kept)
}

/// Removes what came out, emptied directories and the journal, and names the files kept on the way.
///
/// # Errors
/// What the system says; recovery goes on from there.
pub fn finish(disk: &dyn Disk, journal: &Journal) -> Result<Vec<String>, ApplyError> {
    let lying = lying(disk).map_err(ApplyError::write(TEMPORARY))?;
    let mut kept = Vec::new();
    for step in &journal.paths {
        discard(disk, journal, step, (&[step.base], &lying), &mut kept)
            .map_err(ApplyError::write(step.path.as_str()))?;
    }
    discard_made(disk, journal);
    for step in journal.paths.iter().filter(|step| step.op == Op::Remove) {
        remove_emptied(disk, step.path.as_str());
    }
    journal.remove(disk)?;
    Ok(kept)
}

/// Removes what was prepared or came out again, once no journal speaks of it, and names the files kept on the way.
///
/// # Errors
/// What the system says; what is left behind is swept away by the next apply.
pub(super) fn discard_all(disk: &dyn Disk, journal: &Journal) -> Result<Vec<String>, ApplyError> {
    let lying = lying(disk).map_err(ApplyError::write(TEMPORARY))?;
    let mut kept = Vec::new();
    for step in &journal.paths {
        discard(
            disk,
            journal,
            step,
            (&[step.base, step.target], &lying),
            &mut kept,
        )
        .map_err(ApplyError::write(step.path.as_str()))?;
    }
    discard_made(disk, journal);
    Ok(kept)
}

fn discard(
    disk: &dyn Disk,
    journal: &Journal,
    step: &Step,
    (sides, lying): (&[Option<Entry>], &HashSet<String>),
    kept: &mut Vec<String>,
) -> io::Result<()> {
    for place in aside(step).iter().filter(|place| lying.contains(*place)) {
        let is_expected = is_one_of(disk, place, sides)?;
        if !is_expected {
            kept.push(keep(disk, journal, step.path.as_str(), place)?);
        }
        // What is kept has a second name, or has left for its only one.
        if is_expected || !is_free(disk, place)? {
            disk.remove_file(place)?;
        }
    }
    let cleared = cleared(step);
    if lying.contains(&cleared) && !remove_directories(disk, &cleared)? {
        kept.push(keep(disk, journal, step.path.as_str(), &cleared)?);
    }
    Ok(())
}

/// Removes the directories that were prepared and not needed.
fn discard_made(disk: &dyn Disk, journal: &Journal) {
    for number in 0..journal.created_dirs.len() {
        // Most are in the live tree now, and one that is left behind is swept away by the next apply.
        let _ = remove_directories(disk, &made(journal.session.as_str(), number));
    }
}

/// Removes a directory in which there are only directories; `false` where something else is in it.
fn remove_directories(disk: &dyn Disk, path: &str) -> io::Result<bool> {
    for name in disk.list(path)? {
        let inner = format!("{path}/{name}");
        if !is_directory(disk, &inner)? || !remove_directories(disk, &inner)? {
            return Ok(false);
        }
    }
    match disk.remove_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        removed => removed.map(|()| true),
    }
}

/// Removes the directories above a removed path that it leaves empty.
fn remove_emptied(disk: &dyn Disk, path: &str) {
    let above: Vec<&str> = ancestors_of(path).collect();
    for directory in above.into_iter().rev() {
        // One that holds something stays, and those above it do too.
        if disk.remove_dir(directory).is_err() {
            return;
        }
    }
}

/// Removes what applies left behind that ended before they had a journal or after it was gone; whoever calls has seen that there
/// is none.
///
/// # Errors
/// What the system says.
pub fn sweep(disk: &dyn Disk) -> Result<(), ApplyError> {
    let names = match disk.list(TEMPORARY) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        names => names.map_err(ApplyError::write(TEMPORARY))?,
    };
    for name in names {
        let place = format!("{TEMPORARY}/{name}");
        sweep_one(disk, &place).map_err(ApplyError::write(&place))?;
    }
    Ok(journal::sweep(disk)?)
}

fn sweep_one(disk: &dyn Disk, place: &str) -> io::Result<()> {
    match disk.look(place)?.map(|look| look.kind) {
        None => Ok(()),
        // No apply ends with anything in such a directory, so that what is in one is no bytes of ours.
        Some(Kind::Directory) => remove_directories(disk, place).map(|_| ()),
        Some(_) => disk.remove_file(place),
    }
}

/// Removes what was prepared for an apply that never had a journal.
pub(super) fn unprepare(disk: &dyn Disk, journal: &Journal) {
    for step in &journal.paths {
        // A name that is left behind is swept away by the next apply.
        let _ = disk.remove_file(&temporary(step));
    }
    discard_made(disk, journal);
}
