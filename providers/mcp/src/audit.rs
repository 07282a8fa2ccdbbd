//! What a call used and how it was bounded, and what it may have changed.

use lonis::limits::Bound;
use lonis::process::Outcome;
use lonis::{SideEffects, ToolError};
use serde_json::{Value, json};

use crate::runner::Finished;

/// The schema id of an audit.
const KIND: &str = "genesis/agent-session-audit-v0.2";

/// How a call ended, in the word of audits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Termination {
    NotStarted,
    Completed,
    Cancelled,
    ResourceKilled,
}

impl Termination {
    const fn word(self) -> &'static str {
        match self {
            Self::NotStarted => "not-started",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled-and-reaped",
            Self::ResourceKilled => "resource-killed-and-reaped",
        }
    }
}

/// What a call may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    Committed,
    Unknown,
}

impl Effect {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Committed => "committed",
            Self::Unknown => "unknown",
        }
    }

    /// Tells it from the class of the tool and how the call ended: a tool that writes and failed may have written.
    pub(crate) fn of(effects: SideEffects, finished: &Finished) -> Self {
        let only_reads = matches!(effects, SideEffects::None | SideEffects::ReadOnly);
        let was_started = finished
            .outcome
            .as_ref()
            .is_some_and(|outcome| outcome.backend.is_some());
        match (only_reads || !was_started, &finished.error) {
            (true, _) => Self::None,
            (false, None) if !finished.has_crashed => Self::Committed,
            (false, _) => Self::Unknown,
        }
    }
}

/// Returns the audit of a call that was never started.
pub(crate) fn not_started(provider: &str) -> Value {
    audit(provider, None, Termination::NotStarted, None)
}

/// Returns the audit of a call that ran.
pub(crate) fn of(provider: &str, finished: &Finished, termination: Termination) -> Value {
    let outcome = finished.outcome.as_ref();
    let termination = match outcome {
        None => Termination::NotStarted,
        Some(_) => termination,
    };
    audit(
        provider,
        outcome,
        termination,
        exceeded(finished.error.as_ref()).as_ref(),
    )
}

/// The bound that a call went over, if it was ended for that.
fn exceeded(error: Option<&ToolError>) -> Option<Value> {
    let details = error?.details()?.to_value();
    details
        .get("bound")
        .filter(|bound| bound.is_string())
        .cloned()
}

fn audit(
    provider: &str,
    outcome: Option<&Outcome>,
    termination: Termination,
    exceeded: Option<&Value>,
) -> Value {
    let profile = match outcome {
        Some(_) => "native-isolated-v0.1",
        None => "not-started-v0.1",
    };
    json!({
        "kind": KIND,
        "worker_profile": profile,
        "observed": observed(outcome),
        "enforcement": enforcement(outcome),
        "termination": termination.word(),
        "exceeded": exceeded,
        "provider": {"name": provider, "kept": false},
    })
}

/// What was not measured is null, and never zero.
fn observed(outcome: Option<&Outcome>) -> Value {
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    json!({
        "wall_ms": outcome.map(|outcome| millis(outcome.wall)),
        "cpu_ms": outcome.and_then(|outcome| outcome.cpu).map(millis),
        "output_bytes": outcome.map(|outcome| outcome.stdout_bytes + outcome.stderr_bytes),
        "disk_delta_bytes": null,
        "effect_ops": null,
        "peak_heap_bytes": outcome.and_then(|outcome| outcome.peak_memory_bytes),
        "peak_processes": outcome.and_then(|outcome| outcome.peak_processes),
    })
}

/// By what each bound was held; one that was not set is `unavailable`.
fn enforcement(outcome: Option<&Outcome>) -> Value {
    let held = |bounds: &[Bound]| match outcome {
        None => "not-started",
        Some(outcome) => outcome
            .bounds
            .iter()
            .find(|held| bounds.contains(&held.bound))
            .map_or("unavailable", |held| held.enforced_by.word()),
    };
    json!({
        "wall": held(&[Bound::TimeoutMillis]),
        "cpu": held(&[Bound::MaxCpuMillis]),
        "steps": held(&[]),
        "heap": held(&[Bound::MaxMemoryBytes]),
        "output": held(&[Bound::MaxStdoutBytes]),
        "effects": held(&[]),
        "processes": held(&[Bound::MaxProcesses]),
        "disk": held(&[Bound::MaxFileBytes]),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_not_started_changed_nothing_and_says_so() {
        let finished = Finished {
            blocks: Vec::new(),
            error: Some(ToolError::new(lonis::ErrorKind::InvalidInput, "no")),
            outcome: None,
            wall: Duration::ZERO,
            has_crashed: false,
        };
        assert_eq!(
            Effect::of(SideEffects::Destructive, &finished),
            Effect::None
        );
        let audit = of("acme", &finished, Termination::Completed);
        assert_eq!(audit, not_started("acme"));
        assert_eq!(audit["termination"], "not-started");
        assert_eq!(audit["observed"]["wall_ms"], Value::Null);
        assert_eq!(audit["enforcement"]["wall"], "not-started");
    }
}
