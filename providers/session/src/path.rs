//! Paths of a workspace: relative, checked, and the same text on every machine.
//!
//! Owns the rule of what a path may be. It never looks at a file system: whether something stands there is for others.

use std::borrow::Borrow;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest path in bytes; what Linux takes in one call.
pub const MAX_PATH_BYTES: usize = 4096;

/// The longest segment in bytes; what common file systems take as a name.
pub const MAX_SEGMENT_BYTES: usize = 255;

/// How much of a refused path an error shows, in characters.
const SHOWN: usize = 256;

/// A path from the root of a workspace, in valid form.
///
/// Non-empty UTF-8, segments separated by `/`, none of them empty, `.` or `..`; no backslash, no control character.
/// Nothing is folded: two spellings are two paths. Ordered by bytes. A copy shares the text.
///
/// # Units and bounds
/// 1 to [`MAX_PATH_BYTES`] bytes, a segment 1 to [`MAX_SEGMENT_BYTES`].
///
/// # Example
/// ```
/// use lonis_session::path::WorkspacePath;
///
/// let path: WorkspacePath = "src/lib.rs".parse()?;
/// assert_eq!(path.name(), "lib.rs");
/// assert!("../secret".parse::<WorkspacePath>().is_err());
/// # Ok::<(), lonis_session::path::PathError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkspacePath(Arc<str>);

impl Serialize for WorkspacePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// The rule that a path breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathRule {
    /// The path, or one of its segments, is empty.
    #[error("no segment is empty, and a path is relative")]
    EmptySegment,
    /// A segment is `.` or `..`.
    #[error("no segment is `.` or `..`")]
    DotSegment,
    /// A backslash, a control character or DEL.
    #[error("a path holds no backslash and no control character")]
    Character,
    /// Not UTF-8.
    #[error("a path is UTF-8")]
    Encoding,
    /// A segment or the path is too long.
    #[error("a path has at most {MAX_PATH_BYTES} bytes, a segment at most {MAX_SEGMENT_BYTES}")]
    Length,
    /// A segment that belongs to a repository or to the store.
    #[error("`.git` and `.lonis` belong to no workspace")]
    Reserved,
    /// A path that another one equals or lies below.
    #[error("a path is one thing only, and nothing lies below a file")]
    Clash,
}

/// A path that is not a workspace path (`session/snapshot-path`, `patch/path`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is not a path of a workspace: {rule}")]
pub struct PathError {
    /// The path with odd characters escaped, cut where it is long.
    pub path: String,
    /// What it breaks.
    pub rule: PathRule,
}

impl PathError {
    /// Names a path and the rule it breaks.
    pub fn new(path: &[u8], rule: PathRule) -> Self {
        Self {
            path: escaped(path).chars().take(SHOWN).collect(),
            rule,
        }
    }
}

impl WorkspacePath {
    /// Checks a text.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn new(text: &str) -> Result<Self, PathError> {
        check_path(text).map_err(|rule| PathError::new(text.as_bytes(), rule))?;
        Ok(Self(text.into()))
    }

    /// Checks bytes that came from a file system or an index.
    ///
    /// # Errors
    /// The first rule that they break.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PathError> {
        let text =
            std::str::from_utf8(bytes).map_err(|_| PathError::new(bytes, PathRule::Encoding))?;
        Self::new(text)
    }

    /// The path of `name` below this one.
    ///
    /// # Errors
    /// The rule that the name or the joined path breaks.
    pub fn join(&self, name: &str) -> Result<Self, PathError> {
        Self::new(&format!("{}/{name}", self.0))
    }

    /// The text, segments separated by `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path for the file system, still relative.
    pub fn as_path(&self) -> &Path {
        Path::new(&*self.0)
    }

    /// The segments from the outermost.
    pub fn segments(&self) -> std::str::Split<'_, char> {
        self.0.split('/')
    }

    /// The last segment.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// The directory that holds this path; none directly below the root.
    pub fn parent(&self) -> Option<Self> {
        let (parent, _) = self.0.rsplit_once('/')?;
        Some(Self(parent.into()))
    }

    /// The directories above this path, from the outermost.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> + '_ {
        self.0
            .match_indices('/')
            .map(|(end, _)| Self(self.0[..end].into()))
    }

    /// Whether this path is `other` or lies below it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0
            .strip_prefix(&*other.0)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether a segment belongs to a repository or to the store, in any case of letters.
    ///
    /// Such a path is never in a file set, and no patch may name it. The case is ignored, since some file systems do.
    pub fn is_reserved(&self) -> bool {
        self.segments().any(is_reserved_name)
    }
}

/// Whether a name belongs to a repository or to the store wherever it stands.
pub fn is_reserved_name(name: &str) -> bool {
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case(".lonis")
}

/// Checks one segment of a path.
///
/// # Errors
/// The first rule that it breaks.
pub fn check_segment(segment: &str) -> Result<(), PathRule> {
    match segment {
        "" => Err(PathRule::EmptySegment),
        "." | ".." => Err(PathRule::DotSegment),
        _ if segment.len() > MAX_SEGMENT_BYTES => Err(PathRule::Length),
        // Most names are of ASCII, and a byte is looked at faster than a character.
        _ if segment.bytes().all(is_plain) => Ok(()),
        _ if segment
            .chars()
            .any(|character| character == '\\' || character.is_control()) =>
        {
            Err(PathRule::Character)
        }
        _ => Ok(()),
    }
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'\\'
}

/// Bytes of a name as text that reads back to the same bytes: backslash, control characters and what is not UTF-8 as
/// `\xNN`.
pub fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character == '\\' || character.is_control() {
                let mut buffer = [0; 4];
                escape(&mut text, character.encode_utf8(&mut buffer).as_bytes());
            } else {
                text.push(character);
            }
        }
        escape(&mut text, chunk.invalid());
    }
    text
}

fn escape(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push_str("\\x");
        for half in [byte >> 4, byte & 0xf] {
            text.extend(char::from_digit(u32::from(half), 16));
        }
    }
}

fn check_path(text: &str) -> Result<(), PathRule> {
    if text.len() > MAX_PATH_BYTES {
        return Err(PathRule::Length);
    }
    text.split('/').try_for_each(check_segment)
}

impl FromStr for WorkspacePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::new(text)
    }
}

impl TryFrom<String> for WorkspacePath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        check_path(&text).map_err(|rule| PathError::new(text.as_bytes(), rule))?;
        Ok(Self(text.into()))
    }
}

impl Borrow<str> for WorkspacePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for WorkspacePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Debug for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "WorkspacePath({:?})", &*self.0)
    }
}

impl<'de> Deserialize<'de> for WorkspacePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .try_into()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_plain_paths_are_held() {
        for good in ["a", "a/b.c", "aux.c", "a:b", "dot.", "é/ü", "..a", "a b"] {
            let path = WorkspacePath::new(good).unwrap();
            let text = serde_json::to_string(&path).unwrap();
            assert_eq!(serde_json::from_str::<WorkspacePath>(&text).unwrap(), path);
        }
        for (bad, rule) in [
            ("", PathRule::EmptySegment),
            ("/a", PathRule::EmptySegment),
            ("a/", PathRule::EmptySegment),
            ("a//b", PathRule::EmptySegment),
            ("./a", PathRule::DotSegment),
            ("a/../b", PathRule::DotSegment),
            ("a\\b", PathRule::Character),
            ("a\nb", PathRule::Character),
            ("a\u{7f}", PathRule::Character),
            ("a\u{85}", PathRule::Character),
            (&"x".repeat(256), PathRule::Length),
            (&"xy/".repeat(1400), PathRule::Length),
        ] {
            assert_eq!(WorkspacePath::new(bad).unwrap_err().rule, rule, "{bad:?}");
            let text = serde_json::to_string(bad).unwrap();
            assert!(
                serde_json::from_str::<WorkspacePath>(&text).is_err(),
                "{bad:?}"
            );
        }
        let refused = WorkspacePath::from_bytes(b"a\xff").unwrap_err();
        assert_eq!(
            (refused.rule, &*refused.path),
            (PathRule::Encoding, "a\\xff")
        );
    }

    #[test]
    fn relations_follow_segments() {
        let path = WorkspacePath::new("a/b/c").unwrap();
        let above: Vec<_> = path.ancestors().map(|path| path.to_string()).collect();
        assert_eq!(above, ["a", "a/b"]);
        assert_eq!(path.parent().unwrap().as_str(), "a/b");
        assert!(path.is_within(&WorkspacePath::new("a/b").unwrap()));
        assert!(path.is_within(&path));
        assert!(
            !WorkspacePath::new("a/bc")
                .unwrap()
                .is_within(&WorkspacePath::new("a/b").unwrap())
        );
        for (text, expected) in [
            ("a/.git/config", true),
            (".GIT", true),
            (".lonis/x", true),
            (".github/x", false),
        ] {
            assert_eq!(
                WorkspacePath::new(text).unwrap().is_reserved(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn an_escaped_name_tells_its_bytes() {
        assert_eq!(
            escaped(b"a\\b\x01\xff\xc3\xa9\xc2\x85"),
            "a\\x5cb\\x01\\xff\u{e9}\\xc2\\x85"
        );
    }
}
