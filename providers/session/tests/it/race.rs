//! Editors save files in a loop while results are written: every save is in the tree, or in a kept file that is named.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::program::{Root, code_of, replace, rounds};

/// How an editor saves.
#[derive(Debug, Clone, Copy)]
enum Save {
    /// To a new file that is renamed over the old one.
    Rename,
    /// By opening the file, cutting it and writing.
    InPlace,
}

/// Saves texts one after the other while it may, and gives the last one. A text that this editor itself saved over is gone by its
/// own doing, so that only the last counts.
fn edit(path: &Path, how: Save, may: &AtomicBool) -> Option<String> {
    let mut last = None;
    for number in 0_u64.. {
        if !may.load(Ordering::Acquire) {
            break;
        }
        let text = format!("{how:?} {number} of {}\n", path.display());
        let saved = match how {
            Save::Rename => {
                let temporary = path.with_extension("saving");
                fs::write(&temporary, &text).and_then(|()| fs::rename(&temporary, path))
            }
            Save::InPlace => fs::OpenOptions::new()
                .write(true)
                .truncate(true)
                .open(path)
                .and_then(|mut file| {
                    file.rewind()?;
                    file.write_all(text.as_bytes())
                }),
        };
        // Where the file is not there for a moment the editor says so, and nothing is lost.
        if saved.is_ok() {
            last = Some(text);
        }
    }
    last
}

/// Every kept file that an answer names.
fn named(envelope: &Value, kept: &mut BTreeSet<PathBuf>) {
    for data in [&envelope["data"], &envelope["data"]["recovered"][0]] {
        for name in data["kept"].as_array().into_iter().flatten() {
            kept.insert(name.as_str().unwrap().into());
        }
    }
}

#[test]
fn every_save_is_in_the_tree_or_in_a_kept_file() {
    let paths = ["a/renamed", "a/in-place", "b/renamed", "b/in-place"];
    let root = Root::new(&[("other", "x 0\n"), (".gitignore", "*.saving\n")]);
    let tree = root.tree();
    let mut conflicts = 0;
    let rounds = rounds(6, 1_000);
    for round in 0..rounds {
        let session = format!("s{round}");
        for path in paths {
            root.write(path, "one\n");
        }
        root.write("other", "one\n");
        root.passes(&["begin", &session]);
        let ops: Vec<Value> = paths
            .iter()
            .chain(&["other"])
            .map(|path| replace(path, "one", "two"))
            .collect();
        root.stages(&session, &ops);
        let may = AtomicBool::new(true);
        let mut kept = BTreeSet::new();
        let lasts: Vec<(&str, Option<String>)> = thread::scope(|scope| {
            // Started before the editors, so that they come in at any time of it.
            let apply = root.start(&["apply", &session], &Value::Null);
            // Until the live tree was compared with the base, a save is only a stale base.
            while fs::read_dir(tree.join(".lonis/session/tmp")).map_or(0, Iterator::count) == 0
                && !apply_is_over(&root, &session)
            {
                std::hint::spin_loop();
            }
            let editors: Vec<_> = paths
                .iter()
                .map(|path| {
                    let how = if path.ends_with("renamed") {
                        Save::Rename
                    } else {
                        Save::InPlace
                    };
                    let (file, may) = (tree.join(path), &may);
                    (*path, scope.spawn(move || edit(&file, how, may)))
                })
                .collect();
            let (code, envelope) = crate::program::told(&apply.wait_with_output().unwrap());
            named(&envelope, &mut kept);
            if code != 0 {
                conflicts += 1;
                let code = code_of(&envelope);
                assert!(
                    [
                        "session/apply-conflict",
                        "session/apply-mismatch",
                        "session/rollback-failed",
                        "session/stale-base"
                    ]
                    .contains(&code),
                    "{envelope}"
                );
            }
            may.store(false, Ordering::Release);
            editors
                .into_iter()
                .map(|(path, editor)| (path, editor.join().unwrap()))
                .collect()
        });
        let mut words = vec!["recover"];
        for path in paths {
            words.extend(["--accept", path]);
        }
        let (code, envelope) = root.run(&words, &Value::Null);
        assert_eq!(code, 0, "{envelope}");
        named(&envelope, &mut kept);
        for (path, last) in lasts {
            let Some(last) = last else { continue };
            let is_kept = kept
                .iter()
                .any(|name| fs::read_to_string(tree.join(name)).is_ok_and(|text| text == last));
            assert!(
                root.read(path).as_deref() == Some(&*last) || is_kept,
                "round {round}: `{path}` lost {last:?}, holds {:?}, kept {kept:?}",
                root.read(path)
            );
        }
        // What nobody edited is at one of its sides, and the same as the log says.
        let status = root.passes(&["status", &session])["transaction"]["status"].clone();
        let expected = if status == json!("applied") {
            "two\n"
        } else {
            "one\n"
        };
        assert_eq!(
            root.read("other").as_deref(),
            Some(expected),
            "round {round}"
        );
        if status == json!("open") {
            root.passes(&["abort", &session]);
        }
    }
    assert!(conflicts > 0, "in {rounds} rounds nobody met");
}

/// Whether the log says that an apply ended.
fn apply_is_over(root: &Root, session: &str) -> bool {
    let log = format!(".lonis/session/transactions/{session}/log.ndjson");
    root.read(&log)
        .is_some_and(|log| log.contains("\"kind\":\"applied\""))
}
