//! What stands in a layer, held against what has to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::fd::AsFd;

use super::super::scan::Scan;
use super::super::{Mutation, Workspace, WorkspaceError, entry_of, is};
use super::plan::{Expected, Plan};
use super::{is_mark, is_opaque};
use crate::beneath::Stat;
use crate::path::WorkspacePath;
use crate::snapshot::stat_cache::Known;
use crate::snapshot::tree::Entry;
use crate::store::disk::Kind;
use crate::store::stored::StoredObjects;

/// What a look at a layer showed.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Files of the plan that are as they have to be.
    pub(super) known: BTreeMap<WorkspacePath, Known>,
    /// Marks of the plan that are there.
    pub(super) marks: BTreeSet<String>,
    /// Managed paths of the whole that are in another state, ascending.
    pub(super) changed: Vec<Mutation>,
    /// Whether anything else stands there, or a mark is missing.
    pub(super) has_others: bool,
    /// How many files had to be read.
    pub(super) reread: usize,
}

impl Seen {
    /// Whether what stands at a path of the layer is to stay.
    pub(super) fn is_kept(&self, plan: &Plan, path: &str) -> bool {
        self.marks.contains(path)
            || WorkspacePath::new(path).is_ok_and(|path| self.known.contains_key(&path))
                && !plan.marks.contains(path)
    }
}

pub(super) fn judge(
    layer: &Workspace<'_>,
    objects: &StoredObjects<'_>,
    plan: &Plan,
    scan: &Scan,
) -> Result<Seen, WorkspaceError> {
    let noted = layer.held.iter().flat_map(|held| &held.files);
    let mut judge = Judge {
        layer,
        objects,
        plan,
        scan,
        noted: noted.map(|known| (known.path.as_str(), known)).collect(),
        seen: Seen::default(),
        changed: BTreeMap::new(),
    };
    for (path, stat) in &scan.files {
        judge.file(path, stat)?;
    }
    for path in &scan.directories {
        judge.directory(path)?;
    }
    for (path, entry) in &plan.files {
        if !scan.files.contains_key(path.as_str()) {
            judge.change(path.clone(), *entry, None);
        }
    }
    let mut seen = judge.seen;
    seen.changed = judge.changed.into_values().collect();
    seen.has_others |= seen.marks.len() < plan.marks.len()
        || scan.has_others(&plan.directories(&layer.scratch), |path| {
            seen.is_kept(plan, path)
        });
    Ok(seen)
}

struct Judge<'a> {
    layer: &'a Workspace<'a>,
    objects: &'a StoredObjects<'a>,
    plan: &'a Plan,
    scan: &'a Scan,
    noted: HashMap<&'a str, &'a Known>,
    seen: Seen,
    changed: BTreeMap<WorkspacePath, Mutation>,
}

impl Judge<'_> {
    fn file(&mut self, text: &str, stat: &Stat) -> Result<(), WorkspaceError> {
        let is_mark = stat.kind == Kind::Other && is_mark(self.layer.root.as_fd(), text);
        if is_mark && self.plan.marks.contains(text) {
            self.seen.marks.insert(text.to_owned());
            return Ok(());
        }
        let Ok(path) = WorkspacePath::new(text) else {
            return Ok(());
        };
        match self.plan.expected(self.objects, text)? {
            Expected::Nothing => {}
            Expected::Directory => self.all_below(&path, |_| false)?,
            Expected::Leaf(entry) => match self.found(&path, stat) {
                Some(found) if is(&entry, &found) => {
                    if self.plan.files.contains_key(&path) {
                        self.seen.known.insert(path, found);
                    }
                }
                found => self.change(path, entry, found.as_ref()),
            },
        }
        Ok(())
    }

    fn directory(&mut self, text: &str) -> Result<(), WorkspaceError> {
        let Ok(path) = WorkspacePath::new(text) else {
            return Ok(());
        };
        match self.plan.expected(self.objects, text)? {
            Expected::Nothing => {}
            Expected::Leaf(entry) => self.change(path, entry, None),
            Expected::Directory => {
                if is_opaque(self.layer.root.as_fd(), text) {
                    self.seen.has_others = true;
                    let scan = self.scan;
                    self.all_below(&path, |path| scan.files.contains_key(path.as_str()))?;
                }
            }
        }
        Ok(())
    }

    /// Takes everything below a directory for gone, but what is looked at by itself.
    fn all_below(
        &mut self,
        directory: &WorkspacePath,
        is_seen: impl Fn(&WorkspacePath) -> bool,
    ) -> Result<(), WorkspaceError> {
        for (path, entry) in self.plan.below(self.objects, directory)? {
            if !is_seen(&path) {
                self.change(path, entry, None);
            }
        }
        Ok(())
    }

    /// What stands at a path, as far as its stat and the manifest say or else by its bytes; `None` for what is no file or link.
    fn found(&mut self, path: &WorkspacePath, stat: &Stat) -> Option<Known> {
        let noted = self.noted.get(path.as_str()).copied();
        let held = self.layer.held.as_ref();
        if let (Some(held), Some(known)) = (held, noted)
            && held.trusts(known, stat)
        {
            return Some(known.clone());
        }
        self.seen.reread += 1;
        self.layer.known(path, stat)
    }

    fn change(&mut self, path: WorkspacePath, before: Entry, found: Option<&Known>) {
        let mutation = Mutation {
            path: path.clone(),
            before: Some(before),
            after: found.map(entry_of),
        };
        self.changed.insert(path, mutation);
    }
}
