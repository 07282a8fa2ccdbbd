//! What an apply does not change stays as it was: bytes, mode, times, inode, link target.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::git::{Git, write};
use crate::program::{Numbers, Root, create, replace};

/// What a look at a path tells: inode, mode, length, both times in nanoseconds.
type Facts = (u64, u32, u64, i64, i64);

/// Every path below a root with its facts; a directory's times say that an entry came or went, so that they are left out.
fn facts(root: &Path) -> BTreeMap<String, Facts> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if name == ".lonis" {
                continue;
            }
            let stat = path.symlink_metadata().unwrap();
            let time = |seconds: i64, nanos: i64| seconds * 1_000_000_000 + nanos;
            let times = if stat.is_dir() {
                open.push(path);
                (0, 0, 0)
            } else {
                let modified = time(stat.mtime(), stat.mtime_nsec());
                (stat.len(), modified, time(stat.ctime(), stat.ctime_nsec()))
            };
            found.insert(name, (stat.ino(), stat.mode(), times.0, times.1, times.2));
        }
    }
    found
}

/// A repository with ignored files, empty directories, links and a nested repository beside what a session changes.
fn planted(git: &Git) -> std::path::PathBuf {
    let root = git.repository("tree", &[]);
    for number in 0..40 {
        write(&root, &format!("d{}/f{number}", number % 5), "one\n");
    }
    for path in ["d0/own.log", "gone/own.log", "d1/deep/own.log"] {
        write(&root, path, "ignored\n");
    }
    write(&root, "gone/f", "one\n");
    write(&root, ".gitignore", "*.log\n");
    for path in ["empty", "d2/empty", "gone/empty"] {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    symlink("d0/f0", root.join("latest")).unwrap();
    symlink("nowhere", root.join("d3/broken")).unwrap();
    git.run(&root, &["add", "."]);
    git.run(&root, &["commit", "-q", "-m", "a tree"]);
    root
}

fn run(git: &Git, root: &Path, words: &[&str], input: &Value) -> Value {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let mut child = Command::new(crate::program::PROGRAM)
        .arg("--json")
        .args(words)
        .env("HOME", git.path("home"))
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = input.to_string();
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    crate::program::told(&child.wait_with_output().unwrap()).1
}

#[test]
fn what_a_session_does_not_change_is_untouched_by_all_of_its_life() {
    let git = Git::new();
    let root = planted(&git);
    let mut numbers = Numbers::new(3);
    for round in 0..4 {
        let session = format!("s{round}");
        let (one, two) = if round % 2 == 0 {
            ("one", "two")
        } else {
            ("two", "one")
        };
        let before = facts(&root);
        let first = numbers.below(30);
        let mut ops: Vec<Value> = (0..5)
            .map(|number| {
                // The first five go to and fro.
                replace(&format!("d{}/f{number}", number % 5), one, two)
            })
            .collect();
        let made = format!("new{first}-{round}/n");
        ops.push(create(&made, "n\n"));
        let changed = |path: &str| {
            made.starts_with(path)
                || (0..5).any(|number| path == format!("d{}/f{number}", number % 5))
        };
        for words in [
            &["begin", &session][..],
            &["stage", &session, "--patch", "-"],
            &["test", &session],
            &["status", &session],
            &["diff", &session],
        ] {
            let answer = run(&git, &root, words, &crate::program::patch(&ops));
            assert_eq!(answer["ok"], true, "{words:?}: {answer}");
            assert_eq!(facts(&root), before, "{words:?}");
        }
        let answer = run(&git, &root, &["apply", &session], &Value::Null);
        assert_eq!(answer["data"]["written"], 6, "{answer}");
        let (mut then, mut now) = (before, facts(&root));
        assert!(now.contains_key(&made));
        then.retain(|path, _| !changed(path));
        now.retain(|path, _| !changed(path));
        assert_eq!(now, then, "round {round}");
    }
}

/// Emptied directories go, and only they: one that holds an ignored file or an empty directory stays.
#[test]
fn only_directories_that_the_apply_emptied_go() {
    let root = Root::new(&[
        ("gone/a", "one\n"),
        ("gone/own.log", "ignored\n"),
        ("left/b", "one\n"),
        ("all/of/it/c", "one\n"),
        (".gitignore", "*.log\n"),
    ]);
    fs::create_dir_all(root.tree().join("left/empty")).unwrap();
    root.passes(&["begin", "s"]);
    let status = root.passes(&["status", "s", "gone/a"]);
    let pre = format!("blob:{}", status["entries"][0]["blob"].as_str().unwrap());
    let ops = ["gone/a", "left/b", "all/of/it/c"]
        .map(|path| json!({"op": "delete-file", "path": path, "pre": pre}));
    root.stages("s", &ops);
    assert_eq!(root.passes(&["apply", "s"])["removed"], 3);
    assert_eq!(root.read("gone/own.log").as_deref(), Some("ignored\n"));
    assert!(root.tree().join("left/empty").is_dir());
    assert!(!root.tree().join("all").exists());
}

#[test]
fn a_replaced_file_keeps_its_whole_mode() {
    let modes = [0o755, 0o744, 0o640, 0o600, 0o2755, 0o444];
    let names = modes.map(|mode| format!("f{mode:o}"));
    let files = names.each_ref().map(|name| (&**name, "one\n"));
    let root = Root::new(&files);
    let path = |name: &str| root.tree().join(name);
    for (name, mode) in names.iter().zip(modes) {
        fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    root.passes(&["begin", "s"]);
    root.stages(
        "s",
        &names.each_ref().map(|name| replace(name, "one", "two")),
    );
    root.passes(&["apply", "s"]);
    for (name, mode) in names.iter().zip(modes) {
        let stat = path(name).metadata().unwrap();
        assert_eq!(stat.mode() & 0o7777, mode, "{name}");
        assert_eq!(root.read(name).as_deref(), Some("two\n"));
    }
}
