//! This test program as its own child, so that no test depends on a program of the system.
//!
//! The child's part runs before the language's runtime, which would change signals and descriptors first.

use std::{
    ffi::OsString,
    fs,
    io::{PipeReader, PipeWriter},
    io::{Read, Write},
    os::{fd::AsFd, unix::ffi::OsStringExt},
    path::PathBuf,
};

use lonis_spawn::{Plan, Request, SpawnError, Started, spawn};

const MARK: &str = "lonis-spawn-probe";

#[used]
#[unsafe(link_section = ".init_array")]
static CHILD: extern "C" fn() = child;

extern "C" fn child() {
    let line = fs::read("/proc/self/cmdline").unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0).skip(1);
    if words.next() != Some(MARK.as_bytes()) {
        return;
    }
    let mode = words.next().unwrap_or_default();
    let argument = words.next().unwrap_or_default();
    let code = act(mode, argument);
    // SAFETY: ends this process at once.
    unsafe { libc::_exit(code) };
}

fn act(mode: &[u8], argument: &[u8]) -> i32 {
    match mode {
        b"exit" => String::from_utf8_lossy(argument).parse().unwrap_or(99),
        // Says that it runs, then stays until its stdin ends.
        b"stay" => {
            let said = std::io::stdout()
                .write_all(b"here")
                .and_then(|()| std::io::stdout().flush());
            let read = std::io::stdin().read_to_end(&mut Vec::new());
            if said.is_ok() && read.is_ok() { 0 } else { 98 }
        }
        _ => 97,
    }
}

pub(crate) fn program() -> PathBuf {
    std::env::current_exe().unwrap()
}

pub(crate) fn plan(words: &[&str]) -> Plan {
    let words = [MARK]
        .iter()
        .chain(words)
        .map(|word| OsString::from_vec(word.as_bytes().to_vec()));
    Plan::new(&program(), words, ["LANG=C.UTF-8"]).unwrap()
}

/// A child with a pipe on each of its three descriptors.
pub(crate) struct Running {
    pub(crate) started: Started,
    pub(crate) stdin: PipeWriter,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
}

pub(crate) fn run(plan: &Plan) -> Result<Running, SpawnError> {
    let (stdin_read, stdin) = std::io::pipe().unwrap();
    let (stdout, stdout_write) = std::io::pipe().unwrap();
    let (stderr, stderr_write) = std::io::pipe().unwrap();
    let request = Request::new(
        stdin_read.as_fd(),
        stdout_write.as_fd(),
        stderr_write.as_fd(),
    );
    let started = spawn(plan, &request)?;
    Ok(Running {
        started,
        stdin,
        stdout,
        stderr,
    })
}

impl Running {
    /// Waits until the child says that it runs.
    pub(crate) fn wait_here(&mut self) {
        let mut said = [0; 4];
        self.stdout.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"here");
    }
}
