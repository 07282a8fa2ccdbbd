//! What the tools of this provider say: one document, its keys in the order in which they were written.

use lonis::{BlockPayload, Json};
use serde::{Deserialize, Serialize};

/// A document with its kind, and the words that show it to people.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Document {
    /// The kind of the block, such as `checker.check`.
    kind: String,
    /// The document, whose text stays as it is.
    data: Json,
    /// What people see.
    #[serde(skip)]
    text: String,
}

impl Document {
    /// Makes a payload of the text of a document.
    pub(crate) fn new(kind: &str, document: &str, text: impl Into<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            data: Json::parse(document).expect("a document is JSON"),
            text: text.into(),
        }
    }
}

impl BlockPayload for Document {
    fn kind_name(&self) -> &str {
        &self.kind
    }

    fn render_human(&self) -> String {
        self.text.clone()
    }

    fn renders_warnings(&self) -> bool {
        true
    }
}
