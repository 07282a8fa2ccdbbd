//! Running cases.

use thiserror::Error;

use super::bundle::{CaseArgument, CaseBind, Expectation, TestCase};
use super::difference;
use super::report::{CaseReport, Details, Verdict};
use crate::environment::{TypeId, ids};
use crate::eval::{Blame, Border, Machine, Raised, Unfilled, Unit, border};
use crate::json::Malformed;
use crate::program::{DefinitionId, Program};
use crate::values::{FormId, Forms, Meter, Value, read, write};

/// Why cases cannot run at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SuiteError {
    /// A case is not what its definition takes.
    #[error("case `{case}`: {error}")]
    Malformed {
        /// The name of the case.
        case: String,
        /// What is wrong.
        error: Malformed,
    },
    /// A definition has or reaches a hole.
    #[error("`{definition}` has or reaches a hole")]
    Unfilled {
        /// The definition as the case names it.
        definition: String,
        /// Where the hole is.
        unfilled: Unfilled,
    },
}

/// Cases with their arguments read.
#[derive(Debug)]
pub struct Suite {
    cases: Vec<Prepared>,
}

#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) name: String,
    pub(super) definition: DefinitionId,
    pub(super) entry: u32,
    binds: Vec<Fake>,
    arguments: Vec<PreparedArgument>,
    result: FormId,
    /// The canonical text of the expected value, or none for a panic.
    pub(super) expected: Option<String>,
    pub(super) is_xfail: bool,
}

#[derive(Debug)]
struct Fake {
    constructor: &'static str,
    arguments: Vec<Value>,
}

#[derive(Debug)]
enum PreparedArgument {
    Fake(usize),
    Value(Value),
}

/// The builtins that make fakes, with what they make.
const FAKES: [(&str, TypeId); 3] = [
    ("fake_fs", ids::FS),
    ("fake_clock", ids::CLOCK),
    ("fake_rand", ids::RAND),
];

impl Suite {
    /// Reads the arguments of cases by the types of their definitions.
    ///
    /// # Errors
    /// When a definition is unknown or has or reaches a hole, arguments are too few, too many or of other types, or a fake is
    /// none.
    pub fn prepare(
        machine: &mut Machine<'_, '_>,
        unit: &Unit<'_>,
        program: &Program,
        cases: &[TestCase],
    ) -> Result<Self, SuiteError> {
        let mut prepared = Vec::with_capacity(cases.len());
        for case in cases {
            let found = prepare(machine, unit, program, case);
            let found = found.map_err(|error| SuiteError::Malformed {
                case: case.name.clone(),
                error,
            })?;
            if let Some(unfilled) = unit.unfilled(found.entry) {
                return Err(SuiteError::Unfilled {
                    definition: case.definition.clone(),
                    unfilled,
                });
            }
            prepared.push(found);
        }
        Ok(Self { cases: prepared })
    }

    pub(super) fn cases(&self) -> &[Prepared] {
        &self.cases
    }

    /// Runs the cases in order; those that come when the fuel of the run is used up fail as exhausted.
    pub fn run(&self, machine: &mut Machine<'_, '_>, run_fuel: &mut u64) -> Vec<CaseReport> {
        let cases = self.cases.iter();
        cases.map(|case| case.run(machine, run_fuel)).collect()
    }
}

impl Prepared {
    fn run(&self, machine: &mut Machine<'_, '_>, run_fuel: &mut u64) -> CaseReport {
        machine.reset();
        machine.limit_fuel(*run_fuel);
        let before = machine.fuel_left();
        let outcome = self.outcome(machine);
        *run_fuel = run_fuel.saturating_sub(before - machine.fuel_left());
        self.judge(outcome)
    }

    fn outcome(&self, machine: &mut Machine<'_, '_>) -> Result<String, Raised> {
        let arguments = self.values(machine)?;
        let value = machine.call(self.entry, arguments)?;
        machine.written(self.result, &value)
    }

    /// Makes the arguments, fakes of this run among them.
    pub(super) fn values(&self, machine: &mut Machine<'_, '_>) -> Result<Vec<Value>, Raised> {
        let mut fakes = Vec::with_capacity(self.binds.len());
        for fake in &self.binds {
            fakes.push(machine.faked(fake.constructor, fake.arguments.clone())?);
        }
        let arguments = self.arguments.iter();
        Ok(arguments
            .map(|argument| match argument {
                PreparedArgument::Fake(index) => fakes[*index].clone(),
                PreparedArgument::Value(value) => value.clone(),
            })
            .collect())
    }

    /// Gives the arguments, none in the place of a fake.
    pub(super) fn plain_values(&self) -> impl Iterator<Item = Option<&Value>> {
        self.arguments.iter().map(|argument| match argument {
            PreparedArgument::Fake(_) => None,
            PreparedArgument::Value(value) => Some(value),
        })
    }

    /// Gives the fakes that arguments refer to and what they are made of, as text.
    pub(super) fn fakes_text(&self, machine: &mut Machine<'_, '_>) -> String {
        let arguments = self.arguments.iter();
        let fakes = arguments.filter_map(|argument| match argument {
            PreparedArgument::Fake(index) => Some(&self.binds[*index]),
            PreparedArgument::Value(_) => None,
        });
        let mut text = String::new();
        for fake in fakes {
            text.push_str(fake.constructor);
            let forms = machine.forms();
            let form = fake_form(forms, fake.constructor);
            for argument in &fake.arguments {
                let written = write(forms, form, argument, &mut Meter::UNBOUNDED.clone());
                text.push_str(&written.unwrap_or_default());
            }
        }
        text
    }

    fn judge(&self, outcome: Result<String, Raised>) -> CaseReport {
        let passes = match (&outcome, &self.expected) {
            (Ok(actual), Some(expected)) => actual == expected,
            (Err(raised), None) => raised.kind.is_panic(),
            _ => false,
        };
        let verdict = Verdict::of(passes, self.is_xfail);
        let mut report = CaseReport {
            name: self.name.clone(),
            verdict,
            details: None,
            difference: None,
            trace: Vec::new(),
        };
        if verdict.is_good() {
            return report;
        }
        if let (Ok(actual), Some(expected)) = (&outcome, &self.expected) {
            report.difference = difference(expected, actual);
        }
        let actual = match outcome {
            Ok(text) => text,
            Err(raised) => {
                let blamed = match &raised.blame {
                    Some(Blame::Caller(None)) => format!("; blamed is the test `{}`", self.name),
                    _ => String::new(),
                };
                let text = format!("panic: {raised}{blamed}");
                report.trace = raised.trace;
                text
            }
        };
        report.details = Some(Details {
            expected: self.expected.clone().unwrap_or_else(|| "panic".to_owned()),
            actual,
        });
        report
    }
}

fn malformed(place: &str, message: impl Into<String>) -> Malformed {
    Malformed {
        place: place.to_owned(),
        message: message.into(),
    }
}

fn prepare(
    machine: &mut Machine<'_, '_>,
    unit: &Unit<'_>,
    program: &Program,
    case: &TestCase,
) -> Result<Prepared, Malformed> {
    let name = &case.definition;
    let unknown = || malformed("$.def", format!("names `{name}`, which is no definition"));
    let definition = program.find_definition(name).ok_or_else(unknown)?;
    let entry = unit.entry(definition).ok_or_else(unknown)?;
    let border = border(machine, program, definition);
    let (takes, given) = (border.params.len(), case.arguments.len());
    if takes != given {
        let message = format!("has {given} arguments, `{name}` takes {takes}");
        return Err(malformed("$.args", message));
    }
    let mut binds = Vec::new();
    for bind in &case.binds {
        binds.push(fake(machine, bind)?);
    }
    let mut arguments = Vec::new();
    for (position, argument) in case.arguments.iter().enumerate() {
        arguments.push(prepared_argument(
            machine, &border, case, position, argument,
        )?);
    }
    let expected = match &case.expected {
        Expectation::Panic => None,
        Expectation::Value(json) => {
            let value = read(machine.forms(), border.result, json)
                .map_err(|error| within("$.expect.value", &error))?;
            let text = write(
                machine.forms(),
                border.result,
                &value,
                &mut Meter::UNBOUNDED.clone(),
            );
            Some(text.expect("a meter that cannot be used up never is"))
        }
    };
    Ok(Prepared {
        name: case.name.clone(),
        definition,
        entry,
        binds,
        arguments,
        result: border.result,
        expected,
        is_xfail: case.is_xfail,
    })
}

fn prepared_argument(
    machine: &mut Machine<'_, '_>,
    border: &Border,
    case: &TestCase,
    position: usize,
    argument: &CaseArgument,
) -> Result<PreparedArgument, Malformed> {
    let place = format!("$.args[{position}]");
    match argument {
        CaseArgument::Binding(name) => {
            let index = case.binds.iter().position(|bind| bind.name == *name);
            let index = index
                .ok_or_else(|| malformed(&place, format!("names `{name}`, which is no bind")))?;
            let constructor = &case.binds[index].constructor;
            let made = FAKES.iter().find(|(fake, _)| fake == constructor);
            let wanted = border.capabilities[position];
            if made.map(|(_, made)| *made) != wanted {
                let message = format!("is `{constructor}`, which is not of the parameter's type");
                return Err(malformed(&place, message));
            }
            Ok(PreparedArgument::Fake(index))
        }
        CaseArgument::Json(json) => {
            let value = read(machine.forms(), border.params[position], json);
            let value = value.map_err(|error| within(&format!("{place}.value"), &error))?;
            Ok(PreparedArgument::Value(value))
        }
    }
}

/// Puts the place of an error behind the place of the value that it is about.
fn within(place: &str, error: &Malformed) -> Malformed {
    let inner = error.place.strip_prefix('$').unwrap_or(&error.place);
    malformed(&format!("{place}{inner}"), error.message.clone())
}

fn fake(machine: &mut Machine<'_, '_>, bind: &CaseBind) -> Result<Fake, Malformed> {
    let place = "$.binds";
    let known = FAKES.iter().find(|(name, _)| *name == bind.constructor);
    let Some((constructor, _)) = known else {
        let message = format!(
            "makes `{}` by `{}`, which is no fake",
            bind.name, bind.constructor
        );
        return Err(malformed(place, message));
    };
    let [json] = &bind.arguments[..] else {
        let given = bind.arguments.len();
        let message = format!("gives `{constructor}` {given} arguments, it takes 1");
        return Err(malformed(place, message));
    };
    let forms = machine.forms();
    let form = fake_form(forms, constructor);
    let value = read(forms, form, json).map_err(|error| within(place, &error))?;
    Ok(Fake {
        constructor,
        arguments: vec![value],
    })
}

/// Gives the type of what a fake is made of.
fn fake_form(forms: &mut Forms<'_>, constructor: &str) -> FormId {
    match constructor {
        "fake_fs" => {
            let text = forms.of_type(ids::UTF8, &[]);
            forms.of_type(ids::MAP, &[text, text])
        }
        "fake_clock" => forms.of_type(ids::I64, &[]),
        _ => forms.of_type(ids::U64, &[]),
    }
}
