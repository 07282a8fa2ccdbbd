//! TERM, INT and HUP: every live tree is ended in order, then the process ends by the same signal.
//!
//! A second signal kills the trees without their grace. A main thread that cannot be woken because nobody reads its
//! output is not waited for.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use lonis::process::{
    CancelToken, OtherChildren, adopt_orphans, raise_descriptor_limit, restore_child_signal,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, pipe};

/// How long the main thread has beyond the grace of its calls: for reaping, reporting, and room for scheduling.
const PATIENCE: Duration = Duration::from_millis(1_250);
/// How long the main thread has once everything was killed: what the layer waits for a reap, and room for scheduling.
const KILL_PATIENCE: Duration = Duration::from_millis(400);
/// How often a second signal is looked for while the first is carried out.
const LOOK: Duration = Duration::from_millis(10);

const SIGNALS: [i32; 3] = [SIGTERM, SIGINT, SIGHUP];

/// The last signal that came while there was something to end.
static CAUGHT: AtomicUsize = AtomicUsize::new(0);
/// Whether a signal ends the process at once, since nothing was started that would outlive it.
static IS_IDLE: AtomicBool = AtomicBool::new(true);
static TOKEN: OnceLock<CancelToken> = OnceLock::new();

/// The token that a signal cancels, for calls that are driven without a pause; the first one begins to listen.
///
/// Only what stands in a [`Busy`] is ended in order: at any other moment a signal ends the process at once. Commands that
/// start no program never call it.
pub(crate) fn token() -> CancelToken {
    TOKEN
        .get_or_init(|| {
            prepare();
            // Without a pipe, or with a handler that the system refuses, signals do what they do by default.
            listening().unwrap_or_default()
        })
        .clone()
}

/// The token that a signal cancels, for calls that the main thread may leave alone while it writes what they printed.
///
/// From here on a thread of its own sees to every signal until the end of the process.
pub(crate) fn watched_token() -> CancelToken {
    static STARTED: Once = Once::new();
    let token = token();
    STARTED.call_once(|| {
        if let Ok(signals) = Signals::new(SIGNALS) {
            let cancelled = token.clone();
            // Never joined: it ends with the process, and holds nothing that has to be put away.
            let listener = thread::Builder::new().spawn(move || listen(signals, &cancelled));
            // Without a thread a signal does what it does by default, as before.
            IS_IDLE.store(listener.is_err(), Ordering::SeqCst);
        }
    });
    token
}

/// A stretch of work that a signal ends in order, by the token, and not by the end of the process.
#[derive(Debug)]
pub(crate) struct Busy {
    was_idle: bool,
}

impl Busy {
    pub(crate) fn begin() -> Self {
        let was_idle = IS_IDLE.swap(false, Ordering::SeqCst);
        Self { was_idle }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        IS_IDLE.store(self.was_idle, Ordering::SeqCst);
    }
}

/// Installs what a handler may do: keep the signal, ring the token's bell, and end an idle process.
fn listening() -> io::Result<CancelToken> {
    let (reader, writer) = io::pipe()?;
    for signal in SIGNALS {
        let number = usize::try_from(signal).unwrap_or_default();
        flag::register_usize(signal, &CAUGHT, number)?;
        flag::register_conditional_default(signal, &IS_IDLE)?;
        pipe::register(signal, writer.try_clone()?)?;
    }
    CancelToken::rung_by(reader.into())
}

/// Makes this process one that can look after others: it learns of their end, and their orphans come to it.
fn prepare() {
    // A parent that ignores the signal would make the ends of our children unknowable.
    restore_child_signal();
    // Where the kernel refuses, a call holds the level `group`, and its outcome says so.
    let _ = adopt_orphans(OtherChildren::None);
    // With the limit as it is, fewer calls run at one time and the others wait.
    let _ = raise_descriptor_limit();
}

/// Says whether a signal has cancelled what runs.
pub(crate) fn is_caught() -> bool {
    caught().is_some()
}

/// Ends the process by the signal that was caught, if one was.
pub(crate) fn end_if_caught() {
    if let Some(signal) = caught() {
        end(signal);
    }
}

/// Bounds what is still to be said after a signal: nobody may read it.
pub(crate) fn hurry_if_caught() {
    if let Some(signal) = caught() {
        // Never joined: it ends the process.
        let hurry = thread::Builder::new().spawn(move || {
            thread::sleep(KILL_PATIENCE);
            end(signal);
        });
        if hurry.is_err() {
            end(signal);
        }
    }
}

/// Waits for something that no tool has a part in; a signal ends the process at once meanwhile.
pub(crate) fn with_nothing_to_end<T>(wait: impl FnOnce() -> T) -> T {
    let was_idle = IS_IDLE.swap(true, Ordering::SeqCst);
    // One that came just before was kept for a token that nobody looks at now.
    end_if_caught();
    let result = wait();
    IS_IDLE.store(was_idle, Ordering::SeqCst);
    result
}

fn caught() -> Option<i32> {
    let signal = CAUGHT.load(Ordering::SeqCst);
    i32::try_from(signal).ok().filter(|signal| *signal != 0)
}

fn listen(mut signals: Signals, token: &CancelToken) {
    let Some(first) = signals.forever().next() else {
        return;
    };
    token.cancel();
    wait_for_another(&mut signals, token.longest_grace() + PATIENCE);
    // Again, or too late: no tree gets its grace any more, and the main thread has only to see them gone.
    token.kill();
    wait_for_another(&mut signals, KILL_PATIENCE);
    end(first);
}

/// Waits for a further signal, no longer than is to be waited for the main thread.
fn wait_for_another(signals: &mut Signals, patience: Duration) {
    let deadline = Instant::now() + patience;
    while Instant::now() < deadline {
        if signals.pending().next().is_some() {
            return;
        }
        thread::sleep(LOOK);
    }
}

fn end(signal: i32) {
    // The default of these three is to end the process, so that this does not return.
    let _ = emulate_default_handler(signal);
}
