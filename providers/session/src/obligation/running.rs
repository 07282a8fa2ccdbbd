//! Running the program of an obligation to its end; a signal that ends this process ends it first.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::thread;

use lonis::process::{CancelToken, Captured, Job, Program};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// The signal that asked this process to end; 0 as long as none did.
static CAUGHT: AtomicI32 = AtomicI32::new(0);

/// How many programs have to end first.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Runs a program to its end; where a signal came meanwhile, this process ends by it and nothing is given.
pub(super) fn capture(program: &Program) -> Captured {
    guarded(|token| Job::new(program).with_cancel(token).run())
}

/// Does work that a signal cancels; where one came meanwhile, this process ends by it and nothing is given.
pub(super) fn guarded<T>(work: impl FnOnce(CancelToken) -> T) -> T {
    RUNNING.fetch_add(1, Ordering::SeqCst);
    let given = work(token());
    let is_last = RUNNING.fetch_sub(1, Ordering::SeqCst) == 1;
    // The listener stores the signal before it looks whether something runs, so that one of the two ends the process.
    let signal = CAUGHT.load(Ordering::SeqCst);
    if signal != 0 {
        if is_last {
            end(signal);
        }
        // What was cut short is no result; the last of the others ends the process.
        loop {
            thread::park();
        }
    }
    given
}

/// The token that a signal cancels; the first run starts to listen.
fn token() -> CancelToken {
    static TOKEN: OnceLock<CancelToken> = OnceLock::new();
    let make = || {
        let token = CancelToken::new();
        if let Ok(signals) = Signals::new([SIGINT, SIGTERM]) {
            let cancelled = token.clone();
            // Never joined: it ends with the process, and holds nothing that has to be put away.
            thread::spawn(move || listen(signals, &cancelled));
        }
        token
    };
    TOKEN.get_or_init(make).clone()
}

fn listen(mut signals: Signals, token: &CancelToken) {
    for signal in signals.forever() {
        // A second one does not wait for anything.
        if CAUGHT.swap(signal, Ordering::SeqCst) != 0 || RUNNING.load(Ordering::SeqCst) == 0 {
            end(signal);
        }
        token.cancel();
    }
}

fn end(signal: i32) {
    // The default of both is to end the process, so that this does not return.
    let _ = emulate_default_handler(signal);
}
