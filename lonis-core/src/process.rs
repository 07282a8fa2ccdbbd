//! Runs other programs under hard bounds: the one place that starts, signals or reaps a child.
//!
//! A [`Program`] says what is run; a [`Job`] is one run of it, to its end ([`Job::run`]), with its output handed out as it
//! is asked for ([`Job::start`]), or one of many ([`Pool`]). Every run has a deadline that covers start, input, output and
//! reap, caps on both outputs, an environment, directory and session of its own, and ends with everything that it
//! started. What became of it stands in its [`Outcome`], whether it succeeded or not.
//!
//! Nothing here knows what a tool prints: blocks and errors are made of it in `subprocess`. A call's decisions are in
//! `machine.rs`, their carrying out in `control.rs`, its bytes in `traffic.rs`; `live.rs` joins them, and who waits is
//! `poll_loop.rs` or, for calls that nobody drives, the supervisor.

mod bounds;
mod buffer;
mod cancel;
mod captured;
mod child;
mod child_ends;
mod clock;
mod confinement;
mod control;
mod descriptors;
mod ended;
mod environment;
mod failure;
mod folders;
mod input;
mod job;
mod launched;
mod launcher;
mod leader;
mod leftover;
mod live;
mod machine;
mod outcome;
mod owned;
mod pipes;
mod poll_loop;
mod pool;
mod portable;
mod proc;
mod program;
mod replace;
mod resolve;
mod run;
mod running;
mod sampler;
mod shared;
mod shown;
mod signal;
mod spawner;
mod start;
mod starts;
mod supervisor;
mod system_error;
mod traffic;
mod tree;
mod view;
mod wait;

pub use cancel::CancelToken;
pub use captured::Captured;
pub use confinement::{Confined, Confinement, ConfinementReport};
pub use descriptors::raise_descriptor_limit;
pub use failure::{ProcessError, StartPart, Unavailable, UnavailableReason};
pub use folders::finish_removals;
pub(crate) use input::Input;
pub use job::Job;
pub use launcher::{launch_if_asked, name_launcher};
/// Sets SIGCHLD back to its default, without which the end of a child cannot be learnt; for programs, not libraries.
pub use lonis_spawn::restore_child_signal;
/// Makes a write beyond the allowed size of a file an error of that write, not the end of the process; for programs, not
/// libraries.
pub use lonis_spawn::survive_file_size_signal;
pub use outcome::{
    Backend, BoundHeld, Breach, Containment, Enforcement, HostDeath, LeftBehind, LeftBehindReason,
    Level, Mechanism, Outcome, Status,
};
pub use pipes::Stream;
pub use pool::Pool;
pub(crate) use proc::computing_children;
pub use program::Program;
pub use replace::replace;
pub use run::run;
pub use running::Running;
pub use system_error::SystemError;
pub use tree::subreaper::{OtherChildren, adopt_orphans};
pub use view::View;
