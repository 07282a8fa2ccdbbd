//! Every bound on one call: its name, its unit, its range and its default.
//!
//! [`Limits`] says which values were asked for; it enforces nothing. [`crate::process`] holds a call to them, and
//! refuses before the start what this machine cannot hold.

use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One thing that a call is held to.
///
/// # Wire shape
/// ```
/// # use lonis_core::limits::Limits;
/// let limits: Limits = serde_json::from_str(r#"{"timeout_millis":20000,"max_stdout_bytes":4194304}"#)?;
/// # let _ = limits;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bound {
    /// Time in which the tool is the one waited for, from just before the spawn.
    ///
    /// # Units and bounds
    /// Milliseconds, 1 to 86 400 000. Default 5 000.
    TimeoutMillis,
    /// Everything written to stdout. Exactly the limit is allowed.
    ///
    /// # Units and bounds
    /// Bytes, from 0. Default 1 048 576.
    MaxStdoutBytes,
    /// Everything written to stderr. Exactly the limit is allowed.
    ///
    /// # Units and bounds
    /// Bytes, from 0. Default 262 144.
    MaxStderrBytes,
    /// Time between TERM and KILL when a call is ended; 0 sends KILL at once.
    ///
    /// # Units and bounds
    /// Milliseconds, 0 to 86 400 000. Default 250.
    KillGraceMillis,
    /// Time that both output pipes get to end after the exit, never past the deadline.
    ///
    /// # Units and bounds
    /// Milliseconds, 0 to 86 400 000. Default 250.
    DrainGraceMillis,
    /// The text of one block.
    ///
    /// # Units and bounds
    /// Bytes, 1 to 16 777 216. Unset: the stdout limit, at most 16 777 216.
    MaxBlockBytes,
    /// Absolute ceiling of a call, a slow reader's time included.
    ///
    /// # Units and bounds
    /// Milliseconds, 1 to 86 400 000. Unset: none.
    MaxWallMillis,
    /// User and system time of the whole tree.
    ///
    /// # Units and bounds
    /// Milliseconds, 1 to 86 400 000. Unset: none.
    MaxCpuMillis,
    /// Resident memory of the whole tree.
    ///
    /// # Units and bounds
    /// Bytes, from 1. Unset: none.
    MaxMemoryBytes,
    /// Processes of the tree alive at one time, the leader included.
    ///
    /// # Units and bounds
    /// A count, from 1. Unset: none.
    MaxProcesses,
    /// The largest file that a process of the tree may write, each file by itself.
    ///
    /// # Units and bounds
    /// Bytes, from 0. Unset: none.
    MaxFileBytes,
    /// What the private folders of the call hold together.
    ///
    /// # Units and bounds
    /// Bytes, from 0. Unset: none.
    MaxPrivateBytes,
    /// Descriptors that one process of the tree may have open.
    ///
    /// # Units and bounds
    /// A count, from 3, since the three pipes are open. Unset: the host's soft limit.
    MaxOpenFiles,
    /// Address space of one process of the tree; managed runtimes reserve far more than they use.
    ///
    /// # Units and bounds
    /// Bytes, from 1. Unset: none.
    MaxAddressSpaceBytes,
}

/// The largest text of one block that is ever accepted, in bytes.
pub const LARGEST_BLOCK_BYTES: u64 = 16_777_216;

/// One day: no call waits longer for anything.
const LONGEST_MILLIS: u64 = 86_400_000;

/// The largest value that every format of a limit can spell, a TOML integer being signed.
const LARGEST_VALUE: u64 = i64::MAX.unsigned_abs();

impl Bound {
    /// Every bound, in the order in which limits are written.
    pub const ALL: [Self; 14] = [
        Self::TimeoutMillis,
        Self::MaxStdoutBytes,
        Self::MaxStderrBytes,
        Self::KillGraceMillis,
        Self::DrainGraceMillis,
        Self::MaxBlockBytes,
        Self::MaxWallMillis,
        Self::MaxCpuMillis,
        Self::MaxMemoryBytes,
        Self::MaxProcesses,
        Self::MaxFileBytes,
        Self::MaxPrivateBytes,
        Self::MaxOpenFiles,
        Self::MaxAddressSpaceBytes,
    ];

    /// Returns the name used in configuration, errors and outcomes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TimeoutMillis => "timeout_millis",
            Self::MaxStdoutBytes => "max_stdout_bytes",
            Self::MaxStderrBytes => "max_stderr_bytes",
            Self::KillGraceMillis => "kill_grace_millis",
            Self::DrainGraceMillis => "drain_grace_millis",
            Self::MaxBlockBytes => "max_block_bytes",
            Self::MaxWallMillis => "max_wall_millis",
            Self::MaxCpuMillis => "max_cpu_millis",
            Self::MaxMemoryBytes => "max_memory_bytes",
            Self::MaxProcesses => "max_processes",
            Self::MaxFileBytes => "max_file_bytes",
            Self::MaxPrivateBytes => "max_private_bytes",
            Self::MaxOpenFiles => "max_open_files",
            Self::MaxAddressSpaceBytes => "max_address_space_bytes",
        }
    }

    /// Finds the bound of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bound| bound.name() == name)
    }

    /// Returns the values that are accepted.
    pub const fn range(self) -> RangeInclusive<u64> {
        match self {
            Self::TimeoutMillis | Self::MaxWallMillis | Self::MaxCpuMillis => 1..=LONGEST_MILLIS,
            Self::KillGraceMillis | Self::DrainGraceMillis => 0..=LONGEST_MILLIS,
            Self::MaxBlockBytes => 1..=LARGEST_BLOCK_BYTES,
            Self::MaxMemoryBytes | Self::MaxProcesses | Self::MaxAddressSpaceBytes => {
                1..=LARGEST_VALUE
            }
            Self::MaxOpenFiles => 3..=LARGEST_VALUE,
            Self::MaxStdoutBytes
            | Self::MaxStderrBytes
            | Self::MaxFileBytes
            | Self::MaxPrivateBytes => 0..=LARGEST_VALUE,
        }
    }

    /// Returns the value that holds when none was set; `None` where the bound is then off.
    pub const fn default_value(self) -> Option<u64> {
        match self {
            Self::TimeoutMillis => Some(5_000),
            Self::MaxStdoutBytes => Some(1_048_576),
            Self::MaxStderrBytes => Some(262_144),
            Self::KillGraceMillis | Self::DrainGraceMillis => Some(250),
            _ => None,
        }
    }

    const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The values that were set for a call, a tool, a provider or all of them.
///
/// A bound that was not set here is looked for in the next set ([`Limits::over`]), at last in
/// [`Bound::default_value`].
///
/// # Wire shape
/// An object with one member for each bound that was set; unknown members are refused.
///
/// # Example
/// ```
/// use lonis_core::limits::{Bound, Limits};
///
/// let tool = Limits::new().with(Bound::TimeoutMillis, 20_000)?.with(Bound::MaxProcesses, 8)?;
/// let call = Limits::new().with(Bound::TimeoutMillis, 500)?;
/// let limits = call.over(&tool);
/// assert_eq!(limits.value(Bound::TimeoutMillis), Some(500));
/// assert_eq!(limits.value(Bound::MaxProcesses), Some(8));
/// assert_eq!(limits.value(Bound::MaxStdoutBytes), Some(1_048_576));
/// # Ok::<(), lonis_core::limits::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    values: [Option<u64>; Bound::ALL.len()],
}

impl Limits {
    /// Creates a set in which nothing is set.
    pub const fn new() -> Self {
        Self {
            values: [None; Bound::ALL.len()],
        }
    }

    /// Sets one bound.
    ///
    /// # Errors
    /// [`LimitError::OutOfRange`] for a value outside of [`Bound::range`].
    pub fn with(mut self, bound: Bound, value: u64) -> Result<Self, LimitError> {
        let range = bound.range();
        if !range.contains(&value) {
            return Err(LimitError::OutOfRange {
                bound,
                value,
                least: *range.start(),
                most: *range.end(),
            });
        }
        self.values[bound.index()] = Some(value);
        Ok(self)
    }

    /// Sets one bound, to the nearest value that it can have.
    pub fn with_nearest(mut self, bound: Bound, value: u64) -> Self {
        let range = bound.range();
        self.values[bound.index()] = Some(value.clamp(*range.start(), *range.end()));
        self
    }

    /// Returns these limits, completed by those of `under` where nothing is set here.
    pub fn over(mut self, under: &Self) -> Self {
        for (value, lower) in self.values.iter_mut().zip(under.values) {
            *value = value.or(lower);
        }
        self
    }

    /// Returns what was set for a bound, without its default.
    pub const fn stated(&self, bound: Bound) -> Option<u64> {
        self.values[bound.index()]
    }

    /// Returns the value in force: what was set, else the default, else `None` for a bound that is off.
    pub fn value(&self, bound: Bound) -> Option<u64> {
        self.stated(bound).or_else(|| match bound {
            Bound::MaxBlockBytes => Some(
                self.value(Bound::MaxStdoutBytes)?
                    .clamp(1, LARGEST_BLOCK_BYTES),
            ),
            _ => bound.default_value(),
        })
    }

    /// Returns the bounds that were set here, with their values, in the order of [`Bound::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Bound, u64)> + '_ {
        Bound::ALL
            .into_iter()
            .filter_map(|bound| Some((bound, self.stated(bound)?)))
    }
}

impl Serialize for Limits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (bound, value) in self.iter() {
            map.serialize_entry(bound.name(), &value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Limits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LimitsVisitor)
    }
}

struct LimitsVisitor;

impl<'de> Visitor<'de> for LimitsVisitor {
    type Value = Limits;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of bounds")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Limits, A::Error> {
        let mut limits = Limits::new();
        while let Some(name) = map.next_key::<String>()? {
            let bound = Bound::from_name(&name)
                .ok_or_else(|| A::Error::custom(LimitError::Unknown { name: name.clone() }))?;
            if limits.stated(bound).is_some() {
                return Err(A::Error::custom(LimitError::Twice { bound }));
            }
            let value = map.next_value::<u64>()?;
            limits = limits.with(bound, value).map_err(A::Error::custom)?;
        }
        Ok(limits)
    }
}

/// Why a limit was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// The value is not one that the bound can have.
    #[error("`{bound}` is {value}, allowed are {least} to {most}")]
    OutOfRange {
        /// The bound.
        bound: Bound,
        /// The value given.
        value: u64,
        /// The least value allowed.
        least: u64,
        /// The largest value allowed.
        most: u64,
    },
    /// No bound has this name.
    #[error("`{name}` is not a bound")]
    Unknown {
        /// The name given.
        name: String,
    },
    /// One bound was given two values.
    #[error("`{bound}` is given twice")]
    Twice {
        /// The bound.
        bound: Bound,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_complete_and_in_declaration_order() {
        for (index, bound) in Bound::ALL.into_iter().enumerate() {
            assert_eq!(bound.index(), index);
            assert_eq!(Bound::from_name(bound.name()), Some(bound));
            if let Some(value) = bound.default_value() {
                assert!(bound.range().contains(&value), "{bound}");
            }
        }
        assert_eq!(Bound::from_name("max_wall"), None);
    }

    #[test]
    fn the_defaults_are_those_of_the_wire_contract() {
        let unset = Limits::new();
        let mut stated: Vec<(&str, u64)> = Bound::ALL
            .into_iter()
            .filter_map(|bound| Some((bound.name(), unset.value(bound)?)))
            .collect();
        let mut expected = [
            ("timeout_millis", 5_000),
            ("max_stdout_bytes", 1_048_576),
            ("max_stderr_bytes", 262_144),
            ("kill_grace_millis", 250),
            ("drain_grace_millis", 250),
            ("max_block_bytes", 1_048_576),
        ];
        stated.sort_unstable();
        expected.sort_unstable();
        assert_eq!(stated, expected, "every other bound is off");
        assert_eq!(Bound::TimeoutMillis.range(), 1..=86_400_000);
        assert_eq!(*Bound::MaxBlockBytes.range().end(), 16_777_216);
    }

    #[test]
    fn values_outside_the_range_are_refused() {
        for bound in Bound::ALL {
            let range = bound.range();
            for value in [*range.start(), *range.end()] {
                let limits = Limits::new().with(bound, value).expect("in range");
                assert_eq!(limits.stated(bound), Some(value));
            }
            let above = Limits::new().with(bound, range.end() + 1);
            assert!(
                matches!(above, Err(LimitError::OutOfRange { .. })),
                "{bound}"
            );
            if let Some(value) = range.start().checked_sub(1) {
                assert!(Limits::new().with(bound, value).is_err(), "{bound}");
            }
        }
    }

    #[test]
    fn a_block_may_take_what_stdout_may() {
        let check = |stdout: u64, expected: u64| {
            let limits = Limits::new()
                .with(Bound::MaxStdoutBytes, stdout)
                .expect("in range");
            assert_eq!(limits.value(Bound::MaxBlockBytes), Some(expected));
        };
        check(0, 1);
        check(4_096, 4_096);
        check(1 << 40, LARGEST_BLOCK_BYTES);
    }

    #[test]
    fn text_forms_go_through_the_same_checks() {
        let text = r#"{"timeout_millis":1,"max_open_files":64}"#;
        let limits: Limits = serde_json::from_str(text).expect("valid");
        assert_eq!(serde_json::to_string(&limits).expect("writable"), text);
        for (text, part) in [
            (
                r#"{"timeout_millis":0}"#,
                "`timeout_millis` is 0, allowed are 1 to 86400000",
            ),
            (r#"{"timeout":1}"#, "`timeout` is not a bound"),
            (
                r#"{"max_processes":1,"max_processes":2}"#,
                "`max_processes` is given twice",
            ),
            (r#"{"max_processes":-1}"#, "invalid value"),
            ("[1]", "an object of bounds"),
        ] {
            let error = serde_json::from_str::<Limits>(text).expect_err(text);
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
