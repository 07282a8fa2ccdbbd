//! The discovery cache: what providers said of themselves, kept for as long as nothing about them changed.
//!
//! One file, a line an entry: checksum, key, day of last use, then the documents as they were received. It is read
//! whole and without a lock; a line that does not check is dropped, which costs its provider one discovery. It is
//! written to a new file and renamed, so that of two writers at once one only loses time. Deleting it is always safe.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lonis_schema::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::trust::sha256_hex;
use crate::{ProviderAnswers, read_regular_file};

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
const KEY_DIGITS: usize = 64;

/// What decides whether an entry still fits, as the hex digits of one digest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key([u8; KEY_DIGITS]);

impl Key {
    /// Makes the key of everything that an answer could depend on.
    pub(super) fn of(identity: &[u8]) -> Self {
        let digest = sha256_hex(identity);
        let digits = digest.as_bytes().try_into();
        Self(digits.expect("a digest has this many digits"))
    }
}

/// What one provider said of itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Entry {
    /// What the executable is besides its file, where it is a script.
    pub(super) script: Option<Script>,
    /// What it answered, as received; the contracts are those asked for so far.
    pub(super) answers: ProviderAnswers,
    /// Why discovery failed, and when.
    pub(super) failure: Option<Failure>,
}

/// What few entries have, as it stands in the file behind the manifest and the list of tools.
#[derive(Default, Serialize, Deserialize)]
struct Rest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<Script>,
    #[serde(borrow, default, skip_serializing_if = "BTreeMap::is_empty")]
    contracts: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

/// What runs a script. Its first line stays as it is for as long as the file does, so a hit need not read it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Script {
    /// The first line, behind the mark of a script.
    pub(super) line: String,
    /// A digest of all that identifies its interpreters.
    pub(super) interpreters: String,
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

    /// Reads an entry as it stands in the file: two lengths, then the two documents, then the rest where there is one.
    ///
    /// What every provider has is cut out by its length, since finding its end would take as long as reading it.
    fn read(text: &str) -> Option<Self> {
        let (manifest_bytes, text) = text.split_once(' ')?;
        let (tools_bytes, text) = text.split_once(' ')?;
        let (manifest, text) = text.split_at_checked(manifest_bytes.parse().ok()?)?;
        let (tools, rest) = text.split_at_checked(tools_bytes.parse().ok()?)?;
        let rest = match rest {
            "" => Rest::default(),
            _ => serde_json::from_str(rest).ok()?,
        };
        // No document is empty: that is one which was not received.
        let received = |text: &str| (!text.is_empty()).then(|| Arc::from(text));
        let contracts = rest.contracts.into_iter();
        Some(Self {
            script: rest.script,
            answers: ProviderAnswers {
                manifest: received(manifest),
                tools_list: received(tools),
                contracts: contracts
                    .map(|(name, raw)| (name.into_owned(), Arc::from(raw.get())))
                    .collect(),
            },
            failure: rest.failure,
        })
    }

    /// The entry as it stands in the file.
    fn written(&self) -> Option<String> {
        let answers = &self.answers;
        let contracts = answers.contracts.iter();
        let rest = Rest {
            script: self.script.clone(),
            contracts: contracts
                .map(|(name, text)| Some((name.as_str().into(), serde_json::from_str(text).ok()?)))
                .collect::<Option<_>>()?,
            failure: self.failure.clone(),
        };
        let rest = serde_json::to_string(&rest).ok()?;
        let rest = if rest == "{}" { "" } else { &rest };
        let [manifest, tools] = [&answers.manifest, &answers.tools_list]
            .map(|text| text.as_deref().map_or("", str::trim));
        let (manifest_bytes, tools_bytes) = (manifest.len(), tools.len());
        Some(format!(
            "{manifest_bytes} {tools_bytes} {manifest}{tools}{rest}"
        ))
    }

    fn is_fresh(&self, now: SystemTime) -> bool {
        self.failure.as_ref().is_none_or(|failure| {
            // A failure from the future is one from before the clock was set back.
            let age = millis(now).checked_sub(failure.at_millis);
            age.is_some_and(|age| u128::from(age) < FAILURE_LIFETIME.as_millis())
        })
    }
}

/// One entry as it stands in the file.
#[derive(Debug)]
enum Line {
    /// Where it stands in the text that was read; whether it is whole shows when it is used.
    Read(Range<usize>),
    Fresh(Body),
}

#[derive(Debug)]
struct Body {
    used_day: u64,
    /// Everything behind the day.
    text: String,
}

/// The cache file of one user, read into memory.
#[derive(Debug, Default)]
pub(super) struct DiscoveryCache {
    path: Option<PathBuf>,
    text: Vec<u8>,
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
        let text = read_regular_file(&path, MAX_BYTES as u64).unwrap_or_default();
        let mut lines = HashMap::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &text).chain([text.len()]) {
            if let Some(key) = key_of(&text[start..end]) {
                lines.insert(key, Line::Read(start..end));
            }
            start = end + 1;
        }
        Self {
            path: Some(path),
            text,
            lines,
            changed: false,
        }
    }

    /// The entry of a key, when there is one that still counts.
    pub(super) fn get(&mut self, key: &Key, now: SystemTime) -> Option<Entry> {
        let (used_day, body) = body_of(self.lines.get(key)?, &self.text).unzip();
        let entry = body.and_then(Entry::read);
        let Some(entry) = entry.filter(|entry| entry.is_fresh(now)) else {
            self.lines.remove(key);
            self.changed = true;
            return None;
        };
        // Marked once a day, so that a cache that is only read is not written.
        if used_day != Some(day(now)) {
            let text = body.unwrap_or_default().to_owned();
            self.insert(key.clone(), text, now);
        }
        Some(entry)
    }

    /// Keeps an entry in place of what its key had.
    pub(super) fn put(&mut self, key: Key, entry: &Entry, now: SystemTime) {
        let Some(text) = entry.written() else {
            return;
        };
        // A line break stands only between tokens of a JSON text, where a blank means the same and is as long.
        self.insert(key, text.replace(['\n', '\r'], " "), now);
    }

    fn insert(&mut self, key: Key, text: String, now: SystemTime) {
        let used_day = day(now);
        self.lines.insert(key, Line::Fresh(Body { used_day, text }));
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
        let mut kept: Vec<(&Key, u64, &str)> = self
            .lines
            .iter()
            .filter_map(|(key, line)| {
                let (used_day, body) = body_of(line, &self.text)?;
                (used_day + UNUSED_DAYS >= today).then_some((key, used_day, body))
            })
            .collect();
        kept.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(right.0)));
        let mut text = String::new();
        for (key, used_day, body) in kept {
            let written = written_line(key, used_day, body);
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

fn written_line(key: &Key, used_day: u64, body: &str) -> String {
    let mut rest = String::with_capacity(body.len() + 80);
    rest.push_str(&String::from_utf8_lossy(&key.0));
    // Writing to a text cannot fail.
    let _ = write!(rest, " {used_day} {body}");
    format!("{:016x} {rest}\n", checksum(rest.as_bytes()))
}

/// Returns the key that stands behind a line's checksum.
fn key_of(line: &[u8]) -> Option<Key> {
    let (key, _) = line.get(CHECKSUM_DIGITS + 1..)?.split_first_chunk()?;
    Some(Key(*key))
}

/// Returns day and text of a line, unless it is damaged.
fn body_of<'a>(line: &'a Line, text: &'a [u8]) -> Option<(u64, &'a str)> {
    let range = match line {
        Line::Fresh(body) => return Some((body.used_day, &body.text)),
        Line::Read(range) => range.clone(),
    };
    let (digits, rest) = str::from_utf8(text.get(range)?).ok()?.split_once(' ')?;
    if u64::from_str_radix(digits, 16).ok()? != checksum(rest.as_bytes()) {
        return None;
    }
    let (_key, rest) = rest.split_once(' ')?;
    let (used_day, body) = rest.split_once(' ')?;
    Some((used_day.parse().ok()?, body))
}

/// A sum that tells damage from text, at memory speed: each step of it gives two sums for two words or two sums before.
///
/// It keeps nobody from anything. Who may write to the file is this user, and may start programs by other means.
fn checksum(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |sum: u64, word: [u8; 8]| {
        let mixed = (sum ^ u64::from_le_bytes(word)).wrapping_mul(ODD);
        mixed ^ (mixed >> 32)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let sum = words.iter().copied().fold(bytes.len() as u64, step);
    step(sum, last)
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
        let answers = ProviderAnswers {
            manifest: Some(text.into()),
            ..ProviderAnswers::default()
        };
        Entry {
            answers,
            ..Entry::default()
        }
    }

    fn manifest(entry: Option<Entry>) -> Option<String> {
        entry
            .and_then(|entry| entry.answers.manifest)
            .map(|manifest| manifest.to_string())
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
    fn every_part_of_an_entry_comes_back_and_what_was_not_received_stays_away() {
        let answers = |manifest: Option<&str>, tools: Option<&str>, contracts: &[&str]| {
            let contracts = contracts
                .iter()
                .map(|name| ((*name).to_owned(), r#"{"a": "é"}"#.into()));
            ProviderAnswers {
                manifest: manifest.map(Into::into),
                tools_list: tools.map(Into::into),
                contracts: contracts.collect(),
            }
        };
        for answers in [
            answers(None, None, &[]),
            answers(Some("{\"é\": 1}"), Some("[2 ,3]"), &["a.b", "a \"c\""]),
            answers(None, Some("[]"), &["x"]),
            answers(Some("1"), None, &[]),
        ] {
            let script = Some(Script {
                line: "/bin/sh -e".to_owned(),
                interpreters: "00".to_owned(),
            });
            for script in [None, script] {
                let entry = Entry {
                    script: script.clone(),
                    answers: answers.clone(),
                    failure: None,
                };
                let text = entry.written().unwrap();
                let again = Entry::read(&text).unwrap_or_else(|| panic!("{text}"));
                assert_eq!((again.script, again.answers), (script, answers.clone()));
            }
        }
        for text in [
            "",
            "1",
            "1 1",
            "1 1 x",
            "2 0 é{",
            "1 0 é",
            "9999999999999999999999 0 ",
        ] {
            assert!(Entry::read(text).is_none(), "{text}");
        }
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
            assert_eq!(readable(folder.path()), 1, "byte {at_byte}");
        }
        fs::write(&path, &text[..text.len() / 2 + 10]).unwrap();
        assert_eq!(readable(folder.path()), 1);
        fs::write(&path, [0xff; 100]).unwrap();
        assert_eq!(readable(folder.path()), 0);
    }

    #[test]
    fn a_checksum_differs_for_every_bit_and_for_bytes_that_change_places() {
        let text = b"a line of an entry, of some length";
        let whole = checksum(text);
        for bit in 0..text.len() * 8 {
            let mut damaged = *text;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&damaged), whole, "bit {bit}");
        }
        for at in 0..text.len() - 8 {
            let mut damaged = *text;
            damaged.swap(at, at + 8);
            let is_same = damaged == *text;
            assert_eq!(checksum(&damaged) == whole, is_same, "byte {at}");
        }
        assert_ne!(checksum(b""), checksum(b"\0"));
    }

    #[test]
    fn a_damaged_line_that_nobody_asked_for_is_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = DiscoveryCache::read(folder.path());
        cache.put(Key::of(b"a"), &entry("1"), at(1));
        cache.write(at(1)).unwrap();
        let path = folder.path().join(FILE);
        let damaged = fs::read_to_string(&path).unwrap().replace(" 1\n", " 2\n");
        fs::write(&path, damaged).unwrap();
        let mut again = DiscoveryCache::read(folder.path());
        again.put(Key::of(b"b"), &entry("1"), at(1));
        again.write(at(1)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
    }

    /// How many of the two entries of a damaged cache can be used.
    fn readable(folder: &Path) -> usize {
        let mut cache = DiscoveryCache::read(folder);
        [b"a", b"b"]
            .into_iter()
            .filter(|name| cache.get(&Key::of(*name), at(2)).is_some())
            .count()
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
