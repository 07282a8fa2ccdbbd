//! How the tokens of a text are counted: by a rule over its bytes, or by a tokenizer.

use std::fmt;
use std::str::FromStr;

use soil::document::Writer;
use thiserror::Error;
use tiktoken_rs::o200k_base_singleton;

/// What counts the tokens of a bundle.
///
/// # Wire shape
/// `{"rule":"bytes","divisor":N}` or `{"tokenizer":"o200k_base"}`; on a command line `bytes/N` or `o200k_base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// So many bytes are a token: the rule of the contract with 4. Texts outside of ASCII need a smaller number.
    ///
    /// # Units and bounds
    /// Bytes, 1 to 16.
    Bytes(u64),
    /// A tokenizer whose vocabulary is within the program. It is read when it is first asked, which takes its time.
    O200k,
}

/// Why a text names no counter.
#[derive(Debug, Error)]
#[error("`{0}` is neither `bytes/N` with N from 1 to 16 nor `o200k_base`")]
pub(crate) struct CounterError(String);

impl Counter {
    /// The rule of the contract: a quarter of the bytes.
    pub(crate) const CONTRACT: Self = Self::Bytes(4);

    /// Gives what a file adds to a sum of which the tokens are counted.
    pub(super) fn weight(self, text: &[u8]) -> u64 {
        match self {
            Self::Bytes(_) => text.len() as u64,
            Self::O200k => {
                let text = String::from_utf8_lossy(text);
                o200k_base_singleton().encode_ordinary(&text).len() as u64
            }
        }
    }

    /// Gives the tokens of files by the sum of what they add.
    pub(super) const fn tokens(self, weights: u64) -> u64 {
        match self {
            Self::Bytes(divisor) => weights.div_ceil(divisor),
            Self::O200k => weights,
        }
    }

    /// Writes its members.
    pub(super) fn members(self, writer: &mut Writer) {
        match self {
            Self::Bytes(divisor) => {
                writer.key("rule").string("bytes");
                writer.key("divisor").number(divisor);
            }
            Self::O200k => writer.key("tokenizer").string("o200k_base"),
        }
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(divisor) => write!(formatter, "bytes/{divisor}"),
            Self::O200k => formatter.write_str("o200k_base"),
        }
    }
}

impl FromStr for Counter {
    type Err = CounterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || CounterError(text.to_owned());
        if text == "o200k_base" {
            return Ok(Self::O200k);
        }
        let divisor = text.strip_prefix("bytes/").ok_or_else(wrong)?;
        let divisor = divisor.parse().ok();
        let divisor = divisor.filter(|divisor| (1..=16).contains(divisor));
        divisor.map(Self::Bytes).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_nothing_else_does() {
        for counter in [
            Counter::CONTRACT,
            Counter::Bytes(1),
            Counter::Bytes(16),
            Counter::O200k,
        ] {
            assert_eq!(counter.to_string().parse().ok(), Some(counter));
        }
        for text in [
            "",
            "bytes",
            "bytes/",
            "bytes/0",
            "bytes/17",
            "bytes/-1",
            "bytes/4.5",
            "O200K_BASE",
            "gpt2",
        ] {
            let error = text.parse::<Counter>().expect_err("it names none");
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("`{text}` is neither")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_rule_counts_bytes_and_a_tokenizer_words() {
        let text = "clamp low high x = if x < low then low else x\n".as_bytes();
        for (counter, tokens) in [
            (Counter::Bytes(4), 12),
            (Counter::Bytes(3), 16),
            (Counter::O200k, 15),
        ] {
            assert_eq!(counter.tokens(counter.weight(text)), tokens, "{counter}");
            assert_eq!(counter.tokens(counter.weight(b"")), 0, "{counter}");
        }
        assert_eq!(Counter::Bytes(4).tokens(5), 2);
    }
}
