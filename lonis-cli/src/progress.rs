//! One line on stderr that says what is waited for: for people at a terminal, and only when it takes a while.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use lonis::{OutputMode, write_text};

use crate::log;
use crate::signals::{self, Busy};

/// What is over sooner is not worth a line.
const UNNOTICED: Duration = Duration::from_millis(300);
/// How often the line is drawn anew.
const FRAME: Duration = Duration::from_millis(100);
const FRAMES: [char; 4] = ['|', '/', '-', '\\'];
/// Longest text in the line, in characters, so that it fits the narrowest usual terminal.
const MAX_TEXT: usize = 60;
/// Back to the start of the line, and all of it gone.
const CLEAR: &str = "\r\x1b[K";

/// A line that stands until it is ended or dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to wait; nothing is shown in machine modes and where stderr is no terminal that can take a line back.
    pub(crate) fn begin(what: &str, mode: OutputMode) -> Self {
        if !Self::is_shown_in(mode) {
            return Self { running: None };
        }
        let (end, ended) = channel();
        let text = safe(what);
        // Joined by `end`, which every way out comes to, since it is called on drop. Without a thread nothing is drawn.
        let drawing = Builder::new().spawn(move || draw(&text, &ended));
        Self {
            running: drawing.ok().map(|drawing| (end, drawing)),
        }
    }

    /// Whether there is somebody to show a line to.
    pub(crate) fn is_shown_in(mode: OutputMode) -> bool {
        mode == OutputMode::Human
            && !log::is_shown()
            && io::stderr().is_terminal()
            && can_take_back(&term())
    }

    /// Takes the line away.
    pub(crate) fn end(&mut self) {
        if let Some((end, thread)) = self.running.take() {
            drop(end);
            // A thread that only draws has nothing to report.
            let _ = thread.join();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// What stands until a call has something to show: the line for people, and that a signal ends the call first.
#[derive(Debug)]
pub(crate) struct Waiting {
    progress: Progress,
    busy: Option<Busy>,
}

impl Waiting {
    /// With `busy` nothing is written before the call is over; then a signal has nothing to end but this program.
    pub(crate) fn new(progress: Progress, busy: Option<Busy>) -> Self {
        Self { progress, busy }
    }

    /// Begins to wait for what providers answer.
    pub(crate) fn for_providers(mode: OutputMode) -> Self {
        if Progress::is_shown_in(mode) {
            // A terminal that takes nothing can hold this thread up.
            signals::watched_token();
        }
        let busy = Busy::begin();
        Self::new(Progress::begin("asking the providers", mode), Some(busy))
    }

    fn end(&mut self) {
        self.progress.end();
        self.busy = None;
    }
}

/// A writer before whose first byte the waiting ends.
pub(crate) struct Behind<'a> {
    waiting: Waiting,
    out: &'a mut dyn Write,
}

impl<'a> Behind<'a> {
    pub(crate) fn new(waiting: Waiting, out: &'a mut dyn Write) -> Self {
        Self { waiting, out }
    }
}

impl Write for Behind<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.end();
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn term() -> String {
    std::env::var("TERM").unwrap_or_default()
}

fn can_take_back(term: &str) -> bool {
    !term.is_empty() && term != "dumb"
}

fn safe(what: &str) -> String {
    let flat: String = what.chars().take(MAX_TEXT).collect();
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write_text(&flat.replace('\n', " "), &mut text);
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

fn draw(text: &str, ended: &Receiver<()>) {
    let start = Instant::now();
    let mut wait = UNNOTICED;
    let mut frames = FRAMES.iter().cycle();
    while let (Err(RecvTimeoutError::Timeout), Some(frame)) =
        (ended.recv_timeout(wait), frames.next())
    {
        let seconds = start.elapsed().as_secs_f64();
        // A terminal that is gone takes no line, and the command goes on.
        let _ = write!(io::stderr(), "{CLEAR}{frame} {text} {seconds:.1} s");
        wait = FRAME;
    }
    if wait == FRAME {
        let _ = write!(io::stderr(), "{CLEAR}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_short_and_drives_no_terminal() {
        assert_eq!(safe("calling a:b"), "calling a:b");
        let hostile = safe(&format!("a\n\u{1b}[2J{}", "x".repeat(500)));
        assert!(!hostile.contains(['\n', '\u{1b}']), "{hostile:?}");
        assert!(hostile.len() < 80, "{hostile:?}");
        assert!(!can_take_back("") && !can_take_back("dumb") && can_take_back("xterm"));
    }
}
