//! Which clauses are being looked at.

/// Which clauses are being looked at.
#[derive(Debug, Default)]
pub(super) struct Guarding {
    /// The codes of the definitions an entry of which is guarded.
    active: Vec<u32>,
    /// The clause that is being evaluated.
    pub(super) clause: Option<u32>,
    /// The clause that did not hold.
    pub(super) broken: Option<u32>,
}

impl Guarding {
    /// Begins with a definition, unless a clause is being evaluated or the definition is guarded already.
    pub(super) fn begin(&mut self, code: u32) -> bool {
        if self.clause.is_some() || self.active.contains(&code) {
            return false;
        }
        self.active.push(code);
        true
    }

    pub(super) fn end(&mut self, code: u32) {
        self.active.retain(|active| *active != code);
    }

    pub(super) const fn enter(&mut self, clause: u32) {
        self.clause = Some(clause);
    }
}
