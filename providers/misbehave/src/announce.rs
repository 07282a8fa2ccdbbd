//! The fixture's end of the handshake: says who this process is and what it has done.
//!
//! `log=` names a socket of the test, which lives as long as the process, or a file that lines are added to. Without it
//! nothing is said. A gate is passed when the test answers on the socket, or when the file that `gate=` names exists.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use crate::options::Options;

/// Where announcements go.
#[derive(Debug)]
pub(crate) struct Announcer {
    log: Mutex<Log>,
    gate: Option<std::path::PathBuf>,
}

#[derive(Debug)]
enum Log {
    Nowhere,
    Socket(UnixStream),
    File(File, String),
}

impl Announcer {
    /// Opens the log and announces this process under the role given.
    pub(crate) fn open(options: &Options, role: &str) -> io::Result<Self> {
        let role = options.text("role", role);
        let log = match options.raw("log") {
            None => Log::Nowhere,
            Some(path) => Log::open(Path::new(path), role)?,
        };
        let announcer = Self {
            log: Mutex::new(log),
            gate: options.raw("gate").map(Into::into),
        };
        announcer.write(&format!("pid {role} {}\n", std::process::id()));
        Ok(announcer)
    }

    /// Announces one step.
    pub(crate) fn step(&self, step: &str) {
        let role = match &*self.lock() {
            Log::File(_, role) => format!("step {role} "),
            Log::Socket(_) | Log::Nowhere => String::new(),
        };
        self.write(&format!("{role}{step}\n"));
    }

    /// Waits until the test lets this process go on.
    pub(crate) fn gate(&self) {
        self.step("gate");
        if let Log::Socket(socket) = &mut *self.lock() {
            // A test that has ended opens no gate; the process goes on and meets its own limits.
            let _ = socket.read(&mut [0]);
        }
        let Some(path) = &self.gate else { return };
        while !path.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Several processes may stand at one gate file; whoever comes second finds it gone, and that is as good.
        let _ = std::fs::remove_file(path);
    }

    fn write(&self, line: &str) {
        // A test that hung up no longer listens, and a misbehaving tool goes on regardless.
        let _ = match &mut *self.lock() {
            Log::Nowhere => Ok(()),
            Log::Socket(socket) => socket.write_all(line.as_bytes()),
            Log::File(file, _) => file.write_all(line.as_bytes()),
        };
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log
            .lock()
            .expect("no thread panics while it announces")
    }
}

impl Log {
    fn open(path: &Path, role: &str) -> io::Result<Self> {
        let is_socket = path
            .metadata()
            .is_ok_and(|metadata| metadata.file_type().is_socket());
        if is_socket {
            UnixStream::connect(path).map(Self::Socket)
        } else {
            let file = OpenOptions::new().append(true).create(true).open(path)?;
            Ok(Self::File(file, role.to_owned()))
        }
    }
}
