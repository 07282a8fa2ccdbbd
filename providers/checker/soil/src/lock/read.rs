//! Reading locks, strictly: no key may be unknown, missing or there twice.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{
    AppliedDecision, Assurance, Author, FunctionChecks, LOCK_FORMAT, Lock, LockBody, LockError,
    LockedBlock, LockedSpec, Lowering, LoweringProvenance, Mode, NamedHash, Oracle, Origin,
    Termination, TestResult, TestRow, Tier, TypeChecks,
};
use crate::hash::Digest;
use crate::spec::SpecKind;

impl Lock {
    /// Reads the text of a lock.
    ///
    /// # Errors
    /// `lock-malformed` when the text is no lock, `lock-format` when it is one of another form.
    pub fn read(bytes: &[u8]) -> Result<Self, LockError> {
        let malformed = |error: serde_json::Error| LockError::Malformed(error.to_string());
        let head: Head = serde_json::from_slice(bytes).map_err(malformed)?;
        if head.lock_format != LOCK_FORMAT {
            let found = head.lock_format;
            return Err(LockError::Format { found });
        }
        match head.kind.0 {
            SpecKind::Function => serde_json::from_slice(bytes).map(FunctionLock::into_lock),
            SpecKind::Type => serde_json::from_slice(bytes).map(TypeLock::into_lock),
            SpecKind::Module => serde_json::from_slice(bytes).map(ModuleLock::into_lock),
            SpecKind::Project => serde_json::from_slice(bytes).map(ProjectLock::into_lock),
        }
        .map_err(malformed)
    }
}

/// What every form of lock has.
#[derive(serde::Deserialize)]
struct Head {
    lock_format: u64,
    #[serde(default = "Word::function")]
    kind: Word<SpecKind>,
}

/// A word of a closed list.
#[derive(Clone, Copy)]
struct Word<T>(T);

impl Word<SpecKind> {
    /// Another form may have another kind, or none; the form is judged first.
    fn function() -> Self {
        Self(SpecKind::Function)
    }
}

macro_rules! words {
    ($($name:ident),*) => {$(
        impl<'de> Deserialize<'de> for Word<$name> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let word = $name::from_text(&text);
                word.map(Word).ok_or_else(|| de::Error::custom(format_args!("`{text}` is no word here")))
            }
        }
    )*};
}

words!(
    SpecKind,
    Author,
    LoweringProvenance,
    Termination,
    Assurance,
    Tier,
    Mode,
    Origin,
    TestResult
);

/// A digest in its written form.
#[derive(Clone, Copy)]
struct Hash(Digest);

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Digest::parse(&text).map(Hash).map_err(de::Error::custom)
    }
}

/// Whether a word is `ok`; the other one is `error`.
#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Ok,
    Error,
}

/// A map in which no key is there twice.
struct UniqueMap<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for UniqueMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor(PhantomData))
    }
}

struct UniqueVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for UniqueVisitor<T> {
    type Value = UniqueMap<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((key, value)) = entries.next_entry::<String, T>()? {
            if map.insert(key.clone(), value).is_some() {
                return Err(de::Error::custom(format_args!("`{key}` is there twice")));
            }
        }
        Ok(UniqueMap(map))
    }
}

impl<T> UniqueMap<T> {
    fn map<U>(self, value: impl Fn(T) -> U) -> BTreeMap<String, U> {
        self.0
            .into_iter()
            .map(|(key, found)| (key, value(found)))
            .collect()
    }
}

/// Reads `null` as none, and asks for the key.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Versions {
    trellis: String,
    soil: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    provenance: Word<Author>,
    hashes: Hashes,
    prose_state: ProseState,
    blocks: Vec<Block>,
    pinned: bool,
    escape_hatches: Vec<String>,
    decisions: Option<UniqueMap<Hash>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Hashes {
    formal: Hash,
    #[serde(deserialize_with = "nullable")]
    test: Option<Hash>,
    prose: Hash,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ProseState {
    Fresh,
    ReviewSuggested,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    block: String,
    author: Word<Author>,
}

impl Spec {
    fn into_locked(self) -> LockedSpec {
        let blocks = self.blocks.into_iter().map(|block| LockedBlock {
            block: block.block,
            author: block.author.0,
        });
        LockedSpec {
            provenance: self.provenance.0,
            formal: self.hashes.formal.0,
            test: self.hashes.test.map(|hash| hash.0),
            prose: self.hashes.prose.0,
            is_review_suggested: matches!(self.prose_state, ProseState::ReviewSuggested),
            blocks: blocks.collect(),
            pinned: self.pinned,
            escape_hatches: self.escape_hatches,
            decisions: self
                .decisions
                .map_or_else(BTreeMap::new, |decisions| decisions.map(|hash| hash.0)),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct LoweringForm {
    soil_hash: Hash,
    provenance: Word<LoweringProvenance>,
    #[serde(deserialize_with = "nullable")]
    provider: Option<String>,
    #[serde(deserialize_with = "nullable")]
    model: Option<String>,
    private_helpers: Vec<NamedHashForm>,
    calls: Vec<NamedHashForm>,
    decisions: Decisions,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedHashForm {
    name: String,
    hash: Hash,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Decisions {
    scope_hash: Hash,
    applied: Vec<Applied>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Applied {
    scope: String,
    label: String,
    hash: Hash,
}

fn named_hashes(forms: Vec<NamedHashForm>) -> Vec<NamedHash> {
    let named = forms.into_iter().map(|form| NamedHash {
        name: form.name,
        hash: form.hash.0,
    });
    named.collect()
}

impl LoweringForm {
    fn into_lowering(self) -> Lowering {
        let applied = self
            .decisions
            .applied
            .into_iter()
            .map(|applied| AppliedDecision {
                scope: applied.scope,
                label: applied.label,
                hash: applied.hash.0,
            });
        Lowering {
            soil_hash: self.soil_hash.0,
            provenance: self.provenance.0,
            provider: self.provider,
            model: self.model,
            private_helpers: named_hashes(self.private_helpers),
            calls: named_hashes(self.calls),
            scope_hash: self.decisions.scope_hash.0,
            applied: applied.collect(),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FunctionChecksForm {
    types: Outcome,
    termination: Word<Termination>,
    refinements: UniqueMap<Word<Assurance>>,
    holes: u64,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TypeChecksForm {
    types: Outcome,
    invariants: UniqueMap<Word<Assurance>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ModuleChecksForm {
    exports: Outcome,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NoChecks {}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TestForm {
    name: String,
    tier: Word<Tier>,
    mode: Word<Mode>,
    origin: Word<Origin>,
    result: Word<TestResult>,
}

impl TestForm {
    fn into_row(self) -> TestRow {
        TestRow {
            name: self.name,
            tier: self.tier.0,
            mode: self.mode.0,
            origin: self.origin.0,
            result: self.result.0,
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "lowercase")]
enum OracleForm {
    Reference { path: String, hash: Hash },
    Cli { command: String, hash: Hash },
    Definition { name: String, formal_hash: Hash },
}

impl OracleForm {
    fn into_oracle(self) -> Oracle {
        match self {
            Self::Reference { path, hash } => Oracle::Reference { path, hash: hash.0 },
            Self::Cli { command, hash } => Oracle::Cli {
                command,
                hash: hash.0,
            },
            Self::Definition { name, formal_hash } => Oracle::Definition {
                name,
                formal_hash: formal_hash.0,
            },
        }
    }
}

/// Declares the form of one kind of lock: the members that all have, and its own.
macro_rules! forms {
    ($($form:ident { $($(#[$attribute:meta])* $member:ident: $ty:ty),* $(,)? })*) => {$(
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $form {
            // Read before, to tell which form this is.
            #[serde(rename = "lock_format")]
            _lock_format: IgnoredAny,
            #[serde(rename = "kind")]
            _kind: IgnoredAny,
            name: String,
            versions: Versions,
            spec: Spec,
            $($(#[$attribute])* $member: $ty,)*
            accepted: bool,
        }

        impl $form {
            fn with_body(name: String, versions: Versions, spec: Spec, accepted: bool, body: LockBody) -> Lock {
                Lock {
                    name,
                    trellis: versions.trellis,
                    soil: versions.soil,
                    spec: spec.into_locked(),
                    body,
                    accepted,
                }
            }
        }
    )*};
}

forms! {
    FunctionLock {
        #[serde(deserialize_with = "nullable")]
        lowering: Option<LoweringForm>,
        checks: FunctionChecksForm,
        tests: Vec<TestForm>,
        oracles: Vec<OracleForm>,
    }
    TypeLock {
        checks: TypeChecksForm,
        tests: Vec<TestForm>,
        #[serde(deserialize_with = "nullable")]
        cycle_hash: Option<Hash>,
    }
    ModuleLock {
        checks: ModuleChecksForm,
    }
    ProjectLock {
        #[serde(rename = "checks")]
        _checks: NoChecks,
    }
}

impl FunctionLock {
    fn into_lock(self) -> Lock {
        let checks = FunctionChecks {
            types_ok: matches!(self.checks.types, Outcome::Ok),
            termination: self.checks.termination.0,
            refinements: self.checks.refinements.map(|word| word.0),
            holes: self.checks.holes,
        };
        let body = LockBody::Function {
            lowering: self
                .lowering
                .map(|lowering| Box::new(lowering.into_lowering())),
            checks,
            tests: self.tests.into_iter().map(TestForm::into_row).collect(),
            oracles: self
                .oracles
                .into_iter()
                .map(OracleForm::into_oracle)
                .collect(),
        };
        Self::with_body(self.name, self.versions, self.spec, self.accepted, body)
    }
}

impl TypeLock {
    fn into_lock(self) -> Lock {
        let body = LockBody::Type {
            checks: TypeChecks {
                types_ok: matches!(self.checks.types, Outcome::Ok),
                invariants: self.checks.invariants.map(|word| word.0),
            },
            tests: self.tests.into_iter().map(TestForm::into_row).collect(),
            cycle_hash: self.cycle_hash.map(|hash| hash.0),
        };
        Self::with_body(self.name, self.versions, self.spec, self.accepted, body)
    }
}

impl ModuleLock {
    fn into_lock(self) -> Lock {
        let exports_ok = matches!(self.checks.exports, Outcome::Ok);
        let body = LockBody::Module { exports_ok };
        Self::with_body(self.name, self.versions, self.spec, self.accepted, body)
    }
}

impl ProjectLock {
    fn into_lock(self) -> Lock {
        Self::with_body(
            self.name,
            self.versions,
            self.spec,
            self.accepted,
            LockBody::Project,
        )
    }
}
