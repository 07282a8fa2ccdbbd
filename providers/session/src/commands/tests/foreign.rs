//! Files that are none of what the engine put there, and files that somebody changes beside it.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;
use crate::clock::Stamp;

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// The first code of a command that has to fail, and its facts.
fn refused(tree: &Tree, command: Command, surroundings: &Surroundings) -> (String, Value) {
    let failure = tree.run(command, surroundings).unwrap_err();
    let error = json!(failure.tool_error());
    let first = &error["details"]["diagnostics"][0];
    let code = first["code"].as_str().unwrap_or_default().to_owned();
    (code, first["parameters"].clone())
}

#[test]
fn what_stands_in_the_place_of_a_policy_is_refused_by_what_it_is() {
    let outside = tempfile::tempdir().unwrap();
    let policy = outside.path().join("policy.toml");
    fs::write(&policy, "version = 1\n").unwrap();
    let outside = policy.to_str().unwrap();
    let links = [outside, "nowhere", "a.txt"].map(|target| ("a link", target));
    let others = [("a directory", "/"), ("a pipe, a socket or a device", "|")];
    for (received, made) in links.into_iter().chain(others) {
        let tree = Tree::new();
        let path = tree.root().join("lonis-session.toml");
        match made {
            "/" => fs::create_dir(path).unwrap(),
            "|" => pipe(&path),
            target => symlink(target, path).unwrap(),
        }
        let (code, facts) = refused(&tree, Command::Begin, &real());
        assert_eq!(
            (code.as_str(), &facts["received"], &facts["expected"]),
            (
                "session/config-invalid",
                &json!(received),
                &json!("a regular file")
            ),
        );
    }
}

#[test]
fn a_policy_that_leaves_itself_out_is_refused() {
    let tree = Tree::new();
    tree.write(
        "lonis-session.toml",
        "version = 1\n[files]\nmax_file_bytes = 10\n",
    );
    let (code, facts) = refused(&tree, Command::Begin, &real());
    assert_eq!(
        (code.as_str(), &facts["received"]),
        ("session/config-invalid", &json!("a longer one"))
    );
}

#[test]
fn an_index_that_is_a_pipe_is_refused_and_not_waited_for() {
    let tree = Tree::new();
    tree.write(".git/HEAD", "ref: refs/heads/main\n");
    for directory in ["objects", "refs"] {
        fs::create_dir(tree.root().join(".git").join(directory)).unwrap();
    }
    pipe(&tree.root().join(".git/index"));
    let (code, facts) = refused(&tree, Command::Begin, &real());
    assert_eq!(code, "session/file-set");
    let reason = facts["reason"].as_str().unwrap();
    assert!(reason.contains("not a regular file"), "{reason}");
}

/// A length that no machine reads, of a file that takes no room.
const ENDLESS: u64 = 1 << 40;

fn lengthen(tree: &Tree, path: &str) {
    // What is known of files that were written just now is nothing yet, and then there is no such file.
    let file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(tree.root().join(path));
    file.unwrap().set_len(ENDLESS).unwrap();
}

#[test]
fn files_of_the_store_that_are_too_long_are_damage_and_are_not_read() {
    let readers = [Command::Status, Command::Log, Command::List, Command::Diff];
    let tree = Tree::new();
    tree.passes(&[Command::Begin, Command::Stage], &real());
    lengthen(&tree, ".lonis/session/stat-cache");
    lengthen(&tree, ".lonis/session/transactions/s/record.json");
    tree.passes(&readers, &real());
    let recovered = tree.run(Command::Recover, &real()).unwrap();
    assert_eq!(
        recovered["rebuilt"],
        json!([{"session": "s", "what": "record"}, {"session": null, "what": "stat-cache"}])
    );
    lengthen(&tree, ".lonis/session/transactions/s/log.ndjson");
    for command in [Command::Status, Command::Log, Command::Test, Command::Apply] {
        assert_eq!(refused(&tree, command, &real()).0, "session/state-invalid");
    }
    let recovered = tree.run(Command::Recover, &real()).unwrap();
    assert_eq!(
        recovered["rebuilt"],
        json!([{"session": "s", "what": "log"}])
    );
    tree.passes(&[Command::Test, Command::Apply], &real());
    fs::write(tree.root().join(".lonis/session/journal/s"), "{}").unwrap();
    lengthen(&tree, ".lonis/session/journal/s");
    assert_eq!(
        refused(&tree, Command::Recover, &real()).0,
        "session/state-invalid"
    );
    fs::remove_file(tree.root().join(".lonis/session/journal/s")).unwrap();
    lengthen(&tree, ".lonis/session/VERSION");
    for command in [Command::Begin, Command::Recover] {
        assert_eq!(refused(&tree, command, &real()).0, "session/state-invalid");
    }
}

#[test]
fn a_live_file_that_is_too_long_is_a_change_like_any_other() {
    let tree = Tree::new();
    tree.passes(&[Command::Begin, Command::Stage, Command::Test], &real());
    lengthen(&tree, "a.txt");
    assert_eq!(
        refused(&tree, Command::Apply, &real()).0,
        "session/stale-base"
    );
}

/// A clock that lets somebody write to a log as an event is made.
struct MeddlingClock {
    log: std::path::PathBuf,
    /// How often the time is asked for before.
    left: Cell<u32>,
}

impl crate::clock::Clock for MeddlingClock {
    fn now(&self) -> Stamp {
        if self.left.replace(self.left.get().wrapping_sub(1)) == 0 {
            let mut bytes = fs::read(&self.log).unwrap();
            bytes.extend_from_slice(b"{\"seq\": 1}\n");
            fs::write(&self.log, bytes).unwrap();
        }
        crate::clock::SystemClock.now()
    }
}

#[test]
fn a_command_whose_log_was_written_to_fails_and_leaves_it_as_it_was() {
    for command in [Command::Test, Command::Stage, Command::Abort] {
        let tree = Tree::new();
        tree.passes(&[Command::Begin], &real());
        let log = tree.root().join(".lonis/session/transactions/s/log.ndjson");
        let before = fs::read(&log).unwrap();
        let surroundings = Surroundings {
            // The first time is that of the note who holds the lock.
            clock: Box::new(MeddlingClock {
                log: log.clone(),
                left: Cell::new(1),
            }),
            ..real()
        };
        let (code, facts) = refused(&tree, command, &surroundings);
        assert_eq!(
            (code.as_str(), &facts["events"]),
            ("session/log-tampered", &json!(1)),
            "{command:?}"
        );
        assert_eq!(fs::read(&log).unwrap(), before, "{command:?}");
        tree.passes(
            &[Command::Status, Command::Log, command, Command::Status],
            &real(),
        );
    }
}
