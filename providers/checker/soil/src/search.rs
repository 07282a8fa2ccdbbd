//! Finding definitions by their type.
//!
//! A definition is found when it can be used where the type asked for is wanted, when its type is an instance of that one, when its
//! arguments come in another order, or when one more argument makes it fit. Only signatures are looked at, so a program
//! with mistakes in its bodies is searched like any other.

mod goal;
mod spine;

use crate::program::{DefinitionId, Program, Role};
use crate::types::store::Store;

pub use goal::{Goal, GoalError};
use spine::{fits_partly, fits_reordered};

/// The most definitions that are found.
///
/// # Units and bounds
/// 50; where there are more, [`Found::is_cut`] says so.
pub const MAX_MATCHES: usize = 50;

/// How the type of a definition matches, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// The same type up to the names of variables.
    Exact,
    /// One of both is an instance of the other.
    Instance,
    /// It fits when its arguments come in another order.
    Reordered,
    /// It fits once it has one more argument.
    Partial,
}

impl How {
    /// Gives the word that stands in a document.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Instance => "instance",
            Self::Reordered => "reordered",
            Self::Partial => "partial",
        }
    }
}

/// A definition that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// The definition.
    pub id: DefinitionId,
    /// How its type matches.
    pub how: How,
}

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The definitions, best first, and in program order where they match equally well.
    pub matches: Vec<Match>,
    /// Whether there were more than asked for.
    pub is_cut: bool,
}

/// Finds the definitions of a program whose type matches, at most `limit`.
pub fn search(program: &Program, goal: &Goal, limit: usize) -> Found {
    let mut store = Store::new();
    let definitions = program.definitions();
    let written =
        definitions.filter(|(_, definition)| program.files[definition.file].role == Role::Written);
    let found = written.filter_map(|(id, _)| {
        let how = judge(program, goal, id, &mut store)?;
        Some(Match { id, how })
    });
    let mut matches: Vec<Match> = found.collect();
    matches.sort_by_key(|found| found.how);
    let is_cut = matches.len() > limit;
    matches.truncate(limit);
    Found { matches, is_cut }
}

/// Gives the best way in which a definition matches.
fn judge(program: &Program, goal: &Goal, id: DefinitionId, store: &mut Store) -> Option<How> {
    let trial = Trial { program, goal, id };
    if trial.holds_error(store) {
        return None;
    }
    let is_usable = trial.is_usable(store);
    let is_instance = trial.is_instance(store);
    if is_instance && trial.is_general(store) {
        return Some(How::Exact);
    }
    if is_usable || is_instance {
        return Some(How::Instance);
    }
    if trial.fits(store, fits_reordered) {
        return Some(How::Reordered);
    }
    trial.fits(store, fits_partly).then_some(How::Partial)
}

/// One definition beside what is asked for; each question begins with an empty store.
struct Trial<'a> {
    program: &'a Program,
    goal: &'a Goal,
    id: DefinitionId,
}
