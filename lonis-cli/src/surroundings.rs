//! The surroundings of this process, read once where a command needs them.

use lonis::host::Environment;
use lonis::{ErrorKind, ToolError};

pub(crate) fn read() -> Result<Environment, ToolError> {
    Environment::of_process().map_err(|error| {
        ToolError::new(
            ErrorKind::Io,
            format!("the working directory cannot be used: {error}"),
        )
        .with_detail("failed_part", serde_json::json!("cwd"))
    })
}
