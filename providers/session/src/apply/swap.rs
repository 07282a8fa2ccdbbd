//! Preparing the new bytes and swapping them in, up to the commit point and behind it.

use std::collections::BTreeSet;
use std::io;

use serde::Serialize;

use super::plan::{Op, is_free, missing_directories, state_at, temporary};
use super::{ApplyError, Conflict, recover};
use crate::event::JournalState;
use crate::identity::Domain;
use crate::path::WorkspacePath;
use crate::snapshot::tree::Entry;
use crate::store::disk::{Disk, Kind, ancestors_of, parent_of};
use crate::store::journal::{Journal, Step};
use crate::store::layout::{KEPT, TEMPORARY, make_directories};
use crate::store::objects::ReadObjects;

/// Above this many paths one sync of the whole file system is cheaper than one of each file.
const SYNC_EACH: usize = 8;

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
/// # Errors
/// Any of [`ApplyError`]; but for [`ApplyError::Rollback`] the live tree is as it was.
pub fn write(
    disk: &dyn Disk,
    objects: &impl ReadObjects,
    journal: &mut Journal,
) -> Result<Written, ApplyError> {
    let mut written = Written::default();
    let prepared = prepare(disk, objects, journal, &mut written);
    if let Err(error) = prepared {
        discard(disk, &journal.paths);
        return Err(error);
    }
    journal.write(disk)?;
    match exchange_all(disk, journal, &mut written) {
        Ok(()) => Ok(written),
        Err(error) => Err(undone(disk, journal, error)),
    }
}

/// Rolls back through the journal, and says so where that cannot finish.
fn undone(disk: &dyn Disk, journal: &mut Journal, error: ApplyError) -> ApplyError {
    // A journal whose second write failed may already say `written` on the disk: it has to say `writing` before a path
    // goes back, or a kill in between would make recovery call a tree at base applied.
    if journal.state == JournalState::Written {
        journal.state = JournalState::Writing;
        if let Err(second) = journal.write(disk) {
            return ApplyError::Rollback {
                reason: format!("{error}; {second}"),
                conflicts: Vec::new(),
            };
        }
    }
    match recover::to_base(disk, journal, &BTreeSet::new()) {
        Ok(undone) if undone.conflicts.is_empty() => match recover::clean(disk, journal) {
            Ok(_) => error,
            Err(second) => ApplyError::Rollback {
                reason: format!("{error}; {second}"),
                conflicts: Vec::new(),
            },
        },
        Ok(undone) => ApplyError::Rollback {
            reason: error.to_string(),
            conflicts: undone.conflicts,
        },
        Err(second) => ApplyError::Rollback {
            reason: format!("{error}; {second}"),
            conflicts: Vec::new(),
        },
    }
}

fn prepare(
    disk: &dyn Disk,
    objects: &impl ReadObjects,
    journal: &mut Journal,
    written: &mut Written,
) -> Result<(), ApplyError> {
    let new = journal.paths.iter().filter_map(|step| step.target);
    let needed_bytes: u64 = new.map(|entry| entry.bytes()).sum();
    if let Some(free_bytes) = disk.free_bytes().filter(|free| *free < needed_bytes) {
        return Err(ApplyError::Space {
            needed_bytes,
            free_bytes,
        });
    }
    for step in &journal.paths {
        if let Some(base) = &step.base {
            // What an undo needs has to be there too.
            objects.read(Domain::Blob, &base.blob())?;
        }
        if let Some(target) = &step.target {
            let bytes = objects.read(Domain::Blob, &target.blob())?;
            prepare_one(disk, step, target, &bytes, written)?;
        }
    }
    journal.created_dirs =
        missing_directories(disk, &journal.paths).map_err(ApplyError::write(""))?;
    sync_files(disk, &journal.paths).map_err(ApplyError::write(TEMPORARY))?;
    disk.sync(TEMPORARY).map_err(ApplyError::write(TEMPORARY))
}

fn prepare_one(
    disk: &dyn Disk,
    step: &Step,
    target: &Entry,
    bytes: &[u8],
    written: &mut Written,
) -> Result<(), ApplyError> {
    let temp = temporary(step);
    let path = step.path.as_str();
    let failed = |error| ApplyError::write(path)(error);
    // What a killed apply of this session left under the name.
    if !is_free(disk, &temp).map_err(failed)? {
        disk.remove_file(&temp).map_err(failed)?;
    }
    if target.is_link() {
        return disk.create_link(&temp, bytes).map_err(failed);
    }
    let fresh = if target.is_executable() { 0o755 } else { 0o644 };
    disk.create_file(&temp, bytes, fresh).map_err(failed)?;
    let live = disk
        .look(path)
        .map_err(failed)?
        .filter(|look| look.kind == Kind::File);
    let Some(live) = live else {
        return Ok(());
    };
    if live.links > 1 {
        written.warnings.push(("hard-link", step.path.clone()));
    }
    if !disk.copy_attributes(path, &temp).map_err(failed)? {
        written.warnings.push(("attributes", step.path.clone()));
    }
    // The bit goes to every class that may read.
    let readers = (live.mode & 0o444) >> 2;
    let mode = if target.is_executable() {
        live.mode | readers
    } else {
        live.mode & !0o111
    };
    let mode = if target.is_executable() == live.is_executable() {
        live.mode
    } else {
        mode
    };
    disk.set_mode(&temp, mode).map_err(failed)
}

/// Makes the prepared bytes durable.
fn sync_files(disk: &dyn Disk, steps: &[Step]) -> io::Result<()> {
    let files: Vec<&Step> = steps
        .iter()
        .filter(|step| step.target.is_some_and(|target| !target.is_link()))
        .collect();
    if files.len() > SYNC_EACH {
        match disk.sync_all() {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            done => return done,
        }
    }
    files
        .iter()
        .try_for_each(|step| disk.sync(&temporary(step)))
}

fn exchange_all(
    disk: &dyn Disk,
    journal: &mut Journal,
    written: &mut Written,
) -> Result<(), ApplyError> {
    let (removals, others): (Vec<&Step>, Vec<&Step>) =
        journal.paths.iter().partition(|step| step.op == Op::Remove);
    for step in removals {
        written.paths.push(swap_one(disk, step)?);
    }
    for step in &others {
        clear_way(disk, step).map_err(ApplyError::write(step.path.as_str()))?;
    }
    for directory in &journal.created_dirs {
        disk.create_dir(directory)
            .map_err(ApplyError::write(directory))?;
    }
    for step in others {
        written.paths.push(swap_one(disk, step)?);
    }
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

/// Removes a directory that the removals emptied and in whose place a file will stand.
fn clear_way(disk: &dyn Disk, step: &Step) -> io::Result<()> {
    if step.op != Op::Create
        || disk
            .look(step.path.as_str())?
            .is_none_or(|look| look.kind != Kind::Directory)
    {
        return Ok(());
    }
    remove_empty(disk, step.path.as_str())
}

/// Removes a directory in which there are only empty directories.
fn remove_empty(disk: &dyn Disk, path: &str) -> io::Result<()> {
    for name in disk.list(path)? {
        let inner = format!("{path}/{name}");
        if disk
            .look(&inner)?
            .is_some_and(|look| look.kind == Kind::Directory)
        {
            remove_empty(disk, &inner)?;
        }
    }
    disk.remove_dir(path)
}

fn swap_one(disk: &dyn Disk, step: &Step) -> Result<Swapped, ApplyError> {
    let path = step.path.as_str();
    let temp = temporary(step);
    let failed = |error| ApplyError::write(path)(error);
    let swap = match step.op {
        Op::Create => {
            match disk.rename_new(&temp, path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(conflict(disk, step));
                }
                done => done.map_err(failed)?,
            }
            Swap::Exchange
        }
        Op::Remove => {
            if state_at(disk, path).map_err(failed)? != step.base {
                return Err(conflict(disk, step));
            }
            disk.rename_new(path, &temp).map_err(failed)?;
            if state_at(disk, &temp).map_err(failed)? != step.base {
                disk.rename_new(&temp, path).map_err(failed)?;
                return Err(conflict(disk, step));
            }
            Swap::Exchange
        }
        Op::Replace => replace(disk, step, &temp)?,
    };
    Ok(Swapped {
        path: step.path.clone(),
        op: step.op,
        outcome: "target",
        swap,
    })
}

fn replace(disk: &dyn Disk, step: &Step, temp: &str) -> Result<Swap, ApplyError> {
    let path = step.path.as_str();
    let failed = |error| ApplyError::write(path)(error);
    if state_at(disk, path).map_err(failed)? != step.base {
        return Err(conflict(disk, step));
    }
    match disk.exchange(temp, path) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        exchanged => {
            exchanged.map_err(failed)?;
            if state_at(disk, temp).map_err(failed)? != step.base {
                disk.exchange(temp, path).map_err(failed)?;
                return Err(conflict(disk, step));
            }
            return Ok(Swap::Exchange);
        }
    }
    let old = format!("{temp}.old");
    disk.link(path, &old).map_err(failed)?;
    if state_at(disk, &old).map_err(failed)? != step.base {
        disk.remove_file(&old).map_err(failed)?;
        return Err(conflict(disk, step));
    }
    disk.rename(temp, path).map_err(failed)?;
    Ok(Swap::Checked)
}

fn conflict(disk: &dyn Disk, step: &Step) -> ApplyError {
    ApplyError::Conflict {
        conflict: Box::new(conflict_of(disk, step)),
    }
}

/// Names a path that is at neither side.
pub(super) fn conflict_of(disk: &dyn Disk, step: &Step) -> Conflict {
    Conflict {
        path: step.path.clone(),
        base: step.base,
        target: step.target,
        observed: state_at(disk, step.path.as_str()).ok().flatten(),
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
        if disk
            .look(directory)?
            .is_some_and(|look| look.kind == Kind::Directory)
            || directory.is_empty()
        {
            disk.sync(directory)?;
        }
    }
    Ok(())
}

/// Removes what came out, emptied directories and the journal, and gives the names of files kept: those that somebody
/// else saved after they had come out.
///
/// # Errors
/// What the system says; recovery goes on from there.
pub fn finish(disk: &dyn Disk, journal: &Journal) -> Result<Vec<String>, ApplyError> {
    let mut kept = Vec::new();
    for step in &journal.paths {
        let temp = temporary(step);
        for place in [temp.clone(), format!("{temp}.old")] {
            let failed = |error| ApplyError::write(step.path.as_str())(error);
            if is_free(disk, &place).map_err(failed)? {
                continue;
            }
            if step.base.is_some() && state_at(disk, &place).map_err(failed)? != step.base {
                kept.push(keep(disk, journal, step, &place).map_err(failed)?);
            }
            disk.remove_file(&place).map_err(failed)?;
        }
    }
    for step in journal.paths.iter().filter(|step| step.op == Op::Remove) {
        remove_emptied(disk, step.path.as_str());
    }
    journal.remove(disk)?;
    Ok(kept)
}

/// Gives a file that is somebody else's a second name, under which nobody removes it.
pub(super) fn keep(
    disk: &dyn Disk,
    journal: &Journal,
    step: &Step,
    place: &str,
) -> io::Result<String> {
    let folder = format!("{KEPT}/{}", journal.session);
    make_directories(disk, &folder)?;
    let content = state_at(disk, place)?.map_or_else(String::new, |entry| entry.blob().to_string());
    let name = step.path.as_str().replace('/', "%");
    // Named by what it holds, so that the same file is kept once however often a recovery comes by.
    let kept = format!("{folder}/{name}.{}", &content[..content.len().min(16)]);
    match disk.link(place, &kept) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        done => done?,
    }
    disk.sync(&folder)?;
    Ok(kept)
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

/// Removes what was prepared and what came out, once no journal speaks of it.
pub(super) fn discard(disk: &dyn Disk, steps: &[Step]) {
    for step in steps {
        let temp = temporary(step);
        // A name that is left behind is used again, or removed by a later command.
        let _ = disk.remove_file(&format!("{temp}.old"));
        let _ = disk.remove_file(&temp);
    }
}
