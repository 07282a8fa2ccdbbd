//! The reference that a spec names: where it stands, how it is started, and its hash.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use lonis::limits::{Bound, Limits};
use lonis::process::Program;
use soil::diagnostic::{Code, Diagnostic};
use soil::eval::Border;
use soil::hash::Digest;
use soil::lock::Oracle;
use soil::source::FileId;
use soil::spec::{Reference, ReferenceTarget};

use crate::confined::confined;
use crate::failure::Failure;
use crate::project::{Named, Project};

/// What Python runs: it reads the arguments, calls the function and writes the result.
const DRIVER: &str = include_str!("driver.py");

/// The largest executable that is hashed.
///
/// # Units and bounds
/// Bytes: 1 GiB.
const MAX_EXECUTABLE_BYTES: u64 = 1 << 30;

/// The processor time that a reference may take for one case.
///
/// # Units and bounds
/// 10 s, less than shell sessions have: one that never ends is told long before the time for a program is up.
const MAX_CPU_MILLIS: u64 = 10_000;

/// The reference of a function's spec.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attachment<'p> {
    project: &'p Project,
    file: FileId,
    reference: &'p Reference,
}

impl<'p> Attachment<'p> {
    /// Gives the reference of a function, if its spec names one.
    pub(crate) fn of(project: &'p Project, named: Named<'p>) -> Option<Self> {
        let spec = named.function.spec.as_ref()?;
        let (_, function) = spec.function()?;
        Some(Self {
            project,
            file: spec.file,
            reference: function.reference.as_ref()?,
        })
    }

    /// Gives what the line names.
    pub(crate) fn target(&self) -> &'p ReferenceTarget {
        &self.reference.target
    }

    /// Gives the name of the row that speaks of it.
    pub(crate) fn row_name(&self) -> String {
        format!("derived:differential:{}", self.reference.line.value)
    }

    /// Refuses a function that takes a capability, which no other program can be given.
    ///
    /// # Errors
    /// `oracle-error`.
    pub(crate) fn refuse_capabilities(&self, border: &Border) -> Result<(), Failure> {
        if border.capabilities.iter().all(Option::is_none) {
            return Ok(());
        }
        Err(self.error("can be given no capability, and the function takes one"))
    }

    /// Looks whether the reference is there, without running it.
    ///
    /// # Errors
    /// `oracle-error`: a file or a program is not there, or cannot be used.
    pub(crate) fn judge(&self) -> Result<(), Failure> {
        if matches!(self.target(), ReferenceTarget::Python { .. }) {
            self.text()?;
        }
        let found = self.program().resolve();
        found
            .map(drop)
            .map_err(|error| self.error(&format!("cannot run: {error}")))
    }

    /// Reads the Python file; none for a command.
    ///
    /// # Errors
    /// `oracle-error`, when it cannot be read, is a link, or is too long.
    pub(crate) fn text(&self) -> Result<Option<Vec<u8>>, Failure> {
        let text = self.project.reference_text(self.file, self.reference);
        text.map_err(|found| Failure {
            diagnostics: (*found).into(),
            sources: self.project.sources.clone(),
        })
    }

    /// Gives what a lock says of the reference, as it is now.
    ///
    /// # Errors
    /// `oracle-error`, when it is not there.
    pub(crate) fn identity(&self) -> Result<Oracle, Failure> {
        Ok(match self.target() {
            ReferenceTarget::Python { path, .. } => Oracle::Reference {
                path: path.clone(),
                hash: Digest::of(self.text()?),
            },
            ReferenceTarget::Cli { command } => Oracle::Cli {
                command: command.join(" "),
                hash: self.executable_hash()?,
            },
        })
    }

    fn executable_hash(&self) -> Result<Digest, Failure> {
        let path = self.program().resolve();
        let path = path.map_err(|error| self.error(&format!("cannot run: {error}")))?;
        let bytes = read_executable(&path);
        let bytes = bytes.map_err(|error| {
            self.error(&format!("cannot be hashed: `{}`: {error}", path.display()))
        })?;
        Ok(Digest::of([bytes]))
    }

    /// Gives the program that answers one question: arguments on stdin, the result on stdout.
    pub(crate) fn program(&self) -> Program {
        let root = &self.project.root;
        let program = match self.target() {
            ReferenceTarget::Python { path, symbol } => Program::new("python3")
                .with_args(["-s", "-B", "-c", DRIVER, path.as_str(), symbol.as_str()])
                // The order of sets is part of what a function gives.
                .with_env("PYTHONHASHSEED", "0"),
            ReferenceTarget::Cli { command } => {
                let (name, arguments) = command.split_first().expect("a command has a word");
                // A program of the project itself is named from the root.
                let program = if name.contains('/') {
                    Program::new(root.join(name))
                } else {
                    Program::new(name)
                };
                program.with_args(arguments)
            }
        };
        let program = confined(program.with_cwd(root));
        let limits = Limits::new().with_nearest(Bound::MaxCpuMillis, MAX_CPU_MILLIS);
        let limits = limits.over(program.limits());
        program.with_limits(limits)
    }

    /// Makes the failure that the reference cannot be asked.
    pub(crate) fn error(&self, what: &str) -> Failure {
        let line = &self.reference.line.value;
        self.failure(Code::OracleError, format!("the reference `{line}` {what}"))
    }

    /// Makes a failure about the line that names the reference.
    pub(crate) fn failure(&self, code: Code, message: String) -> Failure {
        let span = self.reference.line.span;
        Failure {
            diagnostics: Diagnostic::at(code, self.file, span, message).into(),
            sources: self.project.sources.clone(),
        }
    }
}

fn read_executable(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path)?
        .take(MAX_EXECUTABLE_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > MAX_EXECUTABLE_BYTES {
        let message = format!("it is longer than {MAX_EXECUTABLE_BYTES} bytes");
        return Err(std::io::Error::other(message));
    }
    Ok(bytes)
}
