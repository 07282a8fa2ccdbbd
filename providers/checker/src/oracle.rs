//! Oracles: another implementation of a function, which the cases of its spec are put to as well.
//!
//! A spec names a function of a Python file or a command. Each case that expects a value, and need not fail, is put to it
//! in a process of its own; one answer that is not the value of its case makes the row fail. What cannot be asked at all
//! is `oracle-error`.

mod attachment;

use soil::check::Checked;
use soil::diagnostic::Code;
use soil::eval::{Bounds, Machine, Unit, border};
use soil::testing::{CaseReport, Details, Question, Suite, Verdict, difference, spec_cases};

use crate::confined::{answer, capture, shown};
use crate::failure::Failure;
use crate::project::{Assembled, Named, Project, Row, TestOptions, TestRun, run_checked};
pub(crate) use attachment::Attachment;

/// Runs all sandboxed tests of a function in a program that was checked, and puts its cases to its reference.
///
/// # Errors
/// Those of [`run_checked`], and `oracle-error`.
pub(crate) fn run_with_oracle(
    project: &Project,
    assembled: &Assembled,
    checked: &Checked<'_>,
    named: Named<'_>,
    options: &TestOptions,
) -> Result<TestRun, Failure> {
    let mut run = run_checked(assembled, checked, named, options)?;
    let row = Attachment::of(project, named)
        .map(|attachment| compared(&attachment, assembled, checked, named))
        .transpose()?;
    run.rows.extend(row.flatten().map(Row::Differential));
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
    let mut report = CaseReport {
        name: attachment.row_name(),
        verdict: Verdict::Pass,
        details: None,
        difference: None,
        trace: Vec::new(),
    };
    for question in &questions {
        let actual = ask(attachment, &mut machine, question)?;
        if actual != question.expected {
            report.verdict = Verdict::Fail;
            report.difference = difference(&question.expected, &actual);
            report.details = Some(Details {
                expected: question.expected.clone(),
                actual: format!("{actual} at {}", question.arguments),
            });
            break;
        }
    }
    Ok(Some(report))
}

/// Gives the canonical text of what a reference answers.
fn ask(
    attachment: &Attachment<'_>,
    machine: &mut Machine<'_, '_>,
    question: &Question,
) -> Result<String, Failure> {
    let failed = |reason: &dyn std::fmt::Display| {
        let (case, arguments) = (&question.case, shown(&question.arguments));
        attachment.error(&format!(
            "gives no answer to `{case}` {arguments}: {reason}"
        ))
    };
    let captured = capture(&attachment.program(), question.arguments.as_bytes());
    let bytes = answer(captured).map_err(|error| failed(&error))?;
    question
        .answer(machine, &bytes)
        .map_err(|error| failed(&error))
}
