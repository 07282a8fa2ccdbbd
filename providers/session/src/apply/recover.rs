//! Undoing or finishing an apply that was cut short. Each step looks first, so that it can itself be cut short.

use std::collections::BTreeSet;
use std::io;

use super::keep::{discard_all, finish, keep, settle};
use super::plan::{self, Op, holds_only, is_directory, is_free, made};
use super::swap::sync_directories;
use super::{ApplyError, Conflict, exchange};
use crate::event::{JournalState, RecoveryOutcome};
use crate::path::WorkspacePath;
use crate::store::disk::Disk;
use crate::store::journal::{Journal, Step};
use crate::store::layout::TEMPORARY;

/// What became of an apply that was cut short.
#[derive(Debug)]
pub struct Recovered {
    /// Which of its two states the tree is in, paths with conflicts aside.
    pub outcome: RecoveryOutcome,
    /// Paths that stay as somebody else left them; while there is one that was not accepted, the journal stays.
    pub conflicts: Vec<Conflict>,
    /// Paths with conflicts that were accepted.
    pub accepted: Vec<WorkspacePath>,
    /// Names under `kept/` of files that were put aside.
    pub kept: Vec<String>,
}

impl Recovered {
    fn new(outcome: RecoveryOutcome) -> Self {
        Self {
            outcome,
            conflicts: Vec::new(),
            accepted: Vec::new(),
            kept: Vec::new(),
        }
    }
}

/// Brings the live tree to base or target, by what the journal says.
///
/// The journal is still there afterwards: whoever calls removes it once the log says what happened.
///
/// # Errors
/// What the system says; the next try goes on from there.
pub fn recover(
    disk: &dyn Disk,
    journal: &Journal,
    accepted: &BTreeSet<WorkspacePath>,
) -> Result<Recovered, ApplyError> {
    match journal.state {
        JournalState::Writing => to_base(disk, journal, accepted),
        JournalState::Written => {
            let mut recovered = Recovered::new(RecoveryOutcome::Target);
            recovered.kept = settle(disk, journal)?;
            Ok(recovered)
        }
    }
}

/// Removes what an apply left behind, and the journal; names the files that were kept on the way.
///
/// # Errors
/// What the system says.
pub fn clean(disk: &dyn Disk, journal: &Journal) -> Result<Vec<String>, ApplyError> {
    match journal.state {
        JournalState::Written => finish(disk, journal),
        JournalState::Writing => {
            // In this order: while there is a journal, what lies at a temporary name tells whether its path was swapped.
            journal.remove(disk)?;
            discard_all(disk, journal)
        }
    }
}

/// Puts every path back that was swapped.
pub(super) fn to_base(
    disk: &dyn Disk,
    journal: &Journal,
    accepted: &BTreeSet<WorkspacePath>,
) -> Result<Recovered, ApplyError> {
    let mut undone = Recovered::new(RecoveryOutcome::Base);
    let (removals, others): (Vec<&Step>, Vec<&Step>) = journal
        .paths
        .iter()
        .rev()
        .partition(|step| step.op == Op::Remove);
    for step in &others {
        undo(disk, journal, step, accepted, &mut undone)
            .map_err(ApplyError::write(step.path.as_str()))?;
    }
    undo_room(disk, journal, &removals, &others, &mut undone)?;
    for step in &removals {
        undo(disk, journal, step, accepted, &mut undone)
            .map_err(ApplyError::write(step.path.as_str()))?;
    }
    sync_directories(disk, journal).map_err(ApplyError::write(""))?;
    Ok(undone)
}

fn undo(
    disk: &dyn Disk,
    journal: &Journal,
    step: &Step,
    accepted: &BTreeSet<WorkspacePath>,
    undone: &mut Recovered,
) -> io::Result<()> {
    let is_at_base = exchange::undo(disk, journal, step)?;
    // What was prepared or came out stays until the journal is gone: only so does a second look see what the first one saw.
    let kept = exchange::keep_strangers(disk, journal, step, is_at_base)?;
    undone.kept.extend(kept);
    match (is_at_base, accepted.contains(&step.path)) {
        (true, _) => {}
        (false, true) => undone.accepted.push(step.path.clone()),
        (false, false) => undone.conflicts.push(Conflict::at(disk, step)),
    }
    Ok(())
}

/// Gives back directories that became files, and takes back those that were made.
fn undo_room(
    disk: &dyn Disk,
    journal: &Journal,
    removals: &[&Step],
    others: &[&Step],
    undone: &mut Recovered,
) -> Result<(), ApplyError> {
    let mut cleared = Vec::new();
    for step in others {
        if !is_free(disk, &plan::cleared(step)).map_err(ApplyError::write(step.path.as_str()))? {
            cleared.push(step);
        }
    }
    if !cleared.is_empty() {
        // As on the way there: what was taken has its other name for certain first.
        disk.sync(TEMPORARY).map_err(ApplyError::write(TEMPORARY))?;
    }
    for step in cleared {
        // Where somebody put something else there, what stood in it is in the way no less, and is a conflict of its own.
        exchange::undo_cleared(disk, step).map_err(ApplyError::write(step.path.as_str()))?;
    }
    for (number, directory) in journal.created_dirs.iter().enumerate().rev() {
        let kept = undo_directory(disk, journal, number, directory)
            .map_err(ApplyError::write(directory))?;
        undone.kept.extend(kept);
    }
    let is_taken = |step: &&Step| {
        journal
            .created_dirs
            .iter()
            .any(|made| made == step.path.as_str())
    };
    if removals.iter().any(is_taken) {
        disk.sync(TEMPORARY).map_err(ApplyError::write(TEMPORARY))?;
    }
    Ok(())
}

/// Takes a directory back that was moved into the live tree. One in which somebody put something stays, or is kept and named
/// where its place is taken by now.
fn undo_directory(
    disk: &dyn Disk,
    journal: &Journal,
    number: usize,
    directory: &str,
) -> io::Result<Option<String>> {
    let prepared = made(journal.session.as_str(), number);
    if is_free(disk, &prepared)? {
        if !is_directory(disk, directory)? || !disk.list(directory)?.is_empty() {
            return Ok(None);
        }
        disk.rename_new(directory, &prepared)?;
    }
    let ours: BTreeSet<&str> = journal.created_dirs.iter().map(String::as_str).collect();
    if holds_only(disk, &prepared, directory, &ours)? {
        return Ok(None);
    }
    match disk.rename_new(&prepared, directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            keep(disk, journal, directory, &prepared).map(Some)
        }
        moved => moved.map(|()| None),
    }
}
