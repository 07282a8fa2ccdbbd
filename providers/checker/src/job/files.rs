//! What the files of a project looked like when they were last read, so that a file that was not touched is not read again.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use soil::hash::Digest;

use super::directory::{self, Directory};
use super::record::Hash;
use crate::failure::Failure;
use crate::project::{Known, Named, Project, SpecFile, Stamp};

const NAME: &str = "files.json";

/// The most that is kept of bodies up to their equations; of what is beyond, the files are read.
///
/// # Units and bounds
/// Bytes: 16 MiB, a quarter of what is read of one file of a job.
const MAX_HEAD_BYTES: usize = 16 << 20;

/// What was seen of a project's files at one look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Files {
    /// When the look began, in nanoseconds since 1970.
    looked: u128,
    seen: Vec<Seen>,
    /// The digest of the target's body when the job was opened.
    pub(crate) body: Option<Hash>,
    /// The digest of the target's lock when the job was opened.
    pub(crate) lock: Option<Hash>,
}

/// One file, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    path: String,
    stamp: Option<Stamp>,
    /// The digest in its written form, which only a file that was touched is compared with.
    digest: Option<String>,
    /// Whether it counts for every draft.
    #[serde(default, skip_serializing_if = "is_false")]
    is_for_all: bool,
    /// A body up to its equation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<String>,
}

/// What another look at files gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// None was touched since, and so none was read.
    Untouched,
    /// These may have been touched and were read; each says what it said.
    Same(Vec<String>),
    /// One says something else.
    Changed,
}

impl Files {
    /// Notes what the files that a job of this project is made from looked like as they were read; `looked` is a time before
    /// that.
    ///
    /// # Errors
    /// When an input of the program cannot be read at all.
    pub(crate) fn of(
        root: &Path,
        project: &Project,
        named: Named<'_>,
        looked: u128,
    ) -> Result<Self, Failure> {
        let heads = project.heads(MAX_HEAD_BYTES)?;
        let mut for_all = HashSet::from(["_project.tr".to_owned()]);
        let mut texts: BTreeMap<&str, &[u8]> = BTreeMap::new();
        let mut paths = vec!["soil.toml".to_owned(), "_project.tr".to_owned()];
        for (_, source) in project.sources.iter() {
            texts.insert(&source.path, &source.bytes);
        }
        for one in &project.modules {
            paths.push(one.path_of("_module.tr"));
            for_all.extend(one.types.values().map(path_of_spec));
            let bodies = one.functions.values().filter_map(|one| one.body.as_ref());
            // What holds something else than its name promises is found by no name.
            let odd = bodies
                .clone()
                .filter(|text| !heads.contains_key(&*text.path));
            for_all.extend(odd.map(|text| text.path.to_string()));
            for text in bodies.chain(&one.private) {
                paths.push(text.path.to_string());
                texts.insert(&text.path, &text.bytes);
            }
            let specs = one.functions.values().map(|function| &function.spec);
            paths.extend(specs.flatten().map(path_of_spec));
        }
        let (module, name) = (named.module, named.name);
        let body = module.path_of(&format!("{name}.soil"));
        let lock = module.path_of(&format!("{name}.lock"));
        paths.extend([body.clone(), lock.clone()]);
        paths.extend(for_all.iter().cloned());
        paths.sort_unstable();
        paths.dedup();
        let digest = |path: &str| texts.get(path).map(|bytes| digest(bytes));
        let seen = paths.into_iter().map(|path| {
            let known = project.stamps.get(&path).copied();
            Seen {
                stamp: known.or_else(|| stamp(root, &path)),
                digest: digest(&path).map(|digest| digest.to_string()),
                is_for_all: for_all.contains(&path),
                head: heads.get(&*path).map(|head| (*head).to_owned()),
                path,
            }
        });
        Ok(Self {
            looked,
            body: digest(&body),
            lock: digest(&lock),
            seen: seen.collect(),
        })
    }

    /// Leaves out of a project what was not there when the job was opened: its surface stays what it was.
    pub(crate) fn keep_in(&self, project: &mut Project) {
        let is_known = |path: &str| {
            let place = self
                .seen
                .binary_search_by(|seen| seen.path.as_str().cmp(path));
            place.is_ok()
        };
        project.keep(is_known);
    }

    /// Gives what is known of the files that are there.
    pub(crate) fn known(&self) -> Vec<Known<'_>> {
        let present = self.seen.iter().filter(|seen| seen.digest.is_some());
        let known = present.map(|seen| Known {
            path: &seen.path,
            is_for_all: seen.is_for_all,
            head: seen.head.as_deref(),
        });
        known.collect()
    }

    /// Reads what a job saw; none when it has to look.
    ///
    /// # Errors
    /// `io`, when it cannot be read.
    pub(crate) fn read(directory: &Directory) -> Result<Option<Self>, Failure> {
        let bytes = directory.read(NAME)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Writes what was seen.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn store(&self, directory: &Directory) -> Result<(), Failure> {
        let text = serde_json::to_string(self).expect("paths of a project are UTF-8");
        directory.replace(NAME, text.as_bytes())
    }

    /// Looks again: a file that is the one that was seen is not read, and the look ends with the first one that says something
    /// else, or cannot be read any more.
    pub(crate) fn look_again(&mut self, root: &Path) -> Look {
        let looked = now_nanos();
        let mut read = Vec::new();
        for seen in &mut self.seen {
            let now = stamp(root, &seen.path);
            if now == seen.stamp && now.is_none_or(|stamp| stamp.is_older_than(self.looked)) {
                continue;
            }
            let said = directory::read(&root.join(&seen.path));
            let said = said.map(|bytes| bytes.map(|bytes| digest(&bytes).to_string()));
            if said.ok().as_ref() != Some(&seen.digest) {
                return Look::Changed;
            }
            seen.stamp = now;
            read.push(seen.path.clone());
        }
        if read.is_empty() {
            return Look::Untouched;
        }
        self.looked = looked;
        Look::Same(read)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands `skip_serializing_if` a reference to the field"
)]
fn is_false(value: &bool) -> bool {
    !value
}

fn digest(bytes: &[u8]) -> Hash {
    Hash(Digest::of([bytes]))
}

fn path_of_spec(spec: &SpecFile) -> String {
    spec.text.path.to_string()
}

fn stamp(root: &Path, path: &str) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(root.join(path)).ok()?;
    Some(Stamp::of(&metadata))
}

/// Gives the nanoseconds since 1970.
pub(crate) fn now_nanos() -> u128 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_nanos())
}

/// Gives the milliseconds since 1970.
pub(crate) fn now_millis() -> u64 {
    u64::try_from(now_nanos() / 1_000_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
