//! Every tool that can be called: the builtins, and what the host has registered.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use lonis::host::{Answer, Host, HostedTool, OWN_PREFIX};
use lonis::{BlockKind, ErrorKind, Tool, ToolError, ToolId, ToolRegistry};
use serde::Serialize;

use crate::output::Output;
use crate::progress::Waiting;
use crate::signals::{self, Busy};
use crate::{builtins, surroundings};

/// One line of the list.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    pub(crate) description: String,
    pub(crate) name: String,
    pub(crate) version: String,
}

/// Finds one tool; for a builtin nothing else is looked at, and no provider is waited for that has no part in it.
pub(crate) fn find(id: &str, output: &mut Output) -> Result<Found, ToolError> {
    if id.starts_with(OWN_PREFIX) {
        // The end of the process is near, and takes it along for nothing.
        let builtins = ManuallyDrop::new(builtins::registry());
        let tool = ToolId::new(id).ok().and_then(|id| builtins.get_shared(&id));
        return match tool {
            Some(tool) => Ok(Found { tool, host: None }),
            None => Err(unknown_builtin(id, &builtins)),
        };
    }
    let host = load()?;
    let found = {
        let _waiting = Waiting::for_providers(output.mode());
        host.find(id)
    };
    say(&host, output);
    let tool = found?;
    // Its program is about to be started. Until then its input may be waited for, which a signal ends also where whoever
    // started this program has left the signal ignored, as a shell does with what it runs in the background.
    signals::token();
    Ok(Found {
        tool,
        host: Some(host),
    })
}

/// Every tool by its id, the builtins among them.
pub(crate) fn rows(output: &mut Output) -> Result<Vec<Row>, ToolError> {
    // The end of the process is near, and takes both along for nothing.
    let host = ManuallyDrop::new(asked(output)?);
    let builtins = ManuallyDrop::new(builtins::registry());
    let mut rows: Vec<Row> = builtins
        .iter()
        .map(|(id, tool)| builtin_row(id, tool))
        .collect();
    rows.extend(host.tools().iter().map(hosted_row));
    rows.sort_by(|left, right| left.name.cmp(&right.name));
    say(&host, output);
    Ok(rows)
}

/// A tool, and the host that it came from.
pub(crate) struct Found {
    pub(crate) tool: Arc<dyn Tool<BlockKind>>,
    host: Option<Host>,
}

impl Found {
    /// Whether a call starts a program, which a signal has to end.
    pub(crate) fn is_hosted(&self) -> bool {
        self.host.is_some()
    }

    /// Whether a policy wants somebody to agree to each call.
    pub(crate) fn asks(&self) -> bool {
        let Some(host) = self.host.as_ref().filter(|host| !host.policy().is_empty()) else {
            return false;
        };
        let _busy = Busy::begin();
        let contract = self.tool.try_contract().ok().flatten();
        let id = self.tool.tool_id();
        host.policy().decide(id.as_str(), contract.as_ref()).answer == Answer::Ask
    }

    /// Keeps what was learnt of its provider.
    pub(crate) fn remember(&self) {
        if let Some(host) = &self.host {
            host.remember();
        }
    }
}

/// What is registered; whoever asks a provider in another way than by the functions here does so in a [`signals::Busy`].
pub(crate) fn load() -> Result<Host, ToolError> {
    // Where nothing is started, since everything is known, there is nothing for a signal to end.
    Ok(Host::load(&surroundings::read()?)?.with_cancel_on_demand(signals::token))
}

/// A host that has asked every provider.
fn asked(output: &Output) -> Result<Host, ToolError> {
    let host = load()?;
    let _waiting = Waiting::for_providers(output.mode());
    host.tools();
    Ok(host)
}

fn say(host: &Host, output: &mut Output) {
    for note in host.notes() {
        output.note(note);
    }
}

fn builtin_row(id: &ToolId, tool: &dyn Tool<BlockKind>) -> Row {
    let description = tool
        .contract()
        .map(|contract| contract.description().to_owned())
        .unwrap_or_default();
    Row {
        description,
        name: id.to_string(),
        version: tool.tool_version().to_owned(),
    }
}

fn hosted_row(tool: &HostedTool) -> Row {
    Row {
        description: tool.description.clone(),
        name: tool.id.to_string(),
        version: tool.version.clone(),
    }
}

fn unknown_builtin(id: &str, builtins: &ToolRegistry<BlockKind>) -> ToolError {
    let names: Vec<&str> = builtins.iter().map(|(id, _)| id.as_str()).collect();
    ToolError::new(
        ErrorKind::NotFound,
        format!("no builtin is called `{}`", id.escape_debug()),
    )
    .with_hint(format!("the builtins are {}", names.join(" and ")))
}
