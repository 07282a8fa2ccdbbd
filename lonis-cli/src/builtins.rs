//! The tools that `lonis` brings along, so that it can host itself.

mod echo;
mod version;

use lonis::{BlockKind, ToolRegistry};

/// The builtins, by their ids.
pub(crate) fn registry() -> ToolRegistry<BlockKind> {
    let mut registry = ToolRegistry::new();
    for tool in [
        Box::new(echo::Echo) as Box<dyn lonis::Tool<BlockKind>>,
        Box::new(version::Version),
    ] {
        registry
            .register(tool)
            .expect("the builtins have different ids");
    }
    registry
}
