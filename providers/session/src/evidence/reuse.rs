//! What a passed result depends on: an equal key is an equal outcome, whoever ran it.

use serde_json::{Value, json};

use super::{Evidence, ObligationResult, RanTool};
use crate::file_set::Globs;
use crate::identity::{Domain, Identity, canonical_bytes};
use crate::policy::Obligation;
use crate::snapshot::manifest::Manifest;
use crate::store::objects::{ObjectError, ReadObjects};

/// All that a result depends on but the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Circumstances {
    /// The declaration.
    pub declaration: Identity,
    /// What is run.
    pub tool: RanTool,
    /// Under which limits.
    pub limits: Value,
    /// With which variables.
    pub env_digest: Identity,
}

impl Circumstances {
    /// Those of a result.
    pub fn of(result: &ObligationResult) -> Self {
        Self {
            declaration: result.declaration,
            tool: result.tool.clone(),
            limits: result.limits.clone(),
            env_digest: result.env_digest,
        }
    }

    /// The key of an obligation on a snapshot; `None` where the tree of the snapshot cannot be had any more.
    pub fn key(
        &self,
        objects: &impl ReadObjects,
        snapshot: &Identity,
        obligation: &Obligation,
    ) -> Option<Identity> {
        let inputs = inputs(objects, snapshot, obligation)?;
        let key = json!({
            "inputs": inputs,
            "declaration": self.declaration,
            "tool": self.tool,
            "limits": self.limits,
            "env_digest": self.env_digest,
        });
        Some(Identity::of(Domain::ReuseKey, &canonical_bytes(&key)))
    }
}

/// What of the tree the result depends on: all of it, or what the globs of the declaration match.
fn inputs(
    objects: &impl ReadObjects,
    snapshot: &Identity,
    obligation: &Obligation,
) -> Option<Value> {
    if obligation.inputs.is_empty() {
        return Some(json!(snapshot));
    }
    let globs = Globs::new(obligation.inputs.iter()).ok()?;
    let manifest = Manifest::load(objects, snapshot).ok()?;
    let matched = manifest
        .iter()
        .filter(|(path, _)| globs.matches(path.as_str()))
        .map(|(path, entry)| json!({"path": path, "entry": entry}));
    Some(matched.collect())
}

/// Whether the evidence that a result was taken over from holds it, ran it itself, and stands on equal inputs.
pub(super) fn stands(
    objects: &impl ReadObjects,
    (snapshot, result): (&Identity, &ObligationResult),
    origin: &Identity,
    obligation: &Obligation,
) -> Result<bool, ObjectError> {
    let evidence = Evidence::read(objects, origin)?;
    let ran = evidence.results.iter().find(|ran| ran.name == result.name);
    let Some(ran) = ran.filter(|ran| ran.ok && ran.reused_from.is_none()) else {
        return Ok(false);
    };
    let (then, now) = (Circumstances::of(ran), Circumstances::of(result));
    let is_same = then == now && ran.stdout == result.stdout && ran.stderr == result.stderr;
    let keys = || {
        let then = then.key(objects, &evidence.snapshot, obligation)?;
        Some(then == now.key(objects, snapshot, obligation)?)
    };
    Ok(is_same && obligation.reuse && keys().unwrap_or(false))
}
