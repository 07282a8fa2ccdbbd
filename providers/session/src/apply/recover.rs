//! Undoing or finishing an apply that was cut short. Each step looks first, so that it can itself be cut short.

use std::collections::BTreeSet;
use std::io;

use super::plan::{Op, is_free, state_at, temporary};
use super::swap::{conflict_of, discard, finish, keep, sync_directories};
use super::{ApplyError, Conflict};
use crate::event::{JournalState, RecoveryOutcome};
use crate::path::WorkspacePath;
use crate::store::disk::{Disk, ancestors_of};
use crate::store::journal::{Journal, Step};

/// What became of an apply that was cut short.
#[derive(Debug)]
pub struct Recovered {
    /// Which of its two states the tree is in, paths with conflicts aside.
    pub outcome: RecoveryOutcome,
    /// Paths that stay as somebody else left them; while there is one that was not accepted, the journal stays.
    pub conflicts: Vec<Conflict>,
    /// Names of files that were put aside.
    pub kept: Vec<String>,
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
        JournalState::Written => Ok(Recovered {
            outcome: RecoveryOutcome::Target,
            conflicts: Vec::new(),
            kept: Vec::new(),
        }),
    }
}

/// Removes what an apply that reached its target left behind, the journal last.
///
/// # Errors
/// What the system says.
pub fn clean(disk: &dyn Disk, journal: &Journal) -> Result<Vec<String>, ApplyError> {
    match journal.state {
        JournalState::Written => finish(disk, journal),
        JournalState::Writing => {
            journal.remove(disk)?;
            discard(disk, &journal.paths);
            Ok(Vec::new())
        }
    }
}

/// Puts every path back that was swapped.
pub(super) fn to_base(
    disk: &dyn Disk,
    journal: &Journal,
    accepted: &BTreeSet<WorkspacePath>,
) -> Result<Recovered, ApplyError> {
    let mut undone = Recovered {
        outcome: RecoveryOutcome::Base,
        conflicts: Vec::new(),
        kept: Vec::new(),
    };
    for step in journal
        .paths
        .iter()
        .rev()
        .filter(|step| step.op != Op::Remove)
    {
        undo(disk, journal, step, accepted, &mut undone)
            .map_err(ApplyError::write(step.path.as_str()))?;
    }
    for directory in journal.created_dirs.iter().rev() {
        // One in which somebody put something stays.
        let _ = disk.remove_dir(directory);
    }
    for step in journal
        .paths
        .iter()
        .rev()
        .filter(|step| step.op == Op::Remove)
    {
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
    let is_at_base = match step.op {
        Op::Create => undo_create(disk, step)?,
        Op::Remove => undo_remove(disk, step)?,
        Op::Replace => undo_replace(disk, step)?,
    };
    // What was prepared or came out stays until the journal is gone: only so does a second look see what the first one saw.
    if is_at_base {
        return Ok(());
    }
    let temp = temporary(step);
    for place in [temp.clone(), format!("{temp}.old")] {
        let state = state_at(disk, &place)?;
        if state.is_some() && state != step.target {
            undone.kept.push(keep(disk, journal, step, &place)?);
        }
    }
    if !accepted.contains(&step.path) {
        undone.conflicts.push(conflict_of(disk, step));
    }
    Ok(())
}

/// Whether a created path is gone again, or was never made.
fn undo_create(disk: &dyn Disk, step: &Step) -> io::Result<bool> {
    let path = step.path.as_str();
    // While the prepared file is there, nothing was swapped: what stands at the path is none of ours.
    if !is_free(disk, &temporary(step))? {
        return Ok(true);
    }
    if is_free(disk, path)? {
        return Ok(true);
    }
    if state_at(disk, path)? != step.target {
        return Ok(false);
    }
    disk.remove_file(path)?;
    Ok(true)
}

fn undo_remove(disk: &dyn Disk, step: &Step) -> io::Result<bool> {
    let path = step.path.as_str();
    let temp = temporary(step);
    if is_free(disk, &temp)? {
        // Not swapped, or put back before: somebody else's state is a conflict only where it was swapped.
        return Ok(true);
    }
    for directory in ancestors_of(path) {
        if is_free(disk, directory)? {
            disk.create_dir(directory)?;
        }
    }
    match disk.rename_new(&temp, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(state_at(disk, path)? == step.base)
        }
        done => done.map(|()| true),
    }
}

fn undo_replace(disk: &dyn Disk, step: &Step) -> io::Result<bool> {
    let path = step.path.as_str();
    let temp = temporary(step);
    let old = format!("{temp}.old");
    let live = state_at(disk, path)?;
    let out = state_at(disk, &temp)?;
    if live == step.base {
        return Ok(true);
    }
    let is_swapped = out != step.target;
    if !is_swapped {
        return Ok(true);
    }
    if live != step.target {
        return Ok(false);
    }
    if out.is_some() {
        match disk.exchange(&temp, path) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => disk.rename(&temp, path)?,
            done => done?,
        }
        return Ok(true);
    }
    if is_free(disk, &old)? {
        return Ok(false);
    }
    disk.rename(&old, path)?;
    Ok(true)
}
