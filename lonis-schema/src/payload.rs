//! What a block can carry.

use crate::finding::Checker;
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

    /// Returns whether that text tells what the block warns of, too; it is shown below the text otherwise.
    fn renders_warnings(&self) -> bool {
        false
    }

    /// Tells which limits of its own the data breaks; a kind without limits has nothing to tell.
    fn check(&self, checker: &mut Checker) {
        let _ = checker;
    }

    /// Returns the payload that is hashed, where that is not the one written: what older readers ignore is not hashed.
    fn hashed_form(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}
