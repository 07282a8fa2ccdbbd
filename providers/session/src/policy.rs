//! The policy of a session: `lonis-session.toml` as it was captured, every key written out.
//!
//! Owns the file's grammar, its defaults and bounds, and the identity of what is in force. It reads no file.

mod document;
mod limits;
mod obligation;
mod value;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::file_set::{FileSetRules, GlobError, Globs, LinkRule, NestedRule, OddNameRule, Source};
use crate::identity::{Domain, Identity, canonical_bytes};

pub use document::PolicyError;
pub use obligation::{Expectation, Network, Obligation};
pub use value::{GlobList, Limit, Patterns};

/// The most obligations of a policy.
pub const MAX_OBLIGATIONS: usize = 64;

/// What holds for a session, every key with its value.
///
/// # Wire shape
/// The effective policy as it is stored, and as its identity is made from.
/// ```
/// let policy = lonis_session::policy::Policy::default();
/// let stored: serde_json::Value = serde_json::from_slice(&policy.canonical())?;
/// assert_eq!(stored["schema"], "genesis/session-policy-v0.2");
/// assert_eq!(stored["files"]["max_files"], 100_000);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What belongs to the snapshot.
    pub files: Files,
    /// What a session must have and may ask for.
    pub session: SessionRules,
    /// What is never stored.
    pub redact: Redact,
    /// Tools that locate definitions of languages without a built-in grammar.
    pub languages: BTreeMap<String, String>,
    /// What has to hold before an apply, in the order of the file.
    pub obligations: Vec<Obligation>,
}

/// What belongs to the snapshot, and what no patch may touch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// Where the set comes from.
    pub source: SourceWord,
    /// Globs that narrow the set.
    pub include: GlobList,
    /// Globs that narrow it too, and win.
    pub exclude: GlobList,
    /// Ignored files that belong to it all the same.
    pub add: GlobList,
    /// What becomes of links.
    pub symlinks: LinkWord,
    /// What becomes of names that no path can hold.
    pub unrepresentable: OddNameWord,
    /// What becomes of repositories inside.
    pub nested: NestedWord,
    /// The most paths.
    pub max_files: Limit<2_000_000, 4_096>,
    /// The most bytes of content.
    pub max_bytes: Limit<{ 1 << 40 }, 268_435_456>,
    /// The longest file that is captured.
    pub max_file_bytes: Limit<{ 1 << 40 }, 0>,
    /// Globs that no patch may touch.
    pub protect: GlobList,
    /// Whether a patch may edit the policy file.
    pub allow_policy_edit: bool,
}

/// What a session must have and may ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionRules {
    /// Whether an apply refuses evidence without obligations.
    pub require_obligations: bool,
    /// Whether an apply refuses evidence with warm scratch or reused results.
    pub require_hermetic: bool,
    /// The most that an apply may ask for.
    pub rebase: RebaseWord,
    /// How long a command waits for a lock, in milliseconds.
    pub lock_wait_millis: Limit<3_600_000, 0>,
    /// How many closed sessions are kept.
    pub keep_closed: u64,
    /// For how many days a closed session is kept.
    pub keep_days: u64,
}

/// What is never stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Redact {
    /// Names of variables whose values are replaced in captured output, with `*` for any letters.
    pub env: GlobList,
    /// Regular expressions whose matches are replaced in captured output.
    pub patterns: Patterns,
}

/// Declares an enum of words, the first being the default.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ } default $default:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        }
    };
}

words! {
    /// Where the file set comes from.
    SourceWord {
        /// The repository where there is one.
        Auto = "auto",
        /// A repository that has to be there.
        Git = "git",
        /// The ignore rules alone.
        Walk = "walk",
    } default Auto
}
words! {
    /// What becomes of links.
    LinkWord {
        /// They belong to the set.
        Record = "record",
        /// Any is an error.
        Refuse = "refuse",
        /// They are left out.
        Skip = "skip",
    } default Record
}
words! {
    /// What becomes of names that no path can hold.
    OddNameWord {
        /// They are left out.
        Skip = "skip",
        /// Any is an error.
        Refuse = "refuse",
    } default Skip
}
words! {
    /// What becomes of repositories inside.
    NestedWord {
        /// Their working files belong to the set.
        Files = "files",
        /// They are left out.
        Skip = "skip",
    } default Files
}
words! {
    /// The most that an apply may ask for when the live tree changed.
    RebaseWord {
        /// Nothing.
        Never = "never",
        /// To go on where no path changed on both sides.
        Disjoint = "disjoint",
    } default Never
}

impl Default for Files {
    fn default() -> Self {
        Self {
            source: SourceWord::default(),
            include: GlobList::of(&["**"]),
            exclude: GlobList::default(),
            add: GlobList::default(),
            symlinks: LinkWord::default(),
            unrepresentable: OddNameWord::default(),
            nested: NestedWord::default(),
            max_files: Limit::of(100_000),
            max_bytes: Limit::of(2 << 30),
            max_file_bytes: Limit::of(64 << 20),
            protect: GlobList::default(),
            allow_policy_edit: false,
        }
    }
}

impl Default for SessionRules {
    fn default() -> Self {
        Self {
            require_obligations: false,
            require_hermetic: false,
            rebase: RebaseWord::default(),
            lock_wait_millis: Limit::of(2_000),
            keep_closed: 20,
            keep_days: 14,
        }
    }
}

impl Default for Redact {
    fn default() -> Self {
        Self {
            env: GlobList::of(&["*TOKEN*", "*SECRET*", "*KEY*"]),
            patterns: Patterns::default(),
        }
    }
}

impl Policy {
    /// Reads the text of `lonis-session.toml`.
    ///
    /// # Errors
    /// The first key that is unknown, of the wrong type or out of its range.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        document::parse(text)
    }

    /// Reads an effective policy as [`canonical`](Self::canonical) wrote it.
    ///
    /// # Errors
    /// Anything else.
    pub fn from_stored(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Stored {
            #[serde(rename = "schema")]
            _schema: String,
            #[serde(flatten)]
            policy: serde_json::Value,
        }
        let stored: Stored = serde_json::from_slice(bytes)?;
        serde_json::from_value(stored.policy)
    }

    /// Writes the effective policy, every key with its value, as it is stored and hashed.
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(&json!({
            "schema": Domain::Policy.schema(),
            "files": self.files,
            "session": self.session,
            "redact": self.redact,
            "languages": self.languages,
            "obligations": self.obligations,
        }))
    }

    /// The identity of the effective policy.
    pub fn identity(&self) -> Identity {
        Identity::of(Domain::Policy, &self.canonical())
    }

    /// The obligations alone, as they are stored and hashed.
    pub fn obligation_set(&self) -> Vec<u8> {
        canonical_bytes(&json!({
            "schema": Domain::ObligationSet.schema(),
            "obligations": self.obligations,
        }))
    }

    /// The part that decides on the file set.
    ///
    /// # Errors
    /// A glob that cannot be used together with the others; each was read on its own before.
    pub fn file_rules(&self) -> Result<FileSetRules, GlobError> {
        let files = &self.files;
        Ok(FileSetRules {
            source: match files.source {
                SourceWord::Auto => Source::Auto,
                SourceWord::Git => Source::Git,
                SourceWord::Walk => Source::Walk,
            },
            include: Globs::new(files.include.iter())?,
            exclude: Globs::new(files.exclude.iter())?,
            add: Globs::new(files.add.iter())?,
            links: match files.symlinks {
                LinkWord::Record => LinkRule::Record,
                LinkWord::Refuse => LinkRule::Refuse,
                LinkWord::Skip => LinkRule::Skip,
            },
            odd_names: match files.unrepresentable {
                OddNameWord::Skip => OddNameRule::Skip,
                OddNameWord::Refuse => OddNameRule::Refuse,
            },
            nested: match files.nested {
                NestedWord::Files => NestedRule::Files,
                NestedWord::Skip => NestedRule::Skip,
            },
            max_files: files.max_files.get(),
            max_bytes: files.max_bytes.get(),
            max_file_bytes: files.max_file_bytes.get(),
        })
    }
}

#[cfg(test)]
mod tests;
