//! Descendants: the fixture starts itself again with the mode `sleep`.

use std::io::Read;
use std::process::{Child, Command, Stdio};

use crate::modes::refused;
use crate::options::{Failure, Options};
use crate::run::Run;

/// The role of a descendant that has left the group.
const ESCAPEE: &str = "escapee";

/// How a descendant leaves the group that it was born in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    Stays,
    Session,
    Group,
    DoubleFork,
    Both,
}

/// A descendant to start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Descendant<'a> {
    role: &'a str,
    escape: Escape,
    holds_pipes: bool,
    millis: u64,
}

impl<'a> Descendant<'a> {
    pub(crate) fn holding(role: &'a str, millis: u64) -> Self {
        Self {
            role,
            escape: Escape::Stays,
            holds_pipes: true,
            millis,
        }
    }

    /// Starts it and waits until it has announced itself and made its escape.
    pub(crate) fn start(&self, run: &Run) -> Result<Child, Failure> {
        self.start_for(&run.options)
    }

    /// The same for a step of discovery, which is no run of a mode.
    pub(crate) fn start_for(&self, options: &Options) -> Result<Child, Failure> {
        let (mut ready, ready_end) = std::io::pipe()?;
        let program = std::env::current_exe()?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the fixture starts what a host has to end"
        )]
        let mut command = Command::new(program);
        let role = if self.escape.forks_twice() {
            "middle"
        } else {
            self.role
        };
        command
            .args(["sleep", "ready=yes"])
            .arg(format!("role={role}"))
            .arg(format!("millis={}", self.millis));
        command.arg(format!("escape={}", self.escape.name()));
        if let Some(log) = options.raw("log") {
            let mut argument = std::ffi::OsString::from("log=");
            argument.push(log);
            command.arg(argument);
        }
        // The descendant reports on its descriptor 0: unlike an extra one it needs no number to be passed on.
        command.stdin(ready_end);
        if !self.holds_pipes {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let child = command.spawn()?;
        drop(command);
        // One byte says ready; the end of the pipe instead of it says that the descendant could not start.
        ready.read_exact(&mut [0])?;
        Ok(child)
    }
}

impl Escape {
    const ALL: [Self; 5] = [
        Self::Stays,
        Self::Session,
        Self::Group,
        Self::DoubleFork,
        Self::Both,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Stays => "none",
            Self::Session => "session",
            Self::Group => "group",
            Self::DoubleFork => "double-fork",
            Self::Both => "both",
        }
    }

    fn forks_twice(self) -> bool {
        matches!(self, Self::DoubleFork | Self::Both)
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|escape| escape.name() == text);
        found.ok_or_else(|| Failure::Usage(format!("no escape `{text}`")))
    }
}

/// Case 1 of the hard ones: nobody leaves and the pipes stay open.
pub(crate) fn hold_pipe(run: &Run) -> Result<u8, Failure> {
    Descendant::holding("grandchild", run.options.number("millis", 100_000)?).start(run)?;
    run.rest(100_000)?;
    Ok(0)
}

pub(crate) fn exit_held(run: &Run) -> Result<u8, Failure> {
    Descendant::holding("grandchild", run.options.number("millis", 100_000)?).start(run)?;
    run.stdout()?.line(&run.block("\"held\""))?;
    run.announcer.step("leaving");
    run.exit_code(0)
}

pub(crate) fn family(run: &Run) -> Result<u8, Failure> {
    let millis = run.options.number("millis", 100_000)?;
    let silent = Descendant {
        role: "background",
        escape: Escape::Stays,
        holds_pipes: false,
        millis,
    };
    silent.start(run)?;
    Descendant {
        role: "session",
        escape: Escape::Session,
        ..silent
    }
    .start(run)?;
    let mut foreground = Descendant {
        role: "foreground",
        ..silent
    }
    .start(run)?;
    run.announcer.step("ready");
    foreground.wait()?;
    Ok(0)
}

pub(crate) fn escape(run: &Run) -> Result<u8, Failure> {
    let millis = run.options.number("millis", 100_000)?;
    let escape = Escape::parse(run.options.text("via", "session"))?;
    let mut child = Descendant {
        role: ESCAPEE,
        escape,
        holds_pipes: false,
        millis,
    }
    .start(run)?;
    if escape.forks_twice() {
        child.wait()?;
    }
    run.stdout()?.line(&run.block("\"escaped\""))?;
    match run.options.text("then", "wait") {
        "exit" => run.announcer.step("leaving"),
        _ => run.rest(100_000)?,
    }
    Ok(0)
}

pub(crate) fn fork_many(run: &Run) -> Result<u8, Failure> {
    let millis = run.options.number("millis", 100_000)?;
    for number in 0..run.options.number("count", 50)? {
        Descendant::holding(&format!("child-{number}"), millis).start(run)?;
    }
    run.rest(100_000)?;
    Ok(0)
}

pub(crate) fn processes(run: &Run) -> Result<u8, Failure> {
    let millis = run.options.number("millis", 100_000)?;
    for number in 0..run.options.number("count", 256)? {
        let role = format!("child-{number}");
        let started = Descendant {
            role: &role,
            escape: Escape::Stays,
            holds_pipes: false,
            millis,
        }
        .start(run);
        if let Err(Failure::Io(error)) = started {
            refused("process", &error)?;
            return Ok(11);
        }
    }
    run.rest(100_000)?;
    Ok(0)
}

/// What every descendant runs.
pub(crate) fn sleep(run: &Run) -> Result<u8, Failure> {
    match Escape::parse(run.options.text("escape", "none"))? {
        Escape::Stays => {}
        Escape::Session => drop(rustix::process::setsid()?),
        Escape::Group => rustix::process::setpgid(None, None)?,
        Escape::DoubleFork => return start_orphan(),
        Escape::Both => {
            rustix::process::setsid()?;
            return start_orphan();
        }
    }
    if run.options.is_set("ready") {
        rustix::io::write(rustix::stdio::stdin(), b"r")?;
        // Were the report to stay open, its reader could not tell this process from one that is still on its way.
        rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    }
    if run.options.is_set("ignore_term") {
        return crate::modes::signals::ignore_term(run);
    }
    run.rest(100_000)?;
    Ok(0)
}

/// The middle process of a double fork: it starts the one that stays, on the same report, and leaves.
fn start_orphan() -> Result<u8, Failure> {
    let program = std::env::current_exe()?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the fixture starts what a host has to end"
    )]
    let mut command = Command::new(program);
    let own = |argument: &std::ffi::OsString| {
        let text = argument.to_string_lossy();
        text.starts_with("escape=") || text.starts_with("role=")
    };
    command
        .args(
            std::env::args_os()
                .skip(1)
                .filter(|argument| !own(argument)),
        )
        .arg(format!("role={ESCAPEE}"));
    command.spawn()?;
    Ok(0)
}
