//! Spawning on Linux: what is asked for ([`Plan`], [`Request`], [`Isolation`]), the two backends, and what comes of it.

mod backend;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod clone3;
mod inherited;
mod isolation;
mod landlock;
mod plan;
mod posix_spawn;
mod request;
mod spawn;
mod start;
mod started;
mod step;
mod view;

pub use self::{
    backend::Backend,
    inherited::inherited_report,
    isolation::{Group, Isolation, Limit, Namespaces, Resource},
    landlock::Ruleset,
    plan::{CStrings, Plan, PlanError},
    request::Request,
    spawn::spawn,
    started::{ReapError, Reaped, Started, Usage},
    step::{SpawnError, Step},
    view::{Mount, View},
};
