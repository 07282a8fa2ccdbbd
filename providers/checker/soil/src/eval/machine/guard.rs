//! Clauses while a program runs.

use super::Machine;
use crate::eval::raised::{Blame, Fault, FaultParts, RaiseKind, Raised};
use crate::values::Value;

impl Machine<'_, '_> {
    /// Looks at what a clause gave.
    pub(super) fn check_clause(&mut self, holds: &Value) -> Result<(), Fault> {
        let clause = self.guarding.clause.take();
        if matches!(holds, Value::Tag(0)) {
            return Ok(());
        }
        self.guarding.broken = clause;
        let clause = clause.and_then(|clause| self.unit.clauses.get(clause as usize));
        let Some(clause) = clause else {
            return Err(Fault::internal(
                "a clause was looked at that was not entered",
            ));
        };
        let kind = if clause.is_ensures {
            RaiseKind::EnsuresViolation
        } else {
            RaiseKind::RequiresViolation
        };
        Err(Fault::new(
            kind,
            format!("`{}` does not hold", clause.label),
        ))
    }

    /// Completes an error with the clause that it is about.
    pub(super) fn guarded_fault(&mut self, fault: Fault, trace: Vec<String>) -> Raised {
        let FaultParts { kind, message } = fault.into_parts();
        let mut raised = Raised {
            kind,
            message,
            trace,
            label: None,
            blame: None,
            in_ensures: false,
        };
        let broken = self.guarding.broken.take();
        let evaluated = self.guarding.clause.take();
        let clause = broken.or(evaluated);
        let Some(clause) = clause.and_then(|clause| self.unit.clauses.get(clause as usize)) else {
            return raised;
        };
        if kind.is_exhaustion() {
            return raised;
        }
        raised.label = Some(clause.label.clone());
        raised.in_ensures = clause.is_ensures;
        if broken.is_none() {
            raised.kind = RaiseKind::GuardError;
            raised.message = format!(
                "`{}` cannot be evaluated: {kind}: {}",
                clause.label, raised.message
            );
            return raised;
        }
        let caller = self.frames.last();
        let blame = if clause.is_ensures {
            Blame::Callee(clause.owner.to_string())
        } else {
            Blame::Caller(caller.map(|frame| self.owner(frame.code)))
        };
        if let Blame::Caller(Some(blamed)) | Blame::Callee(blamed) = &blame {
            raised.message.push_str("; blamed is `");
            raised.message.push_str(blamed);
            raised.message.push('`');
        }
        raised.blame = Some(blame);
        raised
    }
}
