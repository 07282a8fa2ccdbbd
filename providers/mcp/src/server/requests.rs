//! What each method does.

use lonis::Json;
use serde_json::{Value, json};

use super::calls::CallRequest;
use super::{Phase, Server};
use crate::code::McpCode;
use crate::message::RequestId;
use crate::refusal::Refusal;

/// The revision that is spoken, whatever the client asks for.
pub(crate) const PROTOCOL_VERSION: &str = "2025-11-25";
/// The longest token of a progress that is a text, in bytes.
const MAX_TOKEN_BYTES: usize = 256;

impl Server {
    pub(super) fn on_request(&mut self, id: &RequestId, method: &str, params: Option<&Json>) {
        let answered = match method {
            "ping" => Ok(json!({})),
            "initialize" => self.initialize(params),
            "tools/list"
            | "tools/call"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
                if self.phase != Phase::Ready =>
            {
                Err(not_initialized(self.phase))
            }
            "tools/list" => self.list_tools(params),
            "tools/call" => match self.call(id, params) {
                Ok(None) => return,
                Ok(Some(result)) => Ok(result),
                Err(refusal) => Err(refusal),
            },
            _ => {
                let message = format!("there is no method `{}`", method.escape_debug());
                Err(Refusal::new(McpCode::Method, message))
            }
        };
        match answered {
            Ok(result) => self.answer(id, &result),
            Err(refusal) => self.refuse(Some(id), &refusal),
        }
    }

    pub(super) fn on_notification(&mut self, method: &str, params: Option<&Json>) {
        match method {
            "notifications/initialized" if self.phase == Phase::Greeted => {
                self.phase = Phase::Ready;
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

    fn initialize(&mut self, params: Option<&Json>) -> Result<Value, Refusal> {
        if self.phase != Phase::New {
            let message = "`initialize` was answered before";
            return Err(Refusal::new(McpCode::AlreadyInitialized, message));
        }
        let params = params.map(Json::to_value).unwrap_or_default();
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
        Ok(json!({
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": {"tools": {"listChanged": false}},
            "serverInfo": self.identity(),
            "instructions": self.instructions(),
        }))
    }

    fn identity(&self) -> Value {
        json!({"name": "lonis-mcp", "title": "Lonis", "version": self.offer.version})
    }

    /// What a model is told of the server, in at most 600 characters.
    fn instructions(&self) -> String {
        let count = self.offer.tools.len();
        format!(
            "{count} tools of programs on this machine, each run by itself under bounds of time, output and memory. A result is one JSON object: `ok`, then `data` or `error` with diagnostics that say what to do next."
        )
    }

    fn list_tools(&self, params: Option<&Json>) -> Result<Value, Refusal> {
        one_page(params)?;
        let tools: Vec<&Value> = self
            .offer
            .tools
            .values()
            .map(|tool| &tool.definition)
            .collect();
        Ok(json!({"tools": tools}))
    }

    /// Admits a call; a result at once where there is one without running anything.
    fn call(&mut self, id: &RequestId, params: Option<&Json>) -> Result<Option<Value>, Refusal> {
        let request = CallRequest::read(params)?;
        let Some(offered) = self.offer.tools.get(&request.name) else {
            let shown = request.name.escape_debug();
            let near = lonis::nearest(
                &request.name,
                self.offer.tools.keys().map(String::as_str),
                3,
            );
            let refusal =
                Refusal::new(McpCode::UnknownTool, format!("no tool is called `{shown}`"));
            return Err(refusal.with("nearest", near));
        };
        let offered = std::sync::Arc::clone(offered);
        self.admit(id, request, offered)
    }
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
pub(super) fn one_page(params: Option<&Json>) -> Result<(), Refusal> {
    let params = params.map(Json::to_value).unwrap_or_default();
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => {
            let message = "`cursor` is set, and every list has one page";
            Err(Refusal::new(McpCode::Cursor, message))
        }
    }
}

/// Reads the token of a progress, if one is asked for.
pub(super) fn progress_token(meta: &Value) -> Result<Option<Value>, Refusal> {
    match meta.get("progressToken") {
        None => Ok(None),
        Some(token @ Value::String(text)) if (1..=MAX_TOKEN_BYTES).contains(&text.len()) => {
            Ok(Some(token.clone()))
        }
        Some(token @ Value::Number(number)) if number.is_i64() || number.is_u64() => {
            Ok(Some(token.clone()))
        }
        Some(_) => {
            let message = format!(
                "`progressToken` is neither an integer nor a text of 1 to {MAX_TOKEN_BYTES} bytes"
            );
            Err(Refusal::new(McpCode::ProgressToken, message))
        }
    }
}
