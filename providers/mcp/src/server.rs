//! One client served: a loop over its lines, the ends of its calls, signals and one timer.
//!
//! The loop never waits for anything else. Lines are read and frames written by threads of their own, and each running
//! call has one; only the loop decides, so that every request gets one answer, in one order.

mod answers;
mod asker;
mod call_request;
mod calls;
mod named_roots;
mod requests;

use std::path::PathBuf;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, at, never, select};
use lonis::ToolError;
use serde_json::{Value, json};

use crate::code::McpCode;
use crate::exposure::Serve;
use crate::message::{Message, RequestId, id_in_front};
use crate::offer::Offer;
use crate::refusal::Refusal;
use crate::registry::{self, Registry};
use crate::results::Pages;
use crate::roots::Roots;
use crate::runner::Finished;
use crate::settings::Settings;
use crate::transport::{Line, Output, Written};
use calls::{Calls, Cause};
pub(crate) use requests::PROTOCOL_VERSION;

/// What the loop is woken by, beside lines and the timer.
#[derive(Debug)]
pub(crate) enum Event {
    /// A running call has got on; a text for people, where there is one.
    Progress { key: u64, message: Option<String> },
    /// A call has ended, and its processes are gone.
    Ended { key: u64, finished: Box<Finished> },
    /// What is registered was looked at again.
    Looked(Box<Result<Offer, ToolError>>),
    /// The writing thread has something to say.
    Written(Written),
    /// A signal came that asks this process to end.
    Signal,
}

/// How far the client has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    /// `initialize` is answered.
    Greeted,
    Ready,
}

/// One client's server.
#[derive(Debug)]
pub(crate) struct Server {
    settings: Settings,
    serve: Serve,
    registry: Registry,
    offer: Offer,
    /// The directory that no root lies outside of.
    boundary: PathBuf,
    output: Output,
    events: Sender<Event>,
    phase: Phase,
    calls: Calls,
    pages: Pages,
    roots: Roots,
    /// Whether the client has roots to name.
    names_roots: bool,
    /// Questions that were put to the client so far.
    asked: u64,
    /// Frames that were read so far.
    frames: u64,
    /// When what still runs is ended; set once nothing more is read.
    drain_until: Option<Instant>,
}

impl Server {
    pub(crate) fn new(
        settings: Settings,
        registry: Registry,
        offer: Offer,
        boundary: PathBuf,
        output: Output,
        events: Sender<Event>,
    ) -> Self {
        Self {
            settings,
            serve: registry.exposure().serve.clone(),
            registry,
            offer,
            boundary,
            output,
            events,
            phase: Phase::New,
            calls: Calls::default(),
            pages: Pages::default(),
            roots: Roots::Implicit,
            names_roots: false,
            asked: 0,
            frames: 0,
            drain_until: None,
        }
    }

    /// Serves until the client closes its end or a signal comes; every accepted call is answered first.
    ///
    /// # Errors
    /// When an answer could not be written although the client is there.
    pub(crate) fn run(
        mut self,
        lines: &Receiver<Line>,
        events: &Receiver<Event>,
    ) -> Result<u8, ToolError> {
        let nothing = never();
        loop {
            self.begin_calls();
            let Some(until) = self.drain_until.filter(|_| self.calls.is_empty()) else {
                // With the client's pipe full nothing more is read, so that what waits to be written stays bounded.
                let is_listening = self.drain_until.is_none() && self.output.has_room();
                let source = if is_listening { lines } else { &nothing };
                let timer = self.next_moment().map_or_else(never, at);
                select! {
                    recv(events) -> event => if let Ok(event) = event { self.on_event(event) },
                    recv(source) -> line => self.on_line(line.unwrap_or(Line::End(None))),
                    recv(timer) -> _ => self.on_time(Instant::now()),
                }
                continue;
            };
            self.registry.stop();
            let written = self.output.finish(until);
            written.map_err(|error| lonis::not_written(&error))?;
            return Ok(lonis::exit_code::SUCCESS);
        }
    }

    fn on_line(&mut self, line: Line) {
        if let Line::End(reason) = line {
            if let Some(reason) = reason {
                crate::serve::tell(&format!("the client's end cannot be read: {reason}"));
            }
            self.drain();
            return;
        }
        self.frames += 1;
        if self.frames > self.settings.max_requests {
            let limit = self.settings.max_requests;
            let message = format!("the {limit} frames of one connection are used up");
            let refusal = Refusal::new(McpCode::SessionLimit, message).with("limit", limit);
            self.refuse(None, &refusal);
            self.drain();
            return;
        }
        match line {
            Line::Whole(bytes) => match Message::read(&bytes) {
                Ok(message) => self.on_message(message),
                Err(unreadable) => self.refuse(unreadable.id.as_ref(), &unreadable.refusal),
            },
            Line::TooLong(front) => {
                let limit = self.settings.max_frame_bytes;
                let message = format!("the line is longer than the {limit} bytes that are read");
                let refusal = Refusal::new(McpCode::FrameTooLarge, message).with("limit", limit);
                self.refuse(id_in_front(&front).as_ref(), &refusal);
            }
            Line::End(_) => {}
        }
    }

    fn on_message(&mut self, message: Message) {
        match message {
            Message::Request { id, method, params } => {
                if self.calls.has_id(&id) {
                    let message = format!("a call with the id `{id}` is still active");
                    self.refuse(Some(&id), &Refusal::new(McpCode::IdActive, message));
                    return;
                }
                self.on_request(&id, &method, params.as_ref());
            }
            Message::Notification { method, params } => {
                self.on_notification(&method, params.as_ref());
            }
            Message::Answer { id, result } => self.on_answer(&id, &result),
        }
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Progress { key, message } => self.progress(key, message),
            Event::Ended { key, finished } => self.ended(key, &finished),
            Event::Looked(found) => self.looked(*found),
            // Being woken is all: the loop looks for itself whether there is room.
            Event::Written(Written::Room) => {}
            Event::Written(Written::Gone) | Event::Signal => self.end_all(),
        }
    }

    /// Takes what is registered now, and tells the client where its list of tools is another.
    fn looked(&mut self, found: Result<Offer, ToolError>) {
        self.registry.looked();
        let offer = match found {
            Ok(offer) => offer,
            // A file that cannot be used now offers what it did; one that no longer fits a contract waits for a review.
            Err(error) if error.kind().as_str().starts_with("mcp/") => {
                registry::without_reviewed(&self.offer, self.registry.exposure(), &error)
            }
            Err(_) => return,
        };
        let is_changed = registry::shown(&offer) != registry::shown(&self.offer);
        self.offer = offer;
        if is_changed && self.phase == Phase::Ready {
            self.notify("notifications/tools/list_changed", &json!({}));
        }
    }

    /// Stops reading; what runs and a few that wait get the time of the drain.
    fn drain(&mut self) {
        if self.drain_until.is_some() {
            return;
        }
        self.drain_until = Some(Instant::now() + self.settings.drain_timeout());
        let kept = self.settings.max_drain_requests;
        for call in self.calls.take_beyond(crate::settings::size(kept)) {
            let message = format!("the connection ends, and only {kept} calls are finished");
            let refusal = Refusal::new(McpCode::DrainBounded, message).with("limit", kept);
            self.refuse_call(&call, refusal);
        }
        if self.settings.drain_timeout_ms == 0 {
            self.end_calls(Cause::Drain);
        }
    }

    /// Ends everything now.
    fn end_all(&mut self) {
        let now = Instant::now();
        self.drain_until = Some(self.drain_until.map_or(now, |until| until.min(now)));
        self.end_calls(Cause::Drain);
    }

    fn next_moment(&self) -> Option<Instant> {
        let drain = self.drain_until.filter(|_| !self.calls.is_ending());
        let roots = self.roots.until();
        self.calls
            .next_deadline()
            .into_iter()
            .chain(drain)
            .chain(roots)
            .min()
    }

    fn on_time(&mut self, now: Instant) {
        if self.drain_until.is_some_and(|until| until <= now) {
            self.end_calls(Cause::Drain);
        }
        self.end_late_question(now);
        self.end_late_calls(now);
    }

    fn refuse(&mut self, id: Option<&RequestId>, refusal: &Refusal) {
        let id = id.map_or(Value::Null, RequestId::to_value);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": refusal.to_value()}));
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&mut self, frame: &Value) {
        self.output.send(frame);
    }
}
