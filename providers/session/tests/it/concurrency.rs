//! Several processes on one root.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::program::{Numbers, Root, code_of, create, patch, replace, rounds, told};

/// Two sessions with one base are applied at once; gives exit code and answer of each.
fn both(root: &Root) -> [(i32, Value); 2] {
    let children = ["one", "two"].map(|session| root.start(&["apply", session], &Value::Null));
    children.map(|child| told(&child.wait_with_output().unwrap()))
}

#[test]
fn of_two_appliers_of_one_path_one_wins_and_no_update_is_lost() {
    for round in 0..rounds(3, 1_000) {
        let root = Root::new(&[("a", "base\n"), ("b", "base\n")]);
        for session in ["one", "two"] {
            root.passes(&["begin", session]);
            root.stages(
                session,
                &[replace("a", "base", session), create(session, "mine\n")],
            );
        }
        let answers = both(&root);
        let winners: Vec<&str> = ["one", "two"]
            .into_iter()
            .zip(&answers)
            .filter(|(_, (code, _))| *code == 0)
            .map(|(session, _)| session)
            .collect();
        assert_eq!(winners.len(), 1, "round {round}: {answers:?}");
        let winner = winners[0];
        assert_eq!(root.read("a"), Some(format!("{winner}\n")), "round {round}");
        for session in ["one", "two"] {
            assert_eq!(root.read(session).is_some(), session == winner);
        }
        let (_, refusal) = answers.iter().find(|(code, _)| *code != 0).unwrap();
        assert_eq!(code_of(refusal), "session/stale-base", "{refusal}");
        // With exactly the paths of the winner.
        let parameters = &refusal["diagnostics"][0]["parameters"];
        let rows =
            ["overlapping", "disjoint"].map(|list| parameters[list].as_array().unwrap().clone());
        let named: BTreeSet<&str> = rows
            .iter()
            .flatten()
            .map(|row| row["path"].as_str().unwrap())
            .collect();
        assert_eq!(named, BTreeSet::from(["a", winner]), "{parameters}");
    }
}

#[test]
fn of_two_appliers_of_other_paths_both_win_once_they_are_joined() {
    let policy = "version = 1\n[session]\nrebase = \"disjoint\"\nlock_wait_millis = 60000\n\n[[obligation]]\nname = \"holds\"\nargv = [\"true\"]\n";
    for round in 0..rounds(2, 1_000) {
        let root = Root::new(&[
            ("a", "base\n"),
            ("b", "base\n"),
            ("lonis-session.toml", policy),
        ]);
        for (session, path) in [("one", "a"), ("two", "b")] {
            root.passes(&["begin", session]);
            root.stages(session, &[replace(path, "base", session)]);
        }
        let children = ["one", "two"]
            .map(|session| root.start(&["apply", session, "--rebase", "disjoint"], &Value::Null));
        let answers = children.map(|child| told(&child.wait_with_output().unwrap()));
        for (code, answer) in &answers {
            assert_eq!(*code, 0, "round {round}: {answer}");
        }
        let rebased = answers
            .iter()
            .filter(|(_, answer)| answer["data"]["rebased"] == true);
        assert_eq!(
            rebased.count(),
            1,
            "round {round}: the second one was joined"
        );
        assert_eq!(root.read("a").as_deref(), Some("one\n"));
        assert_eq!(root.read("b").as_deref(), Some("two\n"));
    }
}

/// Codes with which a command may be refused by what another one did.
const REFUSALS: [&str; 8] = [
    "session/already-exists",
    "session/not-found",
    "session/not-open",
    "session/unverified",
    "session/stale-base",
    "session/lock-busy",
    "session/apply-busy",
    "patch/path-state-conflict",
];

/// Runs one command of a few by chance, and gives its words, code and answer.
fn any(root: &Root, numbers: &mut Numbers, worker: u64) -> (String, i32, Value) {
    let session = ["x", "y", "z"][numbers.below(3)];
    let path = ["a", "b", "d/c"][numbers.below(3)];
    let (words, input) = match numbers.below(9) {
        0 | 1 => (vec!["begin", session], Value::Null),
        2..=4 => {
            let number = numbers.below(1_000);
            let op = if number.is_multiple_of(2) {
                create(&format!("new/{number}"), &worker.to_string())
            } else {
                replace(path, "base", &format!("base {worker}-{number}"))
            };
            (vec!["stage", session, "--patch", "-"], patch(&[op]))
        }
        5 => (vec!["test", session], Value::Null),
        6 => (vec!["apply", session], Value::Null),
        7 => (vec!["status", session], Value::Null),
        _ => (vec!["abort", session], Value::Null),
    };
    let (code, answer) = root.run(&words, &input);
    (words.join(" "), code, answer)
}

#[test]
fn eight_processes_with_mixed_commands_leave_logs_that_verify() {
    let policy = "version = 1\n[session]\nlock_wait_millis = 60000\n";
    let root = Root::new(&[
        ("a", "base"),
        ("b", "base"),
        ("d/c", "base"),
        ("bystander", "left alone"),
        ("lonis-session.toml", policy),
    ]);
    let times = rounds(3, 200);
    let owns: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let root = &root;
                scope.spawn(move || {
                    let mut numbers = Numbers::new(worker + 1);
                    // What nobody else touches passes, whatever the others do meanwhile.
                    let own = format!("own-{worker}");
                    root.passes(&["begin", &own]);
                    root.stages(&own, &[create(&own, "mine")]);
                    for _ in 0..times {
                        let (words, code, answer) = any(root, &mut numbers, worker);
                        let refusal = code_of(&answer);
                        assert!(
                            code == 0 || REFUSALS.contains(&refusal),
                            "{words}: {code}, {refusal}: {}",
                            answer["diagnostics"][0]["message"]
                        );
                    }
                    own
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    // A session that the others never named is as its own worker left it.
    for own in &owns {
        assert_eq!(
            root.passes(&["status", own])["transaction"]["status"],
            "open",
            "{own}"
        );
    }
    // Every log is a chain, nothing is unfinished, and the tree is what the last apply made of it.
    let listed = root.passes(&["list"]);
    for row in listed["sessions"].as_array().unwrap() {
        let session = row["session"].as_str().unwrap();
        assert_eq!(row["recovery_pending"], false, "{row}");
        assert_eq!(root.passes(&["log", session])["chain_ok"], true);
    }
    assert_eq!(root.read("bystander").as_deref(), Some("left alone"));
    assert_eq!(root.passes(&["recover"])["recovered"], json!([]));
    let directories = ["tmp", "journal"].map(|name| root.tree().join(".lonis/session").join(name));
    for directory in directories {
        assert_eq!(std::fs::read_dir(directory).unwrap().count(), 0);
    }
}

/// A session begun by two at once is begun once.
#[test]
fn of_two_that_begin_one_session_one_does() {
    for round in 0..rounds(3, 200) {
        let root = Root::new(&[("a", "base\n")]);
        let children = [0, 1].map(|_| root.start(&["begin", "s"], &Value::Null));
        let answers = children.map(|child| told(&child.wait_with_output().unwrap()));
        let begun = answers.iter().filter(|(code, _)| *code == 0).count();
        assert_eq!(begun, 1, "round {round}: {answers:?}");
        let refused = answers.iter().find(|(code, _)| *code != 0).unwrap();
        assert_eq!(code_of(&refused.1), "session/already-exists");
        let log = root.passes(&["log", "s"]);
        assert_eq!(log["events"].as_array().unwrap().len(), 1);
    }
}
