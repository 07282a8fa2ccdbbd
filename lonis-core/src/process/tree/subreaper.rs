//! The child-subreaper: orphans of our children become our children, so that none of them can get away.
//!
//! The setting holds for the whole process, so it is for programs that own theirs; a library host opts in. An orphan does
//! not say whose it was. It belongs to the call whose session, group or private folder it is in, or that had it among its
//! descendants when it was looked at; else to whichever calls were alive when it was first seen, and it is ended when all
//! of these have ended. Children that the host started by other means are never touched.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, set_child_subreaper, waitpid,
};

use super::super::outcome::{LeftBehind, LeftBehindReason};
use super::super::proc::{self, Look};
use super::super::system_error::SystemError;
use super::sweep::{MOST_PROCESSES, Sweep};

/// How long a look waits for a start on the main thread, whose child is not known yet.
const START_PATIENCE: Duration = Duration::from_millis(50);

/// How often one sweep looks again before it lets others have their turn.
const ROUNDS: u32 = 64;

static KEEPER: OnceLock<Keeper> = OnceLock::new();

/// Which children of this process it started by other means than this crate.
pub enum OtherChildren {
    /// None: every child that is not known here is an orphan of a tool.
    None,
    /// Those for whose process ids the function returns `true`. It is called from any thread.
    Known(Box<dyn Fn(u32) -> bool + Send + Sync>),
}

impl fmt::Debug for OtherChildren {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::None => "None",
            Self::Known(_) => "Known(..)",
        })
    }
}

/// Makes this process the one that orphans of its tools come to, so that every later call ends its whole tree.
///
/// This holds for the process until its end. It is for programs that own their process; a library host that starts
/// children by other means has to say which they are, since an orphan cannot be told from them otherwise. Further calls
/// change nothing.
///
/// # Errors
/// The kernel has no such setting, or keeps no lists of children.
pub fn adopt_orphans(other_children: OtherChildren) -> Result<(), SystemError> {
    if KEEPER.get().is_some() {
        return Ok(());
    }
    let own = std::process::id();
    // Orphans come to the first thread of a process; it is the one with the number of the process.
    let list = File::open(format!("/proc/self/task/{own}/children")).map_err(|error| {
        SystemError::new(
            "list the children of this process",
            error.raw_os_error().unwrap_or(0),
        )
    })?;
    set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| SystemError::of("become the parent of orphans", error))?;
    // Of two threads that come here at once the first one's keeper stays; the other's list is closed.
    KEEPER.get_or_init(|| Keeper {
        list,
        other_children,
        state: Mutex::default(),
        main_started: Condvar::new(),
    });
    Ok(())
}

struct Keeper {
    list: File,
    other_children: OtherChildren,
    state: Mutex<State>,
    main_started: Condvar,
}

#[derive(Default)]
struct State {
    calls: HashMap<u64, Call>,
    orphans: HashMap<u32, Orphan>,
    next_call: u64,
    /// A start is under way on the main thread: its child is in the list and not known yet.
    main_starts: bool,
}

struct Call {
    leader: Option<u32>,
    folder: Option<PathBuf>,
}

struct Orphan {
    started: u64,
    /// The calls that it may belong to.
    suspects: HashSet<u64>,
}

impl Keeper {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no child is on its way that would be taken for an orphan.
    fn lock_settled(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.lock();
        let waited = self
            .main_started
            .wait_timeout_while(state, START_PATIENCE, |state| state.main_starts);
        let (state, result) = waited.unwrap_or_else(PoisonError::into_inner);
        // The main thread hangs in an exec. Nothing is touched then rather than the wrong thing.
        (!result.timed_out()).then_some(state)
    }

    fn our_children(&self) -> Vec<u32> {
        let mut list = Vec::new();
        let mut chunk = [0; 4_096];
        // Read from its start the file is made anew; a part of a number at the end of a chunk is completed by the next.
        while let Ok(count @ 1..) = self.list.read_at(&mut chunk, list.len() as u64) {
            list.extend_from_slice(&chunk[..count]);
            if list.len() > 16 * MOST_PROCESSES {
                break;
            }
        }
        proc::numbers(&String::from_utf8_lossy(&list))
    }

    /// Brings the known orphans up to date with the list.
    fn look(&self, state: &mut State) {
        let leaders: HashSet<u32> = state
            .calls
            .values()
            .filter_map(|call| call.leader)
            .collect();
        let mut there = HashSet::new();
        for pid in self.our_children() {
            if leaders.contains(&pid) {
                continue;
            }
            if let OtherChildren::Known(is_known) = &self.other_children
                && is_known(pid)
            {
                continue;
            }
            there.insert(pid);
            // Also one that is known already: what was claimed as a descendant may be a stranger with its number.
            let Some(look) = proc::look(pid) else {
                continue;
            };
            let known = state.orphans.get(&pid);
            if known.is_none_or(|orphan| orphan.started != look.started) {
                let suspects = state.suspects(pid, &look);
                state.orphans.insert(
                    pid,
                    Orphan {
                        started: look.started,
                        suspects,
                    },
                );
            }
        }
        let alive: HashSet<u64> = state.calls.keys().copied().collect();
        state
            .orphans
            .retain(|pid, orphan| there.contains(pid) || !orphan.suspects.is_disjoint(&alive));
    }
}

impl State {
    /// Returns the calls that a process may belong to, by the strongest sign that it gives.
    fn suspects(&self, pid: u32, look: &Look) -> HashSet<u64> {
        let is_led = |call: &Call| call.leader.is_some_and(|leader| look.is_led_by(leader));
        let directory = proc::directory(pid);
        let by_folder = |call: &Call| match (&directory, &call.folder) {
            (Some(directory), Some(folder)) => directory.starts_with(folder),
            _ => false,
        };
        let owner = self.calls.iter().find(|(_, call)| is_led(call));
        let owner = owner.or_else(|| self.calls.iter().find(|(_, call)| by_folder(call)));
        match owner {
            Some((number, _)) => HashSet::from([*number]),
            None => self.calls.keys().copied().collect(),
        }
    }

    /// Returns whether nobody else than this call may own an orphan.
    fn is_only(&self, number: u64, orphan: &Orphan) -> bool {
        let others = orphan.suspects.iter().filter(|suspect| **suspect != number);
        others
            .into_iter()
            .all(|suspect| !self.calls.contains_key(suspect))
    }
}

/// One call's part in the keeping of orphans.
#[derive(Debug)]
pub(crate) struct Ward {
    number: u64,
    leader: Option<u32>,
    on_main: bool,
    waited_for: Option<OwnedFd>,
    has_ended_any: bool,
}

impl Ward {
    /// Begins to watch for the orphans of a call that is about to start, if this process adopts them at all.
    pub(crate) fn begin() -> Option<Self> {
        let keeper = KEEPER.get()?;
        let on_main = rustix::thread::gettid() == rustix::process::getpid();
        let mut state = keeper.lock();
        let number = state.next_call;
        state.next_call += 1;
        state.calls.insert(
            number,
            Call {
                leader: None,
                folder: None,
            },
        );
        state.main_starts |= on_main;
        Some(Self {
            number,
            leader: None,
            on_main,
            waited_for: None,
            has_ended_any: false,
        })
    }

    pub(crate) fn begun(&mut self, leader: u32, folder: Option<&Path>) {
        self.leader = Some(leader);
        let folder = folder.map(Path::to_owned);
        self.started(Some(Call {
            leader: Some(leader),
            folder,
        }));
    }

    fn started(&mut self, call: Option<Call>) {
        let Some(keeper) = KEEPER.get() else { return };
        let mut state = keeper.lock();
        if let Some(call) = call {
            state.calls.insert(self.number, call);
        }
        if std::mem::take(&mut self.on_main) {
            state.main_starts = false;
            keeper.main_started.notify_all();
        }
    }

    /// Notes the present descendants of the leader as this call's, so that they are known once they are orphans.
    pub(crate) fn claim(&mut self) {
        let (Some(keeper), Some(leader)) = (KEEPER.get(), self.leader) else {
            return;
        };
        // With one call alive every orphan is its own.
        if keeper.lock().calls.len() < 2 {
            return;
        }
        let descendants = proc::descendants(leader, MOST_PROCESSES);
        let mut state = keeper.lock();
        for pid in descendants.into_iter().skip(1) {
            if let Some(look) = proc::look(pid) {
                let suspects = HashSet::from([self.number]);
                state.orphans.insert(
                    pid,
                    Orphan {
                        started: look.started,
                        suspects,
                    },
                );
            }
        }
    }

    pub(crate) fn sweep(&mut self) -> Sweep {
        self.waited_for = None;
        let Some(keeper) = KEEPER.get() else {
            return Sweep::Done(Vec::new());
        };
        for _ in 0..ROUNDS {
            let Some(mut state) = keeper.lock_settled() else {
                return Sweep::Waiting;
            };
            keeper.look(&mut state);
            let own = self.own_orphans(&state);
            if own.is_empty() {
                return Sweep::Done(self.shared_orphans(&state));
            }
            if let Some(waited_for) = self.kill(&mut state, &own) {
                self.waited_for = Some(waited_for);
                return Sweep::Waiting;
            }
            // All of them are reaped; what they had as children is on the list now.
        }
        Sweep::Waiting
    }

    /// Returns the orphans that no other live call may own: this call's, and those of calls that have ended.
    fn own_orphans(&self, state: &State) -> Vec<u32> {
        let own = state
            .orphans
            .iter()
            .filter(|(_, orphan)| state.is_only(self.number, orphan));
        own.map(|(pid, _)| *pid)
            .filter(|pid| is_our_child(*pid))
            .collect()
    }

    fn shared_orphans(&self, state: &State) -> Vec<LeftBehind> {
        let shared = state
            .orphans
            .iter()
            .filter(|(_, orphan)| orphan.suspects.contains(&self.number));
        let shared = shared.filter(|(pid, _)| is_our_child(**pid));
        shared
            .map(|(pid, _)| LeftBehind {
                pid: *pid,
                reason: LeftBehindReason::Shared,
            })
            .collect()
    }

    /// Kills orphans and reaps those that have ended; returns the first that has to be waited for.
    fn kill(&mut self, state: &mut State, orphans: &[u32]) -> Option<OwnedFd> {
        // First all, then the reaps: a process that still runs could start another one meanwhile.
        for number in orphans {
            self.has_ended_any |= proc::look(*number).is_some_and(|look| !look.is_zombie);
            if let Some(pid) = raw(*number) {
                // They are our children and not reaped, so the number is theirs; it fails for what has ended.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        let mut waited_for = None;
        for number in orphans {
            let Some(pid) = raw(*number) else { continue };
            match waitpid(Some(pid), WaitOptions::NOHANG) {
                Ok(None) if waited_for.is_none() => {
                    waited_for = pidfd_open(pid, PidfdFlags::empty()).ok();
                }
                Ok(Some(_)) | Err(Errno::CHILD) => {
                    state.orphans.remove(number);
                }
                // The others are killed as well, and are looked at again after the first one's end.
                Ok(None) | Err(_) => {}
            }
        }
        waited_for
    }

    pub(crate) fn waits_for(&self) -> Option<BorrowedFd<'_>> {
        self.waited_for.as_ref().map(AsFd::as_fd)
    }

    /// Returns the orphans that are still there although they were killed.
    pub(crate) fn left_behind(&self) -> Vec<LeftBehind> {
        let Some(keeper) = KEEPER.get() else {
            return Vec::new();
        };
        let own = self.own_orphans(&keeper.lock());
        let left = own.into_iter().map(|pid| LeftBehind {
            pid,
            reason: LeftBehindReason::Uninterruptible,
        });
        left.collect()
    }

    pub(crate) fn has_ended_any(&self) -> bool {
        self.has_ended_any
    }

    /// Returns the leader, its descendants and those orphans that are surely this call's.
    pub(crate) fn members(&self, leader: u32) -> Vec<u32> {
        let mut members = proc::descendants(leader, MOST_PROCESSES);
        let Some(keeper) = KEEPER.get() else {
            return members;
        };
        let Some(mut state) = keeper.lock_settled() else {
            return members;
        };
        keeper.look(&mut state);
        let orphans = self.own_orphans(&state);
        let is_ours = |pid: &u32| state.orphans[pid].suspects.contains(&self.number);
        let orphans: Vec<u32> = orphans.into_iter().filter(is_ours).collect();
        drop(state);
        for orphan in orphans {
            members.extend(proc::descendants(
                orphan,
                MOST_PROCESSES.saturating_sub(members.len()),
            ));
        }
        members
    }

    /// Forgets the call. Its leader is reaped by now: until then its number keeps it from being taken for an orphan.
    pub(crate) fn end(&mut self) {
        if let Some(keeper) = KEEPER.get() {
            keeper.lock().calls.remove(&self.number);
        }
    }
}

impl Drop for Ward {
    fn drop(&mut self) {
        // A start that failed, or a call whose end was not seen through: nobody waits for this one any more.
        self.started(None);
        self.end();
    }
}

fn is_our_child(pid: u32) -> bool {
    proc::look(pid).is_some_and(|look| look.parent == std::process::id())
}

fn raw(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
