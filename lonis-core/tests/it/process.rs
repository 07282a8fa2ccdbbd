//! Running other programs: what misbehaves, and what must hold all the same.

mod backends;
mod bounds;
mod collected;
mod confined;
mod hostile;
mod hosts;
mod launched;
mod pulled;
mod start;
mod supervised;
pub(crate) mod support;
mod tree;
