//! The discovery cache: what providers said of themselves, kept for as long as nothing about them changed.
//!
//! One file, a line an entry: checksum, key, day of last use, then the documents as they were received. It is read
//! whole and without a lock; a line that does not check is dropped, which costs its provider one discovery. It is
//! written to a new file and renamed, so that of two writers at once one only loses time. Deleting it is always safe.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lonis_schema::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::trust::sha256_hex;
use crate::ProviderAnswers;

/// The file's name in the cache folder; the number is that of its format.
const FILE: &str = "discovery-v1";
/// A larger file is not read, and the entries used longest ago are left out of what is written.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// A failure is asked about again after this.
const FAILURE_LIFETIME: Duration = Duration::from_secs(10);
/// An entry that was not used for this many days goes.
const UNUSED_DAYS: u64 = 30;
const SECONDS_OF_DAY: u64 = 86_400;
/// Hex digits of a line's checksum: 64 bits tell damage from text well enough.
const CHECKSUM_DIGITS: usize = 16;

/// What decides whether an entry still fits, as one digest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key(String);

impl Key {
    /// Makes the key of everything that an answer could depend on.
    pub(super) fn of(identity: &[u8]) -> Self {
        Self(sha256_hex(identity))
    }
}

/// What one provider said of itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The manifest, as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) manifest: Option<Box<RawValue>>,
    /// The tools list, as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<Box<RawValue>>,
    /// Contracts by native name, as received; those asked for so far.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) contracts: BTreeMap<String, Box<RawValue>>,
    /// Why discovery failed, and when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<Failure>,
}

/// A discovery that failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Failure {
    /// When, in milliseconds since 1970.
    pub(super) at_millis: u64,
    /// What was reported.
    pub(super) error: ToolError,
}

impl Entry {
    /// Makes an entry of a failed discovery.
    pub(super) fn failed(error: ToolError, now: SystemTime) -> Self {
        Self {
            failure: Some(Failure {
                at_millis: millis(now),
                error,
            }),
            ..Self::default()
        }
    }

    /// Makes an entry of what a provider answered.
    pub(super) fn of_answers(answers: &ProviderAnswers) -> Self {
        let raw = |text: &Arc<str>| RawValue::from_string(text.trim().to_owned()).ok();
        Self {
            manifest: answers.manifest.as_ref().and_then(raw),
            tools: answers.tools_list.as_ref().and_then(raw),
            contracts: answers
                .contracts
                .iter()
                .filter_map(|(name, text)| Some((name.clone(), raw(text)?)))
                .collect(),
            failure: None,
        }
    }

    /// The answers, to be handed back to their provider.
    pub(super) fn into_answers(self) -> ProviderAnswers {
        let text = |raw: Box<RawValue>| Arc::<str>::from(raw.get());
        ProviderAnswers {
            manifest: self.manifest.map(text),
            tools_list: self.tools.map(text),
            contracts: self
                .contracts
                .into_iter()
                .map(|(name, raw)| (name, text(raw)))
                .collect(),
        }
    }

    fn is_fresh(&self, now: SystemTime) -> bool {
        self.failure.as_ref().is_none_or(|failure| {
            // A failure from the future is one from before the clock was set back.
            let age = millis(now).checked_sub(failure.at_millis);
            age.is_some_and(|age| u128::from(age) < FAILURE_LIFETIME.as_millis())
        })
    }
}

#[derive(Debug)]
struct Line {
    used_day: u64,
    /// Everything behind the day, checked but not yet parsed.
    body: String,
}

/// The cache file of one user, read into memory.
#[derive(Debug, Default)]
pub(super) struct DiscoveryCache {
    path: Option<PathBuf>,
    lines: HashMap<Key, Line>,
    changed: bool,
}

impl DiscoveryCache {
    /// A cache that keeps nothing beyond this process.
    pub(super) fn none() -> Self {
        Self::default()
    }

    /// Reads the cache of a folder; one that is missing, damaged or too large is an empty one.
    pub(super) fn read(folder: &Path) -> Self {
        let path = folder.join(FILE);
        let small = fs::metadata(&path)
            .is_ok_and(|file| usize::try_from(file.len()).is_ok_and(|len| len <= MAX_BYTES));
        let text = if small {
            fs::read(&path).unwrap_or_default()
        } else {
            Vec::new()
        };
        let lines = text
            .split(|byte| *byte == b'\n')
            .filter_map(parse_line)
            .collect();
        Self {
            path: Some(path),
            lines,
            changed: false,
        }
    }

    /// The entry of a key, when there is one that still counts.
    pub(super) fn get(&mut self, key: &Key, now: SystemTime) -> Option<Entry> {
        let line = self.lines.get_mut(key)?;
        let entry: Option<Entry> = serde_json::from_str(&line.body).ok();
        let Some(entry) = entry.filter(|entry| entry.is_fresh(now)) else {
            self.lines.remove(key);
            self.changed = true;
            return None;
        };
        // Marked once a day, so that a cache that is only read is not written.
        if line.used_day != day(now) {
            line.used_day = day(now);
            self.changed = true;
        }
        Some(entry)
    }

    /// Keeps an entry in place of what its key had.
    pub(super) fn put(&mut self, key: Key, entry: &Entry, now: SystemTime) {
        let Ok(text) = serde_json::to_string(entry) else {
            return;
        };
        // A line break stands only between tokens of a JSON text, where a blank means the same.
        let body = text.replace(['\n', '\r'], " ");
        self.lines.insert(
            key,
            Line {
                used_day: day(now),
                body,
            },
        );
        self.changed = true;
    }

    /// Writes the cache if something changed.
    ///
    /// # Errors
    /// When the folder or the file cannot be written. Nothing but time is lost then.
    pub(super) fn write(&mut self, now: SystemTime) -> io::Result<()> {
        let Some(path) = self.path.as_ref().filter(|_| self.changed) else {
            return Ok(());
        };
        let today = day(now);
        let mut kept: Vec<(&Key, &Line)> = self
            .lines
            .iter()
            .filter(|(_, line)| line.used_day + UNUSED_DAYS >= today)
            .collect();
        kept.sort_by(|left, right| {
            right
                .1
                .used_day
                .cmp(&left.1.used_day)
                .then_with(|| left.0.cmp(right.0))
        });
        let mut text = String::new();
        for (key, line) in kept {
            let written = written_line(key, line);
            if text.len() + written.len() <= MAX_BYTES {
                text.push_str(&written);
            }
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)?;
        let fresh = folder.join(format!("{FILE}.{}", std::process::id()));
        // What providers say may be meant for this user alone.
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let written = options
            .open(&fresh)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&fresh, path));
        if written.is_err() {
            // Where it cannot be removed, the next start of this number writes over it.
            let _ = fs::remove_file(&fresh);
        }
        written?;
        self.changed = false;
        Ok(())
    }
}

fn written_line(key: &Key, line: &Line) -> String {
    let mut rest = String::with_capacity(line.body.len() + 80);
    // Writing to a text cannot fail.
    let _ = write!(rest, "{} {} {}", key.0, line.used_day, line.body);
    let checksum = &sha256_hex(rest.as_bytes())[..CHECKSUM_DIGITS];
    format!("{checksum} {rest}\n")
}

fn parse_line(line: &[u8]) -> Option<(Key, Line)> {
    let (checksum, rest) = str::from_utf8(line).ok()?.split_once(' ')?;
    if sha256_hex(rest.as_bytes()).get(..CHECKSUM_DIGITS) != Some(checksum) {
        return None;
    }
    let (key, rest) = rest.split_once(' ')?;
    let (used_day, body) = rest.split_once(' ')?;
    Some((
        Key(key.to_owned()),
        Line {
            used_day: used_day.parse().ok()?,
            body: body.to_owned(),
        },
    ))
}

fn millis(now: SystemTime) -> u64 {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn day(now: SystemTime) -> u64 {
    millis(now) / 1_000 / SECONDS_OF_DAY
}

#[cfg(test)]
mod tests {
    use lonis_schema::ErrorKind;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn entry(text: &str) -> Entry {
        Entry {
            manifest: Some(RawValue::from_string(text.to_owned()).unwrap()),
            ..Entry::default()
        }
    }

    fn manifest(entry: Option<Entry>) -> Option<String> {
        entry
            .and_then(|entry| entry.manifest)
            .map(|manifest| manifest.get().to_owned())
    }

    #[test]
    fn an_entry_comes_back_as_it_was_received() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = DiscoveryCache::read(folder.path());
        cache.put(Key::of(b"a"), &entry("{\n  \"n\": 1.50\r\n}"), at(1_000));
        cache.write(at(1_000)).unwrap();
        let mut again = DiscoveryCache::read(folder.path());
        assert_eq!(
            manifest(again.get(&Key::of(b"a"), at(2_000))).unwrap(),
            "{   \"n\": 1.50  }"
        );
        assert!(again.get(&Key::of(b"b"), at(2_000)).is_none());
    }

    #[test]
    fn a_damaged_line_is_dropped_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = DiscoveryCache::read(folder.path());
        for name in [b"a", b"b"] {
            cache.put(Key::of(name), &entry("1"), at(1));
        }
        cache.write(at(1)).unwrap();
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).unwrap();
        for at_byte in [0, 20, text.lines().next().unwrap().len() - 1] {
            let mut damaged = text.clone().into_bytes();
            damaged[at_byte] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(
                DiscoveryCache::read(folder.path()).lines.len(),
                1,
                "byte {at_byte}"
            );
        }
        fs::write(&path, &text[..text.len() / 2 + 10]).unwrap();
        assert_eq!(DiscoveryCache::read(folder.path()).lines.len(), 1);
        fs::write(&path, [0xff; 100]).unwrap();
        assert_eq!(DiscoveryCache::read(folder.path()).lines.len(), 0);
    }

    #[test]
    fn a_failure_is_kept_ten_seconds() {
        let mut cache = DiscoveryCache::none();
        let failed = Entry::failed(ToolError::new(ErrorKind::Timeout, "slow"), at(100));
        cache.put(Key::of(b"a"), &failed, at(100));
        assert!(cache.get(&Key::of(b"a"), at(109)).is_some());
        assert!(cache.get(&Key::of(b"a"), at(110)).is_none());
        cache.put(Key::of(b"a"), &failed, at(100));
        assert!(
            cache.get(&Key::of(b"a"), at(99)).is_none(),
            "the clock was set back"
        );
    }

    #[test]
    fn what_is_not_used_for_a_month_goes() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = DiscoveryCache::read(folder.path());
        cache.put(Key::of(b"old"), &entry("1"), at(0));
        cache.put(Key::of(b"used"), &entry("1"), at(0));
        let later = at(31 * SECONDS_OF_DAY);
        assert!(cache.get(&Key::of(b"used"), later).is_some());
        cache.write(later).unwrap();
        let again = DiscoveryCache::read(folder.path());
        assert!(
            again.lines.contains_key(&Key::of(b"used"))
                && !again.lines.contains_key(&Key::of(b"old"))
        );
    }

    #[test]
    fn a_cache_that_is_only_read_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = DiscoveryCache::read(folder.path());
        cache.put(Key::of(b"a"), &entry("1"), at(5));
        cache.write(at(5)).unwrap();
        fs::remove_file(folder.path().join(FILE)).unwrap();
        cache.get(&Key::of(b"a"), at(6));
        cache.write(at(6)).unwrap();
        assert!(!folder.path().join(FILE).exists());
    }
}
