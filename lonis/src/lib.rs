//! Lonis, as one crate.

pub use lonis_schema::*;
// The schema crate's macros name it; these name the facade, which is what its users depend on.
#[cfg(feature = "derive")]
pub use lonis_derive::{FacadeCapabilities as LonisCapabilities, FacadePayload as BlockPayload};

#[cfg(feature = "derive")]
#[doc(hidden)]
pub use lonis_schema::__private;
