//! How local names are written.

use crate::syntax::Name;

/// The numbers of the local binders in scope, or none where names are written as they are.
pub(super) struct Locals {
    /// For each name the number of the binder that it means here, or `GLOBAL`.
    numbers: Vec<u32>,
    /// What a name meant before the binder that now has it.
    outer: Vec<(Name, u32)>,
    next: u32,
}

/// The binders of an open construct.
#[derive(Clone, Copy)]
pub(super) struct Scope(usize);

impl Locals {
    const GLOBAL: u32 = u32::MAX;

    /// Writes names as they are.
    pub(super) fn named() -> Self {
        Self {
            numbers: Vec::new(),
            outer: Vec::new(),
            next: 0,
        }
    }

    /// Writes binders as numbers; for a table of so many names.
    pub(super) fn numbered(names: usize) -> Self {
        Self {
            numbers: vec![Self::GLOBAL; names],
            ..Self::named()
        }
    }

    /// Begins a construct whose binders follow.
    pub(super) fn open(&self) -> Scope {
        Scope(self.outer.len())
    }

    /// Takes the numbers for so many binders and gives the first.
    pub(super) fn claim(&mut self, count: usize) -> u32 {
        let first = self.next;
        self.next = first.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        first
    }

    /// Brings a binder that has a number into scope.
    pub(super) fn bind_as(&mut self, name: Name, number: u32) {
        if let Some(entry) = self.numbers.get_mut(name.index()) {
            self.outer.push((name, std::mem::replace(entry, number)));
        }
    }

    /// Numbers one binder and brings it into scope.
    pub(super) fn bind(&mut self, name: Name) {
        let number = self.claim(1);
        self.bind_as(name, number);
    }

    /// Ends a construct: its binders go out of scope.
    pub(super) fn close(&mut self, scope: Scope) {
        for (name, number) in self.outer.drain(scope.0..).rev() {
            self.numbers[name.index()] = number;
        }
    }

    /// Says whether binders are written as numbers.
    pub(super) fn are_numbered(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Gives the number of the binder that a name means here.
    pub(super) fn number(&self, name: Name) -> Option<u32> {
        self.numbers
            .get(name.index())
            .copied()
            .filter(|number| *number != Self::GLOBAL)
    }
}
