//! Oracles: another implementation of a function, which the cases of its spec are put to as well.
//!
//! A spec names a function of a Python file or a command. Each case that expects a value, and need not fail, is put to it
//! in a process of its own; one answer that is not the value of its case makes the row fail. What cannot be asked at all
//! is `oracle-error`, beside what the definition's own tests came to.

mod attachment;

use std::time::{Duration, Instant};

use lonis::process::Captured;
use soil::check::Checked;
use soil::diagnostic::Code;
use soil::eval::{Bounds, Machine, Unit, border};
use soil::testing::{CaseReport, Details, Question, Suite, Verdict, difference, spec_cases};

use crate::confined::{answer, capture_all, shown, width};
use crate::failure::Failure;
use crate::project::{Assembled, Named, Project, Row, TestOptions, TestRun, run_checked};
pub(crate) use attachment::Attachment;

/// The time after which no further case is put to a reference, however little each of them takes.
///
/// # Units and bounds
/// 300 s.
const MAX_TIME: Duration = Duration::from_mins(5);

/// Runs all sandboxed tests of a function in a program that was checked, and then puts its cases to its reference.
///
/// A reference that cannot be asked is an `oracle-error` of the run, whose other rows stand.
///
/// # Errors
/// Those of [`run_checked`].
pub(crate) fn run_with_oracle(
    project: &Project,
    assembled: &Assembled,
    checked: &Checked<'_>,
    named: Named<'_>,
    options: &TestOptions,
) -> Result<TestRun, Failure> {
    let mut run = run_checked(assembled, checked, named, options)?;
    if let Some(attachment) = Attachment::of(project, named) {
        let row = compared(&attachment, assembled, checked, named);
        let rows = row.map(|row| row.into_iter().map(Row::Differential).collect());
        run.add(assembled, rows);
    }
    Ok(run)
}

/// Puts the cases to a reference; without a case there is nothing to say.
fn compared(
    attachment: &Attachment<'_>,
    assembled: &Assembled,
    checked: &Checked<'_>,
    named: Named<'_>,
) -> Result<Option<CaseReport>, Failure> {
    let program = &assembled.program;
    let unit = Unit::compile(checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let name = named.program_name();
    if let Some(target) = program.find_definition(&name) {
        attachment.refuse_capabilities(&border(&mut machine, program, target))?;
    }
    let spec = named
        .function
        .spec
        .as_ref()
        .and_then(|spec| spec.function());
    let Some((_, function)) = spec else {
        return Ok(None);
    };
    let malformed = |message: String| attachment.failure(Code::TrTestSyntax, message);
    let cases = spec_cases(function, &name).map_err(|error| malformed(error.to_string()))?;
    let suite = Suite::prepare(&mut machine, &unit, program, &cases)
        .map_err(|error| malformed(error.to_string()))?;
    let questions = suite.questions(&mut machine, program);
    if questions.is_empty() {
        return Ok(None);
    }
    attachment.judge()?;
    put(attachment, &mut machine, &questions, MAX_TIME).map(Some)
}

/// Puts questions to a reference, some of them at one time, up to the first answer that is not the expected one.
fn put(
    attachment: &Attachment<'_>,
    machine: &mut Machine<'_, '_>,
    questions: &[Question],
    max_time: Duration,
) -> Result<CaseReport, Failure> {
    let report = CaseReport {
        name: attachment.row_name(),
        verdict: Verdict::Pass,
        details: None,
        difference: None,
        trace: Vec::new(),
    };
    let started = Instant::now();
    let program = attachment.program();
    for questions in questions.chunks(width()) {
        if started.elapsed() > max_time {
            let seconds = max_time.as_secs();
            return Err(attachment.error(&format!("takes more than {seconds} s for all cases")));
        }
        let inputs = questions.iter().map(|one| one.arguments.as_bytes());
        let answers = capture_all(&program, inputs);
        for (question, captured) in questions.iter().zip(answers) {
            let actual = answered(attachment, machine, question, captured)?;
            if actual != question.expected {
                return Ok(differs(report, question, &actual));
            }
        }
    }
    Ok(report)
}

/// Reports the first case to which a reference has another answer.
fn differs(report: CaseReport, question: &Question, actual: &str) -> CaseReport {
    CaseReport {
        verdict: Verdict::Fail,
        difference: difference(&question.expected, actual),
        details: Some(Details {
            expected: question.expected.clone(),
            actual: format!("{actual} at {}", question.arguments),
        }),
        ..report
    }
}

/// Gives the canonical text of what a reference answers.
fn answered(
    attachment: &Attachment<'_>,
    machine: &mut Machine<'_, '_>,
    question: &Question,
    captured: Captured,
) -> Result<String, Failure> {
    let failed = |reason: &dyn std::fmt::Display| {
        let (case, arguments) = (&question.case, shown(&question.arguments));
        attachment.error(&format!(
            "gives no answer to `{case}` {arguments}: {reason}"
        ))
    };
    let bytes = answer(captured).map_err(|error| failed(&error))?;
    question
        .answer(machine, &bytes)
        .map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use lonis::limits::Bound;

    use super::*;
    use crate::project::{Depends, assemble, checked};

    const SPEC: &str = "---\nname: half\n---\n\nHalves.\n\n```soil-sig\nhalf : (x : I64) -> panic I64\n```\n\n\
        ```test some\n(8) => 4\n(9) => 4\n```\n\n```reference\ncli sh -c exit\n```\n";
    const BODY: &str = "half : (x : I64) -> panic I64\nhalf x = x / 2\n";

    #[test]
    fn no_case_is_put_when_the_time_is_up() {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in [("soil.toml", ""), ("half.tr", SPEC), ("half.soil", BODY)] {
            std::fs::write(root.path().join(path), text).expect("it is written");
        }
        let project = Project::load(root.path()).expect("it reads");
        let named = project.function("half").expect("it is there");
        let assembled = assemble(&project, &Depends::Target { named, draft: None });
        let assembled = assembled.expect("it is a program");
        let checked = checked(&assembled).expect("it is right");
        let unit = Unit::compile(&checked);
        let mut machine = Machine::new(&unit, Bounds::default());
        let (_, function) = named
            .function
            .spec
            .as_ref()
            .and_then(|spec| spec.function())
            .expect("a function");
        let cases = spec_cases(function, &named.program_name()).expect("they read");
        let suite = Suite::prepare(&mut machine, &unit, &assembled.program, &cases);
        let questions = suite
            .expect("they fit")
            .questions(&mut machine, &assembled.program);
        assert_eq!(questions.len(), 2);
        let attachment = Attachment::of(&project, named).expect("there is one");
        // One that never ends does not cost all the time that a program has.
        let limits = *attachment.program().limits();
        assert_eq!(limits.value(Bound::MaxCpuMillis), Some(10_000));
        assert_eq!(limits.value(Bound::TimeoutMillis), Some(30_000));
        let refused = put(&attachment, &mut machine, &questions, Duration::ZERO);
        let refused = refused.expect_err("the time is up");
        assert!(refused.has(Code::OracleError));
        assert_eq!(
            refused.first_message(),
            "the reference `cli sh -c exit` takes more than 0 s for all cases"
        );
    }
}
