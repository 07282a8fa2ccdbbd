//! The trees of a capture: those that a store holds already, and those that are made.

use std::cmp::Ordering;

use super::Held;
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::change::Change;
use crate::snapshot::manifest::{Manifest, update};
use crate::snapshot::stat_cache::{StatCache, Whole};
use crate::snapshot::tree::TreeError;
use crate::store::objects::{ObjectMap, ReadObjects};
use crate::store::stored::StoredObjects;

/// From this part of all files on, all trees are made anew: it costs no more, and reads none.
const MOST_CHANGED: usize = 8;

/// More trees than this many for each file are noted only where most of them are old.
const MOST_TREES: usize = 2;

/// Makes all trees and the snapshot.
pub(super) fn anew(held: &[Held], objects: &mut ObjectMap) -> Result<Whole, TreeError> {
    // They ascend, so that the map is built as one.
    let entries = held
        .iter()
        .map(|held| (held.member.path.clone(), held.entry()));
    let (identity, snapshot) = Manifest::new(entries.collect()).store(objects)?;
    Ok(Whole {
        identity,
        snapshot,
        trees: trees(objects),
    })
}

/// Makes the snapshot from the one of the cache; `None` where that is not in the store with all its trees, where it differs in
/// much, or where anything is in doubt.
pub(super) fn from_noted(
    held: &[Held],
    as_noted: usize,
    cache: &StatCache,
    store: &StoredObjects<'_>,
    objects: &mut ObjectMap,
) -> Option<Whole> {
    let noted = cache.whole()?;
    let is_here = |tree: &Identity| store.contains(Domain::Tree, tree);
    let is_usable = noted.trees.len() <= 16 + MOST_TREES * held.len()
        && store.is_whole(Domain::Snapshot, &noted.identity)
        && noted.trees.iter().all(is_here);
    if !is_usable {
        return None;
    }
    if as_noted == held.len() && held.len() == cache.len() {
        return Some(noted.clone());
    }
    let changes = changes(held, cache)?;
    // What is new comes to stand on trees that are here, and so each of them is checked.
    let is_whole = |tree: &Identity| store.is_whole(Domain::Tree, tree);
    if changes.len() > 1 + held.len() / MOST_CHANGED || !noted.trees.iter().all(is_whole) {
        return None;
    }
    let mut new = ObjectMap::new();
    let (identity, snapshot) = update(store, &mut new, &noted.identity, &changes).ok()?;
    let mut trees = trees(&new);
    trees.extend(&noted.trees);
    trees.sort_unstable();
    trees.dedup();
    objects.extend(new);
    Some(Whole {
        identity,
        snapshot,
        trees,
    })
}

fn trees(objects: &ObjectMap) -> Vec<Identity> {
    let trees = objects.iter();
    let trees = trees.filter(|(domain, ..)| *domain == Domain::Tree);
    let mut trees: Vec<Identity> = trees.map(|(_, identity, _)| identity).collect();
    trees.sort_unstable();
    trees
}

/// What differs between the cache and what is there; `None` where the cache names what is no path.
fn changes(held: &[Held], cache: &StatCache) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    let mut noted = cache.noted().peekable();
    let mut change = |path: WorkspacePath, held: Option<&Held>| {
        changes.push(Change {
            path,
            before: None,
            after: held.map(Held::entry),
        });
    };
    for one in held {
        let path = one.member.path.as_str().as_bytes();
        let mut is_noted = false;
        while let Some(next) = noted.peek() {
            match next.path.cmp(path) {
                Ordering::Less => change(WorkspacePath::from_bytes(next.path).ok()?, None),
                Ordering::Equal => is_noted = next.entry == one.entry(),
                Ordering::Greater => break,
            }
            noted.next();
        }
        if !is_noted {
            change(one.member.path.clone(), Some(one));
        }
    }
    for gone in noted {
        change(WorkspacePath::from_bytes(gone.path).ok()?, None);
    }
    Some(changes)
}
