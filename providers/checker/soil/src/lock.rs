//! Lock sidecars: what is known of a spec and its body, kept beside them.
//!
//! [`read`](Lock::read) and [`write`](Lock::write) are each other's inverse on what `write` gives. What follows from
//! comparing a lock with the present files is told by [`flags`].

mod error;
mod json;
mod read;
mod status;
mod words;
mod write;

use std::collections::BTreeMap;

use crate::hash::Digest;
use crate::spec::SpecKind;

pub use error::LockError;
pub use status::{Current, CurrentBody, Flag, flags};
pub use words::{Mode, Origin, TestResult, Tier};

/// The version of the form that is read and written.
pub const LOCK_FORMAT: u64 = 1;

/// A lock sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The name in the frontmatter of the spec.
    pub name: String,
    /// The version of the checker that wrote it.
    pub trellis: String,
    /// The version of the language that it speaks of.
    pub soil: String,
    /// What is known of the spec.
    pub spec: LockedSpec,
    /// What is known of what the spec describes.
    pub body: LockBody,
    /// Whether a person accepted it.
    pub accepted: bool,
}

/// What is known of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedSpec {
    /// Who wrote it.
    pub provenance: Author,
    /// The hashes of its parts; functions alone have one of tests.
    pub formal: Digest,
    /// The hash of the tests.
    pub test: Option<Digest>,
    /// The hash of the prose.
    pub prose: Digest,
    /// Whether an edit of the prose waits for a look.
    pub is_review_suggested: bool,
    /// Who wrote each reserved block.
    pub blocks: Vec<LockedBlock>,
    /// Whether only a person changes it.
    pub pinned: bool,
    /// What `allow` names.
    pub escape_hatches: Vec<String>,
    /// The hashes of the decisions, of modules and projects that have any.
    pub decisions: BTreeMap<String, Digest>,
}

/// A reserved block and who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedBlock {
    /// The word of the block, with its name where it has one.
    pub block: String,
    /// Who wrote it.
    pub author: Author,
}

/// Who wrote something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A person.
    Human,
    /// An agent.
    Agent,
}

/// What is known of what a spec describes, in the sections that its kind has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockBody {
    /// Of a function.
    Function {
        /// Of its body; none before the first.
        lowering: Option<Box<Lowering>>,
        /// What the checker found.
        checks: FunctionChecks,
        /// The results of its tests.
        tests: Vec<TestRow>,
        /// What its results are compared with.
        oracles: Vec<Oracle>,
    },
    /// Of a type.
    Type {
        /// What the checker found.
        checks: TypeChecks,
        /// The results of its tests.
        tests: Vec<TestRow>,
        /// The hash of the cycle of types that it is part of.
        cycle_hash: Option<Digest>,
    },
    /// Of a module: whether its exports exist.
    Module {
        /// Whether they do.
        exports_ok: bool,
    },
    /// Of the project.
    Project,
}

impl LockBody {
    /// Gives the kind of spec that has such a body.
    pub const fn kind(&self) -> SpecKind {
        match self {
            Self::Function { .. } => SpecKind::Function,
            Self::Type { .. } => SpecKind::Type,
            Self::Module { .. } => SpecKind::Module,
            Self::Project => SpecKind::Project,
        }
    }
}

/// What is known of a function's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowering {
    /// The hash of the body.
    pub soil_hash: Digest,
    /// How it came to be.
    pub provenance: LoweringProvenance,
    /// Who served the model that wrote it.
    pub provider: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The private definitions that it uses.
    pub private_helpers: Vec<NamedHash>,
    /// The public definitions that it uses.
    pub calls: Vec<NamedHash>,
    /// The hash of the decisions that were in scope.
    pub scope_hash: Digest,
    /// The decisions that it cites.
    pub applied: Vec<AppliedDecision>,
}

/// How a body came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoweringProvenance {
    /// An agent wrote it.
    Agent,
    /// A person wrote it or vouched for it.
    HumanVerified,
    /// A person changed it.
    HandEdited,
    /// It was copied from the prelude.
    PreludeFork,
}

/// A definition with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedHash {
    /// Its name as written.
    pub name: String,
    /// Its hash.
    pub hash: Digest,
}

/// A decision that a body cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedDecision {
    /// `project` or the module.
    pub scope: String,
    /// Its label.
    pub label: String,
    /// The hash of its entry.
    pub hash: Digest,
}

/// What the checker found in a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionChecks {
    /// Whether the types fit.
    pub types_ok: bool,
    /// `verified`, `unverified` or `n/a`.
    pub termination: Termination,
    /// How far each clause is known to hold.
    pub refinements: BTreeMap<String, Assurance>,
    /// How many holes are left.
    pub holes: u64,
}

/// What the checker found in a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeChecks {
    /// Whether the declaration reads and its types exist.
    pub types_ok: bool,
    /// How far each clause is known to hold.
    pub invariants: BTreeMap<String, Assurance>,
}

/// Whether a function is known to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// It ends.
    Verified,
    /// It may not.
    Unverified,
    /// It says itself that it may not.
    NotApplicable,
}

/// How far a clause is known to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assurance {
    /// It was proven.
    Proven,
    /// It is checked when the function runs.
    Runtime,
    /// It is believed.
    Trusted,
}

/// The result of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRow {
    /// Its name.
    pub name: String,
    /// What sort of test it is.
    pub tier: Tier,
    /// Whether it ran with fakes or in the world.
    pub mode: Mode,
    /// Where it comes from.
    pub origin: Origin,
    /// What came out.
    pub result: TestResult,
}

/// What the results of a function are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// A function of a file.
    Reference {
        /// The file.
        path: String,
        /// The hash of the file.
        hash: Digest,
    },
    /// A command.
    Cli {
        /// The command.
        command: String,
        /// The hash of the executable.
        hash: Digest,
    },
    /// Another definition; kept where it stands, and not made.
    Definition {
        /// The definition.
        name: String,
        /// Its formal hash.
        formal_hash: Digest,
    },
}

/// How far a definition has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// There is no body, or its types do not fit.
    None,
    /// Holes are left.
    Partial,
    /// Its types fit.
    Typed,
    /// All its tests pass or fail as they have to, and there is one.
    Tested,
    /// Every clause is proven, and there is one.
    Verified,
    /// A person accepted it.
    Accepted,
}

impl Lock {
    /// Says how far the definition has come; nothing of this is stored.
    pub fn stage(&self) -> Stage {
        if self.accepted {
            return Stage::Accepted;
        }
        let LockBody::Function {
            lowering: Some(_),
            checks,
            tests,
            ..
        } = &self.body
        else {
            return Stage::None;
        };
        if !checks.types_ok {
            return Stage::None;
        }
        if checks.holes > 0 {
            return Stage::Partial;
        }
        let is_fine = |row: &TestRow| matches!(row.result, TestResult::Pass | TestResult::Xfail);
        if tests.is_empty() || !tests.iter().all(is_fine) {
            return Stage::Typed;
        }
        let mut clauses = checks.refinements.values();
        let are_proven = clauses.all(|assurance| *assurance == Assurance::Proven);
        if checks.refinements.is_empty() || !are_proven {
            Stage::Tested
        } else {
            Stage::Verified
        }
    }
}

#[cfg(test)]
mod tests;
