//! The author's side: a program that offers its tools to any host.
//!
//! Owns the command line of a provider and nothing of what its tools do. A provider that cannot be used as it stands
//! says so whatever it is asked, so that its author hears of it first.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use lonis_schema::{BlockPayload, ErrorKind, Json, OutputMode, ToolError, exit_code};

use crate::input::read_input;
use crate::run::{deliver, not_written, report};
use crate::stream::panicked;
use crate::{Call, Tool};

mod arguments;
mod offered;
mod surface;

use arguments::{Command, Request};
use offered::{Offered, Scope};

/// A program's tools and how they are presented to a host.
///
/// # Example
/// ```
/// use lonis_core::Provider;
/// use lonis_schema::BlockKind;
///
/// let provider = Provider::<BlockKind>::new("acme", "1.0.0").description("Keys and values.");
/// let mut stdout = Vec::new();
/// let code = provider.answer(&["manifest".into()], &mut std::io::empty(), &mut stdout, &mut std::io::sink());
/// assert_eq!(code, 0);
/// assert!(stdout.starts_with(br#"{"name":"acme","version":"1.0.0","description":"Keys and values.""#));
/// ```
pub struct Provider<P> {
    name: String,
    version: String,
    description: String,
    further: BTreeMap<String, Json>,
    tools: Vec<Offered<P>>,
}

impl<P: BlockPayload> Provider<P> {
    /// Makes a provider without tools.
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            description: String::new(),
            further: BTreeMap::new(),
            tools: Vec::new(),
        }
    }

    /// Sets what the manifest says that the provider is for.
    pub fn description(mut self, description: &str) -> Self {
        description.clone_into(&mut self.description);
        self
    }

    /// Adds a member to the manifest that only those read who know of it; one of the manifest's own is left as it is.
    pub fn manifest_member(mut self, key: &str, value: impl Into<Json>) -> Self {
        const OWN: [&str; 8] = [
            "name",
            "version",
            "description",
            "provider_type",
            "protocol_version",
            "tools",
            "display_name",
            "capabilities",
        ];
        if !OWN.contains(&key) {
            self.further.insert(key.to_owned(), value.into());
        }
        self
    }

    /// Adds a tool whose native name is its id.
    pub fn tool(self, tool: impl Tool<P> + 'static) -> Self {
        let native = tool.tool_id().to_string();
        self.tool_as(&native, tool)
    }

    /// Adds a tool under a native name of its own, such as `acme.kv.get` for the id `acme:kv:get`.
    pub fn tool_as(mut self, native: &str, tool: impl Tool<P> + 'static) -> Self {
        self.tools.push(Offered::new(native, Box::new(tool)));
        self
    }

    /// Answers one command line, and returns the exit code; what [`serve`] does, for tests.
    ///
    /// `args` are those after the program's name.
    pub fn answer(
        &self,
        args: &[OsString],
        stdin: &mut dyn Read,
        stdout: &mut dyn Write,
        stderr: &mut dyn Write,
    ) -> u8 {
        let (mode, request) = Request::parse(args);
        match request.and_then(|request| self.carry_out(&request, stdin, stdout)) {
            Ok(()) => exit_code::SUCCESS,
            Err(error) => report(&error, mode, stderr),
        }
    }

    fn carry_out(
        &self,
        request: &Request,
        stdin: &mut dyn Read,
        stdout: &mut dyn Write,
    ) -> Result<(), ToolError> {
        match &request.command {
            Command::Help => {
                return written(
                    stdout.write_all(surface::help(&self.name).as_bytes()),
                    stdout,
                );
            }
            Command::Version => {
                return written(writeln!(stdout, "{} {}", self.name, self.version), stdout);
            }
            Command::Call(name) => offered::check(&self.tools, Scope::CallOf(name))?,
            _ => offered::check(&self.tools, Scope::Whole)?,
        }
        match &request.command {
            Command::Manifest => written(surface::manifest(self, stdout), stdout),
            Command::List => written(surface::list(self, request.mode, stdout), stdout),
            Command::Describe(name) => {
                let contract = self.find(name)?.described()?;
                written(surface::contract(&contract, stdout), stdout)
            }
            Command::Call(name) => call(self.find(name)?, request.mode, stdin, stdout),
            Command::Help | Command::Version => Ok(()),
        }
    }

    fn find(&self, name: &str) -> Result<&Offered<P>, ToolError> {
        self.tools
            .iter()
            .find(|offered| offered.native() == name)
            .ok_or_else(|| {
                ToolError::new(
                    ErrorKind::NotFound,
                    format!("provider `{}` has no tool `{name}`", self.name),
                )
                .with_hint("`tools list` shows the names")
            })
    }
}

impl<P> fmt::Debug for Provider<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Provider")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

/// Answers the program's own command line: the whole `main` of a provider.
///
/// The process is the provider's own, so that an output file that may not grow is an error, and not its end.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is the last use of a provider, and reads best without a reference"
)]
pub fn serve<P: BlockPayload>(provider: Provider<P>) -> ExitCode {
    lonis_spawn::survive_file_size_signal();
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    serve_words(&provider, &args)
}

/// Answers a command line that the program has taken words of its own from; what [`serve`] does with the rest.
pub fn serve_words<P: BlockPayload>(provider: &Provider<P>, args: &[OsString]) -> ExitCode {
    let stdin = io::stdin();
    // Nobody types an input at a provider: a terminal counts as no input.
    let mut stdin: Box<dyn Read> = if stdin.is_terminal() {
        Box::new(io::empty())
    } else {
        Box::new(stdin.lock())
    };
    ExitCode::from(provider.answer(args, &mut stdin, &mut crate::stdout(), &mut io::stderr()))
}

fn call<P: BlockPayload>(
    offered: &Offered<P>,
    mode: OutputMode,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
) -> Result<(), ToolError> {
    let input = read_input(stdin)?;
    offered.check_input(&input)?;
    let call = AssertUnwindSafe(|| {
        let mut stream = offered.tool().start(Call::new(input))?;
        deliver(&mut stream, mode, stdout)
    });
    catch_unwind(call)
        .unwrap_or_else(|payload| Err(panicked(&*payload)))
        .map_err(|error| offered.with_mapped_code(error))
}

fn written(result: io::Result<()>, stdout: &mut dyn Write) -> Result<(), ToolError> {
    result
        .and_then(|()| stdout.flush())
        .map_err(|error| not_written(&error))
}

#[cfg(test)]
mod tests;
