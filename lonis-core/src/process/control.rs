//! The part of a call that decides its end and carries it out: the machine, the child and the record.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lonis_spawn::Signal;
use rustix::event::PollFlags;

use crate::limits::{Bound, Limits};

use super::cancel::{CancelToken, Stage};
use super::child::{Child, Refusal};
use super::clock::Moment;
use super::ended::Ended;
use super::failure::ProcessError;
use super::folders::{Folders, Removed};
use super::leftover::Leftover;
use super::machine::{Cause, Machine, Order};
use super::outcome::{Breach, Enforcement, LeftBehind, LeftBehindReason, Outcome, Status};
use super::pipes::{Stream, Transferred};
use super::proc;
use super::sampler::Sampler;
use super::shown::Shown;
use super::starts::Suspects;
use super::tree::control_group::ControlGroup;
use super::tree::{Sweep, Tree};

/// Until the next look at processes that there is no event for.
const BLIND_SWEEP: Duration = Duration::from_millis(1);

/// Until the next look whether another start still holds a call's pipes.
const DRAIN_PROLONGED: Duration = Duration::from_millis(2);

/// Time that the removal of private folders may take before a call returns; the rest is removed after that.
const REMOVAL_PATIENCE: Duration = Duration::from_millis(100);

/// The same where one thread drives many calls.
const HURRIED_REMOVAL: Duration = Duration::from_millis(2);

/// One call's child and what has to be done about it.
pub(crate) struct Control {
    machine: Machine,
    /// Absent once it is reaped: then nothing can be signalled by its number any more.
    child: Option<Child>,
    tree: Tree,
    sampler: Option<Sampler>,
    folders: Option<Folders>,
    suspects: Suspects,
    /// Whether nothing was left outside of the group.
    swept: bool,
    status_lost: bool,
    /// Whether a task waits that the supervisor has to wake.
    awaited: bool,
    removal_patience: Duration,
    heeded: Stage,
    leftover: Option<Leftover>,
    outcome: Outcome,
}

/// What a call is made of, besides its pipes.
pub(crate) struct Parts {
    pub(crate) machine: Machine,
    pub(crate) child: Child,
    pub(crate) tree: Tree,
    pub(crate) sampler: Option<Sampler>,
    pub(crate) folders: Option<Folders>,
    pub(crate) suspects: Suspects,
    pub(crate) outcome: Outcome,
}

impl Control {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts {
            machine,
            child,
            tree,
            sampler,
            folders,
            suspects,
            outcome,
        } = parts;
        Self {
            machine,
            child: Some(child),
            tree,
            sampler,
            folders,
            suspects,
            swept: false,
            status_lost: false,
            awaited: false,
            removal_patience: REMOVAL_PATIENCE,
            heeded: Stage::Open,
            leftover: None,
            outcome,
        }
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Takes what could not be ended in time; whoever drives the call gives it to the supervisor.
    pub(crate) fn take_leftover(&mut self) -> Option<Leftover> {
        self.leftover.take()
    }

    /// Takes the record of the call, once it is over.
    pub(crate) fn take_outcome(&mut self) -> Outcome {
        std::mem::take(&mut self.outcome)
    }

    /// Returns what tells of the next event that is not on a pipe: the leader's exit, then the end of what escaped.
    pub(crate) fn event(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        if self.machine.is_sweeping() {
            return self.tree.waits_for();
        }
        // Once seen, the exit stays readable; waiting for it again would never wait.
        let child = self.child.as_ref().filter(|_| !self.machine.has_exited())?;
        Some((child.as_fd(), PollFlags::IN))
    }

    /// Returns when the call has to be looked at again, if no event comes before.
    pub(crate) fn next_moment(&self) -> Option<Moment> {
        let machine = self.machine.next_moment();
        let sampler = self
            .sampler
            .as_ref()
            .filter(|_| self.is_sampled())
            .map(Sampler::next);
        machine.into_iter().chain(sampler).min()
    }

    /// Returns whether bounds of the call are looked after at present.
    pub(crate) fn is_sampled(&self) -> bool {
        self.sampler.is_some() && !self.machine.has_exited() && !self.machine.is_condemned()
    }

    /// Returns whether the leader has left and nothing else decided the end.
    pub(crate) fn has_ended_by_itself(&self) -> bool {
        self.machine.has_exited() && self.machine.cause().is_none() && !self.machine.is_ending()
    }

    /// Notes that whoever drives the call has others to drive, so that what takes long is left for later.
    pub(crate) fn hurry(&mut self) {
        self.removal_patience = HURRIED_REMOVAL;
    }

    /// Notes that a task waits for the tool, which is billed until the task is woken.
    pub(crate) fn begin_wait(&mut self) {
        self.awaited = true;
    }

    /// Notes that the waiting task is woken: what it takes to come back is not the tool's time.
    pub(crate) fn end_wait(&mut self, now: Moment) {
        if std::mem::take(&mut self.awaited) {
            self.machine.clock_mut().pause(now);
        }
    }

    /// Returns whether a task waits for the tool.
    pub(crate) fn is_awaited(&self) -> bool {
        self.awaited
    }

    /// Notes a reason to end the call.
    pub(crate) fn blame(&mut self, cause: Cause) {
        self.machine.blame(cause);
    }

    /// Notes how far the call's token has come.
    pub(crate) fn heed(&mut self, token: &CancelToken, now: Moment) {
        let stage = token.stage();
        if stage == self.heeded {
            return;
        }
        self.heeded = stage;
        self.machine.blame(Cause::Cancelled);
        if stage == Stage::Killed {
            self.machine.forgo_grace(now);
        }
    }

    /// Returns how far the call's token had come when it was looked at.
    pub(crate) fn heeded(&self) -> Stage {
        self.heeded
    }

    /// Prolongs a drain that is over as long as another start may be what holds the pipes; returns whether it has.
    pub(crate) fn prolongs_drain(&mut self, now: Moment) -> bool {
        self.suspects.are_under_way() && self.machine.prolong_drain(now, DRAIN_PROLONGED)
    }

    /// Notes that a pipe has ended.
    pub(crate) fn stream_ended(&mut self, stream: Stream) {
        self.machine.stream_ended(stream);
    }

    /// Looks at the bounds that nothing else holds, if it is time to.
    pub(crate) fn sample(&mut self, now: Moment) {
        if !self.is_sampled() {
            return;
        }
        if let (Some(sampler), Some(child)) = (&mut self.sampler, &self.child)
            && let Some(breach) = sampler.look_if_due(&self.tree, child.pid(), now)
        {
            self.machine.blame(Cause::Bound(breach));
        }
    }

    /// Looks whether the leader has exited, without reaping it: its number stays pinned for the signals that follow.
    pub(crate) fn look_for_exit(&mut self) {
        let Some(child) = &self.child else { return };
        match child.has_exited() {
            Ok(false) => {}
            Ok(true) => {
                self.machine.leader_exited();
                if let Some(sampler) = &mut self.sampler
                    && let Some(breach) = sampler.look(&self.tree, child.pid())
                {
                    self.machine.blame(Cause::Bound(breach));
                }
            }
            Err(_) => self.lose_status(),
        }
    }

    /// Carries out everything that follows from what was noted.
    pub(crate) fn proceed(&mut self, now: Moment) {
        if self.machine.gives_up(now) && self.lacks_a_core() {
            self.machine.prolong_end(now);
        }
        while !self.machine.is_over() {
            match self.machine.judge(now) {
                Order::Wait => break,
                Order::Terminate => {
                    self.tree.claim();
                    self.signal_group(Signal::TERMINATE);
                    // A stopped process keeps TERM pending until it goes on.
                    self.signal_group(Signal::CONTINUE);
                }
                Order::Kill => {
                    if !self.machine.has_exited() {
                        self.tree.claim();
                    }
                    self.signal_group(Signal::KILL);
                }
                Order::Sweep => match self.tree.sweep() {
                    Sweep::Done(left_behind) => {
                        self.swept = true;
                        self.outcome.left_behind.extend(left_behind);
                        self.machine.swept();
                    }
                    Sweep::Waiting => {
                        // Without an event to wait for there is nothing but to look again soon.
                        let blind = self.tree.waits_for().is_none();
                        self.machine
                            .sweep_again(blind.then(|| Moment::now().plus(BLIND_SWEEP)));
                        break;
                    }
                },
                Order::Reap => self.finish(),
            }
        }
    }

    /// Returns whether something that was killed would end if it had a core to do so on.
    fn lacks_a_core(&self) -> bool {
        let leader = self
            .child
            .as_ref()
            .filter(|_| !self.machine.has_exited())
            .and_then(|child| proc::look(child.pid()));
        let mut others = self.tree.unfinished().into_iter().filter_map(proc::look);
        // One that has ended by now only has to be reaped, as the next look at the tree does.
        leader.is_some_and(|look| look.is_computing)
            || others.any(|look| look.is_computing || look.is_zombie)
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(child) = &self.child {
            child.signal_group(signal);
        }
    }

    fn lose_status(&mut self) {
        // The number may be somebody else's by now, so the child is forgotten and nothing is signalled any more.
        self.child = None;
        self.status_lost = true;
        self.machine.leader_exited();
    }

    fn finish(&mut self) {
        if !self.swept {
            self.outcome.left_behind.extend(self.tree.left_behind());
        }
        let by_itself = self.machine.cause().is_none();
        self.outcome.descendants_ended = by_itself && self.tree.has_ended_any();
        let remaining = self.reap();
        self.record_tree();
        if remaining.is_some() || !self.swept {
            let tree = std::mem::take(&mut self.tree);
            self.leftover = Some(Leftover {
                child: remaining,
                tree,
                folders: self.folders.take(),
            });
        } else {
            self.outcome.notes.extend(self.tree.end().err());
            self.remove_folders();
        }
        self.stop_clock();
    }

    fn remove_folders(&mut self) {
        let Some(folders) = self.folders.take() else {
            return;
        };
        match folders.remove(Some(Moment::now().plus(self.removal_patience))) {
            Removed::Whole => {}
            Removed::Refused(note) => self.outcome.notes.push(note),
            Removed::InPart(folders) => {
                let shown = Shown::new(folders.root()).to_string();
                self.outcome.notes.push(format!(
                    "private folder `{shown}` is large and still being removed"
                ));
                let (child, tree) = (None, Tree::default());
                self.leftover = Some(Leftover {
                    child,
                    tree,
                    folders: Some(folders),
                });
            }
        }
    }

    /// Reaps the leader, and gives it back if it has not ended although it was killed.
    fn reap(&mut self) -> Option<Child> {
        let child = self.child.take()?;
        let pid = child.pid();
        match child.try_reap() {
            Ok(ended) => self.record(&ended),
            Err(Refusal::Lost) => self.status_lost = true,
            Err(Refusal::Running(child)) => {
                let reason = LeftBehindReason::Uninterruptible;
                self.outcome.left_behind.push(LeftBehind { pid, reason });
                return Some(*child);
            }
        }
        None
    }

    fn stop_clock(&mut self) {
        let now = Moment::now();
        self.machine.clock_mut().pause(now);
        let clock = self.machine.clock();
        self.outcome.wall = now.since(clock.started());
        self.outcome.tool_time = clock.tool_time(now);
        self.outcome.held_time = clock.held_time(now);
    }

    fn record(&mut self, ended: &Ended) {
        use std::os::unix::process::ExitStatusExt;
        let status = ended.status;
        self.outcome.status = Some(match status.signal() {
            Some(number) => Status::Signaled(number),
            // The system keeps eight bits of a code.
            None => Status::Exited(
                status
                    .code()
                    .and_then(|code| u8::try_from(code).ok())
                    .unwrap_or(u8::MAX),
            ),
        });
        self.outcome.cpu = ended.cpu;
        self.outcome.descendants_ended |= ended.has_ended_others && self.machine.cause().is_none();
        self.outcome.peak_memory_bytes = ended.peak_memory_bytes.and_then(own_peak);
    }

    /// Completes what the reap says by what was counted of the whole tree.
    fn record_tree(&mut self) {
        let peaks = self.sampler.as_ref().and_then(Sampler::peaks);
        let group = self.tree.control_group();
        let counted = group
            .and_then(ControlGroup::cpu)
            .or(peaks.map(|peaks| peaks.cpu));
        // Samples see all of the tree but not to its last moment; the reap sees that, but not what was orphaned.
        self.outcome.cpu = self.outcome.cpu.max(counted);
        let counted = group.and_then(ControlGroup::peak_memory_bytes);
        let counted = counted.or(peaks.map(|peaks| peaks.memory_bytes));
        self.outcome.peak_memory_bytes = counted.or(self.outcome.peak_memory_bytes);
        self.outcome.peak_processes = group
            .and_then(ControlGroup::peak_processes)
            .or(peaks.map(|peaks| peaks.processes));
    }

    /// Notes what went through the pipes, and which of them were still held open at the end.
    pub(crate) fn note_traffic(&mut self, transferred: Transferred) {
        self.outcome.stdin_bytes = transferred.stdin_bytes;
        self.outcome.stdout_bytes = transferred.stdout_bytes;
        self.outcome.stderr_bytes = transferred.stderr_bytes;
        if self.machine.cause().is_some() || self.status_lost {
            return;
        }
        if let [stream, ..] = transferred.still_open[..] {
            self.outcome.descendants_ended = true;
            self.outcome.notes.push(format!(
                "processes of the tool outlived it and held its {stream} open; they were ended"
            ));
        } else if self.outcome.descendants_ended {
            let note = "processes of the tool outlived it; they were ended";
            self.outcome.notes.push(note.to_owned());
        }
        self.outcome.drain_cut = transferred.still_open;
    }

    /// Returns why the call did not end by itself.
    pub(crate) fn failure(&self, limits: &Limits) -> Option<ProcessError> {
        let limit = |bound| limits.value(bound).unwrap_or_default();
        let outcome = &self.outcome;
        match self.machine.cause() {
            Some(Cause::Output(stream)) => {
                let bound = match stream {
                    Stream::Stdout => Bound::MaxStdoutBytes,
                    Stream::Stderr => Bound::MaxStderrBytes,
                };
                Some(ProcessError::OutputLimit {
                    stream: *stream,
                    limit_bytes: limit(bound),
                })
            }
            Some(Cause::Bound(breach)) => Some(ProcessError::LimitExceeded(*breach)),
            Some(Cause::Cancelled) => Some(ProcessError::Cancelled),
            Some(Cause::Timeout) => Some(ProcessError::Timeout {
                limit: Duration::from_millis(limit(Bound::TimeoutMillis)),
                elapsed: outcome.tool_time,
            }),
            Some(Cause::Ceiling) => Some(ProcessError::Ceiling {
                limit: Duration::from_millis(limit(Bound::MaxWallMillis)),
                elapsed: outcome.wall,
                held: outcome.held_time,
            }),
            Some(Cause::Broken(error)) => Some(ProcessError::System(*error)),
            Some(Cause::Dropped) | None if self.status_lost => Some(ProcessError::StatusLost),
            Some(Cause::Dropped) | None => {
                self.kernel_breach(limits).map(ProcessError::LimitExceeded)
            }
        }
    }

    /// Returns the bound of ours that the kernel enforced by the signal that ended the leader.
    fn kernel_breach(&self, limits: &Limits) -> Option<Breach> {
        let signal = self.outcome.status?.signal()?;
        let (bound, enforced_by) = match signal {
            _ if signal == rustix::process::Signal::XCPU.as_raw() => {
                (Bound::MaxCpuMillis, Enforcement::CpuTimeLimit)
            }
            _ if signal == rustix::process::Signal::XFSZ.as_raw() => {
                (Bound::MaxFileBytes, Enforcement::FileSizeLimit)
            }
            _ => return None,
        };
        let limit = limits.value(bound)?;
        Some(Breach {
            bound,
            limit,
            observed: None,
            enforced_by,
        })
    }
}

/// Returns a leader's peak memory as the reap gives it, if it is its own.
///
/// A child begins with the peak of the process that it was spawned from, so only what lies above that is its own.
fn own_peak(reported_bytes: u64) -> Option<u64> {
    // The kernel's counters are exact to some pages for each core.
    const TOLERANCE_BYTES: u64 = 1 << 20;
    static HOST_PEAK: AtomicU64 = AtomicU64::new(0);
    let is_above = |peak: u64| reported_bytes > peak.saturating_add(TOLERANCE_BYTES);
    // A peak only grows, so a look is saved wherever the last one decides already.
    if !is_above(HOST_PEAK.load(Ordering::Relaxed)) {
        return None;
    }
    let host_peak = proc::own_peak_bytes()?;
    HOST_PEAK.fetch_max(host_peak, Ordering::Relaxed);
    is_above(host_peak).then_some(reported_bytes)
}
