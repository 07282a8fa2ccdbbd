//! Proving a snapshot: its obligations run, and what they showed is stored as evidence.

mod past;

use lonis_diagnostics::{Code, Diagnostic, Failure, PolicyProposal};
use serde_json::{Value, json};

use super::Surroundings;
use super::place::{Place, Session, shown};
use crate::diagnose::During;
use crate::engine::Record;
use crate::event::Fact;
use crate::evidence::{About, Evidence, ObligationResult};
use crate::identity::{Domain, Identity};
use crate::obligation::{self, Asked, Ran, Site, Tell};
use crate::policy::Policy;
use crate::request::Request;
use crate::store::objects::ObjectMap;
use crate::store::stored::StoredObjects;
use past::Logs;

/// Codes of obligations that pass in other surroundings or under another policy alone, the one to be told first in front.
const BEYOND_PATCHES: [Code; 2] = [Code::PolicyNetworkDenied, Code::ObligationUnavailable];

/// The capability that an obligation without a network lacks where none can be closed off.
const NETWORK: &str = "network";

/// Where a snapshot is proved.
pub(super) struct Bench<'a> {
    pub(super) place: &'a Place<'a>,
    pub(super) surroundings: &'a Surroundings,
    pub(super) tell: &'a Tell<'a>,
    pub(super) request: &'a Request,
}

/// What a run showed.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) evidence: Evidence,
    ran: Ran,
}

/// What evidence of a snapshot of this session is about.
pub(super) fn about(record: &Record, snapshot: Identity) -> About {
    About {
        snapshot,
        policy: record.policy,
        obligation_set: record.obligation_set,
    }
}

impl Bench<'_> {
    /// Runs the obligations on a stored snapshot, and stores what they showed.
    pub(super) fn prove(
        &self,
        session: &Session,
        policy: &Policy,
        store: &mut StoredObjects<'_>,
        snapshot: Identity,
    ) -> Result<Proof, Failure> {
        let (place, request) = (self.place, self.request);
        let during = place.during;
        let silent = |_: &obligation::Progress<'_>| {};
        let ran = {
            let site = Site {
                live: &place.live,
                disk: &place.disk,
                store,
                session: session.id.as_str(),
                base: &session.record.base_snapshot,
                grounds: &self.surroundings.grounds,
                registry: &self.surroundings.registry,
                hashes: &self.surroundings.hashes,
                past: &Logs {
                    place,
                    session,
                    store,
                },
                tell: if request.progress { self.tell } else { &silent },
            };
            let asked = Asked {
                only: request.only.as_deref(),
                fresh: request.fresh,
            };
            obligation::run(&site, policy, &snapshot, asked).map_err(|error| during.fail(error))?
        };
        let evidence = Evidence::new(
            about(&session.record, snapshot),
            ran.results.clone(),
            failures_before(session, snapshot),
        );
        let mut objects: ObjectMap = ran.objects.clone();
        objects.add(Domain::Evidence, evidence.canonical());
        store.add(&objects).map_err(|error| during.fail(error))?;
        Ok(Proof { evidence, ran })
    }
}

/// How many runs on a snapshot failed, those of a candidate included.
fn failures_before(session: &Session, snapshot: Identity) -> u64 {
    let events = session.log.events().iter();
    let failed = events.filter(|event| match &event.fact {
        Fact::Tested(tested) => tested.snapshot == snapshot && !tested.obligations_ok,
        Fact::Attempted(attempted) => attempted.candidate.after == snapshot,
        _ => false,
    });
    failed.count() as u64
}

impl Proof {
    /// What evidence tells alone, as it is read from the store.
    pub(super) fn of(evidence: Evidence) -> Self {
        Self {
            evidence,
            ran: Ran::default(),
        }
    }

    /// The members of a result that tell of the run.
    pub(super) fn data(&self, record: Option<&Record>) -> Value {
        let results = &self.evidence.results;
        let reused = results.iter().filter(|result| result.reused_from.is_some());
        json!({
            "transaction": record.map(shown),
            "evidence": self.evidence.identity(),
            "obligations_ok": self.evidence.ok,
            "obligation_count": results.len(),
            "results": results,
            "reused": reused.count(),
        })
    }

    /// What is not in the workspace, so that obligations could not see it.
    pub(super) fn warnings(&self) -> Vec<Value> {
        let left_out = self.ran.left_out.iter().map(|path| {
            json!({"name": "link-escapes", "path": path,
                "detail": "it leads out of the tree, and is not in the workspace"})
        });
        left_out.collect()
    }

    /// The failure of a run in which not all passed: one entry for the run, then one for each code.
    ///
    /// What no patch can mend comes before the run, for what is to be done first is what the first entry says.
    pub(super) fn failure(&self, during: During<'_>, attempt: Option<u64>) -> Failure {
        let results = self.evidence.results.iter();
        let failed: Vec<&ObligationResult> = results.filter(|result| !result.ok).collect();
        let names: Vec<&str> = failed.iter().map(|result| result.name.as_str()).collect();
        let list: Vec<Value> = failed
            .iter()
            .map(|result| {
                let fault = self.ran.faults.get(&result.name);
                let tail = fault.map_or("", |fault| &fault.tail);
                json!({"name": result.name, "code": result.code, "exit": result.exit, "tail": tail})
            })
            .collect();
        let message = format!("obligations failed: `{}`", names.join("`, `"));
        let cause = during
            .diagnostic(Code::SessionObligationsFailed, message)
            .with("failed", list)
            .with("evidence", self.evidence.identity().to_string())
            .with("attempt", json!(attempt));
        let findings = failed
            .iter()
            .filter_map(|result| self.finding(result, during));
        let (mut first, then): (Vec<Diagnostic>, Vec<Diagnostic>) =
            findings.partition(|finding| BEYOND_PATCHES.contains(&finding.code()));
        first.sort_by_key(|finding| BEYOND_PATCHES.iter().position(|one| *one == finding.code()));
        let mut entries = first.into_iter().chain([cause]).chain(then);
        let primary = entries.next().expect("the entry of the run is among them");
        entries.fold(Failure::from(primary), Failure::and)
    }

    /// Why one obligation failed.
    fn finding(&self, result: &ObligationResult, during: During<'_>) -> Option<Diagnostic> {
        let code: Code = result.code.as_deref()?.parse().ok()?;
        let fault = self.ran.faults.get(&result.name);
        let message = match fault.filter(|fault| !fault.said.is_empty()) {
            Some(fault) => format!("obligation `{}`: {}", result.name, fault.said),
            None => format!("obligation `{}` did not pass", result.name),
        };
        let declares = |name: &str| {
            let mut parameters = code.entry().parameters.iter();
            parameters.any(|parameter| parameter.name == name)
        };
        let mut diagnostic = Diagnostic::new(code, during.0, message);
        if code == Code::PolicyNetworkDenied {
            diagnostic = diagnostic
                .lacking(NETWORK)
                .proposing(PolicyProposal::Allow {
                    capability: NETWORK.to_owned(),
                    policy_file: Vec::new(),
                });
        }
        if declares("name") {
            diagnostic = diagnostic.with("name", result.name.as_str());
        }
        for (name, value) in fault.iter().flat_map(|fault| &fault.parameters) {
            diagnostic = diagnostic.with(name, value.clone());
        }
        Some(diagnostic)
    }
}
