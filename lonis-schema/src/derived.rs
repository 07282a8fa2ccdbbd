//! What derived code calls: values that the derive has checked, and the text of last resort.
//!
//! Nothing here is for people to call; the crate offers it under a hidden path.

use std::borrow::Cow;
use std::fmt::Debug;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{BlockPayload, Json, SchemaVersion, ToolId};

/// A payload that `Debug` can show, since it has no `render_fn`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no text for people: it neither implements `Debug` nor sets `render_fn`",
    label = "derive `Debug`, or set `#[lonis_payload(render_fn = \"…\")]`"
)]
pub trait DebugText: BlockPayload {
    /// The kind, then what `Debug` says.
    fn debug_text(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: BlockPayload + Debug> DebugText for T {
    fn debug_text(&self) -> String {
        format!("{}: {self:?}", self.kind_name())
    }
}

/// Returns the text of a payload without a `render_fn`.
pub fn debug_text<T: DebugText>(payload: &T) -> String {
    payload.debug_text()
}

/// Makes an id of a text that the derive has checked.
///
/// # Panics
/// Where the text is no id: a mistake of the derive.
pub fn tool_id(text: &'static str) -> ToolId {
    ToolId::new(text).expect("the derive has checked the tool id")
}

/// Makes a version of a text that the derive has checked.
///
/// # Panics
/// Where the text is no version: a mistake of the derive.
pub fn schema_version(text: &'static str) -> SchemaVersion {
    SchemaVersion::new(text).expect("the derive has checked the schema version")
}

/// A type whose JSON Schema stands in a contract.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON Schema",
    label = "derive `schemars::JsonSchema`, of the `schemars` that this crate re-exports"
)]
pub trait HasSchema {
    /// The schema, as these settings make it.
    fn schema(settings: SchemaSettings) -> Json;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> HasSchema for T {
    fn schema(settings: SchemaSettings) -> Json {
        let schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
        schema.to_value().into()
    }
}

/// Any JSON value.
impl JsonSchema for Json {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        true.into()
    }
}

/// Returns the schema of what a tool reads.
pub fn input_schema<T: HasSchema>() -> Json {
    T::schema(SchemaSettings::draft2020_12().for_deserialize())
}

/// Returns the schema of what a tool writes.
pub fn output_schema<T: HasSchema>() -> Json {
    T::schema(SchemaSettings::draft2020_12().for_serialize())
}
