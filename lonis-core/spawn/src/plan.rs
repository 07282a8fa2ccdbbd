use std::{
    error::Error,
    ffi::{CString, NulError, OsStr},
    fmt,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use crate::{
    backend::Backend, c_strings::CStrings, fault::Faults, isolation::Isolation, step::Step,
};

/// One program in the form that the system takes, built once and started any number of times.
#[derive(Debug)]
pub struct Plan {
    pub(crate) program: CString,
    pub(crate) arguments: CStrings,
    pub(crate) environment: CStrings,
    pub(crate) directory: Option<CString>,
    pub(crate) isolation: Isolation,
    pub(crate) backend: Option<Backend>,
    pub(crate) faults: Faults,
}

impl Plan {
    /// Prepares a program, its arguments without the program's own name, and its whole environment as `NAME=value`.
    ///
    /// # Errors
    /// A program that is not an absolute path, and a text with a zero byte inside.
    pub fn new<A: AsRef<OsStr>, E: AsRef<OsStr>>(
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
        environment: impl IntoIterator<Item = E>,
    ) -> Result<Self, PlanError> {
        // A bare name would be looked up in the child, past what the caller resolved and checked.
        if !program.is_absolute() {
            return Err(PlanError::NotAbsolute {
                program: program.to_owned(),
            });
        }
        let name = [program.as_os_str().to_owned()].into_iter();
        let arguments = name.chain(
            arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_owned()),
        );
        Ok(Self {
            program: CString::new(program.as_os_str().as_bytes())?,
            arguments: CStrings::new(arguments)?,
            environment: CStrings::new(environment)?,
            directory: None,
            isolation: Isolation::default(),
            backend: None,
            faults: Faults::default(),
        })
    }

    /// Starts the program in a directory of its own; unset, it is the host's.
    ///
    /// # Errors
    /// A path with a zero byte inside.
    pub fn with_directory(mut self, directory: &Path) -> Result<Self, PlanError> {
        self.directory = Some(CString::new(directory.as_os_str().as_bytes())?);
        Ok(self)
    }

    /// Replaces the strict isolation by another one.
    #[must_use]
    pub fn with_isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// Starts through one backend, whatever this machine would choose by itself; for tests and measurements.
    #[must_use]
    pub const fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = Some(backend);
        self
    }

    /// Makes the system answer an error at one step of the next starts; for tests of what cannot be made to fail on demand.
    pub fn inject_failure(&self, step: Step, errno: i32, times: u32) {
        self.faults.set(step, errno, times);
    }
}

/// A plan that no system could carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// The program is a bare name or a relative path.
    NotAbsolute {
        /// What was given.
        program: PathBuf,
    },
    /// A text has a zero byte inside, which ends a C string.
    ZeroByte(NulError),
}

impl fmt::Display for PlanError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAbsolute { program } => write!(
                formatter,
                "program `{}` is not an absolute path",
                program.display()
            ),
            Self::ZeroByte(cause) => {
                write!(
                    formatter,
                    "zero byte at position {} of a program, argument, variable or path",
                    cause.nul_position()
                )
            }
        }
    }
}

impl Error for PlanError {}

impl From<NulError> for PlanError {
    fn from(cause: NulError) -> Self {
        Self::ZeroByte(cause)
    }
}
