//! A control group of one call: everything that descends from the child is in it, and is killed as one.
//!
//! Only version 2 groups can be killed. The folder is made below the group that this process is in, which has to be
//! writable; nothing of this process's own group is changed. Names carry the number and the start of their host, so that
//! the folders of hosts that have died are known and go at the next use.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::limits::{Bound, Limits};

use super::super::outcome::{LeftBehind, LeftBehindReason};
use super::super::proc;
use super::super::wait::pause;
use super::sweep::{MOST_PROCESSES, Sweep};

const PREFIX: &str = "lonis-";

/// How often a folder whose last process is just leaving is tried again, with a millisecond between.
const REMOVAL_ATTEMPTS: u32 = 20;

/// A group of one call, with its folder open.
#[derive(Debug)]
pub(crate) struct ControlGroup {
    path: PathBuf,
    folder: File,
    events: File,
    /// Whether the kernel holds the memory of the whole group to a limit.
    holds_memory: bool,
    killed: bool,
    has_ended_any: bool,
}

impl ControlGroup {
    /// Makes a group, or says what is missing for it.
    pub(crate) fn create() -> Result<Self, &'static str> {
        static BASE: OnceLock<Option<PathBuf>> = OnceLock::new();
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let base = BASE.get_or_init(find_base).as_ref();
        let base = base.ok_or("no version 2 control group is mounted")?;
        let host = own_name().ok_or("this process has no entry under /proc")?;
        let path = base.join(format!("{host}-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir(&path).map_err(|_| "the control group of this process is not writable")?;
        Self::open(path.clone()).map_err(|_| {
            // It is empty, and the next host removes what cannot be removed now.
            let _ = fs::remove_dir(&path);
            "the kernel cannot kill a control group"
        })
    }

    fn open(path: PathBuf) -> io::Result<Self> {
        let folder = File::open(&path)?;
        let mut events = File::open(path.join("cgroup.events"))?;
        // The first read arms the notification of later changes.
        is_populated(&mut events)?;
        fs::metadata(path.join("cgroup.kill"))?;
        Ok(Self {
            path,
            folder,
            events,
            holds_memory: false,
            killed: false,
            has_ended_any: false,
        })
    }

    pub(crate) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Lets the kernel hold what it can of these limits for the whole group.
    ///
    /// The files are there only where the controllers are, which a mounted hierarchy does not promise.
    pub(crate) fn hold(&mut self, limits: &Limits) {
        let set = |file: &str, value: u64| write(&self.path.join(file), &value.to_string()).is_ok();
        if let Some(limit) = limits.value(Bound::MaxMemoryBytes) {
            // The tree ends as one, not whichever process the kernel picks; and it is not driven into swap.
            let as_one = set("memory.oom.group", 1);
            let in_memory =
                set("memory.swap.max", 0) || !self.path.join("memory.swap.max").exists();
            self.holds_memory = as_one && in_memory && set("memory.max", limit);
        }
        if let Some(limit) = limits.value(Bound::MaxProcesses) {
            // Beside the count, which alone would be late for a tool that forks without end. One more than allowed, so
            // that the count sees the process too many.
            set("pids.max", limit.saturating_add(1));
        }
    }

    /// Returns whether the kernel holds the memory of the whole group to a limit.
    pub(crate) fn holds_memory(&self) -> bool {
        self.holds_memory
    }

    /// Returns the time that the whole group has used.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.entry("cpu.stat", "usage_usec")
            .map(Duration::from_micros)
    }

    /// Returns the largest memory of the whole group, if the kernel keeps it.
    pub(crate) fn peak_memory_bytes(&self) -> Option<u64> {
        self.counter("memory.peak")
    }

    /// Returns the most processes of the whole group, if the kernel keeps it.
    pub(crate) fn peak_processes(&self) -> Option<u64> {
        self.counter("pids.peak")
    }

    /// Returns whether the kernel has ended the group because of its memory.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        self.entry("memory.events", "oom_kill")
            .is_some_and(|kills| kills > 0)
    }

    fn counter(&self, file: &str) -> Option<u64> {
        fs::read_to_string(self.path.join(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    fn entry(&self, file: &str, name: &str) -> Option<u64> {
        entry(&fs::read_to_string(self.path.join(file)).ok()?, name)
    }

    /// Returns the processes of the group.
    pub(crate) fn members(&self) -> Vec<u32> {
        let list = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        let mut members = proc::numbers(&list);
        members.truncate(MOST_PROCESSES);
        members
    }

    pub(crate) fn sweep(&mut self) -> Sweep {
        if !self.killed {
            self.killed = true;
            let is_alive = |pid: &u32| proc::look(*pid).is_some_and(|look| !look.is_zombie);
            self.has_ended_any = self.members().iter().any(is_alive);
            // Also where it seems empty, since a process may be on its way into it. A refusal shows in the events.
            let _ = write(&self.path.join("cgroup.kill"), "1");
        }
        match is_populated(&mut self.events) {
            Ok(false) => Sweep::Done(Vec::new()),
            _ => Sweep::Waiting,
        }
    }

    pub(crate) fn waits_for(&self) -> Option<BorrowedFd<'_>> {
        self.killed.then(|| self.events.as_fd())
    }

    /// Returns the processes that are still there although they were killed.
    pub(crate) fn left_behind(&self) -> Vec<LeftBehind> {
        let members = self.members().into_iter();
        members
            .map(|pid| LeftBehind {
                pid,
                reason: LeftBehindReason::Uninterruptible,
            })
            .collect()
    }

    pub(crate) fn has_ended_any(&self) -> bool {
        self.has_ended_any
    }

    /// Removes the folder; groups that the tool has made inside go first.
    pub(crate) fn remove(&self) -> Result<(), String> {
        remove(&self.path).map_err(|error| {
            format!(
                "control group `{}` could not be removed: {error}",
                self.path.display()
            )
        })
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // Gone already after a call; after a start that failed it is empty.
        let _ = fs::remove_dir(&self.path);
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .open(path)?
        .write_all(text.as_bytes())
}

fn is_populated(events: &mut File) -> io::Result<bool> {
    let mut text = String::new();
    events.seek(SeekFrom::Start(0))?;
    events.read_to_string(&mut text)?;
    Ok(entry(&text, "populated") != Some(0))
}

fn entry(text: &str, name: &str) -> Option<u64> {
    let mut words = text.lines().map(str::split_ascii_whitespace);
    let mut line = words.find_map(|mut words| (words.next() == Some(name)).then_some(words))?;
    line.next()?.parse().ok()
}

fn remove(path: &Path) -> io::Result<()> {
    for _ in 0..REMOVAL_ATTEMPTS {
        match fs::remove_dir(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(_) => remove_inner(path),
        }
        pause(Duration::from_millis(1));
    }
    fs::remove_dir(path)
}

fn remove_inner(path: &Path) {
    let folders = fs::read_dir(path).into_iter().flatten().flatten();
    for folder in folders.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove_inner(&folder.path());
        // What stays makes the removal of the outer folder fail, which is reported.
        let _ = fs::remove_dir(folder.path());
    }
}

/// Returns the folder of the group that this process is in, and clears away what dead hosts have left there.
fn find_base() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let base = base(&mounts, &groups)?;
    for folder in fs::read_dir(&base).ok()?.flatten() {
        let name = folder.file_name();
        if is_of_dead_host(&name.to_string_lossy()) {
            // Another host may be doing the same; whoever is later finds nothing.
            let _ = write(&folder.path().join("cgroup.kill"), "1");
            let _ = remove(&folder.path());
        }
    }
    Some(base)
}

fn base(mounts: &str, groups: &str) -> Option<PathBuf> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        if !kind.starts_with("cgroup2 ") {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        // Below a mount that shows a part of the hierarchy only what lies in that part has a path.
        let below = Path::new(own).strip_prefix(root).ok()?;
        Some(Path::new(point).join(below))
    })
}

fn own_name() -> Option<String> {
    let pid = std::process::id();
    Some(format!("{PREFIX}{pid}-{}", proc::look(pid)?.started))
}

fn is_of_dead_host(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else {
        return false;
    };
    let mut numbers = rest.split('-').map(str::parse::<u64>);
    let (Some(Ok(pid)), Some(Ok(started)), Some(Ok(_)), None) = (
        numbers.next(),
        numbers.next(),
        numbers.next(),
        numbers.next(),
    ) else {
        return false;
    };
    let look = u32::try_from(pid).ok().and_then(proc::look);
    look.is_none_or(|look| look.started != started)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_one_this_process_is_in() {
        let mount = |root: &str, kind: &str| {
            format!("30 23 0:26 {root} /sys/fs/cgroup rw,relatime shared:4 - {kind} cgroup2 rw\n")
        };
        let check = |mounts: &str, groups: &str, expected: Option<&str>| {
            assert_eq!(
                base(mounts, groups),
                expected.map(PathBuf::from),
                "{mounts}{groups}"
            );
        };
        check(
            &mount("/", "cgroup2"),
            "0::/user/a\n",
            Some("/sys/fs/cgroup/user/a"),
        );
        check(
            &mount("/user", "cgroup2"),
            "4:memory:/x\n0::/user/a\n",
            Some("/sys/fs/cgroup/a"),
        );
        check(&mount("/other", "cgroup2"), "0::/user/a\n", None);
        check(&mount("/", "cgroup"), "0::/user/a\n", None);
        check(&mount("/", "cgroup2"), "4:memory:/x\n", None);
    }

    #[test]
    fn only_folders_of_dead_hosts_are_cleared_away() {
        let own = own_name().expect("this process runs");
        assert!(!is_of_dead_host(&format!("{own}-0")));
        for name in [
            "user.slice",
            "lonis-",
            "lonis-x-1-1",
            "lonis-1-2",
            "lonis-1-2-3-4",
        ] {
            assert!(!is_of_dead_host(name), "{name}");
        }
        let pid = std::process::id();
        assert!(is_of_dead_host(&format!("lonis-{pid}-1-0")));
        assert!(is_of_dead_host("lonis-4294967295-1-0"));
    }

    #[test]
    fn lists_give_the_number_beside_a_name() {
        let text = "usage_usec 12\nuser_usec 7\npopulated 0\n";
        assert_eq!(entry(text, "user_usec"), Some(7));
        assert_eq!(entry(text, "populated"), Some(0));
        assert_eq!(entry(text, "usage"), None);
    }
}
