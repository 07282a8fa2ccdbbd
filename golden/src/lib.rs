//! Loads the golden files that tests read, and writes them anew when `LONIS_BLESS=1` says so.
//!
//! A family is a folder `golden/<family>/v1`; a case is a `.json` file in it. `hashes.json` pins what the cases hash to
//! and is no case itself. Files of a released version never change: a new rule is a new version of the family.

mod case;
mod family;

pub use case::Case;
pub use family::Family;
