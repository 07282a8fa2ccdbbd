//! Swapping a prepared plan in, up to the commit point, and back where that fails.

use std::collections::BTreeSet;
use std::io;

use serde::Serialize;

use super::exchange::Swapping;
use super::keep::unprepare;
use super::plan::{Op, cleared, holds_only, is_directory, made, state_at};
use super::prepare::{of_space, prepare};
use super::{ApplyError, Conflict, Refused, exchange, recover};
use crate::event::JournalState;
use crate::path::WorkspacePath;
use crate::store::disk::{Disk, ancestors_of, parent_of};
use crate::store::journal::{Journal, JournalError, Step};
use crate::store::layout::TEMPORARY;
use crate::store::objects::ReadObjects;

/// Above this many paths one sync of the whole file system is cheaper than one of each file.
pub(super) const SYNC_EACH: usize = 8;

/// How a path was exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Swap {
    /// In one step of the file system.
    Exchange,
    /// By a check and a rename.
    Checked,
}

/// A path that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Swapped {
    /// The path.
    pub path: WorkspacePath,
    /// What was done.
    pub op: Op,
    /// Always `target` once an apply succeeded.
    pub outcome: &'static str,
    /// How.
    pub swap: Swap,
}

/// What an apply did.
#[derive(Debug, Default)]
pub struct Written {
    /// Every path.
    pub paths: Vec<Swapped>,
    /// Paths with something the caller should know: `hard-link`, `attributes`.
    pub warnings: Vec<(&'static str, WorkspacePath)>,
}

/// Writes a plan, up to the commit: afterwards the journal says `written`, and recovery goes forward.
///
/// Whoever calls holds the store alone, and has seen that no journal is left.
///
/// # Errors
/// Any of [`ApplyError`]; but for [`ApplyError::Rollback`] the live tree is as it was.
pub fn write(
    disk: &dyn Disk,
    objects: &impl ReadObjects,
    journal: &mut Journal,
) -> Result<Written, Refused> {
    let mut written = Written::default();
    if let Err(error) = prepare(disk, objects, journal, &mut written) {
        let error = of_space(disk, journal, error);
        unprepare(disk, journal);
        return Err(error.into());
    }
    let done = journal
        .write(disk)
        .map_err(ApplyError::from)
        .and_then(|()| exchange_all(disk, journal, &mut written));
    match done {
        Ok(()) => Ok(written),
        Err(error) => Err(undone(disk, journal, error)),
    }
}

/// Rolls back through the journal, and says so where that cannot finish.
fn undone(disk: &dyn Disk, journal: &mut Journal, error: ApplyError) -> Refused {
    let stuck = |error: &ApplyError, second: &dyn std::fmt::Display| ApplyError::Rollback {
        reason: format!("{error}; {second}"),
        conflicts: Vec::new(),
    };
    if let Err(second) = withdraw(disk, journal) {
        return stuck(&error, &second).into();
    }
    let mut undone = match recover::to_base(disk, journal, &BTreeSet::new()) {
        Ok(undone) => undone,
        Err(second) => return stuck(&error, &second).into(),
    };
    let error = if undone.conflicts.is_empty() {
        match recover::clean(disk, journal) {
            Ok(kept) => {
                undone.kept.extend(kept);
                error
            }
            Err(second) => stuck(&error, &second),
        }
    } else {
        ApplyError::Rollback {
            reason: error.to_string(),
            conflicts: undone.conflicts,
        }
    };
    Refused {
        error,
        kept: undone.kept,
    }
}

/// Makes the journal say `writing` where its second write failed and may have left it saying `written`: a kill before all paths
/// are back would make recovery call a tree at base applied. Where it does not say so, there is nothing to write, so that a full
/// disk keeps no roll-back from its end.
fn withdraw(disk: &dyn Disk, journal: &mut Journal) -> Result<(), JournalError> {
    if journal.state != JournalState::Written {
        return Ok(());
    }
    journal.state = JournalState::Writing;
    let found = Journal::read(disk, journal.session.as_str())?;
    if found.is_some_and(|found| found.state == JournalState::Writing) {
        return Ok(());
    }
    journal.write(disk)
}

fn exchange_all(
    disk: &dyn Disk,
    journal: &mut Journal,
    written: &mut Written,
) -> Result<(), ApplyError> {
    written.paths = swap_all(disk, journal)?;
    written
        .paths
        .sort_by(|one, other| one.path.cmp(&other.path));
    sync_directories(disk, journal).map_err(ApplyError::write(""))?;
    for step in &journal.paths {
        let state =
            state_at(disk, step.path.as_str()).map_err(ApplyError::write(step.path.as_str()))?;
        if state != step.target {
            return Err(ApplyError::Mismatch {
                path: step.path.clone(),
            });
        }
    }
    journal.state = JournalState::Written;
    Ok(journal.write(disk)?)
}

/// Swaps every path: removals first, then what they made room for.
fn swap_all(disk: &dyn Disk, journal: &Journal) -> Result<Vec<Swapped>, ApplyError> {
    let (removals, others): (Vec<&Step>, Vec<&Step>) =
        journal.paths.iter().partition(|step| step.op == Op::Remove);
    let mut swapped = Vec::with_capacity(journal.paths.len());
    for step in &removals {
        let swapping = exchange::swap(disk, journal, step);
        swapped.push(done(disk, step, swapping)?);
    }
    make_room(disk, journal, &removals, &others)?;
    let mut linked = Vec::new();
    for step in others {
        match exchange::swap(disk, journal, step) {
            Ok(Swapping::Linked) => linked.push(step),
            swapping => swapped.push(done(disk, step, swapping)?),
        }
    }
    if !linked.is_empty() {
        // Until the second names are durable, the first ones are all that the old files have.
        disk.sync(TEMPORARY).map_err(ApplyError::write(TEMPORARY))?;
    }
    for step in linked {
        let swapping = exchange::swap_linked(disk, step);
        swapped.push(done(disk, step, swapping)?);
    }
    Ok(swapped)
}

/// Clears away directories that become files, and places the new ones.
fn make_room(
    disk: &dyn Disk,
    journal: &Journal,
    removals: &[&Step],
    others: &[&Step],
) -> Result<(), ApplyError> {
    let emptied: BTreeSet<&str> = removals
        .iter()
        .flat_map(|step| ancestors_of(step.path.as_str()))
        .collect();
    let mut is_taken = false;
    for step in others.iter().filter(|step| step.op == Op::Create) {
        match clear_way(disk, step, &emptied).map_err(ApplyError::write(step.path.as_str()))? {
            Way::Free => {}
            Way::Cleared => is_taken = true,
            Way::Blocked => return Err(conflict(disk, step)),
        }
    }
    is_taken |= removals.iter().any(|step| {
        journal
            .created_dirs
            .iter()
            .any(|directory| directory == step.path.as_str())
    });
    if is_taken {
        // What was taken has its new name for certain before its old one stands for something else.
        disk.sync(TEMPORARY).map_err(ApplyError::write(TEMPORARY))?;
    }
    for (number, directory) in journal.created_dirs.iter().enumerate() {
        place_directory(disk, &made(journal.session.as_str(), number), directory)
            .map_err(ApplyError::write(directory))?;
    }
    Ok(())
}

/// Whether a file can be created at a path.
enum Way {
    /// Nothing was to be done.
    Free,
    /// A directory that the removals emptied was taken away.
    Cleared,
    /// A directory stands there that holds anything else.
    Blocked,
}

/// Takes away a directory that the removals emptied and in whose place a file will stand.
///
/// It is moved, not removed, so that a roll-back gives it back as it was.
fn clear_way(disk: &dyn Disk, step: &Step, emptied: &BTreeSet<&str>) -> io::Result<Way> {
    let (path, place) = (step.path.as_str(), cleared(step));
    if !is_directory(disk, path)? {
        return Ok(Way::Free);
    }
    if !holds_only(disk, path, path, emptied)? {
        return Ok(Way::Blocked);
    }
    disk.rename_new(path, &place)?;
    if holds_only(disk, &place, path, emptied)? {
        return Ok(Way::Cleared);
    }
    // Somebody put something there in between.
    disk.rename_new(&place, path)?;
    Ok(Way::Blocked)
}

/// Moves a prepared directory to its place; one that somebody made there meanwhile does as well, and is not ours to remove.
fn place_directory(disk: &dyn Disk, prepared: &str, directory: &str) -> io::Result<()> {
    match disk.rename_new(prepared, directory) {
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists && is_directory(disk, directory)? =>
        {
            Ok(())
        }
        placed => placed,
    }
}

fn done(
    disk: &dyn Disk,
    step: &Step,
    swapping: io::Result<Swapping>,
) -> Result<Swapped, ApplyError> {
    match swapping.map_err(ApplyError::write(step.path.as_str()))? {
        Swapping::Done(swap) => Ok(Swapped {
            path: step.path.clone(),
            op: step.op,
            outcome: "target",
            swap,
        }),
        Swapping::Linked | Swapping::Conflict => Err(conflict(disk, step)),
    }
}

fn conflict(disk: &dyn Disk, step: &Step) -> ApplyError {
    ApplyError::Conflict {
        conflict: Box::new(Conflict::at(disk, step)),
    }
}

/// Makes the names of all paths durable.
pub(super) fn sync_directories(disk: &dyn Disk, journal: &Journal) -> io::Result<()> {
    if journal.paths.len() > SYNC_EACH {
        match disk.sync_all() {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            done => return done,
        }
    }
    let mut directories: BTreeSet<&str> = journal
        .paths
        .iter()
        .map(|step| parent_of(step.path.as_str()))
        .collect();
    directories.extend(
        journal
            .created_dirs
            .iter()
            .map(|directory| parent_of(directory)),
    );
    directories.insert(TEMPORARY);
    for directory in directories {
        if directory.is_empty() || is_directory(disk, directory)? {
            disk.sync(directory)?;
        }
    }
    Ok(())
}
