//! TERM, INT and HUP: every live tree is ended in order, then the process ends by the same signal.
//!
//! A second signal kills the trees without their grace. A main thread that cannot be woken because nobody reads its
//! output is not waited for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lonis::process::{
    CancelToken, OtherChildren, adopt_orphans, raise_descriptor_limit, restore_child_signal,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// How long the main thread has beyond the grace of its calls: for reaping, reporting, and room for scheduling.
const PATIENCE: Duration = Duration::from_millis(1_250);
/// How long the main thread has once everything was killed: what the layer waits for a reap, and room for scheduling.
const KILL_PATIENCE: Duration = Duration::from_millis(400);
/// How often a second signal is looked for while the first is carried out.
const LOOK: Duration = Duration::from_millis(10);

static CAUGHT: AtomicI32 = AtomicI32::new(0);
static NOTHING_TO_END: AtomicBool = AtomicBool::new(false);
static TOKEN: OnceLock<CancelToken> = OnceLock::new();

/// The token that a signal cancels; the first call starts to listen.
///
/// Only commands that start other programs call it, so that the others have no thread and end by a signal as usual.
pub(crate) fn token() -> CancelToken {
    TOKEN
        .get_or_init(|| {
            prepare();
            let token = CancelToken::new();
            if let Ok(signals) = Signals::new([SIGTERM, SIGINT, SIGHUP]) {
                let cancelled = token.clone();
                // Never joined: it ends with the process, and holds nothing that has to be put away.
                thread::spawn(move || listen(signals, &cancelled));
            }
            token
        })
        .clone()
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

/// Ends the process by the signal that was caught, if one was.
pub(crate) fn end_if_caught() {
    let signal = CAUGHT.load(Ordering::SeqCst);
    if signal != 0 {
        end(signal);
    }
}

/// Waits for something that no tool has a part in; a signal ends the process at once meanwhile.
pub(crate) fn with_nothing_to_end<T>(wait: impl FnOnce() -> T) -> T {
    NOTHING_TO_END.store(true, Ordering::SeqCst);
    let result = wait();
    NOTHING_TO_END.store(false, Ordering::SeqCst);
    result
}

fn listen(mut signals: Signals, token: &CancelToken) {
    let Some(first) = signals.forever().next() else {
        return;
    };
    CAUGHT.store(first, Ordering::SeqCst);
    // The token goes first: should the wait be over just now, what follows it starts nothing any more.
    token.cancel();
    if NOTHING_TO_END.load(Ordering::SeqCst) {
        end(first);
    }
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
