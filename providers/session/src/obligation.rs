//! Running obligations: each in the session's own copy of the tree, under hard bounds, in the order of the policy.

mod attempt;
mod command;
mod fault;
mod place;
mod redaction;
mod running;
mod tool;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::evidence::reuse::Circumstances;
use crate::evidence::{Kind, ObligationResult, RanTool};
use crate::identity::{Domain, Identity, canonical_bytes};
use crate::path::WorkspacePath;
use crate::policy::{Obligation, Policy};
use crate::program_hash::ProgramHashes;
use crate::registry::Registry;
use crate::snapshot::live::LiveTree;
use crate::snapshot::materialise::{Placement, Workspace, WorkspaceError};
use crate::snapshot::stat_cache::StatCache;
use crate::store::disk::Disk;
use crate::store::layout::transaction;
use crate::store::objects::ObjectMap;
use crate::store::stored::StoredObjects;
pub use fault::Fault;
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
        workspace: None,
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
    Ok(run.ran)
}

/// A run under way.
struct Run<'a> {
    site: &'a Site<'a>,
    policy: &'a Policy,
    snapshot: &'a Identity,
    is_fresh: bool,
    /// Made when the first obligation needs it.
    workspace: Option<Held<'a>>,
    redaction: Redaction,
    ran: Ran,
}

/// The workspace of a run.
struct Held<'a> {
    workspace: Workspace<'a>,
    placement: Placement,
    /// Whether it is at the snapshot, with nothing left of the obligation before.
    is_ready: bool,
}

impl<'a> Run<'a> {
    fn one(&mut self, obligation: &Obligation) -> Result<ObligationResult, RunError> {
        let root = self
            .site
            .live
            .path()
            .join(transaction(self.site.session))
            .join("workspace");
        let may_reuse = obligation.reuse && !self.is_fresh;
        // A program of the tree can only be looked at where it stands.
        if !may_reuse || command::is_of_tree(obligation) {
            self.make_ready()?;
        }
        let environment = place::environment(obligation);
        let prepared = Prepared::of(self.site, obligation, &root);
        if may_reuse && let Some(taken) = self.taken_over(obligation, &prepared, &environment) {
            return Ok(taken);
        }
        let placement = self.make_ready()?;
        let place = Place {
            root: &root,
            placement,
            redaction: &self.redaction,
        };
        let is_warm = place.is_warm(obligation);
        let held = self
            .workspace
            .as_mut()
            .expect("the workspace was made ready above");
        held.is_ready = false;
        held.workspace.begin_run()?;
        let attempt = match prepared {
            Prepared::Command(ran) => command::run(&place, obligation, &environment, ran),
            Prepared::Tool(hosted) => tool::call(&place, obligation, &environment, *hosted),
            Prepared::Refused(ran, fault) => Ok(attempt::Attempt::refused(ran, fault)),
        };
        let mutated = held.workspace.end_run()?;
        held.is_ready = mutated.is_empty();
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
    fn make_ready(&mut self) -> Result<Placement, WorkspaceError> {
        if self.workspace.is_none() {
            self.workspace = Some(self.open()?);
        }
        let held = self.workspace.as_mut().expect("it was opened above");
        if !held.is_ready {
            let cache = StatCache::load(self.site.disk);
            let live = Some((self.site.live, &cache));
            let brought = held
                .workspace
                .bring_to(self.site.store, self.snapshot, live)?;
            // Later ones only put back what an obligation changed.
            if held.placement == Placement::Copy {
                held.placement = brought.placement;
            }
            held.is_ready = true;
            self.ran.left_out = brought.left_out;
        }
        Ok(held.placement)
    }

    fn open(&self) -> Result<Held<'a>, WorkspaceError> {
        let scratch: Vec<_> = self
            .policy
            .obligations
            .iter()
            .flat_map(|obligation| obligation.scratch.iter().cloned())
            .collect();
        let site = self.site;
        let open = || Workspace::open(site.live, site.disk, site.session, scratch.clone());
        let mut workspace = open()?;
        if self.is_fresh {
            workspace.clear()?;
            workspace = open()?;
        }
        Ok(Held {
            workspace,
            placement: Placement::Copy,
            is_ready: false,
        })
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
    fn of(site: &Site<'_>, obligation: &Obligation, root: &std::path::Path) -> Self {
        match &obligation.tool {
            None => Self::Command(command::ran(site.hashes, obligation, root)),
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
