//! Running properties.

use super::report::{Details, Verdict};
use crate::eval::{Machine, RaiseKind, Raised, Unit, border};
use crate::hash::Digest;
use crate::json::Json;
use crate::program::{Program, Property};
use crate::values::{FormId, GENERATOR, Generator, Ungenerable, Value, candidates, read};

/// How many inputs a property is tried on, and how many when what it tests touches the world.
const INPUTS: usize = 128;
const EFFECTFUL_INPUTS: usize = 32;

/// The most evaluations that shrinking takes.
const MAX_SHRINKS: usize = 200;

/// The most kept values that are tried again.
const MAX_KEPT: usize = 32;

/// What a property is run with.
#[derive(Clone, Debug, Default)]
pub struct PropertyOptions {
    /// The seed of its values, see [`seed_of`].
    pub seed: u64,
    /// Arguments on which it failed before, as JSON; they come first and are not shrunk.
    pub kept: Vec<Vec<Json>>,
    /// Whether the property has to fail.
    pub is_xfail: bool,
}

/// Arguments on which a property fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The arguments after shrinking, as canonical text.
    pub arguments: Vec<String>,
    /// The seed of the run; none for a kept value.
    pub seed: Option<u64>,
    /// What drew the values, `soil-gen/1`.
    pub generator: &'static str,
    /// How many evaluations shrinking took.
    pub steps: usize,
    /// The arguments as they were drawn.
    pub original: Vec<String>,
}

/// What came of one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyReport {
    /// The name of the property.
    pub name: String,
    /// What came of it.
    pub verdict: Verdict,
    /// What was expected and what came, where that is not as it should be.
    pub details: Option<Details>,
    /// The arguments on which it failed.
    pub counterexample: Option<Counterexample>,
    /// The calls that were waiting when it raised.
    pub trace: Vec<String>,
    /// How many inputs were tried.
    pub input_count: usize,
    /// How many of them made the left side of an outer `implies`, or the requires, true; none without one.
    pub applied_count: Option<usize>,
    /// How many kept values no longer read.
    pub dropped_count: usize,
}

impl PropertyReport {
    /// Says whether less than a tenth of the inputs came to what the property says.
    pub fn rarely_applies(&self) -> bool {
        let applied = self.applied_count;
        applied.is_some_and(|applied| applied * 10 < self.input_count)
    }
}

/// Gives the seed of a spec's properties: the first 8 bytes of its test hash, big-endian.
pub fn seed_of(test_hash: &Digest) -> u64 {
    let text = test_hash.to_string();
    let digits = text.rsplit(':').next().unwrap_or_default();
    let first = digits.get(..16).unwrap_or_default();
    u64::from_str_radix(first, 16).unwrap_or_default()
}

/// Tries a property on kept and drawn values until it fails; a failure of a drawn one is made smaller.
///
/// # Errors
/// When a type has values that are not drawn: capabilities, functions, opaque types, type variables, types without finite
/// values. That is `test-ungenerable-type`.
pub fn run_property(
    machine: &mut Machine<'_, '_>,
    unit: &Unit<'_>,
    program: &Program,
    property: &Property,
    options: &PropertyOptions,
    run_fuel: &mut u64,
) -> Result<PropertyReport, Ungenerable> {
    let forms = border(machine, program, property.check).params;
    let mut generator = Generator::new(options.seed);
    for form in &forms {
        generator.prepare(machine.forms(), *form)?;
    }
    let tested = property.derived_from.unwrap_or(property.check);
    let has_effects = border(machine, program, tested).has_effects;
    let mut trial = Trial {
        machine,
        check: unit.entry(property.check),
        premise: property.premise.and_then(|id| unit.entry(id)),
        unguarded: property.derived_from.and_then(|id| unit.entry(id)),
        forms,
        run_fuel,
    };
    let mut report = PropertyReport {
        name: property.name.clone(),
        verdict: Verdict::of(true, options.is_xfail),
        details: None,
        counterexample: None,
        trace: Vec::new(),
        input_count: 0,
        applied_count: property.premise.map(|_| 0),
        dropped_count: 0,
    };
    let input_count = if has_effects {
        EFFECTFUL_INPUTS
    } else {
        INPUTS
    };
    let failure = trial
        .kept(options, &mut report)
        .or_else(|| trial.drawn(&mut generator, input_count, options.seed, &mut report));
    let Some((outcome, found)) = failure else {
        if report.verdict == Verdict::Xpass {
            report.details = Some(Details {
                expected: "false".to_owned(),
                actual: "true".to_owned(),
            });
        }
        return Ok(report);
    };
    report.verdict = Verdict::of(false, options.is_xfail);
    if !report.verdict.is_good() {
        report.details = Some(Details {
            expected: "true".to_owned(),
            actual: actual(&outcome, &found),
        });
        report.trace = outcome.trace;
    }
    report.counterexample = Some(found);
    Ok(report)
}

/// How a property failed: it gave `False`, or raised.
struct Failure {
    raised: Option<RaiseKind>,
    text: String,
    trace: Vec<String>,
}

impl Failure {
    fn of(raised: Raised) -> Self {
        Self {
            raised: Some(raised.kind),
            text: format!("panic: {raised}"),
            trace: raised.trace,
        }
    }
}

fn actual(failure: &Failure, found: &Counterexample) -> String {
    let list = |arguments: &[String]| format!("[{}]", arguments.join(","));
    let text = format!("{} at {}", failure.text, list(&found.arguments));
    if found.arguments == found.original {
        return text;
    }
    format!("{text} (shrunk from {})", list(&found.original))
}

struct Trial<'t, 'u, 'p> {
    machine: &'t mut Machine<'u, 'p>,
    check: Option<u32>,
    premise: Option<u32>,
    unguarded: Option<u32>,
    forms: Vec<FormId>,
    run_fuel: &'t mut u64,
}

impl Trial<'_, '_, '_> {
    /// Tries the values on which the property failed before.
    fn kept(
        &mut self,
        options: &PropertyOptions,
        report: &mut PropertyReport,
    ) -> Option<(Failure, Counterexample)> {
        for arguments in options.kept.iter().take(MAX_KEPT) {
            let Some(values) = self.read(arguments) else {
                report.dropped_count += 1;
                continue;
            };
            if let Some(failure) = self.fails(&values) {
                let arguments = self.texts(&values);
                let found = Counterexample {
                    original: arguments.clone(),
                    arguments,
                    seed: None,
                    generator: GENERATOR,
                    steps: 0,
                };
                return Some((failure, found));
            }
        }
        None
    }

    /// Tries drawn values, and makes those smaller on which the property fails.
    fn drawn(
        &mut self,
        generator: &mut Generator,
        input_count: usize,
        seed: u64,
        report: &mut PropertyReport,
    ) -> Option<(Failure, Counterexample)> {
        for _ in 0..input_count {
            let mut values = Vec::with_capacity(self.forms.len());
            for form in self.forms.clone() {
                // The types were looked at before, so each has values.
                values.push(generator.draw(self.machine.forms(), form).ok()?);
            }
            report.input_count += 1;
            let applies = self.applies(&values);
            if let Some(count) = &mut report.applied_count {
                *count += usize::from(applies);
            }
            if let Some(failure) = self.fails(&values) {
                let original = self.texts(&values);
                let (failure, values, steps) = self.shrunk(failure, values);
                let found = Counterexample {
                    arguments: self.texts(&values),
                    seed: Some(seed),
                    generator: GENERATOR,
                    steps,
                    original,
                };
                return Some((failure, found));
            }
        }
        None
    }

    /// Takes the first smaller value on which the property fails in the same way, again and again.
    fn shrunk(&mut self, failure: Failure, values: Vec<Value>) -> (Failure, Vec<Value>, usize) {
        let (mut failure, mut values) = (failure, values);
        let mut steps = 0;
        'smaller: loop {
            for position in 0..values.len() {
                let form = self.forms[position];
                let room = MAX_SHRINKS - steps;
                let forms = self.machine.forms();
                for candidate in candidates(forms, form, &values[position], room) {
                    if steps == MAX_SHRINKS {
                        return (failure, values, steps);
                    }
                    steps += 1;
                    let mut smaller = values.clone();
                    smaller[position] = candidate;
                    if !self.applies(&smaller) {
                        continue;
                    }
                    let found = self.fails(&smaller);
                    if let Some(found) = found.filter(|found| found.raised == failure.raised) {
                        failure = found;
                        values = smaller;
                        continue 'smaller;
                    }
                }
            }
            return (failure, values, steps);
        }
    }

    /// Says whether the left side of an outer `implies`, or the requires, hold.
    fn applies(&mut self, values: &[Value]) -> bool {
        let Some(premise) = self.premise else {
            return true;
        };
        matches!(self.call(premise, values), Ok(Value::Tag(0)))
    }

    fn fails(&mut self, values: &[Value]) -> Option<Failure> {
        let check = self.check?;
        match self.call(check, values) {
            Ok(Value::Tag(0)) => None,
            Ok(_) => Some(Failure {
                raised: None,
                text: "false".to_owned(),
                trace: Vec::new(),
            }),
            Err(raised) => Some(Failure::of(raised)),
        }
    }

    fn call(&mut self, entry: u32, values: &[Value]) -> Result<Value, Raised> {
        self.machine.reset();
        self.machine.limit_fuel(*self.run_fuel);
        if let Some(code) = self.unguarded {
            self.machine.without_guard(code);
        }
        let before = self.machine.fuel_left();
        let result = self.machine.call(entry, values.to_vec());
        *self.run_fuel = self
            .run_fuel
            .saturating_sub(before - self.machine.fuel_left());
        result
    }

    fn read(&mut self, arguments: &[Json]) -> Option<Vec<Value>> {
        if arguments.len() != self.forms.len() {
            return None;
        }
        let typed = self.forms.iter().zip(arguments);
        let forms = self.machine.forms();
        typed
            .map(|(form, json)| read(forms, *form, json).ok())
            .collect()
    }

    fn texts(&mut self, values: &[Value]) -> Vec<String> {
        let typed = self.forms.iter().zip(values);
        let mut meter = crate::values::Meter::UNBOUNDED;
        let forms = self.machine.forms();
        // Drawn and read values are trees of a bounded size.
        typed
            .map(|(form, value)| {
                let text = crate::values::write(forms, *form, value, &mut meter);
                text.unwrap_or_default()
            })
            .collect()
    }
}
