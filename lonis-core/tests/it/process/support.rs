//! What the tests of this folder share: small hostile programs, and proof that nothing is left of them.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use lonis_core::limits::{Bound, Limits};
use lonis_core::process::{self, Backend, Program};

/// What a machine with other work on it may take beyond what is promised; the programs of these tests stay for longer.
///
/// On a quiet machine `LONIS_TEST_SLACK_MILLIS=500` asks for what the hard cases allow.
const SLACK_MILLIS: u64 = 30_000;

/// The limit of a program whose deadline is not what its test is about.
pub(crate) const AMPLE_MILLIS: u64 = 90_000;

/// Returns what a test allows for scheduling.
pub(crate) fn slack() -> Duration {
    let millis = std::env::var("LONIS_TEST_SLACK_MILLIS").ok();
    let millis = millis
        .and_then(|text| text.parse().ok())
        .unwrap_or(SLACK_MILLIS);
    Duration::from_millis(millis)
}

/// The variable that names the backend of every program of these tests; unset, it is the machine's own choice.
pub(crate) const BACKEND: &str = "LONIS_TEST_BACKEND";

/// Returns the backend that these tests were asked to use.
pub(crate) fn backend() -> Option<Backend> {
    let word = std::env::var(BACKEND).ok()?;
    let all = [Backend::Clone3, Backend::PosixSpawn, Backend::Portable];
    let named = all.into_iter().find(|backend| backend.word() == word);
    Some(named.expect("the word of a backend"))
}

/// Makes a program that the backend under test starts.
pub(crate) fn program(command: impl Into<OsString>) -> Program {
    let program =
        Program::new(command).with_limits(limits(&[(Bound::TimeoutMillis, AMPLE_MILLIS)]));
    match backend() {
        Some(backend) => program.with_backend(backend),
        None => program,
    }
}

/// Makes a program of a shell script.
pub(crate) fn shell(script: &str) -> Program {
    program("sh").with_args(["-c", script])
}

/// Makes a program of a Python script.
pub(crate) fn python(script: &str) -> Program {
    // The interpreter itself: the name may be that of a script that chooses one.
    static INTERPRETER: OnceLock<PathBuf> = OnceLock::new();
    let find = || {
        let ask = ["-c", "import sys; print(sys.executable)"];
        let captured = process::run(&Program::new("python3").with_args(ask), []);
        let path = String::from_utf8(captured.stdout).expect("a path that is text");
        PathBuf::from(path.trim())
    };
    program(INTERPRETER.get_or_init(find)).with_args(["-IS", "-c", script])
}

/// Returns limits of these values.
pub(crate) fn limits(values: &[(Bound, u64)]) -> Limits {
    values.iter().fold(Limits::new(), |limits, (bound, value)| {
        limits.with(*bound, *value).expect("in range")
    })
}

/// A folder in which children leave their process ids, one file each, named by the test.
pub(crate) struct Handshake {
    folder: tempfile::TempDir,
}

impl Handshake {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    /// Returns the path of a file that a child writes to.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the process id that a child has left.
    pub(crate) fn pid(&self, name: &str) -> u32 {
        let text = fs::read_to_string(self.path(name)).expect("the child announced itself");
        text.trim().parse().expect("a process id")
    }

    /// Waits until a child has announced itself.
    pub(crate) fn wait_for(&self, name: &str) {
        let until = Instant::now() + slack();
        while !self.path(name).exists() {
            assert!(Instant::now() < until, "`{name}` was never announced");
            std::thread::yield_now();
        }
    }

    /// Fails unless every announced process has ended, at the latest after the slack.
    ///
    /// A zombie whose parent is the first process of a container that does not reap has ended as far as a host that
    /// holds a group alone can see to it.
    pub(crate) fn assert_ended(&self, names: &[&str]) {
        self.assert_state(names, is_foreign_zombie);
    }

    /// Fails unless every announced process is gone and reaped, at the latest after the slack.
    pub(crate) fn assert_gone(&self, names: &[&str]) {
        self.assert_state(names, |_| false);
    }

    fn assert_state(&self, names: &[&str], tolerated: impl Fn(&str) -> bool) {
        for name in names {
            let pid = self.pid(name);
            let until = Instant::now() + slack();
            while let Some(stat) = stat(pid).filter(|stat| !tolerated(stat)) {
                assert!(Instant::now() < until, "`{name}` is still there: {stat}");
                std::thread::yield_now();
            }
        }
    }
}

/// Returns what the system says about a process that exists, be it a zombie.
pub(crate) fn stat(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/stat")).ok()
}

fn is_foreign_zombie(stat: &str) -> bool {
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let mut fields = after_name.split_whitespace();
    let state = fields.next();
    let parent = fields.next().and_then(|field| field.parse::<u32>().ok());
    state == Some("Z") && parent != Some(std::process::id())
}

/// Runs a test in a process of its own, for what holds for a whole process; `name` is the path of the test.
pub(crate) fn in_own_process(name: &str, body: impl FnOnce()) {
    const CASE: &str = "LONIS_TEST_CASE";
    if std::env::var(CASE).as_deref() == Ok(name) {
        return body();
    }
    let own = std::env::current_exe().expect("this program has a path");
    #[expect(
        clippy::disallowed_methods,
        reason = "the host under test is a process of its own"
    )]
    let output = std::process::Command::new(own)
        .args(["--exact", name, "--nocapture"])
        .env(CASE, name)
        .output()
        .expect("this program starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{name}: {}\n{text}{errors}",
        output.status
    );
    assert!(
        text.contains("1 passed"),
        "no test has the name {name}: {text}"
    );
}

/// Waits until something holds, and fails if it does not within the slack.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + slack();
    while !holds() {
        assert!(Instant::now() < until, "never held: {what}");
        std::thread::yield_now();
    }
}

/// Runs something and fails if it takes longer than allowed, the slack added.
pub(crate) fn within<T>(allowed: Duration, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    let elapsed = started.elapsed();
    assert!(
        elapsed <= allowed + slack(),
        "took {elapsed:?}, allowed {allowed:?}"
    );
    result
}

/// Ends a process that a level of containment does not reach.
pub(crate) fn kill(pid: u32) {
    let pid = i32::try_from(pid).expect("a process id");
    let pid = rustix::process::Pid::from_raw(pid).expect("a process id");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it was there");
}
