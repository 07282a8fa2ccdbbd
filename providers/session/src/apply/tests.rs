//! An apply under everything that can come in between.

mod directories;
mod faults;
mod meddling;
mod power_loss;

use std::collections::BTreeSet;

use super::keep::{finish, settle};
use super::plan::{state_at, steps};
use super::*;
use super::{recover, swap};
use crate::event::RecoveryOutcome;
use crate::identity::{Domain, Identity};
use crate::session_id::SessionId;
use crate::snapshot::change::Change;
use crate::snapshot::tree::Entry;
use crate::store::disk::simulated::SimulatedDisk;
use crate::store::disk::stopping::{StoppingDisk, Upset};
use crate::store::disk::{Disk, parent_of};
use crate::store::journal::{Journal, Step, unfinished};
use crate::store::layout;
use crate::store::objects::ObjectMap;

/// What stands at a path: text and bit, or nothing.
type Side = Option<(&'static str, bool)>;

/// A path with what stands there and what will.
type Planned = (&'static str, Side, Side);

/// Replace, create in new directories, remove, a bit alone, a file that becomes a directory, a directory that becomes a file.
const PLAN: &[Planned] = &[
    ("a.txt", Some(("old a", false)), Some(("new a", false))),
    ("new/deep/b.txt", None, Some(("b", true))),
    ("gone/c.txt", Some(("c", false)), None),
    (
        "run.sh",
        Some(("#!/bin/sh", false)),
        Some(("#!/bin/sh", true)),
    ),
    ("turn", Some(("a file", false)), None),
    ("turn/x", None, Some(("below", false))),
    ("flat/in/y", Some(("y", false)), None),
    ("flat", None, Some(("a file now", false))),
];

const BYSTANDER: &str = "gone/stays.txt";

/// A disk with a plan for it.
struct World {
    disk: SimulatedDisk,
    objects: ObjectMap,
    journal: Journal,
}

fn entry(objects: &mut ObjectMap, side: Side) -> Option<Entry> {
    side.map(|(text, executable)| Entry::File {
        executable,
        blob: objects.add(Domain::Blob, text.as_bytes().to_vec()),
        bytes: text.len() as u64,
    })
}

/// Puts the base of a plan on a disk, and makes the journal of its apply.
fn prepared(disk: &dyn Disk, plan: &[Planned]) -> (ObjectMap, Journal) {
    layout::prepare(disk).unwrap();
    let mut objects = ObjectMap::new();
    let mut changes = Vec::new();
    let directory = |path: &str| {
        if !parent_of(path).is_empty() {
            layout::make_directories(disk, parent_of(path)).unwrap();
        }
    };
    for (path, before, after) in plan {
        if let Some((text, executable)) = before {
            directory(path);
            let mode = if *executable { 0o755 } else { 0o644 };
            disk.create_file(path, text.as_bytes(), mode).unwrap();
        }
        changes.push(Change {
            path: path.parse().unwrap(),
            before: entry(&mut objects, *before),
            after: entry(&mut objects, *after),
        });
    }
    directory(BYSTANDER);
    disk.create_file(BYSTANDER, b"bystander", 0o640).unwrap();
    let identity = Identity::from_bytes([1; 32]);
    let session = SessionId::new("s").unwrap();
    let mut journal = Journal::new(session, None, (identity, identity), identity);
    journal.paths = steps("s", &changes);
    (objects, journal)
}

impl World {
    fn new(plan: &[Planned]) -> Self {
        Self::on(SimulatedDisk::new(), plan)
    }

    fn on(mut disk: SimulatedDisk, plan: &[Planned]) -> Self {
        let (objects, journal) = prepared(&disk, plan);
        disk.settle();
        Self {
            disk,
            objects,
            journal,
        }
    }

    /// One that can exchange two paths, or cannot.
    fn with_exchange(exchange: bool) -> Self {
        let disk = SimulatedDisk::new();
        let disk = if exchange {
            disk
        } else {
            disk.without_exchange()
        };
        Self::on(disk, PLAN)
    }

    fn apply(&self, disk: &dyn Disk) -> Result<Vec<String>, Refused> {
        apply(disk, &self.objects, &self.journal)
    }

    /// How many steps an apply has that nothing upsets.
    fn steps(&self) -> u64 {
        let counting = StoppingDisk::new(&self.disk, u64::MAX, Upset::Nothing);
        self.apply(&counting).unwrap();
        counting.count()
    }

    fn side(&self) -> Option<RecoveryOutcome> {
        side_of(&self.disk, &self.journal)
    }
}

/// Whether every path is at base, or every path at target; the bystander is as it was.
fn side_of(disk: &dyn Disk, journal: &Journal) -> Option<RecoveryOutcome> {
    assert_eq!(disk.read(BYSTANDER, u64::MAX).unwrap(), b"bystander");
    let at = |side: fn(&Step) -> Option<Entry>| {
        journal
            .paths
            .iter()
            .all(|step| state_at(disk, step.path.as_str()).unwrap() == side(step))
    };
    let has_directories = |wanted: bool| {
        ["new", "new/deep"]
            .iter()
            .all(|path| disk.look(path).unwrap().is_some() == wanted)
    };
    let is_whole = journal.paths.len() == PLAN.len();
    match (at(|step| step.base), at(|step| step.target)) {
        (true, false) if !is_whole || has_directories(false) => Some(RecoveryOutcome::Base),
        (false, true) if !is_whole || has_directories(true) => Some(RecoveryOutcome::Target),
        _ => None,
    }
}

/// What the command does; gives the names of kept files.
fn apply(disk: &dyn Disk, objects: &ObjectMap, journal: &Journal) -> Result<Vec<String>, Refused> {
    let mut journal = journal.clone();
    swap::write(disk, objects, &mut journal)?;
    let mut kept = settle(disk, &journal)?;
    kept.extend(finish(disk, &journal)?);
    Ok(kept)
}

/// What the next writing command does, with paths that `recover` was told to accept.
fn recovered_accepting(disk: &dyn Disk, accepted: &BTreeSet<WorkspacePath>) -> recover::Recovered {
    let mut all = recover::Recovered {
        outcome: RecoveryOutcome::Base,
        conflicts: Vec::new(),
        accepted: Vec::new(),
        kept: Vec::new(),
    };
    for session in unfinished(disk).unwrap() {
        let journal = Journal::read(disk, &session).unwrap().unwrap();
        let mut recovered = recover::recover(disk, &journal, accepted).unwrap();
        if recovered.conflicts.is_empty() {
            let kept = recover::clean(disk, &journal).unwrap();
            recovered.kept.extend(kept);
        }
        all = recovered;
    }
    if all.conflicts.is_empty() {
        keep::sweep(disk).unwrap();
        assert!(disk.list(layout::TEMPORARY).unwrap().is_empty());
        assert!(disk.list(layout::JOURNALS).unwrap().is_empty());
    }
    all
}

/// What the next writing command does where nobody else changed anything.
fn recovered(disk: &dyn Disk) {
    let recovered = recovered_accepting(disk, &BTreeSet::new());
    assert!(recovered.conflicts.is_empty(), "{:?}", recovered.conflicts);
    assert!(recovered.kept.is_empty(), "{:?}", recovered.kept);
}

#[test]
fn an_apply_reaches_its_target_and_leaves_nothing_behind() {
    for exchange in [true, false] {
        let world = World::with_exchange(exchange);
        assert!(world.apply(&world.disk).unwrap().is_empty());
        assert_eq!(world.side(), Some(RecoveryOutcome::Target));
        assert!(world.disk.list(layout::TEMPORARY).unwrap().is_empty());
        assert!(unfinished(&world.disk).unwrap().is_empty());
        assert!(world.disk.look("gone").unwrap().is_some());
        assert!(world.disk.look("flat/in").unwrap().is_none());
    }
}

#[test]
fn a_path_that_somebody_changed_meanwhile_refuses_the_whole() {
    let world = World::new(PLAN);
    let disk = &world.disk;
    disk.create_file("new.tmp", b"other", 0o644).unwrap();
    disk.rename("new.tmp", "run.sh").unwrap();
    let error = world.apply(disk).unwrap_err().error;
    assert!(matches!(error, ApplyError::Conflict { .. }), "{error}");
    assert_eq!(disk.read("run.sh", u64::MAX).unwrap(), b"other");
    assert_eq!(disk.read("a.txt", u64::MAX).unwrap(), b"old a");
    assert_eq!(disk.read("turn", u64::MAX).unwrap(), b"a file");
    assert!(disk.look("new").unwrap().is_none());
    assert!(unfinished(disk).unwrap().is_empty());
}
