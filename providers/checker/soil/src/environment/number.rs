//! Numeric types.

use super::{TypeId, ids};

/// A numeric type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is named as the language names it")]
pub enum Number {
    I64,
    U64,
    I32,
    U32,
    I16,
    U16,
    I8,
    U8,
    BigInt,
    F64,
}

impl Number {
    /// All numeric types, in the order of their ids.
    pub const ALL: [Self; 10] = [
        Self::I64,
        Self::U64,
        Self::I32,
        Self::U32,
        Self::I16,
        Self::U16,
        Self::I8,
        Self::U8,
        Self::BigInt,
        Self::F64,
    ];

    /// Gives the numeric type with this id.
    pub fn of(id: TypeId) -> Option<Self> {
        Self::ALL.get(id.index()).copied()
    }

    /// Gives its id.
    pub const fn id(self) -> TypeId {
        match self {
            Self::I64 => ids::I64,
            Self::U64 => ids::U64,
            Self::I32 => ids::I32,
            Self::U32 => ids::U32,
            Self::I16 => ids::I16,
            Self::U16 => ids::U16,
            Self::I8 => ids::I8,
            Self::U8 => ids::U8,
            Self::BigInt => ids::BIG_INT,
            Self::F64 => ids::F64,
        }
    }

    /// Gives the largest value, if there is one and it is an integer.
    pub const fn max(self) -> Option<u64> {
        Some(match self {
            Self::I64 => i64::MAX as u64,
            Self::U64 => u64::MAX,
            Self::I32 => i32::MAX as u64,
            Self::U32 => u32::MAX as u64,
            Self::I16 => i16::MAX as u64,
            Self::U16 => u16::MAX as u64,
            Self::I8 => i8::MAX as u64,
            Self::U8 => u8::MAX as u64,
            Self::BigInt | Self::F64 => return None,
        })
    }

    /// Says whether its operations can overflow.
    pub const fn has_fixed_width(self) -> bool {
        self.max().is_some()
    }

    /// Says whether it has no values below zero.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Self::U64 | Self::U32 | Self::U16 | Self::U8)
    }

    /// Says whether its values are integers.
    pub const fn is_integer(self) -> bool {
        !matches!(self, Self::F64)
    }
}
