//! Which facts a code has, and their form for programs.

use super::Params;
use crate::diagnostic::Code;

/// The JSON Schema of all facts; [`Code::params_name`] names the definition in it that is a code's.
pub const PARAMS_SCHEMA: &str = include_str!("../params.schema.json");

impl Code {
    /// Names the definition in [`PARAMS_SCHEMA`] that the code's `params` follow; none for a code without any.
    pub const fn params_name(self) -> Option<&'static str> {
        Some(match self {
            Self::TypeMismatch | Self::DraftSignatureMismatch => "mismatch",
            Self::EffectViolation => "effect",
            Self::UnknownName
            | Self::UnknownType
            | Self::UnknownQualified
            | Self::UnknownConstructor
            | Self::UnknownField
            | Self::AmbiguousName
            | Self::AmbiguousConstructor
            | Self::PrivateCrossModule => "names",
            Self::NonExhaustiveMatch => "match",
            Self::RedundantArm => "redundant",
            Self::LimitExceeded => "limit",
            Self::CheckIncomplete => "incomplete",
            Self::ClauseVacuous => "clause",
            _ => return None,
        })
    }
}

impl Params {
    /// Names the definition in [`PARAMS_SCHEMA`] that these facts follow.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Mismatch(_) => "mismatch",
            Self::Effect(_) => "effect",
            Self::Names(_) => "names",
            Self::Match(_) => "match",
            Self::Redundant(_) => "redundant",
            Self::Limit(_) => "limit",
            Self::Incomplete(_) => "incomplete",
            Self::Clause { .. } => "clause",
        }
    }
}
