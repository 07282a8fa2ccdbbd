//! A call that ends with its owner, also when that one panics.

use std::sync::Arc;
use std::time::Duration;

use super::buffer::Buffer;
use super::captured::Captured;
use super::clock::Moment;
use super::live::Live;
use super::machine::Cause;
use super::poll_loop;
use super::supervisor::{self, CallNumber, Supervisor};
use super::system_error::SystemError;
use super::traffic::{Output, Ready};

/// How long a drop waits for the end of what it has killed, before it leaves the reap to the supervisor.
const DROP_PATIENCE: Duration = Duration::from_millis(50);

/// A call and its place at the supervisor, if it has one.
pub(crate) struct Owned {
    // Absent once the call was taken apart.
    live: Option<Live>,
    watch: Option<Watch>,
    may_block: bool,
}

/// The call's place at the supervisor.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) supervisor: Arc<Supervisor>,
    pub(crate) number: CallNumber,
}

impl Owned {
    pub(crate) fn new(live: Live) -> Self {
        Self {
            live: Some(live),
            watch: None,
            may_block: true,
        }
    }

    pub(crate) fn live(&self) -> &Live {
        self.live
            .as_ref()
            .expect("only taking the owner apart takes the call out")
    }

    pub(crate) fn live_mut(&mut self) -> &mut Live {
        self.live
            .as_mut()
            .expect("only taking the owner apart takes the call out")
    }

    /// Takes the call apart once it is over.
    pub(crate) fn into_captured(mut self, stdout: Vec<u8>) -> Captured {
        let live = self
            .live
            .take()
            .expect("only taking the owner apart takes the call out");
        live.into_captured(stdout)
    }

    /// Notes that the owner is a task, which must not stand still.
    pub(crate) fn never_block(&mut self) {
        self.may_block = false;
    }

    /// Returns the call's place at the supervisor, if it has one.
    pub(crate) fn watch(&self) -> Option<&Watch> {
        self.watch.as_ref()
    }

    /// Returns the call's place at the supervisor, and gives it one if it has none.
    pub(crate) fn ensure_watch(&mut self) -> Result<Watch, SystemError> {
        if let Some(watch) = &self.watch {
            return Ok(watch.clone());
        }
        let supervisor = supervisor::get()?;
        let live = self.live();
        let number = supervisor.watch(live.shared(), live.cancel().cloned());
        let watch = Watch { supervisor, number };
        self.watch = Some(watch.clone());
        Ok(watch)
    }

    /// Kills the tree at once, and leaves to the supervisor what takes longer than a moment.
    fn end(&mut self) {
        let now = Moment::now();
        let shared = Arc::clone(self.live().shared());
        let mut control = shared.lock();
        control.end_wait(now);
        control.machine_mut().forgo_grace(now);
        control.blame(Cause::Dropped);
        control.proceed(now);
        drop(control);
        if self.may_block {
            self.drive(Some(now.plus(DROP_PATIENCE)));
        }
        if self.live().finished().is_none() && self.ensure_watch().is_err() {
            // No supervisor can be had. The patience of the machine bounds this wait.
            self.drive(None);
        }
    }

    fn drive(&mut self, until: Option<Moment>) {
        poll_loop::drive(
            self.live_mut(),
            Ready::ALL,
            &mut Output::Discard,
            &mut Buffer::take(),
            until,
        );
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let is_over = |live: &Live| live.finished().is_some();
        if self.live.as_ref().is_some_and(|live| !is_over(live)) {
            self.end();
        }
        if let Some(watch) = &self.watch {
            if self.live.as_ref().is_none_or(is_over) {
                watch.supervisor.forget(watch.number);
            } else {
                watch.supervisor.look(watch.number);
            }
        }
    }
}
