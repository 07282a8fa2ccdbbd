//! Somebody else saves a file at any step: what they saved is in the tree, or in a kept file that is named.

use super::*;

/// How somebody saves.
#[derive(Debug, Clone, Copy)]
enum Save {
    /// To a new file that is renamed over the old one, as most editors do.
    Rename,
    /// Into the file itself.
    InPlace,
    /// The file is removed.
    Remove,
}

const SAVED: &[u8] = b"saved by hand";

fn save(disk: &dyn Disk, path: &str, how: Save) {
    // Where the path cannot be saved to just now, the editor says so, and nothing is to be found.
    match how {
        Save::Rename => {
            let temporary = format!("{path}.saved");
            if disk.create_file(&temporary, SAVED, 0o644).is_ok() {
                let over = disk
                    .look(path)
                    .unwrap()
                    .is_none_or(|look| look.kind != crate::store::disk::Kind::Directory);
                if !over || disk.rename(&temporary, path).is_err() {
                    disk.remove_file(&temporary).unwrap();
                }
            }
        }
        Save::InPlace => {
            if disk.cut(path, 0).is_ok() {
                disk.append(path, SAVED).unwrap();
            }
        }
        Save::Remove => drop(disk.remove_file(path)),
    }
}

/// Whether a save stands at the path, or in one of the named files.
fn is_found(disk: &dyn Disk, path: &str, kept: &[String]) -> bool {
    let places = kept.iter().map(String::as_str).chain([path]);
    let mut read = places.filter_map(|place| disk.read(place, u64::MAX).ok());
    read.any(|bytes| bytes == SAVED)
}

/// Saves one path at one step of an apply on a disk that may fail or end at another step, then recovers.
fn check(path: &str, how: Save, at: u64, upset: Option<(u64, Upset<'_>)>) {
    let world = World::new(PLAN);
    let saved = std::cell::Cell::new(false);
    // On the disk itself: what somebody else does is no step of ours.
    let meddle = |_: &dyn Disk| {
        save(&world.disk, path, how);
        saved.set(
            world
                .disk
                .read(path, u64::MAX)
                .is_ok_and(|bytes| bytes == SAVED),
        );
    };
    let (then, upset) = upset.unwrap_or((u64::MAX, Upset::Nothing));
    let upsetting = StoppingDisk::new(&world.disk, then, upset);
    let meddled = StoppingDisk::new(&upsetting, at, Upset::Meddle(&meddle));
    let mut kept = match world.apply(&meddled) {
        Ok(kept) => kept,
        Err(refused) => refused.kept,
    };
    let mut recovered = recovered_accepting(&world.disk, &BTreeSet::new());
    kept.append(&mut recovered.kept);
    let trace = || {
        format!(
            "{path} by {how:?} at {at}, other upset at {then}: {:?}",
            meddled.trace()
        )
    };
    if saved.get() {
        assert!(is_found(&world.disk, path, &kept), "{}", trace());
    }
    // A conflict names its path alone, and accepting it ends the matter.
    let conflicts = recovered.conflicts.iter();
    let named: BTreeSet<WorkspacePath> = conflicts.map(|conflict| conflict.path.clone()).collect();
    for conflict in &named {
        assert!(
            conflict.as_str() == path || conflict.is_within(&path.parse().unwrap()),
            "{conflict}: {}",
            trace()
        );
    }
    if !named.is_empty() {
        let again = recovered_accepting(&world.disk, &named);
        assert!(again.conflicts.is_empty(), "{}", trace());
        kept.extend(again.kept);
        if saved.get() {
            assert!(is_found(&world.disk, path, &kept), "{}", trace());
        }
    }
    assert!(unfinished(&world.disk).unwrap().is_empty(), "{}", trace());
    // All the others are at one side.
    let others = |side: fn(&Step) -> Option<Entry>| {
        let mut steps = world.journal.paths.iter().filter(|step| {
            !step.path.as_str().starts_with(path) && !path.starts_with(step.path.as_str())
        });
        steps.all(|step| state_at(&world.disk, step.path.as_str()).unwrap() == side(step))
    };
    assert!(
        others(|step| step.base) || others(|step| step.target),
        "{}",
        trace()
    );
}

const PATHS: &[&str] = &[
    "a.txt",
    "new/deep/b.txt",
    "gone/c.txt",
    "run.sh",
    "turn",
    "flat",
    "flat/in/y",
];

const SAVES: [Save; 3] = [Save::Rename, Save::InPlace, Save::Remove];

#[test]
fn a_save_at_any_step_of_an_apply_is_found() {
    for at in 0..World::new(PLAN).steps() {
        for path in PATHS {
            for how in SAVES {
                check(path, how, at, None);
            }
        }
    }
}

/// The paths are all swapped when the step fails, so that what follows is the roll-back of all.
#[test]
fn a_save_at_any_step_of_a_roll_back_is_found() {
    let (trace, steps) = {
        let world = World::new(PLAN);
        let counting = StoppingDisk::new(&world.disk, u64::MAX, Upset::Nothing);
        world.apply(&counting).unwrap();
        (counting.trace(), counting.count())
    };
    let written = (0..trace.len())
        .filter(|at| trace[*at].starts_with("create .lonis/session/journal"))
        .nth(1)
        .unwrap() as u64;
    // The roll-back has about as many steps as the apply.
    for at in written..written + steps {
        for path in PATHS {
            for how in SAVES {
                check(path, how, at, Some((written, Upset::Fail(5))));
            }
        }
    }
}

/// Ends the apply with all paths swapped, then saves at any step of the recovery, which may itself be ended at the next.
#[test]
fn a_save_at_any_step_of_a_recovery_is_found() {
    let trace = {
        let world = World::new(PLAN);
        let counting = StoppingDisk::new(&world.disk, u64::MAX, Upset::Nothing);
        world.apply(&counting).unwrap();
        counting.trace()
    };
    let written = (0..trace.len())
        .filter(|at| trace[*at].starts_with("create .lonis/session/journal"))
        .nth(1)
        .unwrap() as u64;
    for at in 0..40 {
        for path in PATHS {
            for ends in [u64::MAX, at + 1, at + 2] {
                let world = World::new(PLAN);
                let ending = StoppingDisk::new(&world.disk, written, Upset::End);
                assert!(world.apply(&ending).is_err());
                let saved = std::cell::Cell::new(false);
                let meddle = |_: &dyn Disk| {
                    save(&world.disk, path, Save::Rename);
                    saved.set(
                        world
                            .disk
                            .read(path, u64::MAX)
                            .is_ok_and(|bytes| bytes == SAVED),
                    );
                };
                let ended = StoppingDisk::new(&world.disk, ends, Upset::End);
                let meddled = StoppingDisk::new(&ended, at, Upset::Meddle(&meddle));
                let journal = Journal::read(&world.disk, "s").unwrap().unwrap();
                let first = recover::recover(&meddled, &journal, &BTreeSet::new());
                let mut kept = first.map_or_else(|_| Vec::new(), |recovered| recovered.kept);
                let mut second = recovered_accepting(&world.disk, &BTreeSet::new());
                kept.append(&mut second.kept);
                assert!(
                    !saved.get() || is_found(&world.disk, path, &kept),
                    "{path} at {at}, ended at {ends}: {:?}",
                    meddled.trace()
                );
            }
        }
    }
}

/// Whoever saves again and again between our exchange and its check keeps the newest save at the path.
#[test]
fn the_newest_of_many_saves_stays_at_its_path() {
    let world = World::new(&[("a.txt", Some(("old a", false)), Some(("new a", false)))]);
    let number = std::cell::Cell::new(0);
    let meddle = |_: &dyn Disk| {
        let disk = &world.disk;
        number.set(number.get() + 1);
        let text = format!("save {}", number.get());
        disk.create_file("a.saved", text.as_bytes(), 0o644).unwrap();
        disk.rename("a.saved", "a.txt").unwrap();
    };
    let exchange = {
        let world = World::new(&[("a.txt", Some(("old a", false)), Some(("new a", false)))]);
        let counting = StoppingDisk::new(&world.disk, u64::MAX, Upset::Nothing);
        world.apply(&counting).unwrap();
        let trace = counting.trace();
        trace
            .iter()
            .position(|step| step.starts_with("exchange"))
            .unwrap() as u64
    };
    let first = StoppingDisk::new(&world.disk, exchange + 2, Upset::Meddle(&meddle));
    let second = StoppingDisk::new(&first, exchange + 1, Upset::Meddle(&meddle));
    let third = StoppingDisk::new(&second, exchange, Upset::Meddle(&meddle));
    let refused = world.apply(&third).unwrap_err();
    assert_eq!(number.get(), 3);
    assert_eq!(
        world.disk.read("a.txt", u64::MAX).unwrap(),
        b"save 3",
        "{:?}",
        third.trace()
    );
    assert!(matches!(
        refused.error,
        ApplyError::Conflict { .. } | ApplyError::Rollback { .. }
    ));
}
