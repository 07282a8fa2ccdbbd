//! Directories: none goes that this apply did not empty or make, and each that comes back is the one that was there.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::*;
use crate::store::disk::RootDisk;

#[test]
fn an_empty_directory_that_nobody_knows_of_is_not_in_the_way_of_a_file_but_refuses_it() {
    for unmanaged in ["flat/empty", "flat/in/empty", "flat/own.log"] {
        let world = World::new(PLAN);
        let disk = &world.disk;
        if unmanaged.ends_with("log") {
            disk.create_file(unmanaged, b"ignored", 0o600).unwrap();
        } else {
            disk.create_dir(unmanaged).unwrap();
        }
        let error = world.apply(disk).unwrap_err().error;
        assert!(
            matches!(&error, ApplyError::Conflict { conflict } if conflict.path.as_str() == "flat"),
            "{error}"
        );
        assert_eq!(world.side(), Some(RecoveryOutcome::Base));
        assert!(disk.look(unmanaged).unwrap().is_some(), "{unmanaged}");
    }
}

#[test]
fn a_directory_that_only_lost_its_managed_files_stays() {
    let world = World::new(&[("d/a", Some(("a", false)), None)]);
    world.disk.create_dir("d/empty").unwrap();
    world.apply(&world.disk).unwrap();
    assert!(world.disk.look("d/empty").unwrap().is_some());
}

#[test]
fn something_put_into_a_directory_at_any_step_is_still_there() {
    for exchange in [true, false] {
        for at in 0..World::with_exchange(exchange).steps() {
            for place in ["flat/in/own", "flat/own", "new/own", "turn/own"] {
                let world = World::with_exchange(exchange);
                let put = |disk: &dyn Disk| drop(disk.create_file(place, b"own", 0o644));
                let meddled = StoppingDisk::new(&world.disk, at, Upset::Meddle(&put));
                let done = world.apply(&meddled);
                // The meddler could not put it there where the directory was not.
                let Some(_) = world.disk.look(place).unwrap() else {
                    let is_put = meddled.trace().len() as u64 > at
                        && world
                            .disk
                            .list(layout::KEPT)
                            .is_ok_and(|kept| !kept.is_empty());
                    assert!(!is_put, "{place} at {at}: {done:?}, {:?}", meddled.trace());
                    continue;
                };
                assert_eq!(world.disk.read(place, u64::MAX).unwrap(), b"own");
                recovered_accepting(&world.disk, &BTreeSet::new());
                assert_eq!(
                    world.disk.read(place, u64::MAX).unwrap(),
                    b"own",
                    "{place} at {at}"
                );
            }
        }
    }
}

/// The apply fails where all paths are swapped, so that every directory of ours goes again.
#[test]
fn an_empty_directory_that_somebody_made_where_ours_was_to_stand_is_theirs() {
    let trace = {
        let world = World::new(PLAN);
        let counting = StoppingDisk::new(&world.disk, u64::MAX, Upset::Nothing);
        world.apply(&counting).unwrap();
        counting.trace()
    };
    let last = trace
        .iter()
        .rposition(|step| step.starts_with("create .lonis/session/journal"))
        .unwrap() as u64;
    let mut times = 0;
    for at in 0..last {
        let world = World::new(PLAN);
        let made = std::cell::Cell::new(false);
        let mkdir = |_: &dyn Disk| made.set(world.disk.create_dir("new").is_ok());
        let broken = StoppingDisk::new(&world.disk, last, Upset::Fail(5));
        let meddled = StoppingDisk::new(&broken, at, Upset::Meddle(&mkdir));
        world.apply(&meddled).unwrap_err();
        assert!(unfinished(&world.disk).unwrap().is_empty());
        assert_eq!(
            world.disk.look("new").unwrap().is_some(),
            made.get(),
            "step {at}"
        );
        times += u32::from(made.get());
    }
    assert!(times > 10);
}

/// Modes and inodes of directories that are taken away for a file and given back.
#[test]
fn a_directory_that_a_roll_back_gives_back_is_the_one_that_was_there() {
    let steps = World::new(PLAN).steps();
    let mut given_back = 0;
    for at in 0..steps {
        let folder = tempfile::tempdir().unwrap();
        let disk = RootDisk::open(folder.path()).unwrap();
        let (objects, journal) = prepared(&disk, PLAN);
        let facts = || {
            ["flat", "flat/in", "gone"].map(|path| {
                let stat = folder.path().join(path).metadata().unwrap();
                (stat.ino(), stat.mode())
            })
        };
        for (path, mode) in [("flat", 0o750), ("flat/in", 0o2711), ("gone", 0o700)] {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path().join(path), permissions).unwrap();
        }
        let before = facts();
        let failing = StoppingDisk::new(&disk, at, Upset::Fail(5));
        let done = apply(&failing, &objects, &journal);
        if !unfinished(&disk).unwrap().is_empty() {
            recovered(&disk);
        }
        let side = side_of(&disk, &journal);
        assert!(side.is_some(), "step {at}: {:?}", failing.trace());
        if side == Some(RecoveryOutcome::Base) {
            assert!(done.is_err());
            assert_eq!(facts(), before, "step {at}: {:?}", failing.trace());
            given_back += 1;
        }
    }
    assert!(given_back > 10);
}
