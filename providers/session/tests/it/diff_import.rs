//! Diffs that git makes give the tree that git makes of them, and one identity however much context they have.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use lonis_session::patch::diff::import;
use lonis_session::patch::engine::{Rules, stage_diff};
use lonis_session::patch::outcome::Outcome;

use crate::generated::{Draw, cases};
use crate::git::Git;
use crate::memory::{Memory, Stands};

const NAMES: [&str; 10] = [
    "a", "b.txt", "d/x", "d/y z", "d/e/deep", "ü", "q\"uote", "it's b", "n", "k",
];

fn text(draw: &mut Draw) -> Vec<u8> {
    let end: &[u8] = if draw.once_in(4) { b"\r\n" } else { b"\n" };
    let mut text = Vec::new();
    for _ in 0..draw.below(40) {
        text.extend_from_slice(
            draw.one(&[
                "",
                "x",
                "y",
                "  deep",
                "}",
                "-- a",
                "++ b",
                "@@ -1 +1 @@",
                "é",
            ])
            .as_bytes(),
        );
        if draw.once_in(3) {
            text.extend_from_slice(draw.below(100).to_string().as_bytes());
        }
        text.extend_from_slice(if draw.once_in(30) { b"\r" } else { b"" });
        text.extend_from_slice(end);
    }
    if draw.once_in(4) {
        text.extend_from_slice(b"unended");
    }
    text
}

fn edited(draw: &mut Draw, before: &[u8]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = before
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for _ in 0..=draw.below(4) {
        let at = draw.below(lines.len() + 1);
        let end: &[u8] = if draw.once_in(6) { b"\r\n" } else { b"\n" };
        let line = [b"new ", draw.below(9).to_string().as_bytes(), end].concat();
        match draw.below(3) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at] = line,
            _ => lines.insert(at, line),
        }
    }
    if draw.once_in(6)
        && let Some(last) = lines.last_mut()
        && last.ends_with(b"\n")
        && last.len() > 1
    {
        last.pop();
    }
    // A line put behind one without an end would make one line of two; that is an edit as good as any.
    lines.concat()
}

fn tree(draw: &mut Draw) -> Memory {
    let mut tree = BTreeMap::new();
    for name in NAMES {
        if draw.once_in(3) {
            continue;
        }
        let stands = if draw.once_in(8) {
            Stands::Link((*draw.one(&["a", "b.txt", "k"])).to_owned())
        } else {
            Stands::File(draw.once_in(4), text(draw))
        };
        tree.insert(name.to_owned(), stands);
    }
    Memory(tree)
}

fn changed(draw: &mut Draw, before: &Memory) -> Memory {
    let mut after = before.clone();
    for _ in 0..=draw.below(4) {
        let names: Vec<String> = after.0.keys().cloned().collect();
        if names.is_empty() {
            break;
        }
        let name = draw.one(&names).clone();
        let free: Vec<&str> = NAMES
            .into_iter()
            .chain(["new/f", "z"])
            .filter(|name| !after.0.contains_key(*name))
            .collect();
        let other = (*draw.one(&free)).to_owned();
        let stands = after.0[&name].clone();
        match (draw.below(8), stands) {
            (0, _) => drop(after.0.remove(&name)),
            (1, stands) => {
                after.0.remove(&name);
                after.0.insert(other, stands);
            }
            (2, Stands::File(executable, bytes)) => {
                let bytes = edited(draw, &bytes);
                after.0.remove(&name);
                after.0.insert(other, Stands::File(executable, bytes));
            }
            (3, stands) => drop(after.0.insert(other, stands)),
            (4, Stands::File(executable, bytes)) => {
                drop(after.0.insert(name, Stands::File(!executable, bytes)));
            }
            (5, _) => drop(after.0.insert(other, Stands::File(false, text(draw)))),
            (6, Stands::File(..)) => drop(after.0.insert(name, Stands::Link("d/x".to_owned()))),
            (_, Stands::File(executable, bytes)) => {
                let bytes = edited(draw, &bytes);
                after.0.insert(name, Stands::File(executable, bytes));
            }
            (_, Stands::Link(_)) => drop(after.0.insert(name, Stands::Link("n".to_owned()))),
        }
    }
    after
}

/// Puts a tree into a working tree that holds nothing else.
fn write(root: &Path, tree: &Memory) {
    for entry in fs::read_dir(root).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            fs::remove_dir_all(entry.path()).unwrap();
        } else {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    for (name, stands) in &tree.0 {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match stands {
            Stands::Link(text) => symlink(text, path).unwrap(),
            Stands::File(executable, bytes) => {
                fs::write(&path, bytes).unwrap();
                let mode = if *executable { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
    }
}

fn staged(before: &Memory, diff: &str) -> Outcome {
    let imported = import(before, diff).unwrap_or_else(|error| panic!("{error}\n{diff}"));
    stage_diff(before, &Rules::default(), imported)
        .unwrap_or_else(|error| panic!("{error:?}\n{diff}"))
}

#[test]
fn a_diff_of_git_gives_the_tree_that_git_makes_of_it() {
    let git = Git::new();
    let root = git.repository("r", &[]);
    git.run(&root, &["config", "core.autocrlf", "false"]);
    git.run(&root, &["config", "core.safecrlf", "false"]);
    let mut compared = 0;
    for seed in 0..cases(40, 500) {
        let mut draw = Draw::new(seed);
        let before = tree(&mut draw);
        let after = changed(&mut draw, &before);
        if before == after {
            continue;
        }
        write(&root, &before);
        git.run(&root, &["add", "-A"]);
        let base = String::from_utf8(git.run(&root, &["write-tree"])).unwrap();
        write(&root, &after);
        git.run(&root, &["add", "-A"]);
        let wanted = git.run(&root, &["write-tree"]);
        let mut patches = Vec::new();
        for context in ["-U0", "-U3", "-U10"] {
            let arguments = [
                "diff",
                "--cached",
                context,
                "-M",
                "-C",
                "--find-copies-harder",
                "--text",
                base.trim(),
            ];
            let diff = String::from_utf8(git.run(&root, &arguments)).unwrap();
            let outcome = staged(&before, &diff);
            assert_eq!(before.after(&outcome), after, "seed {seed}\n{diff}");
            patches.push(outcome.patch);
            // What git itself makes of the text is the peer, beside the tree that was drawn.
            let file = git.path("diff");
            fs::write(&file, &diff).unwrap();
            git.run(&root, &["read-tree", base.trim()]);
            git.run(
                &root,
                &[
                    "apply",
                    "--cached",
                    "--unidiff-zero",
                    "--whitespace=nowarn",
                    file.to_str().unwrap(),
                ],
            );
            assert_eq!(
                git.run(&root, &["write-tree"]),
                wanted,
                "seed {seed}\n{diff}"
            );
            git.run(
                &root,
                &["read-tree", std::str::from_utf8(&wanted).unwrap().trim()],
            );
        }
        assert!(
            patches.windows(2).all(|pair| pair[0] == pair[1]),
            "seed {seed}"
        );
        compared += 1;
    }
    assert!(compared > 0);
}
