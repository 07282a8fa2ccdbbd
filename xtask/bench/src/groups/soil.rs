//! The language of the checker: reading, checking and running, beside `CPython`, `ruff` and `pyrefly` on comparable work.
//!
//! Work within a process counts the CPU time of its thread; that of `CPython` is what it says of its own, without its start.

mod checking;
mod generated;
mod outside;
mod running;

use crate::case::Case;
use crate::kit::Kit;
use crate::report::Fact;
pub(crate) use checking::check_generated;
pub(super) use generated::{definition, spec};

pub(super) fn cases(kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let mut cases = checking::cases();
    cases.extend(running::cases(absent));
    cases.extend(outside::cases(kit, absent));
    cases
}

pub(super) fn facts(_kit: &Kit) -> Result<Vec<Fact>, String> {
    checking::facts()
}
