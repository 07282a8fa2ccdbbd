//! The calls of a client: those that wait, those that run, and how each ends.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use lonis::limits::{Bound, Limits};
use lonis::process::CancelToken;
use lonis::{Json, RawBlock};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::requests::{bad_params, progress_token, type_of};
use super::{Event, Server};
use crate::audit::{self, Effect, Termination};
use crate::code::McpCode;
use crate::exposure::{InputErrors, ResultForm};
use crate::message::RequestId;
use crate::offer::Offered;
use crate::refusal::Refusal;
use crate::results::{self, ToolResult};
use crate::runner::{self, Finished, Job};

/// The shortest time between two notices of one call's progress.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);
/// The longest deadline that a client may ask for, in milliseconds: a day.
const MAX_DEADLINE_MILLIS: u64 = 86_400_000;

/// What `tools/call` asks for.
#[derive(Debug)]
pub(super) struct CallRequest {
    pub(super) name: String,
    arguments: BTreeMap<String, Json>,
    progress: Option<Value>,
    deadline_millis: Option<u64>,
}

#[derive(Deserialize)]
struct Params<'a> {
    name: Option<Value>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(default, rename = "_meta")]
    meta: Value,
    task: Option<Value>,
}

impl CallRequest {
    pub(super) fn read(params: Option<&Json>) -> Result<Self, Refusal> {
        let text = params.map_or("{}", Json::text);
        let params: Params<'_> =
            serde_json::from_str(text).map_err(|_| bad_params("", "an object", None))?;
        if params.task.is_some() {
            let message = "`task` is set, and no tool runs as a task";
            return Err(Refusal::new(McpCode::Task, message));
        }
        let name = match params.name {
            Some(Value::String(name)) => name,
            other => return Err(bad_params("/name", "a text", other.as_ref())),
        };
        let arguments = match params.arguments {
            None => BTreeMap::new(),
            Some(raw) => members(raw)?,
        };
        if !(params.meta.is_null() || params.meta.is_object()) {
            return Err(bad_params("/_meta", "an object", Some(&params.meta)));
        }
        let deadline = params.meta.get("genesis/deadlineMs");
        let deadline_millis = deadline.map(|value| {
            let millis = value
                .as_u64()
                .filter(|millis| (1..=MAX_DEADLINE_MILLIS).contains(millis));
            millis.ok_or_else(|| {
                let expected = format!("an integer of 1 to {MAX_DEADLINE_MILLIS}");
                bad_params("/_meta/genesis~1deadlineMs", &expected, Some(value))
            })
        });
        Ok(Self {
            name,
            arguments,
            progress: progress_token(&params.meta)?,
            deadline_millis: deadline_millis.transpose()?,
        })
    }
}

fn members(raw: &RawValue) -> Result<BTreeMap<String, Json>, Refusal> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(raw.get()).map_err(|_| {
        let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
        bad_params("/arguments", "an object", Some(&value))
    })?;
    let json = |raw: &RawValue| {
        Json::parse(raw.get()).expect("a part of a text that was read is strict JSON")
    };
    Ok(members
        .into_iter()
        .map(|(name, raw)| (name, json(raw)))
        .collect())
}

/// Why a call is ended from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The client asked for it.
    Cancel,
    /// Its time is over.
    Deadline,
    /// The connection ends.
    Drain,
}

/// One admitted call.
#[derive(Debug)]
pub(super) struct Call {
    id: RequestId,
    offered: Arc<Offered>,
    input: Json,
    root: Option<PathBuf>,
    admitted: Instant,
    deadline: Option<Duration>,
    cancel: CancelToken,
    cause: Option<Cause>,
    progress: Option<Progress>,
}

#[derive(Debug)]
struct Progress {
    token: Value,
    steps: u32,
    told: Instant,
}

impl Call {
    fn ends_at(&self) -> Option<Instant> {
        let deadline = self.deadline.filter(|_| self.cause.is_none())?;
        self.admitted.checked_add(deadline)
    }

    fn provider(&self) -> &str {
        self.offered.id.split(':').next().unwrap_or_default()
    }
}

/// The calls that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Calls {
    waiting: VecDeque<Call>,
    running: BTreeMap<u64, Call>,
    next_key: u64,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Whether all that is left is ending already.
    pub(super) fn is_ending(&self) -> bool {
        self.waiting.is_empty() && self.running.values().all(|call| call.cause.is_some())
    }

    pub(super) fn has_id(&self, id: &RequestId) -> bool {
        self.all().any(|call| call.id == *id)
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.all().filter_map(Call::ends_at).min()
    }

    /// Takes the waiting calls beyond so many, counted with those that run.
    pub(super) fn take_beyond(&mut self, kept: usize) -> Vec<Call> {
        let kept = kept
            .saturating_sub(self.running.len())
            .min(self.waiting.len());
        self.waiting.split_off(kept).into()
    }

    fn all(&self) -> impl Iterator<Item = &Call> {
        self.waiting.iter().chain(self.running.values())
    }

    /// Takes the first waiting call that may run now: of those that change something on one root, one at a time, in order.
    fn take_ready(&mut self) -> Option<Call> {
        let writes = |call: &Call| !call.offered.class.is_read_only();
        let mut busy: Vec<Option<&PathBuf>> = self
            .running
            .values()
            .filter(|call| writes(call))
            .map(|call| call.root.as_ref())
            .collect();
        let ready = self.waiting.iter().position(|call| {
            let is_free = !writes(call) || !busy.contains(&call.root.as_ref());
            busy.push(call.root.as_ref());
            is_free
        })?;
        self.waiting.remove(ready)
    }
}

impl Server {
    /// Checks a call and lets it wait for its turn; a result at once where its arguments are refused as one.
    pub(super) fn admit(
        &mut self,
        id: &RequestId,
        request: CallRequest,
        offered: Arc<Offered>,
    ) -> Result<Option<Value>, Refusal> {
        if let Err(refusal) = check(&offered, &request.arguments) {
            if self.serve.input_errors == InputErrors::Protocol {
                return Err(refusal);
            }
            let result = match self.serve.result {
                ResultForm::Envelope => results::refused_envelope(&refusal),
                ResultForm::Document => results::refused_document(&refusal),
            };
            let audit = audit::not_started(offered.id.split(':').next().unwrap_or_default());
            return Ok(Some(result.to_value(Some(&audit), Effect::None.word())));
        }
        let limit = self.settings.max_queue;
        if self.calls.waiting.len() >= crate::settings::size(limit) {
            let message = format!("{limit} calls wait already");
            return Err(Refusal::new(McpCode::QueueFull, message).with("limit", limit));
        }
        let root = offered.root.as_ref().map(|_| self.boundary.clone());
        let input = input(&offered, request.arguments, root.as_ref());
        let deadline = [request.deadline_millis, offered.deadline_millis];
        let deadline = deadline
            .into_iter()
            .flatten()
            .min()
            .map(Duration::from_millis);
        let now = Instant::now();
        self.calls.waiting.push_back(Call {
            id: id.clone(),
            offered,
            input,
            root,
            admitted: now,
            deadline,
            cancel: CancelToken::new(),
            cause: None,
            progress: request.progress.map(|token| Progress {
                token,
                steps: 0,
                told: now,
            }),
        });
        Ok(None)
    }

    /// Starts what may run now.
    pub(super) fn begin_calls(&mut self) {
        while self.calls.running.len() < crate::settings::size(self.settings.max_running) {
            let Some(call) = self.calls.take_ready() else {
                return;
            };
            self.begin(call);
        }
    }

    fn begin(&mut self, call: Call) {
        let key = self.calls.next_key;
        self.calls.next_key += 1;
        let limits = match call.offered.deadline_millis {
            Some(millis) => Limits::new().with_nearest(Bound::TimeoutMillis, millis),
            None => Limits::new(),
        };
        let job = Job {
            tool: Arc::clone(&call.offered.tool),
            input: call.input.clone(),
            limits,
            cancel: call.cancel.clone(),
        };
        let (events, tells) = (self.events.clone(), call.progress.is_some());
        // Not joined: its last act is the event that takes the call from the table.
        let spawned = thread::Builder::new().name("call".into()).spawn(move || {
            let finished = runner::run(job, |block| {
                if tells && block.kind() == "action" {
                    let message = action(block);
                    // The server listens as long as a call is in its table.
                    let _ = events.send(Event::Progress { key, message });
                }
            });
            let finished = Box::new(finished);
            // As above.
            let _ = events.send(Event::Ended { key, finished });
        });
        match spawned {
            Ok(_) => {
                if let Some(Progress { token, .. }) = &call.progress {
                    let params = progress_params(token, 0.0, None);
                    self.notify("notifications/progress", &params);
                }
                self.calls.running.insert(key, call);
            }
            Err(error) => {
                let message = format!("the call cannot be started: {error}");
                self.refuse_call(&call, Refusal::new(McpCode::WorkerLaunch, message));
            }
        }
    }

    /// Tells the client that a call has got on: strictly increasing, below 1, and not too often.
    pub(super) fn progress(&mut self, key: u64, message: Option<String>) {
        let Some(call) = self.calls.running.get_mut(&key) else {
            return;
        };
        let Some(progress) = call.progress.as_mut().filter(|_| call.cause.is_none()) else {
            return;
        };
        progress.steps += 1;
        let now = Instant::now();
        if now.duration_since(progress.told) < PROGRESS_PAUSE {
            return;
        }
        progress.told = now;
        let done = 1.0 - 1.0 / f64::from(progress.steps + 1);
        let params = progress_params(&progress.token, done, message);
        self.notify("notifications/progress", &params);
    }

    /// Ends a call that the client no longer wants.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        if let Some(at) = self.calls.waiting.iter().position(|call| call.id == *id) {
            if let Some(call) = self.calls.waiting.remove(at) {
                self.refuse_call(&call, cancelled("queued"));
            }
            return;
        }
        let running = self.calls.running.values_mut().find(|call| call.id == *id);
        if let Some(call) = running {
            end(call, Cause::Cancel);
        }
    }

    /// Ends every call.
    pub(super) fn end_calls(&mut self, cause: Cause) {
        for call in std::mem::take(&mut self.calls.waiting) {
            let refusal = self.refusal_for(&call, cause, "queued");
            self.refuse_call(&call, refusal);
        }
        for call in self.calls.running.values_mut() {
            end(call, cause);
        }
    }

    /// Ends the calls whose time is over.
    pub(super) fn end_late_calls(&mut self, now: Instant) {
        let is_late = |call: &Call| call.ends_at().is_some_and(|end| end <= now);
        while let Some(at) = self.calls.waiting.iter().position(is_late) {
            if let Some(call) = self.calls.waiting.remove(at) {
                let refusal = self.refusal_for(&call, Cause::Deadline, "queued");
                self.refuse_call(&call, refusal);
            }
        }
        for call in self.calls.running.values_mut().filter(|call| is_late(call)) {
            end(call, Cause::Deadline);
        }
    }

    /// Answers a call whose processes are gone. What was done is never reported as ended from here.
    pub(super) fn ended(&mut self, key: u64, finished: &Finished) {
        let Some(call) = self.calls.running.remove(&key) else {
            return;
        };
        let effect = Effect::of(call.offered.contract.side_effects(), finished);
        let was_ended = finished
            .error
            .as_ref()
            .is_some_and(|error| error.kind().as_str() == "cancelled");
        let cause = call.cause.filter(|_| was_ended);
        let termination = match cause {
            Some(Cause::Deadline) => Termination::ResourceKilled,
            Some(_) => Termination::Cancelled,
            None => Termination::Completed,
        };
        let audit = audit::of(call.provider(), finished, termination);
        if let Some(cause) = cause {
            let refusal = self.refusal_for(&call, cause, "running");
            let refusal = refusal.with("audit", audit).with("effect", effect.word());
            self.end_with(&call, &refusal);
            return;
        }
        if finished.has_crashed {
            let refusal = Refusal::new(McpCode::WorkerCrash, "the server failed within the call");
            let refusal = refusal.with("audit", audit).with("effect", effect.word());
            self.end_with(&call, &refusal);
            return;
        }
        if let Some(Progress { token, .. }) = &call.progress {
            let params = progress_params(token, 1.0, None);
            self.notify("notifications/progress", &params);
        }
        let result = match self.serve.result {
            ResultForm::Envelope => results::envelope(&call.offered.id, finished),
            ResultForm::Document => results::document(finished),
        };
        self.answer_call(&call, &result, &audit, effect);
    }

    fn answer_call(&mut self, call: &Call, result: &ToolResult, audit: &Value, effect: Effect) {
        let value = result.to_value(Some(audit), effect.word());
        let frame = json!({"jsonrpc": "2.0", "id": call.id.to_value(), "result": value});
        if self.output.fits(&frame) {
            self.send(&frame);
            return;
        }
        let limit = self.settings.max_output_bytes;
        let message = format!("the result is longer than the {limit} bytes that a frame may have");
        let refusal = Refusal::new(McpCode::FrameTooLarge, message)
            .with("limit", limit)
            .with("audit", audit.clone())
            .with("effect", effect.word());
        self.end_with(call, &refusal);
    }

    /// Answers a call that was never started.
    pub(super) fn refuse_call(&mut self, call: &Call, refusal: Refusal) {
        let audit = audit::not_started(call.provider());
        let refusal = refusal
            .with("audit", audit)
            .with("effect", Effect::None.word());
        self.end_with(call, &refusal);
    }

    /// Sends the last frame of a call; one that was cancelled may want none.
    fn end_with(&mut self, call: &Call, refusal: &Refusal) {
        if refusal.code() == McpCode::Cancelled && !self.serve.cancelled_response {
            crate::serve::tell(&format!(
                "call {} was cancelled: {}",
                call.id,
                refusal.data()
            ));
            return;
        }
        self.refuse(Some(&call.id), refusal);
    }

    fn refusal_for(&self, call: &Call, cause: Cause, phase: &str) -> Refusal {
        match cause {
            Cause::Cancel => cancelled(phase),
            Cause::Deadline => {
                let limit = call.deadline.unwrap_or_default().as_millis();
                let limit = u64::try_from(limit).unwrap_or(u64::MAX);
                let observed =
                    u64::try_from(call.admitted.elapsed().as_millis()).unwrap_or(u64::MAX);
                let message = format!("the call had {limit} ms, waiting included");
                Refusal::new(McpCode::ResourceExceeded, message)
                    .with("resource", "wall")
                    .with("limit", limit)
                    .with("observed", observed)
                    .with("phase", phase)
            }
            Cause::Drain => {
                let limit = self.settings.drain_timeout_ms;
                let message = "the connection ended before the call did";
                Refusal::new(McpCode::DrainTimeout, message)
                    .with("limit", limit)
                    .with("phase", phase)
            }
        }
    }
}

fn cancelled(phase: &str) -> Refusal {
    Refusal::new(McpCode::Cancelled, "the client cancelled the call").with("phase", phase)
}

/// Ends a running call: its processes are killed and reaped, then it is answered.
fn end(call: &mut Call, cause: Cause) {
    call.cause.get_or_insert(cause);
    call.cancel.kill();
}

fn progress_params(token: &Value, done: f64, message: Option<String>) -> Value {
    let mut params = json!({"progressToken": token, "progress": done, "total": 1});
    if let Some(message) = message {
        params["message"] = message.into();
    }
    params
}

/// What an `action` block says for people.
fn action(block: &RawBlock<'_>) -> Option<String> {
    let data: Value = serde_json::from_str(block.data()).ok()?;
    let text = ["title", "name", "action", "description"]
        .into_iter()
        .find_map(|member| data[member].as_str())?;
    Some(
        text.chars()
            .filter(|letter| !letter.is_control())
            .take(200)
            .collect(),
    )
}

/// Holds arguments against the schema that was shown.
fn check(offered: &Offered, arguments: &BTreeMap<String, Json>) -> Result<(), Refusal> {
    let value = Value::Object(
        arguments
            .iter()
            .map(|(name, json)| (name.clone(), json.to_value()))
            .collect(),
    );
    offered.check.check(&value).map_err(|breach| {
        let received = value.pointer(&breach.pointer).map_or("nothing", type_of);
        let place = if breach.pointer.is_empty() {
            "the arguments".to_owned()
        } else {
            format!("the argument `{}`", breach.pointer)
        };
        Refusal::new(McpCode::Arguments, format!("{place}: {}", breach.problem))
            .with("pointer", breach.pointer)
            .with("expected", breach.problem)
            .with("received", received)
    })
}

/// Makes the input of a tool: what the client gave, what the file sets, and the root.
fn input(offered: &Offered, mut arguments: BTreeMap<String, Json>, root: Option<&PathBuf>) -> Json {
    arguments.extend(offered.fixed.iter().cloned());
    if let (Some(member), Some(root)) = (&offered.root, root) {
        let root = Value::from(root.to_string_lossy());
        arguments.insert(member.clone(), Json::from(root));
    }
    let mut text = String::from("{");
    for (name, value) in &arguments {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        text.push_str(value.text());
    }
    text.push('}');
    Json::parse(&text).expect("members of strict JSON make an object of it")
}
