//! Running, beside `CPython` on the same work.

mod work;

use std::fmt::Write as _;
use std::process::Command;

use ::soil::check::{CheckOptions, check};
use ::soil::eval::{Bounds, Machine, Unit};
use ::soil::json::Json;
use ::soil::program::{Program, ProgramTexts, Text};
use ::soil::testing::{CaseArgument, Expectation, MAX_RUN_FUEL, Suite, TestCase, Verdict};
use ::soil::values::Value;

use super::generated::texts;
use crate::case::{Case, Clock};
use work::{PRELUDE, WORK, Work};

/// Test cases of small functions.
const CASES: usize = 1_000;

/// The functions that they are of.
const FUNCTIONS: usize = 10;

pub(super) fn cases(absent: &mut Vec<String>) -> Vec<Case> {
    let has_python = python("s = 1\n").is_ok();
    if !has_python {
        absent.push("CPython (`python3`)".to_owned());
    }
    let mut cases = vec![
        Case::new(
            "1,000 test cases of small functions",
            Clock::Thread,
            passed,
            |passed| *passed == Some(CASES),
        )
        .micros_at_most(100_000.0),
    ];
    for work in WORK {
        let ours = Prepared::of(work);
        let case = Case::of_samples(format!("ours: {}", work.name), move || ours.nanos());
        let theirs = format!("CPython: {}", work.name);
        if !has_python {
            cases.push(case);
            continue;
        }
        let ours = case.name.clone();
        cases.push(case.at_most(1.0, &theirs));
        cases.push(peer(theirs, work.python, work.result));
        if let Some(lines) = work.native {
            let name = format!("CPython, with loops in C: {}", work.name);
            cases.push(peer(name, lines, work.result).beside(&ours));
        }
    }
    cases
}

/// Lines of Python that give a number.
fn peer(name: String, lines: &'static str, expected: i64) -> Case {
    Case::of_samples(name, move || {
        let (result, nanos) = python(lines)?;
        let is_right = result == expected;
        is_right
            .then_some(nanos)
            .ok_or_else(|| format!("it gave {result}"))
    })
}

/// Reads, checks and compiles small functions, runs their cases, and counts those that pass.
fn passed() -> Option<usize> {
    let program = Program::read(&texts(FUNCTIONS)).ok()?;
    let checked = check(&program, CheckOptions::default());
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let json = |text: &str| Json::read(text.as_bytes()).ok();
    let arguments = ["1", "10", "5"].map(json);
    let arguments: Option<Vec<Json>> = arguments.into_iter().collect();
    let (arguments, expected) = (arguments?, json("12")?);
    let case = |number: usize| TestCase {
        name: format!("case#{number}"),
        definition: format!("step_{}", number % FUNCTIONS),
        binds: Vec::new(),
        arguments: arguments.iter().cloned().map(CaseArgument::Json).collect(),
        expected: Expectation::Value(expected.clone()),
        is_xfail: false,
    };
    let cases: Vec<TestCase> = (0..CASES).map(case).collect();
    let suite = Suite::prepare(&mut machine, &unit, &program, &cases).ok()?;
    let mut fuel = MAX_RUN_FUEL;
    let reports = suite.run(&mut machine, &mut fuel);
    let passed = reports
        .iter()
        .filter(|report| report.verdict == Verdict::Pass);
    Some(passed.count())
}

/// Work whose text is looked at once.
struct Prepared {
    program: Program,
    result: i64,
}

impl Prepared {
    fn of(work: &Work) -> Self {
        let texts = ProgramTexts {
            definitions: vec![Text::new("m/f.soil", work.soil.as_bytes())],
            ..ProgramTexts::default()
        };
        Self {
            program: Program::read(&texts).expect("there are no guards"),
            result: work.result,
        }
    }

    /// Runs the work once, as a checked and compiled program, and gives what the run took.
    fn nanos(&self) -> Result<f64, String> {
        let checked = check(&self.program, CheckOptions::default());
        if let Some(report) = checked.diagnostics.iter().next() {
            return Err(report.message.clone());
        }
        let unit = Unit::compile(&checked);
        let entry = self.program.find_definition("f");
        let entry = entry
            .and_then(|id| unit.entry(id))
            .ok_or("there is no `f`")?;
        let bounds = Bounds {
            fuel: u64::MAX,
            cells: u64::MAX,
            ..Bounds::default()
        };
        let mut machine = Machine::new(&unit, bounds);
        machine.reset();
        let start = Clock::Thread.now();
        let result = machine.call(entry, vec![Value::Signed(0)]);
        let nanos = Clock::Thread.nanos_since(start);
        match result {
            Ok(Value::Signed(result)) if result == self.result => Ok(nanos),
            other => Err(format!("it gave {other:?}")),
        }
    }
}

/// Runs lines within a function of `CPython`, which leave a result in `s`, and gives that and the nanoseconds they took.
#[expect(clippy::disallowed_methods, reason = "a peer is started as it is")]
fn python(lines: &str) -> Result<(i64, f64), String> {
    let mut script = "import time\nfrom functools import cmp_to_key, reduce\n".to_owned();
    script.push_str(PRELUDE);
    script.push_str("def f():\n");
    for line in lines.lines() {
        writeln!(script, "    {line}").map_err(|error| error.to_string())?;
    }
    script.push_str(
        "    return s\nt = time.thread_time_ns()\ns = f()\nprint(s, time.thread_time_ns() - t)\n",
    );
    let output = Command::new("python3").args(["-I", "-c", &script]).output();
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split_whitespace();
    let result = numbers.next().and_then(|text| text.parse().ok());
    let nanos = numbers.next().and_then(|text| text.parse().ok());
    result
        .zip(nanos)
        .ok_or_else(|| "CPython gave no numbers".to_owned())
}
