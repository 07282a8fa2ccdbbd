//! What a job is made from: hashes of its spec, of the decisions in scope, and of all that a draft can build on.

use soil::check::{CheckOptions, Depth, check};
use soil::hash::{Digest, soil_hashes};
use soil::program::Role;

use super::record::{CalleeHash, DecisionHashes, Hash, Record, SpecHashes};
use crate::failure::Failure;
use crate::project::{Assembled, Named, Project};

/// The present hashes of what a job is made from.
#[derive(Debug)]
pub(crate) struct Basis {
    /// None when the spec has no tests any more, or does not read.
    pub(crate) spec_hashes: Option<SpecHashes>,
    pub(crate) decisions: DecisionHashes,
    /// Sorted by name.
    pub(crate) callee_hashes: Vec<CalleeHash>,
    /// The hash of the definition's own body.
    pub(crate) soil_hash: Option<Hash>,
}

impl Basis {
    /// Hashes what a job of a definition is made from.
    ///
    /// # Errors
    /// When an input of the program cannot be read at all.
    pub(crate) fn of(project: &Project, named: Named<'_>) -> Result<Self, Failure> {
        let mut callee_hashes = Vec::new();
        let mut soil_hash = None;
        for (name, hash) in bodies(project.whole()?) {
            if name == named.full_name() {
                soil_hash = hash;
            } else if let Some(hash) = hash {
                callee_hashes.push(CalleeHash { name, hash });
            }
        }
        callee_hashes.extend(specs(project, named));
        callee_hashes.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        Ok(Self {
            spec_hashes: Self::spec_hashes_of(named),
            decisions: Self::decisions_of(project, named),
            callee_hashes,
            soil_hash,
        })
    }

    /// Gives the hashes of a definition's spec, where it reads.
    pub(crate) fn spec_hashes_of(named: Named<'_>) -> Option<SpecHashes> {
        let file = named.function.spec.as_ref()?;
        SpecHashes::of(file.spec.as_ref()?.hashes)
    }

    /// Gives the values by which a change of the decisions in scope of a definition is seen.
    pub(crate) fn decisions_of(project: &Project, named: Named<'_>) -> DecisionHashes {
        let (scope_hash, entries_digest) = project.decision_hashes(named.module);
        DecisionHashes {
            scope_hash: Hash(scope_hash),
            entries_digest: Hash(entries_digest),
        }
    }

    /// Names what is not as a job recorded it; what was added since changes nothing for a draft.
    pub(crate) fn changes(&self, record: &Record) -> Vec<String> {
        let mut changes = Vec::new();
        let mut note = |is_changed: bool, what: &str| {
            if is_changed {
                changes.push(what.to_owned());
            }
        };
        let was = &record.spec_hashes;
        let now = self.spec_hashes.as_ref();
        note(
            now.is_none_or(|now| now.formal != was.formal),
            "the formal part of the spec",
        );
        note(
            now.is_none_or(|now| now.test != was.test),
            "the tests of the spec",
        );
        note(
            now.is_none_or(|now| now.prose != was.prose),
            "the prose of the spec",
        );
        let (was, now) = (&record.decisions, &self.decisions);
        note(now.scope_hash != was.scope_hash, "the decisions in scope");
        note(
            now.scope_hash == was.scope_hash && now.entries_digest != was.entries_digest,
            "the text of a decision in scope",
        );
        let recorded = record.callee_hashes.read();
        note(
            recorded.is_none(),
            "what `job.json` says of other definitions",
        );
        for callee in recorded.unwrap_or_default() {
            let name = |one: &CalleeHash| one.name.as_str().cmp(&callee.name);
            let now = self.callee_hashes.binary_search_by(name);
            let now = now.ok().map(|position| self.callee_hashes[position].hash);
            note(now != Some(callee.hash), &format!("`{}`", callee.name));
        }
        changes
    }
}

/// Gives the hash of each body of a program; one that cannot be hashed counts with its text.
fn bodies(assembled: &Assembled) -> Vec<(String, Option<Hash>)> {
    let program = &assembled.program;
    let options = CheckOptions {
        depth: Depth::Names,
        is_rich: false,
    };
    let hashed = soil_hashes(&check(program, options), |_| None);
    let bodies = hashed.iter().filter_map(|one| {
        let definition = &program[one.id];
        let file = program.file_of(one.id);
        if file.role != Role::Written || assembled.is_made(file.id) {
            return None;
        }
        let module = &program.names[definition.module];
        let name = format!("{module}/{}", &program.names[definition.name]);
        let source = program.sources.get(file.id);
        let text = || source.map(|source| Digest::of(["soil-text/1".as_bytes(), &source.bytes]));
        Some((name, one.soil_hash.or_else(text).map(Hash)))
    });
    bodies.collect()
}

/// Gives the formal hashes of declared types, and of the other functions whose clauses guard their calls.
fn specs(project: &Project, target: Named<'_>) -> Vec<CalleeHash> {
    let mut hashes = Vec::new();
    for module in &project.modules {
        for file in module.types.values() {
            if let Some(spec) = &file.spec {
                hashes.push(CalleeHash {
                    name: format!("{}/{}", module.name, spec.name.value),
                    hash: Hash(spec.hashes.formal),
                });
            }
        }
        for named in module.functions() {
            let spec = named.function.spec.as_ref();
            let spec = spec.and_then(crate::project::SpecFile::function);
            let Some((spec, function)) = spec else {
                continue;
            };
            let has_clauses = !function.requires.is_empty() || !function.ensures.is_empty();
            let is_target = named.full_name() == target.full_name();
            if has_clauses && named.function.body.is_some() && !is_target {
                hashes.push(CalleeHash {
                    name: format!("{}.tr", named.full_name()),
                    hash: Hash(spec.hashes.formal),
                });
            }
        }
    }
    hashes
}
