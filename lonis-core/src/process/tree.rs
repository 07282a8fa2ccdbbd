//! What is done about the descendants of a tool that left its group.
//!
//! The group itself is signalled in `control.rs`, while the leader is not reaped. A [`Tree`] comes after that: it ends
//! what got away, as far as its mechanisms reach, and says what it could not end.

pub(crate) mod control_group;
mod pid_namespace;
pub(crate) mod subreaper;
mod sweep;

use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::event::PollFlags;

use crate::limits::{Bound, Limits};

use super::child::Child;
use super::failure::ProcessError;
use super::launcher;
use super::outcome::{Backend, Containment, HostDeath, LeftBehind, Level, Mechanism};
use super::proc;
use super::program::Program;
use control_group::ControlGroup;
use pid_namespace::PidNamespace;
use subreaper::Ward;
use sweep::MOST_PROCESSES;
pub(crate) use sweep::Sweep;

/// Bounds on the tree as a whole, which a control group counts exactly.
const TREE_BOUNDS: [Bound; 3] = [
    Bound::MaxCpuMillis,
    Bound::MaxMemoryBytes,
    Bound::MaxProcesses,
];

/// What holds the processes of one call together, besides their group.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Where there is one, every descendant is in it.
    group: Option<ControlGroup>,
    /// Where this process adopts orphans, they have to be reaped whatever else holds them.
    ward: Option<Ward>,
    /// Where there is one, the leader is a launcher and every descendant ends with it.
    namespace: Option<PidNamespace>,
    has_session: bool,
}

/// The mechanisms of a start that have not failed for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usable {
    pub(crate) control_group: bool,
    pub(crate) pid_namespace: bool,
}

impl Usable {
    /// Nothing has failed.
    pub(crate) const ALL: Self = Self {
        control_group: true,
        pid_namespace: true,
    };
}

impl Tree {
    /// Chooses the mechanism of a call; a level that has to be there and is not is refused.
    pub(crate) fn choose(
        program: &Program,
        limits: &Limits,
        usable: Usable,
    ) -> Result<Self, ProcessError> {
        let required = program.containment();
        let ward = Ward::begin();
        let may_launch = ward.is_none() && usable.pid_namespace;
        let may_launch = may_launch && program.backend() == Backend::Clone3;
        let launcher = launcher::named().filter(|_| may_launch);
        let level_needs_it = ward.is_none() && launcher.is_none() && required >= Some(Level::Tree);
        let bound_needs_it = TREE_BOUNDS
            .into_iter()
            .any(|bound| limits.value(bound).is_some());
        // Moved into one after its start, a child could have left others outside.
        let create = || match program.backend() {
            Backend::Clone3 if usable.control_group => ControlGroup::create(),
            Backend::Clone3 => Err("the system starts no child in a control group"),
            _ => Err("this backend starts no child in a control group"),
        };
        let group = match (level_needs_it || bound_needs_it).then(create) {
            Some(Ok(mut group)) => {
                group.hold(limits);
                Some(group)
            }
            Some(Err(missing)) if level_needs_it => {
                return Err(ProcessError::LevelNotHeld {
                    level: Level::Tree,
                    missing,
                });
            }
            _ => None,
        };
        // What counts a tree exactly holds it together as well.
        let namespace = launcher.filter(|_| group.is_none());
        Ok(Self {
            group,
            ward,
            namespace: namespace.map(|_| PidNamespace::default()),
            has_session: program.backend() != Backend::Portable && !program.shares_terminal(),
        })
    }

    /// Returns the control group that the child has to start in.
    pub(crate) fn control_group(&self) -> Option<&ControlGroup> {
        self.group.as_ref()
    }

    /// Returns whether the child has to be started by a launcher, among process numbers of its own.
    pub(crate) fn has_namespace(&self) -> bool {
        self.namespace.is_some()
    }

    /// Notes the child, and the private folder that only its descendants know.
    pub(crate) fn begun(&mut self, leader: &Child, folder: Option<&Path>) {
        if let Some(ward) = &mut self.ward {
            ward.begun(leader.pid(), folder);
        }
        if let Some(namespace) = &mut self.namespace {
            namespace.begun(leader.pid(), leader.end_of_all());
        }
    }

    /// Notes whose the descendants are, as long as the leader's exit has not torn them from it.
    pub(crate) fn claim(&mut self) {
        if let Some(ward) = &mut self.ward {
            ward.claim();
        }
    }

    /// Ends what is left once the group was killed and the leader has exited; asked again after each wait.
    pub(crate) fn sweep(&mut self) -> Sweep {
        if let Some(group) = &mut self.group
            && let Sweep::Waiting = group.sweep()
        {
            return Sweep::Waiting;
        }
        if let Some(namespace) = &self.namespace {
            return namespace.sweep();
        }
        match &mut self.ward {
            Some(ward) => ward.sweep(),
            None => Sweep::Done(Vec::new()),
        }
    }

    /// Returns what an unfinished sweep waits for.
    pub(crate) fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        let orphan = self.ward.as_ref().and_then(Ward::waits_for);
        let group = self.group.as_ref().and_then(ControlGroup::waits_for);
        orphan
            .map(|fd| (fd, PollFlags::IN))
            .or(group.map(|fd| (fd, PollFlags::PRI)))
            .or_else(|| self.namespace.as_ref()?.waits_for())
    }

    /// Returns the processes that a sweep is still waiting for.
    pub(crate) fn unfinished(&self) -> Vec<u32> {
        let left = self.left_behind().into_iter().map(|left| left.pid);
        let namespace = self.namespace.as_ref().map(PidNamespace::unfinished);
        left.chain(namespace.unwrap_or_default()).collect()
    }

    /// Returns what is still there although it was killed.
    pub(crate) fn left_behind(&self) -> Vec<LeftBehind> {
        let mut left = self
            .group
            .as_ref()
            .map(ControlGroup::left_behind)
            .unwrap_or_default();
        for orphan in self
            .ward
            .as_ref()
            .map(Ward::left_behind)
            .unwrap_or_default()
        {
            if left.iter().all(|known| known.pid != orphan.pid) {
                left.push(orphan);
            }
        }
        left
    }

    /// Forgets the call once its leader is reaped, and returns what could not be cleared away.
    pub(crate) fn end(&mut self) -> Result<(), String> {
        if let Some(ward) = &mut self.ward {
            ward.end();
        }
        self.group.as_ref().map_or(Ok(()), ControlGroup::remove)
    }

    /// Returns whether processes were found alive and ended after the leader had exited.
    pub(crate) fn has_ended_any(&self) -> bool {
        self.ward.as_ref().is_some_and(Ward::has_ended_any)
            || self.group.as_ref().is_some_and(ControlGroup::has_ended_any)
    }

    /// Returns the processes of the call that can be seen, the leader among them.
    pub(crate) fn members(&self, leader: u32) -> Vec<u32> {
        match (&self.group, &self.ward, &self.namespace) {
            (Some(group), _, _) => group.members(),
            (None, Some(ward), _) => ward.members(leader),
            (None, None, Some(namespace)) => namespace.members(),
            (None, None, None) => proc::descendants(leader, MOST_PROCESSES),
        }
    }

    /// Returns the words of the outcome.
    pub(crate) fn containment(&self, host_death: HostDeath) -> Containment {
        let (level, mechanism) = if self.group.is_some() {
            (Level::Tree, Mechanism::ControlGroup)
        } else if self.ward.is_some() {
            (Level::Tree, Mechanism::ChildSubreaper)
        } else if self.namespace.is_some() {
            (Level::Tree, Mechanism::PidNamespace)
        } else if self.has_session {
            (Level::Group, Mechanism::Session)
        } else {
            (Level::Group, Mechanism::ProcessGroup)
        };
        let host_death = match (mechanism, host_death) {
            // What is tied to the host is the launcher, and all others to it.
            (Mechanism::PidNamespace, HostDeath::Leader) => HostDeath::Tree,
            (_, host_death) => host_death,
        };
        Containment {
            level,
            mechanism,
            host_death,
        }
    }
}
