//! Which of the tools that a provider lists can be used, and under which id.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lonis_schema::{ErrorKind, ProviderManifest, ProviderToolSummary, ToolError, ToolId};

use super::native_name::NativeName;

/// The tools of a provider: those that can be used, those that cannot, and what else is odd.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Listing {
    /// The version of the provider.
    pub version: String,
    /// The tools that can be used, in the provider's order.
    pub tools: Vec<ListedTool>,
    /// The tools that are left out.
    pub refused: Vec<Refusal>,
    /// Where the manifest and the list differ.
    pub notes: Vec<String>,
}

/// A tool that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedTool {
    /// Its name in the provider's spelling.
    pub name: NativeName,
    /// Its registry id.
    pub id: ToolId,
    /// What the list says that it does.
    pub description: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

/// A tool that was left out, and why.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Refusal {
    /// Its name in the provider's spelling.
    pub native: String,
    /// What is wrong with it.
    pub error: ToolError,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "tool `{}` is left out: {}",
            self.native.escape_debug(),
            self.error.message()
        )
    }
}

impl Listing {
    pub(super) fn new(
        manifest: &ProviderManifest,
        listed: Vec<ProviderToolSummary>,
        ids: &BTreeMap<String, ToolId>,
    ) -> Self {
        let notes = differences(manifest, &listed);
        let mut listing = Self {
            version: manifest.version.clone(),
            tools: Vec::new(),
            refused: Vec::new(),
            notes,
        };
        let mut holders: BTreeMap<ToolId, String> = BTreeMap::new();
        for summary in listed {
            match admit(&summary.name, ids, &holders) {
                Ok((name, id)) => {
                    holders.insert(id.clone(), summary.name);
                    let ProviderToolSummary {
                        description,
                        version,
                        ..
                    } = summary;
                    listing.tools.push(ListedTool {
                        name,
                        id,
                        description,
                        version,
                    });
                }
                Err(error) => listing.refused.push(Refusal {
                    native: summary.name,
                    error,
                }),
            }
        }
        listing
    }
}

/// Returns the name and id of a tool, unless it cannot be used or its id is taken.
fn admit(
    native: &str,
    ids: &BTreeMap<String, ToolId>,
    holders: &BTreeMap<ToolId, String>,
) -> Result<(NativeName, ToolId), ToolError> {
    let name = super::usable(native)?;
    let id = ids.get(native).unwrap_or(name.id()).clone();
    let message = match holders.get(&id) {
        None => return Ok((name, id)),
        Some(holder) if holder == native => format!("tool `{native}` is listed twice"),
        Some(holder) => format!("tools `{holder}` and `{native}` both have the id `{id}`"),
    };
    Err(ToolError::new(ErrorKind::AlreadyRegistered, message))
}

/// Says in which tools the manifest and the list differ; the list decides.
fn differences(manifest: &ProviderManifest, listed: &[ProviderToolSummary]) -> Vec<String> {
    // As nearly every provider has it.
    if manifest
        .tools
        .iter()
        .eq(listed.iter().map(|summary| &summary.name))
    {
        return Vec::new();
    }
    let declared: BTreeSet<&str> = manifest.tools.iter().map(String::as_str).collect();
    let listed: BTreeSet<&str> = listed.iter().map(|summary| summary.name.as_str()).collect();
    let says = |names: Vec<&&str>, what: &str| {
        let names: Vec<String> = names
            .iter()
            .map(|name| format!("`{}`", name.escape_debug()))
            .collect();
        (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    };
    let unlisted = says(
        declared.difference(&listed).collect(),
        "in the manifest and not in the tool list",
    );
    let undeclared = says(
        listed.difference(&declared).collect(),
        "in the tool list and not in the manifest",
    );
    unlisted.into_iter().chain(undeclared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(names: &[&str]) -> Listing {
        let manifest = ProviderManifest::new("acme", "1", "x").with_tools(["a.b", "gone"]);
        let listed = names
            .iter()
            .map(|name| ProviderToolSummary::new(*name))
            .collect();
        let ids = BTreeMap::from([("odd".to_owned(), ToolId::new("acme:odd").unwrap())]);
        Listing::new(&manifest, listed, &ids)
    }

    #[test]
    fn usable_tools_stay_and_each_other_has_its_reason() {
        let listing = listing(&[
            "x.ok", "x.ok", "", "a..b", "--help", "a.b", "a:b", "odd", "acme.odd", "bare",
        ]);
        let ids: Vec<&str> = listing.tools.iter().map(|tool| tool.id.as_str()).collect();
        assert_eq!(ids, ["x:ok", "a:b", "acme:odd", "provider:bare"]);
        let refused: Vec<(&str, &str, &str)> = listing
            .refused
            .iter()
            .map(|refusal| {
                (
                    refusal.native.as_str(),
                    refusal.error.kind().as_str(),
                    refusal.error.message(),
                )
            })
            .collect();
        assert_eq!(
            refused,
            [
                ("x.ok", "already_registered", "tool `x.ok` is listed twice"),
                ("", "invalid_input", "tool name is empty"),
                (
                    "a..b",
                    "invalid_input",
                    "tool name `a..b` makes no tool id: tool id `a::b` has an empty segment"
                ),
                (
                    "--help",
                    "invalid_input",
                    "tool name `--help` begins with `-`"
                ),
                (
                    "a:b",
                    "already_registered",
                    "tools `a.b` and `a:b` both have the id `a:b`"
                ),
                (
                    "acme.odd",
                    "already_registered",
                    "tools `odd` and `acme.odd` both have the id `acme:odd`"
                ),
            ]
        );
    }

    #[test]
    fn a_manifest_that_differs_is_noted() {
        assert_eq!(
            listing(&["a.b", "new"]).notes,
            [
                "in the manifest and not in the tool list: `gone`",
                "in the tool list and not in the manifest: `new`"
            ]
        );
    }
}
