//! What all providers offer together: one list of tools by id, with the collisions settled.

use std::collections::BTreeMap;

use lonis_schema::{ErrorKind, ToolError, ToolId};

use super::OWN_PREFIX;
use super::config::PlainTool;
use super::discovery::Discovered;
use super::registration::{Registered, Registration, Registrations, Standing};
use super::source::{Skipped, Source};
use crate::ListedTool;

/// One tool that a host can call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HostedTool {
    /// The id under which it is registered.
    pub id: ToolId,
    /// The provider's own name for it; `None` for a plain CLI.
    pub native: Option<String>,
    /// The name of its provider, or the id of a plain CLI.
    pub provider: String,
    /// What its provider or its file says that it does.
    pub description: String,
    /// Its version, or that of its provider.
    pub version: String,
    /// The place of its registration.
    pub(super) at: usize,
}

/// Whether a provider can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderState {
    /// It answered, and its tools can be called.
    Ready,
    /// It is missing, or did not answer as a provider does.
    Unavailable,
    /// Its file says `enabled = false`.
    Disabled,
    /// A source that wins has one of the same name.
    Replaced,
    /// Its file or folder is not used, for a reason that can be seen without starting it.
    Skipped,
}

impl ProviderState {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Unavailable => "unavailable",
            Self::Disabled => "disabled",
            Self::Replaced => "replaced",
            Self::Skipped => "skipped",
        }
    }
}

/// One registration and its state.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProviderRow {
    /// A provider's name, or the id of a plain CLI.
    pub name: String,
    /// Where it came from.
    pub source: Source,
    /// Whether it can be used.
    pub state: ProviderState,
    /// How many of its tools can be called.
    pub tools: usize,
    /// Why it is unavailable or skipped.
    pub reason: Option<ToolError>,
}

/// Everything that is offered.
#[derive(Debug)]
pub(super) struct Surfaces {
    /// By id.
    pub(super) tools: Vec<HostedTool>,
    pub(super) rows: Vec<ProviderRow>,
    pub(super) notes: Vec<String>,
    discovered: BTreeMap<usize, Discovered>,
}

impl Surfaces {
    /// Merges what was discovered; the first in the order of the registrations keeps an id.
    pub(super) fn merge(registrations: &Registrations, found: Vec<Discovered>) -> Self {
        let mut merging = Merging {
            taken: BTreeMap::new(),
            notes: Vec::new(),
        };
        let discovered: BTreeMap<usize, Discovered> =
            found.into_iter().map(|found| (found.at, found)).collect();
        let active = registrations
            .list
            .iter()
            .enumerate()
            .map(|(at, registration)| merging.row(at, registration, discovered.get(&at)));
        let rows = active
            .chain(registrations.skipped.iter().map(skipped_row))
            .collect();
        Self {
            tools: merging.taken.into_values().collect(),
            rows,
            notes: merging.notes,
            discovered,
        }
    }

    /// The tool of an id.
    pub(super) fn tool(&self, id: &str) -> Option<&HostedTool> {
        let at = self.tools.binary_search_by(|tool| tool.id.as_str().cmp(id));
        at.ok().map(|at| &self.tools[at])
    }

    /// What asking the provider of a registration gave.
    pub(super) fn discovered(&self, at: usize) -> Option<&Discovered> {
        self.discovered.get(&at)
    }

    /// What asking each provider gave.
    pub(super) fn all_discovered(&self) -> impl Iterator<Item = &Discovered> {
        self.discovered.values()
    }
}

/// The first tool of an id in the order of the registrations, among the providers that are known.
pub(super) fn first_of<'a>(
    registrations: &[Registration],
    known: &'a [Discovered],
    id: &str,
) -> Option<(HostedTool, Option<&'a Discovered>)> {
    if id.starts_with(OWN_PREFIX) {
        return None;
    }
    let active = registrations
        .iter()
        .enumerate()
        .filter(|(_, registration)| registration.standing == Standing::Active);
    for (at, registration) in active {
        match &registration.what {
            Registered::Plain(tool) if registration.name == id => {
                return Some((plain_tool(at, registration, tool)?, None));
            }
            Registered::Plain(_) => {}
            Registered::Provider(entry) => {
                let found = known.iter().find(|found| found.at == at);
                let listing = found.and_then(|found| found.listing.as_ref().ok());
                let tool = listing.and_then(|listing| {
                    let mut tools = listing.tools.iter();
                    let tool = tools.find(|tool| {
                        tool.id.as_str() == id && !entry.disables(tool.name.as_str())
                    })?;
                    Some(listed_tool(at, registration, tool, &listing.version))
                });
                if let Some(tool) = tool {
                    return Some((tool, found));
                }
            }
        }
    }
    None
}

/// A plain CLI; its id was checked when the file was read.
fn plain_tool(at: usize, registration: &Registration, tool: &PlainTool) -> Option<HostedTool> {
    Some(HostedTool {
        id: ToolId::new(registration.name.as_str()).ok()?,
        native: None,
        provider: registration.name.clone(),
        description: tool.description.clone(),
        version: tool.version.clone(),
        at,
    })
}

fn listed_tool(
    at: usize,
    registration: &Registration,
    tool: &ListedTool,
    version: &str,
) -> HostedTool {
    HostedTool {
        id: tool.id.clone(),
        native: Some(tool.name.as_str().to_owned()),
        provider: registration.name.clone(),
        description: tool.description.clone().unwrap_or_default(),
        version: tool.version.clone().unwrap_or_else(|| version.to_owned()),
        at,
    }
}

fn skipped_row(skipped: &Skipped) -> ProviderRow {
    ProviderRow {
        name: skipped.name.clone(),
        source: skipped.source.clone(),
        state: ProviderState::Skipped,
        tools: 0,
        reason: Some(ToolError::new(ErrorKind::Unavailable, skipped.why.as_str())),
    }
}

struct Merging {
    taken: BTreeMap<ToolId, HostedTool>,
    notes: Vec<String>,
}

impl Merging {
    fn row(
        &mut self,
        at: usize,
        registration: &Registration,
        discovered: Option<&Discovered>,
    ) -> ProviderRow {
        let mut row = ProviderRow {
            name: registration.name.clone(),
            source: registration.source.clone(),
            state: match registration.standing {
                Standing::Active => ProviderState::Ready,
                Standing::Disabled => ProviderState::Disabled,
                Standing::Replaced => ProviderState::Replaced,
            },
            tools: 0,
            reason: None,
        };
        if registration.standing != Standing::Active {
            return row;
        }
        match (
            &registration.what,
            discovered.map(|discovered| &discovered.listing),
        ) {
            (Registered::Plain(tool), _) => {
                let tool = plain_tool(at, registration, tool);
                row.tools = usize::from(tool.is_some_and(|tool| self.take(tool)));
            }
            (Registered::Provider(entry), Some(Ok(listing))) => {
                let name = &registration.name;
                let refused = listing
                    .refused
                    .iter()
                    .map(|refusal| format!("provider `{name}`: {refusal}"));
                self.notes.extend(
                    refused.chain(
                        listing
                            .notes
                            .iter()
                            .map(|note| format!("provider `{name}`: {note}")),
                    ),
                );
                row.tools = listing
                    .tools
                    .iter()
                    .filter(|tool| !entry.disables(tool.name.as_str()))
                    .filter(|tool| self.take(listed_tool(at, registration, tool, &listing.version)))
                    .count();
            }
            (Registered::Provider(_), Some(Err(error))) => {
                self.notes.push(format!(
                    "the provider `{}` is unavailable: {}",
                    registration.name,
                    error.message()
                ));
                row.state = ProviderState::Unavailable;
                row.reason = Some(error.clone());
            }
            (Registered::Provider(_), None) => {}
        }
        row
    }

    /// Takes a tool unless its id is the harness's own or another tool has it.
    fn take(&mut self, tool: HostedTool) -> bool {
        let refusal = if tool.id.as_str().starts_with(OWN_PREFIX) {
            format!("ids under `{OWN_PREFIX}` are the host's own")
        } else if let Some(holder) = self.taken.get(&tool.id) {
            let holder = format!("{} of `{}`", spelled(holder), holder.provider);
            format!(
                "{}: the id is that of {holder} already",
                ErrorKind::AlreadyRegistered
            )
        } else {
            self.taken.insert(tool.id.clone(), tool);
            return true;
        };
        self.notes.push(format!(
            "{} of `{}` is left out as `{}`: {refusal}",
            spelled(&tool),
            tool.provider,
            tool.id
        ));
        false
    }
}

fn spelled(tool: &HostedTool) -> String {
    match &tool.native {
        Some(native) => format!("`{}`", native.escape_debug()),
        None => format!("the plain tool `{}`", tool.id),
    }
}
