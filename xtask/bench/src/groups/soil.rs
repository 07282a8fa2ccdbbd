//! The language of the checker: reading, checking and running, beside `CPython` on the same work.
//!
//! CPU time of the thread; that of `CPython` is what it says of its own, without its start.

use std::fmt::Write as _;
use std::process::Command;

use ::soil::check::{CheckOptions, check};
use ::soil::eval::{Bounds, Machine, Unit};
use ::soil::program::{Program, ProgramTexts, Text};
use ::soil::source::FileId;
use ::soil::syntax::{FileShape, Names, parse};
use ::soil::values::Value;

use crate::case::{Case, Clock};
use crate::kit::Kit;

/// Definitions of the project that is read and checked.
const DEFINITIONS: usize = 1_000;

/// Signatures that one definition may call.
const CALLEES: usize = 200;

/// Calls of a small function.
const CALLS: u32 = 1_000;

pub(super) fn cases(_kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let mut cases = checking();
    cases.extend(running(absent));
    cases
}

/// Gives a definition of 12 lines that calls the one before it.
fn definition(number: usize) -> (String, String) {
    let name = format!("step_{number}");
    let inner = match number.checked_sub(1) {
        Some(before) => format!("step_{before} low high (value - low)"),
        None => "value".to_owned(),
    };
    let text = format!(
        "{name} : (low : I64) -> (high : I64) -> (value : I64) -> panic I64\n\
         {name} low high value =\n  let width = high - low in\n  let moved = fun by ->\n    if by < width\n    \
         then value + by\n    else width\n  in\n  match Some (moved low) with\n  | None -> low\n  \
         | Some found -> if found < low\n    then {inner}\n    else found * 2\n"
    );
    (name, text)
}

fn project(count: usize) -> ProgramTexts {
    let definitions = (0..count).map(|number| {
        let (name, text) = definition(number);
        Text::new(format!("m/{name}.soil"), text.into_bytes())
    });
    ProgramTexts {
        definitions: definitions.collect(),
        ..ProgramTexts::default()
    }
}

fn is_accepted(texts: &ProgramTexts) -> bool {
    let program = Program::read(texts).expect("there are no guards");
    check(&program, CheckOptions::default())
        .diagnostics
        .is_empty()
}

fn checking() -> Vec<Case> {
    let mut whole = String::new();
    for number in 0..DEFINITIONS {
        writeln!(whole, "{}", definition(number).1).expect("a string takes all");
    }
    let lines = u32::try_from(whole.lines().count()).expect("a small number");
    let texts = project(DEFINITIONS);
    let mut callees = project(CALLEES + 1);
    callees.signatures = callees.definitions.drain(..CALLEES).collect();
    let again = texts.clone();
    vec![
        Case::new(
            "parse, a line",
            Clock::Thread,
            move || {
                parse(
                    FileId::new(0),
                    whole.as_bytes(),
                    FileShape::Free,
                    &mut Names::new(),
                )
            },
            |parsed| parsed.diagnostics.is_empty(),
        )
        .divided_by(lines)
        .micros_at_most(2.0),
        Case::new(
            "read and check, a line",
            Clock::Thread,
            move || is_accepted(&texts),
            |is_accepted| *is_accepted,
        )
        .divided_by(lines)
        .micros_at_most(5.0),
        Case::new(
            "read and check 1,000 definitions",
            Clock::Thread,
            move || is_accepted(&again),
            |is_accepted| *is_accepted,
        )
        .micros_at_most(500_000.0),
        Case::new(
            "read and check one definition among 200 signatures",
            Clock::Thread,
            move || is_accepted(&callees),
            |is_accepted| *is_accepted,
        )
        .micros_at_most(1_000.0),
    ]
}

/// A loop in both languages, with the number that it gives.
struct Loop {
    name: &'static str,
    soil: &'static str,
    python: &'static str,
    result: i64,
}

const LOOPS: [Loop; 3] = [
    Loop {
        name: "a loop of 200,000 sums",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec go = fun i sum -> if i == 200000 then sum else go (i + 1) (sum + i % 7) in go 0 n\n",
        python: "i, s = 0, 0\nwhile i != 200000:\n    s += i % 7\n    i += 1\n",
        result: 599_994,
    },
    Loop {
        name: "a list of 100,000 elements, appended and read",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i xs -> if i == 100000 then xs else fill (i + 1) (list_append xs i) in let xs = fill 0 list_empty in let rec go = fun i sum -> if i == 100000 then sum else go (i + 1) (sum + list_nth xs i) in go 0 n\n",
        python: "xs = []\ni = 0\nwhile i != 100000:\n    xs.append(i)\n    i += 1\ni, s = 0, 0\nwhile i != 100000:\n    s += xs[i]\n    i += 1\n",
        result: 4_999_950_000,
    },
    Loop {
        name: "a map of 20,000 keys, inserted",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i m -> if i == 20000 then map_len m else fill (i + 1) (map_insert m (i * 7919 % 20011) i) in fill n map_empty\n",
        python: "m = {}\ni = 0\nwhile i != 20000:\n    m[i * 7919 % 20011] = i\n    i += 1\ns = len(m)\n",
        result: 20_000,
    },
];

fn running(absent: &mut Vec<String>) -> Vec<Case> {
    let has_python = python("s = 1\n").is_ok();
    if !has_python {
        absent.push("CPython (`python3`)".to_owned());
    }
    let small = "f : (n : I64) -> div panic I64\nf n = if n < 3 then n else n * 2 - 1\n";
    let mut cases = vec![
        Case::new(
            "1,000 calls of a small function",
            Clock::Thread,
            move || run(small, CALLS, 7),
            |result| *result == Some(13),
        )
        .micros_at_most(100_000.0),
    ];
    for each in LOOPS {
        let ours = format!("ours: {}", each.name);
        let theirs = format!("CPython: {}", each.name);
        let case = Case::new(
            ours,
            Clock::Thread,
            move || run(each.soil, 1, 0),
            move |result| *result == Some(each.result),
        );
        if has_python {
            cases.push(case.at_most(1.0, &theirs));
            cases.push(Case::of_samples(theirs, move || {
                let (result, nanos) = python(each.python)?;
                let is_right = result == each.result;
                is_right
                    .then_some(nanos)
                    .ok_or_else(|| format!("it gave {result}"))
            }));
        } else {
            cases.push(case);
        }
    }
    cases
}

/// Reads, checks and compiles a definition, and calls it some times.
fn run(text: &str, times: u32, argument: i64) -> Option<i64> {
    let texts = ProgramTexts {
        definitions: vec![Text::new("m/f.soil", text.as_bytes())],
        ..ProgramTexts::default()
    };
    let program = Program::read(&texts).ok()?;
    let checked = check(&program, CheckOptions::default());
    let unit = Unit::compile(&checked);
    let entry = unit.entry(program.find_definition("f")?)?;
    let bounds = Bounds {
        fuel: u64::MAX,
        cells: u64::MAX,
        ..Bounds::default()
    };
    let mut machine = Machine::new(&unit, bounds);
    let mut result = None;
    for _ in 0..times {
        machine.reset();
        result = match machine.call(entry, vec![Value::Signed(argument)]) {
            Ok(Value::Signed(value)) => Some(value),
            _ => return None,
        };
    }
    result
}

/// Runs lines within a function of `CPython`, which leave a result in `s`, and gives that and the nanoseconds they took.
#[expect(clippy::disallowed_methods, reason = "a peer is started as it is")]
fn python(lines: &str) -> Result<(i64, f64), String> {
    let mut script = "import time\ndef f():\n".to_owned();
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
