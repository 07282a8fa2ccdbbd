//! This test program as its own child, so that no test depends on a program of the system.
//!
//! Such a child acts before the language's runtime, which would change signals and descriptors first. A child is also
//! used as a host of its own where a test changes what belongs to a whole process.

use std::{
    ffi::OsString,
    fs,
    io::{PipeReader, PipeWriter, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::{Path, PathBuf},
};

use lonis_spawn::{Backend, Plan, Request, SpawnError, Started, spawn};

pub(crate) const BACKENDS: [Backend; 2] = [Backend::Clone3, Backend::PosixSpawn];

const MARK: &str = "lonis-spawn-probe";

#[used]
#[unsafe(link_section = ".init_array")]
static CHILD: extern "C" fn() = child;

extern "C" fn child() {
    let mut line = fs::read("/proc/self/cmdline").unwrap_or_default();
    line.pop();
    let words = line
        .split(|byte| *byte == 0)
        .map(|word| OsString::from_vec(word.to_vec()));
    let words: Vec<OsString> = words.collect();
    if words.get(1).is_some_and(|word| word == MARK) {
        let code = act(&words[2..]);
        // SAFETY: ends this process at once.
        unsafe { libc::_exit(code) };
    }
}

fn act(words: &[OsString]) -> i32 {
    match words[0].to_str().unwrap() {
        "exit" => words[1].to_str().unwrap().parse().unwrap(),
        // Says that it runs, then stays until its stdin ends.
        "stay" => {
            say("here");
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            0
        }
        "create" => fs::write(&words[1], "text")
            .err()
            .map_or(0, |error| error.raw_os_error().unwrap()),
        "environment" => {
            say(&String::from_utf8_lossy(
                &fs::read("/proc/self/environ").unwrap(),
            ));
            0
        }
        // As bytes in hexadecimal, since a word may be any bytes but a zero.
        "words" => {
            words[1..]
                .iter()
                .for_each(|word| say(&format!("{:x?}", word.as_encoded_bytes())));
            0
        }
        "echo" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).unwrap();
            say(&text);
            std::io::stderr()
                .write_all(text.to_uppercase().as_bytes())
                .unwrap();
            0
        }
        host => {
            let backend = BACKENDS
                .into_iter()
                .find(|backend| words[1] == *format!("{backend:?}"));
            act_as_host(host, backend.unwrap());
            0
        }
    }
}

fn act_as_host(name: &str, backend: Backend) {
    match name {
        "deaf-host" => crate::host_signals::deaf_host(backend),
        "host-without-status" => crate::host_signals::host_without_status(backend),
        "host-of-a-closed-pipe" => crate::host_signals::host_of_a_closed_pipe(),
        "host-of-a-full-file" => crate::host_signals::host_of_a_full_file(),
        "host-that-dies" => crate::host_signals::host_that_dies(backend),
        "host-with-low-pipes" => crate::stdio::host_with_low_pipes(backend),
        "host-of-many" => crate::cost::host_of_many(backend),
        "host-without-descriptors" => crate::failures::host_without_descriptors(backend),
        "host-behind-a-filter" => crate::failures::host_behind_a_filter(),
        "host-without-ranges" => crate::inheritance::host_without_ranges(backend),
        other => panic!("no host `{other}`"),
    }
}

pub(crate) fn say(text: &str) {
    let mut stdout = std::io::stdout();
    stdout.write_all(text.as_bytes()).unwrap();
    stdout.flush().unwrap();
}

pub(crate) fn program() -> PathBuf {
    fs::read_link("/proc/self/exe").unwrap()
}

pub(crate) fn plan(words: &[&str]) -> Plan {
    plan_of(&program(), words, &["LANG=C.UTF-8"])
}

pub(crate) fn plan_of(program: &Path, words: &[&str], environment: &[&str]) -> Plan {
    let words = [MARK].iter().chain(words);
    Plan::new(program, words, environment).unwrap()
}

/// The three pipes of a child that is about to start.
pub(crate) struct Pipes {
    child: [OwnedFd; 3],
    stdin: PipeWriter,
    stdout: PipeReader,
    stderr: PipeReader,
}

impl Pipes {
    pub(crate) fn new() -> Self {
        let (stdin_read, stdin) = std::io::pipe().unwrap();
        let (stdout, stdout_write) = std::io::pipe().unwrap();
        let (stderr, stderr_write) = std::io::pipe().unwrap();
        let child = [stdin_read.into(), stdout_write.into(), stderr_write.into()];
        Self {
            child,
            stdin,
            stdout,
            stderr,
        }
    }

    pub(crate) fn request(&self) -> Request<'_> {
        let [stdin, stdout, stderr] = &self.child;
        Request::new(stdin.as_fd(), stdout.as_fd(), stderr.as_fd())
    }

    /// Closes the child's ends.
    pub(crate) fn of(self, started: Started) -> Running {
        let Self {
            stdin,
            stdout,
            stderr,
            ..
        } = self;
        Running {
            started,
            stdin,
            stdout,
            stderr,
        }
    }
}

pub(crate) fn run(plan: &Plan) -> Result<Running, SpawnError> {
    let pipes = Pipes::new();
    let started = spawn(plan, &pipes.request())?;
    Ok(pipes.of(started))
}

/// A child with a pipe on each of its three descriptors.
pub(crate) struct Running {
    pub(crate) started: Started,
    pub(crate) stdin: PipeWriter,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
}

impl Running {
    /// Waits until the child says that it runs.
    pub(crate) fn wait_here(&mut self) {
        let mut said = [0; 4];
        self.stdout.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"here");
    }

    /// One file of the child's below `/proc`.
    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{name}", self.started.pid())).unwrap()
    }

    /// One line of the child's status.
    pub(crate) fn status(&self, name: &str) -> String {
        status_line(&self.file("status"), name)
    }

    /// The numbers of the child's open descriptors.
    pub(crate) fn descriptors(&self) -> Vec<i32> {
        descriptors(&format!("/proc/{}/fd", self.started.pid()))
    }

    /// Closes the child's stdin and returns its exit code, what it said and what it wrote to stderr.
    pub(crate) fn finish(mut self) -> (Option<i32>, String, String) {
        drop(self.stdin);
        let (mut output, mut errors) = (String::new(), String::new());
        self.stdout.read_to_string(&mut output).unwrap();
        self.stderr.read_to_string(&mut errors).unwrap();
        (self.started.reap().unwrap().status.code(), output, errors)
    }
}

/// Runs one of the hosts of these tests in a process of its own and expects it to end well.
pub(crate) fn run_host(name: &str, backend: Backend) {
    let running = run(&plan(&[name, &format!("{backend:?}")])).unwrap();
    let (code, output, errors) = running.finish();
    assert_eq!(
        code,
        Some(0),
        "host {name} on {backend:?}: {output}{errors}"
    );
}

pub(crate) fn status_line(status: &str, name: &str) -> String {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap().trim().to_owned()
}

pub(crate) fn descriptors(folder: &str) -> Vec<i32> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name());
    let mut numbers: Vec<i32> = files
        .map(|name| name.to_str().unwrap().parse().unwrap())
        .collect();
    numbers.sort_unstable();
    numbers
}
