//! The lock of a definition whose draft is written back.

use std::collections::BTreeMap;

use soil::check::{Checked, CheckedDefinition, Termination as Found};
use soil::hash::{Digest, soil_hash_with, soil_hashes};
use soil::lock::{
    AppliedDecision, Assurance, Author, FunctionChecks, Lock, LockBody, LockedBlock, LockedSpec,
    Lowering, LoweringProvenance, Mode, NamedHash, Oracle, Origin, Termination, TestResult,
    TestRow, Tier,
};
use soil::program::DefinitionId;
use soil::spec::{BlockKind, Container, FunctionSpec, Hashes};
use soil::testing::Verdict;

use super::assembly::Assembly;
use super::draft::Citation;
use crate::oracle::Attachment;
use crate::project::{Named, Project, Row, TestRun};

/// What a lock is made from.
pub(crate) struct LockInputs<'l> {
    pub(crate) origin: BodyOrigin,
    pub(crate) project: &'l Project,
    pub(crate) named: Named<'l>,
    /// The decisions that the body cites.
    pub(crate) cited: &'l [Citation],
    pub(crate) assembly: &'l Assembly,
    pub(crate) checked: &'l Checked<'l>,
    /// The results; none where holes are left.
    pub(crate) run: Option<&'l TestRun>,
    /// The spec as it stands after the write.
    pub(crate) container: &'l Container,
    pub(crate) hashes: Hashes,
    pub(crate) function: &'l FunctionSpec,
}

/// How a body came to be.
#[derive(Clone, Debug)]
pub(crate) struct BodyOrigin {
    pub(crate) provenance: LoweringProvenance,
    /// Who served the model that wrote it.
    pub(crate) provider: Option<String>,
    /// The model that wrote it.
    pub(crate) model: Option<String>,
}

impl LockInputs<'_> {
    /// Makes the lock; none when the draft cannot be hashed, which no draft that checks comes to.
    pub(crate) fn lock(&self) -> Option<Lock> {
        let target = self.assembly.target()?;
        let mut definitions = self.checked.definitions.iter();
        let definition = definitions.find(|one| one.id == target)?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Some(Lock {
            name: self.named.name.to_owned(),
            trellis: version.clone(),
            soil: version,
            spec: self.spec(),
            body: LockBody::Function {
                lowering: Some(Box::new(self.lowering()?)),
                checks: self.checks(definition),
                tests: self.run.map_or_else(Vec::new, |run| rows(&run.rows)),
                oracles: self.oracles(),
            },
            accepted: false,
        })
    }

    /// Gives the reference as it is now, and definitions that the present lock names.
    fn oracles(&self) -> Vec<Oracle> {
        let attachment = Attachment::of(self.project, self.named);
        // Where it is gone its tests did not run either, and the lock of a draft with holes says nothing of it.
        let own = attachment.and_then(|attachment| attachment.identity().ok());
        let known = self.named.function.lock.as_ref();
        let known = known.and_then(|file| file.lock.as_ref());
        let kept = match known.map(|lock| &lock.body) {
            Some(LockBody::Function { oracles, .. }) => oracles.as_slice(),
            _ => &[],
        };
        let kept = kept
            .iter()
            .filter(|one| matches!(one, Oracle::Definition { .. }));
        own.into_iter().chain(kept.cloned()).collect()
    }

    fn spec(&self) -> LockedSpec {
        let fences = self.container.fences.iter();
        let reserved = fences.filter_map(|fence| {
            let kind = BlockKind::from_text(&fence.info.lang)?;
            Some((kind, &fence.info))
        });
        let blocks = reserved.clone().map(|(_, info)| LockedBlock {
            block: match &info.name {
                Some(name) => format!("{} {}", info.lang, name.value),
                None => info.lang.clone(),
            },
            author: if info.is_agent {
                Author::Agent
            } else {
                Author::Human
            },
        });
        let mut formal = reserved.filter(|(kind, _)| kind.is_formal()).peekable();
        let known = self.named.function.lock.as_ref();
        let known = known.and_then(|file| file.lock.as_ref());
        LockedSpec {
            provenance: known.map_or(Author::Human, |lock| lock.spec.provenance),
            formal: self.hashes.formal,
            test: self.hashes.test,
            prose: self.hashes.prose,
            is_review_suggested: false,
            blocks: blocks.collect(),
            pinned: formal.peek().is_some() && formal.all(|(_, info)| !info.is_agent),
            escape_hatches: self
                .function
                .allow
                .iter()
                .map(|word| word.value.text().to_owned())
                .collect(),
            decisions: BTreeMap::new(),
        }
    }

    fn lowering(&self) -> Option<Lowering> {
        let target = self.assembly.target()?;
        let hashed = soil_hashes(self.checked, |_| None);
        let own = hashed.into_iter().find(|one| one.id == target)?;
        let decisions = self.project.decisions(self.named.module);
        let applied = self.cited.iter().filter_map(|cited| {
            let mut known = decisions.iter();
            let one = known.find(|one| cited.names(one.is_projects, &one.decision.label.value))?;
            Some(AppliedDecision {
                scope: one.scope.to_owned(),
                label: cited.label.clone(),
                hash: one.decision.entry_hash(),
            })
        });
        Some(Lowering {
            soil_hash: own.soil_hash?,
            provenance: self.origin.provenance,
            provider: self.origin.provider.clone(),
            model: self.origin.model.clone(),
            private_helpers: named_hashes(own.private_helpers),
            calls: named_hashes(own.calls),
            scope_hash: self.project.decision_hashes(self.named.module).0,
            applied: applied.collect(),
        })
    }

    fn checks(&self, definition: &CheckedDefinition) -> FunctionChecks {
        let clauses = self.function.requires.iter().chain(&self.function.ensures);
        FunctionChecks {
            types_ok: true,
            termination: match definition.termination() {
                Some(Found::Verified) => Termination::Verified,
                Some(Found::NotApplicable) => Termination::NotApplicable,
                _ => Termination::Unverified,
            },
            refinements: clauses
                .map(|clause| (clause.label.value.clone(), Assurance::Runtime))
                .collect(),
            holes: definition.hole_count() as u64,
        }
    }
}

/// Hashes a definition as if what it calls had the hashes that its lock holds.
pub(crate) fn with_stored(
    checked: &Checked<'_>,
    definition: Option<DefinitionId>,
    lowering: &Lowering,
) -> Option<Digest> {
    let mut definitions = checked.definitions.iter();
    let definition = definitions.find(|one| Some(one.id) == definition)?;
    let stored = || lowering.calls.iter().chain(&lowering.private_helpers);
    soil_hash_with(checked, definition, |name| {
        stored().find(|one| one.name == name).map(|one| one.hash)
    })
}

fn named_hashes(found: Vec<(String, Option<Digest>)>) -> Vec<NamedHash> {
    let known = found.into_iter();
    known
        .filter_map(|(name, hash)| Some(NamedHash { name, hash: hash? }))
        .collect()
}

/// Gives results as locks hold them.
fn rows(found: &[Row]) -> Vec<TestRow> {
    let rows = found.iter().map(|row| {
        let (tier, origin) = match row {
            Row::Case(_) => (Tier::Expect, Origin::Spec),
            Row::Property(report) if report.name.starts_with("derived:") => {
                (Tier::Contract, Origin::Derived)
            }
            Row::Property(_) => (Tier::Property, Origin::Spec),
            Row::Differential(_) => (Tier::Differential, Origin::Derived),
            Row::Cram(_) => (Tier::Cram, Origin::Spec),
        };
        TestRow {
            name: row.name().to_owned(),
            tier,
            mode: if tier == Tier::Cram {
                Mode::Real
            } else {
                Mode::Sandboxed
            },
            origin,
            result: match row.verdict() {
                Verdict::Pass => TestResult::Pass,
                Verdict::Fail => TestResult::Fail,
                Verdict::Xfail => TestResult::Xfail,
                Verdict::Xpass => TestResult::Xpass,
            },
        }
    });
    rows.collect()
}
