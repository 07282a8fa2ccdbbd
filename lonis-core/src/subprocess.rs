//! Other people's programs as tools: one program, one tool.
//!
//! A call is one run of the program under [`crate::process`]: the input on its stdin, its stdout read as the mapping
//! says, its end turned into success or one error. Collected and streamed calls go the same way; nothing of a tool
//! outlives its call.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use lonis_schema::{
    BlockKind, Capabilities, Json, OutputMode, SchemaVersion, SeedBlock, SideEffects, ToolContract,
    ToolError, ToolId, exit_code,
};
use serde_json::Value;

use crate::call::Tie;
use crate::declared::Declared;
use crate::limits::{Bound, Limits};
use crate::log::{self, Level};
use crate::policy::Policy;
use crate::process::{Input, Job, Program};
use crate::sandbox::Sandbox;
use crate::secrets::Secrets;
use crate::{Availability, BlockStream, Call, Tool};

mod child_stream;
pub mod decode;
mod exit_meaning;
mod failure;
mod input_check;
mod made_block;
mod mapping;
mod pins;
mod reader;

use child_stream::ChildStream;
use exit_meaning::ExitCodes;
pub use exit_meaning::ExitMeaning;
pub(crate) use failure::{Seen, of_child, of_host};
pub(crate) use input_check::ContractSource;
use made_block::Maker;
pub use mapping::{StdoutMapping, TextEncoding};
use reader::Reader;

/// The version of a tool that was not told its own.
const UNKNOWN_VERSION: &str = "unknown";

/// Another program as a tool.
///
/// # Example
/// ```
/// use lonis_core::{StdoutMapping, SubprocessTool, Tool};
/// use lonis_schema::ToolId;
/// use serde_json::json;
///
/// let sort = SubprocessTool::new(ToolId::new("unix:sort").expect("two segments"), "sort")
///     .with_args(["-r"])
///     .with_timeout_millis(2_000)
///     .with_mapping(StdoutMapping::Lines);
/// let blocks = sort.invoke(json!("one line"))?;
/// assert_eq!(blocks[0].render_human(), r#"result: {"line":"\"one line\""}"#);
/// # Ok::<(), lonis_schema::ToolError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SubprocessTool {
    id: ToolId,
    program: Program,
    mapping: StdoutMapping,
    encoding: TextEncoding,
    exit_codes: ExitCodes,
    description: String,
    version: String,
    contract: Arc<ContractSource>,
    declared: Option<Declared>,
    policy: Arc<Policy>,
    sandbox: Option<Sandbox>,
}

impl SubprocessTool {
    /// Makes a tool of a command: a path if there is a slash in it, else a name on `PATH`.
    pub fn new(id: ToolId, command: impl Into<OsString>) -> Self {
        Self::of_program(id, Program::new(command))
    }

    /// Makes a tool of a program that is set up already.
    pub fn of_program(id: ToolId, program: Program) -> Self {
        Self {
            id,
            program,
            mapping: StdoutMapping::default(),
            encoding: TextEncoding::default(),
            exit_codes: ExitCodes::default(),
            description: String::new(),
            version: UNKNOWN_VERSION.to_owned(),
            contract: Arc::default(),
            declared: None,
            policy: Arc::default(),
            sandbox: None,
        }
    }

    /// Adds arguments, which are the same for every call.
    pub fn with_args<A: Into<OsString>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.with_program(|program| program.with_args(arguments))
    }

    /// Sets variables of the program; it gets nothing else but `PATH`.
    pub fn with_env<N: Into<OsString>, V: Into<OsString>>(
        self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.with_program(|program| {
            variables
                .into_iter()
                .fold(program, |program, (name, value)| {
                    program.with_env(name, value)
                })
        })
    }

    /// Starts the program in this directory in place of a private empty one.
    pub fn with_cwd(self, directory: impl Into<PathBuf>) -> Self {
        self.with_program(|program| program.with_cwd(directory))
    }

    /// Sets limits of every call that does not set its own; what is not set in them stays as it was.
    pub fn with_limits(self, limits: Limits) -> Self {
        let limits = limits.over(self.program.limits());
        self.with_program(|program| program.with_limits(limits))
    }

    /// Sets how long a call may take.
    ///
    /// # Units and bounds
    /// Milliseconds, 1 to 86 400 000; a value outside becomes the nearest end. Default 5 000.
    pub fn with_timeout_millis(self, millis: u64) -> Self {
        self.with_limits(Limits::new().with_nearest(Bound::TimeoutMillis, millis))
    }

    /// Sets how much a call may write to stdout.
    ///
    /// # Units and bounds
    /// Bytes. Default 1 048 576.
    pub fn with_max_stdout_bytes(self, bytes: u64) -> Self {
        self.with_limits(Limits::new().with_nearest(Bound::MaxStdoutBytes, bytes))
    }

    /// Sets how much a call may write to stderr.
    ///
    /// # Units and bounds
    /// Bytes. Default 262 144.
    pub fn with_max_stderr_bytes(self, bytes: u64) -> Self {
        self.with_limits(Limits::new().with_nearest(Bound::MaxStderrBytes, bytes))
    }

    /// Sets what stdout is read as; blocks, unless set.
    pub fn with_mapping(mut self, mapping: StdoutMapping) -> Self {
        self.mapping = mapping;
        self
    }

    /// Sets what the `lines` and `text` mappings do with bytes that are not UTF-8; an error, unless set.
    pub fn with_encoding(mut self, encoding: TextEncoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Sets what an exit code means.
    pub fn with_exit_code(mut self, code: u8, meaning: ExitMeaning) -> Self {
        self.exit_codes.set(code, meaning);
        self
    }

    /// Sets the description of the contract.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the version that blocks made of the output carry; `unknown`, unless set.
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets the contract; its inline input schema is held to before a call starts.
    pub fn with_contract(mut self, contract: ToolContract) -> Self {
        self.contract = Arc::new(ContractSource::known(contract));
        self
    }

    /// Holds every call to the side effects that the contract declares; discovery is not held to them.
    pub fn with_sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Looks whether the program is there, without starting it.
    pub fn availability(&self) -> Availability {
        Availability::of(&self.program)
    }

    /// Returns the program that a call runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn with_contract_source(mut self, source: ContractSource) -> Self {
        self.contract = Arc::new(source);
        self
    }

    /// Takes arguments and stdin from the input, as a definition of a plain CLI says.
    pub(crate) fn with_declared(mut self, declared: Declared) -> Self {
        self.declared = Some(declared);
        self
    }

    /// Holds every call to the rules of the host that opens the tool.
    pub(crate) fn with_policy(mut self, policy: Arc<Policy>) -> Self {
        self.policy = policy;
        self
    }

    /// Lets a call through that no rule forbids.
    fn pass_policy(&self, call: &Call) -> Result<(), ToolError> {
        if self.policy.is_empty() {
            return Ok(());
        }
        // A contract that cannot be had promises nothing, and is judged so.
        let contract = self.contract.get().ok().flatten();
        let decision = self.policy.decide(self.id.as_str(), contract.as_ref());
        log::event(Level::Info, "policy.decided", || {
            vec![
                ("tool", self.id.as_str().into()),
                ("answer", decision.answer.word().into()),
            ]
        });
        decision.pass(self.id.as_str(), call.is_confirmed)
    }

    /// What the program is given on stdin, its arguments completed where they come from the input.
    fn stdin_of(&self, input: &Arc<Json>, program: &mut Program) -> Result<Input, ToolError> {
        let Some(declared) = &self.declared else {
            return Ok(Input::Shared(Arc::clone(input)));
        };
        *program = program.clone().with_args(declared.arguments(input)?);
        declared.stdin(input).map(Input::Own)
    }

    pub(crate) fn with_program(mut self, change: impl FnOnce(Program) -> Program) -> Self {
        self.program = change(self.program);
        self
    }

    /// Returns the program as one call changes it, held to its contract where that is asked for.
    fn program_of(&self, call: &mut Call) -> Program {
        let mut program = self.program.clone();
        if let Some(sandbox) = &self.sandbox {
            // A tool whose contract cannot be had has declared nothing that it could be held to.
            let contract = self.contract.get().ok().flatten();
            let declared =
                contract.map_or(SideEffects::MutatesExternal, |known| known.side_effects());
            program = program.with_confinement(sandbox.confinement(declared));
        }
        for (name, value) in call.environment.drain(..) {
            program = program.with_env(name, value);
        }
        match call.directory.take() {
            Some(directory) => program.with_cwd(directory),
            None => program,
        }
    }
}

/// What is told of a program: neither its arguments nor the values of its variables, which may be anybody's.
fn described(program: &Program) -> Vec<(&'static str, log::Value)> {
    let names = program.environment().names();
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    vec![
        (
            "program",
            program.command().to_string_lossy().into_owned().into(),
        ),
        ("arguments", (program.arguments().len() as u64).into()),
        ("environment", names.join(" ").into()),
    ]
}

impl Capabilities for SubprocessTool {
    fn schema_version(&self) -> SchemaVersion {
        SchemaVersion::TOOL_V1
    }

    fn tool_version(&self) -> &str {
        &self.version
    }

    fn output_formats(&self) -> &'static [OutputMode] {
        OutputMode::ALL
    }

    fn exit_code_map(&self) -> &'static [(&'static str, u8)] {
        exit_code::BASELINE
    }

    fn tool_id(&self) -> ToolId {
        self.id.clone()
    }
}

impl Tool<BlockKind> for SubprocessTool {
    fn invoke(&self, input: Value) -> Result<Vec<SeedBlock>, ToolError> {
        // The calling thread stays until the program has ended, so that the one may be tied to the other.
        self.start(Call::new(input).tied_to_thread().without_pauses())?
            .collect_blocks()
    }

    fn invoke_stream(&self, input: Value) -> Result<BlockStream<BlockKind>, ToolError> {
        self.start(Call::new(input))
    }

    fn contract(&self) -> Option<ToolContract> {
        self.try_contract().ok().flatten()
    }

    /// Returns the contract that was set or that the provider describes; without one what holds for a tool that
    /// promises nothing.
    fn try_contract(&self) -> Result<Option<ToolContract>, ToolError> {
        let contract = self.contract.get()?;
        Ok(contract.or_else(|| Some(ToolContract::new(self.id.as_str(), &self.description))))
    }

    fn without_secrets(&self, value: Json) -> Json {
        match self.program.environment().secrets() {
            [] => value,
            secrets => Secrets::of(secrets).masked_json(value),
        }
    }

    fn start(&self, mut call: Call) -> Result<BlockStream<BlockKind>, ToolError> {
        let mut notes = Vec::new();
        self.contract.check_input(&call.input, &mut notes)?;
        self.pass_policy(&call)?;
        let mut program = self.program_of(&mut call);
        let input = Arc::new(call.input);
        let stdin = self.stdin_of(&input, &mut program)?;
        log::event(Level::Info, "call.begun", || {
            vec![
                ("tool", self.id.as_str().into()),
                ("input_bytes", (input.text().len() as u64).into()),
            ]
        });
        log::event(Level::Debug, "call.program", || described(&program));
        let secrets = Secrets::of(program.environment().secrets());
        let mut job = Job::of(program).with_limits(call.limits).with_input(stdin);
        let limits = job.limits;
        if let Some(token) = call.cancel {
            job = job.with_cancel(token);
        }
        if let Some(listener) = call.on_stderr {
            job = job.on_stderr(listener);
        }
        if call.without_pauses {
            job = job.without_pauses();
        }
        let started = match call.tie {
            Tie::Nobody => job.start(),
            Tie::Thread => job.start_in_thread(),
            Tie::Host => job.tied_to_host().start(),
        };
        let running = started.map_err(|error| secrets.masked_error(error.into()))?;
        let reader = Reader::new(self.mapping, self.encoding, &limits);
        let output_check = self.declared.as_ref().and_then(Declared::output);
        let maker = Maker::new(&self.id, &self.version, input, output_check);
        let exit_codes = self.exit_codes.clone();
        let stream = ChildStream::new(running, reader, maker, exit_codes, notes, secrets);
        Ok(BlockStream::from_source(Box::new(stream)))
    }
}
