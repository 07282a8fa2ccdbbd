//! Numbers: read from their text, written in the one canonical spelling.
//!
//! Works from the text of a number alone, so that neither the version nor the features of a JSON library can change a
//! value or its spelling. Never keeps the source text; [`Json`](crate::json::Json) does that.

mod canonical;
mod grammar;

pub(crate) use grammar::Grammar;

use std::fmt;
use std::str::FromStr;

/// Magnitude up to which an integral double is an integer: above it, neighbouring doubles are more than one apart.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// First double above every `u64`.
const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;

/// Magnitude of the lowest `i64`, and first double above every `i64`.
const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;

/// How much of a refused text a message repeats.
const MAX_EXCERPT_CHARS: usize = 48;

/// A finite JSON number by its value.
///
/// Two numbers are equal exactly when their canonical spellings are: `100`, `100.0` and `1e2` are one number, and so are
/// `0` and `-0.0`.
///
/// # Units and bounds
/// An integer literal in `[-2^63, 2^64)` is exact. Any other number is the nearest double, ties to even.
///
/// # Example
/// ```
/// use lonis_schema::number::Number;
///
/// let number: Number = "6.4e1".parse()?;
/// assert_eq!(number.as_u64(), Some(64));
/// assert_eq!(number.to_string(), "64");
/// # Ok::<(), lonis_schema::number::NumberError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(Normal);

/// One variant for each value, so that equality can be derived.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Normal {
    Unsigned(u64),
    /// Below zero.
    Negative(i64),
    /// Finite, and not an integral value of magnitude up to 2^53.
    Double(f64),
}

/// Why a text or a double is not a number that JSON can carry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// The text does not follow the grammar of JSON numbers.
    #[error("`{0}` is not a JSON number")]
    Grammar(String),
    /// The nearest double is infinite.
    #[error("`{0}` is beyond the largest double, 1.7976931348623157e308")]
    Overflow(String),
    /// The double is NaN or infinite.
    #[error("`{0}` is not a finite number")]
    NotFinite(String),
}

impl Number {
    /// Reads a number from its JSON text, correctly rounded.
    ///
    /// # Errors
    /// `Grammar` where the text is not one JSON number, `Overflow` where its nearest double is infinite (`1e400`).
    pub fn read(text: &str) -> Result<Self, NumberError> {
        let Some(grammar) = Grammar::of(text.as_bytes()) else {
            return Err(NumberError::Grammar(excerpt(text)));
        };
        if grammar.is_integer() {
            if let Ok(value) = text.parse::<u64>() {
                return Ok(Self(Normal::Unsigned(value)));
            }
            if let Ok(value) = text.parse::<i64>() {
                return Ok(Self::from(value));
            }
        }
        // The standard parser is correctly rounded for every length of digits, and infinite where it overflows.
        let double: f64 = text
            .parse()
            .map_err(|_| NumberError::Grammar(excerpt(text)))?;
        Self::from_double(double).ok_or_else(|| NumberError::Overflow(excerpt(text)))
    }

    /// Returns the value where it is integral and in the range of a `u64`, however it was spelled.
    pub fn as_u64(self) -> Option<u64> {
        match self.0 {
            Normal::Unsigned(value) => Some(value),
            Normal::Negative(_) => None,
            Normal::Double(value) => {
                let in_range = (0.0..TWO_POW_64).contains(&value) && value.fract() == 0.0;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "integral and in range"
                )]
                in_range.then_some(value as u64)
            }
        }
    }

    /// Returns the value where it is integral and in the range of an `i64`, however it was spelled.
    pub fn as_i64(self) -> Option<i64> {
        match self.0 {
            Normal::Unsigned(value) => i64::try_from(value).ok(),
            Normal::Negative(value) => Some(value),
            Normal::Double(value) => {
                let in_range = (-TWO_POW_63..TWO_POW_63).contains(&value) && value.fract() == 0.0;
                #[expect(clippy::cast_possible_truncation, reason = "integral and in range")]
                in_range.then_some(value as i64)
            }
        }
    }

    /// The nearest double, which is finite.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the conversion rounds to nearest, ties to even, as promised"
    )]
    pub fn as_f64(self) -> f64 {
        match self.0 {
            Normal::Unsigned(value) => value as f64,
            Normal::Negative(value) => value as f64,
            Normal::Double(value) => value,
        }
    }

    /// Appends the canonical spelling.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        match self.0 {
            Normal::Unsigned(value) => canonical::write_integer(value, out),
            Normal::Negative(value) => {
                out.push(b'-');
                canonical::write_integer(value.unsigned_abs(), out);
            }
            Normal::Double(value) => canonical::write_double(value, out),
        }
    }

    fn from_double(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        if value.abs() > MAX_EXACT_INTEGER || value.fract() != 0.0 {
            return Some(Self(Normal::Double(value)));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "integral, and its magnitude is at most 2^53"
        )]
        let integer = value as i64;
        Some(Self::from(integer))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(Normal::Unsigned(value))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(u64::try_from(value).map_or(Normal::Negative(value), Normal::Unsigned))
    }
}

impl TryFrom<f64> for Number {
    type Error = NumberError;

    fn try_from(value: f64) -> Result<Self, NumberError> {
        Self::from_double(value).ok_or_else(|| NumberError::NotFinite(value.to_string()))
    }
}

impl TryFrom<&serde_json::Number> for Number {
    type Error = NumberError;

    /// Gives the same value in every build of `serde_json`, whichever of its features are on.
    ///
    /// # Errors
    /// `Overflow` where a build that keeps the text of numbers (`arbitrary_precision`) holds one beyond the doubles.
    fn try_from(number: &serde_json::Number) -> Result<Self, NumberError> {
        // These two answer for integer literals alone; where the library keeps texts, they read the text.
        if let Some(value) = number.as_u64() {
            return Ok(Self::from(value));
        }
        if let Some(value) = number.as_i64() {
            return Ok(Self::from(value));
        }
        match number.as_f64().and_then(Self::from_double) {
            Some(value) => Ok(value),
            None => Self::read(&number.to_string()),
        }
    }
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        Self::read(text)
    }
}

impl fmt::Display for Number {
    /// Writes the canonical spelling.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(canonical::MAX_BYTES);
        self.write(&mut text);
        formatter.pad(std::str::from_utf8(&text).expect("the canonical spelling is ASCII"))
    }
}

/// Whether a JSON number is an integer that is spelled canonically and in range for its length alone.
pub(crate) fn is_plain_integer(text: &str) -> bool {
    /// Numbers of so many digits are below 2^63.
    const MAX_SAFE_DIGITS: usize = 18;
    text.len() <= MAX_SAFE_DIGITS
        && text != "-0"
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-'))
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MAX_EXCERPT_CHARS) {
        None => text.escape_debug().to_string(),
        Some((end, _)) => format!("{}…", text[..end].escape_debug()),
    }
}

#[cfg(test)]
mod tests;
