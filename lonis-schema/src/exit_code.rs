//! The one table of process exit codes.
//!
//! A code alone says little: the [`ErrorKind`](crate::ErrorKind) of the error decides, and a tool may use other codes, or
//! these for something else.

/// The work was done.
pub const SUCCESS: u8 = 0;
/// A failure that no other code describes.
pub const GENERIC: u8 = 1;
/// The input or the usage is wrong.
pub const INVALID_INPUT: u8 = 2;
/// No such tool, schema, provider or item.
pub const NOT_FOUND: u8 = 3;
/// Somebody has to agree first, or a policy forbids it.
pub const CONFIRMATION_REQUIRED: u8 = 4;
/// Too many calls; try later.
pub const RATE_LIMITED: u8 = 5;
/// The tool itself failed, or cannot be started.
pub const TOOL_FAILED: u8 = 6;
/// A bound on time, output or resources was broken.
pub const LIMIT_EXCEEDED: u8 = 7;
/// The system refused to read, write or spawn.
pub const IO: u8 = 8;
/// A document is not what the wire contract allows.
pub const SERIALIZATION: u8 = 9;
/// The operation does not exist here.
pub const NOT_IMPLEMENTED: u8 = 69;
/// An invariant of the program itself is broken.
pub const INTERNAL: u8 = 70;

/// The codes that every tool shares, by name: the default of `Capabilities::exit_code_map`.
pub const BASELINE: &[(&str, u8)] = &[
    ("ok", SUCCESS),
    ("generic", GENERIC),
    ("invalid_input", INVALID_INPUT),
    ("not_found", NOT_FOUND),
    ("confirmation_required", CONFIRMATION_REQUIRED),
    ("rate_limited", RATE_LIMITED),
];
