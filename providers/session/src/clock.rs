//! The clock: what time an event or a lock says it is. Nothing is ever decided by it.

use std::fmt;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Serialize};

/// A point in time in UTC with milliseconds, such as `2026-03-01T12:00:00.500Z`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stamp(Timestamp);

/// A text that is no stamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no time in UTC with milliseconds")]
pub struct StampError(String);

/// Something that tells the time.
pub trait Clock {
    /// The time now.
    fn now(&self) -> Stamp;
}

/// The clock of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Stamp {
        Stamp(Timestamp::now())
    }
}

impl Stamp {
    /// Milliseconds since 1970.
    pub fn unix_millis(&self) -> i64 {
        self.0.as_millisecond()
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
        formatter.write_str(&PRINTER.timestamp_to_string(&self.0))
    }
}

impl From<Stamp> for String {
    fn from(stamp: Stamp) -> Self {
        stamp.to_string()
    }
}

impl TryFrom<String> for Stamp {
    type Error = StampError;

    fn try_from(text: String) -> Result<Self, StampError> {
        match text.parse().map(Self) {
            Ok(stamp) if stamp.to_string() == text => Ok(stamp),
            _ => Err(StampError(text.chars().take(40).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_has_one_spelling() {
        for good in ["2026-03-01T12:00:00.500Z", "1970-01-01T00:00:00.000Z"] {
            let stamp = Stamp::try_from(good.to_owned()).unwrap();
            assert_eq!(stamp.to_string(), good);
        }
        for bad in [
            "2026-03-01T12:00:00Z",
            "2026-03-01T12:00:00.5Z",
            "2026-03-01T12:00:00.500+01:00",
            "2026-03-01 12:00:00.500Z",
            "2026-02-30T12:00:00.500Z",
            "",
        ] {
            assert!(Stamp::try_from(bad.to_owned()).is_err(), "{bad}");
        }
        let text = SystemClock.now().to_string();
        assert_eq!(text.len(), "2026-03-01T12:00:00.500Z".len());
        assert_eq!(Stamp::try_from(text.clone()).unwrap().to_string(), text);
    }
}
