//! Clauses that say nothing: no test looks at them, or nothing makes them false.

use super::property::PropertyReport;
use crate::diagnostic::{Code, Diagnostic, Params};
use crate::eval::{Machine, Unit, border};
use crate::program::{DefinitionId, Program};
use crate::values::{Generator, Value};

/// On how many results that the body did not give an ensures is tried.
const RESULTS: usize = 128;

/// Gives a warning for each clause that none of the cases and inputs run on a machine came to.
pub fn unevaluated_clauses(machine: &Machine<'_, '_>) -> Vec<Diagnostic> {
    let labels = machine.unevaluated_clauses();
    labels
        .map(|label| {
            warning(
                label,
                "never-evaluated",
                format!("no test comes to `{label}`"),
            )
        })
        .collect()
}

/// Gives a warning when no input of a property made its premise true: the left side of an outer `implies`, or the requires.
pub fn unmet_premise(report: &PropertyReport) -> Option<Diagnostic> {
    let is_unmet = report.applied_count == Some(0) && report.input_count > 0;
    let label = report.name.rsplit(':').next().unwrap_or_default();
    let message = format!(
        "none of {} inputs makes the premise of `{label}` true",
        report.input_count
    );
    is_unmet.then(|| warning(label, "premise-never-true", message))
}

/// Gives a warning for each ensures of a definition that held for every one of 128 results drawn without its body.
///
/// A clause over values that are not drawn, or that cannot be evaluated, is not judged.
pub fn unfalsified_clauses(
    machine: &mut Machine<'_, '_>,
    unit: &Unit<'_>,
    program: &Program,
    definition: DefinitionId,
    seed: u64,
    run_fuel: &mut u64,
) -> Vec<Diagnostic> {
    let guards = program.guards.iter();
    let clauses = guards
        .filter(|guard| guard.definition == definition)
        .flat_map(|guard| &guard.ensures);
    let mut found = Vec::new();
    for clause in clauses {
        let Some(check) = clause.check else {
            continue;
        };
        if holds_for_all(machine, unit, program, (check, seed), run_fuel) {
            let label = &clause.label;
            let message = format!("`{label}` also holds for {RESULTS} results that no body gave");
            found.push(warning(label, "never-false", message));
        }
    }
    found
}

fn holds_for_all(
    machine: &mut Machine<'_, '_>,
    unit: &Unit<'_>,
    program: &Program,
    (check, seed): (DefinitionId, u64),
    run_fuel: &mut u64,
) -> bool {
    let forms = border(machine, program, check).params;
    let Some(entry) = unit.entry(check) else {
        return false;
    };
    let mut generator = Generator::new(seed);
    let mut forms_of = forms.iter();
    if !forms_of.all(|form| generator.prepare(machine.forms(), *form).is_ok()) {
        return false;
    }
    for _ in 0..RESULTS {
        let values = forms.iter();
        let values: Result<Vec<Value>, _> = values
            .map(|form| generator.draw(machine.forms(), *form))
            .collect();
        let Ok(values) = values else {
            return false;
        };
        machine.reset();
        machine.limit_fuel(*run_fuel);
        let before = machine.fuel_left();
        let holds = machine.call(entry, values);
        *run_fuel = run_fuel.saturating_sub(before - machine.fuel_left());
        if !matches!(holds, Ok(Value::Tag(0))) {
            return false;
        }
    }
    true
}

fn warning(label: &str, kind: &str, message: String) -> Diagnostic {
    let params = Params::Clause {
        label: label.to_owned(),
        kind: kind.to_owned(),
    };
    Diagnostic::new(Code::ClauseVacuous, message).with_params(params)
}
