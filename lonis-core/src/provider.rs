//! Other people's programs that offer several tools: what they say about themselves, and a tool for each.
//!
//! Every question is one bounded run of the program, as a call is. The answers are kept as they came, for as long as the
//! executable stays the same, so that a host can store them and hand them back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use lonis_schema::{
    BlockKind, ErrorKind, ProviderManifest, ProviderToolList, ProviderToolSummary, Read,
    ToolContract, ToolError, ToolId,
};
use serde_json::json;

use crate::limits::{Bound, Limits};
use crate::process::{CancelToken, Pool, Program};
use crate::subprocess::ContractSource;
use crate::{Availability, SubprocessTool, ToolRegistry};

mod answers;
mod identity;
mod inquiry;
mod listing;
mod native_name;
mod question;
mod surface;
mod token_source;

use answers::Answers;
pub use answers::ProviderAnswers;
pub use identity::{ExecutableIdentity, FileIdentity};
pub(crate) use inquiry::{AskedQuestion, Inquiry, Run};
pub use listing::{ListedTool, Listing, Refusal};
pub use native_name::{NativeName, NativeNameError};
use question::{Asked, Question};
use surface::Surface;
pub(crate) use token_source::TokenSource;

/// A program that offers tools by the provider surface: `manifest`, `tools list`, `tools describe`, `call`.
///
/// Limits, environment and directory hold for its answers and for each of its tools. Clones share what was asked.
///
/// # Example
/// ```no_run
/// use lonis_core::{SubprocessProvider, ToolRegistry};
///
/// let provider = SubprocessProvider::new("/opt/acme/bin/acme");
/// let mut registry = ToolRegistry::new();
/// for refusal in provider.register_all(&mut registry)? {
///     eprintln!("note: {refusal}");
/// }
/// # Ok::<(), lonis_schema::ToolError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SubprocessProvider {
    program: Program,
    surface: Surface,
    ids: BTreeMap<String, ToolId>,
    cancel: Option<TokenSource>,
    answers: Arc<Answers>,
}

impl SubprocessProvider {
    /// Makes a provider of a command: a path if there is a slash in it, else a name on `PATH`.
    pub fn new(command: impl Into<OsString>) -> Self {
        Self::of_program(Program::new(command))
    }

    /// Makes a provider of a program that is set up already; its arguments stand before those of the surface.
    pub fn of_program(program: Program) -> Self {
        Self {
            program,
            surface: Surface::default(),
            ids: BTreeMap::new(),
            cancel: None,
            answers: Arc::default(),
        }
    }

    /// Sets the arguments that ask for the manifest, in place of `--mode json manifest`.
    pub fn with_manifest_args<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.surface.manifest = Some(arguments.into_iter().map(Into::into).collect());
        self.changed()
    }

    /// Sets the arguments that ask for the tools, in place of `--mode json tools list`.
    pub fn with_tools_list_args<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.surface.tools_list = Some(arguments.into_iter().map(Into::into).collect());
        self.changed()
    }

    /// Sets the arguments that ask for a contract, in place of `--mode json tools describe`; the native name follows.
    pub fn with_describe_args<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.surface.describe = Some(arguments.into_iter().map(Into::into).collect());
        self.changed()
    }

    /// Sets the arguments that call a tool, in place of `--mode json call`; the native name follows.
    pub fn with_call_args<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.surface.call = Some(arguments.into_iter().map(Into::into).collect());
        self
    }

    /// Sets variables of the program; it gets nothing else but `PATH`.
    pub fn with_env<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.program = variables
            .into_iter()
            .fold(self.program, |program, (name, value)| {
                program.with_env(name, value)
            });
        self.changed()
    }

    /// Starts the program in this directory in place of a private empty one.
    pub fn with_cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.program = self.program.with_cwd(directory);
        self.changed()
    }

    /// Sets limits of every answer and every call; what is not set in them stays as it was.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        let limits = limits.over(self.program.limits());
        self.program = self.program.with_limits(limits);
        self
    }

    /// Sets how long an answer or a call may take.
    ///
    /// # Units and bounds
    /// Milliseconds, 1 to 86 400 000; a value outside becomes the nearest end. Default 5 000.
    pub fn with_timeout_millis(self, millis: u64) -> Self {
        self.with_limits(Limits::new().with_nearest(Bound::TimeoutMillis, millis))
    }

    /// Gives a tool another registry id than the one that follows from its native name.
    pub fn with_id(mut self, native: impl Into<String>, id: ToolId) -> Self {
        self.ids.insert(native.into(), id);
        self
    }

    /// Lets a token end the runs that answer a question.
    pub fn with_cancel(self, token: CancelToken) -> Self {
        self.with_token_source(TokenSource::of(token))
    }

    /// Lets a token end the runs that answer a question, made when there is one.
    pub(crate) fn with_token_source(mut self, source: TokenSource) -> Self {
        self.cancel = Some(source);
        self
    }

    /// Hands over answers that were stored, to be used instead of asking.
    ///
    /// They hold for the executable as it is now; the caller has compared its [`identity`](Self::identity).
    pub fn with_answers(self, answers: ProviderAnswers) -> Self {
        self.keep_answers(self.identity().ok(), answers);
        self
    }

    /// Takes answers of the executable that was just looked at, in place of those that it had.
    pub(crate) fn keep_answers(
        &self,
        identity: Option<ExecutableIdentity>,
        answers: ProviderAnswers,
    ) {
        self.answers.replace(identity, answers);
    }

    /// Returns every answer so far, as it came, to be stored.
    pub fn answers(&self) -> ProviderAnswers {
        self.answers.snapshot()
    }

    /// Returns how many contracts were asked for so far.
    pub(crate) fn contracts_known(&self) -> usize {
        self.answers.contracts()
    }

    /// Returns which file the executable is now.
    ///
    /// # Errors
    /// `unavailable` when there is no such program.
    pub fn identity(&self) -> Result<ExecutableIdentity, ToolError> {
        question::identity(&self.program)
    }

    /// Returns which file the executable is now, without a look at what runs it if it is a script.
    pub(crate) fn file_identity(&self) -> Result<FileIdentity, ToolError> {
        question::file(&self.program)
    }

    /// Returns the executable that a file is, its first line being known if it is a script.
    pub(crate) fn executable(&self, file: FileIdentity, line: Option<&str>) -> ExecutableIdentity {
        let path = self.program.environment().get("PATH");
        ExecutableIdentity::with_line(file, line.map(str::as_bytes), path)
    }

    /// Looks whether the program is there, without starting it.
    pub fn availability(&self) -> Availability {
        Availability::of(&self.program)
    }

    /// Returns the program that answers and is called.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Asks for the manifest.
    ///
    /// # Errors
    /// `unsupported_protocol` for a protocol that is not known here, `invalid_output` naming the key for a wrong shape,
    /// and every error of a call.
    pub fn manifest(&self) -> Result<ProviderManifest, ToolError> {
        read_manifest(&self.ask(&Question::Manifest)?)
    }

    /// Asks for the list of tools, which is authoritative, and returns it as it is.
    ///
    /// # Errors
    /// As [`manifest`](Self::manifest), whose protocol is looked at first.
    pub fn tools(&self) -> Result<Vec<ProviderToolSummary>, ToolError> {
        self.manifest()?;
        read_list(&self.ask(&Question::ToolsList)?)
    }

    /// Asks for the list of tools and says which of them can be used, under which id.
    ///
    /// # Errors
    /// As [`tools`](Self::tools).
    pub fn listing(&self) -> Result<Listing, ToolError> {
        // Both are asked at once, which halves the wait for one that is slow to start.
        let (mut inquiry, runs) = Inquiry::begin(self)?;
        let (asked, jobs): (Vec<_>, Vec<_>) = runs.into_iter().map(Run::into_parts).unzip();
        let captured = Pool::with_width(jobs.len()).run_all(jobs);
        for (asked, captured) in asked.iter().zip(&captured) {
            inquiry.take(asked, captured);
        }
        inquiry.finish()
    }

    /// Returns what answers that were stored say of the tools.
    pub(crate) fn listing_of(&self, answers: &ProviderAnswers) -> Option<Listing> {
        let manifest = read_manifest(answers.manifest.as_ref()?).ok()?;
        let list = read_list(answers.tools_list.as_ref()?).ok()?;
        Some(Listing::new(&manifest, list, &self.ids))
    }

    /// Asks for the contract of a tool by its native name.
    ///
    /// # Errors
    /// `invalid_input` for a name that cannot be asked for, without a run; `invalid_output` for a contract of another
    /// tool; else as [`tools`](Self::tools).
    pub fn describe(&self, native: &str) -> Result<ToolContract, ToolError> {
        self.describe_with_findings(native).map(|read| read.value)
    }

    /// Asks for the contract of a tool, and tells which limits it breaks.
    ///
    /// # Errors
    /// As [`describe`](Self::describe).
    pub fn describe_with_findings(&self, native: &str) -> Result<Read<ToolContract>, ToolError> {
        let name = usable(native)?;
        self.manifest()?;
        let question = Question::Describe(name.clone());
        let text = self.ask(&question)?;
        let read = ToolContract::read(&text).map_err(|error| question.misshapen(&error))?;
        let id = self.id_of(&name);
        // Either spelling is right: a host that offers the tools of others has their contracts as they came.
        let means_it =
            |seen: &str| NativeName::parse(seen).is_ok_and(|seen| seen.id() == name.id());
        if !read.value.is_of(native, &id) && !means_it(read.value.name()) {
            let seen = read.value.name().escape_debug().to_string();
            let message = format!("contract of tool `{native}` (`{id}`) is for `{seen}`");
            return Err(ToolError::new(ErrorKind::InvalidOutput, message));
        }
        Ok(read)
    }

    /// Makes a tool of one that the provider offers, by its native name; nothing is run for it yet.
    ///
    /// Its contract is the described one, asked for when it is first needed.
    ///
    /// # Errors
    /// `invalid_input` for a name that cannot be called.
    pub fn tool(&self, native: &str) -> Result<SubprocessTool, ToolError> {
        let name = usable(native)?;
        let arguments = self.surface.of_call(native);
        let program = self.program.clone().with_args(arguments);
        let source = ContractSource::described(self.clone(), &name);
        Ok(SubprocessTool::of_program(self.id_of(&name), program).with_contract_source(source))
    }

    /// Registers every tool that can be used, and returns those that cannot, with the reason.
    ///
    /// # Errors
    /// As [`tools`](Self::tools): then none is registered.
    pub fn register_all(
        &self,
        registry: &mut ToolRegistry<BlockKind>,
    ) -> Result<Vec<Refusal>, ToolError> {
        let listing = self.listing()?;
        let mut refused = listing.refused;
        for listed in listing.tools {
            let mut tool = self.tool(listed.name.as_str())?;
            if let Some(version) = listed.version {
                tool = tool.with_version(version);
            }
            if let Some(description) = listed.description {
                tool = tool.with_description(description);
            }
            if let Err(error) = registry.register(Box::new(tool)) {
                refused.push(Refusal {
                    native: listed.name.as_str().to_owned(),
                    error,
                });
            }
        }
        Ok(refused)
    }

    fn id_of(&self, name: &NativeName) -> ToolId {
        self.ids.get(name.as_str()).unwrap_or(name.id()).clone()
    }

    fn ask(&self, question: &Question) -> Result<Arc<str>, ToolError> {
        let file = question::file(&self.program)?;
        if let Some(text) = self.answers.get(&file, question) {
            return Ok(text);
        }
        // Looked at before the run: what is replaced meanwhile is asked again.
        let path = self.program.environment().get("PATH");
        let identity = ExecutableIdentity::of_file(file, path);
        let asked = self.asked(question);
        let captured = asked.job().run();
        let text: Arc<str> = asked.read(question, &captured)?.into();
        self.answers.put(identity, question, &text);
        Ok(text)
    }

    fn asked(&self, question: &Question) -> Asked<'_> {
        Asked {
            program: &self.program,
            arguments: self.surface.of_question(question),
            cancel: self.cancel.as_ref(),
        }
    }

    /// Leaves the answers to those who share them: what is asked from here on may be answered differently.
    fn changed(mut self) -> Self {
        self.answers = Arc::default();
        self
    }
}

fn read_manifest(text: &str) -> Result<ProviderManifest, ToolError> {
    let manifest =
        ProviderManifest::read(text).map_err(|error| Question::Manifest.misshapen(&error))?;
    if !manifest.speaks_known_protocol() {
        let seen = manifest.protocol_version.escape_debug();
        let message = format!(
            "provider `{}` speaks the protocol `{seen}`",
            manifest.name.escape_debug()
        );
        return Err(ToolError::new(ErrorKind::UnsupportedProtocol, message)
            .with_detail("protocol_version", json!(manifest.protocol_version))
            .with_hint("known are `lonis.provider/v1` and `0`"));
    }
    Ok(manifest)
}

fn read_list(text: &str) -> Result<Vec<ProviderToolSummary>, ToolError> {
    let list =
        ProviderToolList::read(text).map_err(|error| Question::ToolsList.misshapen(&error))?;
    Ok(list.tools)
}

fn usable(native: &str) -> Result<NativeName, ToolError> {
    NativeName::parse(native)
        .map_err(|error| ToolError::new(ErrorKind::InvalidInput, error.to_string()))
}
