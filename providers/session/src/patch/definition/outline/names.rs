//! The names of a definition, from the outermost: each holds its own name and shares those around it.
//!
//! A path of its own for each definition would cost the square of how deep a file is nested.

use std::fmt;
use std::sync::Arc;

/// How many names lie in each other at most: a target has no more, so that deeper ones could not be named.
pub(crate) const MAX_NAMES: usize = 64;

/// Names of a definition, at least one and at most 64.
#[derive(Clone)]
pub struct Names(Arc<Level>);

struct Level {
    around: Option<Names>,
    name: Box<str>,
    count: usize,
}

impl Names {
    /// A name below those of a definition; none where that is as deep as names lie.
    pub(super) fn below(around: Option<&Self>, name: &str) -> Option<Self> {
        let count = around.map_or(0, Self::count) + 1;
        let level = Level {
            around: around.cloned(),
            name: name.into(),
            count,
        };
        (count <= MAX_NAMES).then(|| Self(Arc::new(level)))
    }

    /// Names in a list; none for no name or too many.
    pub(crate) fn of(list: &[String]) -> Option<Self> {
        list.iter()
            .try_fold(None, |around, name| {
                Self::below(Option::as_ref(&around), name).map(Some)
            })
            .flatten()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.count
    }

    /// The innermost.
    pub fn last(&self) -> &str {
        &self.0.name
    }

    /// Those of the definition around.
    pub fn around(&self) -> Option<&Self> {
        self.0.around.as_ref()
    }

    /// The innermost first.
    fn inward(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(self), |names| names.around()).map(Self::last)
    }

    /// From the outermost, each with its own text.
    pub fn to_vec(&self) -> Vec<String> {
        let mut names: Vec<String> = self.inward().map(str::to_owned).collect();
        names.reverse();
        names
    }

    /// Whether they are these names.
    pub(crate) fn is(&self, names: &[String]) -> bool {
        self.count() == names.len() && self.inward().eq(names.iter().rev().map(String::as_str))
    }

    /// Whether others start with these: those of the definition itself, and of all in it.
    pub(crate) fn holds(&self, other: Option<&Self>) -> bool {
        let mut outward = std::iter::successors(other, |names| names.around());
        outward
            .find(|names| names.count() <= self.count())
            .is_some_and(|names| names == self)
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        let (mut left, mut right) = (Some(self), Some(other));
        while let (Some(one), Some(two)) = (left, right) {
            // Definitions side by side share what is around them.
            if Arc::ptr_eq(&one.0, &two.0) {
                return true;
            }
            if one.count() != two.count() || one.last() != two.last() {
                return false;
            }
            (left, right) = (one.around(), two.around());
        }
        left.is_none() && right.is_none()
    }
}

impl Eq for Names {}

impl fmt::Display for Names {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_vec().join(" > "))
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.to_vec()).finish()
    }
}
