//! Runs the cases of a group in rounds: all of them in each, in an order drawn anew.

use std::time::{Duration, Instant};

use crate::case::{Case, CaseError};
use crate::statistics::Series;

/// From here on a case is slow, and is run less often.
const SLOW: Duration = Duration::from_millis(50);

/// How often cases are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    pub(crate) warm_up: usize,
    pub(crate) recorded: usize,
    /// Recorded rounds of a group in which a case is slow.
    pub(crate) recorded_slow: usize,
}

impl Rounds {
    pub(crate) const FULL: Self = Self {
        warm_up: 20,
        recorded: 200,
        recorded_slow: 20,
    };
    pub(crate) const QUICK: Self = Self {
        warm_up: 8,
        recorded: 60,
        recorded_slow: 5,
    };
}

/// Measures all cases and returns what each took, in their order.
pub(crate) fn measure(cases: &mut [Case], rounds: Rounds) -> Result<Vec<Series>, CaseError> {
    let mut random = fastrand::Rng::new();
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let mut is_slow = false;
    for _ in 0..rounds.warm_up {
        for case in cases.iter_mut() {
            let start = Instant::now();
            case.run()?;
            is_slow |= start.elapsed() > SLOW;
        }
        // A slow case has warmed up in one round.
        if is_slow {
            break;
        }
    }
    let mut series = vec![Series::default(); cases.len()];
    let recorded = if is_slow {
        rounds.recorded_slow
    } else {
        rounds.recorded
    };
    for _ in 0..recorded {
        random.shuffle(&mut order);
        for index in &order {
            series[*index].push(cases[*index].run()?);
        }
    }
    Ok(series)
}
