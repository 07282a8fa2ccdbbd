//! What ends a command or a call without an answer.

mod edge;

use std::io;
use std::path::Path;

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::document::{self, Detail};
use soil::program::Refused;
use soil::source::Sources;

/// The exit code of a command that gave its answer.
pub(crate) const OK: u8 = 0;

/// The exit code where the input breaks a rule of the language, or a run raised.
pub(crate) const BROKEN: u8 = 1;

/// The exit code for usage, files, malformed inputs, order and bugs.
const REFUSED: u8 = 2;

/// Why a command or a call gives no answer, with the texts that it speaks of.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) diagnostics: Diagnostics,
    pub(crate) sources: Sources,
}

impl Failure {
    /// Makes the failure that one thing is wrong, nowhere in a file.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Diagnostic::new(code, message).into()
    }

    /// Makes the failure that the command line is wrong.
    pub(crate) fn usage(message: &str) -> Self {
        Self::new(Code::Usage, message)
    }

    /// Makes the failure that a file as a whole is wrong.
    pub(crate) fn about(path: &str, code: Code, message: impl Into<String>) -> Self {
        let mut sources = Sources::new();
        let mut diagnostic = Diagnostic::new(code, message);
        diagnostic.file = Some(sources.add(path, Vec::new()));
        Self {
            diagnostics: diagnostic.into(),
            sources,
        }
    }

    /// Makes the failure that a file or a folder cannot be read or written.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::new(Code::Io, format!("`{}`: {error}", path.display()))
    }

    /// Says whether a code is among what is wrong.
    pub(crate) fn has(&self, code: Code) -> bool {
        self.diagnostics.iter().any(|one| one.code == code)
    }

    /// Gives the message of the first thing that is wrong.
    pub(crate) fn first_message(&self) -> String {
        let sorted = self.diagnostics.clone().into_sorted();
        sorted
            .first()
            .map_or_else(String::new, |one| one.message.clone())
    }

    /// Gives the document of the tool level: with repair classes and references.
    pub(crate) fn document(&self, detail: Detail) -> String {
        document::errors(self.diagnostics.clone(), &self.sources, detail)
    }

    /// Gives the exit code of the language face: that of the worst diagnostic.
    pub(crate) fn exit_code(&self) -> u8 {
        let is_refused = self
            .diagnostics
            .iter()
            .any(|diagnostic| refuses(diagnostic.code));
        if is_refused { REFUSED } else { BROKEN }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            diagnostics: diagnostic.into(),
            sources: Sources::new(),
        }
    }
}

impl From<Box<Refused>> for Failure {
    fn from(refused: Box<Refused>) -> Self {
        Self {
            diagnostics: refused.diagnostics,
            sources: refused.sources,
        }
    }
}

/// Says whether a code is about something else than the text of a definition.
const fn refuses(code: Code) -> bool {
    matches!(
        code,
        Code::Usage | Code::Io | Code::MalformedInput | Code::ForwardReference | Code::Internal
    )
}
