//! The driver of a single call: one poll set in the calling thread, no other thread, no sleep.

use std::sync::Arc;

use rustix::event::{PollFd, PollFlags};

use super::clock::Moment;
use super::control::Control;
use super::live::{Live, Wants};
use super::machine::Cause;
use super::supervisor;
use super::system_error::SystemError;
use super::traffic::{Output, Ready};
use super::wait::poll_until;

/// Drives a call until something is there for the caller to look at, until it is over, or until a moment has come.
///
/// What is ready already is moved before anything is waited for: an empty pipe takes 64 KiB, and a fast tool may have
/// answered by now.
pub(crate) fn drive(
    live: &mut Live,
    first: Ready,
    output: &mut Output<'_>,
    buffer: &mut [u8],
    until: Option<Moment>,
) {
    let shared = Arc::clone(live.shared());
    // Kept over every wait below: this thread drives the call, and the supervisor leaves alone what is locked.
    let mut control = shared.lock();
    control.machine_mut().clock_mut().resume(Moment::now());
    let mut ready = first;
    loop {
        if control.machine().is_over() {
            live.read_remains(&mut control, output, buffer);
        } else {
            live.step(&mut control, ready, output, buffer);
        }
        live.traffic_mut().tell();
        // An end that is decided is carried out first: the caller may never come back.
        let may_return = live.traffic().handed() > 0 && !control.machine().is_ending();
        let is_late = until.is_some_and(|until| Moment::now() >= until);
        if may_return || is_late || live.finished().is_some() {
            break;
        }
        ready = wait_or_blame(live, &mut control, until);
    }
    control.machine_mut().clock_mut().pause(Moment::now());
    if let Some(leftover) = control.take_leftover() {
        supervisor::clear_away(leftover);
    }
}

/// Waits for the next event of a call; a refusal ends the call, since nothing could be waited for any more.
fn wait_or_blame(live: &Live, control: &mut Control, until: Option<Moment>) -> Ready {
    let waited = live.wants(control).and_then(|mut wants| {
        wants.until = wants.until.into_iter().chain(until).min();
        wait(&wants)
    });
    waited.unwrap_or_else(|error| {
        control.blame(Cause::Broken(error));
        Ready::ALL
    })
}

fn wait(wants: &Wants<'_>) -> Result<Ready, SystemError> {
    let [cancel, bell] = wants
        .cancel
        .map(|event| event.map(|event| (event, PollFlags::IN)));
    let places = [
        wants.stdin.map(|pipe| (pipe, PollFlags::OUT)),
        wants.stdout.map(|pipe| (pipe, PollFlags::IN)),
        wants.stderr.map(|pipe| (pipe, PollFlags::IN)),
        wants.event,
        cancel,
        bell,
    ];
    let mut set = Vec::with_capacity(places.len());
    let wanted = places.iter().flatten();
    set.extend(wanted.map(|(descriptor, flags)| PollFd::from_borrowed_fd(*descriptor, *flags)));
    poll_until(&mut set, wants.until)?;
    let mut events = set.iter();
    let [stdin, stdout, stderr, event, _, _] = places.map(|place| {
        place.is_some()
            && events
                .next()
                .is_some_and(|event| !event.revents().is_empty())
    });
    Ok(Ready {
        stdin,
        stdout,
        stderr,
        event,
    })
}
