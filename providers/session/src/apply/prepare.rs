//! Preparing an apply: the new bytes and directories, durable beside the live tree before the first path of it is touched.

use std::io;

use super::ApplyError;
use super::keep::sweep;
use super::plan::{is_directory, made, missing_directories, temporary};
use super::swap::{SYNC_EACH, Written};
use crate::identity::Domain;
use crate::snapshot::tree::Entry;
use crate::store::disk::{Disk, Kind, parent_of};
use crate::store::journal::{Journal, Step};
use crate::store::layout::TEMPORARY;
use crate::store::objects::ReadObjects;

/// Writes what a plan needs under temporary names, and makes it durable.
///
/// # Errors
/// Any of [`ApplyError`]; the live tree is as it was.
pub(super) fn prepare(
    disk: &dyn Disk,
    objects: &impl ReadObjects,
    journal: &mut Journal,
    written: &mut Written,
) -> Result<(), ApplyError> {
    sweep(disk)?;
    let needed_bytes = needed_bytes(journal);
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
    for (number, directory) in journal.created_dirs.iter().enumerate() {
        make_directory(disk, &made(journal.session.as_str(), number), directory)
            .map_err(ApplyError::write(directory))?;
    }
    sync_files(disk, &journal.paths).map_err(ApplyError::write(TEMPORARY))
}

/// The bytes of all new files.
fn needed_bytes(journal: &Journal) -> u64 {
    let new = journal.paths.iter().filter_map(|step| step.target);
    new.map(|entry| entry.bytes()).sum()
}

/// Says of a disk that became full while files were prepared how much they need.
pub(super) fn of_space(disk: &dyn Disk, journal: &Journal, error: ApplyError) -> ApplyError {
    match error {
        ApplyError::Write { source, .. }
            if matches!(
                source.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            ) =>
        {
            ApplyError::Space {
                needed_bytes: needed_bytes(journal),
                free_bytes: disk.free_bytes().unwrap_or(0),
            }
        }
        other => other,
    }
}

/// Makes a directory that is moved into the live tree whole, so that one made by somebody else is never taken for ours.
fn make_directory(disk: &dyn Disk, temp: &str, directory: &str) -> io::Result<()> {
    disk.create_dir(temp)?;
    disk.inherit_group(temp, standing_parent(disk, directory)?)
}

/// The nearest directory that stands above a path; what stands there may be a file that this apply removes first.
fn standing_parent<'a>(disk: &dyn Disk, path: &'a str) -> io::Result<&'a str> {
    let mut parent = parent_of(path);
    while !parent.is_empty() && !is_directory(disk, parent)? {
        parent = parent_of(parent);
    }
    Ok(parent)
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
        let parent = standing_parent(disk, path).map_err(failed)?;
        return disk.inherit_group(&temp, parent).map_err(failed);
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

/// Makes the prepared bytes and their names durable.
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
        .try_for_each(|step| disk.sync(&temporary(step)))?;
    disk.sync(TEMPORARY)
}
