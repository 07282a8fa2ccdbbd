//! The tools of this face itself: to find a tool, to learn its contract, to look a code up, and to call by id.

use lonis::Search;
use lonis::diagnostics::{Code, entries, nearest, success};
use serde_json::{Value, json};

use crate::code::McpCode;
use crate::exposure::{Shape, own_definition};
use crate::offer::{Offer, Offered};
use crate::refusal::Refusal;
use crate::results::ToolResult;

/// The kind of an envelope that holds the output of a command of the host.
const COMMAND_KIND: &str = "lonis/command-v0.1";
/// The most matches that a search gives.
const MAX_MATCHES: u64 = 64;
/// How many it gives by default.
const MATCHES: u64 = 16;

/// A tool of this face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnTool {
    Search,
    Card,
    Diagnostic,
    Call,
}

/// The names, those of older clients included.
const NAMES: [(&str, OwnTool); 6] = [
    ("get-card", OwnTool::Card),
    ("lonis-call", OwnTool::Call),
    ("lonis-card", OwnTool::Card),
    ("lonis-diagnostic", OwnTool::Diagnostic),
    ("lonis-search", OwnTool::Search),
    ("search-symbol", OwnTool::Search),
];

impl OwnTool {
    /// Finds the tool of a name; to call by id there is only where the tools themselves are not listed.
    pub(crate) fn of(name: &str, shape: Shape) -> Option<Self> {
        let (_, tool) = NAMES.iter().find(|(known, _)| *known == name)?;
        (*tool != Self::Call || shape == Shape::Search).then_some(*tool)
    }

    /// The definitions, by name.
    pub(crate) fn definitions(shape: Shape) -> Vec<(&'static str, Value)> {
        let listed = NAMES
            .iter()
            .filter(|(name, _)| Self::of(name, shape).is_some());
        listed
            .map(|(name, tool)| (*name, tool.definition(name)))
            .collect()
    }

    fn definition(self, name: &str) -> Value {
        let text = |about: &str| json!({"type": "string", "minLength": 1, "maxLength": 256, "description": about});
        let (title, about, properties, required) = match self {
            Self::Search => (
                "Find a tool",
                "Finds tools by words of their names, ids and descriptions; without words all are listed.",
                json!({
                    "query": {"type": "string", "maxLength": 256, "description": "words that a tool has to have"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_MATCHES, "description": "the most matches, 16 by default"},
                }),
                json!([]),
            ),
            Self::Card => (
                "Look at a tool",
                "Shows one tool in full: its contract, the schema of its input, and what a call may change.",
                json!({"tool": text("a name of the list, or a registry id")}),
                json!(["tool"]),
            ),
            Self::Diagnostic => (
                "Look a code up",
                "Says what a diagnostic code means, what causes it and what mends it.",
                json!({"code": text("the exact code, such as `session/stale-base`")}),
                json!(["code"]),
            ),
            Self::Call => (
                "Call a tool",
                "Calls a tool by the name or id that the search gave; its card says what the input is.",
                json!({
                    "tool": text("a name that the search gave, or a registry id"),
                    "input": {"type": "object", "description": "what the tool takes, by its card"},
                }),
                json!(["tool"]),
            ),
        };
        let mut schema =
            json!({"type": "object", "properties": properties, "additionalProperties": false});
        if required != json!([]) {
            schema["required"] = required;
        }
        own_definition(name, title, about, &schema)
    }

    /// The schema of its input.
    pub(crate) fn schema(self) -> Value {
        self.definition("")["inputSchema"].take()
    }

    /// Answers at once; nothing is run. A call by id is not answered here.
    ///
    /// # Errors
    /// `mcp/unknown-tool` for a card of a tool that is not offered.
    pub(crate) fn run(self, arguments: &Value, offer: &Offer) -> Result<ToolResult, Refusal> {
        let (command, output) = match self {
            Self::Search => ("search", search(arguments, offer)),
            Self::Card => (
                "card",
                card(arguments["tool"].as_str().unwrap_or_default(), offer)?,
            ),
            Self::Diagnostic | Self::Call => {
                return Ok(diagnostic(arguments["code"].as_str().unwrap_or_default()));
            }
        };
        let data = json!({"command": command, "output": output});
        Ok(ToolResult::of_envelope(success(COMMAND_KIND, data)))
    }
}

/// Finds an offered tool by its name or its registry id.
pub(crate) fn find<'a>(
    name: &str,
    offer: &'a Offer,
) -> Result<(&'a String, &'a std::sync::Arc<Offered>), Refusal> {
    let by_name = offer.tools.get_key_value(name);
    let found = by_name.or_else(|| offer.tools.iter().find(|(_, tool)| tool.id == name));
    found.ok_or_else(|| {
        let names = offer.tools.keys().map(String::as_str);
        let near = lonis::nearest(name, names, 3);
        let message = format!("no tool is called `{}`", name.escape_debug());
        Refusal::new(McpCode::UnknownTool, message).with("nearest", near)
    })
}

/// A tool as a search sees it.
struct Row<'a> {
    searched: String,
    name: &'a str,
    tool: &'a Offered,
}

impl Row<'_> {
    fn texts(&self) -> (&str, &str) {
        (&self.searched, self.tool.contract.description())
    }

    fn shown(&self) -> Value {
        json!({"name": self.name, "id": self.tool.id, "description": self.tool.contract.description()})
    }
}

fn search(arguments: &Value, offer: &Offer) -> Value {
    let query = arguments["query"].as_str().unwrap_or_default();
    let limit = crate::settings::size(arguments["limit"].as_u64().unwrap_or(MATCHES));
    let rows: Vec<Row> = offer
        .tools
        .iter()
        .map(|(name, tool)| Row {
            searched: format!("{name} {}", tool.id),
            name,
            tool,
        })
        .collect();
    let search = Search::new([query]);
    let mut found = search.ranked(&rows, Row::texts);
    let is_near = found.is_empty();
    if is_near {
        found = search.near(&rows, Row::texts);
    }
    let total = found.len();
    let matches: Vec<Value> = found.into_iter().take(limit).map(Row::shown).collect();
    json!({"matches": matches, "total": total, "near": is_near})
}

fn card(name: &str, offer: &Offer) -> Result<Value, Refusal> {
    let (name, tool) = find(name, offer)?;
    Ok(
        json!({"name": name, "id": tool.id, "definition": tool.definition, "contract": tool.contract}),
    )
}

fn diagnostic(code: &str) -> ToolResult {
    let found = code.parse::<Code>().ok();
    let entry = found.and_then(|code| entries().iter().find(|entry| entry.code == code));
    if let Some(entry) = entry {
        let data = json!({"lookup": code, "diagnostic": entry.published()});
        return ToolResult::of_envelope(success("genesis/diagnostic-v0.1", data));
    }
    let message = format!("no code is `{}`", code.escape_debug());
    let failure = lonis::diagnostics::Diagnostic::new(
        Code::DiagnosticLookupNotFound,
        "diagnostic/lookup",
        message,
    )
    .with("nearest", nearest(code, 3));
    ToolResult::of_envelope(lonis::diagnostics::Failure::from(failure).envelope(None))
}
