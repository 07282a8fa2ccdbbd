//! Running checked programs within bounds that are the same on every machine.
//!
//! [`Unit::compile`] turns the definitions of a [`Checked`](crate::check::Checked) program into code for registers;
//! a [`Machine`] runs it on a stack of its own, so that the host's stack does not grow with the program. Every node evaluated
//! takes fuel, every thing made takes cells, every waiting call a frame; what was reached first ends the run with the same
//! error everywhere. Nothing here touches the world but through the [`World`] that a caller hands in.

mod bounds;
mod code;
mod compile;
mod invoke;
mod machine;
mod prelude;
mod primitive;
mod raised;
mod signature;
mod world;

pub use bounds::Bounds;
pub use code::{Unfilled, Unit};
pub use invoke::{InvokeError, invoke};
pub use machine::Machine;
pub use raised::{Blame, RaiseKind, Raised};
pub use signature::{Border, border, parameters};
pub use world::{Capability, ReadFailure, World};

#[cfg(test)]
mod tests;
