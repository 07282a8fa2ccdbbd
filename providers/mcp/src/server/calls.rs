//! The calls of a client: those that wait, and those that run.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use lonis::diagnostics::{Code, Diagnostic};
use lonis::limits::{Bound, Limits};
use lonis::process::CancelToken;
use lonis::{Json, RawBlock, SchemaCheck};
use serde_json::{Value, json};

use super::answers::cancelled;
use super::asker::Asker;
use super::call_request::{self, CallRequest};
use super::{Event, Server};
use crate::audit::{self, Effect};
use crate::code::McpCode;
use crate::exposure::ResultForm;
use crate::message::RequestId;
use crate::offer::Offered;
use crate::own_tools::{self, OwnTool};
use crate::refusal::Refusal;
use crate::results;
use crate::runner::{self, Job};

/// The shortest time between two notices of one call's progress.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);
/// The longest message of a progress, in characters.
const MAX_MESSAGE_CHARS: usize = 200;

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
    pub(super) asker: Asker,
    pub(super) offered: Arc<Offered>,
    arguments: BTreeMap<String, Json>,
    place: Place,
    pub(super) admitted: Instant,
    pub(super) deadline: Option<Duration>,
    cancel: CancelToken,
    pub(super) cause: Option<Cause>,
    pub(super) progress: Option<Progress>,
}

/// The root that a call is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// The tool has none.
    Nowhere,
    /// The client has still to say what roots there are.
    Wanted(Option<String>),
    Root(PathBuf),
}

#[derive(Debug)]
pub(super) struct Progress {
    pub(super) token: Value,
    steps: u32,
    told: Instant,
}

impl Call {
    fn ends_at(&self) -> Option<Instant> {
        let deadline = self.deadline.filter(|_| self.cause.is_none())?;
        self.admitted.checked_add(deadline)
    }

    fn writes(&self) -> bool {
        !self.offered.class.is_read_only()
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
        self.all().any(|call| call.asker.id == *id)
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

    /// Takes a running call that has ended.
    pub(super) fn take_ended(&mut self, key: u64) -> Option<Call> {
        self.running.remove(&key)
    }

    fn all(&self) -> impl Iterator<Item = &Call> {
        self.waiting.iter().chain(self.running.values())
    }

    /// Takes the first waiting call that may run now: of those that change something on one root, one at a time, in order.
    fn take_ready(&mut self) -> Option<Call> {
        let writing = self.running.values().filter(|call| call.writes());
        let mut busy: Vec<&Place> = writing.map(|call| &call.place).collect();
        let ready = self.waiting.iter().position(|call| {
            if matches!(call.place, Place::Wanted(_)) {
                return false;
            }
            let is_free = !call.writes() || !busy.contains(&&call.place);
            if call.writes() {
                busy.push(&call.place);
            }
            is_free
        })?;
        self.waiting.remove(ready)
    }
}

impl Server {
    /// Admits a call; a result at once where there is one without running anything.
    pub(super) fn call(
        &mut self,
        asker: &Asker,
        params: Option<&Json>,
    ) -> Result<Option<Value>, Refusal> {
        let mut request = CallRequest::read(params)?;
        let own = OwnTool::of(&request.name, self.serve.shape).filter(|_| self.serve.defaults);
        if let Some(own) = own {
            let arguments = request.value();
            let schema = SchemaCheck::compile(&own.schema()).expect("our own schemas are sound");
            if let Err(refusal) = call_request::check(&schema, &arguments) {
                return self.refused_arguments(asker, refusal, "lonis");
            }
            if own != OwnTool::Call {
                let result = own.run(&arguments, &self.offer)?;
                let audit = audit::not_started("lonis");
                return Ok(Some(result.to_value(Some(&audit), Effect::None.word())));
            }
            request.name = request.take_call();
        }
        if let Some(why) = self.offer.changed.get(&request.name) {
            return Ok(Some(self.changed(&request.name, why)));
        }
        let (_, offered) = own_tools::find(&request.name, &self.offer)?;
        let offered = Arc::clone(offered);
        self.admit(asker, request, offered)
    }

    /// Checks a call and lets it wait for its turn.
    fn admit(
        &mut self,
        asker: &Asker,
        request: CallRequest,
        offered: Arc<Offered>,
    ) -> Result<Option<Value>, Refusal> {
        let arguments = request.value();
        if let Err(refusal) = call_request::check(&offered.check, &arguments) {
            return self.refused_arguments(asker, refusal, offered.provider());
        }
        call_request::check_paths(&offered, &arguments)?;
        let limit = self.settings.max_queue;
        if self.calls.waiting.len() >= crate::settings::size(limit) {
            let message = format!("{limit} calls wait already");
            return Err(Refusal::new(McpCode::QueueFull, message).with("limit", limit));
        }
        let place = match &offered.root {
            None => Place::Nowhere,
            Some(member) => {
                let wish = arguments[member].as_str().map(str::to_owned);
                self.ask_again(asker);
                self.place(asker, wish)?
            }
        };
        let deadline = [request.deadline_millis, offered.deadline_millis];
        let deadline = deadline
            .into_iter()
            .flatten()
            .min()
            .map(Duration::from_millis);
        let now = Instant::now();
        self.calls.waiting.push_back(Call {
            asker: asker.clone(),
            offered,
            arguments: request.arguments,
            place,
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

    /// The result of a call of a tool that no longer fits what was reviewed.
    fn changed(&self, name: &str, why: &str) -> Value {
        let message = format!("the tool `{name}` is not what was reviewed: {why}");
        let result = match self.serve.result {
            ResultForm::Envelope => {
                let changed = Diagnostic::new(Code::McpToolChanged, "mcp/call", message);
                results::refused_envelope(changed)
            }
            ResultForm::Document => {
                results::failed_document(&format!("mcp/tool-changed: {message}"))
            }
        };
        result.to_value(Some(&audit::not_started("lonis")), Effect::None.word())
    }

    /// Answers arguments that break a schema, in the way that the file asks for.
    fn refused_arguments(
        &self,
        asker: &Asker,
        refusal: Refusal,
        provider: &str,
    ) -> Result<Option<Value>, Refusal> {
        let diagnostic = call_request::diagnostic(&refusal);
        if !asker.reads_input_errors(self.serve.input_errors) {
            return Err(refusal.with("diagnostic", diagnostic.to_value()));
        }
        let result = match self.serve.result {
            ResultForm::Envelope => results::refused_envelope(diagnostic),
            ResultForm::Document => results::refused_document(&refusal),
        };
        let audit = audit::not_started(provider);
        Ok(Some(result.to_value(Some(&audit), Effect::None.word())))
    }

    fn place(&self, asker: &Asker, wish: Option<String>) -> Result<Place, Refusal> {
        let found = self.find_root(asker, wish.as_deref());
        Ok(found.transpose()?.map_or(Place::Wanted(wish), Place::Root))
    }

    /// Lets the calls that waited for the client's roots go on, or ends them.
    pub(super) fn settle_places(&mut self) {
        for mut call in std::mem::take(&mut self.calls.waiting) {
            if let Place::Wanted(wish) = call.place.clone() {
                match self.place(&call.asker, wish) {
                    Ok(place) => call.place = place,
                    Err(refusal) => {
                        self.refuse_call(&call, refusal);
                        continue;
                    }
                }
            }
            self.calls.waiting.push_back(call);
        }
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
        let limits = match call.offered.timeout_millis {
            Some(millis) => Limits::new().with_nearest(Bound::TimeoutMillis, millis),
            None => Limits::new(),
        };
        let root = match &call.place {
            Place::Root(root) => Some(root.as_path()),
            _ => None,
        };
        let job = Job {
            tool: Arc::clone(&call.offered.tool),
            input: call_request::input(&call.offered, &call.arguments, root),
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
        if let Err(error) = spawned {
            let message = format!("the call cannot be started: {error}");
            self.refuse_call(&call, Refusal::new(McpCode::WorkerLaunch, message));
            return;
        }
        if let Some(Progress { token, .. }) = &call.progress {
            self.notify("notifications/progress", &progress_params(token, 0.0, None));
        }
        self.calls.running.insert(key, call);
    }

    /// Tells the client that a call has got on: strictly increasing, below 1, and not too often.
    pub(super) fn progress(&mut self, key: u64, message: Option<String>) {
        let Some(call) = self.calls.running.get_mut(&key) else {
            return;
        };
        let is_ending = call.cause.is_some();
        let Some(progress) = call.progress.as_mut().filter(|_| !is_ending) else {
            return;
        };
        progress.steps += 1;
        let now = Instant::now();
        if progress.steps > 1 && now.duration_since(progress.told) < PROGRESS_PAUSE {
            return;
        }
        progress.told = now;
        let done = 1.0 - 1.0 / f64::from(progress.steps + 1);
        let params = progress_params(&progress.token, done, message);
        self.notify("notifications/progress", &params);
    }

    /// Ends a call that the client no longer wants.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        if let Some(at) = self
            .calls
            .waiting
            .iter()
            .position(|call| call.asker.id == *id)
        {
            if let Some(call) = self.calls.waiting.remove(at) {
                self.refuse_call(&call, cancelled("queued"));
            }
            return;
        }
        let running = self
            .calls
            .running
            .values_mut()
            .find(|call| call.asker.id == *id);
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
}

/// Ends a running call: its processes are killed and reaped, then it is answered.
fn end(call: &mut Call, cause: Cause) {
    call.cause.get_or_insert(cause);
    call.cancel.kill();
}

pub(super) fn progress_params(token: &Value, done: f64, message: Option<String>) -> Value {
    let mut params = json!({"progressToken": token, "progress": done, "total": 1});
    if let Some(message) = message {
        params["message"] = message.into();
    }
    params
}

/// What an `action` block says for people.
fn action(block: &RawBlock<'_>) -> Option<String> {
    let data: Value = serde_json::from_str(block.data()).ok()?;
    let verb = data["verb"].as_str()?;
    let text = match data["target"].as_str() {
        Some(target) => format!("{verb} {target}"),
        None => verb.to_owned(),
    };
    let shown = text.chars().filter(|letter| !letter.is_control());
    Some(shown.take(MAX_MESSAGE_CHARS).collect())
}
