//! What is measured, and what is asked of it.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// A case could not be measured, or gave a wrong answer.
#[derive(Debug, thiserror::Error)]
#[error("`{case}`: {problem}")]
pub(crate) struct CaseError {
    pub(crate) case: String,
    pub(crate) problem: String,
}

/// What a measured operation takes the time of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    /// The wall: whatever waits for processes.
    Wall,
    /// The calling thread's own CPU time: whatever only computes.
    Thread,
}

/// One thing that is measured, once per round.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) claims: Vec<Claim>,
    pub(crate) place: Place,
    run: Run,
}

/// The process in which a case is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The harness itself.
    Here,
    /// A small host.
    Small,
    /// A small host, and another time a host with 1 GiB touched.
    SmallAndLarge,
    /// A small host that orphans come to.
    Adopting,
}

/// Runs a case once and returns nanoseconds, or what went wrong.
type Run = Box<dyn FnMut() -> Result<f64, String>>;

/// What has to hold of a case.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) kind: ClaimKind,
    pub(crate) bound: Option<f64>,
    /// What would be better still.
    pub(crate) reach: Option<f64>,
}

#[derive(Clone, Debug)]
pub(crate) enum ClaimKind {
    /// Our time over that of a case.
    TimeOver(String),
    /// Our rate over that of a case.
    RateOver(String),
    /// The same case in a host with 1 GiB touched, over the small host.
    LargeOverSmall,
    /// Microseconds, for what has no peer.
    Micros,
}

impl Case {
    /// A case whose operation is timed as a whole; what it gave is looked at each time, outside of the time.
    pub(crate) fn new<T>(
        name: impl Into<String>,
        clock: Clock,
        mut operation: impl FnMut() -> T + 'static,
        is_right: impl Fn(&T) -> bool + 'static,
    ) -> Self {
        Self::on(name, clock, || (), move |()| operation(), is_right)
    }

    /// A case whose operation takes an input for itself.
    ///
    /// The input is made anew for each run, outside of the time: a peer that only borrows its own makes no copy either,
    /// and who has an input to give away needs none.
    pub(crate) fn on<I, T>(
        name: impl Into<String>,
        clock: Clock,
        mut prepare: impl FnMut() -> I + 'static,
        mut operation: impl FnMut(I) -> T + 'static,
        is_right: impl Fn(&T) -> bool + 'static,
    ) -> Self {
        Self::of_samples(name, move || {
            let input = prepare();
            let start = clock.now();
            let result = black_box(operation(input));
            let nanos = clock.nanos_since(start);
            if is_right(&result) {
                Ok(nanos)
            } else {
                Err("the result is wrong".to_owned())
            }
        })
    }

    /// A case that takes its own time.
    pub(crate) fn of_samples(
        name: impl Into<String>,
        run: impl FnMut() -> Result<f64, String> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            claims: Vec::new(),
            place: Place::Here,
            run: Box::new(run),
        }
    }

    /// Counts many repetitions in one sample as one, so that a sample is longer than the clock's step.
    pub(crate) fn divided_by(self, count: u32) -> Self {
        let mut run = self.run;
        Self {
            run: Box::new(move || Ok(run()? / f64::from(count))),
            ..self
        }
    }

    pub(crate) fn in_place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    fn with(mut self, kind: ClaimKind, bound: Option<f64>, reach: Option<f64>) -> Self {
        self.claims.push(Claim { kind, bound, reach });
        self
    }

    /// Shows the ratio to a peer, of which nothing is asked.
    pub(crate) fn beside(self, peer: &str) -> Self {
        self.with(ClaimKind::TimeOver(peer.to_owned()), None, None)
    }

    pub(crate) fn at_most(self, bound: f64, peer: &str) -> Self {
        self.with(ClaimKind::TimeOver(peer.to_owned()), Some(bound), None)
    }

    pub(crate) fn at_most_reach(self, bound: f64, reach: f64, peer: &str) -> Self {
        let kind = ClaimKind::TimeOver(peer.to_owned());
        self.with(kind, Some(bound), Some(reach))
    }

    /// Asks for a rate of at least so many times the peer's.
    pub(crate) fn at_least(self, bound: f64, peer: &str) -> Self {
        self.with(ClaimKind::RateOver(peer.to_owned()), Some(bound), None)
    }

    pub(crate) fn micros_at_most(self, bound: f64) -> Self {
        self.with(ClaimKind::Micros, Some(bound), None)
    }

    pub(crate) fn large_at_most(self, bound: f64) -> Self {
        self.with(ClaimKind::LargeOverSmall, Some(bound), None)
    }

    /// Shows what a large host costs, of which nothing is asked.
    pub(crate) fn large_at_most_any(self) -> Self {
        self.with(ClaimKind::LargeOverSmall, None, None)
    }

    pub(crate) fn run(&mut self) -> Result<f64, CaseError> {
        (self.run)().map_err(|problem| CaseError {
            case: self.name.clone(),
            problem,
        })
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Case")
            .field("name", &self.name)
            .field("claims", &self.claims)
            .finish_non_exhaustive()
    }
}

/// A point of a clock.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Point {
    Wall(Instant),
    Thread(Duration),
}

impl Clock {
    pub(crate) fn now(self) -> Point {
        match self {
            Self::Wall => Point::Wall(Instant::now()),
            Self::Thread => Point::Thread(thread_time()),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "nanoseconds of a sample fit into a double"
    )]
    pub(crate) fn nanos_since(self, start: Point) -> f64 {
        let elapsed = match start {
            Point::Wall(start) => start.elapsed(),
            Point::Thread(start) => thread_time().saturating_sub(start),
        };
        elapsed.as_nanos() as f64
    }
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
