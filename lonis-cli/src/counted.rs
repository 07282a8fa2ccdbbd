//! A number and what it counts, as people say it.

use std::fmt::Display;

/// Writes a count with its noun: `1 block`, `2 blocks`.
///
/// The noun is one that takes an `s`.
pub(crate) fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_no_plural() {
        for (count, text) in [(0, "0 blocks"), (1, "1 block"), (2, "2 blocks")] {
            assert_eq!(counted(count, "block"), text);
        }
    }
}
