//! Shell sessions of specs: the commands of a `cram` block in one shell and a fresh folder.
//!
//! The shell has `TRELLIS_ROOT`, and on its `PATH` a `trellis` whose `call` runs a definition of the project. Standard
//! output and errors of a command are one text, which is compared byte by byte.

mod script;

use std::fmt::Write;
use std::path::Path;

use lonis::process::{Captured, Program};
use soil::diagnostic::{Code, Diagnostic};
use soil::source::FileId;
use soil::spec::{Cram, CramStep};
use soil::testing::{CaseReport, Details, Verdict};

use crate::confined::{ConfinedError, capture, confined, judge};
use crate::failure::Failure;
use crate::project::{Named, Project, ROOT_VARIABLE, Row};
use script::{Ran, Script};

/// Runs the sessions of a function's spec, and gives a row for each command.
///
/// # Errors
/// `io`, when no shell can be started, or the program does not know where it stands.
pub(crate) fn run_sessions(project: &Project, named: Named<'_>) -> Result<Vec<Row>, Failure> {
    let Some(spec) = &named.function.spec else {
        return Ok(Vec::new());
    };
    let crams = spec
        .function()
        .map_or(&[][..], |(_, function)| &function.crams);
    let mut rows = Vec::new();
    for cram in crams {
        let session = Session {
            project,
            file: spec.file,
            cram,
        };
        rows.extend(session.run()?);
    }
    Ok(rows)
}

struct Session<'s> {
    project: &'s Project,
    file: FileId,
    cram: &'s Cram,
}

impl Session<'_> {
    fn run(&self) -> Result<Vec<Row>, Failure> {
        let checker = std::env::current_exe().map_err(|error| self.failure(&error.to_string()))?;
        let script = Script::new(self.cram, &checker);
        let captured = capture(&program(&self.project.root), script.text().as_bytes());
        if captured.outcome.status.is_none()
            && let Some(error) = &captured.failure
        {
            return Err(self.failure(&error.to_string()));
        }
        let ran = script.read(&captured.stdout);
        let end = end(&captured);
        let steps = self.cram.steps.iter().zip(ran).enumerate();
        let rows =
            steps.map(|(index, (step, ran))| Row::Cram(self.report(index, step, &ran, &end)));
        Ok(rows.collect())
    }

    fn report(&self, index: usize, step: &CramStep, ran: &Ran<'_>, end: &str) -> CaseReport {
        let passes = matches!(ran, Ran::Ended { output, status }
            if *output == step.output.as_bytes() && *status == step.status);
        let verdict = Verdict::of(passes, self.cram.is_xfail);
        let details = (!verdict.is_good()).then(|| Details {
            expected: text(step.output.as_bytes(), step.status),
            actual: match ran {
                Ran::Ended { output, status } => text(output, *status),
                Ran::Cut { output } => format!("{}({end})", text(output, 0)),
                Ran::Never => "(not run: the shell had ended)".to_owned(),
            },
        });
        CaseReport {
            name: format!("{}#{}", self.cram.name.value, index + 1),
            verdict,
            details,
            difference: None,
            trace: Vec::new(),
        }
    }

    fn failure(&self, reason: &str) -> Failure {
        let name = &self.cram.name;
        let message = format!("the session `{}` cannot run: {reason}", name.value);
        Failure {
            diagnostics: Diagnostic::at(Code::Io, self.file, name.span, message).into(),
            sources: self.project.sources.clone(),
        }
    }
}

/// Gives the shell, which reads its script from stdin and leaves none of it there for the commands.
fn program(root: &Path) -> Program {
    let shell = Program::new("sh").with_args(["-c", script::BOOT]);
    confined(shell.with_env(ROOT_VARIABLE, root))
}

/// Says how the shell ended, for the command that it ended within.
fn end(captured: &Captured) -> String {
    match judge(captured) {
        Ok(()) => "the shell ended here".to_owned(),
        Err(ConfinedError::Process(error)) => error.to_string(),
        Err(error @ ConfinedError::Failed { .. }) => format!("the shell {error}"),
    }
}

/// Gives output and status as a block would have them.
fn text(output: &[u8], status: u8) -> String {
    let mut text = String::from_utf8_lossy(output).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str("(no line end)\n");
    }
    if status != 0 {
        writeln!(text, "[{status}]").expect("a text takes all that is written to it");
    }
    text
}
