//! The part of a call that decides its end and carries it out: the machine, the child and the record.

use std::time::Duration;

use lonis_spawn::{ReapError, Reaped, Signal, Started};

use crate::limits::{Bound, Limits};

use super::clock::Moment;
use super::failure::ProcessError;
use super::folders::Folders;
use super::machine::{Cause, Machine, Order};
use super::outcome::{Breach, Enforcement, LeftBehind, LeftBehindReason, Outcome, Status};
use super::pipes::{Feed, Source, Stream};

/// One call's child and what has to be done about it.
pub(crate) struct Control {
    machine: Machine,
    /// Absent once it is reaped: then nothing can be signalled by its number any more.
    child: Option<Started>,
    folders: Option<Folders>,
    status_lost: bool,
    outcome: Outcome,
}

impl Control {
    pub(crate) fn new(
        machine: Machine,
        child: Started,
        folders: Option<Folders>,
        outcome: Outcome,
    ) -> Self {
        Self {
            machine,
            child: Some(child),
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

    /// Returns the child until it is reaped.
    pub(crate) fn child(&self) -> Option<&Started> {
        self.child.as_ref()
    }

    pub(crate) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    pub(crate) fn into_outcome(self) -> Outcome {
        self.outcome
    }

    /// Notes a reason to end the call.
    pub(crate) fn blame(&mut self, cause: Cause) {
        self.machine.blame(cause);
    }

    /// Notes that a pipe has ended.
    pub(crate) fn stream_ended(&mut self, stream: Stream) {
        self.machine.stream_ended(stream);
    }

    /// Looks whether the leader has exited, without reaping it: its number stays pinned for the signals that follow.
    pub(crate) fn look_for_exit(&mut self) {
        let Some(child) = &self.child else { return };
        match child.has_exited() {
            Ok(false) => {}
            Ok(true) => self.machine.leader_exited(),
            Err(_) => self.lose_status(),
        }
    }

    /// Carries out everything that follows from what was noted.
    pub(crate) fn proceed(&mut self, now: Moment) {
        while !self.machine.is_over() {
            match self.machine.judge(now) {
                Order::Wait => break,
                Order::Terminate => {
                    self.signal_group(Signal::TERMINATE);
                    // A stopped process keeps TERM pending until it goes on.
                    self.signal_group(Signal::CONTINUE);
                }
                Order::Kill => self.signal_group(Signal::KILL),
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
