//! Points in time as RFC 3339 text.

use crate::text_type::{made_from_text, shown_as_text};
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// A point in time as RFC 3339 text, such as `2026-03-01T12:00:00.5Z`.
///
/// What is stamped here is UTC with `Z`, at most nine fractional digits and no trailing zeros. A received text is kept
/// as it is, even where it has another format; [`is_rfc3339`](Self::is_rfc3339) tells.
///
/// # Example
/// ```
/// use lonis_schema::Timestamp;
///
/// assert_eq!(Timestamp::new("2026-03-01T13:00:00+01:00")?.as_str(), "2026-03-01T13:00:00+01:00");
/// assert!(Timestamp::new("2026-02-30T00:00:00Z").is_err());
/// assert!(Timestamp::now().is_rfc3339());
/// # Ok::<(), lonis_schema::TimestampError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(String);

/// Why a text is no [`Timestamp`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimestampError {
    /// The text is not `full-date "T" full-time` of RFC 3339, or the date does not exist.
    #[error("timestamp `{0}` is not RFC 3339")]
    Format(String),
    /// The time lies outside the years that RFC 3339 can write.
    #[error("time is outside the years 0000 to 9999")]
    Range,
}

impl Timestamp {
    /// Reads the clock.
    pub fn now() -> Self {
        Self(jiff::Timestamp::now().to_string())
    }

    /// Checks a text and takes it as it is.
    ///
    /// # Errors
    /// [`TimestampError::Format`].
    pub fn new(text: impl Into<String>) -> Result<Self, TimestampError> {
        let text = text.into();
        if is_rfc3339(&text) {
            Ok(Self(text))
        } else {
            Err(TimestampError::Format(text))
        }
    }

    /// Returns the time as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the text is RFC 3339; a received one may be anything.
    pub fn is_rfc3339(&self) -> bool {
        is_rfc3339(&self.0)
    }
}

/// Checks the grammar of RFC 3339, section 5.6, and that the date exists.
pub(crate) fn is_rfc3339(text: &str) -> bool {
    parse_rfc3339(text.as_bytes()).is_some()
}

fn parse_rfc3339(text: &[u8]) -> Option<()> {
    let (date_time, rest) = text.split_at_checked(19)?;
    let separators = [
        (4, b"-" as &[u8]),
        (7, b"-"),
        (10, b"Tt"),
        (13, b":"),
        (16, b":"),
    ];
    if !separators
        .iter()
        .all(|(at, allowed)| allowed.contains(&date_time[*at]))
    {
        return None;
    }
    let year = i16::try_from(digits(&date_time[0..4])?).ok()?;
    let month = i8::try_from(digits(&date_time[5..7])?).ok()?;
    let day = i8::try_from(digits(&date_time[8..10])?).ok()?;
    jiff::civil::Date::new(year, month, day).ok()?;
    clock_time(&date_time[11..])?;
    let offset = match rest.strip_prefix(b".") {
        None => rest,
        Some(fraction) => {
            let length = fraction
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if length == 0 {
                return None;
            }
            &fraction[length..]
        }
    };
    match offset {
        b"Z" | b"z" => Some(()),
        [b'+' | b'-', hours @ .., b':', _, _] if hours.len() == 2 => {
            let (hour, minute) = (digits(hours)?, digits(&offset[4..])?);
            (hour <= 23 && minute <= 59).then_some(())
        }
        _ => None,
    }
}

/// Checks `hh:mm:ss`, whose last second may be a leap second.
fn clock_time(text: &[u8]) -> Option<()> {
    let (hour, minute, second) = (
        digits(&text[0..2])?,
        digits(&text[3..5])?,
        digits(&text[6..8])?,
    );
    (hour <= 23 && minute <= 59 && second <= 60).then_some(())
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |value, byte| {
        byte.is_ascii_digit()
            .then(|| value * 10 + u32::from(byte - b'0'))
    })
}

impl TryFrom<SystemTime> for Timestamp {
    type Error = TimestampError;

    fn try_from(time: SystemTime) -> Result<Self, TimestampError> {
        let instant = jiff::Timestamp::try_from(time).map_err(|_| TimestampError::Range)?;
        Self::new(instant.to_string()).map_err(|_| TimestampError::Range)
    }
}

shown_as_text!(Timestamp);
made_from_text!(Timestamp, TimestampError);

#[cfg(test)]
mod tests {
    use super::Timestamp;
    use std::time::{Duration, SystemTime};

    #[test]
    fn rfc3339_is_told_from_other_formats() {
        let good = [
            "2026-03-01T12:00:00Z",
            "2026-03-01t12:00:00z",
            "2024-02-29T23:59:60.123456789012Z",
            "0000-01-01T00:00:00+23:59",
            "9999-12-31T23:59:59.9-00:00",
        ];
        for text in good {
            assert!(Timestamp::new(text).is_ok(), "{text}");
        }
        let bad = [
            "",
            "yesterday",
            "2026-03-01",
            "2026-03-01 12:00:00Z",
            "2026-03-01T12:00Z",
            "2026-03-01T12:00:00",
            "2026-03-01T12:00:00.Z",
            "2026-03-01T12:00:00+1:00",
            "2026-03-01T12:00:00+0100",
            "2026-03-01T12:00:00+24:00",
            "2026-03-01T24:00:00Z",
            "2026-03-01T12:00:61Z",
            "2025-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-03-01T12:00:00Z ",
            "+026-03-01T12:00:00Z",
            "２026-03-01T12:00:00Z",
        ];
        for text in bad {
            assert!(Timestamp::new(text).is_err(), "{text}");
            let kept: Timestamp =
                serde_json::from_str(&format!("{text:?}")).expect("any string is kept");
            assert_eq!((kept.as_str(), kept.is_rfc3339()), (text, false));
        }
    }

    #[test]
    fn a_stamp_is_utc_with_trimmed_zeros() {
        let cases = [
            (Duration::from_secs(0), "1970-01-01T00:00:00Z"),
            (Duration::from_millis(1_500), "1970-01-01T00:00:01.5Z"),
            (
                Duration::new(1_772_366_400, 120_000_000),
                "2026-03-01T12:00:00.12Z",
            ),
            (Duration::new(0, 1), "1970-01-01T00:00:00.000000001Z"),
        ];
        for (since_epoch, text) in cases {
            let stamp =
                Timestamp::try_from(SystemTime::UNIX_EPOCH + since_epoch).expect("in range");
            assert_eq!(stamp.as_str(), text);
        }
        assert!(Timestamp::now().is_rfc3339());
    }

    #[test]
    fn a_time_that_the_format_cannot_write_is_refused() {
        let far = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert!(Timestamp::try_from(far).is_err());
        let before_year_zero = SystemTime::UNIX_EPOCH - Duration::from_secs(62_167_219_201);
        assert!(Timestamp::try_from(before_year_zero).is_err());
    }
}
