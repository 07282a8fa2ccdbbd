//! What is wrong with a spec whatever the body will be.

use super::suite::{Prepared, Suite};
use crate::diagnostic::{Code, Diagnostic};
use crate::eval::{Machine, RaiseKind, Unit, border};
use crate::json::Json;
use crate::program::{DefinitionId, Guard, Program};
use crate::values::{Form, Meter, Value, write};

/// Looks at the cases and clauses of one definition before any body is written.
///
/// Gives contradictions of cases, requires that no case meets, cases outside the requires, ensures that always hold, and
/// variants of the result that no case expects; only the last is a warning.
pub fn preflight(
    machine: &mut Machine<'_, '_>,
    unit: &Unit<'_>,
    program: &Program,
    definition: DefinitionId,
    suite: &Suite,
) -> Vec<Diagnostic> {
    let guard = program
        .guards
        .iter()
        .find(|guard| guard.definition == definition);
    let cases = suite.cases().iter();
    let cases: Vec<&Prepared> = cases.filter(|case| case.definition == definition).collect();
    let mut found = contradictions(machine, program, definition, &cases);
    if let Some(guard) = guard {
        domain(machine, unit, program, guard, &cases, &mut found);
        let trivial = guard.ensures.iter().filter(|clause| clause.is_trivial());
        found.extend(trivial.map(|clause| {
            let message = format!("`{}` holds for every result", clause.label);
            Diagnostic::new(Code::PreflightTrivialEnsures, message)
        }));
    }
    found.extend(unexercised(machine, program, definition, &cases));
    found
}

/// Gives the arguments of a case as text, fakes by what they are made of.
fn argument_texts(
    machine: &mut Machine<'_, '_>,
    program: &Program,
    definition: DefinitionId,
    case: &Prepared,
) -> String {
    let params = border(machine, program, definition).params;
    machine.reset();
    let values = case.values(machine).unwrap_or_default();
    let mut text = case.fakes_text(machine);
    for (form, value) in params.iter().zip(&values) {
        text.push('\n');
        let written = write(machine.forms(), *form, value, &mut Meter::UNBOUNDED.clone());
        text.push_str(&written.unwrap_or_default());
    }
    text
}

fn contradictions(
    machine: &mut Machine<'_, '_>,
    program: &Program,
    definition: DefinitionId,
    cases: &[&Prepared],
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut seen: hashbrown::HashMap<String, &Prepared> = hashbrown::HashMap::new();
    for case in cases.iter().filter(|case| !case.is_xfail) {
        let arguments = argument_texts(machine, program, definition, case);
        let earlier = *seen.entry(arguments).or_insert(case);
        if earlier.expected != case.expected {
            let message = format!(
                "`{}` and `{}` expect two outcomes of one call",
                earlier.name, case.name
            );
            found.push(Diagnostic::new(Code::PreflightContradiction, message));
        }
    }
    found
}

/// Looks at which cases meet the requires.
fn domain(
    machine: &mut Machine<'_, '_>,
    unit: &Unit<'_>,
    program: &Program,
    guard: &Guard,
    cases: &[&Prepared],
    found: &mut Vec<Diagnostic>,
) {
    let capabilities = border(machine, program, guard.definition).capabilities;
    let has_capabilities = capabilities.iter().any(Option::is_some);
    for clause in &guard.requires {
        let Some(entry) = clause.check.and_then(|check| unit.entry(check)) else {
            continue;
        };
        let mut is_met = false;
        for case in cases {
            machine.reset();
            let values = case.values(machine);
            let holds = values.and_then(|values| machine.call(entry, values));
            match holds {
                Ok(Value::Tag(0)) => is_met = true,
                Ok(_) => {
                    let message = format!(
                        "`{}` breaks `{}`, so it never passes",
                        case.name, clause.label
                    );
                    found.push(Diagnostic::new(Code::PreflightCaseOutsideDomain, message));
                }
                // A clause that fails is reported where it runs; one that calls what is not written, or not rightly, says nothing
                // of the cases.
                Err(raised) => is_met |= !is_verdict(raised.kind),
            }
        }
        if !is_met && !cases.is_empty() && !has_capabilities {
            let message = format!("no case meets `{}`", clause.label);
            found.push(Diagnostic::new(Code::PreflightVacuousRequires, message));
        }
    }
}

/// Says whether a clause that ends so is not met, whatever it calls.
const fn is_verdict(kind: RaiseKind) -> bool {
    let is_guard = matches!(
        kind,
        RaiseKind::RequiresViolation | RaiseKind::EnsuresViolation | RaiseKind::GuardError
    );
    kind.is_panic() || is_guard
}

fn unexercised(
    machine: &mut Machine<'_, '_>,
    program: &Program,
    definition: DefinitionId,
    cases: &[&Prepared],
) -> Vec<Diagnostic> {
    let result = border(machine, program, definition).result;
    let names: Vec<String> = match machine.forms().get(result) {
        Form::Boolean => vec!["true".to_owned(), "false".to_owned()],
        Form::Sum(variants) => variants
            .iter()
            .map(|variant| variant.name.to_string())
            .collect(),
        _ => return Vec::new(),
    };
    let values: Vec<&String> = cases
        .iter()
        .filter_map(|case| case.expected.as_ref())
        .collect();
    if values.is_empty() {
        return Vec::new();
    }
    let tags: Vec<String> = values.iter().filter_map(|text| tag(text)).collect();
    let missing = names.into_iter().filter(|name| !tags.contains(name));
    missing
        .map(|name| {
            let message = format!("no case expects `{name}`");
            Diagnostic::new(Code::PreflightUnexercisedVariant, message)
        })
        .collect()
}

/// Gives the variant of a canonical text.
fn tag(text: &str) -> Option<String> {
    match Json::read(text.as_bytes()).ok()? {
        Json::Boolean(value) => Some(value.to_string()),
        Json::Object(members) => match &members.first()?.1 {
            Json::Text(tag) => Some(tag.clone()),
            _ => None,
        },
        _ => None,
    }
}
