//! What a child is cut off from, and the environment that it gets.

use std::ffi::OsString;
use std::fs;
use std::sync::OnceLock;

use lonis_spawn::{CStrings, Isolation, Limit, Resource};

use crate::limits::{Bound, Limits};

use super::super::descriptors;
use super::super::environment::Environment;
use super::super::failure::ProcessError;
use super::super::folders::Folders;
use super::super::program::Program;

/// How readily the kernel ends a tool when memory is short, at least: a host that is spared makes no spared tools.
const LEAST_OOM_SCORE: i16 = 500;

/// Returns the isolation of a child, with the limits that the kernel holds for each process.
pub(super) fn isolation(program: &Program, limits: &Limits) -> Isolation {
    let mut isolation = program.isolation();
    isolation.oom_score = raised_oom_score();
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
    if limits.value(Bound::MaxOpenFiles).is_none()
        && let Some(soft) = descriptors::limit_before()
    {
        // Programs that wait by old means break above it, and those that close everything crawl.
        isolation
            .limits
            .push(Limit::soft(Resource::OpenFiles, soft));
    }
    if let Some(millis) = limits.value(Bound::MaxCpuMillis) {
        // A backstop behind the samples: it counts whole seconds, and each process by itself.
        let seconds = millis.div_ceil(1_000) + 1;
        isolation
            .limits
            .push(Limit::at_most(Resource::CpuSeconds, seconds));
    }
    isolation
}

/// Returns the score of children, if this process's own is lower.
fn raised_oom_score() -> Option<i16> {
    static OWN: OnceLock<Option<i16>> = OnceLock::new();
    let read = || {
        fs::read_to_string("/proc/self/oom_score_adj")
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    let own = (*OWN.get_or_init(read))?;
    (own < LEAST_OOM_SCORE).then_some(LEAST_OOM_SCORE)
}

/// Returns a program's environment with the variables that name a call's private folders.
pub(super) fn environment_with(program: &Program, folders: &Folders) -> Environment {
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

/// Returns an environment as the system takes it.
pub(super) fn c_environment(environment: &Environment) -> Result<CStrings, ProcessError> {
    // A program's own variables were checked when it was prepared; the paths of folders come from the host.
    CStrings::new(environment.assignments()).map_err(|_| ProcessError::Unusable {
        what: "the path of a private folder".to_owned(),
        reason: "a zero byte is in it",
    })
}

/// Returns the names of all variables of a child.
pub(super) fn variable_names(program: &Program) -> Vec<OsString> {
    let mut names: Vec<_> = program.environment().names().cloned().collect();
    if program.has_base_environment() {
        for name in Folders::VARIABLES {
            if !names.iter().any(|known| known == name) {
                names.push(name.into());
            }
        }
    }
    names
}
