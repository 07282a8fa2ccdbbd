//! Tools: calls through the host's registry, with the workspace as their root.

use std::sync::{Arc, Mutex, PoisonError};

use lonis::process::Outcome;
use lonis::{BlockKind, BlockStream, Call, ToolError, canonical};
use serde_json::{Value, json};

use super::attempt::Attempt;
use super::fault::Fault;
use super::place::{Place, Variables};
use super::{Site, running};
use crate::policy::{Expectation, Network, Obligation};
use crate::registry::{Hosted, RegistryError};

/// Finds the tool of an obligation.
pub(super) fn find(site: &Site<'_>, obligation: &Obligation, id: &str) -> Result<Hosted, Fault> {
    if obligation.network == Network::Deny {
        let said = format!("the network of tool `{id}` is for its registration to close");
        return Err(Fault::no_network(&said));
    }
    site.registry
        .find(id, site.hashes)
        .map_err(|error| match error {
            RegistryError::NoRegistry { .. } => Fault::unavailable(id, &error.to_string()),
            RegistryError::Host(error) => {
                Fault::unavailable(id, &format!("tool `{id}`: {}", error.message()))
            }
        })
}

/// What a call gave.
struct Called {
    /// The blocks, one a line.
    stdout: Vec<u8>,
    /// The data of the last one.
    data: Option<Value>,
    error: Option<(ToolError, bool)>,
    outcome: Outcome,
}

/// Calls the tool of an obligation; an error is one of the runner itself.
pub(super) fn call(
    place: &Place<'_>,
    obligation: &Obligation,
    environment: &Variables,
    hosted: Hosted,
) -> Result<Attempt, String> {
    let heard: Arc<Mutex<Vec<u8>>> = Arc::default();
    let called = running::guarded(|token| {
        let mut input = obligation.input.clone();
        input["root"] = json!(place.root);
        let listener = Arc::clone(&heard);
        let mut call = Call::new(input)
            .with_limits(obligation.limits())
            .with_cancel(token)
            .with_cwd(place.directory(obligation))
            .tied_to_thread()
            .without_pauses()
            .on_stderr(move |bytes| {
                listener
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend_from_slice(bytes);
            });
        if let Some(above) = place.ceiling() {
            call = call.with_env("GIT_CEILING_DIRECTORIES", above);
        }
        for (name, value) in environment {
            call = call.with_env(name, value);
        }
        match hosted.tool.start(call) {
            Ok(stream) => collected(stream),
            // The host refused it, or found no program to start.
            Err(error) => Called {
                stdout: Vec::new(),
                data: None,
                error: Some((error, true)),
                outcome: Outcome::default(),
            },
        }
    });
    if let Some(left) = called.outcome.left_behind.first() {
        return Err(format!("process {} cannot be ended", left.pid));
    }
    let mut stderr = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
    let id = &hosted.ran.name;
    let fault = if let Some((error, by_host)) = &called.error {
        if stderr.is_empty() {
            stderr = json!(error).to_string().into_bytes();
        }
        Some(Fault::of_tool(id, error, *by_host)?)
    } else {
        let expect = obligation.expect.as_ref();
        expect.and_then(|expect| unmet(expect, called.data.as_ref()))
    };
    Ok(Attempt {
        tool: hosted.ran,
        outcome: called.outcome,
        stdout: called.stdout,
        stderr,
        fault,
        is_closed_off: false,
    })
}

/// Pulls a call to its end.
fn collected(mut stream: BlockStream<BlockKind>) -> Called {
    let (mut stdout, mut data, mut error) = (Vec::new(), None, None);
    for item in stream.by_ref() {
        match item {
            Ok(block) => {
                let block = json!(block);
                stdout.extend_from_slice(block.to_string().as_bytes());
                stdout.push(b'\n');
                data = block.pointer("/payload/data").cloned();
            }
            Err(failed) => error = Some(failed),
        }
    }
    let by_host = stream.failed_by_host();
    Called {
        stdout,
        data,
        error: error.map(|error| (error, by_host)),
        outcome: stream.outcome().cloned().unwrap_or_default(),
    }
}

/// What an expectation lacks; numbers are equal where their canonical texts are.
fn unmet(expect: &Expectation, data: Option<&Value>) -> Option<Fault> {
    let observed = data.and_then(|data| data.pointer(&expect.pointer));
    let text = |value: &Value| canonical::text(value).ok();
    if observed.is_some_and(|observed| text(observed) == text(&expect.equals)) {
        return None;
    }
    let shown = observed.map_or_else(|| "nothing".to_owned(), Value::to_string);
    let shown: String = shown.chars().take(256).collect();
    let said = format!(
        "`{}` of the result is {shown}, expected {}",
        expect.pointer, expect.equals
    );
    Some(
        Fault::new("obligation/expectation", said)
            .with("pointer", expect.pointer.clone())
            .with("expected", expect.equals.clone())
            .with("observed", observed.cloned().unwrap_or_default()),
    )
}
