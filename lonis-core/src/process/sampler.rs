//! Bounds that nothing holds but a look every 20 ms, over the call's own tree, and only while one of them is set.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::limits::{Bound, Limits};

use super::clock::Moment;
use super::outcome::{Breach, Enforcement};
use super::proc;
use super::tree::Tree;
use super::tree::control_group::ControlGroup;

/// Between two looks.
const PERIOD: Duration = Duration::from_millis(20);

/// A look that takes long is followed by a pause of this many times its length, so that a call with a huge tree or
/// folder costs its host a quarter of a core at most.
const REST_FACTOR: u32 = 3;

/// What a file or folder takes up at least: its entry, when there are no blocks of data.
const LEAST_ENTRY_BYTES: u64 = 512;

const BLOCK_BYTES: u64 = 512;

/// Watches one call.
#[derive(Debug)]
pub(crate) struct Sampler {
    cpu_millis: Option<u64>,
    memory_bytes: Option<u64>,
    processes: Option<u64>,
    private_bytes: Option<u64>,
    folder: Option<PathBuf>,
    next: Moment,
    peaks: Peaks,
}

/// The largest values seen of a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peaks {
    pub(crate) cpu: Duration,
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u64,
}

impl Sampler {
    /// Watches what is set in the limits; `None` if nothing there has to be watched.
    pub(crate) fn new(limits: &Limits, folder: Option<&Path>, now: Moment) -> Option<Self> {
        let sampler = Self {
            cpu_millis: limits.value(Bound::MaxCpuMillis),
            memory_bytes: limits.value(Bound::MaxMemoryBytes),
            processes: limits.value(Bound::MaxProcesses),
            private_bytes: limits.value(Bound::MaxPrivateBytes),
            folder: folder.map(Path::to_owned),
            next: now,
            peaks: Peaks::default(),
        };
        (sampler.watches_tree() || sampler.private_bytes.is_some()).then_some(sampler)
    }

    fn watches_tree(&self) -> bool {
        self.cpu_millis.is_some() || self.memory_bytes.is_some() || self.processes.is_some()
    }

    /// Returns when to look next.
    pub(crate) fn next(&self) -> Moment {
        self.next
    }

    /// Returns the largest values seen, if the tree was looked at.
    pub(crate) fn peaks(&self) -> Option<Peaks> {
        self.watches_tree().then_some(self.peaks)
    }

    /// Looks at the call if it is time to, and returns the bound that it breaks.
    pub(crate) fn look_if_due(&mut self, tree: &Tree, leader: u32, now: Moment) -> Option<Breach> {
        if now < self.next {
            return None;
        }
        let breach = self.look(tree, leader);
        let after = Moment::now();
        self.next = after.plus(PERIOD.max(after.since(now) * REST_FACTOR));
        breach
    }

    /// Looks at the call before its leader is reaped, so that what it did after the last look counts too.
    pub(crate) fn look(&mut self, tree: &Tree, leader: u32) -> Option<Breach> {
        let in_tree = if self.watches_tree() {
            self.look_at_tree(tree, leader)
        } else {
            None
        };
        in_tree.or_else(|| self.look_at_folder())
    }

    fn look_at_tree(&mut self, tree: &Tree, leader: u32) -> Option<Breach> {
        let (mut ticks, mut pages, mut processes) = (0, 0, 0);
        for look in tree.members(leader).into_iter().filter_map(proc::look) {
            ticks += look.ticks;
            pages += look.pages;
            // What has ended holds nothing but its number until its parent takes its status.
            processes += u64::from(!look.is_zombie);
        }
        let group = tree.control_group();
        let cpu = group
            .and_then(ControlGroup::cpu)
            .unwrap_or_else(|| proc::ticks_to_time(ticks));
        self.peaks.cpu = self.peaks.cpu.max(cpu);
        self.peaks.memory_bytes = self.peaks.memory_bytes.max(proc::pages_to_bytes(pages));
        self.peaks.processes = self.peaks.processes.max(processes);
        self.cpu_breach(group)
            .or_else(|| self.memory_breach(group))
            .or_else(|| self.count_breach(group))
    }

    fn cpu_breach(&self, group: Option<&ControlGroup>) -> Option<Breach> {
        let millis = u64::try_from(self.peaks.cpu.as_millis()).unwrap_or(u64::MAX);
        breach(
            Bound::MaxCpuMillis,
            self.cpu_millis,
            millis,
            enforcement(Bound::MaxCpuMillis, group)?,
        )
    }

    fn memory_breach(&self, group: Option<&ControlGroup>) -> Option<Breach> {
        let (bound, limit) = (Bound::MaxMemoryBytes, self.memory_bytes?);
        let enforced_by = enforcement(bound, group)?;
        match group {
            // The kernel holds it: what counts is whether it had to act, and it counts more than resident memory.
            Some(group) if group.holds_memory() => group.is_out_of_memory().then(|| Breach {
                bound,
                limit,
                observed: group.peak_memory_bytes(),
                enforced_by,
            }),
            _ => breach(bound, Some(limit), self.peaks.memory_bytes, enforced_by),
        }
    }

    fn count_breach(&self, group: Option<&ControlGroup>) -> Option<Breach> {
        let bound = Bound::MaxProcesses;
        breach(
            bound,
            self.processes,
            self.peaks.processes,
            enforcement(bound, group)?,
        )
    }

    fn look_at_folder(&self) -> Option<Breach> {
        let limit = self.private_bytes?;
        let observed = held_bytes(self.folder.as_deref()?, limit);
        breach(
            Bound::MaxPrivateBytes,
            Some(limit),
            observed,
            Enforcement::PrivateDirectoryGrowth,
        )
    }
}

fn breach(
    bound: Bound,
    limit: Option<u64>,
    observed: u64,
    enforced_by: Enforcement,
) -> Option<Breach> {
    let limit = limit.filter(|limit| observed > *limit)?;
    Some(Breach {
        bound,
        limit,
        observed: Some(observed),
        enforced_by,
    })
}

/// Returns by what means a bound is held that has to be looked after; `None` for every other bound.
pub(crate) fn enforcement(bound: Bound, group: Option<&ControlGroup>) -> Option<Enforcement> {
    Some(match (bound, group) {
        (Bound::MaxCpuMillis | Bound::MaxProcesses, Some(_)) => Enforcement::ControlGroup,
        (Bound::MaxMemoryBytes, Some(group)) if group.holds_memory() => Enforcement::ControlGroup,
        (Bound::MaxCpuMillis, None) => Enforcement::ProcessTreeCpu,
        (Bound::MaxProcesses, None) => Enforcement::ProcessTreeCount,
        (Bound::MaxMemoryBytes, _) => Enforcement::ProcessTreeRssSampled,
        (Bound::MaxPrivateBytes, _) => Enforcement::PrivateDirectoryGrowth,
        _ => return None,
    })
}

/// Returns what a folder holds, counted until it is more than `enough`.
fn held_bytes(folder: &Path, enough: u64) -> u64 {
    let mut bytes = 0_u64;
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // The data of the entry itself: links are not followed. What vanishes meanwhile holds nothing.
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            bytes += (metadata.blocks() * BLOCK_BYTES).max(LEAST_ENTRY_BYTES);
            if bytes > enough {
                return bytes;
            }
            if metadata.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_what_its_files_take_up() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(held_bytes(folder.path(), 0), 0);
        fs::create_dir(folder.path().join("below")).expect("made");
        fs::write(folder.path().join("below/file"), vec![1; 100_000]).expect("written");
        std::os::unix::fs::symlink("/", folder.path().join("link")).expect("linked");
        let held = held_bytes(folder.path(), u64::MAX);
        assert!((100_000..200_000).contains(&held), "{held}");
        assert!(held_bytes(folder.path(), 100) > 100);
        assert_eq!(held_bytes(Path::new("/nonexistent"), 0), 0);
    }
}
