//! The one source of chance.

/// The generator `SplitMix64`: small, fast, and the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Begins with a seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Draws the next number.
    pub const fn next(&mut self) -> u64 {
        // Constants of the published algorithm.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below a limit, by remainder.
    ///
    /// # Panics
    /// When the limit is 0.
    pub const fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_published_algorithm() {
        let mut random = SplitMix64::new(1_234_567);
        let drawn: [u64; 5] = std::array::from_fn(|_| random.next());
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(drawn, expected);
    }
}
