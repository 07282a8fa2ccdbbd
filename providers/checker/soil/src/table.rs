//! A table indexed by names.

use crate::syntax::Name;

/// A value for some of the names of a [`Names`](crate::syntax::Names), found by index.
///
/// Grows with the names that have a value; asking for a younger name gives none.
#[derive(Clone, Debug)]
pub(crate) struct ByName<T> {
    values: Vec<Option<T>>,
}

impl<T: Copy> ByName<T> {
    /// Makes a table without values.
    pub(crate) const fn new() -> Self {
        let values = Vec::new();
        Self { values }
    }

    /// Gives the value of a name.
    pub(crate) fn get(&self, name: Name) -> Option<T> {
        self.values.get(name.index()).copied().flatten()
    }

    /// Sets or clears the value of a name, and gives the one before.
    pub(crate) fn set(&mut self, name: Name, value: Option<T>) -> Option<T> {
        let index = name.index();
        if index >= self.values.len() {
            self.values.resize(index + 1, None);
        }
        std::mem::replace(&mut self.values[index], value)
    }
}

impl<T> Default for ByName<T> {
    fn default() -> Self {
        let values = Vec::new();
        Self { values }
    }
}
