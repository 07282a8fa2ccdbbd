//! What matters of a type for its derived operations.

/// What matters of a type for its derived operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    /// Whether an opaque value is visible in its values, whatever its arguments are.
    pub(super) holds_opaque: bool,
    /// For each parameter whether values of it are visible in its values.
    pub(super) shows_param: Vec<bool>,
}
