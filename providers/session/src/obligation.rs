//! Running obligations: each in the session's own copy of the tree, under hard bounds, in the order of the policy.

mod redaction;
mod running;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use lonis::limits::{Bound, Limits};
use lonis::process::{self, Captured, Outcome, ProcessError, Program};
use serde_json::{Map, Value, json};

use crate::evidence::{ObligationResult, Output, Scratch};
use crate::identity::{Domain, Identity, canonical_bytes};
use crate::policy::{Limit, Network, Obligation, Policy};
use crate::snapshot::live::LiveTree;
use crate::snapshot::materialise::{Mutation, Placement, Workspace, WorkspaceError};
use crate::snapshot::stat_cache::StatCache;
use crate::store::disk::Disk;
use crate::store::layout::transaction;
use crate::store::objects::ObjectMap;
use crate::store::stored::StoredObjects;
use redaction::Redaction;

/// The longest end of an output that a failure quotes, in bytes.
const MAX_TAIL_BYTES: usize = 4096;

/// What a run needs beside the obligations.
#[derive(Debug)]
pub struct Site<'a> {
    /// The live tree, from which unchanged files may be cloned.
    pub live: &'a LiveTree,
    /// The disk of the store.
    pub disk: &'a dyn Disk,
    /// The objects of the snapshot.
    pub store: &'a StoredObjects<'a>,
    /// The session.
    pub session: &'a str,
}

/// What a run showed, and the outputs that have to be stored with it.
#[derive(Debug, Default)]
pub struct Ran {
    /// One for each obligation.
    pub results: Vec<ObligationResult>,
    /// The ends of outputs, by name of the obligation.
    pub tails: BTreeMap<String, String>,
    /// The outputs.
    pub objects: ObjectMap,
}

/// Runs obligations on a snapshot; all run, also after a failure.
///
/// # Errors
/// A workspace that cannot be had. What an obligation does is a result, not an error.
pub fn run(
    site: &Site<'_>,
    policy: &Policy,
    snapshot: &Identity,
    only: Option<&[String]>,
    fresh: bool,
) -> Result<Ran, WorkspaceError> {
    let mut ran = Ran::default();
    let asked: Vec<&Obligation> = policy
        .obligations
        .iter()
        .filter(|obligation| only.is_none_or(|only| only.contains(&obligation.name)))
        .collect();
    if asked.is_empty() {
        return Ok(ran);
    }
    let scratch: Vec<_> = policy
        .obligations
        .iter()
        .flat_map(|obligation| obligation.scratch.iter().cloned())
        .collect();
    let mut workspace = Workspace::open(site.live, site.disk, site.session, scratch.clone())?;
    if fresh {
        workspace.clear()?;
        workspace = Workspace::open(site.live, site.disk, site.session, scratch)?;
    }
    let cache = StatCache::load(site.disk);
    let root = site
        .live
        .path()
        .join(transaction(site.session))
        .join("workspace");
    let redaction = Redaction::new(&policy.redact);
    for obligation in asked {
        let brought = workspace.bring_to(site.store, snapshot, Some((site.live, &cache)))?;
        let place = Place {
            root: &root,
            placement: brought.placement,
            redaction: &redaction,
        };
        workspace.begin_run()?;
        let captured = place.run(obligation);
        let mutated = workspace.end_run()?;
        place.result(obligation, captured, &mutated, &mut ran);
    }
    Ok(ran)
}

/// Where one obligation runs.
struct Place<'a> {
    root: &'a Path,
    placement: Placement,
    redaction: &'a Redaction,
}

/// What became of one obligation, before it is judged.
struct Attempt {
    environment: BTreeMap<String, OsString>,
    warm: bool,
    /// `None` where it could not be started at all.
    captured: Option<Captured>,
    refused: Option<&'static str>,
}

impl Place<'_> {
    fn run(&self, obligation: &Obligation) -> Attempt {
        let environment = environment(obligation);
        let warm = obligation.scratch.iter().any(|path| {
            let folder = self.root.join(path.as_path());
            folder
                .read_dir()
                .is_ok_and(|mut entries| entries.next().is_some())
        });
        let refused = obligation
            .argv
            .is_none()
            .then_some("obligation/unavailable");
        let argv = obligation.argv.as_deref().filter(|_| refused.is_none());
        let captured = argv
            .and_then(|argv| argv.split_first())
            .map(|(command, arguments)| {
                running::capture(&self.program(obligation, command, arguments, &environment))
            });
        Attempt {
            environment,
            warm,
            captured,
            refused,
        }
    }

    fn program(
        &self,
        obligation: &Obligation,
        command: &str,
        arguments: &[String],
        environment: &BTreeMap<String, OsString>,
    ) -> Program {
        let cwd = if obligation.cwd == "." {
            self.root.to_path_buf()
        } else {
            self.root.join(&obligation.cwd)
        };
        // A program of the tree itself is named from the root.
        let command = if command.contains('/') && !command.starts_with('/') {
            self.root.join(command)
        } else {
            PathBuf::from(command)
        };
        let mut program = Program::new(command)
            .with_args(arguments)
            .with_base_env()
            .with_cwd(cwd);
        // A git in a test must not find the live repository above the workspace.
        if let Some(above) = self.root.parent() {
            program = program.with_env("GIT_CEILING_DIRECTORIES", above);
        }
        for (name, value) in environment {
            program = program.with_env(name, value);
        }
        if obligation.network == Network::Deny {
            program = program.without_network();
        }
        program.with_limits(limits(obligation))
    }

    fn result(
        &self,
        obligation: &Obligation,
        attempt: Attempt,
        mutated: &[Mutation],
        ran: &mut Ran,
    ) {
        let code = code(obligation, &attempt, mutated);
        let (stdout, stderr, outcome, failure) = match attempt.captured {
            Some(captured) => (
                captured.stdout,
                captured.stderr,
                captured.outcome,
                captured.failure,
            ),
            None => (Vec::new(), Vec::new(), Outcome::default(), None),
        };
        let unstarted = unstarted(obligation, code, failure.as_ref());
        let secrets = self.redaction.secrets(&attempt.environment);
        let mut tail = Vec::new();
        let mut keep = |bytes: Vec<u8>| {
            let (bytes, redacted) = self.redaction.apply(bytes, &secrets);
            tail.extend_from_slice(&bytes[bytes.len().saturating_sub(MAX_TAIL_BYTES / 2)..]);
            let length = bytes.len() as u64;
            Output {
                blob: ran.objects.add(Domain::Blob, bytes),
                bytes: length,
                redacted,
            }
        };
        let (stdout, stderr) = (keep(stdout), keep(stderr));
        if code.is_some() {
            // A program that did not start said nothing itself.
            let tail = unstarted.unwrap_or_else(|| String::from_utf8_lossy(&tail).into_owned());
            ran.tails.insert(obligation.name.clone(), tail);
        }
        let status = outcome.status;
        ran.results.push(ObligationResult {
            name: obligation.name.clone(),
            kind: kind(obligation).to_owned(),
            ok: code.is_none(),
            code: code.map(str::to_owned),
            declaration: obligation.declaration(),
            tool: None,
            env_names: attempt.environment.keys().cloned().collect(),
            env_digest: self.redaction.digest(&attempt.environment),
            exit: status
                .filter(|status| status.signal().is_none())
                .map(process::Status::code),
            signal: status.and_then(process::Status::signal),
            duration_micros: u64::try_from(outcome.wall.as_micros()).unwrap_or(u64::MAX),
            stdout,
            stderr,
            mutated: mutated
                .iter()
                .map(|mutation| mutation.path.as_str().to_owned())
                .collect(),
            scratch: Scratch {
                paths: obligation
                    .scratch
                    .iter()
                    .map(|path| path.as_str().to_owned())
                    .collect(),
                warm: attempt.warm,
            },
            limits: shown_limits(obligation),
            enforcement: self.enforcement(obligation, &outcome),
            reused_from: None,
        });
    }

    /// By what means each kind of bound was held.
    fn enforcement(&self, obligation: &Obligation, outcome: &Outcome) -> Value {
        // With the rule, a program that has a status was started where there is no network.
        let is_closed_off = obligation.network == Network::Deny && outcome.status.is_some();
        let held = |bound: Bound| {
            let held = outcome.bounds.iter().find(|held| held.bound == bound);
            held.map_or("unavailable", |held| held.enforced_by.word())
        };
        json!({
            "wall": held(Bound::TimeoutMillis),
            "cpu": held(Bound::MaxCpuMillis),
            "memory": held(Bound::MaxMemoryBytes),
            "output": held(Bound::MaxStdoutBytes),
            "processes": held(Bound::MaxProcesses),
            "file_size": held(Bound::MaxFileBytes),
            "network": if is_closed_off { "namespace" } else { "unavailable" },
            "workspace": match self.placement {
                Placement::Clone => "clone",
                Placement::Copy => "copy",
            },
        })
    }
}

/// What an obligation runs, in one word.
fn kind(obligation: &Obligation) -> &'static str {
    if obligation.argv.is_some() {
        "command"
    } else {
        "tool"
    }
}

/// Why the program of an obligation did not start, with its name.
fn unstarted(
    obligation: &Obligation,
    code: Option<&str>,
    failure: Option<&ProcessError>,
) -> Option<String> {
    let failure = failure.filter(|_| code == Some("obligation/unavailable"))?;
    let program = obligation.argv.as_ref()?.first()?;
    let reason = failure.to_string();
    if reason.contains(program) {
        Some(reason)
    } else {
        Some(format!("program `{program}`: {reason}"))
    }
}

/// The variables that an obligation sees: those passed on that are set, and its own.
fn environment(obligation: &Obligation) -> BTreeMap<String, OsString> {
    let passed = obligation
        .pass_env
        .iter()
        .filter_map(|name| Some((name.clone(), std::env::var_os(name)?)));
    let own = obligation
        .env
        .iter()
        .map(|(name, value)| (name.clone(), OsString::from(value)));
    passed.chain(own).collect()
}

fn bounds(obligation: &Obligation) -> Vec<(Bound, u64)> {
    let optional = [
        (
            Bound::MaxCpuMillis,
            obligation.max_cpu_millis.map(Limit::get),
        ),
        (
            Bound::MaxMemoryBytes,
            obligation.max_memory_bytes.map(Limit::get),
        ),
        (
            Bound::MaxProcesses,
            obligation.max_processes.map(Limit::get),
        ),
        (
            Bound::MaxFileBytes,
            obligation.max_file_bytes.map(Limit::get),
        ),
    ];
    let mut all = vec![
        (Bound::TimeoutMillis, obligation.timeout_millis.get()),
        (Bound::MaxStdoutBytes, obligation.max_stdout_bytes.get()),
        (Bound::MaxStderrBytes, obligation.max_stderr_bytes.get()),
    ];
    all.extend(
        optional
            .into_iter()
            .filter_map(|(bound, limit)| Some((bound, limit?))),
    );
    all
}

fn limits(obligation: &Obligation) -> Limits {
    bounds(obligation)
        .into_iter()
        .fold(Limits::new(), |limits, (bound, value)| {
            limits.with_nearest(bound, value)
        })
}

fn shown_limits(obligation: &Obligation) -> Value {
    let pairs = bounds(obligation)
        .into_iter()
        .map(|(bound, value)| (bound.to_string(), value.into()));
    Value::Object(pairs.collect::<Map<String, Value>>())
}

/// Judges an obligation: `None` is a pass.
fn code(obligation: &Obligation, attempt: &Attempt, mutated: &[Mutation]) -> Option<&'static str> {
    if let Some(refused) = attempt.refused {
        return Some(refused);
    }
    let captured = attempt.captured.as_ref()?;
    let failed = captured.failure.as_ref().map(|failure| match failure {
        ProcessError::OutputLimit { .. } => "obligation/output-limit",
        ProcessError::LimitExceeded(_) => "obligation/resource",
        // A rule that cannot be held here is not taken for held: nothing was started.
        ProcessError::NetworkNotClosed { .. } => "policy/network-denied",
        failure if failure.kind() == lonis::ErrorKind::Timeout => "obligation/timeout",
        _ => "obligation/unavailable",
    });
    if failed.is_some() {
        return failed;
    }
    match captured.outcome.status {
        None => return Some("obligation/unavailable"),
        Some(status) if status.signal().is_some() => return Some("obligation/signal"),
        Some(status) if !obligation.expected_exit.contains(&status.code()) => {
            return Some("obligation/exit-status");
        }
        Some(_) => {}
    }
    (!mutated.is_empty()).then_some("obligation/mutated-snapshot")
}

/// The identity of the environment that an obligation saw.
fn digest(values: &BTreeMap<&str, Option<String>>) -> Identity {
    Identity::of(Domain::Environment, &canonical_bytes(values))
}
