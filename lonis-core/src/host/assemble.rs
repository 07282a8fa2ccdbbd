//! From what a file says to a provider or a tool that can be run: variables are read here, and nothing is started.

use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::path::Path;

use lonis_schema::{ErrorKind, ToolContract, ToolError, ToolId};

use super::config::{EnvValue, Execution, PlainTool, ProviderEntry};
use super::environment::Environment;
use crate::availability;
use crate::declared::Declared;
use crate::process::{ProcessError, Program};
use crate::{SubprocessProvider, SubprocessTool, read_regular_file};

/// Bytes that a file which holds the value of a variable may have.
const MAX_VALUE_BYTES: u64 = 1_048_576;

/// A provider of what a file says.
pub(super) fn provider(
    entry: &ProviderEntry,
    execution: &Execution,
    environment: &Environment,
) -> Result<SubprocessProvider, ToolError> {
    let program = program(&entry.command, execution, environment)?.with_args(&entry.args);
    let mut provider = SubprocessProvider::of_program(program);
    if let Some(args) = &entry.surface.manifest {
        provider = provider.with_manifest_args(args);
    }
    if let Some(args) = &entry.surface.tools_list {
        provider = provider.with_tools_list_args(args);
    }
    if let Some(args) = &entry.surface.describe {
        provider = provider.with_describe_args(args);
    }
    if let Some(args) = &entry.surface.call {
        provider = provider.with_call_args(args);
    }
    for (native, tool) in &entry.tools {
        if let Some(id) = &tool.id {
            provider = provider.with_id(native, id.clone());
        }
    }
    Ok(provider)
}

/// One tool of a provider, under the keys that its file has for that tool alone.
pub(super) fn native_tool(
    provider: &SubprocessProvider,
    entry: &ProviderEntry,
    execution: &Execution,
    environment: &Environment,
    native: &str,
) -> Result<SubprocessTool, ToolError> {
    let tool = provider.tool(native)?;
    match entry.tools.iter().find(|(name, _)| name == native) {
        Some((_, own)) => {
            let execution = own.execution.over(execution);
            let program = under(tool.program().clone(), &execution, environment)?;
            Ok(sandboxed(tool.with_program(|_| program), &execution))
        }
        None => Ok(sandboxed(tool, execution)),
    }
}

/// Holds a tool to its contract where the keys say so.
fn sandboxed(tool: SubprocessTool, execution: &Execution) -> SubprocessTool {
    match execution.sandbox() {
        Some(sandbox) => tool.with_sandbox(sandbox),
        None => tool,
    }
}

/// A plain CLI as a tool.
pub(super) fn plain(
    id: &ToolId,
    tool: &PlainTool,
    execution: &Execution,
    environment: &Environment,
) -> Result<SubprocessTool, ToolError> {
    let program = program(&tool.command, execution, environment)?;
    let declared = Declared::new(
        tool.args.clone(),
        tool.stdin.clone(),
        environment.directory(),
        tool.output_json_schema.as_ref(),
    )?;
    let mut built = SubprocessTool::of_program(id.clone(), program)
        .with_declared(declared)
        .with_mapping(tool.mapping)
        .with_encoding(tool.encoding)
        .with_description(&tool.description)
        .with_version(&tool.version)
        .with_contract(contract(id, tool));
    for (code, meaning) in &tool.exit_codes {
        built = built.with_exit_code(*code, meaning.clone());
    }
    Ok(sandboxed(built, execution))
}

/// Looks whether the program of a plain CLI is there, with every variable that its file asks for.
pub(super) fn look_for_plain(
    tool: &PlainTool,
    execution: &Execution,
    environment: &Environment,
) -> Result<(), ToolError> {
    let program = program(&tool.command, execution, environment)?;
    availability::look(&program).map_err(|missing| ProcessError::Unavailable(missing).into())
}

/// The contract of a plain CLI, as its file declares it.
pub(super) fn contract(id: &ToolId, tool: &PlainTool) -> ToolContract {
    let mut contract = ToolContract::new(id.as_str(), &tool.description)
        .with_determinism(tool.determinism)
        .with_side_effects(tool.side_effects)
        .with_cost(tool.cost)
        .with_capabilities(tool.capabilities.iter().cloned());
    if let Some(schema) = &tool.input_json_schema {
        contract = contract.with_input_json_schema(schema.clone());
    }
    if let Some(schema) = &tool.output_json_schema {
        contract = contract.with_output_json_schema(schema.clone());
    }
    contract
}

/// Appends everything of a registration that an answer could depend on, the values of variables included.
///
/// Only a digest of it is ever kept, so that no secret reaches a file.
pub(super) fn identify(
    entry: &ProviderEntry,
    execution: &Execution,
    environment: &Environment,
    identity: &mut Vec<u8>,
) {
    let mut digested = Digested(identity);
    entry.hash(&mut digested);
    // As most have it; each key that is not set would add some bytes to the digest.
    let is_plain = *execution == Execution::default();
    is_plain.hash(&mut digested);
    if !is_plain {
        execution.hash(&mut digested);
    }
    environment.variable("PATH").hash(&mut digested);
    for name in execution.pass_env.iter().flatten() {
        environment.passed(name).hash(&mut digested);
    }
    for (name, value) in execution.env.iter().flatten() {
        match resolve(name, value, environment) {
            Ok(value) => value.hash(&mut digested),
            Err(error) => error.message().hash(&mut digested),
        }
    }
}

/// The bytes of whatever is hashed, of which a digest is made that is the same in every process.
struct Digested<'a>(&'a mut Vec<u8>);

impl Hasher for Digested<'_> {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.len() as u64
    }
}

fn program(
    command: &str,
    execution: &Execution,
    environment: &Environment,
) -> Result<Program, ToolError> {
    let program = match environment.variable("PATH") {
        Some(path) => Program::in_path(command, Some(path.to_owned())),
        None => Program::new(command),
    };
    under(program, execution, environment)
}

/// A program under execution keys.
fn under(
    mut program: Program,
    execution: &Execution,
    environment: &Environment,
) -> Result<Program, ToolError> {
    if execution.base_env == Some(true) {
        program = program.with_base_env();
    }
    for name in execution.pass_env.iter().flatten() {
        if let Some(value) = environment.passed(name) {
            program = program.with_env(name, value);
        }
    }
    for (name, value) in execution.env.iter().flatten() {
        let is_secret = !matches!(value, EnvValue::Literal(_));
        let value = resolve(name, value, environment)?;
        program = if is_secret {
            program.with_secret_env(name, value)
        } else {
            program.with_env(name, value)
        };
    }
    if let Some(directory) = &execution.cwd {
        program = program.with_cwd(directory);
    }
    if let Some(umask) = execution.umask {
        program = program.with_umask(umask);
    }
    if let Some(level) = execution.containment {
        program = program.with_containment(level);
    }
    let limits = execution.bounds.over(program.limits());
    Ok(program.with_limits(limits))
}

/// The value of a variable; one that is missing makes the tool unavailable, and is never named by its value.
fn resolve(name: &str, value: &EnvValue, environment: &Environment) -> Result<OsString, ToolError> {
    match value {
        EnvValue::Literal(text) => Ok(text.into()),
        EnvValue::Host(from) => environment.passed(from).map(OsString::from).ok_or_else(|| {
            unavailable(format!(
                "the variable `{name}` is taken from `{from}`, which is not set"
            ))
        }),
        EnvValue::File(path) => from_file(path).map_err(|reason| {
            unavailable(format!(
                "the variable `{name}` is taken from `{}`: {reason}",
                path.display()
            ))
        }),
    }
}

fn from_file(path: &Path) -> Result<OsString, String> {
    use std::os::unix::ffi::OsStringExt;

    let read = read_regular_file(path, MAX_VALUE_BYTES);
    let mut bytes = read.map_err(|error| format!("it {error}"))?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    if bytes.contains(&0) {
        return Err("it holds a NUL byte".to_owned());
    }
    Ok(OsString::from_vec(bytes))
}

fn unavailable(message: String) -> ToolError {
    ToolError::new(ErrorKind::Unavailable, message)
}
