//! One golden document.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

/// One golden document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// The file's name without its extension.
    pub name: String,
    /// What the file holds.
    pub text: String,
}

impl Case {
    /// Reads the document into a type.
    ///
    /// # Panics
    /// When it does not have that shape.
    pub fn parse<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    pub(crate) fn load(path: &Path) -> Self {
        assert!(
            path.extension()
                .is_some_and(|extension| extension == "json"),
            "`{}` is read by no test",
            path.display()
        );
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Self {
            name,
            text: read(path),
        }
    }
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
