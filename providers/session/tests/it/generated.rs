//! What is drawn from a seed: the same numbers on every machine.

/// A stream of numbers (`xorshift64*`).
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap() % bound
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of some values.
    pub(crate) fn one<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }
}

/// How many cases a test runs: a sample for every change, and all of them where `LONIS_PROOF` is set.
pub(crate) fn cases(sample: u64, in_full: u64) -> u64 {
    if std::env::var_os("LONIS_PROOF").is_some() {
        in_full
    } else {
        sample
    }
}
