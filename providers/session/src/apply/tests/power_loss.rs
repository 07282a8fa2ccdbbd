//! Every state that a loss of power may leave: each prefix of the trace, with each subset of what no sync covers.

use super::*;

/// Up to this many pending effects every subset is tried.
const EXHAUSTIVE: usize = 11;

/// One plan for each op, and for what ops do together.
const SHORT: &[&[Planned]] = &[
    &[("a", Some(("old", false)), Some(("new", false)))],
    &[("d/e/a", None, Some(("new", true)))],
    &[("a", Some(("old", false)), None)],
    &[("d/a", Some(("old", false)), None)],
    &[
        ("t", Some(("file", false)), None),
        ("t/x", None, Some(("below", false))),
    ],
    &[
        ("f/x", Some(("below", false)), None),
        ("f", None, Some(("file", false))),
    ],
    &[
        ("a", Some(("one", false)), Some(("two", false))),
        ("b", None, Some(("two", false))),
        ("c", Some(("three", true)), None),
    ],
];

/// The subsets of `pending` effects: all of them, or those that lack or hold at most three.
fn subsets(pending: usize) -> Vec<u64> {
    let all = if pending >= 64 {
        u64::MAX
    } else {
        (1 << pending) - 1
    };
    if pending <= EXHAUSTIVE {
        return (0..=all).collect();
    }
    let bits: Vec<u64> = (0..pending.min(64)).map(|bit| 1 << bit).collect();
    let mut few = vec![0];
    for (index, one) in bits.iter().enumerate() {
        few.push(*one);
        for (second, two) in bits.iter().enumerate().skip(index + 1) {
            few.push(one | two);
            few.extend(bits.iter().skip(second + 1).map(|three| one | two | three));
        }
    }
    let lacking: Vec<u64> = few.iter().map(|subset| all & !subset).collect();
    few.extend(lacking);
    few
}

/// Loses power behind `steps` steps of an apply, in every way; gives the number of states that were checked.
///
/// Of many ways only every `thin`th is tried, another one at each step.
fn check(world: &World, at: u64, thin: u64) -> usize {
    let ending = StoppingDisk::new(&world.disk, at, Upset::End);
    let _ = world.apply(&ending);
    let mut states = 0;
    for (number, kept) in (at..).zip(subsets(world.disk.pending())) {
        if number % thin != 0 {
            continue;
        }
        for torn in [false, true] {
            states += 1;
            let disk = world.disk.after_crash(kept, torn);
            recovered(&disk);
            let side = side_of(&disk, &world.journal);
            assert!(
                side.is_some(),
                "step {at}, kept {kept:b} of {}, torn {torn}: {:?}",
                world.disk.pending(),
                ending.trace()
            );
            if side == Some(RecoveryOutcome::Base) {
                apply(&disk, &world.objects, &world.journal).unwrap();
                assert_eq!(
                    side_of(&disk, &world.journal),
                    Some(RecoveryOutcome::Target)
                );
            }
        }
    }
    states
}

#[test]
fn of_a_short_plan_every_crash_state_is_base_or_target() {
    let mut states = 0;
    for plan in SHORT {
        for disk in [
            SimulatedDisk::new(),
            SimulatedDisk::new().without_exchange(),
        ] {
            for at in 0..=World::on(disk.clone(), plan).steps() {
                states += check(&World::on(disk.clone(), plan), at, 1);
            }
        }
    }
    assert!(states > 5_000, "only {states} states");
}

/// The whole plan of eight paths: a sample of the states, another one at each step.
#[test]
fn of_a_long_plan_a_sample_of_the_crash_states_is_base_or_target() {
    let mut states = 0;
    for at in 0..=World::new(PLAN).steps() {
        states += check(&World::new(PLAN), at, 31);
    }
    assert!(states > 1_000, "only {states} states");
}

/// A roll-back and a recovery lose power at any step, too.
#[test]
fn a_recovery_that_loses_power_is_finished_by_the_next() {
    let mut states = 0;
    for plan in SHORT {
        let steps = World::new(plan).steps();
        // The last steps have all paths swapped.
        for at in steps.saturating_sub(12)..steps {
            for second in 0..24 {
                let mut world = World::new(plan);
                let done = world.apply(&StoppingDisk::new(&world.disk, at, Upset::End));
                assert!(done.is_err());
                world.disk.settle();
                let ending = StoppingDisk::new(&world.disk, second, Upset::End);
                let Some(journal) = Journal::read(&world.disk, "s").unwrap() else {
                    break;
                };
                let is_cut = recover::recover(&ending, &journal, &BTreeSet::new())
                    .and_then(|_| recover::clean(&ending, &journal))
                    .is_err();
                for kept in subsets(world.disk.pending()) {
                    states += 1;
                    let disk = world.disk.after_crash(kept, false);
                    recovered(&disk);
                    assert!(
                        side_of(&disk, &world.journal).is_some(),
                        "apply to {at}, recovery to {second}, kept {kept:b}: {:?}",
                        ending.trace()
                    );
                }
                if !is_cut {
                    break;
                }
            }
        }
    }
    assert!(states > 1_000, "only {states} states");
}

/// More than eight paths are synced with the whole file system at once.
#[test]
fn of_a_plan_that_is_synced_at_once_a_sample_is_base_or_target() {
    const MANY: &[Planned] = &[
        ("a", Some(("1", false)), Some(("2", false))),
        ("b", Some(("1", false)), Some(("2", false))),
        ("c", Some(("1", false)), Some(("2", false))),
        ("d", Some(("1", false)), Some(("2", false))),
        ("e", Some(("1", false)), Some(("2", false))),
        ("f", Some(("1", false)), Some(("2", false))),
        ("g/h", None, Some(("2", false))),
        ("g/i", None, Some(("2", false))),
        ("j", None, Some(("2", false))),
        ("k", Some(("1", false)), None),
        ("l/m", Some(("1", false)), None),
    ];
    for disk in [
        SimulatedDisk::new(),
        SimulatedDisk::new().without_sync_all(),
    ] {
        for at in 0..=World::on(disk.clone(), MANY).steps() {
            check(&World::on(disk.clone(), MANY), at, 997);
        }
    }
}
