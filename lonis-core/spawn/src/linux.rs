//! Spawning on Linux: what is asked for ([`Plan`], [`Request`], [`Isolation`]), the two backends, and what comes of it.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod clone3;
mod isolation;
mod landlock;
mod plan;
mod posix_spawn;
mod spawn;
mod started;
mod step;

pub use self::{
    isolation::{Group, Isolation, Limit, Namespaces, Resource},
    landlock::Ruleset,
    plan::{CStrings, Plan, PlanError},
    spawn::{Backend, Request, spawn},
    started::{ReapError, Reaped, Started, Usage},
    step::{SpawnError, Step},
};
