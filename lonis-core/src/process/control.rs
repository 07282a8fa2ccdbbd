//! The part of a call that decides its end and carries it out: the machine, the child and the record.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use lonis_spawn::{ReapError, Reaped, Signal, Started};
use rustix::event::PollFlags;

use crate::limits::{Bound, Limits};

use super::clock::Moment;
use super::failure::ProcessError;
use super::folders::Folders;
use super::machine::{Cause, Machine, Order};
use super::outcome::{Breach, Enforcement, LeftBehind, LeftBehindReason, Outcome, Status};
use super::pipes::{Feed, Source, Stream};
use super::sampler::Sampler;
use super::tree::control_group::ControlGroup;
use super::tree::{Sweep, Tree};

/// Until the next look at processes that there is no event for.
const BLIND_SWEEP: Duration = Duration::from_millis(1);

/// One call's child and what has to be done about it.
pub(crate) struct Control {
    machine: Machine,
    /// Absent once it is reaped: then nothing can be signalled by its number any more.
    child: Option<Started>,
    tree: Tree,
    sampler: Option<Sampler>,
    folders: Option<Folders>,
    status_lost: bool,
    outcome: Outcome,
}

/// What a call is made of, besides its pipes.
pub(crate) struct Parts {
    pub(crate) machine: Machine,
    pub(crate) child: Started,
    pub(crate) tree: Tree,
    pub(crate) sampler: Option<Sampler>,
    pub(crate) folders: Option<Folders>,
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
            outcome,
        } = parts;
        Self {
            machine,
            child: Some(child),
            tree,
            sampler,
            folders,
            status_lost: false,
            outcome,
        }
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    pub(crate) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    pub(crate) fn into_outcome(self) -> Outcome {
        self.outcome
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

    fn is_sampled(&self) -> bool {
        !self.machine.has_exited() && !self.machine.is_condemned()
    }

    /// Notes a reason to end the call.
    pub(crate) fn blame(&mut self, cause: Cause) {
        self.machine.blame(cause);
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

    fn signal_group(&self, signal: Signal) {
        if let Some(child) = &self.child {
            // The group may be empty but for the leader that waits for its reap; then the signal is for nobody. A child
            // that changed its user can refuse TERM and KILL alike, and is then reported as left behind.
            let _ = child.signal_group(signal);
        }
    }

    fn lose_status(&mut self) {
        // The number may be somebody else's by now, so the child is forgotten and nothing is signalled any more.
        self.child = None;
        self.status_lost = true;
        self.machine.leader_exited();
    }

    fn finish(&mut self) {
        if self.machine.has_exited() {
            self.outcome.descendants_ended |=
                self.tree.has_ended_any() && self.machine.cause().is_none();
        } else {
            self.outcome.left_behind.extend(self.tree.give_up());
        }
        if let Some(child) = self.child.take() {
            let pid = child.pid();
            match child.try_reap() {
                Ok(reaped) => self.record(&reaped),
                Err(ReapError::Running(_child)) => self.outcome.left_behind.push(LeftBehind {
                    pid,
                    reason: LeftBehindReason::Uninterruptible,
                }),
                Err(_) => self.status_lost = true,
            }
        }
        self.record_tree();
        self.outcome.notes.extend(self.tree.end().err());
        if let Some(folders) = self.folders.take() {
            self.outcome.notes.extend(folders.remove().err());
        }
        let now = Moment::now();
        self.machine.clock_mut().pause(now);
        let clock = self.machine.clock();
        self.outcome.wall = now.since(clock.started());
        self.outcome.tool_time = clock.tool_time(now);
        self.outcome.held_time = clock.held_time(now);
    }

    fn record(&mut self, reaped: &Reaped) {
        use std::os::unix::process::ExitStatusExt;
        let status = reaped.status;
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
        self.outcome.cpu = Some(reaped.usage.user + reaped.usage.system);
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
        self.outcome.peak_memory_bytes = group
            .and_then(ControlGroup::peak_memory_bytes)
            .or(peaks.map(|peaks| peaks.memory_bytes));
        self.outcome.peak_processes = group
            .and_then(ControlGroup::peak_processes)
            .or(peaks.map(|peaks| peaks.processes));
    }

    /// Notes what went through the pipes, and which of them were still held open at the end.
    pub(crate) fn note_traffic(&mut self, stdin: &Feed, stdout: &Source, stderr: &Source) {
        self.outcome.stdin_bytes = stdin.written();
        self.outcome.stdout_bytes = stdout.total();
        self.outcome.stderr_bytes = stderr.total();
        if self.machine.cause().is_some() || self.status_lost {
            return;
        }
        for (source, stream) in [(stdout, Stream::Stdout), (stderr, Stream::Stderr)] {
            if source.pipe().is_some() {
                self.outcome.drain_cut.push(stream);
                self.outcome.descendants_ended = true;
            }
        }
        if let [stream, ..] = self.outcome.drain_cut[..] {
            self.outcome.notes.push(format!(
                "processes of the tool outlived it and held its {stream} open; they were ended"
            ));
        }
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
