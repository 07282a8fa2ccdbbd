//! What the files of a project looked like when they were last read, so that a file that was not touched is not read again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use soil::hash::Digest;

use super::directory::{self, Directory};
use super::record::Hash;
use crate::failure::Failure;
use crate::project::{Named, Project, SpecFile, Stamp};

const NAME: &str = "files.json";

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
    digest: Option<Hash>,
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
    pub(crate) fn of(root: &Path, project: &Project, named: Named<'_>, looked: u128) -> Self {
        let mut texts: BTreeMap<&str, &[u8]> = BTreeMap::new();
        let mut paths = vec!["soil.toml".to_owned(), "_project.tr".to_owned()];
        for (_, source) in project.sources.iter() {
            texts.insert(&source.path, &source.bytes);
        }
        for one in &project.modules {
            paths.push(one.path_of("_module.tr"));
            paths.extend(one.types.values().map(path_of_spec));
            let bodies = one.functions.values().map(|function| &function.body);
            for text in bodies.chain([&one.private]).flatten() {
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
        paths.sort_unstable();
        paths.dedup();
        let digest = |path: &str| texts.get(path).map(|bytes| digest(bytes));
        Self {
            looked,
            body: digest(&body),
            lock: digest(&lock),
            seen: paths
                .into_iter()
                .map(|path| Seen {
                    stamp: project
                        .stamps
                        .get(&path)
                        .copied()
                        .or_else(|| stamp(root, &path)),
                    digest: digest(&path),
                    path,
                })
                .collect(),
        }
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
            let said = said.map(|bytes| bytes.map(|bytes| digest(&bytes)));
            if said.ok() != Some(seen.digest) {
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
