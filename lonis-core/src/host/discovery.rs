//! Asking providers what they offer: from the cache where nothing changed, else in parallel, each under its own bounds,
//! so that one that hangs delays no other.

mod asking;

use std::os::unix::ffi::OsStrExt;
use std::time::{SystemTime, UNIX_EPOCH};

use lonis_schema::{ErrorKind, ToolError};

use super::assemble;
use super::cache::{DiscoveryCache, Entry, Key, Script};
use super::environment::Environment;
use super::registration::{Registered, Registration, Standing};
use super::trust::sha256_hex;
use crate::provider::TokenSource;
use crate::{FileIdentity, Listing, SubprocessProvider};

/// A file that changed so short before it was looked at could change again within the same time stamp.
const SETTLED_NANOS: i128 = 10_000_000;

/// Bytes that usually identify a provider.
const USUAL_BYTES: usize = 1_024;

/// One provider and what came of asking it.
#[derive(Debug)]
pub(super) struct Discovered {
    /// Its place in the registrations.
    pub(super) at: usize,
    /// The provider, where it could be put together.
    pub(super) provider: Option<SubprocessProvider>,
    /// What it offers, or why that is not known.
    pub(super) listing: Result<Listing, ToolError>,
    /// Under which key its answers are kept, where they may be.
    pub(super) key: Option<Key>,
    /// How many contracts were in the cache already.
    pub(super) stored_contracts: usize,
    /// Whether everything that it answered came from the cache.
    pub(super) from_cache: bool,
}

/// What is known of the active providers without starting one.
#[derive(Debug, Default)]
pub(super) struct Discovery {
    /// Those whose answers are known, and those that cannot be asked.
    pub(super) known: Vec<Discovered>,
    /// Those that have to be asked.
    pub(super) unasked: Vec<Unasked>,
}

/// A provider whose answers the cache does not have.
#[derive(Debug)]
pub(super) struct Unasked {
    /// Its place in the registrations.
    pub(super) at: usize,
    provider: SubprocessProvider,
    /// Under which key its answers are to be kept, where they may be.
    key: Option<Key>,
}

/// Looks at the active providers and at what the cache has of them; nothing is started.
pub(super) fn look(
    registrations: &[Registration],
    environment: &Environment,
    cancel: Option<&TokenSource>,
    cache: &mut DiscoveryCache,
) -> Discovery {
    let now = SystemTime::now();
    let mut discovery = Discovery::default();
    let mut identity = Vec::with_capacity(USUAL_BYTES);
    for (at, registration) in registrations.iter().enumerate() {
        let Registered::Provider(entry) = &registration.what else {
            continue;
        };
        if registration.standing != Standing::Active {
            continue;
        }
        match assemble::provider(entry, &registration.execution, environment) {
            Ok(provider) => {
                let provider = match cancel {
                    Some(source) => provider.with_token_source(source.clone()),
                    None => provider,
                };
                identity.clear();
                identity.extend_from_slice(env!("CARGO_PKG_VERSION").as_bytes());
                identity.push(0);
                assemble::identify(entry, &registration.execution, environment, &mut identity);
                let seen = registration.just_seen();
                match from_cache(&provider, seen, &mut identity, cache, now) {
                    Ok(found) => discovery.known.push(found.of_provider(at, provider)),
                    Err(key) => discovery.unasked.push(Unasked { at, provider, key }),
                }
            }
            Err(error) => discovery.known.push(Discovered::failed(at, error)),
        }
    }
    discovery
}

impl Discovery {
    /// Asks those of the unasked that are chosen by their place, side by side.
    pub(super) fn ask(&mut self, is_chosen: impl Fn(usize) -> bool) {
        let all = std::mem::take(&mut self.unasked);
        let (chosen, left): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|unasked| is_chosen(unasked.at));
        self.unasked = left;
        self.known.extend(asking::ask_all(chosen));
    }
}

impl Discovered {
    fn failed(at: usize, error: ToolError) -> Self {
        Self {
            at,
            provider: None,
            listing: Err(error),
            key: None,
            stored_contracts: 0,
            from_cache: true,
        }
    }

    /// What the cache should hold of it, unless it holds that already.
    pub(super) fn entry(&self, now: SystemTime) -> Option<(&Key, Entry)> {
        let (key, provider) = (self.key.as_ref()?, self.provider.as_ref()?);
        let entry = match &self.listing {
            Ok(_) => {
                if self.from_cache && provider.contracts_known() == self.stored_contracts {
                    return None;
                }
                Entry {
                    answers: provider.answers(),
                    ..Entry::default()
                }
            }
            // What was broken off, or what the system refused to us, says nothing of the provider.
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Io) => {
                return None;
            }
            Err(_) if self.from_cache => return None,
            Err(error) => Entry::failed(error.clone(), now),
        };
        let executable = provider.identity().ok()?;
        let script = match executable.line() {
            None => None,
            // A line that is no text is not kept, and its provider is asked each time.
            Some(line) => Some(Script {
                line: String::from_utf8(line.to_vec()).ok()?,
                interpreters: digest(executable.interpreters()),
            }),
        };
        let is_settled = executable.files().all(|file| is_settled(file, now));
        is_settled.then_some((key, Entry { script, ..entry }))
    }
}

/// Keeps in the cache what is not there yet.
pub(super) fn store<'a>(
    found: impl IntoIterator<Item = &'a Discovered>,
    cache: &mut DiscoveryCache,
    now: SystemTime,
) {
    for (key, entry) in found.into_iter().filter_map(|found| found.entry(now)) {
        cache.put(key.clone(), &entry, now);
    }
}

/// What the cache knows of a provider.
struct Cached {
    key: Key,
    listing: Result<Listing, ToolError>,
    stored_contracts: usize,
}

impl Cached {
    fn of_provider(self, at: usize, provider: SubprocessProvider) -> Discovered {
        Discovered {
            at,
            provider: Some(provider),
            listing: self.listing,
            key: Some(self.key),
            stored_contracts: self.stored_contracts,
            from_cache: true,
        }
    }
}

/// What the cache knows of a provider, which keeps it, or the key under which it is to be kept.
///
/// `identity` is all that an answer could depend on, but for the file and what runs a script.
fn from_cache(
    provider: &SubprocessProvider,
    seen: Option<&FileIdentity>,
    identity: &mut Vec<u8>,
    cache: &mut DiscoveryCache,
    now: SystemTime,
) -> Result<Cached, Option<Key>> {
    let file = seen.map_or_else(|| provider.file_identity(), |seen| Ok(seen.clone()));
    let Ok(file) = file else {
        return Err(None);
    };
    if !is_settled(&file, now) {
        return Err(None);
    }
    append(identity, &file);
    let key = Key::of(identity);
    let Some(entry) = cache.get(&key, now) else {
        return Err(Some(key));
    };
    let line = entry.script.as_ref().map(|script| script.line.as_str());
    let identity = provider.executable(file, line);
    if let Some(script) = &entry.script
        && script.interpreters != digest(identity.interpreters())
    {
        return Err(Some(key));
    }
    if let Some(failure) = entry.failure {
        return Ok(Cached {
            key,
            listing: Err(failure.error),
            stored_contracts: 0,
        });
    }
    let answers = entry.answers;
    // Answers that no longer read were kept by a version that read them differently.
    let Some(listing) = provider.listing_of(&answers) else {
        return Err(Some(key));
    };
    let stored_contracts = answers.contracts.len();
    provider.keep_answers(Some(identity), answers);
    Ok(Cached {
        key,
        listing: Ok(listing),
        stored_contracts,
    })
}

/// A digest of files that run a script.
fn digest(files: &[FileIdentity]) -> String {
    let mut text = Vec::new();
    for file in files {
        append(&mut text, file);
    }
    sha256_hex(&text)
}

/// Appends all that identifies a file, so that no two lists of files look the same.
fn append(text: &mut Vec<u8>, file: &FileIdentity) {
    let path = file.path.as_os_str().as_bytes();
    text.extend_from_slice(&(path.len() as u64).to_le_bytes());
    text.extend_from_slice(path);
    for number in [file.device, file.inode, file.size] {
        text.extend_from_slice(&number.to_le_bytes());
    }
    for number in [file.modified_nanos, file.changed_nanos] {
        text.extend_from_slice(&number.to_le_bytes());
    }
}

/// Whether a file that changes from now on gets other times than these.
fn is_settled(file: &FileIdentity, now: SystemTime) -> bool {
    let changed = file.changed_nanos.max(file.modified_nanos);
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    i128::try_from(now.as_nanos()).is_ok_and(|now| now - changed >= SETTLED_NANOS)
}
