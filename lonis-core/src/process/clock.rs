//! Time as the layer counts it: moments on the monotonic clock, and what of it is billed to the tool.
//!
//! The monotonic clock does not count time asleep. Wall-clock time is for stamps and is not read here.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A point on the monotonic clock, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

impl Moment {
    /// Reads the clock.
    pub(crate) fn now() -> Self {
        let time = clock_gettime(ClockId::Monotonic);
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
        Self(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
    }

    /// Returns the moment this much later.
    pub(crate) fn plus(self, time: Duration) -> Self {
        Self(self.0.saturating_add(nanos(time)))
    }

    /// Returns the time since an earlier moment, zero if that one is later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// Returns the time until a later moment, zero once it has passed.
    pub(crate) fn until(self, later: Self) -> Duration {
        later.since(self)
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Counts the time in which the tool is the one waited for.
///
/// It runs from the spawn until the call is handed out, and then whenever somebody waits for the tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolClock {
    started: Moment,
    spent: Duration,
    running_since: Option<Moment>,
}

impl ToolClock {
    /// Starts the clock, running.
    pub(crate) fn start(now: Moment) -> Self {
        Self {
            started: now,
            spent: Duration::ZERO,
            running_since: Some(now),
        }
    }

    /// Bills the time from now on.
    pub(crate) fn resume(&mut self, now: Moment) {
        self.running_since.get_or_insert(now);
    }

    /// Bills nothing from now on.
    pub(crate) fn pause(&mut self, now: Moment) {
        if let Some(since) = self.running_since.take() {
            self.spent += now.since(since);
        }
    }

    /// Returns when the clock was started.
    pub(crate) fn started(&self) -> Moment {
        self.started
    }

    /// Returns the time billed so far.
    pub(crate) fn tool_time(&self, now: Moment) -> Duration {
        let current = self
            .running_since
            .map_or(Duration::ZERO, |since| now.since(since));
        self.spent + current
    }

    /// Returns the time that passed without being billed.
    pub(crate) fn held_time(&self, now: Moment) -> Duration {
        now.since(self.started).saturating_sub(self.tool_time(now))
    }

    /// Returns when this much tool time will have been billed if the clock goes on running; `None` while it stands.
    pub(crate) fn reaches(&self, tool_time: Duration) -> Option<Moment> {
        let since = self.running_since?;
        Some(since.plus(tool_time.saturating_sub(self.spent)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanos: u64) -> Moment {
        Moment(nanos)
    }

    #[test]
    fn the_clock_advances() {
        let first = Moment::now();
        let second = Moment::now();
        assert!(first.0 > 0 && second >= first);
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(at(5).since(at(9)), Duration::ZERO);
        assert_eq!(at(9).until(at(5)), Duration::ZERO);
        assert_eq!(at(5).until(at(9)), Duration::from_nanos(4));
        assert_eq!(at(5).plus(Duration::MAX), at(u64::MAX));
    }

    #[test]
    fn held_time_is_not_billed() {
        let mut clock = ToolClock::start(at(100));
        clock.pause(at(130));
        assert_eq!(clock.reaches(Duration::from_nanos(50)), None);
        assert_eq!(clock.tool_time(at(500)), Duration::from_nanos(30));
        assert_eq!(clock.held_time(at(500)), Duration::from_nanos(370));
        clock.resume(at(500));
        // A second request for what already runs changes nothing.
        clock.resume(at(505));
        assert_eq!(clock.tool_time(at(510)), Duration::from_nanos(40));
        assert_eq!(clock.reaches(Duration::from_nanos(50)), Some(at(520)));
        assert_eq!(clock.reaches(Duration::from_nanos(10)), Some(at(500)));
        clock.pause(at(510));
        clock.pause(at(900));
        assert_eq!(clock.tool_time(at(1_000)), Duration::from_nanos(40));
        assert_eq!(clock.held_time(at(1_000)), Duration::from_nanos(860));
        assert_eq!(clock.started(), at(100));
    }
}
