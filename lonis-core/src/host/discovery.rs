//! Asking providers what they offer: from the cache where nothing changed, else in parallel, each under its own bounds,
//! so that one that hangs delays no other.

use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lonis_schema::{ErrorKind, ToolError};

use super::assemble;
use super::cache::{DiscoveryCache, Entry, Key};
use super::environment::Environment;
use super::registration::{Registered, Registration, Standing};
use crate::process::CancelToken;
use crate::{ExecutableIdentity, Listing, ProviderAnswers, SubprocessProvider};

/// Threads that wait for providers at first, for each core. More of those that compute would only share the cores, and
/// each has its own deadline.
const THREADS_PER_CORE: usize = 8;
/// The most threads that wait, once the cores were found with nothing to do: then the providers wait for something else.
const MOST_THREADS: usize = 128;
/// Until it is looked whether the cores have something to do.
const IDLE_LOOK: Duration = Duration::from_millis(3);
/// A file that changed so short before it was looked at could change again within the same time stamp.
const SETTLED_NANOS: i128 = 10_000_000;

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
    cancel: Option<&CancelToken>,
    cache: &mut DiscoveryCache,
) -> Discovery {
    let now = SystemTime::now();
    let mut discovery = Discovery::default();
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
                    Some(token) => provider.with_cancel(token.clone()),
                    None => provider,
                };
                let fingerprint =
                    assemble::fingerprint(entry, &registration.execution, environment);
                match from_cache(at, &provider, &fingerprint, cache, now) {
                    Ok(known) => discovery.known.push(known),
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
        self.known.extend(ask_all(&chosen));
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
        match &self.listing {
            Ok(_) => {
                let answers = provider.answers();
                let known = self.from_cache && answers.contracts.len() == self.stored_contracts;
                (!known).then(|| (key, Entry::of_answers(&answers)))
            }
            // What was broken off, or what the system refused to us, says nothing of the provider.
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Io) => None,
            Err(error) => (!self.from_cache).then(|| (key, Entry::failed(error.clone(), now))),
        }
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

/// What the cache knows of a provider, or the key under which it is to be kept.
fn from_cache(
    at: usize,
    provider: &SubprocessProvider,
    fingerprint: &[u8],
    cache: &mut DiscoveryCache,
    now: SystemTime,
) -> Result<Discovered, Option<Key>> {
    let Ok(identity) = provider.identity() else {
        return Err(None);
    };
    let key = key(fingerprint, &identity);
    let settled = identity.files().all(|file| {
        let changed = file.changed_nanos.max(file.modified_nanos);
        let now = now
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        i128::try_from(now).is_ok_and(|now| now - changed >= SETTLED_NANOS)
    });
    if !settled {
        return Err(None);
    }
    let Some(entry) = cache.get(&key, now) else {
        return Err(Some(key));
    };
    if let Some(failure) = entry.failure {
        let known = Discovered {
            key: Some(key),
            provider: Some(provider.clone()),
            ..Discovered::failed(at, failure.error)
        };
        return Ok(known);
    }
    let answers = entry.into_answers();
    let stored_contracts = answers.contracts.len();
    let kept = provider.clone().with_answers_of(Some(identity), answers);
    if let Some(listing) = kept.kept_listing() {
        return Ok(Discovered {
            at,
            provider: Some(kept),
            listing: Ok(listing),
            key: Some(key),
            stored_contracts,
            from_cache: true,
        });
    }
    // Answers that no longer read were kept by a version that read them differently.
    drop(kept.with_answers_of(None, ProviderAnswers::default()));
    Err(Some(key))
}

/// Everything that an answer could depend on.
fn key(fingerprint: &[u8], identity: &ExecutableIdentity) -> Key {
    let mut text = Vec::new();
    let mut part = |bytes: &[u8]| {
        text.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        text.extend_from_slice(bytes);
    };
    part(env!("CARGO_PKG_VERSION").as_bytes());
    for file in identity.files() {
        part(file.path.as_os_str().as_bytes());
        for number in [file.device, file.inode, file.size] {
            part(&number.to_le_bytes());
        }
        for number in [file.modified_nanos, file.changed_nanos] {
            part(&number.to_le_bytes());
        }
    }
    part(fingerprint);
    Key::of(&text)
}

fn ask_all(asked: &[Unasked]) -> Vec<Discovered> {
    let ask = |unasked: &Unasked| Discovered {
        at: unasked.at,
        listing: unasked.provider.listing(),
        provider: Some(unasked.provider.clone()),
        key: unasked.key.clone(),
        stored_contracts: 0,
        from_cache: false,
    };
    if asked.len() < 2 {
        return asked.iter().map(ask).collect();
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<Discovered>| {
        while let Some(one) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
            // The receiver outlives the threads: it is taken from until there are as many as were asked.
            let _ = sender.send(ask(one));
        }
    };
    let mut found = Vec::with_capacity(asked.len());
    // Each thread ends with the list; the scope joins them all.
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut wanted = asked.len().min(cores * THREADS_PER_CORE);
        while found.len() < asked.len() {
            for _ in threads.len()..wanted {
                let sender = sender.clone();
                threads.push(scope.spawn(|| work(sender)));
            }
            match receiver.recv_timeout(IDLE_LOOK) {
                Ok(discovered) => found.push(discovered),
                // Only a panic ends them all before everything is there; the scope passes it on.
                Err(_) if threads.iter().all(ScopedJoinHandle::is_finished) => break,
                Err(_) if has_idle_core(cores) => {
                    wanted = (threads.len() * 2).min(MOST_THREADS).min(asked.len());
                }
                Err(_) => {}
            }
        }
    });
    found.extend(receiver.try_iter());
    found
}

/// Returns whether less runs on this machine at this moment than it has cores.
fn has_idle_core(cores: usize) -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let running = load
        .split(' ')
        .nth(3)
        .and_then(|counts| counts.split('/').next()?.parse::<usize>().ok());
    // The thread that looks is one of those that run.
    running.is_some_and(|running| running <= cores)
}
