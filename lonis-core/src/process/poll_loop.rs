//! The driver of a single call: one poll set in the calling thread, no other thread, no sleep.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::clock::Moment;
use super::live::{Live, Output, Ready, Wants};
use super::machine::Cause;
use super::system_error::SystemError;

/// Runs a call to its end, appending what it prints.
pub(crate) fn run(live: &mut Live, stdout: &mut Vec<u8>) {
    let mut output = Output::Collect(stdout);
    // An empty pipe takes 64 KiB and a fast tool has answered by now, so nothing is waited for before both were tried.
    live.step(Ready::ALL, &mut output);
    while !live.is_over() {
        let ready = wait_or_blame(live);
        live.step(ready, &mut output);
    }
}

/// Waits for the next event of a call; a refusal ends the call, since nothing could be waited for any more.
pub(crate) fn wait_or_blame(live: &mut Live) -> Ready {
    let waited = live.wants().and_then(|wants| wait(&wants));
    waited.unwrap_or_else(|error| {
        live.blame(Cause::Broken(error));
        Ready::ALL
    })
}

fn wait(wants: &Wants<'_>) -> Result<Ready, SystemError> {
    let places = [
        wants.stdin.map(|pipe| (pipe, PollFlags::OUT)),
        wants.stdout.map(|pipe| (pipe, PollFlags::IN)),
        wants.stderr.map(|pipe| (pipe, PollFlags::IN)),
        wants.event,
        wants.cancel.map(|token| (token, PollFlags::IN)),
    ];
    let mut set = Vec::with_capacity(places.len());
    set.extend(
        places
            .iter()
            .flatten()
            .map(|(descriptor, flags)| PollFd::from_borrowed_fd(*descriptor, *flags)),
    );
    poll_until(&mut set, wants.until)?;
    let mut events = set.iter();
    let [stdin, stdout, stderr, event, _] = places.map(|place| {
        place.is_some()
            && events
                .next()
                .is_some_and(|event| !event.revents().is_empty())
    });
    Ok(Ready {
        stdin,
        stdout,
        stderr,
        exit: event,
    })
}

/// Polls once; an interruption counts as a wake-up without events.
fn poll_until(set: &mut [PollFd<'_>], until: Option<Moment>) -> Result<(), SystemError> {
    let timeout = until.map(|until| timespec(Moment::now().until(until)));
    match poll(set, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(SystemError::of("wait for a process", error)),
    }
}

/// Waits without doing anything, for what the system has no event for.
pub(crate) fn pause(time: Duration) {
    let until = Moment::now().plus(time);
    while Moment::now() < until {
        if poll_until(&mut [], Some(until)).is_err() {
            break;
        }
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}
