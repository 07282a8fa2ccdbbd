//! Why an obligation does not hold: a code of the catalog with its facts.

use lonis::process::ProcessError;
use lonis::{ErrorKind, ToolError};
use serde_json::{Map, Value, json};

/// The longest end of an output that a failure quotes, in bytes.
const MAX_TAIL_BYTES: usize = 4096;

/// The longest message of a tool that a failure quotes, in bytes.
const MAX_MESSAGE_BYTES: usize = 1024;

/// Why an obligation does not hold.
#[derive(Debug, Clone, Default)]
pub struct Fault {
    /// The code, as the result holds it.
    pub code: &'static str,
    /// In words, without the name of the obligation.
    pub said: String,
    /// The code's own facts.
    pub parameters: Map<String, Value>,
    /// The end of what it wrote.
    pub tail: String,
}

impl Fault {
    pub(super) fn new(code: &'static str, said: impl Into<String>) -> Self {
        Self {
            code,
            said: said.into(),
            ..Self::default()
        }
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.to_owned(), value.into());
        self
    }

    /// The end of both outputs.
    pub(super) fn quoting(mut self, stdout: &[u8], stderr: &[u8]) -> Self {
        if self.tail.is_empty() {
            let mut tail = Vec::new();
            for output in [stdout, stderr] {
                tail.extend_from_slice(&output[output.len().saturating_sub(MAX_TAIL_BYTES / 2)..]);
            }
            self.tail = String::from_utf8_lossy(&tail).into_owned();
        }
        self
    }

    /// Every text of it without what the policy hides: a tool may say in its error what it was given.
    pub(super) fn redacted(mut self, hide: &dyn Fn(&str) -> String) -> Self {
        self.said = hide(&self.said);
        self.tail = hide(&self.tail);
        for value in self.parameters.values_mut() {
            hide_in(value, hide);
        }
        self
    }

    /// Something that cannot be started.
    pub(super) fn unavailable(command: &str, reason: &str) -> Self {
        let said = if reason.contains(command) {
            reason.to_owned()
        } else {
            format!("program `{command}`: {reason}")
        };
        let mut fault = Self::new("obligation/unavailable", said.clone())
            .with("command", command)
            .with("reason", reason);
        // What did not start said nothing itself.
        fault.tail = said;
        fault
    }

    /// What the execution layer did not let go on; `Err` where it failed itself.
    pub(super) fn of_process(
        command: &str,
        error: &ProcessError,
        (stdout, stderr): (u64, u64),
    ) -> Result<Self, String> {
        let said = error.to_string();
        let limited = |code, limit: Value, observed: Value, enforcement: &str| {
            Self::new(code, said.clone())
                .with("limit", limit)
                .with("observed", observed)
                .with("enforcement", enforcement)
        };
        let millis =
            |time: &std::time::Duration| json!(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        Ok(match error {
            ProcessError::Timeout { limit, elapsed }
            | ProcessError::Ceiling { limit, elapsed, .. } => {
                let (limit, elapsed) = (millis(limit), millis(elapsed));
                limited(
                    "obligation/timeout",
                    limit,
                    elapsed,
                    "process-tree-deadline",
                )
            }
            ProcessError::OutputLimit {
                stream,
                limit_bytes,
            } => {
                let seen = if stream.word() == "stderr" {
                    stderr
                } else {
                    stdout
                };
                let (limit, seen) = (json!(limit_bytes), json!(seen.max(limit_bytes + 1)));
                limited(
                    "obligation/output-limit",
                    limit,
                    seen,
                    "combined-draining-pipes",
                )
            }
            ProcessError::LimitExceeded(breach) => limited(
                "obligation/resource",
                breach.limit.into(),
                breach.observed.into(),
                breach.enforced_by.word(),
            ),
            // A rule that cannot be held here is not taken for held: nothing was started.
            ProcessError::NetworkNotClosed { .. } => Self::no_network(&said),
            ProcessError::System(_) | ProcessError::StatusLost | ProcessError::Cancelled => {
                return Err(said);
            }
            _ => Self::unavailable(command, &said),
        })
    }

    pub(super) fn no_network(said: &str) -> Self {
        Self::new("policy/network-denied", said).with("capability", "network")
    }

    /// What a tool, or the host in its place, says; `by_host` tells the two apart.
    pub(super) fn of_tool(id: &str, error: &ToolError, by_host: bool) -> Result<Self, String> {
        let said = error.message().to_owned();
        let details = error.details().map(lonis::Json::to_value);
        let detail = |names: &[&str]| {
            let found = names.iter().find_map(|name| details.as_ref()?.get(*name));
            found.cloned().unwrap_or_default()
        };
        let limited = |code, enforcement: &str| {
            let enforcement = match detail(&["enforced_by"]) {
                Value::Null => json!(enforcement),
                word => word,
            };
            let limits = ["limit", "limit_bytes", "timeout_millis", "limit_millis"];
            Self::new(code, said.clone())
                .with("limit", detail(&limits))
                .with("observed", detail(&["observed", "elapsed_millis"]))
                .with("enforcement", enforcement)
        };
        if by_host {
            match error.kind() {
                ErrorKind::Timeout => {
                    return Ok(limited("obligation/timeout", "process-tree-deadline"));
                }
                ErrorKind::OutputLimitExceeded => {
                    return Ok(limited(
                        "obligation/output-limit",
                        "combined-draining-pipes",
                    ));
                }
                ErrorKind::LimitExceeded => {
                    return Ok(limited("obligation/resource", "unavailable"));
                }
                ErrorKind::Cancelled => return Err(said),
                ErrorKind::Unavailable | ErrorKind::NotFound | ErrorKind::Io => {
                    return Ok(Self::unavailable(id, &said));
                }
                _ => {}
            }
        }
        let message: String = said.chars().take(MAX_MESSAGE_BYTES).collect();
        let inner = json!({
            "kind": error.kind().as_str(),
            "message": message,
            "exit_code": error.exit_code(),
        });
        let mut fault = Self::new("obligation/tool-error", message.clone()).with("error", inner);
        fault.tail = message;
        Ok(fault)
    }
}

fn hide_in(value: &mut Value, hide: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = hide(text),
        Value::Array(items) => items.iter_mut().for_each(|item| hide_in(item, hide)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| hide_in(member, hide)),
        _ => {}
    }
}
