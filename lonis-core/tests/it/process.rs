//! Running other programs: what misbehaves, and what must hold all the same.

mod collected;
mod pulled;
mod support;
