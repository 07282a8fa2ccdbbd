//! Asking many providers side by side, without a thread for each: the supervisor drives all runs.

use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use lonis_schema::ToolError;

use super::{Discovered, Unasked};
use crate::Listing;
use crate::process::{Captured, Pool, computing_children};
use crate::provider::{AskedQuestion, Inquiry, Run};

/// Runs at one time at first, for each core. More of those that compute would only share the cores, and each has its
/// own deadline.
const RUNS_PER_CORE: usize = 8;
/// How many times as many run once most of them were found to wait for something else than a core.
const WIDENING: usize = 4;
/// The most runs at one time.
const MOST_RUNS: usize = 256;
/// Without an answer for so long, it is looked what the runs do.
const SILENCE: Duration = Duration::from_millis(2);

/// What one run gave: whose it was, for which question, and its output.
type Message = (usize, AskedQuestion, Captured);

/// Asks providers that were not asked yet.
pub(super) fn ask_all(asked: Vec<Unasked>) -> Vec<Discovered> {
    let mut found = Vec::with_capacity(asked.len());
    let mut open = Vec::with_capacity(asked.len());
    let mut waiting = VecDeque::new();
    for unasked in asked {
        match Inquiry::begin(&unasked.provider) {
            Err(error) => found.push(discovered(unasked, Err(error))),
            Ok((inquiry, runs)) if runs.is_empty() => {
                found.push(discovered(unasked, inquiry.finish()));
            }
            Ok((inquiry, runs)) => {
                let place = open.len();
                waiting.extend(runs.into_iter().map(|run| (place, run)));
                open.push(Some((unasked, inquiry)));
            }
        }
    }
    drive(waiting, |(place, asked, captured)| {
        let Some((unasked, mut inquiry)) = open[place].take() else {
            return;
        };
        if inquiry.take(&asked, &captured) {
            found.push(discovered(unasked, inquiry.finish()));
        } else {
            open[place] = Some((unasked, inquiry));
        }
    });
    found
}

fn discovered(unasked: Unasked, listing: Result<Listing, ToolError>) -> Discovered {
    Discovered {
        at: unasked.at,
        provider: Some(unasked.provider),
        listing,
        key: unasked.key,
        stored_contracts: 0,
        from_cache: false,
    }
}

/// Carries out all runs, and hands over what each gave in the order in which they end.
fn drive(mut waiting: VecDeque<(usize, Run)>, mut take: impl FnMut(Message)) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = Pool::with_width(MOST_RUNS);
    let (sender, receiver) = mpsc::channel();
    let (mut width, mut running) = (cores * RUNS_PER_CORE, 0);
    loop {
        while running < width
            && let Some((place, run)) = waiting.pop_front()
        {
            submit(&pool, place, run, &sender);
            running += 1;
        }
        if running == 0 {
            break;
        }
        let message = if waiting.is_empty() || width >= MOST_RUNS {
            receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            receiver.recv_timeout(SILENCE)
        };
        match message {
            Ok(message) => {
                running -= 1;
                take(message);
            }
            Err(RecvTimeoutError::Timeout) if computing_children(cores) < cores => {
                width = (width * WIDENING).min(MOST_RUNS);
            }
            Err(RecvTimeoutError::Timeout) => {}
            // This function has a sender too, so that the other ends are never all gone.
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
}

fn submit(pool: &Pool, place: usize, run: Run, sender: &Sender<Message>) {
    let (asked, job) = run.into_parts();
    let sender = sender.clone();
    pool.submit(job, move |captured| {
        // The receiver is there until every run has been answered.
        let _ = sender.send((place, asked, captured));
    });
}
