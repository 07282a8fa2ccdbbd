//! A loss of power in `begin`, `stage`, `test`: no line of a log names an object that is not there, and the next command works.

use super::*;
use crate::event::Fact;
use crate::identity::{Domain, Identity};
use crate::session_id::SessionId;
use crate::snapshot::manifest::Manifest;
use crate::store::disk::stopping::{StoppingDisk, Upset};
use crate::store::log::Log;
use crate::store::stored::StoredObjects;

/// How many subsets of the pending effects are tried at each step: none, all, and some in between.
const SUBSETS: u32 = 6;

/// A snapshot with all that it needs, or another object.
fn assert_stored(store: &StoredObjects<'_>, domain: Domain, identity: &Identity, about: &str) {
    assert!(store.is_whole(domain, identity), "{about}: no {domain:?}");
    if domain == Domain::Snapshot {
        let manifest = Manifest::load(store, identity).unwrap();
        for (path, entry) in &manifest {
            assert!(
                store.is_whole(Domain::Blob, &entry.blob()),
                "{about}: `{path}` has no bytes"
            );
        }
    }
}

/// Checks that whatever the log of the session names is stored; gives how many events it has.
fn checked(disk: &dyn Disk, about: &str) -> usize {
    let log = Log::read(disk, &SessionId::new("s").unwrap()).unwrap();
    let store = StoredObjects::open(disk).unwrap();
    let needs = |domain, identity: &Identity| assert_stored(&store, domain, identity, about);
    for event in log.events() {
        match &event.fact {
            Fact::Begun(begun) => {
                needs(Domain::Snapshot, &begun.base);
                needs(Domain::Policy, &begun.policy);
                needs(Domain::ObligationSet, &begun.obligation_set);
            }
            Fact::Staged(staged) => {
                needs(Domain::Patch, &staged.patch);
                needs(Domain::ChangeSet, &staged.change_set);
                needs(Domain::Snapshot, &staged.after);
                if let Some(evidence) = &staged.evidence {
                    needs(Domain::Evidence, evidence);
                }
            }
            Fact::Tested(tested) => needs(Domain::Evidence, &tested.evidence),
            other => panic!("{about}: {}", other.word()),
        }
    }
    log.events().len()
}

#[test]
fn no_log_names_what_a_loss_of_power_took() {
    const ALL: [Command; 3] = [Command::Begin, Command::Stage, Command::Test];
    let tree = Tree::new();
    let mut states = 0;
    for (number, command) in ALL.into_iter().enumerate() {
        let (before, after) = (&ALL[..number], &ALL[number + 1..]);
        let settled = {
            let disk = Rc::new(SimulatedDisk::new());
            tree.passes(before, &simulated(&disk));
            let mut disk = SimulatedDisk::clone(&disk);
            disk.settle();
            disk
        };
        for at in 0.. {
            let disk = Rc::new(settled.clone());
            let ending = {
                let disk = Rc::clone(&disk);
                surroundings(move |_| {
                    Ok(Box::new(StoppingDisk::new(
                        Rc::clone(&disk),
                        at,
                        Upset::End,
                    )))
                })
            };
            let is_done = tree.run(command, &ending).is_ok();
            let all = (1_u64 << disk.pending().min(63)) - 1;
            for subset in 0..SUBSETS {
                // Of the same step always the same subsets, and at each step others.
                let kept = match subset {
                    0 => 0,
                    1 => all,
                    some => {
                        (at + 1)
                            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                            .rotate_left(7 * some)
                            & all
                    }
                };
                let crashed = Rc::new(disk.after_crash(kept, subset % 2 == 0));
                let about = format!("{command:?} to step {at}, kept {kept:b} of {all:b}");
                let events = checked(&*crashed, &about);
                let surroundings = simulated(&crashed);
                assert!(!is_done || events == number + 1, "{about}: {events} events");
                if events == number {
                    tree.passes(&[command], &surroundings);
                }
                tree.passes(after, &surroundings);
                assert_eq!(checked(&*crashed, &about), ALL.len(), "{about}");
                states += 1;
            }
            if is_done {
                break;
            }
        }
    }
    assert!(states > 150, "only {states} states");
    assert_eq!(tree.side(), Some("base"));
}

/// A refused write or sync at any step is an error with nothing in the log, and the same command works afterwards.
#[test]
fn a_command_that_the_disk_refuses_leaves_the_log_as_it_was() {
    const ALL: [Command; 3] = [Command::Begin, Command::Stage, Command::Test];
    let tree = Tree::new();
    for errno in [rustix::io::Errno::NOSPC, rustix::io::Errno::IO] {
        let errno = errno.raw_os_error();
        for (number, command) in ALL.into_iter().enumerate() {
            let disk = Rc::new(SimulatedDisk::new());
            tree.passes(&ALL[..number], &simulated(&disk));
            let settled = SimulatedDisk::clone(&disk);
            for at in 0.. {
                let disk = Rc::new(settled.clone());
                let failing = Rc::new(StoppingDisk::new(Rc::clone(&disk), at, Upset::Fail(errno)));
                let surroundings = {
                    let failing = Rc::clone(&failing);
                    super::surroundings(move |_| Ok(Box::new(Rc::clone(&failing))))
                };
                let done = tree.run(command, &surroundings);
                let about = format!("{command:?}, step {at} fails: {:?}", failing.trace());
                let expected = number + usize::from(done.is_ok());
                assert_eq!(checked(&*disk, &about), expected, "{about}");
                if done.is_err() {
                    tree.passes(&ALL[number..], &simulated(&disk));
                }
                if failing.count() <= at {
                    break;
                }
            }
        }
    }
}
