//! How many calls may be alive in this process: what its descriptors and its user's pipes have room for.

use std::collections::VecDeque;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Resource, getrlimit};

use super::super::captured::{Captured, Done};
use super::super::failure::{ProcessError, StartPart};
use super::super::job::Job;
use super::super::live::Live;
use super::super::{spawner, supervisor};

/// Descriptors of a live call: three pipes and the process.
const DESCRIPTORS_PER_CALL: u64 = 4;

/// Descriptors left for everything else: the ends of children that are just starting, and what the host opens meanwhile.
const DESCRIPTORS_KEPT: u64 = 64;

const PIPES_PER_CALL: u64 = 3;

/// Pages of a pipe of full size. Beyond the user's allowance pipes are made so small that they slow every tool down.
const PAGES_PER_PIPE: u64 = 16;

/// A job that its pool lets go on.
pub(super) struct Ticket {
    pub(super) job: Job,
    pub(super) done: Done,
}

struct Admission {
    waiting: VecDeque<Ticket>,
    alive: usize,
    budget: usize,
}

static ADMISSION: Mutex<Admission> = Mutex::new(Admission {
    waiting: VecDeque::new(),
    alive: 0,
    budget: 0,
});

fn lock() -> MutexGuard<'static, Admission> {
    ADMISSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a job as soon as there is room for it.
pub(super) fn enter(ticket: Ticket) {
    lock().waiting.push_back(ticket);
    pump();
}

fn pump() {
    loop {
        let mut admission = lock();
        if admission.alive == 0 {
            admission.budget = budget();
        }
        if admission.alive >= admission.budget {
            break;
        }
        let Some(ticket) = admission.waiting.pop_front() else {
            break;
        };
        admission.alive += 1;
        drop(admission);
        match spawner::ensure_spawner() {
            Ok(()) => spawner::submit(Box::new(move || begin(ticket))),
            Err(error) => refuse(ticket.done, ProcessError::System(error)),
        }
    }
}

fn begin(ticket: Ticket) {
    let Ticket { job, done } = ticket;
    let supervisor = match supervisor::get() {
        Ok(supervisor) => supervisor,
        Err(error) => return refuse(done, ProcessError::System(error)),
    };
    match Live::start(job, true) {
        Ok(live) => supervisor.run(
            Box::new(live),
            Box::new(|captured| {
                let _room = Room;
                done(captured);
            }),
        ),
        Err(refused) if is_out_of_descriptors(&refused.error) && shrink() => {
            // The room is given back, and the job waits for that of a call that is alive.
            lock().waiting.push_front(Ticket {
                job: refused.job,
                done,
            });
        }
        Err(refused) => refuse(done, refused.error),
    }
}

fn refuse(done: Done, error: ProcessError) {
    let _room = Room;
    done(Captured::refused(error));
}

const fn is_out_of_descriptors(error: &ProcessError) -> bool {
    matches!(
        error,
        ProcessError::Start {
            part: StartPart::TooManyFiles,
            ..
        }
    )
}

/// Takes one call's room away because there was none, unless that call was the only one: then waiting would not help.
fn shrink() -> bool {
    let mut admission = lock();
    if admission.alive < 2 {
        return false;
    }
    admission.alive -= 1;
    admission.budget = admission.alive;
    true
}

/// One live call's room.
struct Room;

impl Drop for Room {
    fn drop(&mut self) {
        lock().alive -= 1;
        pump();
    }
}

/// Returns how many calls there is room for, at least one.
fn budget() -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let open = fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count() as u64);
    let by_descriptors = limit.saturating_sub(open + DESCRIPTORS_KEPT) / DESCRIPTORS_PER_CALL;
    let calls = by_descriptors.min(pipe_budget()).max(1);
    usize::try_from(calls).unwrap_or(usize::MAX)
}

fn pipe_budget() -> u64 {
    // The allowance does not bind a privileged user, and none is written as zero.
    let is_privileged = rustix::process::geteuid().is_root();
    let allowance = fs::read_to_string("/proc/sys/fs/pipe-user-pages-soft").ok();
    match allowance.and_then(|text| text.trim().parse::<u64>().ok()) {
        Some(pages) if pages > 0 && !is_privileged => pages / PAGES_PER_PIPE / PIPES_PER_CALL,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_room_for_one_call_at_least() {
        assert!(super::budget() >= 1);
        assert!(super::pipe_budget() >= 1);
    }
}
