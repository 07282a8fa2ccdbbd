//! Hearing what the fixture's processes announce, without a sleep and without a thread.
//!
//! The handshake is a Unix socket in a private folder. Each process of the fixture connects once, says who it is, then
//! sends one line for each step. The end of a connection is the end of its process, zombie or not.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, test_kill_process};

/// One line that a process of the fixture sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// What the process is called in its mode: `leader`, `grandchild`, `escapee`, …
    pub role: String,
    /// Its process id as it sees it, which differs from the host's view inside a pid namespace.
    pub pid: i32,
    /// The line: `started`, `ready`, `signal 15`, `gate`, or a step of the mode.
    pub line: String,
}

/// A wait that ended without what it waited for.
#[derive(Debug)]
pub struct HandshakeError {
    awaited: String,
    heard: Vec<Announcement>,
    cause: Option<io::Error>,
}

impl fmt::Display for HandshakeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "no {} in time; heard {:?}",
            self.awaited, self.heard
        )
    }
}

impl std::error::Error for HandshakeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|cause| cause as _)
    }
}

/// The test's end of the handshake.
///
/// # Example
/// ```no_run
/// # use std::time::Duration;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut handshake = misbehave::Handshake::new()?;
/// let argv = ["hold-pipe".into(), handshake.argument()];
/// // … start `misbehave::program()` with `argv` …
/// handshake.wait_for("leader", "ready", Duration::from_secs(5))?;
/// // … end the call …
/// assert_eq!(handshake.wait_gone(Duration::from_secs(1)), []);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Handshake {
    folder: PathBuf,
    listener: UnixListener,
    peers: Vec<Peer>,
    heard: Vec<Announcement>,
}

#[derive(Debug)]
struct Peer {
    stream: UnixStream,
    unread: Vec<u8>,
    role: String,
    pid: i32,
    open: bool,
}

impl Handshake {
    /// Opens a handshake in a private folder of its own.
    ///
    /// # Errors
    /// What the system says when the folder or the socket cannot be made.
    pub fn new() -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("misbehave-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder)?;
        let listener = UnixListener::bind(folder.join("log"))?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            folder,
            listener,
            peers: Vec::new(),
            heard: Vec::new(),
        })
    }

    /// The argument that makes a mode use this handshake: `log=` and the socket's path.
    pub fn argument(&self) -> String {
        format!("log={}", self.path().display())
    }

    /// The socket's path.
    pub fn path(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// An empty folder for the test, removed with the handshake.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Waits until a process of this role has sent this line, now or earlier.
    ///
    /// # Errors
    /// When the limit is over; the error shows what was heard instead.
    pub fn wait_for(
        &mut self,
        role: &str,
        line: &str,
        limit: Duration,
    ) -> Result<Announcement, HandshakeError> {
        let matches = |heard: &Announcement| heard.role == role && heard.line == line;
        let deadline = Instant::now() + limit;
        loop {
            if let Some(found) = self.heard.iter().find(|heard| matches(heard)) {
                return Ok(found.clone());
            }
            match self.hear(deadline) {
                Ok(true) => {}
                Ok(false) => return Err(self.failed(format!("`{line}` from `{role}`"), None)),
                Err(cause) => {
                    return Err(self.failed(format!("`{line}` from `{role}`"), Some(cause)));
                }
            }
        }
    }

    /// Waits until a process of this role stands at a gate, and lets it through.
    ///
    /// # Errors
    /// When no process of that role came to a gate within the limit.
    pub fn open_gate(&mut self, role: &str, limit: Duration) -> Result<(), HandshakeError> {
        let passed = self.wait_for(role, "gate", limit)?;
        // The same process comes to its next gate with the same line.
        if let Some(index) = self.heard.iter().position(|heard| *heard == passed) {
            self.heard.remove(index);
        }
        let peer = self
            .peers
            .iter_mut()
            .find(|peer| peer.open && peer.pid == passed.pid);
        let sent = peer.map_or(Ok(()), |peer| peer.stream.write_all(b"\n"));
        sent.map_err(|cause| self.failed(format!("passage of `{role}`"), Some(cause)))
    }

    /// Everything announced so far, in the order in which it was read.
    pub fn heard(&mut self) -> &[Announcement] {
        while matches!(self.hear(Instant::now()), Ok(true)) {}
        &self.heard
    }

    /// The ids of all processes that ever announced themselves.
    pub fn pids(&mut self) -> Vec<i32> {
        self.heard();
        self.peers.iter().map(|peer| peer.pid).collect()
    }

    /// Waits until every process that announced itself has ended, and gives those that have not.
    ///
    /// A zombie has ended: see [`Handshake::unreaped`].
    pub fn wait_gone(&mut self, limit: Duration) -> Vec<(String, i32)> {
        let deadline = Instant::now() + limit;
        self.heard();
        while self.peers.iter().any(|peer| peer.open) && matches!(self.hear(deadline), Ok(true)) {}
        self.peers
            .iter()
            .filter(|peer| peer.open)
            .map(|peer| (peer.role.clone(), peer.pid))
            .collect()
    }

    /// The ids that the system still knows: alive, or ended and not reaped.
    pub fn unreaped(&mut self) -> Vec<i32> {
        let known =
            |pid: &i32| Pid::from_raw(*pid).is_some_and(|pid| test_kill_process(pid).is_ok());
        self.pids().into_iter().filter(known).collect()
    }

    /// Reads once what has come by the deadline; `false` when nothing did.
    fn hear(&mut self, deadline: Instant) -> io::Result<bool> {
        let open: Vec<usize> = (0..self.peers.len())
            .filter(|&index| self.peers[index].open)
            .collect();
        let mut polled = vec![PollFd::new(&self.listener, PollFlags::IN)];
        polled.extend(
            open.iter()
                .map(|&index| PollFd::new(&self.peers[index].stream, PollFlags::IN)),
        );
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        if poll(&mut polled, Some(&timeout))? == 0 {
            return Ok(false);
        }
        let ready: Vec<bool> = polled
            .iter()
            .map(|entry| !entry.revents().is_empty())
            .collect();
        for (&index, _) in open.iter().zip(&ready[1..]).filter(|(_, ready)| **ready) {
            self.peers[index].read(&mut self.heard)?;
        }
        if ready[0] {
            self.accept()?;
        }
        Ok(true)
    }

    fn accept(&mut self) -> io::Result<()> {
        match self.listener.accept() {
            Ok((stream, _)) => {
                self.peers.push(Peer {
                    stream,
                    unread: Vec::new(),
                    role: String::new(),
                    pid: 0,
                    open: true,
                });
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn failed(&self, awaited: String, cause: Option<io::Error>) -> HandshakeError {
        HandshakeError {
            awaited,
            heard: self.heard.clone(),
            cause,
        }
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        // A folder that stays behind in the temporary one harms no later test: its name is not used again.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Peer {
    fn read(&mut self, heard: &mut Vec<Announcement>) -> io::Result<()> {
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes) {
            Ok(0) => self.open = false,
            Ok(count) => self.unread.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => self.open = false,
            Err(error) => return Err(error),
        }
        while let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            self.take(String::from_utf8_lossy(&line[..end]).into_owned(), heard);
        }
        Ok(())
    }

    /// The first line of a connection is `pid ROLE NUMBER`; every later one is a step.
    fn take(&mut self, line: String, heard: &mut Vec<Announcement>) {
        let line = match line
            .strip_prefix("pid ")
            .and_then(|rest| rest.rsplit_once(' '))
        {
            Some((role, pid)) if self.pid == 0 => {
                role.clone_into(&mut self.role);
                self.pid = pid.parse().unwrap_or(0);
                "started".to_owned()
            }
            _ => line,
        };
        heard.push(Announcement {
            role: self.role.clone(),
            pid: self.pid,
            line,
        });
    }
}
