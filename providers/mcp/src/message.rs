//! One frame of JSON-RPC 2.0: a line to a request, a notification or an answer, and back.

use std::fmt;

use lonis::Json;
use lonis::json::{self, JsonErrorReason};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::code::McpCode;
use crate::refusal::Refusal;

/// The longest request id that is a string, in bytes.
const MAX_ID_BYTES: usize = 256;

/// The id of a request; `1` is not `"1"`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub(crate) enum RequestId {
    Number(Number),
    Text(String),
}

impl RequestId {
    /// Reads an id: an integer of at most 64 bits, or a text of 1 to 256 bytes.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) if number.is_i64() || number.is_u64() => {
                Some(Self::Number(number.clone()))
            }
            Value::String(text) if (1..=MAX_ID_BYTES).contains(&text.len()) => {
                Some(Self::Text(text.clone()))
            }
            _ => None,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.to_value())
    }
}

/// What a client sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    Request {
        id: RequestId,
        method: String,
        params: Option<Json>,
    },
    Notification {
        method: String,
        params: Option<Json>,
    },
    /// The answer to a request of ours; `Err` holds the `error` member.
    Answer {
        id: RequestId,
        result: Result<Json, Json>,
    },
}

/// A line that is no message, and the id of the request that it was to be, where it can be told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unreadable {
    pub(crate) id: Option<RequestId>,
    pub(crate) refusal: Refusal,
}

#[derive(Deserialize)]
struct Members<'a> {
    jsonrpc: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<Value>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Reads a member that is there, so that `null` is no absence.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Message {
    /// Reads one line without its newline.
    ///
    /// # Errors
    /// `mcp/utf8` and `mcp/parse` for what is no strict JSON, `mcp/batch`, `mcp/request` and `mcp/request-id` for a value
    /// that is no message.
    pub(crate) fn read(line: &[u8]) -> Result<Self, Unreadable> {
        let scanned = json::document(line).map_err(|error| {
            let code = match error.reason() {
                JsonErrorReason::NotUtf8(_) => McpCode::Utf8,
                _ => McpCode::Parse,
            };
            let message = format!("the line is not one JSON value: {error}");
            bad(
                None,
                Refusal::new(code, message).with("byte_offset", error.offset()),
            )
        })?;
        let text = scanned.text();
        match text.as_bytes().first() {
            Some(b'{') => {}
            Some(b'[') => {
                let message = "the line is an array; each message is a line of its own";
                return Err(bad(None, Refusal::new(McpCode::Batch, message)));
            }
            _ => return Err(bad(None, not_a_request("the line is no object"))),
        }
        let members: Members<'_> = serde_json::from_str(text).map_err(|error| {
            bad(
                None,
                not_a_request(&format!("the line is unusable: {error}")),
            )
        })?;
        Self::of(members)
    }

    fn of(members: Members<'_>) -> Result<Self, Unreadable> {
        let id = match &members.id {
            None => None,
            Some(value) => Some(RequestId::of(value).ok_or_else(|| {
                let message =
                    format!("`id` is neither an integer nor a text of 1 to {MAX_ID_BYTES} bytes");
                bad(None, Refusal::new(McpCode::RequestId, message))
            })?),
        };
        if members.jsonrpc != Some(Value::from("2.0")) {
            return Err(bad(id, not_a_request("`jsonrpc` is not \"2.0\"")));
        }
        let json = |raw: &RawValue| {
            Json::parse(raw.get()).expect("a part of a text that was read is strict JSON")
        };
        let params = members.params.map(json);
        match (members.method, id) {
            (Some(Value::String(method)), Some(id)) => Ok(Self::Request { id, method, params }),
            (Some(Value::String(method)), None) => Ok(Self::Notification { method, params }),
            (Some(_), id) => Err(bad(id, not_a_request("`method` is no text"))),
            (None, Some(id)) => match (members.result, members.error) {
                (Some(result), None) => Ok(Self::Answer {
                    id,
                    result: Ok(json(result)),
                }),
                (None, Some(error)) => Ok(Self::Answer {
                    id,
                    result: Err(json(error)),
                }),
                _ => Err(bad(Some(id), not_a_request("`method` is missing"))),
            },
            (None, None) => Err(bad(None, not_a_request("`method` is missing"))),
        }
    }
}

fn not_a_request(message: &str) -> Refusal {
    Refusal::new(McpCode::Request, message)
}

fn bad(id: Option<RequestId>, refusal: Refusal) -> Unreadable {
    Unreadable { id, refusal }
}

/// Finds the id of a request in the front of a line that is too long to be read.
///
/// Only a member of the whole object counts, and only one that stands whole in the front.
pub(crate) fn id_in_front(front: &[u8]) -> Option<RequestId> {
    let text = front.utf8_chunks().next()?.valid();
    let mut rest = text.trim_start().strip_prefix('{')?;
    loop {
        let (key, after): (String, &str) = next_value(rest)?;
        let after = after.trim_start().strip_prefix(':')?;
        let (value, after): (Value, &str) = next_value(after)?;
        if key == "id" {
            return RequestId::of(&value);
        }
        rest = after.trim_start().strip_prefix(',')?;
    }
}

fn next_value<T: serde::de::DeserializeOwned>(text: &str) -> Option<(T, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    // A number at the very end may go on behind what was kept of the line.
    let rest = &text[values.byte_offset()..];
    (!rest.is_empty()).then_some((value, rest))
}

#[cfg(test)]
mod tests;
