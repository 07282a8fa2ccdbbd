//! One path at a time: swapping it to its target, and back to its base.
//!
//! Nothing that stands at a live path is ever overwritten or removed on the word of an earlier look. What stands there is taken
//! out by a rename or an exchange, and looked at where nobody else reaches it; what is not ours goes back, or to `kept/`.

use std::io;

use super::keep::{is_one_of, keep};
use super::plan::{Op, aside, cleared, is_free, linked, made, state_at, temporary};
use super::swap::Swap;
use crate::snapshot::tree::Entry;
use crate::store::disk::{Disk, Kind, ancestors_of};
use crate::store::journal::{Journal, Step};

/// How often two paths are exchanged until somebody who keeps saving in between is given what is newest.
const MAX_EXCHANGES: usize = 16;

/// What became of a path that was to be swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Swapping {
    /// It holds its target.
    Done(Swap),
    /// What stands there has a second name, and [`swap_linked`] goes on once that is durable.
    Linked,
    /// Somebody else's state stands there, now as before.
    Conflict,
}

/// Swaps a path to its target.
///
/// # Errors
/// What the system says.
pub(super) fn swap(disk: &dyn Disk, journal: &Journal, step: &Step) -> io::Result<Swapping> {
    let swapped = match step.op {
        Op::Create => is_moved(disk, &temporary(step), step.path.as_str())?,
        Op::Remove => take(disk, journal, step, step.base.as_ref())?,
        Op::Replace => return replace(disk, step),
    };
    Ok(if swapped {
        Swapping::Done(Swap::Exchange)
    } else {
        Swapping::Conflict
    })
}

/// Swaps a path whose old file has a durable second name.
///
/// # Errors
/// What the system says.
pub(super) fn swap_linked(disk: &dyn Disk, step: &Step) -> io::Result<Swapping> {
    let (path, old) = (step.path.as_str(), linked(step));
    // Both names: the first says what an undo will put back, the second that it is still what stands there.
    if state_at(disk, &old)? != step.base || state_at(disk, path)? != step.base {
        disk.remove_file(&old)?;
        return Ok(Swapping::Conflict);
    }
    disk.rename(&temporary(step), path)?;
    Ok(Swapping::Done(Swap::Checked))
}

/// Puts a path back to its base; `false` where somebody else changed it after it was swapped.
///
/// # Errors
/// What the system says.
pub(super) fn undo(disk: &dyn Disk, journal: &Journal, step: &Step) -> io::Result<bool> {
    match step.op {
        Op::Create => undo_create(disk, journal, step),
        Op::Remove => undo_remove(disk, step),
        Op::Replace => undo_replace(disk, step),
    }
}

/// Moves to a name if that is free, and says whether it was.
fn is_moved(disk: &dyn Disk, from: &str, to: &str) -> io::Result<bool> {
    match disk.rename_new(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        moved => moved.map(|()| true),
    }
}

/// Takes away what stands at a path, if it is what is expected; anything else goes back.
fn take(
    disk: &dyn Disk,
    journal: &Journal,
    step: &Step,
    expected: Option<&Entry>,
) -> io::Result<bool> {
    let (path, temp) = (step.path.as_str(), temporary(step));
    // Only so that what is plainly somebody else's is left alone; what counts is the look after it was taken.
    if state_at(disk, path)?.as_ref() != expected {
        return Ok(false);
    }
    match disk.rename_new(path, &temp) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        taken => taken?,
    }
    if state_at(disk, &temp)?.as_ref() == expected {
        return Ok(true);
    }
    put_back(disk, journal, step)?;
    Ok(false)
}

/// Gives back what was taken from a path, or keeps it where somebody put something else there meanwhile.
fn put_back(disk: &dyn Disk, journal: &Journal, step: &Step) -> io::Result<()> {
    let temp = temporary(step);
    if is_moved(disk, &temp, step.path.as_str())? {
        return Ok(());
    }
    keep(disk, journal, step.path.as_str(), &temp)?;
    Ok(())
}

fn replace(disk: &dyn Disk, step: &Step) -> io::Result<Swapping> {
    let (path, temp) = (step.path.as_str(), temporary(step));
    if state_at(disk, path)? != step.base {
        return Ok(Swapping::Conflict);
    }
    match disk.exchange(&temp, path) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            disk.link(path, &linked(step))?;
            return Ok(Swapping::Linked);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Swapping::Conflict),
        exchanged => exchanged?,
    }
    if state_at(disk, &temp)? == step.base {
        return Ok(Swapping::Done(Swap::Exchange));
    }
    exchange_back(disk, &temp, path, step.target)?;
    Ok(Swapping::Conflict)
}

/// Exchanges until what comes out is what was last put at the path, so that the newest save by somebody else stays there; gives
/// what lies at the temporary name then.
fn exchange_back(
    disk: &dyn Disk,
    temp: &str,
    path: &str,
    mut stood: Option<Entry>,
) -> io::Result<Option<Entry>> {
    for _ in 0..MAX_EXCHANGES {
        let put = state_at(disk, temp)?;
        match disk.exchange(temp, path) {
            // Somebody removed the path: what came out is theirs to have, and is kept by the undo.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(put),
            exchanged => exchanged?,
        }
        let out = state_at(disk, temp)?;
        if out == stood {
            return Ok(out);
        }
        stood = put;
    }
    state_at(disk, temp)
}

fn undo_create(disk: &dyn Disk, journal: &Journal, step: &Step) -> io::Result<bool> {
    let (path, temp) = (step.path.as_str(), temporary(step));
    if is_free(disk, &temp)? {
        if !is_free(disk, path)? {
            return take(disk, journal, step, step.target.as_ref());
        }
        take_strayed(disk, journal, step)?;
        return Ok(true);
    }
    if state_at(disk, &temp)? == step.target {
        // While the prepared file is there, nothing was swapped: what stands at the path is none of ours.
        return Ok(true);
    }
    // An undo that was cut short had taken what somebody else saved.
    put_back(disk, journal, step)?;
    Ok(false)
}

/// Takes a created file out of a directory that is not in the live tree: a loss of power may have kept the file's new name and not
/// that of the directory around it.
fn take_strayed(disk: &dyn Disk, journal: &Journal, step: &Step) -> io::Result<()> {
    for (number, directory) in journal.created_dirs.iter().enumerate() {
        let inner = step.path.as_str().strip_prefix(directory.as_str());
        let Some(inner) = inner.filter(|inner| inner.starts_with('/')) else {
            continue;
        };
        let place = format!("{}{inner}", made(journal.session.as_str(), number));
        if state_at(disk, &place)? == step.target {
            return disk.rename_new(&place, &temporary(step));
        }
    }
    Ok(())
}

/// Gives back the emptied directory in whose place a step created a file; `false` where somebody put something there.
///
/// # Errors
/// What the system says.
pub(super) fn undo_cleared(disk: &dyn Disk, step: &Step) -> io::Result<bool> {
    let cleared = cleared(step);
    Ok(is_free(disk, &cleared)? || is_moved(disk, &cleared, step.path.as_str())?)
}

fn undo_remove(disk: &dyn Disk, step: &Step) -> io::Result<bool> {
    let (path, temp) = (step.path.as_str(), temporary(step));
    if is_free(disk, &temp)? {
        // Not swapped, or put back before.
        return Ok(true);
    }
    for directory in ancestors_of(path) {
        match disk.look(directory)? {
            Some(look) if look.kind == Kind::Directory => {}
            // Somebody put something else in the way.
            Some(_) => return Ok(false),
            None => disk.create_dir(directory)?,
        }
    }
    Ok(is_moved(disk, &temp, path)? || state_at(disk, path)? == step.base)
}

fn undo_replace(disk: &dyn Disk, step: &Step) -> io::Result<bool> {
    let (path, temp, old) = (step.path.as_str(), temporary(step), linked(step));
    let live = state_at(disk, path)?;
    if live == step.base {
        return Ok(true);
    }
    let is_linked = !is_free(disk, &old)?;
    if is_free(disk, &temp)? {
        if is_linked && live == step.target {
            disk.rename(&old, path)?;
            return Ok(true);
        }
        return Ok(false);
    }
    if is_linked || state_at(disk, &temp)? == step.target {
        // The prepared file was not swapped in, or is out again: what stands at the path is somebody else's.
        return Ok(true);
    }
    Ok(live == step.target && exchange_back(disk, &temp, path, live)? == step.target)
}

/// Keeps what lies at the temporary names of a step and is neither of its sides, and names it.
///
/// # Errors
/// What the system says.
pub(super) fn keep_strangers(
    disk: &dyn Disk,
    journal: &Journal,
    step: &Step,
    is_at_base: bool,
) -> io::Result<Vec<String>> {
    let mut kept = Vec::new();
    for place in aside(step) {
        let sides: &[Option<Entry>] = if is_at_base {
            &[step.base, step.target]
        } else {
            // The base is nowhere else in the tree then.
            &[step.target]
        };
        if !is_one_of(disk, &place, sides)? {
            kept.push(keep(disk, journal, step.path.as_str(), &place)?);
        }
    }
    Ok(kept)
}
