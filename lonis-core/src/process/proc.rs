//! What the kernel tells about processes under `/proc`.
//!
//! A process can vanish between any two looks; then it is absent, never an error.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// One look at a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Its parent's number.
    pub(crate) parent: u32,
    /// The number of the process group that it is in.
    pub(crate) group: u32,
    /// The number of the session that it is in.
    pub(crate) session: u32,
    /// Whether it has ended and waits for its reap.
    pub(crate) is_zombie: bool,
    /// Whether it computes, or would if it had a core.
    pub(crate) is_computing: bool,
    /// Clock ticks since the boot at which it started; with its number this names it for good.
    pub(crate) started: u64,
    /// Time of its own and of the children that it reaped, in clock ticks.
    pub(crate) ticks: u64,
    /// Resident memory in pages.
    pub(crate) pages: u64,
}

/// Looks at a process.
pub(crate) fn look(pid: u32) -> Option<Look> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(stat: &str) -> Option<Look> {
    // The name in the second field may hold blanks and brackets, so the fields are counted from its last bracket.
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let pid = |field: usize| u32::try_from(number(field)?).ok();
    Some(Look {
        parent: pid(4)?,
        group: pid(5)?,
        session: pid(6)?,
        is_zombie: matches!(*fields.first()?, "Z" | "X"),
        is_computing: *fields.first()? == "R",
        started: number(22)?,
        ticks: number(14)? + number(15)? + number(16)? + number(17)?,
        pages: number(24)?,
    })
}

impl Look {
    /// Returns whether it has stayed in the session or the group of a leader.
    pub(crate) fn is_led_by(&self, leader: u32) -> bool {
        [self.session, self.group].contains(&leader)
    }
}

/// Returns the children of a process, those of all its threads.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| numbers(&list)).collect()
}

/// Returns how many children of this process compute, or wait for descendants that do, as far as a look at some of them
/// tells.
pub(crate) fn computing_children() -> usize {
    /// Looked at, so that a look takes a fraction of a millisecond.
    const LOOKS: usize = 16;
    /// Below each: a wrapper has a child, which may have one.
    const LEVELS: usize = 2;
    let children = children(std::process::id());
    let step = children.len().div_ceil(LOOKS).max(1);
    let looked: Vec<bool> = children
        .iter()
        .step_by(step)
        .map(|pid| computes(*pid, LEVELS))
        .collect();
    let computing = looked.iter().filter(|computes| **computes).count();
    computing * children.len() / looked.len().max(1)
}

fn computes(pid: u32, levels: usize) -> bool {
    let below = || {
        let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        numbers(&list.unwrap_or_default())
    };
    look(pid).is_some_and(|look| look.is_computing)
        || (levels > 0 && below().into_iter().any(|pid| computes(pid, levels - 1)))
}

/// Returns whether the kernel keeps lists of children at all.
pub(crate) fn lists_children() -> bool {
    static LISTS: OnceLock<bool> = OnceLock::new();
    let list = || format!("/proc/self/task/{}/children", std::process::id());
    *LISTS.get_or_init(|| Path::new(&list()).exists())
}

/// Reads the numbers of a list of children.
pub(crate) fn numbers(list: &str) -> Vec<u32> {
    list.split_ascii_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// Returns a process and everything below it, as far as one walk finds them; at most `most` of them.
pub(crate) fn descendants(root: u32, most: usize) -> Vec<u32> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        next += 1;
        if found.len() >= most {
            break;
        }
        found.extend(children(pid));
    }
    found.truncate(most);
    found
}

/// Returns the working directory of a process.
pub(crate) fn directory(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// Returns the largest resident memory that this process has had.
pub(crate) fn own_peak_bytes() -> Option<u64> {
    // The file is whole in one read, and a text that grows while it is read would take eight.
    let mut bytes = [0; 4_096];
    let length = File::open("/proc/self/status")
        .ok()?
        .read(&mut bytes)
        .ok()?;
    let status = String::from_utf8_lossy(&bytes[..length]);
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kibibytes.saturating_mul(1_024))
}

/// Returns clock ticks as time.
pub(crate) fn ticks_to_time(ticks: u64) -> Duration {
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(ticks.saturating_mul(1_000) / per_second)
}

/// Returns pages as bytes.
pub(crate) fn pages_to_bytes(pages: u64) -> u64 {
    pages.saturating_mul(rustix::param::page_size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let rest =
            "S 7 8 9 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 555 1000 66 18446744073709551615";
        for name in ["sh", "a b", "x) Z 1 (y"] {
            let look = parse(&format!("42 ({name}) {rest}")).expect("well formed");
            let expected = Look {
                parent: 7,
                group: 8,
                session: 9,
                is_zombie: false,
                is_computing: false,
                started: 555,
                ticks: 100,
                pages: 66,
            };
            assert_eq!(look, expected, "{name}");
        }
        for text in ["", "42", "42 (sh) S", "42 (sh) S 1 2 x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn this_process_is_there_and_others_are_not() {
        let own = std::process::id();
        let look = look(own).expect("this process runs");
        assert!(!look.is_zombie && look.pages > 0);
        assert_eq!(descendants(own, 1), [own]);
        assert!(own_peak_bytes().expect("it has memory") >= pages_to_bytes(look.pages) / 2);
        assert_eq!(super::look(u32::MAX), None);
        assert!(children(u32::MAX).is_empty());
    }
}
