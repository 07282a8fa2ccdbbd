//! Globs of the policy file: whole paths from the root, case-sensitive.

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};

/// A list of globs: `*` and `?` within a segment, `**` across, a trailing `/` for all below; no negation.
///
/// # Example
/// ```
/// use lonis_session::file_set::Globs;
///
/// let globs = Globs::new(["src/**/*.rs", "vendor/"])?;
/// assert!(globs.matches("src/a/b.rs") && globs.matches("vendor/x/y"));
/// assert!(!globs.matches("lib.rs") && !globs.matches("vendor"));
/// # Ok::<(), lonis_session::file_set::GlobError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Globs {
    set: GlobSet,
    /// Matches the directories below which every path matches.
    whole: GlobSet,
    segments: Vec<Vec<Segment>>,
    texts: Vec<String>,
}

/// A glob that cannot be read (`session/config-invalid`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is not a glob: {reason}")]
pub struct GlobError {
    /// The glob as it was written.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Globs {
    /// Reads globs.
    ///
    /// # Errors
    /// The first that is none.
    pub fn new<T: AsRef<str>>(globs: impl IntoIterator<Item = T>) -> Result<Self, GlobError> {
        let mut set = GlobSetBuilder::new();
        let mut whole = GlobSetBuilder::new();
        let mut texts = Vec::new();
        let mut parts = Vec::new();
        for glob in globs {
            let written = glob.as_ref();
            let glob = match written.strip_suffix('/') {
                Some(directory) => format!("{directory}/**"),
                None => written.to_owned(),
            };
            let refused = |error: globset::Error| GlobError {
                glob: written.to_owned(),
                reason: error.kind().to_string(),
            };
            let read = |glob: &str| {
                GlobBuilder::new(glob)
                    .literal_separator(true)
                    .backslash_escape(true)
                    .build()
                    .map_err(refused)
            };
            set.add(read(&glob)?);
            parts.push(segments(&glob).map_err(refused)?);
            if let Some(directory) = glob.strip_suffix("/**") {
                whole.add(read(directory)?);
            }
            texts.push(glob);
        }
        let build = |builder: GlobSetBuilder| {
            builder.build().map_err(|error| GlobError {
                glob: texts.join(", "),
                reason: error.kind().to_string(),
            })
        };
        Ok(Self {
            set: build(set)?,
            whole: build(whole)?,
            segments: parts,
            texts,
        })
    }

    /// The one glob that every path matches.
    ///
    /// # Panics
    /// Never: `**` is a glob.
    pub fn everything() -> Self {
        Self::new(["**"]).expect("`**` is a glob")
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether a path matches one of them.
    pub fn matches(&self, path: &str) -> bool {
        self.matches_everything() || !self.is_empty() && self.set.is_match(path)
    }

    fn matches_everything(&self) -> bool {
        self.texts.iter().any(|glob| glob == "**")
    }

    /// The first glob that a path matches, with a trailing `/` written as `/**`.
    pub fn matching(&self, path: &str) -> Option<&str> {
        let index = self.set.matches(path).into_iter().min()?;
        self.texts.get(index).map(String::as_str)
    }

    /// Whether every path below a directory matches.
    pub fn covers(&self, directory: &str) -> bool {
        !self.is_empty() && (self.matches_everything() || self.whole.is_match(directory))
    }

    /// Whether a path below a directory may match; never wrongly `false`.
    pub fn may_match_below(&self, directory: &str) -> bool {
        self.segments.iter().any(|glob| {
            let mut glob = glob.iter();
            for segment in directory.split('/') {
                match glob.next() {
                    Some(Segment::Across) => return true,
                    Some(Segment::One(matcher)) if matcher.is_match(segment) => {}
                    _ => return false,
                }
            }
            glob.next().is_some()
        })
    }
}

/// What one segment of a path is held to.
#[derive(Debug, Clone)]
enum Segment {
    One(GlobMatcher),
    /// Any segments from here on: `**`, and alternatives, which may hold a slash.
    Across,
}

fn segments(glob: &str) -> Result<Vec<Segment>, globset::Error> {
    let mut segments = Vec::new();
    for segment in glob.split('/') {
        if segment == "**" || segment.contains(['{', '\\', '[']) {
            segments.push(Segment::Across);
            break;
        }
        let glob = GlobBuilder::new(segment).literal_separator(true).build()?;
        segments.push(Segment::One(glob.compile_matcher()));
    }
    Ok(segments)
}

impl Default for Globs {
    fn default() -> Self {
        Self {
            set: GlobSet::empty(),
            whole: GlobSet::empty(),
            segments: Vec::new(),
            texts: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_whole_paths() {
        let check = |glob: &str, path: &str| Globs::new([glob]).unwrap().matches(path);
        for (glob, path, expected) in [
            ("*", "a", true),
            ("*", "a/b", false),
            ("**", "a/b", true),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("a/**", "a/b/c", true),
            ("a/**", "a", false),
            ("a/", "a/b/c", true),
            ("**/x", "x", true),
            ("**/x", "a/b/x", true),
            ("a?", "ab", true),
            ("a?b", "a/b", false),
            ("A", "a", false),
        ] {
            assert_eq!(check(glob, path), expected, "{glob} on {path}");
        }
        assert!(Globs::new(["a[b"]).is_err());
    }

    #[test]
    fn directories_are_pruned_only_where_all_or_nothing_matches() {
        let globs = Globs::new(["vendor/", "gen/*/out.rs", "x.lock"]).unwrap();
        assert!(globs.covers("vendor"));
        assert!(!globs.covers("gen") && !globs.covers("vendored"));
        for (directory, expected) in [
            ("vendor", true),
            ("vendor/deep", true),
            ("gen", true),
            ("gen/a", true),
            ("ge", false),
            ("target", false),
            ("genx", false),
        ] {
            assert_eq!(globs.may_match_below(directory), expected, "{directory}");
        }
        assert!(
            Globs::new(["**/*.pb.rs"])
                .unwrap()
                .may_match_below("any/where")
        );
        assert!(!Globs::default().may_match_below("any"));
    }
}
