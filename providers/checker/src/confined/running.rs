//! Running programs to their ends; a signal that ends this process ends them first.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;

use lonis::process::{
    CancelToken, Captured, Job, OtherChildren, Pool, Program, adopt_orphans, restore_child_signal,
};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// The most programs that run at one time.
///
/// # Units and bounds
/// Programs: 8, or as many as there are cores where that is less, since each may take the memory that is its bound.
const MAX_WIDTH: usize = 8;

/// The signal that asked this process to end; 0 as long as none did.
static CAUGHT: AtomicI32 = AtomicI32::new(0);

/// Whether there is a program that has to end first.
static IS_RUNNING: AtomicBool = AtomicBool::new(false);

/// Gives how many programs run at one time.
pub(crate) fn width() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MAX_WIDTH)
}

/// Runs a program to its end, and ends all that it started.
pub(crate) fn capture(program: &Program, stdin: &[u8]) -> Captured {
    let job = Job::new(program).with_stdin(stdin).with_cancel(token());
    while_listening(|| job.run())
}

/// Runs a program once for each input, some of them at one time, and gives what came of them in their order.
pub(crate) fn capture_all<'i>(
    program: &Program,
    inputs: impl IntoIterator<Item = &'i [u8]>,
) -> Vec<Captured> {
    let token = token();
    let job = |stdin: &[u8]| {
        Job::new(program)
            .with_stdin(stdin)
            .with_cancel(token.clone())
    };
    let jobs: Vec<Job> = inputs.into_iter().map(job).collect();
    while_listening(|| Pool::with_width(width()).run_all(jobs))
}

/// Waits for programs; a signal that came meanwhile ends this process when they are gone.
fn while_listening<T>(wait: impl FnOnce() -> T) -> T {
    IS_RUNNING.store(true, Ordering::SeqCst);
    let result = wait();
    IS_RUNNING.store(false, Ordering::SeqCst);
    // The listener stores the signal before it looks whether something runs, so that one of the two ends the process.
    let signal = CAUGHT.load(Ordering::SeqCst);
    if signal != 0 {
        end(signal);
    }
    result
}

/// The token that a signal cancels; the first run starts to listen.
fn token() -> CancelToken {
    static TOKEN: OnceLock<CancelToken> = OnceLock::new();
    let make = || {
        // A parent that ignores the signal would make the ends of our children unknowable.
        restore_child_signal();
        // Where the kernel refuses, what leaves its session outlives its run, as the outcome of the run says.
        let _ = adopt_orphans(OtherChildren::None);
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
        if CAUGHT.swap(signal, Ordering::SeqCst) != 0 || !IS_RUNNING.load(Ordering::SeqCst) {
            end(signal);
        }
        token.cancel();
    }
}

fn end(signal: i32) {
    // The default of both is to end the process, so that this does not return.
    let _ = emulate_default_handler(signal);
}
