//! What a tool says about itself.

use crate::{OutputMode, SchemaVersion, ToolContract, ToolId};

/// The self-description of a tool, usually derived with `#[derive(LonisCapabilities)]`.
pub trait Capabilities {
    /// Returns the schema version that the tool speaks, [`SchemaVersion::TOOL_V1`] unless it has its own.
    fn schema_version(&self) -> SchemaVersion;

    /// Returns the version of the tool itself.
    fn tool_version(&self) -> &str;

    /// Returns the output modes that the tool supports.
    fn output_formats(&self) -> &'static [OutputMode];

    /// Returns the exit codes that the tool may end with, by error kind.
    fn exit_code_map(&self) -> &'static [(&'static str, u8)];

    /// Returns the id under which the tool is registered.
    fn tool_id(&self) -> ToolId;

    /// Returns the contract declared with the derive; none unless the derive has one.
    fn declared_contract(&self) -> Option<ToolContract> {
        None
    }
}
