//! Evidence: what a run of obligations showed, as an object that an apply opens and checks again.

use lonis::canonical;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::identity::{Domain, Identity, canonical_bytes};
use crate::policy::Obligation;
use crate::store::objects::{ObjectError, ReadObjects};

/// Everything that a run of obligations showed.
///
/// # Wire shape
/// Closed; stored as exactly the bytes that its identity hashes, so without `identity`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    schema: String,
    /// What the obligations ran on.
    pub snapshot: Identity,
    /// The policy in force.
    pub policy: Identity,
    /// Its obligations.
    pub obligation_set: Identity,
    /// What ran them.
    engine: Value,
    /// Where.
    platform: Value,
    /// One for each obligation, in the order of the policy.
    pub results: Vec<ObligationResult>,
    /// Whether all passed.
    pub ok: bool,
    /// Whether there was none.
    pub vacuous: bool,
    /// Whether no scratch was warm and nothing was reused.
    pub hermetic: bool,
    /// How many runs on this snapshot failed before.
    pub failures_before: u64,
    /// The identity of the outcome without its circumstances.
    pub verdict: Identity,
}

/// What one obligation showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObligationResult {
    /// Its name.
    pub name: String,
    /// `command` or `tool`.
    pub kind: String,
    /// Whether it passed.
    pub ok: bool,
    /// The code that says why not.
    pub code: Option<String>,
    /// The identity of its declaration.
    pub declaration: Identity,
    /// The tool that was called.
    pub tool: Option<Value>,
    /// Names of the variables that it saw.
    pub env_names: Vec<String>,
    /// The identity of their values.
    pub env_digest: Identity,
    /// Its exit code.
    pub exit: Option<u8>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// How long it ran.
    pub duration_micros: u64,
    /// What it wrote to stdout.
    pub stdout: Output,
    /// What it wrote to stderr.
    pub stderr: Output,
    /// Managed files that it changed.
    pub mutated: Vec<String>,
    /// Its directories that are kept between runs.
    pub scratch: Scratch,
    /// The limits that it ran under.
    pub limits: Value,
    /// By what means they were held.
    pub enforcement: Value,
    /// The evidence that the result was taken over from.
    pub reused_from: Option<Identity>,
}

/// Output that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The identity of all that is kept.
    pub blob: Identity,
    /// Its length.
    pub bytes: u64,
    /// Whether anything was replaced in it.
    pub redacted: bool,
}

/// Directories that are kept between runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scratch {
    /// The directories.
    pub paths: Vec<String>,
    /// Whether an earlier run had left something in one of them.
    pub warm: bool,
}

/// Evidence that does not say what it has to (`session/evidence-invalid`).
#[derive(Debug, thiserror::Error)]
#[error("evidence `{evidence}` has another `{field}`: expected {expected}, seen {observed}")]
pub struct EvidenceError {
    /// The evidence.
    pub evidence: Identity,
    /// The member.
    pub field: String,
    /// What it has to be.
    pub expected: String,
    /// What it is.
    pub observed: String,
}

/// What evidence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The snapshot.
    pub snapshot: Identity,
    /// The policy.
    pub policy: Identity,
    /// Its obligations.
    pub obligation_set: Identity,
}

impl Evidence {
    /// Makes the evidence of a run.
    pub fn new(about: About, results: Vec<ObligationResult>, failures_before: u64) -> Self {
        let mut evidence = Self {
            schema: Domain::Evidence.schema(),
            snapshot: about.snapshot,
            policy: about.policy,
            obligation_set: about.obligation_set,
            engine: json!({"name": "lonis-session", "version": env!("CARGO_PKG_VERSION")}),
            platform: json!({"os": std::env::consts::OS, "arch": std::env::consts::ARCH}),
            ok: results.iter().all(|result| result.ok),
            vacuous: results.is_empty(),
            hermetic: results
                .iter()
                .all(|result| !result.scratch.warm && result.reused_from.is_none()),
            results,
            failures_before,
            verdict: about.snapshot,
        };
        evidence.verdict = evidence.outcome();
        evidence
    }

    /// The identity of the outcome: equal ones mean equal outcomes.
    fn outcome(&self) -> Identity {
        let mut value = json!(self);
        for member in ["verdict", "hermetic", "failures_before"] {
            value.as_object_mut().map(|object| object.remove(member));
        }
        for result in value["results"].as_array_mut().into_iter().flatten() {
            for member in [
                "duration_micros",
                "stdout",
                "stderr",
                "scratch",
                "enforcement",
                "reused_from",
            ] {
                result.as_object_mut().map(|object| object.remove(member));
            }
        }
        let text = canonical::text(&value).expect("evidence holds texts, identities and counts");
        Identity::of(Domain::Verdict, text.as_bytes())
    }

    /// The bytes that are stored and hashed.
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(self)
    }

    /// The identity.
    pub fn identity(&self) -> Identity {
        Identity::of(Domain::Evidence, &self.canonical())
    }

    /// Reads evidence as it is stored.
    ///
    /// # Errors
    /// An object that cannot be had, or that is no evidence.
    pub fn read(objects: &impl ReadObjects, identity: &Identity) -> Result<Self, ObjectError> {
        let bytes = objects.read(Domain::Evidence, identity)?;
        serde_json::from_slice(&bytes).map_err(|error| ObjectError::Mismatch {
            domain: Domain::Evidence,
            identity: *identity,
            observed: error.to_string(),
        })
    }

    /// Reads evidence and checks all that it says against what it has to be about.
    ///
    /// # Errors
    /// An object that cannot be had, or one that says something else.
    pub fn checked(
        objects: &impl ReadObjects,
        identity: &Identity,
        about: About,
        obligations: &[Obligation],
    ) -> Result<Result<Self, EvidenceError>, ObjectError> {
        let bytes = objects.read(Domain::Evidence, identity)?;
        let wrong = |field: &str, expected: String, observed: String| {
            Ok(Err(EvidenceError {
                evidence: *identity,
                field: field.to_owned(),
                expected,
                observed,
            }))
        };
        let evidence: Self = match serde_json::from_slice(&bytes) {
            Ok(evidence) => evidence,
            Err(error) => return wrong("schema", Domain::Evidence.schema(), error.to_string()),
        };
        let pairs = [
            ("snapshot", about.snapshot, evidence.snapshot),
            ("policy", about.policy, evidence.policy),
            (
                "obligation_set",
                about.obligation_set,
                evidence.obligation_set,
            ),
            ("verdict", evidence.outcome(), evidence.verdict),
        ];
        if let Some((field, expected, observed)) = pairs
            .into_iter()
            .find(|(_, expected, observed)| expected != observed)
        {
            return wrong(field, expected.to_string(), observed.to_string());
        }
        let declared: Vec<Identity> = obligations.iter().map(Obligation::declaration).collect();
        let ran: Vec<Identity> = evidence
            .results
            .iter()
            .map(|result| result.declaration)
            .collect();
        if declared != ran {
            return wrong(
                "results",
                format!("{} declared", declared.len()),
                format!("{} ran", ran.len()),
            );
        }
        if !evidence.ok || evidence.results.iter().any(|result| !result.ok) {
            return wrong("ok", "true".to_owned(), "false".to_owned());
        }
        for output in evidence
            .results
            .iter()
            .flat_map(|result| [&result.stdout, &result.stderr])
        {
            let kept = objects.read(Domain::Blob, &output.blob)?;
            if kept.len() as u64 != output.bytes {
                return wrong(
                    "results",
                    format!("{} bytes of output", output.bytes),
                    format!("{}", kept.len()),
                );
            }
        }
        Ok(Ok(evidence))
    }

    /// The evidence as results show it, with its identity.
    pub fn to_value(&self) -> Value {
        let mut value = json!(self);
        value["identity"] = json!(self.identity());
        value
    }
}
