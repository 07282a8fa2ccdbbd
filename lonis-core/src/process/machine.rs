//! The states of one call and what moves it between them; pure, so that every order of events can be tested.
//!
//! The machine is told what was seen at a wake-up and answers with the next thing to do. It knows no descriptor, no
//! process and no clock; [`super::live`] does the work, [`super::poll_loop`] or the supervisor waits.

use std::time::Duration;

use super::clock::{Moment, ToolClock};
use super::outcome::Breach;
use super::pipes::Stream;
use super::system_error::SystemError;

/// Time that a killed process gets to vanish. Longer than that it is in an uninterruptible sleep, and is left behind.
pub(crate) const REAP_PATIENCE: Duration = Duration::from_millis(250);

/// Time that it gets at the most where all that it lacks is a core to end on, as on a machine with much other work.
const BUSY_PATIENCE: Duration = Duration::from_secs(10);

/// Until the next look whether it has got one.
const BUSY_LOOK: Duration = Duration::from_millis(50);

/// What ended a call before the tool did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A stream, or one block of it, was longer than allowed.
    Output(Stream),
    /// A bound of the process was broken.
    Bound(Breach),
    /// The caller asked for the end.
    Cancelled,
    /// The tool time is used up.
    Timeout,
    /// The absolute ceiling was reached.
    Ceiling,
    /// Nobody wants the rest: the call was dropped or abandoned.
    Dropped,
    /// The system refused something that the call cannot do without.
    Broken(SystemError),
}

impl Cause {
    /// Returns the place in the order in which causes seen at one wake-up are reported, the first being 0.
    const fn rank(&self) -> u8 {
        match self {
            Self::Output(_) => 0,
            Self::Bound(_) => 1,
            Self::Cancelled => 2,
            Self::Timeout | Self::Ceiling => 3,
            Self::Dropped => 4,
            Self::Broken(_) => 5,
        }
    }
}

/// The times that a call is held to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Tool time allowed.
    pub(crate) timeout: Duration,
    /// Time allowed in all, from the start.
    pub(crate) ceiling: Option<Duration>,
    /// From TERM to KILL.
    pub(crate) kill_grace: Duration,
    /// From the exit to the end of both pipes.
    pub(crate) drain_grace: Duration,
}

/// What has to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Nothing until the next event or [`Machine::next_moment`].
    Wait,
    /// Ask the tree to end: TERM, then CONT for what is stopped.
    Terminate,
    /// End the tree: KILL to the group.
    Kill,
    /// End what escaped the group.
    Sweep,
    /// Reap, close, remove.
    Reap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    /// The leader has exited; the pipes may still end until this much tool time was billed.
    Draining {
        until: Duration,
    },
    /// TERM was sent.
    Ending {
        kill_at: Moment,
    },
    /// KILL was sent.
    Killing {
        give_up_at: Moment,
    },
    /// The leader has exited; what escaped the group is being ended.
    Sweeping {
        give_up_at: Moment,
        again_at: Option<Moment>,
    },
    Swept,
    Over,
}

/// One call's course from its spawn to its reap.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    rules: Rules,
    clock: ToolClock,
    phase: Phase,
    cause: Option<Cause>,
    exited: bool,
    stdout_open: bool,
    stderr_open: bool,
    /// The tool time at which nobody waits any longer for a tool whose output is of no use.
    abandoned_at: Option<Duration>,
    /// When a killed process that lacks a core is left behind, once one was found to.
    busy_until: Option<Moment>,
}

impl Machine {
    /// Starts a call at the moment just before its spawn.
    pub(crate) fn new(rules: Rules, started: Moment) -> Self {
        Self {
            rules,
            clock: ToolClock::start(started),
            phase: Phase::Running,
            cause: None,
            exited: false,
            stdout_open: true,
            stderr_open: true,
            abandoned_at: None,
            busy_until: None,
        }
    }

    /// Returns the clock that bills the tool.
    pub(crate) fn clock(&self) -> &ToolClock {
        &self.clock
    }

    /// Returns the clock that bills the tool, to start and stop it.
    pub(crate) fn clock_mut(&mut self) -> &mut ToolClock {
        &mut self.clock
    }

    /// Notes that the leader has exited.
    pub(crate) fn leader_exited(&mut self) {
        self.exited = true;
    }

    /// Returns whether the leader's exit was seen.
    pub(crate) fn has_exited(&self) -> bool {
        self.exited
    }

    /// Notes that a pipe has ended or was given up.
    pub(crate) fn stream_ended(&mut self, stream: Stream) {
        match stream {
            Stream::Stdout => self.stdout_open = false,
            Stream::Stderr => self.stderr_open = false,
        }
    }

    /// Notes a reason to end the call. Of those seen before the end has begun the first by rank counts, later ones
    /// are consequences.
    pub(crate) fn blame(&mut self, cause: Cause) {
        let undecided = matches!(self.phase, Phase::Running | Phase::Draining { .. });
        if undecided
            && self
                .cause
                .as_ref()
                .is_none_or(|known| cause.rank() < known.rank())
        {
            self.cause = Some(cause);
        }
    }

    /// Shortens the end to what needs no patience: KILL follows at the next judgement.
    pub(crate) fn forgo_grace(&mut self, now: Moment) {
        self.rules.kill_grace = Duration::ZERO;
        if let Phase::Ending { kill_at } = &mut self.phase {
            *kill_at = now;
        }
    }

    /// Gives the tool the drain grace to end by itself; whatever it prints is of no use any more.
    pub(crate) fn abandon(&mut self, now: Moment) {
        self.abandoned_at = Some(self.clock.tool_time(now) + self.rules.drain_grace);
    }

    /// Notes that nothing is left outside of the group.
    pub(crate) fn swept(&mut self) {
        if matches!(self.phase, Phase::Sweeping { .. }) {
            self.phase = Phase::Swept;
        }
    }

    /// Notes that a sweep has to go on, at this moment if no event comes before.
    pub(crate) fn sweep_again(&mut self, moment: Option<Moment>) {
        if let Phase::Sweeping { again_at, .. } = &mut self.phase {
            *again_at = moment;
        }
    }

    /// Returns whether what escaped the group is being waited for.
    pub(crate) fn is_sweeping(&self) -> bool {
        matches!(self.phase, Phase::Sweeping { .. })
    }

    /// Returns why the call was ended, if the tool did not end it.
    pub(crate) fn cause(&self) -> Option<&Cause> {
        self.cause.as_ref()
    }

    /// Returns whether the end was decided by us, so that output read from now on belongs to nobody.
    pub(crate) fn is_condemned(&self) -> bool {
        self.cause.is_some() && !matches!(self.phase, Phase::Running | Phase::Draining { .. })
    }

    /// Returns whether the end is under way.
    pub(crate) fn is_ending(&self) -> bool {
        !matches!(
            self.phase,
            Phase::Running | Phase::Draining { .. } | Phase::Over
        )
    }

    /// Returns whether nothing is left to do.
    pub(crate) fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Gives the pipes more time to end, within the deadlines of the call; returns whether there is any.
    pub(crate) fn prolong_drain(&mut self, now: Moment, time: Duration) -> bool {
        let billed = self.clock.tool_time(now);
        let is_over = self.ceiling().is_some_and(|ceiling| now >= ceiling);
        match &mut self.phase {
            Phase::Draining { until } if !is_over && billed < self.rules.timeout => {
                *until = (billed + time).min(self.rules.timeout);
                true
            }
            _ => false,
        }
    }

    /// Returns whether what was killed is left behind at the next judgement.
    pub(crate) fn gives_up(&self, now: Moment) -> bool {
        match self.phase {
            Phase::Killing { give_up_at } => !self.exited && now >= give_up_at,
            Phase::Sweeping { give_up_at, .. } => now >= give_up_at,
            _ => false,
        }
    }

    /// Gives what was killed, and only lacks a core to end on, more time as long as there is any.
    pub(crate) fn prolong_end(&mut self, now: Moment) {
        let busy_until = *self.busy_until.get_or_insert(now.plus(BUSY_PATIENCE));
        if let Phase::Killing { give_up_at } | Phase::Sweeping { give_up_at, .. } = &mut self.phase
            && now < busy_until
        {
            *give_up_at = now.plus(BUSY_LOOK);
        }
    }

    /// Returns whether a deadline that ends a running tool has come, so that the caller looks for its exit first.
    pub(crate) fn is_due(&self, now: Moment) -> bool {
        self.next_moment().is_some_and(|moment| moment <= now)
    }

    /// Returns when the machine has to be asked again, if no event comes before.
    pub(crate) fn next_moment(&self) -> Option<Moment> {
        match self.phase {
            Phase::Running => {
                let patience = self.abandoned_at.unwrap_or(Duration::MAX);
                let spent = self.clock.reaches(self.rules.timeout.min(patience));
                earlier(spent, self.ceiling())
            }
            Phase::Draining { until } => earlier(self.clock.reaches(until), self.ceiling()),
            Phase::Ending { kill_at } => Some(kill_at),
            Phase::Killing { give_up_at } => Some(give_up_at),
            Phase::Sweeping {
                give_up_at,
                again_at,
            } => earlier(Some(give_up_at), again_at),
            Phase::Swept | Phase::Over => None,
        }
    }

    /// Decides what follows from all that was noted.
    ///
    /// The caller has read what was ready, has looked for the exit and has read the clock after that. It carries out
    /// the order and asks again until the answer is [`Order::Wait`] or the machine is over.
    pub(crate) fn judge(&mut self, now: Moment) -> Order {
        match self.phase {
            Phase::Running => self.judge_running(now),
            Phase::Draining { until } => self.judge_draining(until, now),
            Phase::Ending { kill_at } => {
                if self.exited || now >= kill_at {
                    self.kill(now)
                } else {
                    Order::Wait
                }
            }
            Phase::Killing { give_up_at } => {
                if self.exited {
                    let give_up_at = now.plus(REAP_PATIENCE);
                    self.phase = Phase::Sweeping {
                        give_up_at,
                        again_at: None,
                    };
                    Order::Sweep
                } else {
                    self.reap_from(give_up_at, now)
                }
            }
            Phase::Sweeping { give_up_at, .. } => match self.reap_from(give_up_at, now) {
                Order::Wait => Order::Sweep,
                order => order,
            },
            Phase::Swept => self.reap_from(now, now),
            Phase::Over => Order::Wait,
        }
    }

    fn reap_from(&mut self, moment: Moment, now: Moment) -> Order {
        if now < moment {
            return Order::Wait;
        }
        self.phase = Phase::Over;
        Order::Reap
    }

    fn judge_running(&mut self, now: Moment) -> Order {
        if self.exited {
            let billed = self.clock.tool_time(now);
            let until = (billed + self.rules.drain_grace).min(self.rules.timeout);
            self.phase = Phase::Draining { until };
            return self.judge_draining(until, now);
        }
        if self.cause.is_none() {
            self.cause = self.overdue(now);
        }
        if self.cause.is_none() {
            return Order::Wait;
        }
        if self.rules.kill_grace.is_zero() {
            return self.kill(now);
        }
        let kill_at = now.plus(self.rules.kill_grace);
        self.phase = Phase::Ending { kill_at };
        Order::Terminate
    }

    fn judge_draining(&mut self, until: Duration, now: Moment) -> Order {
        let ended = !self.stdout_open && !self.stderr_open;
        // The leader has left by itself, so what it left behind gets no grace: success returns within the drain.
        let cut = self.clock.tool_time(now) >= until
            || self.ceiling().is_some_and(|ceiling| now >= ceiling);
        if ended || cut || self.cause.is_some() {
            self.kill(now)
        } else {
            Order::Wait
        }
    }

    fn kill(&mut self, now: Moment) -> Order {
        let give_up_at = now.plus(REAP_PATIENCE);
        self.phase = Phase::Killing { give_up_at };
        Order::Kill
    }

    fn overdue(&self, now: Moment) -> Option<Cause> {
        let ceiling = self.ceiling().filter(|ceiling| now >= *ceiling);
        let spent = self.clock.tool_time(now) >= self.rules.timeout;
        match ceiling {
            // Both have passed, as after a long sleep of the host: the one that came first is the reason.
            Some(ceiling) if spent => {
                let timeout = self.clock.reaches(self.rules.timeout);
                let ceiling_first = timeout.is_none_or(|timeout| ceiling < timeout);
                Some(if ceiling_first {
                    Cause::Ceiling
                } else {
                    Cause::Timeout
                })
            }
            Some(_) => Some(Cause::Ceiling),
            None if spent => Some(Cause::Timeout),
            None => {
                let abandoned = self.abandoned_at?;
                (self.clock.tool_time(now) >= abandoned).then_some(Cause::Dropped)
            }
        }
    }

    fn ceiling(&self) -> Option<Moment> {
        Some(self.clock.started().plus(self.rules.ceiling?))
    }
}

fn earlier(first: Option<Moment>, second: Option<Moment>) -> Option<Moment> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first.min(second)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests;
