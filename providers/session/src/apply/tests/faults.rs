//! The process ends, or the system refuses, at each step.

use super::*;

#[test]
fn ended_at_any_step_the_tree_is_base_or_target() {
    for exchange in [true, false] {
        for at in 0..World::with_exchange(exchange).steps() {
            let world = World::with_exchange(exchange);
            let stopping = StoppingDisk::new(&world.disk, at, Upset::End);
            assert!(world.apply(&stopping).is_err());
            recovered(&world.disk);
            let side = world.side();
            assert!(
                side.is_some(),
                "step {at}, exchange {exchange}: {:?}",
                stopping.trace()
            );
            if side == Some(RecoveryOutcome::Base) {
                world.apply(&world.disk).unwrap();
                assert_eq!(world.side(), Some(RecoveryOutcome::Target), "step {at}");
            }
        }
    }
}

/// Recovers with a disk that ends at a step, and says whether it did.
fn recovered_until(world: &World, at: u64) -> bool {
    let ending = StoppingDisk::new(&world.disk, at, Upset::End);
    let Some(session) = unfinished(&world.disk).unwrap().first().cloned() else {
        return false;
    };
    let journal = Journal::read(&world.disk, &session).unwrap().unwrap();
    recover::recover(&ending, &journal, &BTreeSet::new())
        .and_then(|_| recover::clean(&ending, &journal))
        .is_err()
}

#[test]
fn a_recovery_that_is_cut_short_is_finished_by_the_next() {
    for exchange in [true, false] {
        for at in 0..World::with_exchange(exchange).steps() {
            for second in 0.. {
                let world = World::with_exchange(exchange);
                let stopping = StoppingDisk::new(&world.disk, at, Upset::End);
                assert!(world.apply(&stopping).is_err());
                let is_cut = recovered_until(&world, second);
                recovered(&world.disk);
                assert!(
                    world.side().is_some(),
                    "apply to {at}, recovery to {second}: {:?}",
                    stopping.trace()
                );
                if !is_cut {
                    break;
                }
            }
        }
    }
}

#[test]
fn an_error_at_any_step_is_rolled_back_and_a_second_try_works() {
    for errno in [rustix::io::Errno::NOSPC, rustix::io::Errno::IO] {
        for exchange in [true, false] {
            for at in 0..World::with_exchange(exchange).steps() {
                let world = World::with_exchange(exchange);
                let failing = StoppingDisk::new(&world.disk, at, Upset::Fail(errno.raw_os_error()));
                if let Err(refused) = world.apply(&failing) {
                    let error = &refused.error;
                    assert!(
                        !matches!(error, ApplyError::Rollback { .. }),
                        "step {at}: {error}, {:?}",
                        failing.trace()
                    );
                }
                // An error behind the commit leaves the journal, and the tree at target.
                if unfinished(&world.disk).unwrap().is_empty() {
                    assert!(world.side().is_some(), "{at}: {:?}", failing.trace());
                } else {
                    recovered(&world.disk);
                    assert_eq!(world.side(), Some(RecoveryOutcome::Target), "{at}");
                }
                if world.side() == Some(RecoveryOutcome::Base) {
                    world.apply(&world.disk).unwrap();
                    assert_eq!(world.side(), Some(RecoveryOutcome::Target), "{at}");
                }
            }
        }
    }
}

#[test]
fn on_a_disk_that_is_full_from_any_step_on_the_tree_is_base_at_once() {
    let mut failed = 0;
    for at in 0..World::new(PLAN).steps() {
        let world = World::new(PLAN);
        let full = StoppingDisk::new(&world.disk, at, Upset::Full);
        let done = world.apply(&full);
        let expected = match &done {
            Ok(_) => RecoveryOutcome::Target,
            Err(refused) => {
                failed += 1;
                let error = &refused.error;
                assert!(!matches!(error, ApplyError::Rollback { .. }), "{error}");
                let trace = full.trace();
                let is_prepared = trace.iter().any(|step| step.contains("/journal"));
                assert_eq!(
                    matches!(error, ApplyError::Space { .. }),
                    !is_prepared,
                    "{error}: {trace:?}"
                );
                RecoveryOutcome::Base
            }
        };
        assert_eq!(world.side(), Some(expected), "{at}: {:?}", full.trace());
        assert!(unfinished(&world.disk).unwrap().is_empty());
        if done.is_err() {
            world.apply(&world.disk).unwrap();
            assert_eq!(world.side(), Some(RecoveryOutcome::Target), "{at}");
        }
    }
    assert!(failed > 20, "only {failed} steps needed room");
}

/// A journal whose second write failed says `written` on the disk; a kill while the paths go back must not make recovery
/// believe it.
#[test]
fn a_kill_in_a_roll_back_behind_the_second_journal_write_leaves_base_or_target() {
    let trace = {
        let world = World::new(PLAN);
        let counting = StoppingDisk::new(&world.disk, u64::MAX, Upset::Nothing);
        world.apply(&counting).unwrap();
        counting.trace()
    };
    let writes: Vec<usize> = (0..trace.len())
        .filter(|at| trace[*at] == "sync .lonis/session/journal")
        .collect();
    // Behind the rename of the journal that says `written`: its name is there, and not known to be durable.
    let fails = writes[1] as u64;
    for ends in fails.. {
        let world = World::new(PLAN);
        let failing = StoppingDisk::new(&world.disk, fails, Upset::Fail(5));
        let ending = StoppingDisk::new(&failing, ends, Upset::End);
        let refused = world.apply(&ending).unwrap_err();
        recovered(&world.disk);
        assert!(
            world.side().is_some(),
            "ended at {ends}: {:?}",
            ending.trace()
        );
        if ending.count() <= ends {
            assert!(matches!(refused.error, ApplyError::Journal(_)));
            assert_eq!(world.side(), Some(RecoveryOutcome::Base));
            return;
        }
    }
}
