//! What became of one obligation, judged and told as a result.

use lonis::limits::Bound;
use lonis::process::{self, Confined, Outcome};
use serde_json::json;

use super::fault::Fault;
use super::place::{Place, Variables};
use super::{Ran, kind, micros};
use crate::evidence::{Enforcement, ObligationResult, Output, RanTool, Scratch};
use crate::identity::Domain;
use crate::policy::Obligation;
use crate::snapshot::materialise::{Mutation, Placement};

/// What became of one obligation, before what it left behind is looked at.
pub(super) struct Attempt {
    pub(super) tool: RanTool,
    pub(super) outcome: Outcome,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    pub(super) fault: Option<Fault>,
    /// Whether it was started where there is no network.
    pub(super) is_closed_off: bool,
}

/// What was seen beside the run.
pub(super) struct Seen<'a> {
    pub(super) environment: &'a Variables,
    pub(super) mutated: &'a [Mutation],
    pub(super) is_warm: bool,
}

impl Attempt {
    /// An obligation of which nothing was started.
    pub(super) fn refused(tool: RanTool, fault: Fault) -> Self {
        Self {
            tool,
            outcome: Outcome::default(),
            stdout: Vec::new(),
            stderr: Vec::new(),
            fault: Some(fault),
            is_closed_off: false,
        }
    }
}

impl Place<'_> {
    /// Tells an obligation as a result; its outputs and its fault go to the run.
    pub(super) fn result(
        &self,
        obligation: &Obligation,
        attempt: Attempt,
        seen: &Seen<'_>,
        ran: &mut Ran,
    ) -> ObligationResult {
        let secrets = self.redaction.secrets(seen.environment);
        let (stdout, cut_out) = self.redaction.apply(attempt.stdout, &secrets);
        let (stderr, cut_err) = self.redaction.apply(attempt.stderr, &secrets);
        let fault = attempt.fault.or_else(|| mutated(seen.mutated));
        let code = fault.as_ref().map(|fault| fault.code);
        if let Some(fault) = fault {
            let hide = |text: &str| {
                let (hidden, _) = self.redaction.apply(text.as_bytes().to_vec(), &secrets);
                String::from_utf8_lossy(&hidden).into_owned()
            };
            let fault = fault.quoting(&stdout, &stderr).redacted(&hide);
            ran.faults.insert(obligation.name.clone(), fault);
        }
        let mut keep = |bytes: Vec<u8>, redacted| {
            let length = bytes.len() as u64;
            Output {
                blob: ran.objects.add(Domain::Blob, bytes),
                bytes: length,
                redacted,
            }
        };
        let (stdout, stderr) = (keep(stdout, cut_out), keep(stderr, cut_err));
        let outcome = &attempt.outcome;
        let status = outcome.status;
        let paths = seen.mutated.iter();
        ObligationResult {
            name: obligation.name.clone(),
            kind: kind(obligation),
            ok: code.is_none(),
            code: code.map(str::to_owned),
            declaration: obligation.declaration(),
            tool: attempt.tool,
            env_names: seen.environment.keys().cloned().collect(),
            env_digest: self.redaction.digest(seen.environment),
            exit: status
                .filter(|status| status.signal().is_none())
                .map(process::Status::code),
            signal: status.and_then(process::Status::signal),
            duration_micros: micros(outcome.wall),
            stdout,
            stderr,
            mutated: paths
                .map(|mutation| mutation.path.as_str().to_owned())
                .collect(),
            scratch: Scratch {
                paths: obligation
                    .scratch
                    .iter()
                    .map(|path| path.as_str().to_owned())
                    .collect(),
                warm: seen.is_warm,
            },
            limits: obligation.shown_limits(),
            enforcement: self.enforcement(outcome, attempt.is_closed_off),
            reused_from: None,
        }
    }

    /// By what means each kind of bound was held.
    fn enforcement(&self, outcome: &Outcome, is_closed_off: bool) -> Enforcement {
        let held = |bound: Bound| {
            let held = outcome.bounds.iter().find(|held| held.bound == bound);
            let word = held.map_or("unavailable", |held| held.enforced_by.word());
            word.to_owned()
        };
        let tree = outcome
            .containment
            .as_ref()
            .map_or("unavailable", |containment| containment.mechanism.word());
        let counted = outcome
            .bounds
            .iter()
            .find(|held| held.bound == Bound::MaxProcesses)
            .map(|held| held.enforced_by.word())
            .filter(|word| *word != tree);
        Enforcement {
            wall: held(Bound::TimeoutMillis),
            cpu: held(Bound::MaxCpuMillis),
            memory: held(Bound::MaxMemoryBytes),
            output: held(Bound::MaxStdoutBytes),
            processes: match counted {
                Some(counted) => format!("{counted}, {tree}"),
                None => tree.to_owned(),
            },
            file_size: held(Bound::MaxFileBytes),
            network: if is_closed_off {
                "namespace"
            } else {
                "unavailable"
            }
            .to_owned(),
            workspace: self.kept(outcome),
        }
    }

    /// How the workspace was placed, and what kept the run to it.
    fn kept(&self, outcome: &Outcome) -> String {
        let mut words = vec![match self.placement {
            Placement::Overlay => "overlay",
            Placement::Clone => "clone",
            Placement::Copy => "copy",
        }];
        let rules = outcome.confinement.as_ref();
        let has_rules = rules.is_some_and(|rules| rules.enforced.contains(&Confined::Files));
        // A layer is only there for who has mounts of its own.
        if self.placement != Placement::Overlay && self.view.is_some() && rules.is_some() {
            words.push("namespace");
        }
        words.push(if has_rules { "landlock" } else { "unavailable" });
        words.join(", ")
    }
}

/// A run that changed managed files.
fn mutated(mutated: &[Mutation]) -> Option<Fault> {
    let first = mutated.first()?;
    let said = match mutated.len() {
        1 => format!("it changed `{}`", first.path),
        count => format!("it changed {count} managed paths, `{}` first", first.path),
    };
    let paths = mutated.iter().map(|mutation| {
        let blob = |entry: Option<crate::snapshot::tree::Entry>| entry.map(|entry| entry.blob());
        json!({
            "path": mutation.path,
            "before": blob(mutation.before),
            "after": blob(mutation.after),
        })
    });
    let paths: Vec<_> = paths.collect();
    Some(Fault::new("obligation/mutated-snapshot", said).with("paths", paths))
}
