//! What a client may read: this face itself, the registered tools, the catalogue, and results in pages.

use std::fmt::Write;

use clap::{Command, CommandFactory};
use lonis::diagnostics::{CATALOG_IDENTITY, CATALOG_SCHEMA, CATALOG_VERSION, entries};
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::code::McpCode;
use crate::exposure::{INTERFACE_SCHEMA, ResultForm};
use crate::offer::Offer;
use crate::refusal::Refusal;
use crate::results::{Pages, RESULTS, sha256};
use crate::server::PROTOCOL_VERSION;
use crate::settings::Settings;

/// Where the contract of a tool is read.
const CONTRACTS: &str = "lonis://contract/";

/// The fixed resources, with what each is.
const FIXED: [(&str, &str, &str); 8] = [
    (
        "genesis://agent/core-card",
        "core card",
        "How to work with this server, in Markdown.",
    ),
    (
        "genesis://agent/profile",
        "agent profile",
        "What an agent is offered, in short.",
    ),
    (
        "genesis://agent/symbol-index",
        "symbol index",
        "The registry ids of all tools.",
    ),
    (
        "genesis://agent/task-cards",
        "task cards",
        "The steps of common tasks, by tool.",
    ),
    (
        "genesis://cli/schema",
        "command line",
        "The arguments of the program.",
    ),
    (
        "genesis://diagnostics/catalog",
        "diagnostics",
        "Every code with its causes and what mends it.",
    ),
    (
        "genesis://mcp/profile",
        "profile",
        "Protocol, bounds and identity of this server.",
    ),
    (
        "lonis://providers",
        "providers",
        "What is registered, and what is unavailable and why.",
    ),
];

/// The steps of a session, each with the tool that takes it.
const SESSION_STEPS: [(&str, &str); 5] = [
    ("session:begin", "freeze the present tree"),
    (
        "session:stage",
        "add a patch; nothing of the live tree changes",
    ),
    (
        "session:test",
        "run the obligations on what the patches make",
    ),
    (
        "session:apply",
        "write the proved result back, all of it or nothing",
    ),
    ("session:abort", "give the session up"),
];

/// What a client may read, and what it is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resources<'a> {
    pub(crate) offer: &'a Offer,
    pub(crate) settings: &'a Settings,
    pub(crate) form: ResultForm,
}

impl Resources<'_> {
    /// Lists them; results in pages are named by the result that they are of.
    pub(crate) fn list(self) -> Vec<Value> {
        let fixed = FIXED.iter().map(|(uri, name, about)| {
            json!({"uri": uri, "name": name, "description": about, "mimeType": "application/json"})
        });
        let contracts = self.offer.tools.keys().map(|name| {
            json!({
                "uri": format!("{CONTRACTS}{name}"),
                "name": format!("contract of {name}"),
                "mimeType": "application/json",
            })
        });
        fixed.chain(contracts).collect()
    }

    /// Reads one.
    ///
    /// # Errors
    /// `mcp/resource-unknown` and `mcp/resource-gone`.
    pub(crate) fn read(self, uri: &str, pages: &Pages) -> Result<Value, Refusal> {
        if let Some(rest) = uri.strip_prefix(RESULTS) {
            return pages.read(rest);
        }
        let content = if let Some(name) = uri.strip_prefix(CONTRACTS) {
            let tool = self.offer.tools.get(name);
            tool.map(|tool| json!({"name": name, "id": tool.id, "contract": tool.contract}))
        } else {
            self.fixed(uri)
        };
        let content = content.ok_or_else(|| {
            let message = format!("there is no resource `{}`", uri.escape_debug());
            Refusal::new(McpCode::ResourceUnknown, message)
        })?;
        let text = lonis::canonical::text(&content).expect("a value of JSON has a canonical text");
        Ok(json!({"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}))
    }

    fn fixed(self, uri: &str) -> Option<Value> {
        Some(match uri {
            "genesis://agent/core-card" => Value::from(self.core_card()),
            "genesis://agent/profile" => json!({
                "schema": "genesis/agent-profile-v0.1",
                "tools": self.offer.tools.len(),
                "session": self.has("session:begin"),
                "result": self.form_word(),
            }),
            "genesis://agent/symbol-index" => {
                let ids: Vec<&str> = self
                    .offer
                    .tools
                    .values()
                    .map(|tool| tool.id.as_str())
                    .collect();
                json!({"schema": "genesis/agent-symbol-index-v0.1", "tools": ids})
            }
            "genesis://agent/task-cards" => self.task_cards(),
            "genesis://cli/schema" => json!({
                "schema": "genesis/cli-schema-v0.1",
                "runtime_profile": "production",
                "command": command(&Arguments::command(), &[]),
                "mcp": {
                    "schema": INTERFACE_SCHEMA,
                    "protocolVersion": PROTOCOL_VERSION,
                    "identitySha256": self.interface()["identitySha256"],
                },
            }),
            "genesis://diagnostics/catalog" => json!({
                "schema": CATALOG_SCHEMA,
                "version": CATALOG_VERSION,
                "identity_sha256": CATALOG_IDENTITY,
                "entries": entries().iter().map(lonis::diagnostics::Entry::published).collect::<Vec<_>>(),
            }),
            "genesis://mcp/profile" => json!({
                "schema": "genesis/mcp-profile-v0.1",
                "interface": self.interface(),
                "exposure_sha256": self.offer.exposure_sha256,
                "limits": self.settings.limits(),
                "result": self.form_word(),
            }),
            "lonis://providers" => self.offer.providers.clone(),
            _ => return None,
        })
    }

    /// What a client sees of this face, with its identity.
    fn interface(self) -> Value {
        let tools: Vec<&Value> = self
            .offer
            .tools
            .values()
            .map(|tool| &tool.definition)
            .collect();
        let uris: Vec<&str> = FIXED.iter().map(|(uri, ..)| *uri).collect();
        let mut interface = json!({
            "schema": INTERFACE_SCHEMA,
            "protocolVersion": PROTOCOL_VERSION,
            "transport": "stdio",
            "runtimeProfile": "production",
            "tasks": "forbidden",
            "tools": tools,
            "resources": uris,
        });
        let text =
            lonis::canonical::text(&interface).expect("a value of JSON has a canonical text");
        interface["identitySha256"] = sha256(text.as_bytes()).into();
        interface
    }

    fn has(self, id: &str) -> bool {
        self.offer.tools.values().any(|tool| tool.id == id)
    }

    fn form_word(self) -> &'static str {
        match self.form {
            ResultForm::Envelope => "envelope",
            ResultForm::Document => "document",
        }
    }

    fn core_card(self) -> String {
        let mut card = String::from(
            "# Tools of this machine\n\nEach call runs one program by itself, under bounds of time, output and memory. Its result is one JSON object: `ok`, then `data`, or `error` with `diagnostics` whose `next_safe_action` says what to do. `lonis-search` finds a tool, `lonis-card` shows its input, `lonis-diagnostic` explains a code.\n",
        );
        if self.has("session:begin") {
            card.push_str("\n# A session\n\n");
            for (at, (id, what)) in SESSION_STEPS.iter().enumerate() {
                let name = id.replace(':', "-");
                writeln!(card, "{}. `{name}`: {what}.", at + 1)
                    .expect("a text takes all that is written to it");
            }
        }
        card
    }

    fn task_cards(self) -> Value {
        let steps: Vec<Value> = SESSION_STEPS
            .iter()
            .filter(|(id, _)| self.has(id))
            .map(|(id, what)| json!({"tool": id, "does": what}))
            .collect();
        let cards = if steps.is_empty() {
            Vec::new()
        } else {
            vec![json!({"task": "edit a tree and prove it first", "steps": steps})]
        };
        json!({"schema": "genesis/agent-task-cards-v0.1", "cards": cards})
    }
}

/// A command of the command line, with those below it.
fn command(of: &Command, above: &[String]) -> Value {
    let mut path = above.to_vec();
    path.push(of.get_name().to_owned());
    let options: Vec<Value> = of
        .get_arguments()
        .filter(|argument| argument.get_long().is_some())
        .map(|argument| {
            json!({
                "name": argument.get_id().as_str(),
                "long": argument.get_long(),
                "short": argument.get_short(),
                "help": argument.get_help().map(ToString::to_string),
                "required": argument.is_required_set(),
            })
        })
        .collect();
    let below: Vec<Value> = of
        .get_subcommands()
        .map(|below| command(below, &path))
        .collect();
    json!({
        "name": of.get_name(),
        "path": path,
        "about": of.get_about().map(ToString::to_string),
        "options": options,
        "subcommands": below,
    })
}
