//! Asking many providers side by side, without a thread for each: the supervisor drives all runs.

use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use lonis_schema::ToolError;

use super::{Discovered, Unasked};
use crate::Listing;
use crate::process::{Captured, Pool, computing_children};
use crate::provider::{AskedQuestion, Inquiry, Run};

/// Runs that compute at one time, for each core; those that wait for something else do not count. More would only share
/// the cores, and each has its own deadline.
const COMPUTING_PER_CORE: usize = 16;
/// The most runs at one time.
const MOST_RUNS: usize = 256;
/// Without an answer for so long, it is looked how many of the runs compute.
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
    if waiting.is_empty() {
        // All is known, and finding out how many cores there are takes longer than the rest.
        return;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = Pool::with_width(MOST_RUNS);
    let (sender, receiver) = mpsc::channel();
    let most_computing = cores * COMPUTING_PER_CORE;
    let (mut width, mut running) = (most_computing, 0);
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
            Err(RecvTimeoutError::Timeout) => {
                let waiting = usize::saturating_sub(running, computing_children());
                width = (most_computing + waiting).min(MOST_RUNS);
            }
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
