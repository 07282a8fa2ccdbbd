//! What is said about a series of measurements, and about two of them taken in the same rounds.

/// Above this share of the median, the spread of a series is too wide for a verdict.
const WIDEST_SPREAD: f64 = 0.15;

/// Measurements of one case, in the order of the rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    values: Vec<f64>,
}

/// Two ways to compare two series.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio {
    /// The median of the rounds' own ratios.
    pub(crate) median: f64,
    /// Of the values that a tenth of all lie below: what the cases take when nothing else runs.
    pub(crate) p10: f64,
}

impl Series {
    pub(crate) fn push(&mut self, value: f64) {
        self.values.push(value);
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(crate) fn median(&self) -> f64 {
        quantile(self.values.clone(), 0.5)
    }

    pub(crate) fn p10(&self) -> f64 {
        quantile(self.values.clone(), 0.1)
    }

    pub(crate) fn p90(&self) -> f64 {
        quantile(self.values.clone(), 0.9)
    }

    pub(crate) fn p99(&self) -> f64 {
        quantile(self.values.clone(), 0.99)
    }

    /// The median distance from the median, as a share of it.
    pub(crate) fn spread(&self) -> f64 {
        let median = self.median();
        let distances = self.values.iter().map(|value| (value - median).abs());
        quantile(distances.collect(), 0.5) / median
    }

    pub(crate) fn is_steady(&self) -> bool {
        self.spread() <= WIDEST_SPREAD
    }

    /// Compares with a series of the same rounds.
    pub(crate) fn over(&self, peer: &Self) -> Ratio {
        let rounds = self.values.iter().zip(&peer.values);
        Ratio {
            median: quantile(rounds.map(|(ours, theirs)| ours / theirs).collect(), 0.5),
            p10: self.p10() / peer.p10(),
        }
    }
}

/// The value that a share of all lie below; not a number where there is none.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place in a list of a few hundred"
    )]
    let place = (values.len() as f64 * share) as usize;
    values.get(place).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: &[f64]) -> Series {
        Series {
            values: values.to_vec(),
        }
    }

    #[test]
    fn rounds_are_compared_with_their_own_peer() {
        let ours = series(&[2.0, 20.0, 200.0]);
        let ratio = ours.over(&series(&[1.0, 10.0, 100.0]));
        assert!((ratio.median - 2.0).abs() < 1e-9 && (ratio.p10 - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_wide_series_is_not_steady() {
        assert!(series(&[10.0, 10.0, 11.0]).is_steady());
        assert!(!series(&[10.0, 15.0, 5.0]).is_steady());
    }
}
