//! Exact binomial intervals, in basis points.

/// Half of what an interval of 95 % leaves out.
const TAIL: f64 = 0.025;

/// One in so many parts.
const WHOLE: u32 = 10_000;

/// The interval of Clopper and Pearson for `count` of `of`, rounded outward to basis points.
pub(crate) fn interval_bp(count: usize, of: usize) -> [u32; 2] {
    let lower = (0..=WHOLE)
        .take_while(|part| *part == 0 || count > 0 && at_least(count, of, *part) <= TAIL)
        .last();
    let upper = (0..=WHOLE)
        .rev()
        .take_while(|part| *part == WHOLE || count < of && at_most(count, of, *part) <= TAIL)
        .last();
    [lower.unwrap_or(0), upper.unwrap_or(WHOLE)]
}

/// `count` of `of` in basis points, rounded down.
pub(crate) fn rate_bp(count: usize, of: usize) -> usize {
    (count * 10_000).checked_div(of).unwrap_or(0)
}

fn at_least(count: usize, of: usize, part: u32) -> f64 {
    (count..=of).map(|hits| chance(hits, of, part)).sum()
}

fn at_most(count: usize, of: usize, part: u32) -> f64 {
    (0..=count).map(|hits| chance(hits, of, part)).sum()
}

/// The chance of so many hits, each of which comes in `part` of 10,000 cases.
fn chance(hits: usize, of: usize, part: u32) -> f64 {
    let share = f64::from(part) / f64::from(WHOLE);
    let ways: f64 = (1..=hits)
        .map(|step| (number(of - hits + step) / number(step)).ln())
        .sum();
    let power = |base: f64, exponent: usize| {
        if exponent == 0 {
            0.0
        } else {
            number(exponent) * base.ln()
        }
    };
    (ways + power(share, hits) + power(1.0 - share, of - hits)).exp()
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("a corpus has few cases"))
}

#[test]
fn intervals_are_those_of_the_tables() {
    for (count, of, expected) in [
        (0, 10, [0, 3085]),
        (10, 10, [6915, 10_000]),
        (15, 15, [7819, 10_000]),
        (5, 10, [1870, 8130]),
        (145, 150, [9239, 9891]),
        (0, 0, [0, 10_000]),
    ] {
        assert_eq!(interval_bp(count, of), expected, "{count} of {of}");
    }
}
