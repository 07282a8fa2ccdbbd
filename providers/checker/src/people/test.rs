//! `test`: the cases, properties and references of definitions, and their shell sessions where they are asked for.

use std::fmt::Write;

use soil::diagnostic::{Code, Diagnostics};
use soil::document::{self, Detail, Writer};

use super::{Common, Outcome};
use crate::cram::run_sessions;
use crate::face::{Severity, labelled};
use crate::failure::Failure;
use crate::oracle::run_with_oracle;
use crate::project::{Depends, Named, Project, Row, TestOptions, TestRun, assemble, checked};
use crate::project_tools::{unwritten, unwritten_line};

/// What `test` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// Definitions, `<module>/<name>` or the name where it is unique; all that have a body without any.
    #[arg(value_name = "DEF")]
    definitions: Vec<String>,
    /// Runs the shell sessions of `cram` blocks too.
    #[arg(long = "real")]
    is_real: bool,
    #[command(flatten)]
    common: Common,
}

/// What came of one definition.
struct Tested {
    name: String,
    result: Result<TestRun, Failure>,
}

impl Tested {
    fn is_good(&self) -> bool {
        self.result.as_ref().is_ok_and(TestRun::is_good)
    }
}

pub(super) fn run(arguments: &Test, is_json: bool) -> Result<Outcome, Failure> {
    let project = arguments.common.project()?;
    let wanted: Vec<Named<'_>> = if arguments.definitions.is_empty() {
        let functions = project.functions();
        functions
            .filter(|named| named.function.body.is_some())
            .collect()
    } else {
        let names = arguments.definitions.iter();
        names
            .map(|name| project.function(name))
            .collect::<Result<_, _>>()?
    };
    let tested: Vec<Tested> = wanted
        .into_iter()
        .map(|named| one(&project, named, arguments.is_real))
        .collect();
    // Who names definitions is told of each; who asks for all is told what was left out.
    let left: Vec<String> = if arguments.definitions.is_empty() {
        unwritten(&project).map(|named| named.full_name()).collect()
    } else {
        Vec::new()
    };
    let text = if is_json {
        document(&tested, &left)
    } else {
        shown(&tested) + &unwritten_line(&left, "not tested")
    };
    Ok(Outcome {
        text,
        is_good: tested.iter().all(Tested::is_good),
    })
}

fn one(project: &Project, named: Named<'_>, is_real: bool) -> Tested {
    Tested {
        name: named.full_name(),
        result: result(project, named, is_real),
    }
}

fn result(project: &Project, named: Named<'_>, is_real: bool) -> Result<TestRun, Failure> {
    if named.function.body.is_none() {
        let message = format!("`{}` has no body yet", named.full_name());
        return Err(Failure::new(Code::NoDraft, message));
    }
    let depends = Depends::Target { named, draft: None };
    let assembled = assemble(project, &depends)?;
    let checked = checked(&assembled)?;
    let options = TestOptions::default();
    let mut run = run_with_oracle(project, &assembled, &checked, named, &options)?;
    if is_real {
        run.add(&assembled, run_sessions(project, named));
    }
    Ok(run)
}

/// Writes the document of tests.
///
/// # Wire shape
/// `{"definitions":[{"definition":…,"cases":[…],"warnings":[…]}]}`; a definition whose tests cannot run has `errors`
/// instead, and one whose reference or shell sessions cannot has them beside its cases. `unwritten` follows with the names of specs without a body that were left out, where there are any.
fn document(tested: &[Tested], left: &[String]) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("definitions").array(|writer| {
            for one in tested {
                writer.object(|writer| members(writer, one));
            }
        });
        if !left.is_empty() {
            writer.key("unwritten").array(|writer| {
                for name in left {
                    writer.string(name);
                }
            });
        }
    });
    writer.finish_document()
}

fn members(writer: &mut Writer, tested: &Tested) {
    writer.key("definition").string(&tested.name);
    let mut cut = 0;
    let mut add = |writer: &mut Writer, key: &'static str, found: &Diagnostics, sources| {
        cut += document::list(writer.key(key), found.clone(), sources, Detail::Rich);
    };
    match &tested.result {
        Ok(run) => {
            writer
                .key("cases")
                .array(|writer| run.rows.iter().for_each(|row| row.write(writer, true)));
            if !run.errors.is_empty() {
                add(writer, "errors", &run.errors, &run.sources);
            }
            add(writer, "warnings", &run.warnings, &run.sources);
        }
        Err(failure) => add(writer, "errors", &failure.diagnostics, &failure.sources),
    }
    if cut > 0 {
        writer.key("suppressed").number(cut as u64);
    }
}

/// Shows a line for each definition, and below it what is not as it should be.
fn shown(tested: &[Tested]) -> String {
    let definitions = tested.iter().map(|one| {
        let result = match &one.result {
            Ok(run) => run_shown(run),
            Err(failure) => {
                let found = labelled(&failure.diagnostics, &failure.sources, Severity::Error);
                format!("not run\n{found}")
            }
        };
        format!("{}: {result}", one.name)
    });
    let text: String = definitions.collect();
    let good = tested.iter().filter(|one| one.is_good()).count();
    let noun = if tested.len() == 1 {
        "definition"
    } else {
        "definitions"
    };
    text + &format!("{good} of {} {noun} as it should be\n", tested.len())
}

fn run_shown(run: &TestRun) -> String {
    let good = run
        .rows
        .iter()
        .filter(|row| row.verdict().is_good())
        .count();
    let mut text = format!("{good} of {} tests as they should be\n", run.rows.len());
    for row in run.rows.iter().filter(|row| !row.verdict().is_good()) {
        text += &row_shown(row);
    }
    if !run.errors.is_empty() {
        text += &labelled(&run.errors, &run.sources, Severity::Error);
    }
    if !run.warnings.is_empty() {
        text += &labelled(&run.warnings, &run.sources, Severity::Warning);
    }
    text
}

/// Shows a failed test, a counterexample as a line ready for a `test` block.
fn row_shown(row: &Row) -> String {
    let mut text = format!("  {} {}\n", row.verdict().text(), row.name());
    if let Some(details) = row.details() {
        let (expected, actual) = (&details.expected, &details.actual);
        write!(text, "    expected {expected}\n    actual   {actual}\n")
            .expect("a text takes what is written");
    }
    if let Row::Property(report) = row
        && let Some(found) = &report.counterexample
    {
        let arguments = found.arguments.join(", ");
        writeln!(text, "    case     ({arguments}) => …").expect("a text takes what is written");
    }
    text
}
