use std::{
    error::Error,
    ffi::{CString, NulError, OsStr},
    fmt,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{Backend, Isolation, SpawnError, Step};

/// One program in the form that the system takes, built once and started any number of times.
#[derive(Debug)]
pub struct Plan {
    pub(super) program: CString,
    pub(super) arguments: CStrings,
    pub(super) environment: CStrings,
    pub(super) isolation: Isolation,
    pub(super) backend: Option<Backend>,
    /// The next one last.
    pub(super) faults: Mutex<Vec<SpawnError>>,
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
        // A bare name would be looked up in the child, past what the caller has resolved and checked.
        if !program.is_absolute() {
            let program = program.to_owned();
            return Err(PlanError::NotAbsolute { program });
        }
        Ok(Self {
            program: CString::new(program.as_os_str().as_bytes())?,
            arguments: CStrings::with_first(Some(program.as_os_str()), arguments)?,
            environment: CStrings::new(environment)?,
            isolation: Isolation::default(),
            backend: None,
            faults: Mutex::default(),
        })
    }

    /// Replaces the strict isolation by another one.
    #[must_use]
    pub fn with_isolation(self, isolation: Isolation) -> Self {
        Self { isolation, ..self }
    }

    /// Starts through one backend, whatever this machine would choose by itself; for tests and measurements.
    #[must_use]
    pub fn with_backend(self, backend: Backend) -> Self {
        let backend = Some(backend);
        Self { backend, ..self }
    }

    /// Makes the next starts, as many as errors are given, meet an error at one step; for tests of what no system does
    /// on demand.
    pub fn inject_failures(&self, step: Step, errnos: &[i32]) {
        let faults = errnos
            .iter()
            .rev()
            .map(|errno| SpawnError::new(step, *errno));
        *self.faults.lock().unwrap_or_else(PoisonError::into_inner) = faults.collect();
    }
}

/// A list of C strings in the form that `execve` takes, built once and shared by many starts.
#[derive(Debug)]
pub struct CStrings {
    /// Kept for those that the addresses lead to.
    _strings: Vec<CString>,
    /// Where each string stands, then a zero.
    addresses: Vec<usize>,
}

impl CStrings {
    /// Copies the texts of a list.
    ///
    /// # Errors
    /// A text with a zero byte inside.
    pub fn new<T: AsRef<OsStr>>(texts: impl IntoIterator<Item = T>) -> Result<Self, NulError> {
        Self::with_first(None, texts)
    }

    fn with_first<T: AsRef<OsStr>>(
        first: Option<&OsStr>,
        others: impl IntoIterator<Item = T>,
    ) -> Result<Self, NulError> {
        let mut strings = Vec::from_iter(
            first
                .map(|text| CString::new(text.as_bytes()))
                .transpose()?,
        );
        for text in others {
            strings.push(CString::new(text.as_ref().as_bytes())?);
        }
        // The strings stay where they are when the list moves, and nothing changes them.
        let addresses = strings
            .iter()
            .map(|string| string.as_ptr().expose_provenance());
        let addresses = addresses.chain([0]).collect();
        Ok(Self {
            _strings: strings,
            addresses,
        })
    }

    pub(super) fn address(&self) -> usize {
        self.addresses.as_ptr().expose_provenance()
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
            Self::NotAbsolute { program } => {
                write!(
                    formatter,
                    "program `{}` is not an absolute path",
                    program.display()
                )
            }
            Self::ZeroByte(cause) => write!(
                formatter,
                "zero byte at position {} of a text",
                cause.nul_position()
            ),
        }
    }
}

impl Error for PlanError {}

impl From<NulError> for PlanError {
    fn from(cause: NulError) -> Self {
        Self::ZeroByte(cause)
    }
}
