//! What happens, for whoever looks for the cause of something: events with fields, handed to a sink that a program sets.
//!
//! Without a sink nothing is put together and nothing is kept. No event has an input, an output, an argument or the value
//! of a variable in it.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// How much an event matters; a later one matters less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something that was asked for was not done.
    Error,
    /// Something is not as its author may want it.
    Warn,
    /// What was begun and what came of it.
    Info,
    /// How it was done.
    Debug,
    /// Each step.
    Trace,
}

impl Level {
    /// Every level, the one that matters most first.
    pub const ALL: [Self; 5] = [
        Self::Error,
        Self::Warn,
        Self::Info,
        Self::Debug,
        Self::Trace,
    ];

    /// Returns the level's word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }

    const fn number(self) -> u8 {
        self as u8 + 1
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// A word that is no level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no level, which is `error`, `warn`, `info`, `debug` or `trace`")]
pub struct UnknownLevel(String);

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|level| level.word() == text);
        found.ok_or_else(|| UnknownLevel(text.escape_debug().to_string()))
    }
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text, in which others may have had a say.
    Text(String),
    /// A number.
    Number(u64),
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// How much it matters.
    pub level: Level,
    /// What happened, one name for each sort of event: `call.ended`.
    pub name: &'static str,
    /// The facts, by name.
    pub fields: Vec<(&'static str, Value)>,
}

type Sink = Box<dyn Fn(&Event) + Send + Sync>;

static SINK: OnceLock<Sink> = OnceLock::new();
/// The number of the last level that is handed on; 0 is none.
static MOST: AtomicU8 = AtomicU8::new(0);

/// Hands every event up to a level to a function, from the thread in which it happens; returns whether it was set.
///
/// It is for programs, and set once: a second one is refused.
pub fn set_sink(level: Level, sink: impl Fn(&Event) + Send + Sync + 'static) -> bool {
    let is_first = SINK.set(Box::new(sink)).is_ok();
    if is_first {
        MOST.store(level.number(), Ordering::Relaxed);
    }
    is_first
}

/// Returns whether events of a level are handed on.
pub fn is_on(level: Level) -> bool {
    level.number() <= MOST.load(Ordering::Relaxed)
}

/// Hands an event on; its fields are put together only where somebody wants them.
pub fn event(
    level: Level,
    name: &'static str,
    fields: impl FnOnce() -> Vec<(&'static str, Value)>,
) {
    if !is_on(level) {
        return;
    }
    if let Some(sink) = SINK.get() {
        sink(&Event {
            level,
            name,
            fields: fields(),
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn a_word_is_a_level_and_nothing_else_is() {
        for level in Level::ALL {
            assert_eq!(level.word().parse(), Ok(level));
        }
        for word in ["", "Error", "warning", "all"] {
            let error = word.parse::<Level>().unwrap_err();
            assert!(error.to_string().contains("`trace`"), "{error}");
        }
    }

    #[test]
    fn what_matters_less_than_was_asked_for_is_not_put_together() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        // Other tests of this program may be calling tools meanwhile.
        let is_own = |event: &Event| event.name.starts_with("test.");
        assert!(set_sink(Level::Info, move |event| {
            if is_own(event) {
                kept.lock().unwrap().push(event.clone());
            }
        }));
        assert!(!set_sink(Level::Trace, |_| {}), "it is set once");
        event(Level::Debug, "test.less", || panic!("nobody wants it"));
        event(Level::Info, "test.wanted", || vec![("number", 3.into())]);
        let seen = seen.lock().unwrap();
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].fields, [("number", Value::Number(3))]);
    }
}
