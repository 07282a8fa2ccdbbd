use std::collections::BTreeSet;

use super::plan::{state_at, steps};
use super::recover;
use super::swap::{self, finish};
use super::*;
use crate::event::RecoveryOutcome;
use crate::identity::{Domain, Identity};
use crate::session_id::SessionId;
use crate::snapshot::change::Change;
use crate::snapshot::tree::Entry;
use crate::store::disk::Disk;
use crate::store::disk::simulated::SimulatedDisk;
use crate::store::disk::stopping::{StoppingDisk, Upset};
use crate::store::journal::{Journal, unfinished};
use crate::store::layout;
use crate::store::objects::ObjectMap;

/// What stands at a path: text and bit, or nothing.
type Side = Option<(&'static str, bool)>;

/// Replace, create in new directories, remove, a bit alone, a file that becomes a directory and one that stays.
const PLAN: &[(&str, Side, Side)] = &[
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
];
const BYSTANDER: &str = "gone/stays.txt";

fn entry(objects: &mut ObjectMap, side: Side) -> Option<Entry> {
    side.map(|(text, executable)| Entry::File {
        executable,
        blob: objects.add(Domain::Blob, text.as_bytes().to_vec()),
        bytes: text.len() as u64,
    })
}

fn world(exchange: bool) -> (SimulatedDisk, ObjectMap, Journal) {
    let disk = if exchange {
        SimulatedDisk::new()
    } else {
        SimulatedDisk::new().without_exchange()
    };
    layout::prepare(&disk).unwrap();
    let mut objects = ObjectMap::new();
    let mut changes = Vec::new();
    for (path, before, after) in PLAN {
        if let Some((text, executable)) = before {
            layout::make_directories(&disk, crate::store::disk::parent_of(path)).unwrap();
            disk.create_file(
                path,
                text.as_bytes(),
                if *executable { 0o755 } else { 0o644 },
            )
            .unwrap();
        }
        changes.push(Change {
            path: path.parse().unwrap(),
            before: entry(&mut objects, *before),
            after: entry(&mut objects, *after),
        });
    }
    disk.create_file(BYSTANDER, b"bystander", 0o640).unwrap();
    let identity = Identity::from_bytes([1; 32]);
    let session = SessionId::new("s").unwrap();
    let mut journal = Journal::new(session, None, (identity, identity), identity);
    journal.paths = steps("s", &changes);
    let mut disk = disk;
    disk.settle();
    (disk, objects, journal)
}

/// Whether every path is at base, or every path at target.
fn side_of(disk: &dyn Disk, journal: &Journal) -> Option<RecoveryOutcome> {
    assert_eq!(disk.read(BYSTANDER).unwrap(), b"bystander");
    let at = |side: fn(&crate::store::journal::Step) -> Option<Entry>| {
        journal
            .paths
            .iter()
            .all(|step| state_at(disk, step.path.as_str()).unwrap() == side(step))
    };
    match (at(|step| step.base), at(|step| step.target)) {
        (true, false) => Some(RecoveryOutcome::Base),
        (false, true) => Some(RecoveryOutcome::Target),
        _ => None,
    }
}

fn apply(
    disk: &dyn Disk,
    objects: &ObjectMap,
    journal: &Journal,
) -> Result<Vec<String>, ApplyError> {
    let mut journal = journal.clone();
    swap::write(disk, objects, &mut journal)?;
    finish(disk, &journal)
}

/// What the next writing command does.
fn recovered(disk: &dyn Disk) -> Option<RecoveryOutcome> {
    let mut outcome = None;
    for session in unfinished(disk).unwrap() {
        let journal = Journal::read(disk, &session).unwrap().unwrap();
        let recovered = recover::recover(disk, &journal, &BTreeSet::new()).unwrap();
        assert!(recovered.conflicts.is_empty(), "{:?}", recovered.conflicts);
        recover::clean(disk, &journal).unwrap();
        outcome = Some(recovered.outcome);
    }
    outcome
}

#[test]
fn an_apply_reaches_its_target_and_leaves_nothing_behind() {
    for exchange in [true, false] {
        let (disk, objects, journal) = world(exchange);
        assert!(apply(&disk, &objects, &journal).unwrap().is_empty());
        assert_eq!(side_of(&disk, &journal), Some(RecoveryOutcome::Target));
        assert!(disk.list(layout::TEMPORARY).unwrap().is_empty());
        assert!(unfinished(&disk).unwrap().is_empty());
        assert!(disk.look("gone").unwrap().is_some());
    }
}

#[test]
fn ended_at_any_step_the_tree_is_base_or_target() {
    for exchange in [true, false] {
        let counted = {
            let (disk, objects, journal) = world(exchange);
            let counting = StoppingDisk::new(&disk, u64::MAX, Upset::Nothing);
            apply(&counting, &objects, &journal).unwrap();
            counting.count()
        };
        for at in 0..counted {
            let (disk, objects, journal) = world(exchange);
            let stopping = StoppingDisk::new(&disk, at, Upset::End);
            assert!(apply(&stopping, &objects, &journal).is_err());
            recovered(&disk);
            let side = side_of(&disk, &journal);
            assert!(
                side.is_some(),
                "step {at} of {counted}, exchange {exchange}: {:?}",
                stopping.trace()
            );
            if side == Some(RecoveryOutcome::Base) {
                apply(&disk, &objects, &journal).unwrap();
                assert_eq!(
                    side_of(&disk, &journal),
                    Some(RecoveryOutcome::Target),
                    "step {at}"
                );
            }
        }
    }
}

#[test]
fn a_recovery_that_is_cut_short_is_finished_by_the_next() {
    let (disk, objects, journal) = world(true);
    let counting = StoppingDisk::new(&disk, u64::MAX, Upset::Nothing);
    apply(&counting, &objects, &journal).unwrap();
    for at in (0..counting.count()).step_by(3) {
        for second in 0..12 {
            let (disk, objects, journal) = world(true);
            let stopping = StoppingDisk::new(&disk, at, Upset::End);
            assert!(apply(&stopping, &objects, &journal).is_err());
            let again = StoppingDisk::new(&disk, second, Upset::End);
            if let Some(session) = unfinished(&disk).unwrap().first() {
                let journal = Journal::read(&disk, session).unwrap().unwrap();
                let _ = recover::recover(&again, &journal, &BTreeSet::new())
                    .and_then(|_| recover::clean(&again, &journal));
            }
            recovered(&disk);
            assert!(
                side_of(&disk, &journal).is_some(),
                "apply to {at}, recovery to {second}"
            );
        }
    }
}

#[test]
fn an_error_at_any_step_is_rolled_back_or_finished() {
    let (disk, objects, journal) = world(true);
    let counting = StoppingDisk::new(&disk, u64::MAX, Upset::Nothing);
    apply(&counting, &objects, &journal).unwrap();
    for errno in [rustix::io::Errno::NOSPC, rustix::io::Errno::IO] {
        for at in 0..counting.count() {
            let (disk, objects, journal) = world(true);
            let failing = StoppingDisk::new(&disk, at, Upset::Fail(errno.raw_os_error()));
            let _ = apply(&failing, &objects, &journal);
            recovered(&disk);
            assert!(
                side_of(&disk, &journal).is_some(),
                "step {at}: {:?}",
                failing.trace()
            );
        }
    }
}

#[test]
fn a_save_by_somebody_else_survives_at_every_step() {
    let (disk, objects, journal) = world(true);
    let counting = StoppingDisk::new(&disk, u64::MAX, Upset::Nothing);
    apply(&counting, &objects, &journal).unwrap();
    for at in 0..counting.count() {
        let (disk, objects, journal) = world(true);
        let save = |disk: &dyn Disk| {
            disk.create_file("a.saved", b"by hand", 0o644).unwrap();
            disk.rename("a.saved", "a.txt").unwrap();
        };
        let meddled = StoppingDisk::new(&disk, at, Upset::Meddle(&save));
        let _ = apply(&meddled, &objects, &journal);
        let is_live = disk.read("a.txt").unwrap() == b"by hand";
        let kept = disk
            .list(&format!("{}/s", layout::KEPT))
            .unwrap_or_default();
        assert!(
            is_live || !kept.is_empty(),
            "step {at}: {:?}",
            meddled.trace()
        );
    }
}

#[test]
fn a_path_that_somebody_changed_meanwhile_refuses_the_whole() {
    let (disk, objects, journal) = world(true);
    disk.create_file("new.tmp", b"other", 0o644).unwrap();
    disk.rename("new.tmp", "run.sh").unwrap();
    let error = apply(&disk, &objects, &journal).unwrap_err();
    assert!(matches!(error, ApplyError::Conflict { .. }), "{error}");
    assert_eq!(disk.read("run.sh").unwrap(), b"other");
    assert_eq!(disk.read("a.txt").unwrap(), b"old a");
    assert_eq!(disk.read("turn").unwrap(), b"a file");
    assert!(disk.look("new").unwrap().is_none());
    assert!(unfinished(&disk).unwrap().is_empty());
}
