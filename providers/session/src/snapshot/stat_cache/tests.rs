use std::fs;

use super::*;
use crate::identity::Domain;
use crate::store::disk::RootDisk;
use crate::store::disk::simulated::SimulatedDisk;
use crate::store::layout;

fn stamp(milliseconds: i64) -> Stamp {
    Stamp {
        seconds: milliseconds / 1000,
        nanoseconds: u32::try_from(milliseconds % 1000).unwrap() * 1_000_000,
    }
}

/// A cache of files, none of them executable.
fn cache(files: &[Known], whole: Option<Whole>, began: Stamp) -> StatCache {
    let files = files.iter().map(|known| {
        let (blob, bytes) = (known.blob, known.stat.bytes);
        let entry = match known.stat.kind {
            Kind::Link => Entry::Link { blob, bytes },
            _ => Entry::File {
                executable: false,
                blob,
                bytes,
            },
        };
        (known.path.as_str(), &known.stat, entry)
    });
    StatCache::new(files, whole, began)
}

fn known(path: &str, modified: i64, changed: i64) -> Known {
    Known {
        path: WorkspacePath::new(path).unwrap(),
        stat: Stat {
            kind: Kind::File,
            device: 1,
            inode: 2,
            links: 1,
            mode: 0o644,
            bytes: 3,
            modified: stamp(modified),
            changed: stamp(changed),
        },
        blob: Identity::of(Domain::Blob, path.as_bytes()),
    }
}

#[test]
fn only_what_was_at_rest_is_kept() {
    for (modified, changed, began, expected) in [
        (900, 900, 950, true),
        (900, 901, 950, false),
        (901, 900, 950, false),
        (5, 900, 5_000, true),
        // The clock was set back: the stamps are those of a time to come.
        (9_000, 9_000, 950, false),
        // No fraction of a second: the stamps may be coarse.
        (1_000, 1_000, 2_999, false),
        (1_000, 1_000, 3_000, true),
        // A whole stamp that somebody set says nothing about the file system.
        (1_000, 1_001, 1_100, true),
    ] {
        let cache = cache(&[known("a", modified, changed)], None, stamp(began));
        assert_eq!(cache.len(), 1);
        let trusted = cache.iter().count();
        assert_eq!(trusted == 1, expected, "{modified} {changed} {began}");
    }
}

#[test]
fn every_field_counts() {
    let held = known("b", 1_001, 1_002);
    let cache = cache(std::slice::from_ref(&held), None, stamp(9_000));
    let find = |stat: &Stat| {
        let noted = cache.noted().next().unwrap();
        noted.holds_of(stat).then(|| noted.entry.blob())
    };
    assert_eq!(find(&held.stat), Some(held.blob));
    assert_eq!(
        find(&Stat {
            links: 2,
            ..held.stat
        }),
        Some(held.blob)
    );
    for other in [
        Stat {
            device: 9,
            ..held.stat
        },
        Stat {
            inode: 9,
            ..held.stat
        },
        Stat {
            bytes: 9,
            ..held.stat
        },
        Stat {
            mode: 0o755,
            ..held.stat
        },
        Stat {
            kind: Kind::Link,
            ..held.stat
        },
        Stat {
            modified: stamp(1_003),
            ..held.stat
        },
        Stat {
            changed: stamp(1_003),
            ..held.stat
        },
    ] {
        assert_eq!(find(&other), None, "{other:?}");
    }
}

#[test]
fn a_cache_is_read_whole_or_not_at_all() {
    let disk = SimulatedDisk::new();
    layout::prepare(&disk).unwrap();
    assert!(StatCache::load(&disk).is_empty());
    let mut link = known("l", 1_001, 1_002);
    link.stat.kind = Kind::Link;
    let files = [link, known("é/x", 1_001, 1_002)];
    let whole = Whole {
        identity: files[0].blob,
        snapshot: Snapshot {
            root: files[1].blob,
            files: 2,
            bytes: 6,
        },
        trees: vec![files[1].blob, files[0].blob],
    };
    let cache = cache(&files, Some(whole), stamp(9_000));
    assert_eq!(cache.iter().collect::<Vec<_>>(), files);
    cache.save(&disk).unwrap();
    cache.save(&disk).unwrap();
    assert_eq!(StatCache::load(&disk), cache);
    let bytes = disk.read(STAT_CACHE, u64::MAX).unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        for bad in [&changed[..], &bytes[..at]] {
            disk.remove_file(STAT_CACHE).unwrap();
            disk.create_file(STAT_CACHE, bad, 0o644).unwrap();
            assert_eq!(StatCache::load(&disk), StatCache::default(), "byte {at}");
        }
    }
}

#[test]
fn a_cache_that_is_longer_than_it_says_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let disk = RootDisk::open(folder.path()).unwrap();
    layout::prepare(&disk).unwrap();
    let cache = cache(&[known("x", 1_001, 1_002)], None, stamp(9_000));
    cache.save(&disk).unwrap();
    assert_eq!(StatCache::load(&disk), cache);
    let file = fs::OpenOptions::new()
        .append(true)
        .open(folder.path().join(STAT_CACHE));
    file.unwrap().set_len(1 << 40).unwrap();
    assert_eq!(StatCache::load(&disk), StatCache::default());
    assert!(!StatCache::is_readable(&disk));
}
