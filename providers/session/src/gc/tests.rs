use std::collections::BTreeMap;

use super::*;
use crate::path::WorkspacePath;
use crate::snapshot::manifest::Manifest;
use crate::snapshot::tree::Entry;
use crate::store::disk::simulated::SimulatedDisk;
use crate::store::disk::stopping::{StoppingDisk, Upset};
use crate::store::layout;
use crate::store::objects::ObjectMap;

/// A snapshot of files whose content is their path and a text, stored.
fn stored(store: &mut StoredObjects<'_>, paths: &[&str], text: &str) -> Identity {
    let mut objects = ObjectMap::new();
    let mut entries = BTreeMap::new();
    for path in paths {
        let bytes = format!("{path}{text}").into_bytes();
        let length = bytes.len() as u64;
        let entry = Entry::File {
            executable: false,
            blob: objects.add(Domain::Blob, bytes),
            bytes: length,
        };
        entries.insert(WorkspacePath::new(path).unwrap(), entry);
    }
    let (identity, _) = Manifest::new(entries).store(&mut objects).unwrap();
    store.add(&objects).unwrap();
    identity
}

/// Whether all of a snapshot can be read.
fn is_whole(store: &StoredObjects<'_>, snapshot: &Identity) -> bool {
    Manifest::load(store, snapshot).is_ok_and(|manifest| {
        manifest
            .iter()
            .all(|(_, entry)| store.is_whole(Domain::Blob, &entry.blob()))
    })
}

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new();
    layout::prepare(&disk).unwrap();
    disk
}

/// A store with a dead snapshot and a live one that share a file, and one that is live whole.
fn fixture(disk: &SimulatedDisk) -> [Identity; 3] {
    let mut store = StoredObjects::open(disk).unwrap();
    let dead = stored(&mut store, &["a/x", "b"], "");
    let live = stored(&mut store, &["a/x", "c"], "");
    let other = stored(&mut store, &["d"], "other");
    [dead, live, other]
}

#[test]
fn what_no_root_reaches_goes_and_the_rest_stays() {
    let disk = disk();
    let [dead, live, other] = fixture(&disk);
    disk.create_file(".lonis/session/objects/new-0.tmp", b"x", 0o644)
        .unwrap();
    let mut store = StoredObjects::open(&disk).unwrap();
    let roots = [(Domain::Snapshot, live), (Domain::Snapshot, other)];
    let plan = plan(&store, &roots).unwrap();
    // The dead snapshot, its root and one file; its other tree and file are shared.
    assert_eq!((plan.dead_objects, plan.live_objects), (3, 8));
    assert_eq!(plan.samples.len(), 3);
    let collected = collect(&mut store, &plan).unwrap();
    let expected = Collected {
        segments: 1,
        objects: 3,
        temporaries: 1,
    };
    assert_eq!(collected, expected);
    for store in [store, StoredObjects::open(&disk).unwrap()] {
        assert!(is_whole(&store, &live) && is_whole(&store, &other));
        assert!(!store.contains(Domain::Snapshot, &dead));
        assert!(super::plan(&store, &roots).unwrap().dead_objects == 0);
    }
}

#[test]
fn an_object_that_names_others_keeps_them() {
    let disk = disk();
    let [_, live, _] = fixture(&disk);
    let mut store = StoredObjects::open(&disk).unwrap();
    let mut objects = ObjectMap::new();
    let output = objects.add(Domain::Blob, b"output".to_vec());
    let content = objects.add(Domain::Blob, b"content".to_vec());
    let evidence = format!(
        "{{\"results\":[{{\"stdout\":{{\"blob\":\"{output}\"}}}}],\"snapshot\":\"{live}\"}}"
    );
    let evidence = objects.add(Domain::Evidence, evidence.into_bytes());
    let patch = format!("{{\"ops\":[{{\"pre\":\"blob:{content}\"}}]}}");
    let patch = objects.add(Domain::Patch, patch.into_bytes());
    store.add(&objects).unwrap();
    let roots = [(Domain::Evidence, evidence), (Domain::Patch, patch)];
    let plan = plan(&store, &roots).unwrap();
    collect(&mut store, &plan).unwrap();
    assert!(is_whole(&store, &live));
    for blob in [output, content] {
        assert!(store.is_whole(Domain::Blob, &blob));
    }
}

#[test]
fn what_cannot_be_read_is_never_taken_for_dead() {
    let disk = disk();
    let [_, live, _] = fixture(&disk);
    let store = StoredObjects::open(&disk).unwrap();
    let missing = Identity::of(Domain::Snapshot, b"none");
    for root in [(Domain::Snapshot, missing), (Domain::Evidence, live)] {
        assert!(plan(&store, &[root]).is_err());
    }
}

#[test]
fn a_crash_at_any_step_loses_nothing_live() {
    let mut disk = disk();
    let [dead, live, other] = fixture(&disk);
    disk.settle();
    let roots = [(Domain::Snapshot, live), (Domain::Snapshot, other)];
    let collect_on = |disk: &dyn Disk| {
        let mut store = StoredObjects::open(disk).unwrap();
        let plan = plan(&store, &roots).unwrap();
        collect(&mut store, &plan).is_ok()
    };
    let copy = disk.clone();
    let counted = StoppingDisk::new(&copy, u64::MAX, Upset::Nothing);
    assert!(collect_on(&counted));
    let total = counted.count();
    assert!(total > 4, "{total} steps");
    for at in 0..=total {
        let disk = disk.clone();
        let done = collect_on(&StoppingDisk::new(&disk, at, Upset::End));
        for kept in 0..1_u64 << disk.pending() {
            for torn in [false, true] {
                let crashed = disk.after_crash(kept, torn);
                let store = StoredObjects::open(&crashed).unwrap();
                assert!(
                    is_whole(&store, &live) && is_whole(&store, &other),
                    "step {at}"
                );
                assert!(!done || !store.contains(Domain::Snapshot, &dead));
                assert!(collect_on(&crashed), "the next collection works");
            }
        }
    }
}
