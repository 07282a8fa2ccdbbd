//! Context bundles: all that a model may read while it lowers one definition.
//!
//! Spec, tests and decisions are always in it; what is useful beside them is kept in a fixed order of preference as far as
//! the budget goes. The first candidate that does not fit ends the bundle, so that a larger budget keeps a superset.

mod callees;
mod counter;
mod decisions;
mod manifest;
mod packer;
mod relevance;
mod tests_file;

use soil::diagnostic::Code;
use soil::hash::Digest;
use soil::program::prelude_files;
use soil::testing::spec_cases;

use crate::failure::Failure;
use crate::oracle::Attachment;
use crate::project::{Named, Project, SpecFile};
pub(crate) use counter::Counter;
pub(crate) use decisions::decisions_text;
use manifest::Manifest;
pub use packer::{PackError, Packed, Packer};

/// What a bundle is packed with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Tokens of all but the manifest.
    pub(crate) tokens: u64,
    /// Tokens of everything, the manifest included; none means that it may come on top.
    pub(crate) max_tokens: Option<u64>,
    pub(crate) counter: Counter,
    /// Whether the manifest leaves out what is not of the contract.
    pub(crate) is_plain: bool,
}

/// A bundle before it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bundle {
    /// Paths and texts; `bundle.json` last.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Tokens of all of it, its manifest without this number.
    pub(crate) estimate: u64,
    /// How many candidates did not fit.
    pub(crate) dropped: u64,
}

/// Files that are kept together or not at all.
#[derive(Clone, Debug)]
struct Unit {
    files: Vec<(String, Vec<u8>)>,
}

impl Unit {
    fn one(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            files: vec![(path.into(), bytes.into())],
        }
    }

    /// Gives the path by which the manifest lists it.
    fn path(&self) -> &str {
        self.files.first().map_or("", |(path, _)| path)
    }

    /// Counts what its files add to a sum of tokens.
    fn weighed(self, counter: Counter) -> Weighed {
        Weighed {
            weight: weight(&self.files, counter),
            unit: self,
        }
    }
}

/// A unit with what it adds to a sum of tokens, since counting twice takes its time.
#[derive(Clone, Debug)]
struct Weighed {
    unit: Unit,
    weight: u64,
}

fn weight(files: &[(String, Vec<u8>)], counter: Counter) -> u64 {
    files.iter().map(|(_, bytes)| counter.weight(bytes)).sum()
}

impl Bundle {
    /// Packs the bundle of a definition whose spec reads.
    ///
    /// # Errors
    /// `budget-too-small`, when what is never left out does not fit; `tr-test-syntax` for cases that do not read.
    pub(crate) fn pack(
        project: &Project,
        named: Named<'_>,
        budget: Budget,
    ) -> Result<Self, Failure> {
        Packing::of(project, named, budget.counter)?.within(budget)
    }

    /// Gives the digest of all paths and texts, sorted by path.
    pub(crate) fn digest(&self) -> Digest {
        let files = self.files.iter();
        let mut files: Vec<(&[u8], &[u8])> = files
            .map(|(path, bytes)| (path.as_bytes(), &bytes[..]))
            .collect();
        files.sort_unstable();
        Digest::of(files.into_iter().flat_map(|(path, bytes)| [path, bytes]))
    }

    /// Gives the text of the manifest.
    pub(crate) fn manifest(&self) -> &[u8] {
        self.files.last().map_or(&[], |(_, bytes)| bytes)
    }
}

fn too_small(needed: u64, budget: u64) -> Failure {
    let message =
        format!("what a bundle is never without takes {needed} tokens, the budget is {budget}");
    Failure::new(Code::BudgetTooSmall, message)
}

/// Gives the files that no bundle is without.
fn mandatory(project: &Project, named: Named<'_>) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let spec = named.function.spec.as_ref();
    let (Some(file), Some((_, function))) = (spec, spec.and_then(SpecFile::function)) else {
        let message = format!("`{}` has no spec that reads", named.full_name());
        return Err(Failure::usage(&message));
    };
    let mut files = vec![("spec.md".to_owned(), file.text.bytes.to_vec())];
    let decisions = project.decisions(named.module);
    if !decisions.is_empty() {
        let text = decisions_text(&decisions, &named.module.name);
        files.push(("decisions.md".to_owned(), text.into_bytes()));
    }
    let cases = spec_cases(function, &named.program_name())
        .map_err(|error| Failure::new(Code::TrTestSyntax, error.to_string()))?;
    files.push((
        "tests.json".to_owned(),
        tests_file::text(&cases).into_bytes(),
    ));
    Ok(files)
}

/// Lists what is kept as far as the budget goes, what is dropped last first.
fn candidates(project: &Project, named: Named<'_>) -> Result<Vec<Unit>, Failure> {
    let mut found = Vec::new();
    if let Some(body) = &named.function.body {
        found.push(Unit::one("previous.soil", &*body.bytes));
    }
    let attachment = Attachment::of(project, named);
    if let Some(text) = attachment.map(|one| one.text()).transpose()?.flatten() {
        found.push(Unit::one("reference.py", text));
    }
    found.extend(callees::units(project, named)?);
    let mut examples: Vec<Unit> = prelude_files()
        .map(|file| Unit {
            files: vec![
                (format!("examples/{}.tr", file.name), file.spec.into()),
                (format!("examples/{}.soil", file.name), file.body.into()),
            ],
        })
        .collect();
    examples.sort_by(|left, right| left.path().cmp(right.path()));
    found.extend(examples);
    if let Some(spec) = &named.module.spec {
        found.push(Unit::one("module.md", &*spec.text.bytes));
    }
    Ok(found)
}

/// What bundles are put together from.
struct Packing<'p> {
    named: Named<'p>,
    counter: Counter,
    mandatory: Vec<(String, Vec<u8>)>,
    /// What the mandatory files add to a sum of tokens.
    base: u64,
    candidates: Vec<Weighed>,
}

impl<'p> Packing<'p> {
    fn of(project: &'p Project, named: Named<'p>, counter: Counter) -> Result<Self, Failure> {
        let mandatory = mandatory(project, named)?;
        let candidates = candidates(project, named)?.into_iter();
        Ok(Self {
            named,
            counter,
            base: weight(&mandatory, counter),
            mandatory,
            candidates: candidates.map(|unit| unit.weighed(counter)).collect(),
        })
    }

    /// Gives the bundle that keeps as much as a budget allows.
    fn within(&self, budget: Budget) -> Result<Bundle, Failure> {
        let mut used = self.counter.tokens(self.base);
        if used > budget.tokens {
            return Err(too_small(used, budget.tokens));
        }
        let mut kept = 0;
        for unit in &self.candidates {
            used += self.counter.tokens(unit.weight);
            if used > budget.tokens {
                break;
            }
            kept += 1;
        }
        let mut tokens = self.tokens(kept, budget);
        while let Some(max) = budget.max_tokens.filter(|max| tokens > *max) {
            kept = kept.checked_sub(1).ok_or_else(|| too_small(tokens, max))?;
            tokens = self.tokens(kept, budget);
        }
        Ok(self.bundle(kept, budget))
    }

    /// Gives the bundle that keeps so many candidates.
    fn bundle(&self, kept: usize, budget: Budget) -> Bundle {
        let (estimate, manifest) = self.manifest(kept, budget);
        let (kept, dropped) = self.candidates.split_at(kept);
        let mut files = self.mandatory.clone();
        files.extend(kept.iter().flat_map(|one| one.unit.files.iter().cloned()));
        files.push(("bundle.json".to_owned(), manifest.into_bytes()));
        Bundle {
            files,
            estimate,
            dropped: dropped.len() as u64,
        }
    }

    /// Counts the tokens of all that is written where so many candidates are kept.
    fn tokens(&self, kept: usize, budget: Budget) -> u64 {
        let (_, manifest) = self.manifest(kept, budget);
        self.tokens_with(kept, &manifest)
    }

    fn tokens_with(&self, kept: usize, manifest: &str) -> u64 {
        let counter = self.counter;
        let kept = self.candidates[..kept].iter().map(|one| one.weight);
        counter.tokens(self.base + kept.sum::<u64>() + counter.weight(manifest.as_bytes()))
    }

    /// Gives the estimate and the text of the manifest that says it.
    fn manifest(&self, kept: usize, budget: Budget) -> (u64, String) {
        let counter = self.counter;
        let (packed, dropped) = self.candidates.split_at(kept);
        let mandatory = self.mandatory.iter().map(|(path, _)| path.as_str());
        let packed = mandatory.chain(packed.iter().map(|one| one.unit.path()));
        let packed: Vec<&str> = packed.collect();
        let each = self.candidates.iter().map(|one| counter.tokens(one.weight));
        let spec = self.named.function.spec.as_ref();
        let function = spec.and_then(SpecFile::function);
        let manifest = Manifest {
            definition: self.named.full_name(),
            budget,
            packed: &packed,
            dropped,
            needed: counter.tokens(self.base) + each.sum::<u64>(),
            oracle: function.and_then(|(_, function)| function.reference.as_ref()),
            hashes: spec.and_then(|file| Some(file.spec.as_ref()?.hashes)),
        };
        let estimate = self.tokens_with(kept, &manifest.text(0));
        (estimate, manifest.text(estimate))
    }
}

#[cfg(test)]
mod tests;
