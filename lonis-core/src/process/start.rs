//! The start of a call: what cannot be held is refused, then folders, pipes and child come into being.

mod isolate;
mod namespaces;
mod refusal;
mod rules;

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lonis_spawn::{ChildSignal, Request, Signal, SpawnError, Step};
use rustix::io::Errno;

use crate::limits::{Bound, Limits};

use super::bounds;
use super::cancel::CancelToken;
use super::child::Child;
use super::child_ends::ChildEnds;
use super::clock::Moment;
use super::confinement::ConfinementReport;
use super::control::{Control, Parts};
use super::environment::Environment;
use super::failure::ProcessError;
use super::folders::Folders;
use super::job::Job;
use super::launched::{Launched, Reports};
use super::launcher;
use super::leader::Leader;
use super::machine::{Machine, Rules};
use super::outcome::{Backend, Containment, HostDeath, Level, Outcome};
use super::pipes::{Ends, Pipes, Primed};
use super::portable::{self, Order};
use super::program::{Prepared, c_path};
use super::sampler::Sampler;
use super::starts::{self, Suspects};
use super::tree::control_group::ControlGroup;
use super::tree::{Tree, Usable};
use super::view::View;
use super::wait;
use rules::Rules as Confining;

/// Waits between attempts to execute a file that somebody is still writing to, such as a fork of a sibling thread.
const BUSY_WAITS_MILLIS: [u64; 5] = [1, 2, 5, 10, 20];

/// A call whose child runs.
pub(crate) struct Begun {
    pub(crate) control: Control,
    pub(crate) stdin: Primed,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Starts a call; with `tied` its leader ends when the calling thread does.
pub(crate) fn begin(job: &Job, tied: bool) -> Result<Begun, ProcessError> {
    if job.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
        return Err(ProcessError::Cancelled);
    }
    if lonis_spawn::child_signal() == ChildSignal::Ignored {
        return Err(ProcessError::StatusLost);
    }
    let program = &job.program;
    let needs_folders = program.has_private_directory() || program.has_base_environment();
    bounds::refuse_unheld(&job.limits, program.backend(), needs_folders)?;
    namespaces::refuse_unheld(program)?;
    let prepared = program.prepare()?;
    let now = Moment::now();
    let folders = needs_folders
        .then(|| Folders::create(program.temporary(), program.has_base_environment()))
        .transpose()?;
    let pipes = Pipes::new().map_err(|error| refusal::of_resource(error, None))?;
    let Ends {
        stdin,
        stdout,
        stderr,
    } = pipes.ours;
    // The other backends set limits only just after the start, and the tool is not to work before that.
    let stdin = match program.backend() {
        Backend::Clone3 => Primed::new(stdin, &job.input).map_err(ProcessError::System)?,
        _ => Primed::held_back(stdin),
    };
    let theirs = ChildEnds::new(pipes.theirs);
    let start = Start {
        job,
        prepared: &prepared,
        folders: folders.as_ref(),
        stdio: &theirs,
        tied,
        rules: Confining::build(program, folders.as_ref().map(Folders::root))?,
        is_network_closed: Cell::new(false),
    };
    let (child, tree) = start.child()?;
    let confinement = start.rules.report(program, start.is_network_closed.get());
    // From here on no other start can copy what the tool writes to.
    drop(theirs);
    let suspects = Suspects::present();
    let outcome = outcome(job, tied, child.backend(), &tree, confinement);
    let rules = rules(&job.limits);
    if let Some(token) = &job.cancel {
        token.count_grace(rules.kill_grace);
    }
    let machine = Machine::new(rules, now);
    let sampler = Sampler::new(&job.limits, folders.as_ref().map(Folders::root), now);
    let parts = Parts {
        machine,
        child,
        tree,
        sampler,
        folders,
        suspects,
        outcome,
    };
    Ok(Begun {
        control: Control::new(parts),
        stdin,
        stdout,
        stderr,
    })
}

/// The record of a call that has begun.
fn outcome(
    job: &Job,
    tied: bool,
    backend: Backend,
    tree: &Tree,
    confinement: Option<ConfinementReport>,
) -> Outcome {
    // The other ways to start a child cannot tie it to its host before it runs.
    let is_tied = tied && backend == Backend::Clone3;
    let host_death = if is_tied {
        HostDeath::Leader
    } else {
        HostDeath::None
    };
    Outcome {
        backend: Some(backend),
        containment: Some(contained(
            tree.containment(host_death),
            confinement.as_ref(),
        )),
        notes: unenforced(confinement.as_ref()).into_iter().collect(),
        confinement,
        bounds: bounds::held(&job.limits, backend, tree),
        environment: isolate::variable_names(&job.program),
        ..Outcome::default()
    }
}

/// What a child is started with.
struct Start<'a> {
    job: &'a Job,
    prepared: &'a Prepared,
    folders: Option<&'a Folders>,
    stdio: &'a Ends,
    tied: bool,
    rules: Confining,
    /// Whether the child started where there is no network.
    is_network_closed: Cell<bool>,
}

impl Start<'_> {
    /// Starts the child in the best tree that can be had.
    fn child(&self) -> Result<(Child, Tree), ProcessError> {
        let _under_way = starts::Start::begin();
        let program = &self.job.program;
        let mut usable = Usable::ALL;
        let (leader, mut tree) = loop {
            let tree = Tree::choose(program, &self.job.limits, usable)?;
            if program.backend() == Backend::Portable {
                break (self.spawn_portably()?, tree);
            }
            match self.spawn(&tree)? {
                Ok(leader) => break (leader, tree),
                // A mechanism is there when using it has worked: this one has not, so the next one is taken.
                Err(failure) if tree.control_group().is_some() && is_about_trees(failure) => {
                    usable.control_group = false;
                }
                Err(failure) if tree.has_namespace() && is_about_trees(failure) => {
                    usable.pid_namespace = false;
                }
                Err(failure) => return Err(self.explain(failure)),
            }
        };
        let child = Child::new(leader);
        tree.begun(&child, self.folders.map(Folders::root));
        Ok((child, tree))
    }

    fn spawn(&self, tree: &Tree) -> Result<Result<Leader, SpawnError>, ProcessError> {
        let private = self
            .private_directory()
            .map(|path| c_path(&path))
            .transpose()?;
        let environment = self
            .environment()
            .map(|environment| isolate::c_environment(&environment));
        let environment = environment.transpose()?;
        let stdio = self.stdio;
        let mut request = Request::new(
            stdio.stdin.as_fd(),
            stdio.stdout.as_fd(),
            stdio.stderr.as_fd(),
        );
        request.directory = self.prepared.directory.as_deref().or(private.as_deref());
        request.environment = environment.as_ref();
        request.control_group = tree.control_group().map(ControlGroup::folder);
        request.parent_death = self.tied.then_some(Signal::KILL);
        let isolation = isolate::isolation(&self.job.program, &self.job.limits);
        request.isolation = Some(&isolation);
        request.ruleset = self.rules.ruleset().map(AsFd::as_fd);
        let view = self.job.program.view().map(View::translate).transpose()?;
        request.view = view.as_ref();
        let reports = match tree.has_namespace().then(Reports::new).transpose() {
            Ok(reports) => reports,
            Err(failure) => return Ok(Err(failure)),
        };
        request.report = reports.as_ref().map(Reports::theirs);
        let spawn = |request: &Request<'_>| {
            let attempt = || match &reports {
                Some(reports) => self.launch(request, reports),
                None => lonis_spawn::spawn(&self.prepared.plan, request).map(Leader::Spawned),
            };
            unless_busy(attempt, |failure| is_busy(*failure))
        };
        let result =
            namespaces::within(&self.job.program, tree.has_namespace(), &mut request, spawn);
        self.is_network_closed
            .set(namespaces::is_network_closed(&request));
        if let Err(failure) = &result
            && failure.step() == Step::OomScore
        {
            // The score is a courtesy to the rest of the machine; without it the tool runs as well.
            let mut unscored = isolation.clone();
            unscored.oom_score = None;
            request.isolation = Some(&unscored);
            return Ok(spawn(&request));
        }
        Ok(result)
    }

    /// Starts the program through the launcher.
    fn launch(&self, request: &Request<'_>, reports: &Reports) -> Result<Leader, SpawnError> {
        let launcher = launcher::named().expect("a tree has a namespace where there is a launcher");
        let plan = self.prepared.launched_by(launcher, &self.job.program);
        let started =
            lonis_spawn::spawn(plan, request).map_err(|failure| match failure.step() {
                // It is the launcher that was not executed, and the tool may be without fault.
                Step::Exec => SpawnError::new(Step::Start, failure.errno()),
                _ => failure,
            })?;
        Launched::confirm(started, reports).map(Leader::Launched)
    }

    fn spawn_portably(&self) -> Result<Leader, ProcessError> {
        let program = &self.job.program;
        let private = self.private_directory();
        let environment = self.environment();
        let order = Order {
            program: &self.prepared.program,
            arguments: program.arguments(),
            environment: environment.as_ref().unwrap_or(program.environment()),
            directory: program.directory().or(private.as_deref()),
        };
        let is_busy = |error: &io::Error| error.kind() == io::ErrorKind::ExecutableFileBusy;
        unless_busy(|| portable::spawn(&order, self.stdio), is_busy)
            .map(Leader::Portable)
            .map_err(|error| refusal::of_portable_start(&error, order.program, order.directory))
    }

    fn private_directory(&self) -> Option<PathBuf> {
        let folders = self
            .folders
            .filter(|_| self.job.program.has_private_directory());
        folders.map(Folders::working)
    }

    /// Returns the environment of this call, if it differs from that of the program.
    fn environment(&self) -> Option<Environment> {
        let program = &self.job.program;
        let folders = self.folders.filter(|_| program.has_base_environment());
        folders.map(|folders| isolate::environment_with(program, folders))
    }

    fn explain(&self, failure: SpawnError) -> ProcessError {
        if let Some(error) = namespaces::explain(&self.job.program, failure) {
            return error;
        }
        let configured = self.job.program.directory().map(Path::to_owned);
        let directory = configured.or_else(|| self.private_directory());
        refusal::of_start(failure, &self.prepared.program, directory)
    }
}

/// The level of a call: with rules in force it is more than that of its tree.
fn contained(tree: Containment, confinement: Option<&ConfinementReport>) -> Containment {
    let is_confined = confinement.is_some_and(|report| !report.enforced.is_empty());
    match tree.level {
        Level::Tree if is_confined => Containment {
            level: Level::Sandbox,
            ..tree
        },
        _ => tree,
    }
}

/// What is said where rules are not in force: nobody is to take a tool for held that is not.
fn unenforced(confinement: Option<&ConfinementReport>) -> Option<String> {
    let parts = confinement.map(|report| report.unenforced.as_slice())?;
    let words: Vec<&str> = parts.iter().map(|part| part.word()).collect();
    (!words.is_empty()).then(|| {
        let words = words.join(", ");
        format!("the sandbox does not hold here: {words}")
    })
}

/// Tries again, a few times and for a short while, as long as somebody is writing to the program.
fn unless_busy<T, E>(
    attempt: impl Fn() -> Result<T, E>,
    is_busy: impl Fn(&E) -> bool,
) -> Result<T, E> {
    for millis in BUSY_WAITS_MILLIS {
        match attempt() {
            Err(error) if is_busy(&error) => wait::pause(Duration::from_millis(millis)),
            result => return result,
        }
    }
    attempt()
}

fn is_busy(failure: SpawnError) -> bool {
    failure.step() == Step::Exec && failure.errno() == Errno::TXTBSY.raw_os_error()
}

/// Tells whether a start failed for a reason that goes away without a control group or process numbers of its own.
fn is_about_trees(failure: SpawnError) -> bool {
    let short_of_something = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    let errno = Errno::from_raw_os_error(failure.errno());
    matches!(failure.step(), Step::Start | Step::IdentityMap)
        && !short_of_something.contains(&errno)
}

fn rules(limits: &Limits) -> Rules {
    let time = |bound| limits.value(bound).map(Duration::from_millis);
    Rules {
        timeout: time(Bound::TimeoutMillis).unwrap_or(Duration::MAX),
        ceiling: time(Bound::MaxWallMillis),
        kill_grace: time(Bound::KillGraceMillis).unwrap_or_default(),
        drain_grace: time(Bound::DrainGraceMillis).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
