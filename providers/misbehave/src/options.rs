//! The `key=value` arguments, and the words between them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// Options that every mode takes.
pub(crate) const COMMON: &[&str] = &[
    "log",
    "gate",
    "chunk",
    "tools",
    "manifest",
    "list",
    "describe",
    "serve",
    "delay_millis",
    "role",
    "ready",
    "keep",
];

/// Why a mode stopped before its own end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments are wrong: a mistake of the test, never part of a mode.
    Usage(String),
    /// The system refused something.
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rustix::io::Errno> for Failure {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Io(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) => write!(formatter, "misbehave: {text}"),
            Self::Io(error) => write!(formatter, "misbehave: {error}"),
        }
    }
}

/// The `key=value` arguments by key.
#[derive(Debug, Default)]
pub(crate) struct Options(BTreeMap<String, OsString>);

impl Options {
    /// Takes the options out of the arguments and gives the words that are left.
    pub(crate) fn split(arguments: impl Iterator<Item = OsString>) -> (Self, Vec<OsString>) {
        let mut options = Self::default();
        let words = arguments
            .filter(|argument| !options.take(argument))
            .collect();
        (options, words)
    }

    /// Takes one argument if it is `key=value`, the key being lowercase letters and `_`.
    pub(crate) fn take(&mut self, argument: &OsStr) -> bool {
        let bytes = argument.as_bytes();
        let Some(equals) = bytes.iter().position(|&byte| byte == b'=') else {
            return false;
        };
        let Ok(key) = std::str::from_utf8(&bytes[..equals]) else {
            return false;
        };
        if key.is_empty()
            || !key
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            return false;
        }
        self.0.insert(
            key.to_owned(),
            OsStr::from_bytes(&bytes[equals + 1..]).to_owned(),
        );
        true
    }

    /// Refuses an option that neither the mode nor every mode has, so that a misspelt one never tests nothing.
    pub(crate) fn check(&self, mode: &str, known: &[&str]) -> Result<(), Failure> {
        match self
            .0
            .keys()
            .find(|key| !known.contains(&key.as_str()) && !COMMON.contains(&key.as_str()))
        {
            Some(key) => Err(Failure::Usage(format!(
                "mode `{mode}` has no option `{key}`, but {known:?}"
            ))),
            None => Ok(()),
        }
    }

    pub(crate) fn raw(&self, key: &str) -> Option<&OsStr> {
        self.0.get(key).map(OsString::as_os_str)
    }

    pub(crate) fn text<'a>(&'a self, key: &str, default: &'a str) -> &'a str {
        self.raw(key).and_then(OsStr::to_str).unwrap_or(default)
    }

    pub(crate) fn number(&self, key: &str, default: u64) -> Result<u64, Failure> {
        let Some(value) = self.raw(key) else {
            return Ok(default);
        };
        let digits = value.to_str().map(|text| text.replace('_', ""));
        digits
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| {
                Failure::Usage(format!(
                    "option `{key}` is a whole number, not `{}`",
                    value.display()
                ))
            })
    }

    pub(crate) fn millis(&self, key: &str, default: u64) -> Result<Duration, Failure> {
        self.number(key, default).map(Duration::from_millis)
    }

    /// `true` for any value but `no`.
    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.raw(key).is_some_and(|value| value != "no")
    }
}
