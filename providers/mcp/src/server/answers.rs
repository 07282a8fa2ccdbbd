//! How each call is answered: once, when its processes are gone.

use std::time::Duration;

use serde_json::{Value, json};

use super::Server;
use super::asker::Kept;
use super::calls::{Call, Cause, Progress, progress_params};
use crate::audit::{self, Effect, Termination};
use crate::code::McpCode;
use crate::exposure::ResultForm;
use crate::refusal::Refusal;
use crate::results::{self, ToolResult};
use crate::runner::Finished;

impl Server {
    /// Answers a call whose processes are gone. What was done is never reported as ended from here.
    pub(super) fn ended(&mut self, key: u64, finished: &Finished) {
        let Some(call) = self.calls.take_ended(key) else {
            return;
        };
        let effect = Effect::of(call.offered.contract.side_effects(), finished);
        let kind = finished.error.as_ref().map(|error| error.kind().as_str());
        let cause = call.cause.filter(|_| kind == Some("cancelled"));
        let termination = match cause {
            Some(Cause::Deadline) => Termination::ResourceKilled,
            Some(_) => Termination::Cancelled,
            None => Termination::Completed,
        };
        let audit = audit::of(call.offered.provider(), finished, termination);
        if cause == Some(Cause::Deadline) && self.serve.result == ResultForm::Document {
            let refusal = self.refusal_for(&call, Cause::Deadline, "running");
            let result = results::failed_document(&format!("timeout: {}", refusal.message()));
            self.answer_call(&call, result, &audit, effect);
            return;
        }
        let refusal = match cause {
            Some(cause) => Some(self.refusal_for(&call, cause, "running")),
            None if finished.has_crashed => {
                let message = "the server failed within the call";
                Some(Refusal::new(McpCode::WorkerCrash, message))
            }
            None => None,
        };
        if let Some(refusal) = refusal {
            let refusal = refusal.with("audit", audit).with("effect", effect.word());
            self.end_with(&call, &refusal);
            return;
        }
        if let Some(Progress { token, .. }) = &call.progress {
            self.notify("notifications/progress", &progress_params(token, 1.0, None));
        }
        let result = match self.serve.result {
            ResultForm::Envelope => results::envelope(&call.offered.id, finished),
            ResultForm::Document => results::document(finished),
        };
        self.answer_call(&call, result, &audit, effect);
    }

    /// Sends a result, in pages where it is too long and its form has them.
    fn answer_call(&mut self, call: &Call, result: ToolResult, audit: &Value, effect: Effect) {
        let has_pages = result.structured.is_some();
        let is_short = result.text.len() <= crate::settings::size(self.settings.inline_bytes);
        if !has_pages || (is_short && !result.is_deep()) {
            let value = result.to_value(Some(audit), effect.word());
            if self.send_result(call, value) {
                return;
            }
        }
        if has_pages {
            let paged = self.pages.keep(result).to_value(Some(audit), effect.word());
            if self.send_result(call, paged) {
                return;
            }
        }
        let limit = self.settings.max_output_bytes;
        let message = format!("the result is longer than the {limit} bytes that a frame may have");
        let refusal = Refusal::new(McpCode::FrameTooLarge, message)
            .with("limit", limit)
            .with("audit", audit.clone())
            .with("effect", effect.word());
        self.end_with(call, &refusal);
    }

    /// Sends a result where a frame has room for it.
    fn send_result(&mut self, call: &Call, value: Value) -> bool {
        let result = self.complete(&call.asker, value, Kept::No);
        self.output.send_if_fits(
            &json!({"jsonrpc": "2.0", "id": call.asker.id.to_value(), "result": result}),
        )
    }

    /// Answers a call that was never started.
    pub(super) fn refuse_call(&mut self, call: &Call, refusal: Refusal) {
        let audit = audit::not_started(call.offered.provider());
        let refusal = refusal
            .with("audit", audit)
            .with("effect", Effect::None.word());
        self.end_with(call, &refusal);
    }

    /// Sends the last frame of a call; one that was cancelled may want none.
    fn end_with(&mut self, call: &Call, refusal: &Refusal) {
        let hears = call.asker.hears_of_cancel(self.serve.cancelled_response);
        if refusal.code() == McpCode::Cancelled && !hears {
            let note = format!("call {} was cancelled: {}", call.asker.id, refusal.data());
            crate::serve::tell(&note);
            return;
        }
        self.refuse_asker(&call.asker, refusal);
    }

    pub(super) fn refusal_for(&self, call: &Call, cause: Cause, phase: &str) -> Refusal {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        match cause {
            Cause::Cancel => cancelled(phase),
            Cause::Deadline => {
                let limit = millis(call.deadline.unwrap_or_default());
                let message = format!("the call had {limit} ms, waiting included");
                Refusal::new(McpCode::ResourceExceeded, message)
                    .with("resource", "wall")
                    .with("limit", limit)
                    .with("observed", millis(call.admitted.elapsed()))
                    .with("phase", phase)
            }
            Cause::Drain => {
                let message = "the connection ended before the call did";
                Refusal::new(McpCode::DrainTimeout, message)
                    .with("limit", self.settings.drain_timeout_ms)
                    .with("phase", phase)
            }
        }
    }
}

/// The refusal of a call that the client no longer wants.
pub(super) fn cancelled(phase: &str) -> Refusal {
    Refusal::new(McpCode::Cancelled, "the client cancelled the call").with("phase", phase)
}
