//! The bounds that a block declares for itself.

use crate::object_only::object_only;
use crate::wire_number::optional_count;
use serde::{Deserialize, Serialize};

/// Bounds that the producer of a block declares for its payload.
///
/// They are checked when a block is built, and again when one is received.
///
/// # Wire shape
/// ```
/// let bounds: lonis_schema::BlockBounds = serde_json::from_str(r#"{"max_items":64.0}"#)?;
/// assert_eq!(serde_json::to_string(&bounds)?, r#"{"max_items":64}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct BlockBounds {
    /// Items of the longest array in the payload data. Unset: not bounded.
    #[serde(
        default,
        deserialize_with = "optional_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_items: Option<u64>,
    /// Bytes of the payload data as compact JSON. Unset: not bounded.
    #[serde(
        default,
        deserialize_with = "optional_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_bytes: Option<u64>,
    /// Unicode scalar values of the longest string in the payload data. Unset: not bounded.
    #[serde(
        default,
        deserialize_with = "optional_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_length: Option<u64>,
    /// Milliseconds that the call may take, as measured by the host. Unset: not bounded.
    #[serde(
        default,
        deserialize_with = "optional_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeout_millis: Option<u64>,
}

object_only!(BlockBounds);

impl BlockBounds {
    /// Nothing bounded.
    pub const UNBOUNDED: Self = Self {
        max_items: None,
        max_bytes: None,
        max_length: None,
        timeout_millis: None,
    };

    /// Returns whether nothing is bounded; such bounds are left out on the wire.
    pub fn is_unbounded(&self) -> bool {
        *self == Self::UNBOUNDED
    }
}
