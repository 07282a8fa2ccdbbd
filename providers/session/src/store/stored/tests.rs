use super::*;
use crate::store::disk::simulated::SimulatedDisk;
use crate::store::disk::stopping::{StoppingDisk, Upset};
use crate::store::layout::{self, QUARANTINE};

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new();
    layout::prepare(&disk).unwrap();
    disk
}

fn objects(texts: &[&str]) -> ObjectMap {
    let mut objects = ObjectMap::new();
    for text in texts {
        objects.add(Domain::Blob, text.as_bytes().to_vec());
    }
    objects
}

fn blob(text: &str) -> Identity {
    Identity::of(Domain::Blob, text.as_bytes())
}

/// Changes one byte of a file.
fn flip(disk: &SimulatedDisk, path: &str, at: usize) {
    let mut bytes = disk.read(path, u64::MAX).unwrap();
    bytes[at] ^= 0x20;
    disk.remove_file(path).unwrap();
    disk.create_file(path, &bytes, 0o644).unwrap();
}

#[test]
fn what_is_stored_once_is_not_stored_again() {
    let disk = disk();
    let mut store = StoredObjects::open(&disk).unwrap();
    store.add(&objects(&["one", "two"])).unwrap();
    store.add(&objects(&["one", "two"])).unwrap();
    store.add(&objects(&["two", "three"])).unwrap();
    let store = StoredObjects::open(&disk).unwrap();
    let sizes: Vec<_> = store.segments().iter().map(Segment::len).collect();
    assert_eq!(sizes, [1, 2]);
    assert_eq!(store.read(Domain::Blob, &blob("one")).unwrap(), b"one");
    assert!(matches!(
        store.read(Domain::Blob, &blob("none")),
        Err(ObjectError::Missing { .. })
    ));
}

#[test]
fn damage_is_never_handed_out_and_is_put_aside_by_a_repair_alone() {
    let disk = disk();
    let mut store = StoredObjects::open(&disk).unwrap();
    store.add(&objects(&["one", "two", "three"])).unwrap();
    let bytes = disk.read(".lonis/session/objects/1.seg", u64::MAX).unwrap();
    for (at, _) in bytes.iter().enumerate() {
        let disk = disk.clone();
        flip(&disk, ".lonis/session/objects/1.seg", at);
        let mut store = StoredObjects::open(&disk).unwrap();
        let whole = ["one", "two", "three"]
            .into_iter()
            .filter(|text| match store.read(Domain::Blob, &blob(text)) {
                Ok(read) => read == text.as_bytes(),
                Err(_) => false,
            })
            .count();
        assert!(whole < 3, "byte {at} is found by use");
        let found = store.verify().unwrap();
        assert_eq!(found.segments.len(), 1, "byte {at}");
        assert_eq!(
            disk.read(".lonis/session/objects/1.seg", u64::MAX)
                .unwrap()
                .len(),
            bytes.len()
        );
        let repair = store
            .repair(&found, |_, identity| {
                (*identity == blob("two")).then(|| b"two".to_vec())
            })
            .unwrap();
        assert_eq!(disk.list(QUARANTINE).unwrap(), ["1.seg"]);
        let again = StoredObjects::open(&disk).unwrap();
        assert!(again.verify().unwrap().segments.is_empty());
        let kept = again.segments().iter().map(Segment::len).sum::<usize>();
        assert_eq!(kept, whole + repair.restored.len());
    }
}

#[test]
fn a_damaged_object_is_stored_again_when_its_bytes_come_back() {
    let disk = disk();
    let mut store = StoredObjects::open(&disk).unwrap();
    store.add(&objects(&["one"])).unwrap();
    flip(&disk, ".lonis/session/objects/1.seg", 17);
    assert!(matches!(
        store.read(Domain::Blob, &blob("one")),
        Err(ObjectError::Mismatch { .. })
    ));
    store.add(&objects(&["one"])).unwrap();
    assert_eq!(store.read(Domain::Blob, &blob("one")).unwrap(), b"one");
    assert!(
        store.verify().unwrap().damaged.is_empty(),
        "a whole copy is here"
    );
}

#[test]
fn a_crash_leaves_all_objects_of_a_segment_or_none() {
    let disk = disk();
    let total = {
        let copy = disk.clone();
        let counted = StoppingDisk::new(&copy, u64::MAX, Upset::Nothing);
        let mut store = StoredObjects::open(&counted).unwrap();
        store.add(&objects(&["one", "two"])).unwrap();
        counted.count()
    };
    assert!(total > 3, "{total} steps");
    for at in 0..=total {
        let mut disk = disk.clone();
        disk.settle();
        let done = {
            let stopping = StoppingDisk::new(&disk, at, Upset::End);
            let mut store = StoredObjects::open(&stopping).unwrap();
            store.add(&objects(&["one", "two"])).is_ok()
        };
        for kept in 0..1_u64 << disk.pending() {
            for torn in [false, true] {
                let disk = disk.after_crash(kept, torn);
                let store = StoredObjects::open(&disk).unwrap();
                let found = ["one", "two"].map(|text| store.is_whole(Domain::Blob, &blob(text)));
                assert_eq!(found[0], found[1], "stopped at {at}, kept {kept:b}");
                assert!(!done || found[0], "what was reported is there");
            }
        }
    }
}

#[test]
fn a_full_disk_and_a_failed_sync_are_errors_that_leave_nothing() {
    for at in 0..6 {
        for errno in [28, 5] {
            let disk = disk();
            let before = disk.list(OBJECTS).unwrap();
            let stopping = StoppingDisk::new(&disk, at, Upset::Fail(errno));
            let mut store = StoredObjects::open(&stopping).unwrap();
            match store.add(&objects(&["one"])) {
                Ok(()) => assert!(at > 3, "step {at}"),
                Err(WriteError::Space { .. }) => assert_eq!(errno, 28),
                Err(WriteError::Write { .. }) => assert_eq!(errno, 5),
            }
            let store = StoredObjects::open(&disk).unwrap();
            assert!(store.unusable().is_empty());
            assert!(disk.list(OBJECTS).unwrap().len() <= before.len() + 1);
        }
    }
}

#[test]
fn a_store_of_another_version_is_refused() {
    let disk = SimulatedDisk::new();
    assert!(!layout::check_version(&disk).unwrap());
    layout::prepare(&disk).unwrap();
    layout::prepare(&disk).unwrap();
    assert!(layout::check_version(&disk).unwrap());
    assert_eq!(disk.read(".lonis/.gitignore", u64::MAX).unwrap(), b"*\n");
    layout::replace_file(&disk, layout::VERSION, b"2\n").unwrap();
    assert!(matches!(
        layout::prepare(&disk),
        Err(layout::LayoutError::Version { .. })
    ));
}
