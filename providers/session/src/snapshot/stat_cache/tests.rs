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
        let cache = StatCache::new(vec![known("a", modified, changed)], stamp(began));
        assert_eq!(!cache.is_empty(), expected, "{modified} {changed} {began}");
    }
}

#[test]
fn every_field_counts() {
    let held = known("b", 1_001, 1_002);
    let cache = StatCache::new(
        vec![
            known("c", 1_001, 1_002),
            held.clone(),
            known("a", 1_001, 1_002),
        ],
        stamp(9_000),
    );
    let find = |path: &str, stat: &Stat| {
        cache
            .lookup()
            .find(&WorkspacePath::new(path).unwrap(), stat)
    };
    assert_eq!(find("b", &held.stat), Some(held.blob));
    assert_eq!(
        find(
            "b",
            &Stat {
                links: 2,
                ..held.stat
            }
        ),
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
        assert_eq!(find("b", &other), None, "{other:?}");
    }
    assert_eq!(find("bb", &held.stat), None);
}

#[test]
fn a_cache_is_read_whole_or_not_at_all() {
    let disk = SimulatedDisk::new();
    layout::prepare(&disk).unwrap();
    assert!(StatCache::load(&disk).is_empty());
    let mut link = known("l", 1_001, 1_002);
    link.stat.kind = Kind::Link;
    let cache = StatCache::new(vec![known("é/x", 1_001, 1_002), link], stamp(9_000));
    cache.save(&disk).unwrap();
    cache.save(&disk).unwrap();
    assert_eq!(StatCache::load(&disk), cache);
    let bytes = disk.read(STAT_CACHE, u64::MAX).unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert_eq!(decode(&changed), None, "byte {at}");
        assert_eq!(decode(&bytes[..at]), None, "length {at}");
    }
}

#[test]
fn a_cache_that_is_longer_than_it_says_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let disk = RootDisk::open(folder.path()).unwrap();
    layout::prepare(&disk).unwrap();
    let cache = StatCache::new(vec![known("x", 1_001, 1_002)], stamp(9_000));
    cache.save(&disk).unwrap();
    assert_eq!(StatCache::load(&disk), cache);
    let file = fs::OpenOptions::new()
        .append(true)
        .open(folder.path().join(STAT_CACHE));
    file.unwrap().set_len(1 << 40).unwrap();
    assert_eq!(StatCache::load(&disk), StatCache::default());
    assert!(!StatCache::is_readable(&disk));
}
