//! The program is killed at a random time in an apply of many files: 3,000 in the proof, a tenth of them in each check.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use serde_json::Value;

use crate::program::{Numbers, Root, create, replace, rounds};

/// How many files the tree has.
fn count() -> usize {
    usize::try_from(rounds(300, 3_000)).unwrap()
}

fn name(number: usize) -> String {
    format!("d{}/f{number}", number % 40)
}

/// The side of the whole tree: every file at base, or every file at the target.
fn side(root: &Root, made: &[String]) -> Option<&'static str> {
    let mut sides = BTreeMap::new();
    for number in 0..count() {
        *sides.entry(root.read(&name(number))).or_insert(0) += 1;
    }
    let new = made.iter().filter(|path| root.read(path).is_some()).count();
    let all = |text: &str| sides.get(&Some(text.to_owned())) == Some(&count());
    if all("one\n") && new == 0 {
        Some("base")
    } else if all("two\n") && new == made.len() {
        Some("target")
    } else {
        None
    }
}

/// How far an apply has come, by what it leaves on the disk: prepared files, then a journal, then old files.
fn progress(tree: &Path) -> (usize, bool) {
    let count = |directory: &str| {
        fs::read_dir(tree.join(".lonis/session").join(directory)).map_or(0, Iterator::count)
    };
    (count("tmp"), count("journal") > 0)
}

#[test]
fn killed_at_any_time_the_tree_is_base_or_target_and_the_next_apply_works() {
    let count = count();
    let files: Vec<(String, &str)> = (0..count).map(|number| (name(number), "one\n")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let root = Root::new(&files);
    let made: Vec<String> = (0..20).map(|number| format!("new{number}/n")).collect();
    let mut ops: Vec<Value> = (0..count)
        .map(|number| replace(&name(number), "one", "two"))
        .collect();
    ops.extend(made.iter().map(|path| create(path, "new\n")));
    let mut numbers = Numbers::new(7);
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let mut session = String::new();
    // Killed before the journal, while the paths are swapped, behind the commit, each at a chance place.
    for round in 0..rounds(30, 300) {
        if session.is_empty() {
            session = format!("s{round}");
            root.passes(&["begin", &session]);
            root.stages(&session, &ops);
        }
        let killed = is_killed(&root, &session, round % 3, 1 + numbers.below(count - 1));
        let how = if killed { "killed" } else { "ended" };
        *seen.entry(how).or_default() += 1;

        // Any writing command brings the tree to one side, and says in the log which.
        root.passes(&["recover"]);
        let found = side(&root, &made).expect("base or target");
        *seen.entry(found).or_default() += 1;
        assert_eq!(progress(&root.tree()), (0, false), "round {round}");
        let status = root.passes(&["status", &session])["transaction"]["status"].clone();
        if found == "base" {
            assert_eq!(status, "open", "round {round}");
            continue;
        }
        assert_eq!(status, "applied", "round {round}");
        reset(&root, &made);
        session.clear();
    }
    if !session.is_empty() {
        assert_eq!(
            root.passes(&["apply", &session])["written"],
            count + made.len()
        );
        assert_eq!(side(&root, &made), Some("target"));
    }
    // How many were killed in time, and where, hangs on the machine: it is told, and nothing is asked of it.
    println!("{seen:?}");
}

/// Kills an apply once it has come as far as is wanted; `false` where it ended before.
fn is_killed(root: &Root, session: &str, phase: u64, wanted: usize) -> bool {
    let tree = root.tree();
    let mut child = root.start(&["apply", session], &Value::Null);
    loop {
        let (temporary, has_journal) = progress(&tree);
        let is_swapped = || fs::read(tree.join(name(wanted))).is_ok_and(|text| text == b"two\n");
        let is_there = match phase {
            0 => temporary >= wanted,
            1 => has_journal && is_swapped(),
            _ => has_journal && temporary < wanted,
        };
        if is_there || child.try_wait().unwrap().is_some() {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap().signal() == Some(9)
}

/// Puts the base back.
fn reset(root: &Root, made: &[String]) {
    for number in 0..count() {
        root.write(&name(number), "one\n");
    }
    for path in made {
        fs::remove_dir_all(root.tree().join(path).parent().unwrap()).unwrap();
    }
}
