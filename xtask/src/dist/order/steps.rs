//! A program under a tracer that sees each instruction.

use std::path::Path;
use std::process::Stdio;

use nix::sys::ptrace::{self, Event, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::command::{self, Failure};

/// Stops by itself before it becomes the program, so that the tracer is there from the first instruction on.
const SCRIPT: &str = "kill -STOP $$; exec \"$0\" \"$@\"";

/// Runs a program to its end, one instruction after the other, and tells where each stands.
///
/// # Errors
/// Where the system lets nobody trace, or the program ends by a signal.
pub(super) fn follow(
    program: &Path,
    words: &[&str],
    folder: &Path,
    see: impl FnMut(u64),
) -> Result<(), Failure> {
    let name = program.display().to_string();
    let arguments = [&["-c", SCRIPT, &name], words].concat();
    let child = command::command(folder, "sh", &arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", folder)
        .env("LONIS_CONFIG", folder.join("lonis.toml"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let child = child.map_err(|source| Failure::Start {
        program: "sh".to_owned(),
        source,
    })?;
    let pid = i32::try_from(child.id()).expect("the system's numbers are of this type");
    let ended = trace(Pid::from_raw(pid), see)
        .map_err(|errno| Failure::Found(format!("cannot trace `{name}`: {errno}")))?;
    match ended {
        WaitStatus::Exited(..) => Ok(()),
        other => Err(Failure::Found(format!("`{name}` ended so: {other:?}"))),
    }
}

/// Traces a child that is about to stop by itself and then to become another program; returns how that ends.
fn trace(pid: Pid, mut see: impl FnMut(u64)) -> nix::Result<WaitStatus> {
    waitpid(pid, Some(WaitPidFlag::WUNTRACED))?;
    ptrace::seize(
        pid,
        Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL,
    )?;
    kill(pid, Signal::SIGCONT)?;
    let mut is_program = false;
    loop {
        let signal = match waitpid(pid, None)? {
            ended @ (WaitStatus::Exited(..) | WaitStatus::Signaled(..)) => return Ok(ended),
            WaitStatus::PtraceEvent(_, _, event) => {
                is_program |= event == Event::PTRACE_EVENT_EXEC as i32;
                None
            }
            WaitStatus::Stopped(_, Signal::SIGTRAP) if is_program => {
                see(place(pid)?);
                None
            }
            WaitStatus::Stopped(_, signal) => Some(signal),
            _ => None,
        };
        if is_program {
            ptrace::step(pid, signal)?;
        } else {
            ptrace::cont(pid, signal)?;
        }
    }
}

/// The address of the next instruction.
#[cfg(target_arch = "x86_64")]
fn place(pid: Pid) -> nix::Result<u64> {
    Ok(ptrace::getregs(pid)?.rip)
}

#[cfg(not(target_arch = "x86_64"))]
fn place(_pid: Pid) -> nix::Result<u64> {
    Err(nix::Error::ENOSYS)
}
