//! Running small programs.

mod bounds;
mod builtins;
mod guards;
mod language;

use super::*;
use crate::check::{CheckOptions, Checked, Depth, check};
use crate::json::Json;
use crate::program::{GuardTexts, Program, ProgramTexts, Text};
use crate::values::{Meter, Value, read, write};

/// Types for the programs of these tests.
const TYPES: &str = r#"{"types":[
{"name":"Point","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Record","value":{"fields":[
 {"name":"y","shape":{"tag":"SCon","value":{"name":"I64","args":[]}},"ignored":{"tag":"None"}},
 {"name":"unit","shape":{"tag":"SCon","value":{"name":"Utf8","args":[]}},
  "ignored":{"tag":"Some","value":{"tag":"Const","value":{"value":"cm"}}}},
 {"name":"x","shape":{"tag":"SCon","value":{"name":"I64","args":[]}},"ignored":{"tag":"None"}},
 {"name":"same","shape":{"tag":"SCon","value":{"name":"I64","args":[]}},
  "ignored":{"tag":"Some","value":{"tag":"CopyField","value":{"field":"x"}}}}]}}},
{"name":"Line","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Record","value":{"fields":[
 {"name":"from","shape":{"tag":"SCon","value":{"name":"Point","args":[]}},"ignored":{"tag":"None"}},
 {"name":"to","shape":{"tag":"SCon","value":{"name":"Point","args":[]}},"ignored":{"tag":"None"}}]}}},
{"name":"Shape","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Sum","value":{"variants":[
 {"name":"Dot","payload":{"tag":"None"}},
 {"name":"Circle","payload":{"tag":"Some","value":{"tag":"SCon","value":{"name":"I64","args":[]}}}},
 {"name":"Box","payload":{"tag":"None"},"fields":{"tag":"Some","value":[
  {"name":"w","shape":{"tag":"SCon","value":{"name":"I64","args":[]}},"ignored":{"tag":"None"}},
  {"name":"h","shape":{"tag":"SCon","value":{"name":"I64","args":[]}},"ignored":{"tag":"None"}}]}}]}}},
{"name":"Nat","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Sum","value":{"variants":[
 {"name":"Zero","payload":{"tag":"None"}},
 {"name":"Next","payload":{"tag":"Some","value":{"tag":"SCon","value":{"name":"Nat","args":[]}}}}]}}}
]}"#;

/// Reads definitions, each in a file of its own of the module `t`, callee before caller.
fn program(definitions: &[&str], guards: Vec<GuardTexts>) -> Program {
    let texts = ProgramTexts {
        types: Some(Text::new("env.json", TYPES.as_bytes())),
        root_module: "t".to_owned(),
        definitions: definitions
            .iter()
            .map(|text| {
                let name = text.split([' ', ':']).next().unwrap_or_default();
                Text::new(format!("t/{name}.soil"), text.as_bytes())
            })
            .collect(),
        guards,
        ..ProgramTexts::default()
    };
    Program::read(&texts).expect("the inputs read")
}

fn checked(program: &Program) -> Checked<'_> {
    let options = CheckOptions {
        depth: Depth::Matches,
        is_rich: false,
    };
    let checked = check(program, options);
    let reports: Vec<String> = checked
        .diagnostics
        .iter()
        .map(|found| format!("{} {}", found.code, found.message))
        .collect();
    assert!(reports.is_empty(), "{reports:?}");
    checked
}

/// Runs a definition on arguments in JSON; gives canonical text or what was raised.
fn run_in(
    program: &Program,
    bounds: Bounds,
    entry: &str,
    arguments: &[&str],
) -> Result<String, Raised> {
    let checked = checked(program);
    let unit = Unit::compile(&checked);
    let id = program.find_definition(entry).expect("the entry is there");
    let mut machine = Machine::new(&unit, bounds);
    let (params, result) = parameters(&mut machine, program, id);
    let values: Vec<Value> = arguments
        .iter()
        .zip(&params)
        .map(|(text, form)| {
            let json = Json::read(text.as_bytes()).expect("the argument is JSON");
            read(machine.forms(), *form, &json).expect("the argument is of its type")
        })
        .collect();
    machine.reset();
    let value = machine.call(unit.entry(id).expect("it has code"), values)?;
    let text = write(
        machine.forms(),
        result,
        &value,
        &mut Meter::UNBOUNDED.clone(),
    );
    Ok(text.expect("nothing is bounded"))
}

/// Runs the last of some definitions.
fn run(definitions: &[&str], arguments: &[&str]) -> Result<String, Raised> {
    let program = program(definitions, Vec::new());
    let last = definitions.last().expect("there is one");
    let entry = last.split([' ', ':']).next().expect("it has a name");
    run_in(&program, Bounds::default(), entry, arguments)
}

fn gives(definitions: &[&str], arguments: &[&str], expected: &str) {
    let result = run(definitions, arguments);
    assert_eq!(
        result.as_deref(),
        Ok(expected),
        "{definitions:?} {arguments:?}"
    );
}

fn raises(definitions: &[&str], arguments: &[&str], expected: &str) -> Raised {
    let raised = run(definitions, arguments).expect_err("it raises");
    assert_eq!(raised.kind.text(), expected, "{raised}");
    raised
}
