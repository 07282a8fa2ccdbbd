//! Tests of definitions: cases, properties, and what can be said of them before anything runs.
//!
//! A [`Suite`] holds the cases of a bundle with their arguments read, and gives them as [`Question`]s to others;
//! [`run_property`] draws values for a property, shrinks what fails and tries again what failed before; [`preflight()`]
//! looks for specs that no body could meet. All of it is counted, so that the same inputs give the same report.

mod bundle;
mod difference;
mod preflight;
mod property;
mod question;
mod report;
mod spec;
mod suite;
mod vacuity;

pub use bundle::{Bundle, CaseArgument, CaseBind, Expectation, TestCase};
pub use difference::difference;
pub use preflight::preflight;
pub use property::{Counterexample, PropertyOptions, PropertyReport, run_property, seed_of};
pub use question::Question;
pub use report::{CaseReport, Details, Verdict, report};
pub use spec::{spec_cases, spec_guard, spec_invariants, spec_properties};
pub use suite::{Suite, SuiteError};
pub use vacuity::{unevaluated_clauses, unfalsified_clauses, unmet_premise};

/// The most fuel that all tests of one run take together.
///
/// # Units and bounds
/// Steps: 200 000 000. Tests beyond it fail as exhausted.
pub const MAX_RUN_FUEL: u64 = 200_000_000;

#[cfg(test)]
mod tests;
