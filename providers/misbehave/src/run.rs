//! One run of one mode.

use std::time::Duration;

use crate::announce::Announcer;
use crate::block;
use crate::modes::{self, Mode};
use crate::options::{Failure, Options};
use crate::output::Output;

/// What a mode works with.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) mode: &'static Mode,
    pub(crate) options: Options,
    pub(crate) announcer: Announcer,
    /// The descriptors that were open before the handshake added its own.
    pub(crate) descriptors: Vec<i32>,
}

impl Run {
    pub(crate) fn new(
        name: &str,
        options: Options,
        descriptors: Vec<i32>,
    ) -> Result<Self, Failure> {
        let mode = modes::find(name).ok_or_else(|| Failure::Usage(format!("no mode `{name}`")))?;
        options.check(mode.name, mode.options)?;
        let announcer = Announcer::open(&options, "leader")?;
        Ok(Self {
            mode,
            options,
            announcer,
            descriptors,
        })
    }

    pub(crate) fn perform(&self) -> Result<u8, Failure> {
        (self.mode.run)(self)
    }

    /// Stdout, in pieces of `chunk` bytes where that was asked for.
    pub(crate) fn stdout(&self) -> Result<Output, Failure> {
        Output::stdout(self.options.number("chunk", 0)?)
    }

    /// Stdout or stderr, as the option `stream` says.
    pub(crate) fn stream(&self, default: &str) -> Result<Output, Failure> {
        let chunk = self.options.number("chunk", 0)?;
        match self.options.text("stream", default) {
            "stdout" => Output::stdout(chunk),
            "stderr" => Output::stderr(chunk),
            other => Err(Failure::Usage(format!(
                "`stream` is `stdout` or `stderr`, not `{other}`"
            ))),
        }
    }

    /// A `result` block with this JSON text as its output, without a newline.
    pub(crate) fn block(&self, output: &str) -> String {
        block::result(self.mode.name, output)
    }

    /// Announces `ready`, then sleeps for the option `millis`.
    pub(crate) fn rest(&self, default_millis: u64) -> Result<(), Failure> {
        let time = self.time(default_millis)?;
        self.announcer.step("ready");
        std::thread::sleep(time);
        Ok(())
    }

    /// The option `millis`, at most a minute, so that no broken host leaves a process for good.
    pub(crate) fn time(&self, default_millis: u64) -> Result<Duration, Failure> {
        Ok(self
            .options
            .millis("millis", default_millis)?
            .min(Duration::from_mins(1)))
    }

    /// The exit code of the option `exit`.
    pub(crate) fn exit_code(&self, default: u8) -> Result<u8, Failure> {
        let code = self.options.number("exit", default.into())?;
        u8::try_from(code).map_err(|_| Failure::Usage(format!("`exit` is at most 255, not {code}")))
    }
}
