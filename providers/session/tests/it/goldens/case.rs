//! One golden case: what is done, and what the program answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The widths at which each case has its text.
pub(crate) const WIDTHS: [usize; 3] = [24, 96, 160];

/// One golden case.
///
/// That a file holds nothing else follows from its text, which is that of the case that it is read as.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Golden {
    /// The name of the file.
    pub(crate) id: String,
    /// The class of failure that it stands for.
    pub(crate) class: String,
    /// The program that answers.
    pub(crate) program: String,
    /// What stands there first.
    pub(crate) tree: Vec<Node>,
    /// What happens before the command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) before: Vec<Step>,
    /// Whether the command changes what it finds, so that each form is played from the start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) afresh: bool,
    /// The command.
    pub(crate) argv: Vec<String>,
    /// What the command reads: a text as it is, any other value as JSON.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) stdin: Value,
    /// What the program answers.
    #[serde(flatten)]
    pub(crate) seen: Seen,
}

/// One path of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Node {
    pub(crate) path: String,
    /// The content of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// The target of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<String>,
}

/// One thing that happens before the command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Step {
    /// A command runs, and ends with this code.
    Run {
        argv: Vec<String>,
        #[serde(default, skip_serializing_if = "Value::is_null")]
        stdin: Value,
        #[serde(default)]
        exit: i32,
    },
    /// Somebody writes a path of the tree.
    Write(Node),
    /// Another process holds the lock of a session from here on, of none that of the store.
    Hold(String),
    /// Somebody adds a line to the log of a session: that its last evidence is about the current snapshot.
    Forge(String),
    /// An apply of a session ended behind its first swap, and the swapped path was saved by somebody since.
    Interrupt { session: String, saved: String },
}

/// What the program answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// The envelope, one canonical line.
    pub(crate) stdout: Value,
    /// What stands on stderr with it.
    pub(crate) stderr: String,
    /// The exit code, the same with an envelope and with text; `null` on a face that does not end.
    pub(crate) exit: Option<i32>,
    /// The lines for people, by width.
    pub(crate) human: BTreeMap<String, Vec<String>>,
}

impl Node {
    /// A file.
    pub(crate) fn file(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: Some(text.to_owned()),
            link: None,
        }
    }

    /// A link.
    pub(crate) fn link(path: &str, target: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: None,
            link: Some(target.to_owned()),
        }
    }
}

impl Golden {
    /// A tree and what happens in it, of which nothing is kept.
    pub(crate) fn unseen(tree: Vec<Node>, before: Vec<Step>) -> Self {
        Self {
            id: "a scene".to_owned(),
            class: String::new(),
            program: "lonis-session".to_owned(),
            tree,
            before,
            afresh: false,
            argv: Vec::new(),
            stdin: Value::Null,
            seen: Seen {
                stdout: Value::Null,
                stderr: String::new(),
                exit: None,
                human: BTreeMap::new(),
            },
        }
    }

    /// The code of the first diagnostic.
    pub(crate) fn code(&self) -> &str {
        self.entry()["code"].as_str().unwrap_or("")
    }

    /// The first diagnostic.
    pub(crate) fn entry(&self) -> &Value {
        &self.seen.stdout["diagnostics"][0]
    }

    /// The document, as it is kept.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap() + "\n"
    }
}

/// The folder of the cases.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../golden/diagnostics/v1"
    ))
}

/// The identity of the catalog that the cases are of, kept in one place.
pub(crate) fn pinned_identity() -> String {
    let text = fs::read_to_string(folder().join("hashes.json")).unwrap();
    let pins: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
    pins["catalog_identity_sha256"].clone()
}
