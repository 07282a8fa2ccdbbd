//! The start of a call: what cannot be held is refused, then folders, pipes and child come into being.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lonis_spawn::{
    CStrings, ChildSignal, Isolation, Limit, Request, Resource, Signal, SpawnError, Step,
};
use rustix::io::Errno;

use crate::limits::{Bound, Limits};

use super::bounds;
use super::cancel::CancelToken;
use super::child::Child;
use super::clock::Moment;
use super::control::{Control, Parts};
use super::environment::Environment;
use super::failure::{ProcessError, StartPart};
use super::folders::Folders;
use super::job::Job;
use super::leader::Leader;
use super::machine::{Machine, Rules};
use super::outcome::{Backend, HostDeath, Outcome};
use super::pipes::{Ends, Pipes};
use super::portable::{self, Order};
use super::program::{Prepared, Program};
use super::resolve;
use super::sampler::Sampler;
use super::system_error::SystemError;
use super::tree::Tree;
use super::tree::control_group::ControlGroup;

/// Waits between attempts to execute a file that somebody is still writing to, such as a fork of a sibling thread.
const BUSY_WAITS_MILLIS: [u64; 5] = [1, 2, 5, 10, 20];

/// A call whose child runs.
pub(crate) struct Begun {
    pub(crate) control: Control,
    pub(crate) pipes: Ends,
}

/// Starts a call; with `tied` its leader ends when the calling thread does.
pub(crate) fn begin(job: &Job, tied: bool) -> Result<Begun, ProcessError> {
    if job.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
        return Err(ProcessError::Cancelled);
    }
    refuse_lost_status()?;
    let program = &job.program;
    let needs_folders = program.has_private_directory() || program.has_base_environment();
    bounds::refuse_unheld(&job.limits, program.backend(), needs_folders)?;
    let prepared = program.prepare()?;
    let now = Moment::now();
    let machine = Machine::new(rules(&job.limits), now);
    let folders = needs_folders
        .then(|| Folders::create(program.temporary(), program.has_base_environment()))
        .transpose()?;
    let pipes = Pipes::new().map_err(|error| refused_resource(error, None))?;
    let mut tree = Tree::choose(program, &job.limits)?;
    let leader = match program.backend() {
        Backend::Portable => spawn_portably(job, &prepared, folders.as_ref(), &pipes.theirs)?,
        _ => spawn(job, &prepared, folders.as_ref(), &tree, &pipes.theirs, tied)?,
    };
    let child = Child::new(leader);
    let tied = tied && child.backend() == Backend::Clone3;
    let folder = folders.as_ref().map(Folders::root);
    tree.begun(child.pid(), folder);
    let outcome = Outcome {
        backend: Some(child.backend()),
        containment: Some(tree.containment(if tied {
            HostDeath::Leader
        } else {
            HostDeath::None
        })),
        bounds: bounds::held(&job.limits, child.backend(), &tree),
        environment: variable_names(program),
        ..Outcome::default()
    };
    let sampler = Sampler::new(&job.limits, folder, now);
    let parts = Parts {
        machine,
        child,
        tree,
        sampler,
        folders,
        outcome,
    };
    Ok(Begun {
        control: Control::new(parts),
        pipes: pipes.ours,
    })
}

fn spawn(
    job: &Job,
    prepared: &Prepared,
    folders: Option<&Folders>,
    tree: &Tree,
    stdio: &Ends,
    tied: bool,
) -> Result<Leader, ProcessError> {
    let program = &job.program;
    let private = folders.filter(|_| program.has_private_directory());
    let private = private.map(Folders::working_c).transpose()?;
    let environment = folders.filter(|_| program.has_base_environment());
    let environment = environment
        .map(|folders| c_environment(&environment_with(program, folders), folders))
        .transpose()?;
    let isolation = isolation(program, &job.limits);
    let mut request = Request::new(
        stdio.stdin.as_fd(),
        stdio.stdout.as_fd(),
        stdio.stderr.as_fd(),
    );
    request.directory = prepared.directory.as_deref().or(private.as_deref());
    request.environment = environment.as_ref();
    request.isolation = Some(&isolation);
    request.control_group = tree.control_group().map(ControlGroup::folder);
    request.parent_death = tied.then_some(Signal::KILL);

    let is_busy = |error: &SpawnError| {
        error.step() == Step::Exec && error.errno() == Errno::TXTBSY.raw_os_error()
    };
    unless_busy(|| lonis_spawn::spawn(&prepared.plan, &request), is_busy)
        .map(Leader::Spawned)
        .map_err(|error| explain(error, prepared, request_path(&request)))
}

fn spawn_portably(
    job: &Job,
    prepared: &Prepared,
    folders: Option<&Folders>,
    stdio: &Ends,
) -> Result<Leader, ProcessError> {
    let program = &job.program;
    let private = folders.filter(|_| program.has_private_directory());
    let private = private.map(Folders::working);
    let folders = folders.filter(|_| program.has_base_environment());
    let environment = folders.map(|folders| environment_with(program, folders));
    let order = Order {
        program: &prepared.program,
        arguments: program.arguments(),
        environment: environment.as_ref().unwrap_or(program.environment()),
        directory: program.directory().or(private.as_deref()),
    };
    let is_busy = |error: &io::Error| error.kind() == io::ErrorKind::ExecutableFileBusy;
    unless_busy(|| portable::spawn(&order, stdio), is_busy)
        .map(Leader::Portable)
        .map_err(|error| explain_portable(&error, prepared, order.directory))
}

/// Tries again, a few times and for a short while, as long as somebody is writing to the program.
fn unless_busy<T, E>(
    attempt: impl Fn() -> Result<T, E>,
    is_busy: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let mut waits = BUSY_WAITS_MILLIS.into_iter();
    loop {
        match (attempt(), waits.next()) {
            (Err(error), Some(millis)) if is_busy(&error) => {
                super::wait::pause(Duration::from_millis(millis));
            }
            (result, _) => return result,
        }
    }
}

fn request_path(request: &Request<'_>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let directory = request.directory?;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(
        directory.to_bytes(),
    )))
}

/// Turns the step that failed into what a user can do something about.
fn explain(failure: SpawnError, prepared: &Prepared, directory: Option<PathBuf>) -> ProcessError {
    let error = SystemError::new(operation(failure.step()), failure.errno());
    match failure.step() {
        Step::Directory => ProcessError::Start {
            part: StartPart::WorkingDirectory,
            path: directory,
            error,
        },
        Step::Exec => refused_program(error, prepared),
        Step::Start => refused_resource(error, None),
        _ => ProcessError::Start {
            part: StartPart::Setting,
            path: None,
            error,
        },
    }
}

/// The library tells no step, so the directory is looked at before the program is blamed.
fn explain_portable(
    failure: &io::Error,
    prepared: &Prepared,
    directory: Option<&Path>,
) -> ProcessError {
    let errno = failure.raw_os_error().unwrap_or_default();
    let error = SystemError::new(operation(Step::Exec), errno);
    match directory {
        Some(path) if fs::metadata(path.join(".")).is_err() => ProcessError::Start {
            part: StartPart::WorkingDirectory,
            path: Some(path.to_owned()),
            error,
        },
        _ => refused_program(error, prepared),
    }
}

fn refused_program(error: SystemError, prepared: &Prepared) -> ProcessError {
    match resolve::diagnose(&prepared.program, error.errno()) {
        Some(unavailable) => ProcessError::Unavailable(unavailable),
        None => refused_resource(error, Some(prepared.program.clone())),
    }
}

/// Names the resource that an error number says is exhausted.
fn refused_resource(error: SystemError, path: Option<PathBuf>) -> ProcessError {
    let part = match Errno::from_raw_os_error(error.errno()) {
        Errno::TXTBSY => StartPart::TextBusy,
        Errno::TOOBIG => StartPart::ArgumentsTooLong,
        Errno::MFILE | Errno::NFILE => StartPart::TooManyFiles,
        Errno::AGAIN => StartPart::ProcessLimit,
        Errno::NOMEM => StartPart::OutOfMemory,
        _ => StartPart::Other,
    };
    ProcessError::Start { part, path, error }
}

const fn operation(step: Step) -> &'static str {
    match step {
        Step::Start => "start a process",
        Step::Signals | Step::Mask => "reset the signals of a process",
        Step::Group => "give a process its own group",
        Step::Stdio => "connect the pipes of a process",
        Step::ParentDeath => "tie a process to its host",
        Step::Descriptors => "close the descriptors of a process",
        Step::Directory => "enter the working directory",
        Step::OomScore => "set the out-of-memory score of a process",
        Step::Nice => "set the priority of a process",
        Step::Limits => "set the resource limits of a process",
        Step::NoNewPrivileges => "take new privileges from a process",
        Step::Landlock => "restrict a process",
        Step::Exec => "execute the program",
        _ => "start the program",
    }
}

fn refuse_lost_status() -> Result<(), ProcessError> {
    match lonis_spawn::child_signal() {
        ChildSignal::Ignored => Err(ProcessError::StatusLost),
        _ => Ok(()),
    }
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

fn isolation(program: &Program, limits: &Limits) -> Isolation {
    let mut isolation = program.isolation();
    for (bound, resource) in [
        (Bound::MaxFileBytes, Resource::FileBytes),
        (Bound::MaxOpenFiles, Resource::OpenFiles),
        (Bound::MaxAddressSpaceBytes, Resource::AddressSpaceBytes),
    ] {
        let limit = limits.value(bound);
        isolation
            .limits
            .extend(limit.map(|value| Limit::at_most(resource, value)));
    }
    if let Some(millis) = limits.value(Bound::MaxCpuMillis) {
        // A backstop behind the samples: it counts whole seconds, and each process by itself.
        isolation.limits.push(Limit::at_most(
            Resource::CpuSeconds,
            millis.div_ceil(1_000) + 1,
        ));
    }
    isolation
}

fn environment_with(program: &Program, folders: &Folders) -> Environment {
    let mut environment = Environment::default();
    for (name, value) in folders.variables() {
        environment.set(name, value);
    }
    // What was set for this program goes before what every program gets.
    for (name, value) in program.environment().iter() {
        environment.set(name, value);
    }
    environment
}

fn c_environment(environment: &Environment, folders: &Folders) -> Result<CStrings, ProcessError> {
    CStrings::new(environment.assignments()).map_err(|_| ProcessError::Unusable {
        what: format!("the path `{}`", folders.root().display()),
        reason: "a zero byte is in it",
    })
}

fn variable_names(program: &Program) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = program.environment().names().cloned().collect();
    if program.has_base_environment() {
        for name in ["HOME", "TMPDIR", "LANG"] {
            if !names.iter().any(|known| known == name) {
                names.push(name.into());
            }
        }
    }
    names
}
