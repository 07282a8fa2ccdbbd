//! What each method does.

use lonis::Json;
use serde_json::{Value, json};

use super::asker::{Asker, CAPABILITIES_KEY, Form, Kept, STATELESS_VERSION, VERSION_KEY};
use super::{Phase, Server};
use crate::code::McpCode;
use crate::exposure::Shape;
use crate::message::RequestId;
use crate::own_tools::OwnTool;
use crate::refusal::Refusal;
use crate::resources::Resources;

/// The revision that is spoken after a handshake, whatever the client asks for.
pub(crate) const PROTOCOL_VERSION: &str = "2025-11-25";

impl Server {
    pub(super) fn on_request(&mut self, id: &RequestId, method: &str, params: Option<&Json>) {
        let values = params.map(Json::to_value).unwrap_or_default();
        let version = values["_meta"].get(VERSION_KEY);
        let form = match version {
            Some(_) => Form::Stateless,
            None => Form::Handshake,
        };
        let asker = Asker {
            id: id.clone(),
            form,
        };
        let answered = match form {
            Form::Handshake => self.after_handshake(&asker, method, params, &values),
            Form::Stateless => self.by_itself(&asker, method, params, &values),
        };
        match answered {
            Ok(Some((result, kept))) => self.answer(&asker, result, kept),
            Ok(None) => {}
            Err(refusal) => self.refuse_asker(&asker, &refusal),
        }
    }

    fn after_handshake(
        &mut self,
        asker: &Asker,
        method: &str,
        params: Option<&Json>,
        values: &Value,
    ) -> Result<Option<(Value, Kept)>, Refusal> {
        match method {
            "ping" => Ok(Some((json!({}), Kept::No))),
            "initialize" => Ok(Some((self.initialize(values)?, Kept::No))),
            method if is_served(method) && self.phase != Phase::Ready => {
                Err(not_initialized(self.phase))
            }
            method => self.served(asker, method, params, values),
        }
    }

    /// Serves a request that needs no other before it.
    fn by_itself(
        &mut self,
        asker: &Asker,
        method: &str,
        params: Option<&Json>,
        values: &Value,
    ) -> Result<Option<(Value, Kept)>, Refusal> {
        if !self.serve.stateless || !(method == "server/discover" || is_served(method)) {
            return Err(no_method(method));
        }
        let meta = &values["_meta"];
        let version = &meta[VERSION_KEY];
        if version != STATELESS_VERSION {
            let message = format!("the revision {version} is not spoken without a handshake");
            return Err(Refusal::new(McpCode::ProtocolVersion, message)
                .with("supported", json!([STATELESS_VERSION]))
                .with("requested", version.clone()));
        }
        let capabilities = meta.get(CAPABILITIES_KEY);
        if !capabilities.is_some_and(Value::is_object) {
            let pointer = "/_meta/io.modelcontextprotocol~1clientCapabilities";
            return Err(bad_params(pointer, "an object", capabilities));
        }
        if method == "server/discover" {
            let result = json!({
                "supportedVersions": [STATELESS_VERSION],
                "capabilities": capabilities_offered(),
                "instructions": self.instructions(),
            });
            return Ok(Some((result, Kept::Yes)));
        }
        self.served(asker, method, params, values)
    }

    fn served(
        &mut self,
        asker: &Asker,
        method: &str,
        params: Option<&Json>,
        values: &Value,
    ) -> Result<Option<(Value, Kept)>, Refusal> {
        self.registry.look(&self.events);
        let resources = Resources {
            offer: &self.offer,
            settings: &self.settings,
            form: self.serve.result,
        };
        let result = match method {
            "tools/list" => {
                one_page(values)?;
                json!({"tools": self.definitions()})
            }
            "resources/list" => {
                one_page(values)?;
                json!({"resources": resources.list()})
            }
            "resources/templates/list" => {
                one_page(values)?;
                json!({"resourceTemplates": []})
            }
            "resources/read" => {
                let uri = values["uri"].as_str();
                let uri = uri.ok_or_else(|| bad_params("/uri", "a text", values.get("uri")))?;
                resources.read(uri, &self.pages)?
            }
            "tools/call" => {
                let answered = self.call(asker, params)?;
                return Ok(answered.map(|result| (result, Kept::No)));
            }
            _ => return Err(no_method(method)),
        };
        Ok(Some((result, Kept::Yes)))
    }

    pub(super) fn on_notification(&mut self, method: &str, params: Option<&Json>) {
        match method {
            "notifications/initialized" if self.phase == Phase::Greeted => {
                self.phase = Phase::Ready;
                self.ask_for_roots(0);
            }
            "notifications/roots/list_changed" if self.phase == Phase::Ready => {
                self.ask_for_roots(0);
            }
            "notifications/cancelled" => {
                let params = params.map(Json::to_value).unwrap_or_default();
                if let Some(id) = RequestId::of(&params["requestId"]) {
                    self.cancel(&id);
                }
            }
            // What is not known asks for nothing.
            _ => {}
        }
    }

    fn initialize(&mut self, params: &Value) -> Result<Value, Refusal> {
        if self.phase != Phase::New {
            let message = "`initialize` was answered before";
            return Err(Refusal::new(McpCode::AlreadyInitialized, message));
        }
        for (pointer, expected) in [
            ("/protocolVersion", "a text"),
            ("/capabilities", "an object"),
            ("/clientInfo", "an object"),
            ("/clientInfo/name", "a text"),
            ("/clientInfo/version", "a text"),
        ] {
            let found = params.pointer(pointer);
            let fits = match expected {
                "a text" => found.is_some_and(Value::is_string),
                _ => found.is_some_and(Value::is_object),
            };
            if !fits {
                return Err(bad_params(pointer, expected, found));
            }
        }
        self.phase = Phase::Greeted;
        self.names_roots = params["capabilities"]
            .get("roots")
            .is_some_and(Value::is_object);
        Ok(json!({
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": capabilities_offered(),
            "serverInfo": self.identity(),
            "instructions": self.instructions(),
        }))
    }

    pub(super) fn identity(&self) -> Value {
        json!({"name": "lonis-mcp", "title": "Lonis", "version": self.offer.version})
    }

    /// What a model is told of the server, in at most 600 characters.
    fn instructions(&self) -> String {
        let count = self.offer.tools.len();
        let tools = if count == 1 { "tool" } else { "tools" };
        let mut text = format!(
            "{count} {tools} of this machine; each call runs a program by itself, under bounds of time, output and memory."
        );
        if self.serve.result == crate::exposure::ResultForm::Envelope {
            text.push_str(" A result is one JSON object: `ok`, then `data`, or `error` and diagnostics that say what to do next.");
        }
        if self.serve.defaults {
            text.push_str(" `lonis-search` finds a tool, `lonis-card` shows its input.");
        }
        if self
            .offer
            .tools
            .values()
            .any(|tool| tool.id == "session:begin")
        {
            text.push_str(" To edit files: session-begin, session-stage, session-test, session-apply; nothing of the live tree changes before the last.");
        }
        text
    }

    /// What `tools/list` shows, by name.
    fn definitions(&self) -> Vec<Value> {
        let own = if self.serve.defaults {
            OwnTool::definitions(self.serve.shape)
        } else {
            Vec::new()
        };
        let mut all: Vec<(&str, &Value)> = own.iter().map(|(name, shown)| (*name, shown)).collect();
        if self.serve.shape == Shape::Tools {
            all.extend(
                self.offer
                    .tools
                    .iter()
                    .map(|(name, tool)| (name.as_str(), &tool.definition)),
            );
        }
        all.sort_unstable_by_key(|(name, _)| *name);
        all.into_iter()
            .map(|(_, definition)| definition.clone())
            .collect()
    }
}

fn is_served(method: &str) -> bool {
    matches!(
        method,
        "tools/list"
            | "tools/call"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
    )
}

fn capabilities_offered() -> Value {
    json!({
        "tools": {"listChanged": true},
        "resources": {"subscribe": false, "listChanged": false},
    })
}

fn no_method(method: &str) -> Refusal {
    let message = format!("there is no method `{}`", method.escape_debug());
    Refusal::new(McpCode::Method, message)
}

fn not_initialized(phase: Phase) -> Refusal {
    let message = match phase {
        Phase::New => "`initialize` comes first",
        _ => "`notifications/initialized` comes first",
    };
    Refusal::new(McpCode::NotInitialized, message)
}

/// Makes the refusal of a parameter that is missing or of another type.
pub(super) fn bad_params(pointer: &str, expected: &str, found: Option<&Value>) -> Refusal {
    let received = found.map_or("nothing", type_of);
    let message = format!("the parameter `{pointer}` is {received}, expected is {expected}");
    Refusal::new(McpCode::Params, message)
        .with("pointer", pointer)
        .with("expected", expected)
        .with("received", received)
}

/// The type of a value, in words.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Refuses to go on with a list: each has one page.
fn one_page(params: &Value) -> Result<(), Refusal> {
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => {
            let message = "`cursor` is set, and every list has one page";
            Err(Refusal::new(McpCode::Cursor, message))
        }
    }
}
