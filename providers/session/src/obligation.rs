//! Running obligations: each in the session's own copy of the tree, under hard bounds, in the order of the policy.

mod attempt;
mod command;
mod fault;
pub mod ground;
mod place;
mod redaction;
mod running;
mod tool;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::evidence::reuse::Circumstances;
use crate::evidence::{Kind, ObligationResult, RanTool};
use crate::identity::{Domain, Identity, canonical_bytes};
use crate::path::WorkspacePath;
use crate::policy::{Obligation, Policy};
use crate::program_hash::ProgramHashes;
use crate::registry::Registry;
use crate::snapshot::live::LiveTree;
use crate::snapshot::materialise::WorkspaceError;
use crate::store::disk::Disk;
use crate::store::layout::transaction;
use crate::store::objects::ObjectMap;
use crate::store::stored::StoredObjects;
pub use fault::Fault;
use ground::{Ground, Grounds};
use place::Place;
use redaction::Redaction;

/// What a run needs beside the obligations.
pub struct Site<'a> {
    /// The live tree, from which unchanged files may be cloned.
    pub live: &'a LiveTree,
    /// The disk of the store.
    pub disk: &'a dyn Disk,
    /// The objects of the snapshot.
    pub store: &'a StoredObjects<'a>,
    /// The session.
    pub session: &'a str,
    /// The snapshot that the session began from.
    pub base: &'a Identity,
    /// What can be mounted for runs.
    pub grounds: &'a Grounds,
    /// The tools that obligations may call.
    pub registry: &'a Registry,
    /// What is known of programs.
    pub hashes: &'a ProgramHashes,
    /// Finds a passed result that may be taken over.
    pub past: &'a dyn Past,
    /// Is told how far the run is.
    pub tell: &'a Tell<'a>,
}

impl fmt::Debug for Site<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Site")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// Whoever is told how far a run is.
pub type Tell<'a> = dyn Fn(&Progress<'_>) + 'a;

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The obligation.
    pub name: &'a str,
    /// Its place among those that are asked for, from 1.
    pub number: usize,
    /// How many are asked for.
    pub count: usize,
    /// What it showed; `None` as it starts.
    pub ended: Option<&'a ObligationResult>,
}

/// Results of runs before this one.
pub trait Past {
    /// A passed result of an obligation whose key on a snapshot is equal, and the evidence of the run that made it.
    fn find(
        &self,
        obligation: &Obligation,
        snapshot: &Identity,
        circumstances: &Circumstances,
    ) -> Option<(ObligationResult, Identity)>;
}

/// What is asked of a run.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Names of obligations; `None` for all.
    pub only: Option<&'a [String]>,
    /// Whether scratch is emptied first, and nothing taken over.
    pub fresh: bool,
}

/// What a run showed, and the outputs that have to be stored with it.
#[derive(Debug, Default)]
pub struct Ran {
    /// One for each obligation.
    pub results: Vec<ObligationResult>,
    /// Why those failed that did, by name of the obligation.
    pub faults: BTreeMap<String, Fault>,
    /// The outputs.
    pub objects: ObjectMap,
    /// Links that lead out of the tree, and are not in the workspace.
    pub left_out: Vec<WorkspacePath>,
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// What runs the obligations failed itself (`session/obligation-error`).
    #[error("obligation `{name}` could not be run to its end: {reason}")]
    Runner {
        /// The obligation.
        name: String,
        /// What failed.
        reason: String,
    },
}

/// Runs obligations on a snapshot; all run, also after a failure.
///
/// # Errors
/// A workspace that cannot be had, or a failure of the runner. What an obligation does is a result, not an error.
pub fn run(
    site: &Site<'_>,
    policy: &Policy,
    snapshot: &Identity,
    asked: Asked<'_>,
) -> Result<Ran, RunError> {
    let obligations: Vec<&Obligation> = policy
        .obligations
        .iter()
        .filter(|obligation| {
            asked
                .only
                .is_none_or(|only| only.contains(&obligation.name))
        })
        .collect();
    let mut run = Run {
        site,
        policy,
        snapshot,
        is_fresh: asked.fresh,
        has_tools: obligations
            .iter()
            .any(|obligation| obligation.tool.is_some()),
        ground: None,
        redaction: Redaction::new(&policy.redact),
        ran: Ran::default(),
    };
    for (index, obligation) in obligations.iter().enumerate() {
        let progress = |ended| Progress {
            name: &obligation.name,
            number: index + 1,
            count: obligations.len(),
            ended,
        };
        (site.tell)(&progress(None));
        let result = run.one(obligation)?;
        (site.tell)(&progress(Some(&result)));
        run.ran.results.push(result);
    }
    if let Some(ground) = &run.ground {
        ground.check()?;
    }
    Ok(run.ran)
}

/// A run under way.
struct Run<'a> {
    site: &'a Site<'a>,
    policy: &'a Policy,
    snapshot: &'a Identity,
    is_fresh: bool,
    /// Whether any of the obligations is a tool.
    has_tools: bool,
    /// Made when the first obligation needs it.
    ground: Option<Ground<'a>>,
    redaction: Redaction,
    ran: Ran,
}

impl<'a> Run<'a> {
    fn one(&mut self, obligation: &Obligation) -> Result<ObligationResult, RunError> {
        let root = workspace_of(self.site);
        let may_reuse = obligation.reuse && !self.is_fresh;
        // A program of the tree can only be looked at where it stands.
        let mut of_tree = None;
        if !may_reuse || command::is_of_tree(obligation) {
            let ground = self.make_ready()?;
            of_tree = command::of_tree(obligation).map(|path| ground.outside(path));
        }
        let environment = place::environment(obligation);
        let prepared = Prepared::of(self.site, obligation, of_tree.as_deref());
        if may_reuse && let Some(taken) = self.taken_over(obligation, &prepared, &environment) {
            return Ok(taken);
        }
        let ground = self.make_ready()?;
        let (placement, view) = (ground.placement(), ground.view());
        let temporary = environment.get("TMPDIR").map(OsString::as_os_str);
        let confinement = ground.confinement(temporary);
        let is_filled = |path: &WorkspacePath| is_filled(&ground.outside(path.as_str()));
        let is_warm = obligation.scratch.iter().any(is_filled);
        ground.begin_run()?;
        let place = Place {
            root: &root,
            placement,
            view,
            confinement,
            of_tree,
            redaction: &self.redaction,
        };
        let attempt = match prepared {
            Prepared::Command(ran) => command::run(&place, obligation, &environment, ran),
            Prepared::Tool(hosted) => tool::call(&place, obligation, &environment, *hosted),
            Prepared::Refused(ran, fault) => Ok(attempt::Attempt::refused(ran, fault)),
        };
        let ground = self.ground.as_mut().expect("it was made ready above");
        let mutated = ground.end_run()?;
        let attempt = attempt.map_err(|reason| RunError::Runner {
            name: obligation.name.clone(),
            reason,
        })?;
        let seen = attempt::Seen {
            environment: &environment,
            mutated: &mutated,
            is_warm,
        };
        Ok(place.result(obligation, attempt, &seen, &mut self.ran))
    }

    /// Brings the workspace to the snapshot, where it is not there already.
    fn make_ready(&mut self) -> Result<&mut Ground<'a>, WorkspaceError> {
        if self.ground.is_none() {
            let scratch: Vec<_> = self
                .policy
                .obligations
                .iter()
                .flat_map(|obligation| obligation.scratch.iter().cloned())
                .collect();
            let opened = Ground::open(self.site, &scratch, self.has_tools, self.is_fresh)?;
            self.ground = Some(opened);
        }
        let ground = self.ground.as_mut().expect("it was opened above");
        if let Some(left_out) = ground.make_ready(self.site, self.snapshot)? {
            self.ran.left_out = left_out;
        }
        Ok(ground)
    }

    /// A passed result of an earlier run whose key is equal; its outputs are in the store already.
    fn taken_over(
        &self,
        obligation: &Obligation,
        prepared: &Prepared,
        environment: &place::Variables,
    ) -> Option<ObligationResult> {
        let circumstances = Circumstances {
            declaration: obligation.declaration(),
            tool: prepared.ran().clone(),
            limits: obligation.shown_limits(),
            env_digest: self.redaction.digest(environment),
        };
        // What cannot be named exactly is not the same as anything.
        circumstances.tool.blake3.as_ref()?;
        let past = self.site.past;
        let (mut result, origin) = past.find(obligation, self.snapshot, &circumstances)?;
        result.reused_from = Some(origin);
        result.duration_micros = 0;
        result.scratch.warm = false;
        Some(result)
    }
}

/// What will run for an obligation.
enum Prepared {
    Command(RanTool),
    Tool(Box<crate::registry::Hosted>),
    /// Nothing will, for a reason that is its result.
    Refused(RanTool, Fault),
}

impl Prepared {
    fn of(site: &Site<'_>, obligation: &Obligation, of_tree: Option<&Path>) -> Self {
        match &obligation.tool {
            None => Self::Command(command::ran(site.hashes, obligation, of_tree)),
            Some(id) => match tool::find(site, obligation, id) {
                Ok(hosted) => Self::Tool(Box::new(hosted)),
                Err(fault) => {
                    let name = id.clone();
                    let ran = RanTool {
                        name,
                        ..RanTool::default()
                    };
                    Self::Refused(ran, fault)
                }
            },
        }
    }

    fn ran(&self) -> &RanTool {
        match self {
            Self::Tool(hosted) => &hosted.ran,
            Self::Command(ran) | Self::Refused(ran, _) => ran,
        }
    }
}

/// Where the workspace of a session stands, for those who see it.
fn workspace_of(site: &Site<'_>) -> PathBuf {
    let directory = site.live.path().join(transaction(site.session));
    directory.join("workspace")
}

/// Whether anything lies in a directory.
fn is_filled(folder: &Path) -> bool {
    folder
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
}

/// What an obligation is.
fn kind(obligation: &Obligation) -> Kind {
    if obligation.argv.is_some() {
        Kind::Command
    } else {
        Kind::Tool
    }
}

/// The time that something took, as results hold it.
fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The identity of the environment that an obligation saw.
fn digest(values: &BTreeMap<&str, Option<String>>) -> Identity {
    Identity::of(Domain::Environment, &canonical_bytes(values))
}
