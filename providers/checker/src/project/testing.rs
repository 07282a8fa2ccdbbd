//! Running the tests of one function: cases, properties of its spec, and those that its ensures give.

mod report;

use std::collections::BTreeMap;

use soil::check::{CheckOptions, Checked, check};
use soil::diagnostic::{Code, Diagnostic, Diagnostics, Params};
use soil::eval::{Bounds, Machine, Unfilled, Unit};
use soil::json::Json;
use soil::program::{DefinitionId, Program, Property};
use soil::source::Sources;
use soil::spec::{FunctionSpec, Spec};
use soil::testing::{
    CaseReport, MAX_RUN_FUEL, PropertyOptions, PropertyReport, Suite, SuiteError, run_property,
    seed_of, spec_cases, unevaluated_clauses, unfalsified_clauses, unmet_premise,
};

use super::{Assembled, Named};
use crate::failure::Failure;

/// The test that something came of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Row {
    /// A case of a `test` block.
    Case(CaseReport),
    /// A property of the spec, or one that an ensures gives.
    Property(PropertyReport),
    /// The cases as a reference answers them.
    Differential(CaseReport),
    /// A command of a `cram` block.
    Cram(CaseReport),
}

/// What came of the tests of a function.
#[derive(Debug)]
pub(crate) struct TestRun {
    /// The results in the order of the gate: cases, properties of the spec, derived ones, what ran outside.
    pub(crate) rows: Vec<Row>,
    /// What the owner of the spec may want to know.
    pub(crate) warnings: Diagnostics,
    /// What kept tests that run outside from running; the rows of the others stand all the same.
    pub(crate) errors: Diagnostics,
    /// The texts that warnings and errors speak of.
    pub(crate) sources: Sources,
}

impl TestRun {
    /// Adds what came of tests that run outside, or why they did not run.
    pub(crate) fn add(&mut self, assembled: &Assembled, rows: Result<Vec<Row>, Failure>) {
        match rows {
            Ok(rows) => self.rows.extend(rows),
            Err(failure) => {
                let placed = assembled.of_project(&failure.diagnostics);
                self.errors.append(placed);
            }
        }
    }

    /// Gives the failure that tests could not run, where that is so.
    pub(crate) fn failure(&self) -> Option<Failure> {
        (!self.errors.is_empty()).then(|| Failure {
            diagnostics: self.errors.clone(),
            sources: self.sources.clone(),
        })
    }
}

/// What tests run with.
#[derive(Clone, Debug)]
pub(crate) struct TestOptions {
    /// The bounds of each case.
    pub(crate) bounds: Bounds,
    /// The fuel of all of them together.
    pub(crate) run_fuel: u64,
    /// Arguments on which a property failed before, by its name.
    pub(crate) kept: BTreeMap<String, Vec<Vec<Json>>>,
}

impl Default for TestOptions {
    fn default() -> Self {
        Self {
            bounds: Bounds::default(),
            run_fuel: MAX_RUN_FUEL,
            kept: BTreeMap::new(),
        }
    }
}

/// Checks a program that was made for one function, in which nothing may be reported.
///
/// # Errors
/// What is wrong in the texts of the program.
pub(crate) fn checked(assembled: &Assembled) -> Result<Checked<'_>, Failure> {
    let program = &assembled.program;
    let checked = check(program, CheckOptions::default());
    let mut wrong = assembled.diagnostics.clone();
    wrong.append(assembled.placed(&checked.diagnostics));
    if !wrong.is_empty() {
        // Edits and parameters are looked for where something is wrong only.
        let checked = check(program, CheckOptions::RICH);
        let mut wrong = assembled.diagnostics.clone();
        wrong.append(assembled.placed(&checked.diagnostics));
        return Err(assembled.failure(wrong));
    }
    Ok(checked)
}

/// Runs all sandboxed tests of a function in a program that was checked.
///
/// # Errors
/// `unfilled-hole`, `tr-test-syntax` for a case that is not what the function takes, and `test-ungenerable-type` for a
/// property of the spec.
pub(crate) fn run_checked(
    assembled: &Assembled,
    checked: &Checked<'_>,
    named: Named<'_>,
    options: &TestOptions,
) -> Result<TestRun, Failure> {
    let unit = Unit::compile(checked);
    let run = Run {
        assembled,
        named,
        options,
        unit: &unit,
    };
    run.all()
}

struct Run<'r, 'p> {
    assembled: &'r Assembled,
    named: Named<'r>,
    options: &'r TestOptions,
    unit: &'r Unit<'p>,
}

impl Run<'_, '_> {
    fn all(&self) -> Result<TestRun, Failure> {
        let mut run = TestRun {
            rows: Vec::new(),
            warnings: Diagnostics::new(),
            errors: Diagnostics::new(),
            sources: self.assembled.sources().clone(),
        };
        let spec = self.named.function.spec.as_ref();
        let Some((spec, function)) = spec.and_then(|spec| spec.function()) else {
            return Ok(run);
        };
        let mut machine = Machine::new(self.unit, self.options.bounds);
        let mut fuel = self.options.run_fuel;
        let suite = self.suite(&mut machine, function)?;
        let cases = suite.run(&mut machine, &mut fuel);
        run.rows.extend(cases.into_iter().map(Row::Case));
        self.properties(&mut machine, spec, function, &mut fuel, &mut run)?;
        let own: Vec<&str> = function
            .requires
            .iter()
            .chain(&function.ensures)
            .map(|clause| clause.label.value.as_str())
            .collect();
        let mut vacuous = unevaluated_clauses(&machine);
        if let Some(target) = self.target() {
            let seed = spec.hashes.test.as_ref().map_or(0, seed_of);
            let (unit, program) = (self.unit, self.program());
            let found = unfalsified_clauses(&mut machine, unit, program, target, seed, &mut fuel);
            vacuous.extend(found);
        }
        for warning in vacuous {
            let label = match warning.params.as_deref() {
                Some(Params::Clause { label, .. }) => label.as_str(),
                _ => continue,
            };
            if own.contains(&label) {
                run.warnings.push(self.about_spec(warning));
            }
        }
        Ok(run)
    }

    fn program(&self) -> &Program {
        &self.assembled.program
    }

    fn target(&self) -> Option<DefinitionId> {
        self.program().find_definition(&self.named.program_name())
    }

    /// Places a report in the spec as a whole.
    fn about_spec(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let spec = self.named.function.spec.as_ref();
        diagnostic.file = spec.map(|spec| self.assembled.project_file(spec.file));
        diagnostic
    }

    fn refused(&self, code: Code, message: String) -> Failure {
        let diagnostic = self.about_spec(Diagnostic::new(code, message));
        self.assembled.failure(diagnostic.into())
    }

    fn suite(
        &self,
        machine: &mut Machine<'_, '_>,
        function: &FunctionSpec,
    ) -> Result<Suite, Failure> {
        let cases = spec_cases(function, &self.named.program_name())
            .map_err(|error| self.refused(Code::TrTestSyntax, error.to_string()))?;
        if let Some(unfilled) = self.unfilled() {
            return Err(self.assembled.failure(unfilled.into()));
        }
        let suite = Suite::prepare(machine, self.unit, self.program(), &cases);
        suite.map_err(|error| match error {
            SuiteError::Malformed { .. } => self.refused(Code::TrTestSyntax, error.to_string()),
            SuiteError::Unfilled {
                definition,
                unfilled,
            } => {
                let found = hole(&definition, &unfilled);
                self.assembled.failure(found.into())
            }
        })
    }

    /// Reports a hole that the function has or reaches, though it may have no case.
    fn unfilled(&self) -> Option<Diagnostic> {
        let entry = self.unit.entry(self.target()?)?;
        let unfilled = self.unit.unfilled(entry)?;
        Some(hole(&self.named.full_name(), &unfilled))
    }

    fn properties(
        &self,
        machine: &mut Machine<'_, '_>,
        spec: &Spec,
        function: &FunctionSpec,
        fuel: &mut u64,
        run: &mut TestRun,
    ) -> Result<(), Failure> {
        let target = self.target();
        let seed = spec.hashes.test.as_ref().map_or(0, seed_of);
        let properties = self.program().properties.iter();
        let own = properties
            .filter(|property| property.derived_from.is_none() || property.derived_from == target);
        for property in own {
            let written = function.properties.iter();
            let written = written.filter(|_| property.derived_from.is_none());
            let is_xfail = written
                .clone()
                .any(|written| written.name.value == property.name && written.is_xfail);
            let kept = self.options.kept.get(&property.name).cloned();
            let options = PropertyOptions {
                seed,
                kept: kept.unwrap_or_default(),
                is_xfail,
            };
            let program = self.program();
            match run_property(machine, self.unit, program, property, &options, fuel) {
                Ok(report) => {
                    run.warnings.append(self.warnings_of(&report));
                    run.rows.push(Row::Property(report));
                }
                Err(error) => {
                    let failure = self.ungenerable(property, &error.to_string());
                    match property.derived_from {
                        Some(_) => run.warnings.append(failure.diagnostics),
                        None => return Err(failure),
                    }
                }
            }
        }
        Ok(())
    }

    fn ungenerable(&self, property: &Property, reason: &str) -> Failure {
        let message = format!("`{}`: {reason}", property.name);
        self.refused(Code::TestUngenerableType, message)
    }

    fn warnings_of(&self, report: &PropertyReport) -> Diagnostics {
        let mut found = Diagnostics::new();
        if let Some(warning) = unmet_premise(report) {
            found.push(self.about_spec(warning));
        }
        if report.dropped_count > 0 {
            let message = format!(
                "of what `{}` failed on before, {} no longer read and are left out",
                report.name, report.dropped_count
            );
            found.push(self.about_spec(Diagnostic::new(Code::MalformedInput, message)));
        }
        if report.rarely_applies() {
            let message = format!(
                "`{}` says something about {} of {} inputs",
                report.name,
                report.applied_count.unwrap_or_default(),
                report.input_count
            );
            found.push(self.about_spec(Diagnostic::new(Code::PropertyRarelyApplies, message)));
        }
        found
    }
}

/// Makes the report that a definition has or reaches a hole.
fn hole(definition: &str, unfilled: &Unfilled) -> Diagnostic {
    let message = format!("`{definition}` has or reaches a hole");
    let mut diagnostic = Diagnostic::new(Code::UnfilledHole, message);
    diagnostic.file = unfilled.hole.map(|(file, _)| file);
    diagnostic.span = unfilled.hole.map(|(_, span)| span);
    diagnostic
}
