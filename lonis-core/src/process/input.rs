//! What a program is given on stdin, without a copy where somebody else needs it too.

use std::ops::Deref;
use std::sync::Arc;

use lonis_schema::Json;

/// The bytes of a program's stdin.
#[derive(Debug)]
pub(crate) enum Input {
    /// The call's alone.
    Own(Vec<u8>),
    /// A value that is still to be hashed or compared with.
    Shared(Arc<Json>),
}

impl Default for Input {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(json) => json.text().as_bytes(),
        }
    }
}
