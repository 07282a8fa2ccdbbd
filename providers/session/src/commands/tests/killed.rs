//! The process is really killed, at each step of `apply` and of `recover`, on a real disk.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use super::*;
use crate::session_id::SessionId;
use crate::store::disk::stopping::{StoppingDisk, Upset};
use crate::store::lock::{self, Hold, Subject};
use crate::store::log::Log;

/// Names the root and the step in the environment of a child, which is this test program again.
const ROOT: &str = "LONIS_KILLED_ROOT";
const STEP: &str = "LONIS_KILLED_STEP";
const COMMAND: &str = "LONIS_KILLED_COMMAND";

/// Runs a command in a process of its own that is killed at a step; `false` where it ended before.
fn is_killed(tree: &Tree, command: Command, step: u64) -> bool {
    #[expect(clippy::disallowed_methods, reason = "the child is this test program")]
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let output = child
        .args([
            "commands::tests::killed::the_child",
            "--exact",
            "--nocapture",
        ])
        .env(ROOT, tree.root())
        .env(STEP, step.to_string())
        .env(COMMAND, command.word())
        .output()
        .unwrap();
    let killed = output.status.signal() == Some(9);
    assert!(killed || output.status.success(), "{output:?}");
    killed
}

/// What a child of these tests does; as a test of its own it checks that there is none to do.
#[test]
fn the_child() {
    let Some(root) = std::env::var_os(ROOT) else {
        assert!(std::env::var_os(STEP).is_none());
        return;
    };
    let step = std::env::var(STEP).unwrap().parse().unwrap();
    let command: Command = Command::ALL
        .iter()
        .copied()
        .find(|command| std::env::var(COMMAND).is_ok_and(|word| word == command.word()))
        .unwrap();
    let killing = surroundings(move |root| {
        let disk = RootDisk::open(root)?;
        Ok(Box::new(StoppingDisk::new(disk, step, Upset::Kill)))
    });
    let mut input = json!({"root": root.to_str().unwrap()});
    if command.has_session() {
        input["session"] = "s".into();
    }
    run(command, &input, &killing).unwrap();
}

fn staged() -> Tree {
    let tree = Tree::new();
    tree.passes(&[Command::Begin, Command::Stage, Command::Test], &real());
    tree
}

/// The state of the session, as the log tells it.
fn status(tree: &Tree) -> String {
    let record = tree.run(Command::Status, &real()).unwrap();
    assert_eq!(record["transaction"]["recovery_pending"], false);
    record["transaction"]["status"].as_str().unwrap().to_owned()
}

/// A journal waits for a recovery only while nobody is at work on it.
#[test]
fn a_recovery_is_pending_while_a_journal_is_there_and_the_store_is_free() {
    let tree = staged();
    assert!(is_killed(&tree, Command::Apply, 30));
    let pending = || {
        let record = tree.run(Command::Status, &real()).unwrap();
        record["transaction"]["recovery_pending"].clone()
    };
    let listed = || {
        let rows = tree.run(Command::List, &real()).unwrap();
        rows["sessions"][0]["recovery_pending"].clone()
    };
    assert_eq!((pending(), listed()), (true.into(), true.into()));
    let disk = RootDisk::open(tree.root()).unwrap();
    let held = lock::acquire(&disk, &Subject::Store, Hold::Exclusive, Duration::ZERO).unwrap();
    assert_eq!(listed(), false);
    drop(held);
    assert_eq!(listed(), true);
    tree.passes(&[Command::Recover], &real());
    assert_eq!((pending(), listed()), (false.into(), false.into()));
}

/// Whether anything is left of an apply beside the log.
fn assert_clean(tree: &Tree, about: &str) {
    for directory in ["tmp", "journal", "kept"] {
        let directory = tree.root().join(".lonis/session").join(directory);
        let left = std::fs::read_dir(directory).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{about}");
    }
}

#[test]
fn killed_at_each_step_of_an_apply_the_tree_is_base_or_target() {
    let mut sides = std::collections::BTreeMap::new();
    for step in every(2) {
        let tree = staged();
        if !is_killed(&tree, Command::Apply, step) {
            assert_eq!(tree.side(), Some("target"));
            break;
        }
        tree.passes(&[Command::Recover], &real());
        let side = tree.side();
        let about = format!("killed at {step}: {:?}", tree.found());
        assert_clean(&tree, &about);
        match side {
            Some("base") => {
                assert_eq!(status(&tree), "open", "{about}");
                tree.passes(&[Command::Apply], &real());
                assert_eq!(tree.side(), Some("target"), "{about}");
            }
            Some("target") => assert_eq!(status(&tree), "applied", "{about}"),
            _ => panic!("{about}"),
        }
        *sides.entry(side).or_insert(0) += 1;
    }
    assert!(
        sides[&Some("base")] > 10 && sides[&Some("target")] > 2,
        "{sides:?}"
    );
}

/// The recovery is killed at each of its steps, of an apply that was killed with all paths swapped; any writing command then does
/// what it left.
#[test]
fn a_recovery_that_is_killed_at_each_step_is_finished_by_any_command() {
    let swapped = 30;
    for step in every(3) {
        let tree = staged();
        assert!(is_killed(&tree, Command::Apply, swapped));
        let killed = is_killed(&tree, Command::Recover, step);
        tree.passes(&[Command::Test], &real());
        let about = format!("recovery killed at {step}: {:?}", tree.found());
        assert_eq!(tree.side(), Some("base"), "{about}");
        assert_eq!(status(&tree), "open", "{about}");
        tree.passes(&[Command::Apply], &real());
        assert_eq!(tree.side(), Some("target"), "{about}");
        assert_clean(&tree, &about);
        if !killed {
            assert!(step > 10, "only {step} steps");
            break;
        }
    }
}

/// A test with an obligation makes a workspace: killed at each step, the record is the one before or after, and the next run
/// finds nothing in its way.
#[test]
fn killed_at_each_step_of_a_test_the_record_is_the_one_before_or_after() {
    let tree = Tree::new();
    let policy = "version = 1\n[[obligation]]\nname = \"holds\"\nargv = [\"grep\", \"-q\", \"one\", \"a.txt\"]\n";
    tree.write("lonis-session.toml", policy);
    tree.passes(&[Command::Begin], &real());
    let events = || {
        let disk = RootDisk::open(tree.root()).unwrap();
        let log = Log::read(&disk, &SessionId::new("s").unwrap()).unwrap();
        log.events().len()
    };
    for step in every(5) {
        let before = events();
        let killed = is_killed(&tree, Command::Test, step);
        let after = events();
        assert!(after == before || after == before + 1, "killed at {step}");
        tree.passes(&[Command::Test], &real());
        assert_eq!(events(), after + 1);
        if !killed {
            assert!(step > 3, "only {step} steps");
            break;
        }
    }
}
