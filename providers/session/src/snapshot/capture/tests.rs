use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::file_set::GitEnvironment;
use crate::snapshot::manifest::Manifest;
use crate::store::disk::RootDisk;
use crate::store::layout;
use crate::store::stored::StoredObjects;

fn open(root: &Path) -> (LiveTree, RootDisk) {
    let live = LiveTree::open(root, GitEnvironment::default()).unwrap();
    (live, RootDisk::open(root).unwrap())
}

/// Captures into the store, with the cache of the store, and saves a new cache.
fn begin(root: &Path) -> Capture {
    let (live, disk) = open(root);
    layout::prepare(&disk).unwrap();
    let began = file_system_time(&live, &disk).unwrap();
    let cache = StatCache::load(&disk);
    let mut objects = StoredObjects::open(&disk).unwrap();
    let capture = store(
        &live,
        &FileSetRules::default(),
        &cache,
        &mut objects,
        &ObjectMap::new(),
    )
    .unwrap();
    capture.remember(began, &cache, &disk).unwrap();
    capture
}

fn plain(root: &Path) -> Capture {
    let (live, _) = open(root);
    look(&live, &FileSetRules::default(), &StatCache::default(), None).unwrap()
}

/// Sets stamps to a time long past, so that the cache trusts what stands here. The change stamp cannot be set, so it waits
/// until the file system's clock has moved on.
fn rest(root: &Path) {
    let (live, disk) = open(root);
    layout::prepare(&disk).unwrap();
    let start = file_system_time(&live, &disk).unwrap().total_nanoseconds();
    while file_system_time(&live, &disk).unwrap().total_nanoseconds() < start + 60_000_000 {
        std::thread::yield_now();
    }
}

/// Ends the other thread of a test, also when the test fails.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_stored_snapshot_is_the_published_vector_and_reads_back() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    fs::write(root.join("README.md"), "hello\n").unwrap();
    fs::create_dir(root.join("bin")).unwrap();
    fs::write(root.join("bin/run"), "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(root.join("bin/run"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("README.md", root.join("latest")).unwrap();
    let capture = begin(root);
    assert_eq!(
        capture.identity.to_string(),
        "89653dafda907d7341a431598a7c6a23b7a370425f285d4acd86f9a87ba4db11"
    );
    let (_, disk) = open(root);
    let objects = StoredObjects::open(&disk).unwrap();
    assert_eq!(objects.segments().len(), 1, "one segment for all of it");
    let manifest = Manifest::load(&objects, &capture.identity).unwrap();
    let entries = capture.entries();
    let entries = entries.map(|(path, entry)| (path.clone(), entry));
    assert_eq!(manifest, Manifest::new(entries.collect()));
    for (path, entry) in &manifest {
        let bytes = objects.read(Domain::Blob, &entry.blob()).unwrap();
        assert_eq!(bytes.len() as u64, entry.bytes(), "{path}");
    }
    assert_eq!(plain(root).identity, capture.identity);
}

#[test]
fn what_did_not_change_is_not_read_and_nothing_is_written_for_it() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    for name in ["a", "b", "c"] {
        fs::write(root.join(name), name).unwrap();
    }
    symlink("a", root.join("l")).unwrap();
    rest(root);
    let first = begin(root);
    assert_eq!(first.files_read, 4);
    let second = begin(root);
    assert_eq!((second.files_read, second.identity), (0, first.identity));
    fs::write(root.join("b"), "x").unwrap();
    let third = begin(root);
    assert_eq!(third.files_read, 1);
    assert_ne!(third.identity, first.identity);
    assert_eq!(third.identity, plain(root).identity);
    let (_, disk) = open(root);
    assert_eq!(StoredObjects::open(&disk).unwrap().segments().len(), 2);
}

/// Whether every tree of a snapshot is in the store, right, and leads to what a capture without any cache sees.
fn check_stored(root: &Path, capture: &Capture) {
    let fresh = plain(root);
    assert_eq!(capture.identity, fresh.identity);
    assert_eq!(capture.snapshot, fresh.snapshot);
    let (_, disk) = open(root);
    let objects = StoredObjects::open(&disk).unwrap();
    let manifest = Manifest::load(&objects, &capture.identity).unwrap();
    let entries = fresh.entries();
    let entries = entries.map(|(path, entry)| (path.clone(), entry));
    assert_eq!(manifest, Manifest::new(entries.collect()));
    let stored = manifest.iter();
    let mut missing = stored.filter(|(_, entry)| !objects.contains(Domain::Blob, &entry.blob()));
    assert_eq!(missing.next(), None);
}

#[test]
fn what_differs_in_few_files_is_made_from_what_is_there() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let path = |number: u32| root.join(format!("d{}/e{}/f{number}", number % 3, number % 5));
    for number in 0..60 {
        fs::create_dir_all(path(number).parent().unwrap()).unwrap();
        fs::write(path(number), number.to_string()).unwrap();
    }
    for round in 0..24 {
        let capture = begin(root);
        check_stored(root, &capture);
        let again = begin(root);
        assert_eq!(again.identity, capture.identity);
        // Every second time the files are trusted before they change.
        if round % 2 == 1 {
            rest(root);
            begin(root);
        }
        let file = path(round * 7 % 60);
        match round % 6 {
            0 => fs::write(file, format!("round {round}")).unwrap(),
            1 => fs::remove_file(file).unwrap(),
            2 => fs::write(root.join(format!("new{round}")), "new").unwrap(),
            3 => {
                fs::remove_file(&file).unwrap();
                fs::create_dir(&file).unwrap();
                fs::write(file.join("below"), "a file became a directory").unwrap();
            }
            4 => fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap(),
            _ => {
                fs::remove_file(&file).unwrap();
                symlink("elsewhere", file).unwrap();
            }
        }
    }
    check_stored(root, &begin(root));
}

#[test]
fn only_the_trees_on_the_way_to_a_change_are_made_anew() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    for number in 0..64 {
        let path = root.join(format!("d{}/f{number}", number % 8));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "text").unwrap();
    }
    let made = |capture: &Capture| capture.objects().len();
    rest(root);
    assert_eq!(made(&begin(root)), 1 + 8 + 1, "all trees and the snapshot");
    assert_eq!(made(&begin(root)), 0);
    fs::write(root.join("d3/f3"), "other").unwrap();
    assert_eq!(made(&begin(root)), 3, "two trees and the snapshot");
    let (live, disk) = open(root);
    let objects = StoredObjects::open(&disk).unwrap();
    let cache = StatCache::load(&disk);
    let seen = look(&live, &FileSetRules::default(), &cache, Some(&objects)).unwrap();
    assert_eq!(seen.identity, plain(root).identity);
    assert!(made(&seen) <= 3, "a look makes no more");
}

#[test]
fn trees_that_are_gone_or_damaged_are_stored_again() {
    for change in [false, true] {
        for damage in [false, true] {
            let root = tempfile::tempdir().unwrap();
            let root = root.path();
            for number in 0..40 {
                let path = root.join(format!("d{}/f{number}", number % 4));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, number.to_string()).unwrap();
            }
            rest(root);
            begin(root);
            // The snapshot comes to lie in another segment than most of its trees.
            fs::write(root.join("d0/f0"), "other").unwrap();
            rest(root);
            begin(root);
            let segment = root.join(".lonis/session/objects/1.seg");
            if damage {
                let mut bytes = fs::read(&segment).unwrap();
                let needle = b"workspace-tree";
                let at = bytes.windows(needle.len()).position(|part| part == needle);
                bytes[at.unwrap()] ^= 1;
                fs::write(&segment, bytes).unwrap();
            } else {
                fs::remove_file(&segment).unwrap();
            }
            if change || damage {
                fs::write(root.join("d1/f1"), "new").unwrap();
            }
            check_stored(root, &begin(root));
        }
    }
}

#[test]
fn a_change_of_equal_length_within_a_tick_is_seen() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let file = root.join("f");
    fs::write(&file, "aaaa").unwrap();
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    for round in 0..200 {
        let text = format!("{round:04}");
        fs::write(&file, &text).unwrap();
        // The owner sets the stamp back to what it was.
        let handle = fs::File::options().write(true).open(&file).unwrap();
        handle.set_modified(modified).unwrap();
        let capture = begin(root);
        let blob = capture.get("f").unwrap().blob();
        assert_eq!(
            blob,
            Identity::of(Domain::Blob, text.as_bytes()),
            "round {round}"
        );
    }
}

#[test]
fn a_file_that_grows_while_it_is_read_is_never_half_captured() {
    use std::io::Write;
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let file = root.join("log");
    fs::write(&file, "x".repeat(100_000)).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut handle = fs::File::options().append(true).open(&file).unwrap();
            while !stop.load(Ordering::Relaxed) {
                handle.write_all(b"y").unwrap();
                if handle.metadata().unwrap().len() > 4_000_000 {
                    handle.set_len(100_000).unwrap();
                }
            }
        });
        let _stop = StopOnDrop(&stop);
        let (live, disk) = open(root);
        layout::prepare(&disk).unwrap();
        for _ in 0..50 {
            let mut objects = StoredObjects::open(&disk).unwrap();
            let none = StatCache::default();
            match store(
                &live,
                &FileSetRules::default(),
                &none,
                &mut objects,
                &ObjectMap::new(),
            ) {
                Ok(capture) => {
                    let entry = capture.get("log").unwrap();
                    let bytes = objects.read(Domain::Blob, &entry.blob()).unwrap();
                    assert_eq!(bytes.len() as u64, entry.bytes());
                    assert!(bytes[100_000..].iter().all(|byte| *byte == b'y'));
                }
                Err(CaptureError::Unstable { path }) => assert_eq!(path.as_str(), "log"),
                Err(error) => panic!("{error}"),
            }
        }
    });
}

#[test]
fn a_directory_that_becomes_a_link_leads_nowhere() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("f"), "secret").unwrap();
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    fs::create_dir(root.join("d")).unwrap();
    fs::write(root.join("d/f"), "inside").unwrap();
    symlink(outside.path(), root.join("other")).unwrap();
    let secret = Identity::of(Domain::Blob, b"secret");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (_, disk) = open(root);
            while !stop.load(Ordering::Relaxed) {
                disk.exchange("d", "other").unwrap();
            }
        });
        let _stop = StopOnDrop(&stop);
        let (live, _) = open(root);
        for _ in 0..300 {
            match look(&live, &FileSetRules::default(), &StatCache::default(), None) {
                Ok(capture) => {
                    for (path, entry) in capture.entries() {
                        assert_ne!(entry.blob(), secret, "{path}");
                    }
                }
                Err(
                    CaptureError::Unstable { .. }
                    | CaptureError::FileSet(FileSetError::Unstable { .. })
                    | CaptureError::Tree(TreeError::Path(_)),
                ) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
}

#[test]
fn large_files_are_streamed_and_stored_once() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let large: Vec<u8> = (0..3_000_001_u32)
        .map(|number| number.to_le_bytes()[0])
        .collect();
    fs::write(root.join("one"), &large).unwrap();
    fs::write(root.join("two"), &large).unwrap();
    fs::File::create(root.join("sparse"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let capture = begin(root);
    let blob = Identity::of(Domain::Blob, &large);
    assert_eq!(capture.get("one").unwrap().blob(), blob);
    assert_eq!(capture.excluded[0].path, "sparse");
    let (_, disk) = open(root);
    let mut objects = StoredObjects::open(&disk).unwrap();
    assert_eq!(objects.read(Domain::Blob, &blob).unwrap(), large);
    let held = objects.segments()[0].objects().count();
    assert_eq!(held, 3, "one blob, one tree, one snapshot");
    let none = StatCache::default();
    let (live, _) = open(root);
    store(
        &live,
        &FileSetRules::default(),
        &none,
        &mut objects,
        &ObjectMap::new(),
    )
    .unwrap();
    assert_eq!(objects.segments().len(), 1, "nothing is stored twice");
}

#[test]
fn a_damaged_object_is_not_taken_for_stored() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    fs::write(root.join("f"), "content of the file").unwrap();
    let capture = begin(root);
    let segment = root.join(".lonis/session/objects/1.seg");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[20] ^= 1;
    fs::write(&segment, bytes).unwrap();
    fs::remove_file(root.join(".lonis/session/stat-cache")).unwrap();
    begin(root);
    let (_, disk) = open(root);
    let objects = StoredObjects::open(&disk).unwrap();
    let blob = capture.get("f").unwrap().blob();
    assert_eq!(
        objects.read(Domain::Blob, &blob).unwrap(),
        b"content of the file"
    );
}

#[test]
fn names_that_differ_in_case_alone_are_told() {
    let root = tempfile::tempdir().unwrap();
    for name in ["readme", "README", "other"] {
        fs::write(root.path().join(name), name).unwrap();
    }
    let clashes = plain(root.path()).case_clashes;
    let names: Vec<_> = clashes
        .iter()
        .flatten()
        .map(WorkspacePath::as_str)
        .collect();
    assert_eq!(names, ["README", "readme"]);
}
