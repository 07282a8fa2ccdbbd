//! Packing for who holds a project in memory.

use std::path::Path;

use super::{Budget, Bundle, Counter};
use crate::failure::Failure;
use crate::project::Project;

/// A project that was read, from which bundles are packed.
#[derive(Debug)]
pub struct Packer {
    project: Project,
}

/// A bundle that was packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The digest of all paths and texts.
    pub digest: String,
    /// Paths and texts; `bundle.json` last.
    pub files: Vec<(String, Vec<u8>)>,
}

/// A bundle that cannot be packed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PackError {
    message: String,
}

impl From<Failure> for PackError {
    fn from(failure: Failure) -> Self {
        Self {
            message: failure.first_message(),
        }
    }
}

impl Packer {
    /// Reads the project at a root.
    ///
    /// # Errors
    /// When the root is none, or cannot be read.
    pub fn read(root: &Path) -> Result<Self, PackError> {
        let project = Project::load(root)?;
        Ok(Self { project })
    }

    /// Packs the bundle of a definition, by its name or `<module>/<name>`, within so many tokens of four bytes.
    ///
    /// # Errors
    /// When there is no such definition, it has no spec that reads, or what is never left out does not fit.
    pub fn pack(&self, definition: &str, tokens: u64) -> Result<Packed, PackError> {
        let named = self.project.function(definition)?;
        let budget = Budget {
            tokens,
            max_tokens: None,
            counter: Counter::CONTRACT,
            is_plain: false,
        };
        let bundle = Bundle::pack(&self.project, named, budget)?;
        Ok(Packed {
            digest: bundle.digest().to_string(),
            files: bundle.files,
        })
    }
}
