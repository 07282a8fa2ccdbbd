//! What the supervisor's thread does: wait for events, messages and deadlines, and look at the calls they are for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use rustix::event::{PollFlags, epoll};

use super::super::buffer::Buffer;
use super::super::cancel::CancelToken;
use super::super::captured::Done;
use super::super::clock::Moment;
use super::super::control::Control;
use super::super::folders::Folders;
use super::super::leftover::{Leftover, Rest};
use super::super::live::Live;
use super::super::machine::Cause;
use super::super::shared::Shared;
use super::super::spawner;
use super::super::system_error::SystemError;
use super::super::traffic::{Output, Ready};
use super::super::wait::timespec;
use super::line::{BELL_MARK, CallNumber, Message, Place, Supervisor};
use super::tokens::Tokens;

/// Events taken at one time.
const EVENTS_AT_ONCE: usize = 256;

/// Between two attempts at what did not vanish and gives no event.
const LEFTOVER_PERIOD: Duration = Duration::from_secs(1);

/// The state of the supervisor's thread.
pub(super) struct Engine {
    supervisor: Arc<Supervisor>,
    calls: HashMap<CallNumber, Call>,
    /// Moments at which calls are looked at; those that a call has outdated are skipped when they come.
    deadlines: BinaryHeap<Reverse<(Moment, CallNumber)>>,
    tokens: Tokens,
    buffer: Buffer,
}

struct Call {
    kind: Kind,
    cancel: Option<CancelToken>,
    due: Option<Moment>,
}

enum Kind {
    /// A call with a consumer, who may drive it at any time.
    Watched {
        shared: Arc<Shared>,
        waker: Option<Waker>,
        /// Whether a descriptor reported its one event while the consumer held the call.
        is_missed: bool,
    },
    /// A call of which the supervisor is the only driver.
    Driven(Box<Driven>),
    Leftover(Box<Leftover>),
}

struct Driven {
    live: Live,
    stdout: Vec<u8>,
    done: Done,
    armed: Armed,
}

/// Which descriptors of a driven call will report their next event.
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each descriptor, in any combination"
)]
#[derive(Default)]
struct Armed {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    event: bool,
}

/// Whether a call is to be looked at again.
enum Next {
    At(Option<Moment>),
    /// It is over, and this is left of it.
    Never(Option<Leftover>),
}

impl Engine {
    pub(super) fn new(supervisor: Arc<Supervisor>) -> Self {
        Self {
            supervisor,
            calls: HashMap::new(),
            deadlines: BinaryHeap::new(),
            tokens: Tokens::default(),
            buffer: Buffer::take(),
        }
    }

    /// Works as long as the process lives.
    pub(super) fn run(&mut self) {
        let mut events = Vec::with_capacity(EVENTS_AT_ONCE);
        loop {
            events.clear();
            let timeout = self
                .next_deadline()
                .map(|moment| timespec(Moment::now().until(moment)));
            let spare = rustix::buffer::spare_capacity(&mut events);
            // Interrupted or refused, there are no events; deadlines and messages are seen to all the same.
            let _ = epoll::wait(self.supervisor.as_fd(), spare, timeout.as_ref());
            if events.iter().any(|event| event.data.u64() == BELL_MARK) {
                self.supervisor.quiet();
            }
            for message in self.supervisor.take_messages() {
                self.receive(message);
            }
            // One look for each call, with all that has happened to it.
            for (number, ready) in self.gather(&events) {
                self.look(number, ready);
            }
            self.look_at_due();
        }
    }

    fn gather(&mut self, events: &[epoll::Event]) -> BTreeMap<CallNumber, Ready> {
        let mut gathered: BTreeMap<CallNumber, Ready> = BTreeMap::new();
        for event in events {
            let mark = event.data.u64();
            let Some((number, place)) = CallNumber::from_mark(mark).filter(|_| mark != BELL_MARK)
            else {
                continue;
            };
            if place == Place::Token {
                for call in self.tokens.calls(&self.supervisor, number) {
                    gathered.entry(call).or_default();
                }
                continue;
            }
            let ready = gathered.entry(number).or_default();
            match place {
                Place::Stdin => ready.stdin = true,
                Place::Stdout => ready.stdout = true,
                Place::Stderr => ready.stderr = true,
                Place::Event | Place::Token => ready.event = true,
            }
        }
        gathered
    }

    fn receive(&mut self, message: Message) {
        match message {
            Message::Watch {
                number,
                shared,
                cancel,
            } => {
                self.add(
                    number,
                    Kind::Watched {
                        shared,
                        waker: None,
                        is_missed: false,
                    },
                    cancel,
                );
            }
            Message::Look(number) => self.look(number, Ready::default()),
            Message::Await { number, waker } => match self.calls.get_mut(&number) {
                Some(Call {
                    kind: Kind::Watched { waker: known, .. },
                    ..
                }) => {
                    *known = Some(waker);
                    self.look(number, Ready::default());
                }
                // The call was over before the task began to wait.
                _ => waker.wake(),
            },
            Message::Forget(number) => self.remove(number),
            Message::Run { live, done } => {
                let cancel = live.cancel().cloned();
                let driven = Driven {
                    live: *live,
                    stdout: Vec::new(),
                    done,
                    armed: Armed::default(),
                };
                self.add(
                    self.supervisor.new_number(),
                    Kind::Driven(Box::new(driven)),
                    cancel,
                );
            }
            Message::ClearAway(leftover) => {
                self.add(self.supervisor.new_number(), Kind::Leftover(leftover), None);
            }
        }
    }

    fn add(&mut self, number: CallNumber, kind: Kind, cancel: Option<CancelToken>) {
        if let Some(token) = &cancel {
            // A token that cannot be watched is still looked at whenever something else happens to the call.
            let _ = self.tokens.add(&self.supervisor, token, number);
        }
        // The pipes of a call that was just started are tried before anything is waited for.
        let ready = match kind {
            Kind::Driven(_) => Ready::PIPES,
            _ => Ready::default(),
        };
        let due = None;
        self.calls.insert(number, Call { kind, cancel, due });
        self.look(number, ready);
    }

    fn remove(&mut self, number: CallNumber) {
        let Some(call) = self.calls.remove(&number) else {
            return;
        };
        if let Some(token) = call.cancel {
            self.tokens.remove(&self.supervisor, &token, number);
        }
        if let Kind::Driven(driven) = call.kind {
            driven.complete();
        }
    }

    fn look(&mut self, number: CallNumber, ready: Ready) {
        let Some(call) = self.calls.get_mut(&number) else {
            return;
        };
        let supervisor = &self.supervisor;
        let next = match &mut call.kind {
            Kind::Watched {
                shared,
                waker,
                is_missed,
            } => look_at_watched(
                supervisor,
                number,
                shared,
                (waker, is_missed),
                call.cancel.as_ref(),
                ready,
            ),
            Kind::Driven(driven) => driven.look(supervisor, number, ready, &mut self.buffer),
            Kind::Leftover(leftover) => look_at_leftover(supervisor, number, leftover),
        };
        match next {
            Next::Never(leftover) => {
                self.remove(number);
                if let Some(leftover) = leftover {
                    self.receive(Message::ClearAway(Box::new(leftover)));
                }
            }
            Next::At(due) => {
                if let Some(moment) = due.filter(|_| due != call.due) {
                    self.deadlines.push(Reverse((moment, number)));
                }
                call.due = due;
            }
        }
    }

    fn next_deadline(&mut self) -> Option<Moment> {
        while let Some(Reverse((moment, number))) = self.deadlines.peek() {
            if self
                .calls
                .get(number)
                .is_some_and(|call| call.due == Some(*moment))
            {
                return Some(*moment);
            }
            self.deadlines.pop();
        }
        None
    }

    fn look_at_due(&mut self) {
        let now = Moment::now();
        while let Some(Reverse((moment, number))) = self.deadlines.peek().copied() {
            if moment > now {
                break;
            }
            self.deadlines.pop();
            if let Some(call) = self
                .calls
                .get_mut(&number)
                .filter(|call| call.due == Some(moment))
            {
                call.due = None;
                self.look(number, Ready::default());
            }
        }
    }
}

/// Does for a call that nobody drives what cannot wait for its consumer.
fn look_at_watched(
    supervisor: &Supervisor,
    number: CallNumber,
    shared: &Arc<Shared>,
    (waker, is_missed): (&mut Option<Waker>, &mut bool),
    cancel: Option<&CancelToken>,
    ready: Ready,
) -> Next {
    let happened = ready.stdin || ready.stdout || ready.stderr || ready.event || *is_missed;
    // Its driver keeps the deadlines, and has it looked at again when it lets go of it. An event is reported once: a consumer that is
    // about to wait for it still holds the call, and is told at that look.
    let Some(mut control) = shared.try_lock() else {
        *is_missed = happened;
        return Next::At(None);
    };
    *is_missed = false;
    let control = &mut *control;
    control.hurry();
    let now = Moment::now();
    if !control.machine().is_over() {
        if ready.event || control.machine().is_due(now) || control.is_sampled() {
            control.look_for_exit();
        }
        if let Some(token) = cancel {
            control.heed(token, now);
        }
        control.sample(now);
        // After an exit nothing is judged before the pipes were read, and a waiting consumer does that at once.
        if !(control.is_awaited() && control.has_ended_by_itself()) {
            control.proceed(Moment::now());
        }
    }
    let over = control.machine().is_over();
    let is_answered =
        over || control.has_ended_by_itself() || (happened && !control.machine().is_ending());
    if is_answered && control.is_awaited() {
        control.end_wait(Moment::now());
    }
    // Also a task whose wait ended before it could be told apart from others.
    if !control.is_awaited()
        && let Some(waker) = waker.take()
    {
        waker.wake();
    }
    if over {
        return Next::Never(control.take_leftover());
    }
    if control.machine().is_ending()
        && let Some((descriptor, flags)) = control.event()
        && let Err(error) = supervisor.arm(number, Place::Event, descriptor, flags)
    {
        control.blame(Cause::Broken(error));
    }
    Next::At(control.next_moment())
}

fn look_at_leftover(supervisor: &Supervisor, number: CallNumber, leftover: &mut Leftover) -> Next {
    match leftover.retry() {
        Rest::Processes => {}
        Rest::Folders(folders) => {
            remove_elsewhere(folders);
            return Next::Never(None);
        }
        Rest::Nothing => return Next::Never(None),
    }
    if let Some(event) = leftover.event() {
        // The timer below serves as well, only later.
        let _ = supervisor.arm(number, Place::Event, event, PollFlags::IN);
    }
    Next::At(Some(Moment::now().plus(LEFTOVER_PERIOD)))
}

/// Removes folders that a tool has filled, on a thread that has nothing to keep in time.
fn remove_elsewhere(folders: Folders) {
    // There is nobody to tell what cannot be removed.
    let work = move || drop(folders.remove(None));
    match spawner::ensure_spawner() {
        Ok(()) => spawner::submit(Box::new(work)),
        Err(_) => work(),
    }
}

impl Driven {
    fn look(
        &mut self,
        supervisor: &Supervisor,
        number: CallNumber,
        ready: Ready,
        buffer: &mut [u8],
    ) -> Next {
        let armed = &mut self.armed;
        armed.stdin &= !ready.stdin;
        armed.stdout &= !ready.stdout;
        armed.stderr &= !ready.stderr;
        armed.event &= !ready.event;
        let shared = Arc::clone(self.live.shared());
        let mut control = shared.lock();
        control.hurry();
        let mut output = Output::Collect(&mut self.stdout);
        self.live.step(&mut control, ready, &mut output, buffer);
        let live = &mut self.live;
        // A listener is the caller's code; its panic ends its own call, not everybody's supervisor.
        if catch_unwind(AssertUnwindSafe(|| live.traffic_mut().tell())).is_err() {
            control.blame(Cause::Cancelled);
            self.live
                .step(&mut control, Ready::default(), &mut Output::Discard, buffer);
        }
        if self.live.finished().is_none()
            && let Err(error) = self.arm(supervisor, number, &control)
        {
            control.blame(Cause::Broken(error));
            self.live
                .step(&mut control, Ready::default(), &mut Output::Discard, buffer);
        }
        if self.live.finished().is_some() {
            Next::Never(control.take_leftover())
        } else {
            Next::At(control.next_moment())
        }
    }

    fn arm(
        &mut self,
        supervisor: &Supervisor,
        number: CallNumber,
        control: &Control,
    ) -> Result<(), SystemError> {
        let wants = self.live.wants(control)?;
        let armed = &mut self.armed;
        for (descriptor, is_armed, place, flags) in [
            (wants.stdin, &mut armed.stdin, Place::Stdin, PollFlags::OUT),
            (
                wants.stdout,
                &mut armed.stdout,
                Place::Stdout,
                PollFlags::IN,
            ),
            (
                wants.stderr,
                &mut armed.stderr,
                Place::Stderr,
                PollFlags::IN,
            ),
        ] {
            if let Some(descriptor) = descriptor.filter(|_| !*is_armed) {
                supervisor.arm(number, place, descriptor, flags)?;
                *is_armed = true;
            }
        }
        if let Some((descriptor, flags)) = wants.event
            // What a sweep waits for changes without an event.
            && (!armed.event || control.machine().is_sweeping())
        {
            supervisor.arm(number, Place::Event, descriptor, flags)?;
            armed.event = true;
        }
        Ok(())
    }

    fn complete(self) {
        let Self {
            live, stdout, done, ..
        } = self;
        let captured = live.into_captured(stdout);
        // What the caller does with it is the caller's; its panic is reported by the panic hook and ends nothing here.
        let _ = catch_unwind(AssertUnwindSafe(|| done(captured)));
    }
}

#[cfg(test)]
mod tests;
