//! A leader behind a launcher: the launcher is our child, and reports what becomes of the tool.

use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use lonis_spawn::{ReapError, Signal, SpawnError, Started, Step};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use super::clock::Moment;
use super::ended::{Ended, StatusLost};
use super::launcher::report::{LENGTH, Report};
use super::wait::poll_until;

/// How long a launcher may take until it has started the tool, so that a program which is none holds nobody up.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// The pipe of a launcher's reports.
#[derive(Debug)]
pub(crate) struct Reports {
    ours: File,
    theirs: OwnedFd,
}

impl Reports {
    /// Makes the pipe.
    ///
    /// # Errors
    /// That of the system, at the start.
    pub(crate) fn new() -> Result<Self, SpawnError> {
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)
            .map_err(|error| SpawnError::new(Step::Start, error.raw_os_error()))?;
        Ok(Self {
            ours: File::from(ours),
            theirs,
        })
    }

    /// Returns the end that the launcher gets.
    pub(crate) fn theirs(&self) -> BorrowedFd<'_> {
        self.theirs.as_fd()
    }
}

/// A launcher that has started its tool, not reaped.
#[derive(Debug)]
pub(crate) struct Launched {
    launcher: Started,
    reports: File,
    end: Cell<Option<End>>,
    /// Whether something was left of the tool's tree when it was ended from here.
    has_ended_others: Cell<bool>,
}

/// The end of a tool.
#[derive(Clone, Copy, Debug)]
struct End {
    /// Unknown where the launcher itself was ended.
    status: Option<ExitStatus>,
    is_alone: bool,
}

impl Launched {
    /// Waits until a launcher's tool runs.
    ///
    /// # Errors
    /// That of the tool, with its step; one of [`Step::Start`] where it is the launcher that does not work. Nothing is
    /// left of it then.
    pub(crate) fn confirm(launcher: Started, reports: &Reports) -> Result<Self, SpawnError> {
        let broken = SpawnError::new(Step::Start, Errno::PROTO.raw_os_error());
        let failure = match first_report(&launcher, &reports.ours) {
            Some(Report::Started) => match reports.ours.try_clone() {
                Ok(reports) => {
                    return Ok(Self {
                        launcher,
                        reports,
                        end: Cell::new(None),
                        has_ended_others: Cell::new(false),
                    });
                }
                Err(error) => {
                    SpawnError::new(Step::Start, error.raw_os_error().unwrap_or_default())
                }
            },
            Some(Report::NotStarted { errno }) => SpawnError::new(Step::Exec, errno),
            Some(Report::Ended { .. }) | None => broken,
        };
        // Whatever it does, it ends at once, and all that it has started with it.
        let _ = launcher.signal_group(Signal::KILL);
        let _ = launcher.reap();
        Err(failure)
    }

    /// Returns the launcher.
    pub(crate) fn launcher(&self) -> &Started {
        &self.launcher
    }

    /// Looks whether the tool has ended.
    pub(crate) fn has_exited(&self) -> Result<bool, StatusLost> {
        if self.end.get().is_some() {
            return Ok(true);
        }
        // First this, so that what it has said before its end is not missed.
        let is_gone = self.launcher.has_exited().map_err(|_| StatusLost)?;
        let end = match read(&self.reports) {
            Some(Report::Ended { status, is_alone }) => End {
                status: Some(ExitStatus::from_raw(status)),
                is_alone,
            },
            _ if is_gone => End {
                status: None,
                is_alone: true,
            },
            _ => return Ok(false),
        };
        self.end.set(Some(end));
        Ok(true)
    }

    /// Signals everything that has stayed in the launcher's group; KILL ends all that it has started besides.
    pub(crate) fn signal_group(&self, signal: Signal) -> std::io::Result<()> {
        let others_are_left = self.end.get().is_some_and(|end| !end.is_alone);
        if signal == Signal::KILL
            && others_are_left
            && self.launcher.has_exited().is_ok_and(|is| !is)
        {
            self.has_ended_others.set(true);
        }
        self.launcher.signal_group(signal)
    }

    /// Reaps the launcher, or gives it back if it has not ended.
    pub(crate) fn try_reap(self) -> Result<Result<Ended, Self>, StatusLost> {
        let Self {
            launcher,
            reports,
            end,
            has_ended_others,
        } = self;
        match launcher.try_reap() {
            Ok(reaped) => Ok(Ok(Ended {
                status: end
                    .get()
                    .and_then(|end| end.status)
                    .unwrap_or(reaped.status),
                cpu: Some(reaped.usage.user + reaped.usage.system),
                peak_memory_bytes: Some(reaped.usage.max_resident_bytes),
                has_ended_others: has_ended_others.get(),
            })),
            Err(ReapError::Running(launcher)) => Ok(Err(Self {
                launcher,
                reports,
                end,
                has_ended_others,
            })),
            Err(_) => Err(StatusLost),
        }
    }
}

impl AsFd for Launched {
    /// Borrows what is ready for reading once the tool has ended.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reports.as_fd()
    }
}

/// Waits for the first report; `None` if the launcher has ended without one, or takes too long.
fn first_report(launcher: &Started, reports: &File) -> Option<Report> {
    let until = Moment::now().plus(START_PATIENCE);
    loop {
        let has_exited = launcher.has_exited().unwrap_or(true);
        match read(reports) {
            None if has_exited || Moment::now() >= until => return None,
            None => {}
            report => return report,
        }
        let mut events = [
            PollFd::new(reports, PollFlags::IN),
            PollFd::new(launcher, PollFlags::IN),
        ];
        // What goes wrong with the wait shows at the next look.
        let _ = poll_until(&mut events, Some(until));
    }
}

/// Reads the next report, if it is there.
fn read(mut reports: &File) -> Option<Report> {
    let mut bytes = [0; LENGTH];
    // Written as a whole it is read as a whole.
    match reports.read(&mut bytes) {
        Ok(LENGTH) => Report::read(bytes),
        _ => None,
    }
}
