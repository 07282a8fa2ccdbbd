//! What a block can carry.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A closed set of payloads, each `{"kind": …, "data": …}` on the wire.
///
/// Usually derived with `#[derive(BlockPayload)]` on an enum; [`BlockKind`](crate::BlockKind) is the open one of the
/// host.
pub trait BlockPayload: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Returns the kind of this payload, equal to the `kind` that is written.
    fn kind_name(&self) -> &str;

    /// Returns the name of the schema of this kind.
    fn schema_id(&self) -> String {
        format!("lonis.block/{}/v1", self.kind_name())
    }

    /// Returns the payload as text for people.
    fn render_human(&self) -> String;
}
