//! Documents that were computed once and are given again, byte for byte.

use lonis::ToolError;
use soil::hash::Digest;

use super::directory::Directory;
use crate::failure::Failure;

/// The place of one document among those kept.
#[derive(Debug)]
pub(crate) struct Slot {
    stem: String,
}

/// What a tool said.
pub(crate) type Said = Result<String, Box<ToolError>>;

impl Slot {
    /// Gives the place for what a tool says, from all that it depends on.
    pub(crate) fn of<'t>(parts: impl IntoIterator<Item = &'t str>) -> Self {
        let digest = Digest::of(parts).to_string();
        let hex = digest.strip_prefix("sha256:").unwrap_or(&digest);
        Self {
            stem: format!("cache/{hex}"),
        }
    }

    /// Gives what was kept there; what does not read is as if nothing was kept.
    ///
    /// # Errors
    /// `io`, when it cannot be read.
    pub(crate) fn get(&self, directory: &Directory) -> Result<Option<Said>, Failure> {
        if let Some(bytes) = directory.read(&format!("{}.json", self.stem))? {
            let text = String::from_utf8(bytes).ok();
            return Ok(text.filter(|text| is_document(text)).map(Ok));
        }
        let refused = directory.read(&format!("{}.error.json", self.stem))?;
        let error = refused.and_then(|bytes| {
            let text = String::from_utf8(bytes).ok()?;
            ToolError::read(&text).ok()
        });
        Ok(error.map(|error| Err(Box::new(error))))
    }

    /// Keeps what a tool said.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn put(&self, directory: &Directory, said: &Said) -> Result<(), Failure> {
        match said {
            Ok(document) => directory.replace(&format!("{}.json", self.stem), document.as_bytes()),
            Err(error) => {
                let text = serde_json::to_string(&**error).expect("an error is JSON");
                directory.replace(&format!("{}.error.json", self.stem), text.as_bytes())
            }
        }
    }
}

fn is_document(text: &str) -> bool {
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    text.starts_with('{') && is_json
}
