//! The edit document: what a patch asks for, read strictly.
//!
//! Owns the shape of every op and its bounds. Whether an op fits the files is for [`engine`](super::engine).

mod ops;
mod reader;
mod rounded;
mod target;

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;

use super::failure::Failure;
use super::report::Report;
use crate::identity::{Domain, Identity};
use crate::path::{PathRule, WorkspacePath};
#[cfg(test)]
pub(crate) use ops::OPS;
use reader::{Members, Refused};
pub use rounded::Rounded;

/// The most bytes of a document.
pub const MAX_DOCUMENT_BYTES: usize = 8 * 1024 * 1024;
/// The most bytes of one text.
pub const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// The most ops of a patch.
pub const MAX_OPS: usize = 4096;
/// How deep an edit of a structured file may reach: the tokens of its pointer, and below them the levels of its value.
///
/// It is the nesting that the wire allows, so that what is written can be sent as well.
pub const MAX_STRUCTURED_DEPTH: usize = 127;
/// The most bytes of an intent.
pub const MAX_INTENT_BYTES: usize = 4096;
/// The most members of a provenance.
pub const MAX_PROVENANCE_MEMBERS: usize = 16;
/// The most bytes of one member of a provenance.
pub const MAX_PROVENANCE_BYTES: usize = 1024;

/// A checked edit document.
#[derive(Debug, Clone)]
pub struct Document {
    /// Why the patch is made.
    pub intent: String,
    /// Where it comes from, as it was sent.
    pub provenance: Option<Value>,
    /// The ops, in order.
    pub ops: Vec<Op>,
}

/// One op: a path, what is expected there, and what is done.
#[derive(Debug, Clone)]
pub struct Op {
    /// The file or link.
    pub path: WorkspacePath,
    /// The whole file as it was before the patch.
    pub pre: Option<PreImage>,
    /// What is done.
    pub action: Action,
    /// The op as it was sent, from which a `retry` is made; none for an op that an import made.
    pub sent: Option<Value>,
}

/// The identity of a whole file before the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreImage {
    /// `blob:<hex>`.
    Blob(Identity),
    /// `sha256:<hex>`, the digits.
    Sha256(String),
}

/// What an op does.
#[derive(Debug, Clone)]
pub enum Action {
    /// Makes a file or a link.
    CreateFile {
        /// What it holds.
        content: Content,
        /// Whether it may be executed.
        executable: bool,
    },
    /// Replaces all bytes of a file.
    ReplaceFile {
        /// The new bytes.
        content: Vec<u8>,
    },
    /// Removes a file or a link.
    DeleteFile,
    /// Moves a file.
    MoveFile {
        /// Where to.
        to: WorkspacePath,
    },
    /// Sets the execute bit.
    SetExecutable {
        /// Whether it may be executed.
        executable: bool,
    },
    /// Replaces a text that is quoted.
    ReplaceText(ReplaceText),
    /// Replaces lines by number.
    ReplaceRange(ReplaceRange),
    /// Sets, removes or appends a value of a structured file.
    Structured(StructuredEdit),
    /// Replaces, inserts, deletes or renames a definition.
    Definition(DefinitionEdit),
}

impl Action {
    /// The name of the op.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::CreateFile { .. } => "create-file",
            Self::ReplaceFile { .. } => "replace-file",
            Self::DeleteFile => "delete-file",
            Self::MoveFile { .. } => "move-file",
            Self::SetExecutable { .. } => "set-executable",
            Self::ReplaceText(_) => "replace-text",
            Self::ReplaceRange(_) => "replace-range",
            Self::Structured(edit) => match edit.change {
                ValueChange::Set { .. } => "set-key",
                ValueChange::Remove => "remove-key",
                ValueChange::Append { .. } => "append-item",
            },
            Self::Definition(edit) => match edit.change {
                DefinitionChange::Replace { .. } => "replace-definition",
                DefinitionChange::Insert { .. } => "insert-definition",
                DefinitionChange::Delete { .. } => "delete-definition",
                DefinitionChange::Rename { .. } => "rename-definition",
            },
        }
    }
}

/// What a new file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Bytes of a file.
    Bytes(Vec<u8>),
    /// Text of a link.
    Link(String),
}

/// Which one of how many, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Occurrence {
    /// The one that is meant.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

/// How loosely a text is sought, strict to loose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Equal but for line ends.
    Exact,
    /// Whole lines, blanks at their ends aside.
    Trailing,
    /// Whole lines, blanks at both ends aside.
    Indent,
    /// As `indent`, with typographic quotes, dashes and spaces as their ASCII forms.
    Punctuation,
}

impl Tier {
    /// Its name in a document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Trailing => "trailing",
            Self::Indent => "indent",
            Self::Punctuation => "punctuation",
        }
    }
}

/// Replaces a text that is quoted.
#[derive(Debug, Clone)]
pub struct ReplaceText {
    /// What is sought.
    pub find: String,
    /// What takes its place.
    pub replace: String,
    /// Which one of several.
    pub occurrence: Option<Occurrence>,
    /// Whether line ends and final newline are taken as given.
    pub exact_newlines: bool,
    /// The loosest tier allowed.
    pub tier: Tier,
    /// The definition to which the search is limited.
    pub within: Option<Target>,
    /// The language of the file, where its name does not tell.
    pub language: Option<String>,
}

/// Replaces whole lines.
#[derive(Debug, Clone)]
pub struct ReplaceRange {
    /// First line, from 1, before the patch.
    pub start_line: usize,
    /// Last line; one less than the first to insert.
    pub end_line: usize,
    /// The new lines.
    pub text: String,
    /// The lines as they are.
    pub old: Option<String>,
    /// Whether the text is taken as given.
    pub exact_newlines: bool,
}

/// A format whose values can be edited in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON, with comments where the file has them.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

impl Format {
    /// Its name in a document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Toml => "toml",
            Self::Yaml => "yaml",
        }
    }

    /// The format that a file's name tells.
    pub fn of_path(path: &WorkspacePath) -> Option<Self> {
        match path.name().rsplit_once('.')?.1 {
            "json" | "jsonc" | "json5" | "webmanifest" | "geojson" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// An edit of one value.
#[derive(Debug, Clone)]
pub struct StructuredEdit {
    /// The format, where the name does not tell.
    pub format: Option<Format>,
    /// Where: the unescaped tokens of the pointer.
    pub pointer: Pointer,
    /// What stands there before.
    pub old: Option<Value>,
    /// What is done.
    pub change: ValueChange,
    /// A whole number of the new value that was rounded on its way here.
    pub rounded: Option<String>,
}

/// What is done with a value.
#[derive(Debug, Clone)]
pub enum ValueChange {
    /// `set-key`.
    Set {
        /// The new value.
        value: Value,
        /// Whether missing objects above it are made.
        create_parents: bool,
    },
    /// `remove-key`.
    Remove,
    /// `append-item`.
    Append {
        /// The new last item.
        value: Value,
    },
}

/// A JSON Pointer (RFC 6901), read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    text: String,
    tokens: Vec<String>,
}

impl Pointer {
    /// Reads a pointer.
    ///
    /// Gives none where it does not start with `/` or holds a bad escape; the empty text points at the whole.
    pub fn parse(text: &str) -> Option<Self> {
        let tokens = match text.strip_prefix('/') {
            Some(rest) => rest.split('/').map(unescaped).collect::<Option<_>>()?,
            None if text.is_empty() => Vec::new(),
            None => return None,
        };
        Some(Self {
            text: text.to_owned(),
            tokens,
        })
    }

    /// The pointer of the first `count` tokens.
    pub fn prefix(&self, count: usize) -> String {
        let escaped = |token: &String| format!("/{}", token.replace('~', "~0").replace('/', "~1"));
        self.tokens[..count].iter().map(escaped).collect()
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its tokens, unescaped.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }
}

fn unescaped(token: &str) -> Option<String> {
    let mut text = String::with_capacity(token.len());
    let mut rest = token.chars();
    while let Some(character) = rest.next() {
        text.push(match character {
            '~' => match rest.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return None,
            },
            plain => plain,
        });
    }
    Some(text)
}

/// A definition, by its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Names from the outermost.
    pub path: Vec<String>,
    /// What it is.
    pub kind: Option<String>,
    /// Which one of several.
    pub occurrence: Option<Occurrence>,
    /// Its text as it is.
    pub old: Option<String>,
    /// The identity of its text as it is.
    pub blob: Option<Identity>,
}

impl Target {
    /// The names joined for people.
    pub fn label(&self) -> String {
        self.path.join(" > ")
    }
}

/// An edit of definitions.
#[derive(Debug, Clone)]
pub struct DefinitionEdit {
    /// The language, where the name does not tell.
    pub language: Option<String>,
    /// What is done.
    pub change: DefinitionChange,
}

impl DefinitionEdit {
    /// Whether it renames, and so may edit several files.
    pub const fn is_rename(&self) -> bool {
        matches!(self.change, DefinitionChange::Rename { .. })
    }
}

/// What is done with a definition.
#[derive(Debug, Clone)]
pub enum DefinitionChange {
    /// `replace-definition`.
    Replace {
        /// Which one.
        target: Target,
        /// Its new text.
        text: String,
    },
    /// `insert-definition`.
    Insert {
        /// Where.
        anchor: Anchor,
        /// The new text.
        text: String,
    },
    /// `delete-definition`.
    Delete {
        /// Which one.
        target: Target,
    },
    /// `rename-definition`.
    Rename {
        /// Which one.
        target: Target,
        /// The new name.
        to: String,
        /// Other files in which the name is replaced.
        also: Vec<WorkspacePath>,
    },
}

/// Where a definition is inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchor {
    /// In front of one.
    Before(Target),
    /// Behind one.
    After(Target),
    /// As the last one inside of one.
    Into(Target),
    /// In front of all.
    First,
    /// Behind all.
    Last,
}

/// A document that cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentError {
    /// The document as a whole (`patch/schema`, `patch/limit`).
    Shape(Failure),
    /// Paths that no patch may name (`patch/path`), all of them.
    Paths(Vec<Report>),
}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    /// `patch/limit` and `patch/schema` with a pointer to the first member that is wrong; `patch/path` with all paths that
    /// no patch may name.
    pub fn read(document: &Value) -> Result<Self, DocumentError> {
        let mut paths = Vec::new();
        let read = read(document, &mut paths).map_err(|refused| DocumentError::Shape(refused.0))?;
        if paths.is_empty() {
            Ok(read)
        } else {
            paths.truncate(super::report::MAX_REPORTS);
            Err(DocumentError::Paths(paths))
        }
    }

    /// Marks the edits whose value holds a number that was rounded as the text of the document was read.
    #[must_use]
    pub fn marking(mut self, rounded: &Rounded) -> Self {
        for op in &mut self.ops {
            if let Action::Structured(edit) = &mut op.action
                && let ValueChange::Set { value, .. } | ValueChange::Append { value } = &edit.change
            {
                edit.rounded = rounded.within(value);
            }
        }
        self
    }

    /// The identity of a document as it was received.
    ///
    /// # Errors
    /// A number that has no canonical text.
    pub fn identity(document: &Value) -> Result<Identity, lonis::CanonicalError> {
        Identity::of_json(Domain::PatchDocument, document)
    }
}

fn read(document: &Value, paths: &mut Vec<Report>) -> Result<Document, Refused> {
    let mut members = Members::at(String::new(), document)?;
    let schema = members.string("schema")?;
    let expected = Domain::Patch.schema();
    if schema != expected {
        return Err(members.refuse("schema", format!("expected `{expected}`")));
    }
    let intent = members.string("intent")?;
    if intent.is_empty() {
        return Err(members.refuse("intent", "an intent is not empty"));
    }
    members.limit("intent", MAX_INTENT_BYTES, intent.len())?;
    let provenance = members.optional("provenance").cloned();
    if let Some(provenance) = &provenance {
        check_provenance(&members, provenance)?;
    }
    let list = members.array("ops")?;
    if list.is_empty() {
        return Err(members.refuse("ops", "a patch has at least one op"));
    }
    members.limit("ops", MAX_OPS, list.len())?;
    members.close()?;
    let mut made = HashSet::new();
    let mut ops = Vec::with_capacity(list.len());
    for (ordinal, sent) in list.iter().enumerate() {
        ops.extend(ops::read(ordinal, sent, &mut made, paths)?);
    }
    Ok(Document {
        intent: intent.to_owned(),
        provenance,
        ops,
    })
}

fn check_provenance(members: &Members<'_>, provenance: &Value) -> Result<(), Refused> {
    let Value::Object(map) = provenance else {
        return Err(members.refuse("provenance", "expected an object"));
    };
    members.limit("provenance", MAX_PROVENANCE_MEMBERS, map.len())?;
    for (name, value) in map {
        match value.as_str() {
            Some(text) => members.limit("provenance", MAX_PROVENANCE_BYTES, text.len())?,
            None => return Err(members.refuse("provenance", format!("`{name}` is not a string"))),
        }
    }
    Ok(())
}

/// Whether a link with this text stays inside the root.
pub(crate) fn check_link(path: &WorkspacePath, text: &str) -> Result<(), Failure> {
    let refused = |rule: &str| {
        Err(Failure::Path {
            rule: rule.to_owned(),
        })
    };
    if text.is_empty() || text.contains('\0') || text.len() > crate::path::MAX_PATH_BYTES {
        return refused("the target of a link is a path");
    }
    if text.starts_with('/') {
        return refused("the target of a link is relative");
    }
    let mut depth = path.segments().count() - 1;
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." if depth == 0 => return refused("the target of a link stays inside the root"),
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    Ok(())
}

/// Reads a path of an op.
pub(crate) fn read_path(text: &str) -> Result<WorkspacePath, Failure> {
    let path = WorkspacePath::new(text).map_err(|error| Failure::Path {
        rule: error.rule.to_string(),
    })?;
    if path.is_reserved() {
        return Err(Failure::Path {
            rule: PathRule::Reserved.to_string(),
        });
    }
    Ok(path)
}
