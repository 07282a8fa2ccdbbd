//! Clauses that no test looked at.

use crate::diagnostic::{Code, Diagnostic, Params};
use crate::eval::Machine;

/// Gives a warning for each clause that none of the cases and inputs run on a machine came to.
pub fn unevaluated_clauses(machine: &Machine<'_, '_>) -> Vec<Diagnostic> {
    let labels = machine.unevaluated_clauses();
    labels
        .map(|label| {
            let message = format!("no test comes to `{label}`");
            let params = Params::Clause {
                label: label.to_owned(),
                kind: "never-evaluated".to_owned(),
            };
            Diagnostic::new(Code::ClauseVacuous, message).with_params(params)
        })
        .collect()
}
