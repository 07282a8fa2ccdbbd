//! Path states against a model that knows the whole tree at each step.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::fixture::MemoryFiles;
use crate::patch::document::{Action, Content, Op};
use crate::patch::path_state;
use crate::path::WorkspacePath;

const NAMES: [&str; 9] = ["a", "b", "a/x", "a/y", "b/x", "a/x/deep", "l", "l/x", "m/n"];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    File,
    Link,
}

/// Every file and link by its path.
#[derive(Debug, Clone)]
struct Model(BTreeMap<String, Kind>);

impl Model {
    fn is_directory(&self, path: &str) -> bool {
        let below = format!("{path}/");
        self.0.keys().any(|name| name.starts_with(&below))
    }

    /// The code by which a path is refused, where it should be one of some kinds, or nothing at all.
    fn refuses(&self, path: &str, wanted: &[Kind]) -> Option<&'static str> {
        let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        for parent in parents {
            match self.0.get(parent) {
                Some(Kind::Link) => return Some("patch/path-symlink"),
                Some(Kind::File) => return Some("patch/path-state-conflict"),
                None => {}
            }
        }
        match self.0.get(path) {
            Some(kind) if wanted.contains(kind) => None,
            Some(Kind::Link) if wanted == [Kind::File] => Some("patch/path-symlink"),
            None if wanted.is_empty() && !self.is_directory(path) => None,
            _ => Some("patch/path-state-conflict"),
        }
    }

    fn apply(&mut self, op: &Op) -> Option<&'static str> {
        let path = op.path.as_str();
        match &op.action {
            Action::CreateFile { content, .. } => {
                let refused = self.refuses(path, &[]);
                if refused.is_none() {
                    let kind = match content {
                        Content::Bytes(_) => Kind::File,
                        Content::Link(_) => Kind::Link,
                    };
                    self.0.insert(path.to_owned(), kind);
                }
                refused
            }
            Action::DeleteFile => {
                let refused = self.refuses(path, &[Kind::File, Kind::Link]);
                if refused.is_none() {
                    self.0.remove(path);
                }
                refused
            }
            Action::MoveFile { to } => {
                let refused = self.refuses(path, &[Kind::File]);
                if refused.is_some() {
                    return refused;
                }
                let held = self.0.remove(path);
                let refused = self.refuses(to.as_str(), &[]);
                let there = if refused.is_some() { path } else { to.as_str() };
                self.0.extend(held.map(|kind| (there.to_owned(), kind)));
                refused
            }
            _ => self.refuses(path, &[Kind::File]),
        }
    }
}

fn op() -> impl Strategy<Value = Op> {
    let name =
        || proptest::sample::select(&NAMES[..]).prop_map(|name| WorkspacePath::new(name).unwrap());
    (name(), name(), 0..5_u8).prop_map(|(path, to, what)| {
        let action = match what {
            0 => Action::CreateFile {
                content: Content::Bytes(Vec::new()),
                executable: false,
            },
            1 => Action::CreateFile {
                content: Content::Link("b".to_owned()),
                executable: false,
            },
            2 => Action::DeleteFile,
            3 => Action::MoveFile { to },
            _ => Action::SetExecutable { executable: true },
        };
        Op {
            path,
            pre: None,
            action,
            sent: None,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn each_op_finds_what_the_model_says(
        standing in proptest::collection::btree_set(proptest::sample::select(&["a/x", "a/y", "b", "l"][..]), 0..4),
        ops in proptest::collection::vec(op(), 1..12),
    ) {
        let files: Vec<(&str, &str)> = standing.iter().map(|name| (*name, if *name == "l" { "-> a" } else { "f" })).collect();
        let mut model = Model(files.iter().map(|(name, text)| ((*name).to_owned(), if text.starts_with("->") { Kind::Link } else { Kind::File })).collect());
        let mut expected = Vec::new();
        let mut tainted: BTreeSet<String> = BTreeSet::new();
        for (ordinal, op) in ops.iter().enumerate() {
            let paths: Vec<String> = path_state::paths(op).into_iter().map(ToString::to_string).collect();
            // What an op that is refused would have touched says nothing of the ops behind it.
            let is_unknown = paths.iter().any(|path| tainted.contains(path));
            let refused = if is_unknown { None } else { model.apply(op) };
            if is_unknown || refused.is_some() {
                tainted.extend(paths);
            }
            expected.extend(refused.map(|code| (ordinal, code)));
        }
        let checked = path_state::check(&MemoryFiles::new(&files), &ops).unwrap();
        let got: Vec<(usize, &str)> = checked.reports.iter().map(|report| (report.ordinal, report.failure.code())).collect();
        prop_assert_eq!(got, expected);
    }
}
