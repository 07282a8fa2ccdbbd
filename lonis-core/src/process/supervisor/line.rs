//! How the rest of the layer talks to the supervisor's thread: numbers, marks of events, and messages.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

use rustix::event::{EventfdFlags, PollFlags, epoll, eventfd};
use rustix::io::Errno;

use super::super::cancel::CancelToken;
use super::super::captured::Done;
use super::super::leftover::Leftover;
use super::super::live::Live;
use super::super::shared::Shared;
use super::super::system_error::SystemError;

/// The number of a call at the supervisor; none is ever used twice, so that late events find nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallNumber(u64);

/// Which descriptor of a call has an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Stdin,
    Stdout,
    Stderr,
    /// The leader's exit, or the end of what escaped its group.
    Event,
    /// The cancel token, of one or more calls.
    Token,
}

const PLACES: [Place; 5] = [
    Place::Stdin,
    Place::Stdout,
    Place::Stderr,
    Place::Event,
    Place::Token,
];

/// Bits of an event's mark that tell the place; the others are the number of the call.
const PLACE_BITS: u32 = 3;

/// The mark of the event that says that there are messages.
pub(super) const BELL_MARK: u64 = u64::MAX;

impl CallNumber {
    fn mark(self, place: Place) -> u64 {
        (self.0 << PLACE_BITS) | place as u64
    }

    pub(super) fn from_mark(mark: u64) -> Option<(Self, Place)> {
        let place = usize::try_from(mark & ((1 << PLACE_BITS) - 1)).ok()?;
        Some((Self(mark >> PLACE_BITS), *PLACES.get(place)?))
    }
}

/// What the supervisor is told.
pub(super) enum Message {
    /// Keep the deadlines of a call whenever nobody drives it.
    Watch {
        number: CallNumber,
        shared: Arc<Shared>,
        cancel: Option<CancelToken>,
    },
    /// Look at a call: it was driven when its time came, or its end is left to the supervisor.
    Look(CallNumber),
    /// Wake a task at the next event of its call.
    Await { number: CallNumber, waker: Waker },
    /// Nobody has an interest in the call any more.
    Forget(CallNumber),
    /// Drive a call to its end.
    Run { live: Box<Live>, done: Done },
    /// Clear away what did not vanish.
    ClearAway(Box<Leftover>),
}

/// The way to the supervisor's thread.
pub(crate) struct Supervisor {
    epoll: OwnedFd,
    bell: OwnedFd,
    messages: Mutex<Vec<Message>>,
    next_number: AtomicU64,
}

impl Supervisor {
    pub(super) fn new() -> Result<Self, SystemError> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)
            .map_err(|error| SystemError::of("create an event queue", error))?;
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| SystemError::of("create an event", error))?;
        epoll::add(
            &epoll,
            &bell,
            epoll::EventData::new_u64(BELL_MARK),
            epoll::EventFlags::IN,
        )
        .map_err(|error| SystemError::of("watch an event", error))?;
        let messages = Mutex::default();
        Ok(Self {
            epoll,
            bell,
            messages,
            next_number: AtomicU64::new(0),
        })
    }

    /// Has the deadlines of a call kept whenever nobody drives it.
    pub(crate) fn watch(&self, shared: &Arc<Shared>, cancel: Option<CancelToken>) -> CallNumber {
        let number = self.new_number();
        self.send(Message::Watch {
            number,
            shared: Arc::clone(shared),
            cancel,
        });
        number
    }

    /// Has a call looked at.
    pub(crate) fn look(&self, number: CallNumber) {
        self.send(Message::Look(number));
    }

    /// Has a task woken at the next event of its call; its descriptors are armed already.
    pub(crate) fn wake_at_event(&self, number: CallNumber, waker: Waker) {
        self.send(Message::Await { number, waker });
    }

    /// Forgets a call.
    pub(crate) fn forget(&self, number: CallNumber) {
        self.send(Message::Forget(number));
    }

    /// Drives a call to its end and then calls `done`.
    pub(crate) fn run(&self, live: Box<Live>, done: Done) {
        self.send(Message::Run { live, done });
    }

    /// Reports the next event of a descriptor, once.
    ///
    /// Never more than once: a child of another start has copies of all descriptors until its program runs, so one that
    /// is closed here would go on to report its end as long as that takes.
    pub(crate) fn arm(
        &self,
        number: CallNumber,
        place: Place,
        descriptor: BorrowedFd<'_>,
        flags: PollFlags,
    ) -> Result<(), SystemError> {
        let data = epoll::EventData::new_u64(number.mark(place));
        let flags = epoll_flags(flags) | epoll::EventFlags::ONESHOT;
        let armed = match epoll::modify(&self.epoll, descriptor, data, flags) {
            Err(Errno::NOENT) => epoll::add(&self.epoll, descriptor, data, flags),
            result => result,
        };
        armed.map_err(|error| SystemError::of("watch a descriptor", error))
    }

    pub(super) fn new_number(&self) -> CallNumber {
        CallNumber(self.next_number.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn send(&self, message: Message) {
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.push(message);
        // The first of several messages has rung already.
        if messages.len() == 1 {
            drop(messages);
            // The only refusal is a full counter, and then the bell rings already.
            let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
        }
    }

    /// Quiets the bell until the next message.
    pub(super) fn quiet(&self) {
        let mut count = [0; 8];
        // Nothing to read is no loss.
        let _ = rustix::io::read(&self.bell, &mut count);
    }

    /// Takes all messages; the bell was quieted before, so that one that comes after them rings again.
    pub(super) fn take_messages(&self) -> Vec<Message> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl AsFd for Supervisor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}

fn epoll_flags(flags: PollFlags) -> epoll::EventFlags {
    let pairs = [
        (PollFlags::IN, epoll::EventFlags::IN),
        (PollFlags::OUT, epoll::EventFlags::OUT),
        (PollFlags::PRI, epoll::EventFlags::PRI),
    ];
    let wanted = pairs.into_iter().filter(|(poll, _)| flags.contains(*poll));
    wanted.map(|(_, epoll)| epoll).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_tell_call_and_place() {
        for number in [0, 1, u64::from(u32::MAX), 1 << 60] {
            for place in PLACES {
                let mark = CallNumber(number).mark(place);
                assert_ne!(mark, BELL_MARK);
                assert_eq!(
                    CallNumber::from_mark(mark),
                    Some((CallNumber(number), place))
                );
            }
        }
        assert_eq!(CallNumber::from_mark(BELL_MARK), None);
    }
}
