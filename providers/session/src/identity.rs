//! Identities: the domain-separated BLAKE3 of everything that a session names.
//!
//! Owns the list of domains and the type of the 32 bytes; what the hashed bytes are is decided where each object lives.
//! It reads no file and keeps no state.

use std::fmt;
use std::str::FromStr;

use lonis::{CanonicalError, canonical};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What stands before every hashed text, so that no identity of a session is one of another program.
const PREFIX: &[u8] = b"GCv0.2\0";

/// Hexadecimal digits of an identity.
const DIGITS: usize = 64;

/// What kind of thing an identity names; equal bytes in two domains have two identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// Bytes of a file, or the text of a link.
    Blob,
    /// One directory of a snapshot.
    Tree,
    /// A whole captured workspace.
    Snapshot,
    /// A captured workspace in the flat form of the contract, for comparison only.
    FlatSnapshot,
    /// A patch as it was received.
    PatchDocument,
    /// A patch in normal form.
    Patch,
    /// One op of a normal form.
    PatchOp,
    /// Paths before and after.
    ChangeSet,
    /// The rules of a session, every key written out.
    Policy,
    /// What has to hold before an apply.
    ObligationSet,
    /// What a run of obligations showed.
    Evidence,
    /// One line of a log.
    Event,
    /// An unfinished apply.
    Journal,
    /// One obligation, every key written out.
    Obligation,
    /// The environment that was passed to an obligation.
    Environment,
    /// What a result may be taken over for.
    ReuseKey,
    /// The outcome of evidence, without its circumstances.
    Verdict,
}

impl Domain {
    /// The name that is hashed, without `genesis/`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blob => "agent-session-blob-v0.1",
            Self::Tree => "workspace-tree-v0.2",
            Self::Snapshot => "workspace-snapshot-v0.2",
            Self::FlatSnapshot => "workspace-snapshot-v0.1",
            Self::PatchDocument => "semantic-patch-document-v0.2",
            Self::Patch => "semantic-patch-v0.2",
            Self::PatchOp => "semantic-patch-op-v0.2",
            Self::ChangeSet => "change-set-v0.2",
            Self::Policy => "session-policy-v0.2",
            Self::ObligationSet => "obligation-set-v0.2",
            Self::Evidence => "obligation-evidence-v0.2",
            Self::Event => "session-event-v0.2",
            Self::Journal => "apply-journal-v0.2",
            Self::Obligation => "obligation-v0.2",
            Self::Environment => "obligation-env-v0.2",
            Self::ReuseKey => "obligation-reuse-v0.2",
            Self::Verdict => "obligation-verdict-v0.2",
        }
    }

    /// The number that stands for the domain of a stored object; 0 where nothing of the domain is stored.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Blob => 1,
            Self::Tree => 2,
            Self::Snapshot => 3,
            Self::Patch => 4,
            Self::ChangeSet => 5,
            Self::Policy => 6,
            Self::ObligationSet => 7,
            Self::Evidence => 8,
            _ => 0,
        }
    }

    /// The domain of a stored object by its number.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        const STORED: [Domain; 8] = [
            Domain::Blob,
            Domain::Tree,
            Domain::Snapshot,
            Domain::Patch,
            Domain::ChangeSet,
            Domain::Policy,
            Domain::ObligationSet,
            Domain::Evidence,
        ];
        STORED.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// The id that objects of this domain carry as `schema`.
    pub fn schema(self) -> String {
        format!("genesis/{}", self.name())
    }
}

/// 32 bytes of unkeyed BLAKE3 over a domain and a text.
///
/// # Wire shape
/// ```
/// use lonis_session::identity::{Domain, Identity};
///
/// let blob = Identity::of(Domain::Blob, b"hello\n");
/// assert_eq!(blob.to_string(), "fa22e6fc3e3f640eb337e296f41e211df7e833e92827a1795dab6a26a71f5af2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity([u8; 32]);

/// A text that is no identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an identity: expected 64 lowercase hexadecimal digits")]
pub struct IdentityError(String);

impl Identity {
    /// Hashes bytes in a domain.
    pub fn of(domain: Domain, bytes: &[u8]) -> Self {
        let mut hasher = IdentityHasher::new(domain);
        hasher.update(bytes);
        hasher.finish()
    }

    /// Hashes the canonical text of what `value` serializes to; no member is dropped, `null` is written out.
    ///
    /// # Errors
    /// As [`canonical::text`].
    pub fn of_json<T: Serialize + ?Sized>(
        domain: Domain,
        value: &T,
    ) -> Result<Self, CanonicalError> {
        Ok(Self::of(domain, canonical::text(value)?.as_bytes()))
    }

    /// Takes 32 bytes that were an identity's.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Hashes bytes in a domain as they come.
#[derive(Debug, Clone)]
pub struct IdentityHasher(blake3::Hasher);

impl IdentityHasher {
    /// Starts with the domain.
    pub fn new(domain: Domain) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(PREFIX);
        hasher.update(domain.name().as_bytes());
        hasher.update(b"\0");
        Self(hasher)
    }

    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The identity of all that was added.
    pub fn finish(&self) -> Identity {
        Identity(*self.0.finalize().as_bytes())
    }
}

/// The canonical bytes of an object whose members always have some: no number but integers, no key twice.
pub(crate) fn canonical_bytes(object: &impl Serialize) -> Vec<u8> {
    canonical::text(object)
        .expect("an object of texts, identities and counts has a canonical text")
        .into_bytes()
}

impl FromStr for Identity {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let refused = || IdentityError(text.chars().take(DIGITS + 1).collect());
        let digits: &[u8; DIGITS] = text.as_bytes().try_into().map_err(|_| refused())?;
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
            let (Some(high), Some(low)) = (digit(*high), digit(*low)) else {
                return Err(refused());
            };
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }
}

fn digit(text: u8) -> Option<u8> {
    match text {
        b'0'..=b'9' => Some(text - b'0'),
        b'a'..=b'f' => Some(text - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Identity({self})")
    }
}

impl Serialize for Identity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
