//! Who asked, and in which of the two forms: how an answer to it looks.

use serde_json::{Value, json};

use super::Server;
use crate::code::McpCode;
use crate::exposure::InputErrors;
use crate::message::RequestId;
use crate::refusal::Refusal;

/// The revision of the form that needs no handshake.
pub(crate) const STATELESS_VERSION: &str = "2026-07-28";
/// Where a request says its revision, the client's capabilities, and an answer who we are.
pub(super) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
pub(super) const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// How long a list may be kept, in milliseconds: until the next is asked for.
const TTL_MILLIS: u64 = 0;

/// The form of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// After a handshake.
    Handshake,
    /// By itself.
    Stateless,
}

/// A request that is to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asker {
    pub(super) id: RequestId,
    pub(super) form: Form,
}

/// What an answer holds beside its result in the stateless form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// A list or a document, which a client may keep.
    Yes,
    No,
}

impl Asker {
    /// Whether arguments that break a schema are answered as a result, which a model can read.
    pub(super) fn reads_input_errors(&self, errors: InputErrors) -> bool {
        self.form == Form::Stateless || errors == InputErrors::Result
    }

    /// Whether the end of a cancelled call is told.
    pub(super) fn hears_of_cancel(&self, cancelled_response: bool) -> bool {
        self.form == Form::Handshake && cancelled_response
    }

    /// Returns the `error` member of an answer; in the stateless form our own numbers stand in `data` alone.
    pub(super) fn error(&self, refusal: &Refusal) -> Value {
        let mut error = refusal.to_value();
        if self.form == Form::Stateless {
            let number = match refusal.code() {
                McpCode::ResourceUnknown | McpCode::ResourceGone => -32602,
                code if (-32009..=-32000).contains(&code.number()) => -32603,
                code => code.number(),
            };
            error["code"] = number.into();
        }
        error
    }
}

impl Server {
    /// Completes a result by what its form asks for.
    pub(super) fn complete(&self, asker: &Asker, mut result: Value, kept: Kept) -> Value {
        if asker.form == Form::Stateless {
            result["resultType"] = "complete".into();
            result["_meta"][SERVER_KEY] = self.identity();
            if kept == Kept::Yes {
                result["ttlMs"] = TTL_MILLIS.into();
                result["cacheScope"] = "private".into();
            }
        }
        result
    }

    pub(super) fn answer(&mut self, asker: &Asker, result: Value, kept: Kept) {
        let result = self.complete(asker, result, kept);
        self.send(&json!({"jsonrpc": "2.0", "id": asker.id.to_value(), "result": result}));
    }

    pub(super) fn refuse_asker(&mut self, asker: &Asker, refusal: &Refusal) {
        let error = asker.error(refusal);
        self.send(&json!({"jsonrpc": "2.0", "id": asker.id.to_value(), "error": error}));
    }
}
