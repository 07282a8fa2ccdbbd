//! A host process for one case, and what is asserted of everything that it does.
//!
//! A case starts this program again as its *witness*, which adopts whatever its descendants orphan, and that starts it
//! once more as the *host* of the case. So every process that a call leaves behind is a child of the host or of the
//! witness, whatever session it moved to and however often it forked.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lonis::limits::{Bound, Limits};
use lonis::process::CancelToken;
use lonis::{Call, Json, SeedBlock, SubprocessTool, Tool, ToolError, ToolId};
use rustix::process::{
    Pid, Resource, Rlimit, WaitOptions, getpid, prlimit, set_child_subreaper, wait,
};
use serde_json::Value;

use crate::program::Run;

/// Which part a process of this program plays.
const ROLE: &str = "LONIS_HARD_CASE";
/// What a machine with other work on it may take beyond the bound of a case; the fixtures stay for longer than that.
const ROOM: Duration = Duration::from_secs(30);
/// The limit of a call whose deadline is not what its case is about.
pub(crate) const AMPLE_MILLIS: u64 = 600_000;
/// From the end that a call is given to the signal that cannot be ignored.
pub(crate) const GRACE_MILLIS: u64 = 250;
/// From the exit of a program to the end of its pipes.
pub(crate) const DRAIN_MILLIS: u64 = 250;
/// The time that a call has where nothing else is said.
const TIMEOUT_MILLIS: u64 = 5_000;
/// What a case may take of its host's memory beyond an idle call, where its row says nothing else.
pub(crate) const MEMORY_MIB: u64 = 32;
/// All that a program of ours may allocate while it hosts a hostile tool.
const PROGRAM_MIB: u64 = 96;

/// How a call is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Collected,
    Streamed,
}

pub(crate) const WAYS: [Way; 2] = [Way::Collected, Way::Streamed];

/// How something has to end: kind, exit code, and in which time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    kind: Option<&'static str>,
    code: u8,
    within: Duration,
}

impl Ends {
    pub(crate) fn well() -> Self {
        let within = Duration::from_millis(TIMEOUT_MILLIS + GRACE_MILLIS);
        Self {
            kind: None,
            code: 0,
            within,
        }
    }

    pub(crate) fn with(kind: &'static str, code: u8) -> Self {
        Self {
            kind: Some(kind),
            code,
            ..Self::well()
        }
    }

    /// A timeout, by the deadline and the grace.
    pub(crate) fn timeout(millis: u64) -> Self {
        Self::with("timeout", 7).within(millis + GRACE_MILLIS)
    }

    pub(crate) fn within(self, millis: u64) -> Self {
        let within = Duration::from_millis(millis);
        Self { within, ..self }
    }
}

/// What a call gave.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) blocks: Vec<SeedBlock>,
    pub(crate) error: Option<ToolError>,
    pub(crate) notes: Vec<String>,
    pub(crate) diagnostics: String,
    pub(crate) elapsed: Duration,
}

impl Ended {
    pub(crate) fn details(&self) -> Value {
        details(self.error.as_ref().expect("an error"))
    }

    /// The outputs of the results that came out.
    pub(crate) fn outputs(&self) -> Vec<Value> {
        self.blocks.iter().map(output).collect()
    }
}

pub(crate) fn details(error: &ToolError) -> Value {
    error.details().map_or(Value::Null, Json::to_value)
}

pub(crate) fn output(block: &SeedBlock) -> Value {
    match block.payload() {
        lonis::BlockKind::Result(result) => result.output.to_value(),
        other => panic!("no result: {other:?}"),
    }
}

/// A tool of one mode of the hostile program.
pub(crate) fn tool(mode: &[&str]) -> SubprocessTool {
    let id = ToolId::new("misbehave:tool").unwrap();
    SubprocessTool::new(id, misbehave::program())
        .with_args(mode)
        .with_timeout_millis(AMPLE_MILLIS)
}

/// The same, which even on a busy machine gets to its end or to its cap after its output has proved to be of no use.
pub(crate) fn patient(mode: &[&str]) -> SubprocessTool {
    let grace = Limits::new().with(Bound::DrainGraceMillis, 20_000);
    tool(mode).with_limits(grace.unwrap())
}

/// The process that a case hosts its tools in.
#[derive(Debug)]
pub(crate) struct Host {
    room: Duration,
    /// What a program that it starts may allocate.
    program_bytes: u64,
}

impl Host {
    /// Calls a tool both ways.
    pub(crate) fn both(&self, tool: &SubprocessTool, ends: Ends) -> [Ended; 2] {
        WAYS.map(|way| self.call(tool, way, Call::new(Value::Null), ends))
    }

    /// Calls a tool, asserts how it ends and in which time.
    pub(crate) fn call(&self, tool: &SubprocessTool, way: Way, call: Call, ends: Ends) -> Ended {
        let started = Instant::now();
        let mut ended = Ended {
            blocks: Vec::new(),
            error: None,
            notes: Vec::new(),
            diagnostics: String::new(),
            elapsed: Duration::ZERO,
        };
        match tool.start(call) {
            Ok(mut stream) => {
                if way == Way::Collected {
                    match stream.collect_remaining() {
                        Ok(blocks) => ended.blocks = blocks,
                        Err(error) => ended.error = Some(error),
                    }
                }
                for item in stream.by_ref() {
                    assert!(ended.error.is_none(), "nothing follows an error");
                    match item {
                        Ok(block) => ended.blocks.push(block),
                        Err(error) => ended.error = Some(error),
                    }
                }
                ended.notes = stream.notes().to_vec();
                stream.diagnostics().clone_into(&mut ended.diagnostics);
            }
            Err(error) => ended.error = Some(error),
        }
        ended.elapsed = started.elapsed();
        self.judge(
            ended.error.as_ref(),
            ended.elapsed,
            ends,
            &format!("{way:?}"),
        );
        ended
    }

    /// Does something else that may fail, asserts how it ends and in which time.
    pub(crate) fn does<T>(
        &self,
        ends: Ends,
        work: impl FnOnce() -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let started = Instant::now();
        let result = work();
        self.judge(result.as_ref().err(), started.elapsed(), ends, "");
        result
    }

    /// Does something that gives no kind and no code, and asserts the time that it takes.
    pub(crate) fn takes<T>(&self, millis: u64, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = work();
        self.judge(None, started.elapsed(), Ends::well().within(millis), "");
        result
    }

    /// Starts a program of ours as a host, with little memory.
    pub(crate) fn start(&self, command: &mut Command) -> Child {
        let child = command.spawn().unwrap();
        let bytes = Some(self.program_bytes);
        let limit = Rlimit {
            current: bytes,
            maximum: bytes,
        };
        // A program that has ended already took no more than that.
        let _ = prlimit(Some(Pid::from_child(&child)), Resource::Data, limit);
        child
    }

    /// Runs a program of ours in a machine mode, asserts its one error or its success, its code and its time.
    pub(crate) fn program(&self, command: &mut Command, ends: Ends) -> Run {
        let started = Instant::now();
        let child = self.start(command);
        let run = Run::of(child.wait_with_output().unwrap());
        let error = (run.code != 0).then(|| run.error());
        self.judge(error.as_ref(), started.elapsed(), ends, &format!("{run:?}"));
        run
    }

    fn judge(&self, error: Option<&ToolError>, elapsed: Duration, ends: Ends, what: &str) {
        let kind = error.map(|error| error.kind().as_str());
        let code = error.map_or(0, ToolError::exit_code);
        assert_eq!((kind, code), (ends.kind, ends.code), "{what}: {error:?}");
        assert!(
            elapsed <= ends.within + self.room,
            "{what}: took {elapsed:?}, allowed {:?}",
            ends.within
        );
    }
}

/// What a test allows beside the bound of a case.
pub(crate) fn room() -> Duration {
    let millis = std::env::var("LONIS_TEST_SLACK_MILLIS").ok();
    let millis = millis.and_then(|text| text.parse().ok());
    ROOM + millis.map_or(Duration::ZERO, Duration::from_millis)
}

/// Runs a case in a host process of its own, which may take so much memory and leaves no process.
pub(crate) fn case<F: FnOnce(&Host)>(memory_mib: u64, body: F) {
    // The closure is named after the test that it stands in.
    let name = std::any::type_name::<F>();
    let name = name.trim_end_matches("::{{closure}}");
    let (_, name) = name.split_once("::").expect("a test of this crate");
    match std::env::var(ROLE).as_deref() {
        Ok("host") => hosting(memory_mib, body),
        Ok("witness") => {
            set_child_subreaper(Some(getpid())).unwrap();
            again(name, "host");
        }
        _ => again(name, "witness"),
    }
}

/// Runs the test of this name in another process.
fn again(name: &str, role: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(ROLE, role)
        .env("SECRET_TOKEN", "hunter2")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{role} of {name}:\n{text}{errors}");
    assert!(
        text.contains("1 passed"),
        "no test is called {name}: {text}"
    );
}

fn hosting(memory_mib: u64, body: impl FnOnce(&Host)) {
    let host = Host {
        room: room(),
        program_bytes: PROGRAM_MIB << 20,
    };
    host.both(&tool(&["blocks", "count=1"]), Ends::well());
    let idle = peak_memory_kib();
    body(&host);
    let grown = peak_memory_kib() - idle;
    assert!(
        grown <= memory_mib << 10,
        "the host took {grown} KiB more than an idle call"
    );
    let until = Instant::now() + room();
    loop {
        let left = left_behind();
        if left.is_empty() {
            break;
        }
        assert!(Instant::now() < until, "left behind: {left:#?}");
        std::thread::yield_now();
    }
}

/// The children of this host, zombies too, and what its witness adopted and is alive.
///
/// A zombie that the witness adopted has ended as far as a host that holds a group alone can see to it.
fn left_behind() -> Vec<String> {
    let own = std::process::id();
    let witness = std::os::unix::process::parent_id();
    let stat = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let adopted = children(witness).into_iter().filter_map(|pid| {
        let stat = stat(&pid).filter(|_| pid != own.to_string())?;
        let state = stat.rsplit(") ").next().unwrap_or_default();
        (!state.starts_with('Z') && !state.starts_with('X')).then_some(stat)
    });
    let own = children(own).into_iter().filter_map(|pid| stat(&pid));
    own.chain(adopted).collect()
}

/// The children of all threads of a process.
fn children(pid: u32) -> Vec<String> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let of = |thread: std::fs::DirEntry| {
        std::fs::read_to_string(thread.path().join("children")).unwrap_or_default()
    };
    let all: String = threads.flatten().map(of).collect();
    all.split_whitespace().map(str::to_owned).collect()
}

pub(crate) fn peak_memory_kib() -> u64 {
    own_status("VmHWM:")
}

/// A number that the system tells about this process.
pub(crate) fn own_status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|line| line.strip_prefix(field));
    let digits = value.unwrap().trim().trim_end_matches(" kB");
    digits.parse().unwrap()
}

/// Ends what a level of containment does not reach, so that the case can be judged by what it does.
pub(crate) fn end(pid: i32) {
    let pid = Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    // It was adopted by the witness unless its parent is still there; either reaps it, or nobody has to.
    let _ = wait(WaitOptions::NOHANG);
}

/// A token that is cancelled from another thread once something is announced.
pub(crate) fn cancelled_when(ready: impl FnOnce() + Send + 'static) -> CancelToken {
    let token = CancelToken::new();
    let cancelled = token.clone();
    std::thread::spawn(move || {
        ready();
        cancelled.cancel();
    });
    token
}
