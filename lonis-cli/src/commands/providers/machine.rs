//! What this machine can hold, seen on children that are really started: mechanisms of containment, and bounds.

use std::fs;
use std::path::Path;

use lonis::limits::{Bound, Limits};
use lonis::process::{
    Captured, Confined, Confinement, Job, Level, Mechanism, Program, Status, name_launcher,
    restore_child_signal,
};
use lonis::{ErrorKind, ToolError};
use serde::Serialize;

use crate::signals;

/// Starts a process that leaves its session, and says its number once it has. Where nothing ends it, it soon ends by
/// itself. The inner shell gives its output up when it is away, which is what the outer one waits for. Its number is the
/// one that this process sees, which `$$` need not be.
const ESCAPE: &str = "echo $(setsid sh -c 'read pid rest </proc/self/stat; echo $pid; exec sleep 2 >/dev/null 2>&1' \
                      </dev/null 2>/dev/null &)";
/// Makes a file beside its private folder and takes it away again; where that is refused, ends with [`KEPT`].
const TRESPASS: &str =
    "if (: > ../lonis-doctor-$$) 2>/dev/null; then rm ../lonis-doctor-$$; else exit 7; fi";
/// The code of a shell that could not make its file.
const KEPT: u8 = 7;
/// Bounds that need something of the machine, each with a value that a shell which does nothing keeps to.
const TRIED: [(Bound, u64); 8] = [
    (Bound::MaxWallMillis, 5_000),
    (Bound::MaxCpuMillis, 5_000),
    (Bound::MaxMemoryBytes, 1 << 30),
    (Bound::MaxProcesses, 16),
    (Bound::MaxFileBytes, 1 << 20),
    (Bound::MaxPrivateBytes, 1 << 20),
    (Bound::MaxOpenFiles, 64),
    (Bound::MaxAddressSpaceBytes, 1 << 30),
];

/// What was found.
#[derive(Debug, Serialize)]
pub(super) struct Machine {
    backend: &'static str,
    mechanisms: Vec<MechanismSeen>,
    bounds: Vec<BoundSeen>,
    sandbox: SandboxSeen,
}

/// What of the rules of a sandbox was in force.
#[derive(Debug, Serialize)]
struct SandboxSeen {
    enforced: Vec<&'static str>,
    unenforced: Vec<&'static str>,
    /// Whether a file beside the private folder could not be made.
    keeps_files: bool,
}

#[derive(Debug, Serialize)]
struct MechanismSeen {
    mechanism: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_death: Option<&'static str>,
    /// Whether a child that left its session was gone when the call returned; `None` where that could not be tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_escaped: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

#[derive(Debug, Serialize)]
struct BoundSeen {
    bound: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    enforced_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

/// Starts the children and looks what became of them.
///
/// To be called before anything else of this process starts a child: from then on it adopts orphans, and no other
/// mechanism can be seen any more.
pub(super) fn examine() -> Result<Machine, ToolError> {
    restore_child_signal();
    let session = mechanism(Mechanism::Session, Level::Group);
    let control_group = mechanism(Mechanism::ControlGroup, Level::Tree);
    let pid_namespace = match std::env::current_exe().and_then(name_launcher) {
        Ok(()) => mechanism(Mechanism::PidNamespace, Level::Tree),
        Err(error) => refused(Mechanism::PidNamespace, error.to_string()),
    };
    // Asking for it is what makes this process adopt orphans.
    signals::token();
    let subreaper = mechanism(Mechanism::ChildSubreaper, Level::Tree);
    let idle = run(&shell(":"), Limits::new());
    let backend = idle.outcome.backend.ok_or_else(|| {
        let why = refusal(&idle).unwrap_or_default();
        ToolError::new(
            ErrorKind::Io,
            format!("no child can be started here: {why}"),
        )
    })?;
    Ok(Machine {
        backend: backend.word(),
        mechanisms: vec![session, control_group, pid_namespace, subreaper],
        bounds: TRIED.map(bound).into(),
        sandbox: sandbox(),
    })
}

impl Machine {
    /// The lines for people: a name and what was found.
    pub(super) fn rows(&self) -> Vec<(String, String)> {
        let mut rows = vec![("backend".to_owned(), self.backend.to_owned())];
        rows.extend(self.mechanisms.iter().map(MechanismSeen::row));
        rows.extend(self.bounds.iter().map(BoundSeen::row));
        rows.push(("sandbox".to_owned(), self.sandbox.found()));
        rows
    }
}

impl SandboxSeen {
    fn found(&self) -> String {
        let list = |parts: &[&str]| match parts {
            [] => "nothing".to_owned(),
            parts => parts.join(", "),
        };
        let files = if self.keeps_files {
            "a file outside cannot be made"
        } else {
            "a file outside can be made"
        };
        let (enforced, unenforced) = (list(&self.enforced), list(&self.unenforced));
        format!("enforced: {enforced}; unenforced: {unenforced}; {files}")
    }
}

impl MechanismSeen {
    fn row(&self) -> (String, String) {
        let name = format!("containment by {}", self.mechanism);
        if let Some(why) = &self.refused {
            return (name, format!("refused: {why}"));
        }
        let escaped = match self.ends_escaped {
            Some(true) => "what leaves its session is ended",
            Some(false) => "what leaves its session is not ended",
            None => "nothing that leaves its session could be tried",
        };
        let found = format!(
            "level {}; with a killed host ends: {}; {escaped}",
            self.level.unwrap_or_default(),
            self.host_death.unwrap_or_default()
        );
        (name, found)
    }
}

impl BoundSeen {
    fn row(&self) -> (String, String) {
        let found = match (&self.refused, self.enforced_by) {
            (Some(why), _) => format!("refused: {why}"),
            (None, Some(means)) => means.to_owned(),
            (None, None) => "not in force".to_owned(),
        };
        (self.bound.to_owned(), found)
    }
}

fn mechanism(wanted: Mechanism, level: Level) -> MechanismSeen {
    let captured = run(&shell(ESCAPE).with_containment(level), Limits::new());
    let contained = captured.outcome.containment;
    if let Some(other) = contained.filter(|contained| contained.mechanism != wanted) {
        return refused(
            wanted,
            format!("`{}` takes its place here", other.mechanism),
        );
    }
    let pid = String::from_utf8_lossy(&captured.stdout).trim().to_owned();
    // Without `setsid` there is no number.
    let could_try = !pid.is_empty();
    MechanismSeen {
        mechanism: wanted.word(),
        level: contained.map(|contained| contained.level.word()),
        host_death: contained.map(|contained| contained.host_death.word()),
        ends_escaped: could_try.then(|| !is_alive(&pid)),
        refused: refusal(&captured),
    }
}

fn refused(wanted: Mechanism, why: String) -> MechanismSeen {
    MechanismSeen {
        mechanism: wanted.word(),
        level: None,
        host_death: None,
        ends_escaped: None,
        refused: Some(why),
    }
}

/// Tries the rules of a tool that declares no side effects.
fn sandbox() -> SandboxSeen {
    let program = shell(TRESPASS).with_confinement(Confinement::writing_nowhere());
    let captured = run(&program, Limits::new());
    let words = |parts: &[Confined]| parts.iter().map(|part| part.word()).collect();
    let report = captured.outcome.confinement.unwrap_or_default();
    SandboxSeen {
        enforced: words(&report.enforced),
        unenforced: words(&report.unenforced),
        keeps_files: captured.outcome.status == Some(Status::Exited(KEPT)),
    }
}

/// Whether a process still runs; one that was ended and that nobody has reaped yet does not.
fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    // The name before the state may hold anything, parentheses too.
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

fn bound((bound, value): (Bound, u64)) -> BoundSeen {
    let limits = Limits::new().with(bound, value);
    let captured = run(&shell(":"), limits.unwrap_or_default());
    let held = captured
        .outcome
        .bounds
        .iter()
        .find(|held| held.bound == bound);
    BoundSeen {
        bound: bound.name(),
        enforced_by: held.map(|held| held.enforced_by.word()),
        refused: refusal(&captured),
    }
}

fn shell(script: &str) -> Program {
    Program::new("/bin/sh").with_args(["-c", script])
}

/// A shell that does next to nothing is bounded by the usual deadline, and needs no other end.
fn run(program: &Program, limits: Limits) -> Captured {
    Job::new(program).with_limits(limits).run()
}

fn refusal(captured: &Captured) -> Option<String> {
    captured.failure.as_ref().map(ToString::to_string)
}
