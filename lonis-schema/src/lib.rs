//! The wire contract of Lonis: blocks, contracts, errors, canonical JSON, schemas.
//!
//! Everything here is data. Nothing reads a file, starts a thread or looks at the environment; the clock is read in one
//! place, [`Timestamp::now`].

mod attribution;
mod block;
mod bounds;
pub mod canonical;
mod capabilities;
mod content_hash;
mod contract;
#[cfg(feature = "derive")]
mod derived;
pub mod exit_code;
mod extent;
mod finding;
pub mod json;
pub mod kind;
mod no_match;
pub mod number;
mod object_only;
mod output_mode;
mod participant_id;
mod payload;
mod place;
mod provenance;
mod provider;
mod read;
mod replay;
mod schema_version;
pub mod schemas;
mod tagged;
mod text_type;
mod timestamp;
mod tool_error;
mod tool_id;
mod wire_number;
mod words;

pub use attribution::{Attribution, AttributionSource};
pub use block::{Block, BoundsError, FrontBlock, FrontReader, RawBlock, SeedBlock};
pub use bounds::BlockBounds;
pub use canonical::CanonicalError;
pub use capabilities::Capabilities;
pub use content_hash::{ContentHash, ContentHashError, json_content_hash};
pub use contract::{Cost, Determinism, SideEffects, ToolContract, Verification, VerificationTier};
pub use finding::{Breach, Checker, Finding};
pub use json::Json;
pub use kind::BlockKind;
pub use no_match::{NearMatch, NoMatchDiagnostic};
pub use output_mode::OutputMode;
pub use participant_id::{ParticipantId, ParticipantIdError};
pub use payload::BlockPayload;
pub use place::Place;
pub use provenance::{Compatibility, Replay, ReplayProvenance};
pub use provider::{ProviderManifest, ProviderToolList, ProviderToolSummary};
pub use read::{Read, ReadError};
pub use replay::{HashMismatch, ObservedHashes, ReplayStatus, verify_replay};
pub use schema_version::{SchemaVersion, SchemaVersionError};
pub use timestamp::{Timestamp, TimestampError};
pub use tool_error::{ErrorKind, ToolError};
pub use tool_id::{MAX_TOOL_ID_LENGTH, ToolId, ToolIdError};
pub use words::UnknownWord;

#[cfg(feature = "derive")]
pub use lonis_derive::{BlockPayload, LonisCapabilities};
#[cfg(feature = "derive")]
pub use schemars;

/// What derived code names; no part of the public interface.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "derive")]
    pub use crate::derived::{debug_text, input_schema, output_schema, schema_version, tool_id};
    pub use crate::tagged::{DataSource, Null, Object, Tagged, read_tagged, unknown_kind};
    pub use crate::{
        BlockPayload, Capabilities, Cost, Determinism, OutputMode, SchemaVersion, SideEffects,
        ToolContract, ToolId, exit_code,
    };
    pub use serde;
}
