//! The decisions that a definition is subject to.

use std::collections::BTreeMap;

use soil::hash::Digest;
use soil::spec::{Content, Decision, ScopedDecision, entries_digest, scope_hash};

use super::{Module, Project, SpecFile};

/// The scope of the project's own decisions.
pub(crate) const PROJECT_SCOPE: &str = "project";

/// A decision with its scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InScope<'p> {
    /// `project`, or the name of the module.
    pub(crate) scope: &'p str,
    /// Whether the scope is the project.
    pub(crate) is_projects: bool,
    /// The decision.
    pub(crate) decision: &'p Decision,
}

impl Project {
    /// Lists the decisions in scope of a module: those of the project first, each in the order of its file.
    pub(crate) fn decisions<'p>(&'p self, module: &'p Module) -> Vec<InScope<'p>> {
        let project = decisions_of(self.spec.as_ref()).map(|decision| InScope {
            scope: PROJECT_SCOPE,
            is_projects: true,
            decision,
        });
        let own = decisions_of(module.spec.as_ref()).map(|decision| InScope {
            scope: &module.name,
            is_projects: false,
            decision,
        });
        project.chain(own).collect()
    }

    /// Gives the hash of the labels in scope, and the digest of the entries.
    pub(crate) fn decision_hashes(&self, module: &Module) -> (Digest, Digest) {
        let found = self.decisions(module);
        let labels = found.iter().map(|one| one.decision.label.value.as_str());
        let entries: Vec<ScopedDecision> = found
            .iter()
            .map(|one| ScopedDecision {
                scope: one.scope.to_owned(),
                label: one.decision.label.value.clone(),
                entry: one.decision.entry_hash(),
            })
            .collect();
        (scope_hash(labels), entries_digest(&entries))
    }

    /// Gives the hash of each entry in scope, by scope and label.
    pub(crate) fn decision_entries(&self, module: &Module) -> BTreeMap<(String, String), Digest> {
        let found = self.decisions(module).into_iter();
        let entries = found.map(|one| {
            let key = (one.scope.to_owned(), one.decision.label.value.clone());
            (key, one.decision.entry_hash())
        });
        entries.collect()
    }
}

fn decisions_of(file: Option<&SpecFile>) -> impl Iterator<Item = &Decision> {
    let spec = file.and_then(|file| file.spec.as_ref());
    let decisions = spec.map(|spec| match &spec.content {
        Content::Module { decisions, .. } | Content::Project { decisions } => &decisions[..],
        _ => &[],
    });
    decisions.unwrap_or_default().iter()
}
