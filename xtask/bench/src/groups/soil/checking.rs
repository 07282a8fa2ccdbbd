//! Reading and checking.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use ::soil::check::{CheckOptions, check};
use ::soil::program::{Program, ProgramTexts};
use ::soil::source::FileId;
use ::soil::syntax::{FileShape, Names, parse};

use super::generated::{definition, texts};
use crate::case::{Case, Clock};
use crate::report::Fact;

/// Definitions of the project that is read and checked.
pub(super) const DEFINITIONS: usize = 1_000;

/// Signatures that one definition may call.
pub(super) const CALLEES: usize = 200;

/// Sizes at which a definition has to take the same time, as multiples of the first.
const GROWTH: [usize; 3] = [1, 4, 16];

/// The definitions of the smallest size.
const SMALLEST: usize = 250;

fn is_accepted(texts: &ProgramTexts) -> bool {
    let Ok(program) = Program::read(texts) else {
        return false;
    };
    let checked = check(&program, CheckOptions::default());
    checked.diagnostics.is_empty()
}

pub(super) fn cases() -> Vec<Case> {
    let mut whole = String::new();
    for number in 0..DEFINITIONS {
        // A string takes all that is written to it.
        let _ = writeln!(whole, "{}", definition(number).1);
    }
    let lines = u32::try_from(whole.lines().count()).unwrap_or(u32::MAX);
    let mut callees = texts(CALLEES + 1);
    callees.signatures = callees.definitions.drain(..CALLEES).collect();
    let mut cases = vec![
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
        accepted("read and check, a line", texts(DEFINITIONS))
            .divided_by(lines)
            .micros_at_most(5.0),
        accepted("read and check 1,000 definitions", texts(DEFINITIONS)).micros_at_most(500_000.0),
        accepted(
            "read and check one definition among 200 signatures",
            callees,
        )
        .micros_at_most(1_000.0),
    ];
    let name = |times: usize| format!("read and check {} definitions, each", SMALLEST * times);
    for times in GROWTH {
        let count = SMALLEST * times;
        let case = accepted(&name(times), texts(count));
        let case = case.divided_by(u32::try_from(count).unwrap_or(u32::MAX));
        cases.push(if times == 1 {
            case
        } else {
            case.at_most(1.25, &name(1))
        });
    }
    cases
}

fn accepted(name: &str, texts: ProgramTexts) -> Case {
    Case::new(
        name,
        Clock::Thread,
        move || is_accepted(&texts),
        |is_accepted| *is_accepted,
    )
}

/// Checks a generated project in this process, and gives the most memory that it has held.
pub(crate) fn check_generated(count: usize) -> Option<usize> {
    let texts = texts(count);
    let program = Program::read(&texts).ok()?;
    let checked = check(&program, CheckOptions::default());
    let is_accepted = checked.diagnostics.is_empty();
    is_accepted.then(peak_bytes).flatten()
}

/// The most memory that this process has held.
fn peak_bytes() -> Option<usize> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// The peak of a process that reads and checks a project, above that of one that does so with a single definition.
pub(super) fn facts() -> Result<Vec<Fact>, String> {
    let sizes = |count| {
        let texts = texts(count);
        let sizes = texts.definitions.iter().map(|text| text.bytes.len());
        sizes.sum::<usize>()
    };
    let count = SMALLEST * GROWTH[2];
    let held = peak_of(count)?.saturating_sub(peak_of(1)?);
    #[expect(clippy::cast_precision_loss, reason = "bytes of a small process")]
    let value = held as f64 / sizes(count) as f64;
    Ok(vec![Fact {
        name: format!("memory of reading and checking {count} definitions"),
        value,
        unit: "bytes for each byte of source",
        at_most: Some(100.0),
    }])
}

#[expect(clippy::disallowed_methods, reason = "this program again")]
fn peak_of(count: usize) -> Result<usize, String> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(own)
        .args(["checked", &count.to_string()])
        .output();
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let peak = text.trim().parse().ok().filter(|_| output.status.success());
    peak.ok_or_else(|| "a process that checks told no peak".to_owned())
}
