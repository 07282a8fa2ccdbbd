//! The grammar of JSON numbers as a state that one byte at a time moves on, so that a number can be cut anywhere.

/// Where in a number a reader stands after the bytes seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    Start,
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

impl Grammar {
    /// The state after a whole text, if the text is one number.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let end = text
            .iter()
            .try_fold(Self::Start, |state, &byte| state.step(byte))?;
        end.is_complete().then_some(end)
    }

    /// The state after one more byte; none where the number cannot go on with it.
    pub(crate) const fn step(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Start, b'-') => Self::Minus,
            (Self::Start | Self::Minus, b'0') => Self::Zero,
            (Self::Start | Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => {
                Self::Integer
            }
            (Self::Zero | Self::Integer, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => {
                Self::ExponentDigits
            }
            _ => return None,
        })
    }

    /// Whether a number may end here.
    pub(crate) const fn is_complete(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigits
        )
    }

    /// Whether a number of `length` bytes that ended here can be beyond the doubles; the largest one has 309 digits.
    pub(crate) const fn may_overflow(self, length: usize) -> bool {
        length >= 309 || matches!(self, Self::ExponentDigits)
    }

    /// Whether there was neither a fraction nor an exponent.
    pub(crate) const fn is_integer(self) -> bool {
        matches!(self, Self::Zero | Self::Integer)
    }
}
