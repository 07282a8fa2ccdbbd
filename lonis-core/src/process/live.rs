//! One call under way, moved by whoever waits for it.
//!
//! The driver, a poll loop or the supervisor, waits for [`Live::wants`] and tells [`Live::step`] what is ready. A step
//! does in this order: one transfer on each ready pipe, a look for the leader's exit, the clock, and only then whatever
//! a deadline asks for.

use std::os::fd::BorrowedFd;
use std::sync::Arc;

use rustix::event::PollFlags;

use crate::limits::{Bound, Limits};

use super::cancel::CancelToken;
use super::captured::Captured;
use super::clock::Moment;
use super::control::Control;
use super::failure::ProcessError;
use super::job::Job;
use super::machine::Cause;
use super::outcome::Outcome;
use super::pipes::{Feed, Source};
use super::shared::Shared;
use super::start::{self, Begun};
use super::system_error::SystemError;
use super::traffic::{Output, Ready, Traffic};

/// What a driver has to wait for.
pub(crate) struct Wants<'a> {
    pub(crate) stdin: Option<BorrowedFd<'a>>,
    pub(crate) stdout: Option<BorrowedFd<'a>>,
    pub(crate) stderr: Option<BorrowedFd<'a>>,
    /// The leader's exit, or the end of what escaped its group.
    pub(crate) event: Option<(BorrowedFd<'a>, PollFlags)>,
    pub(crate) cancel: [Option<BorrowedFd<'a>>; 2],
    pub(crate) until: Option<Moment>,
}

/// What is known of a call once it is over.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    pub(crate) outcome: Outcome,
    pub(crate) failure: Option<ProcessError>,
    /// Whether nothing was decided about the end by us.
    pub(crate) by_itself: bool,
}

/// A run that could not be started, and why.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) error: ProcessError,
    pub(crate) job: Job,
}

/// A call from its spawn to its reap.
pub(crate) struct Live {
    shared: Arc<Shared>,
    traffic: Traffic,
    cancel: Option<CancelToken>,
    limits: Limits,
    without_pauses: bool,
    finished: Option<Finished>,
}

impl Live {
    /// Starts a call; with `tied` its leader ends when the calling thread does.
    pub(crate) fn start(job: Job, tied: bool) -> Result<Self, Box<Refused>> {
        let Begun {
            control,
            stdin,
            stdout,
            stderr,
        } = match start::begin(&job, tied) {
            Ok(begun) => begun,
            Err(error) => return Err(Box::new(Refused { error, job })),
        };
        let limit = |bound| job.limits.value(bound).unwrap_or(u64::MAX);
        let stdin = Feed::new(stdin, job.input);
        let stdout = Source::new(stdout, limit(Bound::MaxStdoutBytes));
        let stderr = Source::new(stderr, limit(Bound::MaxStderrBytes));
        Ok(Self {
            shared: Arc::new(Shared::new(control)),
            traffic: Traffic::new(stdin, stdout, stderr, job.on_stderr),
            cancel: job.cancel,
            limits: job.limits,
            without_pauses: job.without_pauses,
            finished: None,
        })
    }

    /// Returns the part that the supervisor can reach too.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn cancel(&self) -> Option<&CancelToken> {
        self.cancel.as_ref()
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns whether somebody drives the call at every moment until its end.
    pub(crate) fn is_without_pauses(&self) -> bool {
        self.without_pauses
    }

    pub(crate) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    pub(crate) fn traffic_mut(&mut self) -> &mut Traffic {
        &mut self.traffic
    }

    /// Returns what is known of the call, once it is over and our ends are closed.
    pub(crate) fn finished(&self) -> Option<&Finished> {
        self.finished.as_ref()
    }

    /// Returns what to wait for before the next step.
    pub(crate) fn wants<'a>(&'a self, control: &'a Control) -> Result<Wants<'a>, SystemError> {
        let cancel = match &self.cancel {
            Some(token) => token.events_after(control.heeded())?,
            None => [None; 2],
        };
        Ok(Wants {
            stdin: self.traffic.stdin.pipe(),
            stdout: self.traffic.stdout.pipe(),
            stderr: self.traffic.stderr.pipe(),
            event: control.event(),
            cancel,
            until: control.next_moment(),
        })
    }

    /// Does everything that can be done now.
    pub(crate) fn step(
        &mut self,
        control: &mut Control,
        ready: Ready,
        output: &mut Output<'_>,
        buffer: &mut [u8],
    ) {
        if let Err(error) = self.traffic.transfer(ready, output, buffer, control) {
            control.blame(Cause::Broken(error));
        }
        let now = Moment::now();
        if ready.event || control.machine().is_due(now) {
            control.look_for_exit();
        }
        if control.machine().has_exited() && !control.machine().is_condemned() {
            let due = control.machine().is_due(now) && !control.prolongs_drain(now);
            if due {
                self.traffic.only_what_is_there();
            }
            if let Err(error) = self.traffic.read_until_dry(output, buffer, control) {
                control.blame(Cause::Broken(error));
            }
            // There may be more to hand out, and only the end of it is cut.
            if due && self.traffic.handed() > 0 {
                return;
            }
        }
        control.sample(now);
        if let Some(token) = &self.cancel {
            control.heed(token, now);
        }
        control.proceed(Moment::now());
        if control.machine().is_over() {
            self.finish(control);
        }
    }

    /// Reads what a call has left in its pipes that somebody else has ended, and finishes it once that is all.
    pub(crate) fn read_remains(
        &mut self,
        control: &mut Control,
        output: &mut Output<'_>,
        buffer: &mut [u8],
    ) {
        let read = self.traffic.read_until_dry(output, buffer, control);
        // The call is over, so what cannot be read any more is as good as not there.
        if read.is_err() || self.traffic.handed() == 0 {
            self.finish(control);
        }
    }

    fn finish(&mut self, control: &mut Control) {
        if self.finished.is_none() {
            control.note_traffic(self.traffic.close());
            let failure = control.failure(&self.limits);
            self.finished = Some(Finished {
                outcome: control.take_outcome(),
                failure,
                by_itself: control.machine().cause().is_none(),
            });
        }
    }

    /// Takes the call apart once it is over.
    pub(crate) fn into_captured(self, stdout: Vec<u8>) -> Captured {
        let Finished {
            outcome, failure, ..
        } = self.finished.unwrap_or_default();
        Captured {
            stdout,
            stderr: self.traffic.into_captured_stderr(),
            failure,
            outcome,
        }
    }
}
