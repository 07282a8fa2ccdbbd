//! Why a server does not start: told on stderr, with the code of the catalogue.

use lonis::{ErrorKind, ToolError};

/// The exit code of what a review has to settle.
const POLICY_EXIT: u8 = 41;

/// Makes the error of an exposure file that does not fit what is registered.
pub(crate) fn exposure(part: &str, message: String) -> ToolError {
    ToolError::new(
        ErrorKind::from(format!("mcp/exposure-{part}").as_str()),
        message,
    )
    .with_exit_code(POLICY_EXIT)
}

/// Makes the error of a file that cannot be used.
pub(crate) fn invalid_config(message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorKind::InvalidConfig, message)
}
