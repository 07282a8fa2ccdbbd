//! What is run: a command with all that is the same for each of its calls.

use std::ffi::{CString, OsStr, OsString};
use std::fmt;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lonis_spawn::{Group, Isolation, Plan, PlanError};

use crate::limits::Limits;
use crate::secrets::Secrets;

use super::confinement::Confinement;
use super::environment::Environment;
use super::failure::{ProcessError, Unavailable, UnavailableReason};
use super::launcher;
use super::outcome::{Backend, Level};
use super::resolve;
use super::shown::Shown;
use super::view::View;

/// The file mode bits that a child cannot set, unless configured otherwise.
const DEFAULT_UMASK: u32 = 0o077;

/// A program with its arguments, its environment, its directory and its limits, ready to be run any number of times.
///
/// Whatever is not set here the program does not get: its environment is `PATH` alone, its directory a private empty
/// one, its descriptors three pipes. What comes from this process (`PATH`, passed variables, the directory that a
/// relative command is meant from) is read when it is set, not when the program is started.
///
/// # Example
/// ```
/// use lonis_core::limits::{Bound, Limits};
/// use lonis_core::process::{self, Program};
///
/// let program = Program::new("sh").with_args(["-c", "cat; printf ' %s' \"$GREETING\""]).with_env("GREETING", "hello");
/// let captured = process::run(&program, b"1 2 3".to_vec());
/// assert_eq!(captured.into_result()?.stdout, b"1 2 3 hello");
/// # Ok::<(), lonis_core::process::ProcessError>(())
/// ```
#[derive(Clone)]
pub struct Program {
    command: PathBuf,
    arguments: Vec<OsString>,
    environment: Environment,
    base_environment: bool,
    directory: Option<PathBuf>,
    temporary: Option<PathBuf>,
    umask: u32,
    keeps_hangup: bool,
    shares_terminal: bool,
    network: Network,
    confinement: Option<Confinement>,
    view: Option<View>,
    containment: Option<Level>,
    backend: Option<Backend>,
    limits: Limits,
    // Made at the first start and shared by the clones; whatever changes the program gives it a fresh one.
    prepared: Arc<Mutex<Option<Arc<Prepared>>>>,
}

/// What a program can reach of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Network {
    /// What this process can.
    Shared,
    /// Nothing.
    Closed,
}

/// A program in the form that the system takes.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) program: PathBuf,
    pub(crate) plan: Plan,
    /// The same behind a launcher, once it is needed.
    pub(crate) launched: OnceLock<Plan>,
    pub(crate) directory: Option<CString>,
}

impl Prepared {
    /// Returns the plan that starts the program by a launcher.
    pub(crate) fn launched_by(&self, launcher: &Path, program: &Program) -> &Plan {
        let make = || {
            let own = [OsStr::new(launcher::ARGUMENT), self.program.as_os_str()];
            let arguments = program.arguments.iter().map(OsString::as_os_str);
            let assignments = program.environment.assignments();
            Plan::new(launcher, own.into_iter().chain(arguments), assignments)
                .expect("the launcher was looked at when it was named, the rest when the program was prepared")
        };
        self.launched.get_or_init(make)
    }
}

impl Program {
    /// Creates a program of a command.
    ///
    /// With a slash in it the command is a path, else a name that is looked for in `PATH` at each start. A relative
    /// path is meant from the present working directory and keeps its meaning when that one changes.
    pub fn new(command: impl Into<OsString>) -> Self {
        Self::in_path(command, std::env::var_os("PATH"))
    }

    /// Creates a program that is looked for in another `PATH` than this process's own.
    pub(crate) fn in_path(command: impl Into<OsString>, path: Option<OsString>) -> Self {
        let command = PathBuf::from(command.into());
        let is_relative = command.is_relative() && command.as_os_str().as_bytes().contains(&b'/');
        // Without a working directory the path stays relative, and is then not found at the start.
        let directory = is_relative.then(std::env::current_dir);
        let command = match directory {
            Some(Ok(directory)) => directory.join(command),
            _ => command,
        };
        let mut environment = Environment::default();
        if let Some(path) = path {
            environment.set("PATH", path);
        }
        Self {
            command,
            arguments: Vec::new(),
            environment,
            base_environment: false,
            directory: None,
            temporary: None,
            umask: DEFAULT_UMASK,
            keeps_hangup: false,
            shares_terminal: false,
            network: Network::Shared,
            confinement: None,
            view: None,
            containment: None,
            backend: None,
            limits: Limits::new(),
            prepared: Arc::default(),
        }
    }

    /// Adds arguments.
    pub fn with_args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self.changed()
    }

    /// Sets a variable of the child.
    pub fn with_env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.set(name, value);
        self.changed()
    }

    /// Sets a variable of the child whose value is a secret: errors and notes of its calls show it masked.
    ///
    /// What the program itself prints as blocks, or as an error of its own, is passed on as it is.
    pub fn with_secret_env(
        mut self,
        name: impl Into<OsString>,
        value: impl Into<OsString>,
    ) -> Self {
        self.environment.set_secret(name, value);
        self.changed()
    }

    /// Passes on a variable of this process, if it has it now.
    pub fn with_passed_env(self, name: impl Into<OsString>) -> Self {
        let name = name.into();
        match std::env::var_os(&name) {
            Some(value) => self.with_env(name, value),
            None => self,
        }
    }

    /// Keeps a variable from the child. Without `PATH` a command by name is looked for in that of this process.
    pub fn without_env(mut self, name: impl AsRef<OsStr>) -> Self {
        let name = name.as_ref();
        if name == "PATH"
            && self
                .command
                .as_os_str()
                .as_bytes()
                .iter()
                .all(|byte| *byte != b'/')
        {
            // Found now; a command that is not found keeps its name, and the start says so.
            if let Ok(found) = self.resolve() {
                self.command = found;
            }
        }
        self.environment.remove(name);
        self.changed()
    }

    /// Sets the `PATH` of the child, in which its command is looked for too.
    pub fn with_path(self, path: impl Into<OsString>) -> Self {
        self.with_env("PATH", path)
    }

    /// Adds `HOME` and `TMPDIR`, each a private empty folder, and `LANG=C.UTF-8`, for runtimes that fail without.
    pub fn with_base_env(mut self) -> Self {
        self.base_environment = true;
        self.changed()
    }

    /// Starts the program in this directory in place of a private empty one.
    pub fn with_cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self.changed()
    }

    /// Makes the private folders of calls below this directory.
    ///
    /// Unset they are below the one that `TMPDIR` names, else in memory for a working directory alone, and in the
    /// system's temporary directory with a home.
    pub fn with_temporary(mut self, directory: impl Into<PathBuf>) -> Self {
        self.temporary = Some(directory.into());
        self.changed()
    }

    /// Sets the file mode bits that the program cannot set.
    ///
    /// # Units and bounds
    /// An octal mode up to `0o777`; further bits are dropped. Default `0o077`.
    pub fn with_umask(mut self, umask: u32) -> Self {
        self.umask = umask & 0o777;
        self.changed()
    }

    /// Keeps SIGHUP ignored in the program if this process ignores it, as `nohup` wants.
    pub fn with_kept_hangup(mut self) -> Self {
        self.keeps_hangup = true;
        self.changed()
    }

    /// Leaves the program in this process's session, so that it can reach its terminal.
    ///
    /// A tool is never interactive: without this, opening `/dev/tty` fails.
    pub fn with_shared_terminal(mut self) -> Self {
        self.shares_terminal = true;
        self.changed()
    }

    /// Starts the program where there is no network, not even that of this machine itself.
    ///
    /// The child gets a network namespace of its own, through a user namespace where this process has no privileges. A
    /// machine that allows neither does not start it.
    pub fn without_network(mut self) -> Self {
        self.network = Network::Closed;
        self.changed()
    }

    /// Holds the program to rules for files and the network.
    pub fn with_confinement(mut self, confinement: Confinement) -> Self {
        // The form that the system takes of the program is the same.
        self.confinement = Some(confinement);
        self
    }

    /// Starts the program where it finds other folders mounted than everybody else.
    ///
    /// It gets a mount namespace of its own, through a user namespace where this process has no privileges. A machine that
    /// allows neither does not start it.
    pub fn with_view(mut self, view: View) -> Self {
        self.view = Some(view);
        self.changed()
    }

    /// Refuses to start unless at least this level of containment can be reached.
    pub fn with_containment(mut self, level: Level) -> Self {
        self.containment = Some(level);
        self.changed()
    }

    /// Starts the program through one backend, whatever this machine would choose by itself; for tests and measurements.
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = Some(backend);
        self.changed()
    }

    /// Sets the limits of every call that does not set its own.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self.changed()
    }

    /// Returns a text without the values that were set as secrets.
    pub fn masked(&self, text: impl Into<String>) -> String {
        Secrets::of(self.environment.secrets()).masked(text.into())
    }

    /// Returns the command as it was given, made absolute if it was a relative path.
    pub fn command(&self) -> &Path {
        &self.command
    }

    /// Returns the limits of every call that does not set its own.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Looks for the program as a start would, without starting it.
    ///
    /// # Errors
    /// What is wrong with it; a start would fail with the same.
    pub fn resolve(&self) -> Result<PathBuf, Unavailable> {
        resolve::find(self.looked_for(), self.environment.get("PATH"))
    }

    /// Looks for the program, and gives what was seen of its file.
    pub(crate) fn resolve_file(&self) -> Result<(PathBuf, Metadata), Unavailable> {
        resolve::find_file(self.looked_for(), self.environment.get("PATH"))
    }

    /// The command as it is found by this process, which is not where the program finds itself in a view.
    fn looked_for(&self) -> &Path {
        let shown = self.view.as_ref().and_then(View::program);
        shown.unwrap_or(&self.command)
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    pub(crate) fn has_base_environment(&self) -> bool {
        self.base_environment
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    pub(crate) fn has_private_directory(&self) -> bool {
        self.directory.is_none()
    }

    pub(crate) fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    pub(crate) fn containment(&self) -> Option<Level> {
        self.containment
    }

    /// Returns the backend that will start it.
    pub(crate) fn backend(&self) -> Backend {
        let chosen = match lonis_spawn::Backend::chosen() {
            lonis_spawn::Backend::Clone3 => Backend::Clone3,
            _ => Backend::PosixSpawn,
        };
        self.backend.unwrap_or(chosen)
    }

    pub(crate) fn shares_terminal(&self) -> bool {
        self.shares_terminal
    }

    /// Whether the program gets no network, or is not started.
    pub(crate) fn is_without_network(&self) -> bool {
        let confined = self.confinement.as_ref();
        let is_required = |rules: &Confinement| rules.closes_network() && rules.is_required();
        self.network == Network::Closed || confined.is_some_and(is_required)
    }

    /// Whether the program gets no network where the machine can close it off.
    pub(crate) fn wants_no_network(&self) -> bool {
        let confined = self.confinement.as_ref();
        self.is_without_network() || confined.is_some_and(Confinement::closes_network)
    }

    pub(crate) fn view(&self) -> Option<&View> {
        self.view.as_ref()
    }

    pub(crate) fn confinement(&self) -> Option<&Confinement> {
        self.confinement.as_ref()
    }

    /// Returns what isolates a child of this program, before the limits of a call.
    pub(crate) fn isolation(&self) -> Isolation {
        let mut isolation = Isolation::default();
        isolation.umask = self.umask;
        isolation.keep_hangup = self.keeps_hangup;
        if self.shares_terminal {
            isolation.group = Group::SharedTerminal;
        }
        isolation
    }

    /// Returns the program in the form that the system takes, made anew only when it is found elsewhere than before.
    pub(crate) fn prepare(&self) -> Result<Arc<Prepared>, ProcessError> {
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        // Where a whole path leads shows when it is executed; what is wrong with it is looked for then.
        if let Some(known) = prepared
            .as_ref()
            .filter(|known| known.program == self.looked_for())
        {
            return Ok(Arc::clone(known));
        }
        let program = self.resolve()?;
        if let Some(known) = prepared.as_ref().filter(|known| known.program == program) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(self.translate(program)?);
        *prepared = Some(Arc::clone(&made));
        Ok(made)
    }

    fn translate(&self, program: PathBuf) -> Result<Prepared, ProcessError> {
        self.environment.check()?;
        for argument in &self.arguments {
            refuse_zero(argument, "argument")?;
        }
        let unusable = |error: PlanError| match error {
            PlanError::NotAbsolute { program } => ProcessError::Unavailable(Unavailable {
                program,
                reason: UnavailableReason::NotFound { target: None },
            }),
            _ => ProcessError::Unusable {
                what: format!("`{}`", Shown::new(&program)),
                reason: "a zero byte is in it",
            },
        };
        let assignments = self.environment.assignments();
        let is_shown = self
            .view
            .as_ref()
            .is_some_and(|view| view.program().is_some());
        let executed = if is_shown { &self.command } else { &program };
        let plan = Plan::new(executed, &self.arguments, assignments).map_err(unusable)?;
        let plan = match self.backend {
            Some(Backend::Clone3) => plan.with_backend(lonis_spawn::Backend::Clone3),
            Some(Backend::PosixSpawn) => plan.with_backend(lonis_spawn::Backend::PosixSpawn),
            _ => plan,
        };
        let directory = self
            .directory
            .as_ref()
            .map(|path| c_path(path))
            .transpose()?;
        Ok(Prepared {
            program,
            plan,
            launched: OnceLock::new(),
            directory,
        })
    }

    fn changed(mut self) -> Self {
        // Where it is shared, those who share it keep what it was.
        match Arc::get_mut(&mut self.prepared) {
            Some(prepared) => *prepared = Mutex::default(),
            None => self.prepared = Arc::default(),
        }
        self
    }
}

/// Returns a path as the system takes it.
pub(crate) fn c_path(path: &Path) -> Result<CString, ProcessError> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| ProcessError::Unusable {
        what: format!("the path `{}`", Shown::new(path)),
        reason: "a zero byte is in it",
    })
}

fn refuse_zero(text: &OsStr, what: &str) -> Result<(), ProcessError> {
    if !text.as_bytes().contains(&0) {
        return Ok(());
    }
    Err(ProcessError::Unusable {
        what: format!("the {what} `{}`", Shown::new(text)),
        reason: "a zero byte is in it",
    })
}

impl fmt::Debug for Program {
    /// Shows the names of variables, never their values, which may be secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Program")
            .field("command", &self.command)
            .field("arguments", &self.arguments)
            .field("environment", &self.environment.names().collect::<Vec<_>>())
            .field("directory", &self.directory)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
