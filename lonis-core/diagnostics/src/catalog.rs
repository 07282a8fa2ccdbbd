//! What the catalog says of each code: a table that is generated from `catalog/*.toml` and never parsed.

use serde_json::{Value, json};

use crate::code::Code;

include!("generated/entries.in");

/// The schema id of the published catalog.
pub const CATALOG_SCHEMA: &str = "genesis/diagnostic-catalog-v0.2";
/// The version of the published catalog.
pub const CATALOG_VERSION: &str = "0.2.0";
/// Where the published catalog stands, relative to the Lonis repository.
pub const CATALOG_PATH: &str = "docs/reference/diagnostic-catalog-v0.2.json";
/// The page that holds an anchor for each code.
const REFERENCE_PAGE: &str = "docs/src/reference/diagnostics.md";

/// What the catalog says of one code.
#[derive(Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// The code as it stands on the wire.
    pub text: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where in the work it happens.
    pub phase: Phase,
    /// The exit code of a command that fails so.
    pub exit_code: u8,
    /// Whether the cause passes by itself.
    pub is_retryable: bool,
    /// The code's own facts.
    pub parameters: &'static [Member],
    /// The domain of the context.
    pub domain: &'static str,
    /// The further facts that the context may hold.
    pub facts: &'static [Member],
    /// The kinds of error of `lonis` itself that the code stands for.
    pub wire: &'static [&'static str],
    /// What may be the cause, the likeliest first.
    pub causes: &'static [&'static str],
    /// What mends it.
    pub fix: &'static str,
    /// What may be done about it, the first being the one of the repair plan.
    pub actions: &'static [Action],
}

/// One thing that may be done about a failure.
#[derive(Debug)]
pub struct Action {
    /// A name within the code.
    pub id: &'static str,
    /// What is done.
    pub kind: ActionKind,
    /// What is done, in words; may name parameters in braces.
    pub description: &'static str,
    /// The command to run, as its arguments, with parameters in braces; empty where there is none.
    pub command: &'static [&'static str],
}

/// What is done by an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Something is looked at.
    Inspect,
    /// A command runs that has no effect, or the caller's own once more.
    VerifyCommand,
    /// The caller's own patch or candidate is changed.
    SourcePatch,
    /// A command with an effect runs.
    EffectCommand,
    /// A policy is reviewed.
    PolicyReview,
}

/// How bad a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The command failed.
    Error,
    /// The command went on.
    Warning,
    /// A fact.
    Info,
    /// Advice.
    Hint,
}

/// Where in the work something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the word that stands on the wire")]
pub enum Phase {
    Invocation,
    Parse,
    Policy,
    SemanticEdit,
    Session,
    Obligation,
    Storage,
    Io,
    Serialization,
    Transport,
    Provider,
    Internal,
}

/// A fact that a code declares.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it may hold.
    pub kind: MemberKind,
}

/// What a declared fact may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberKind {
    /// A text.
    Text,
    /// A path relative to the root.
    Path,
    /// 64 lowercase hex digits.
    Hash,
    /// A whole number that is not negative.
    Count,
    /// A list.
    List,
    /// An object.
    Object,
    /// Any value.
    Any,
}

impl MemberKind {
    /// Returns whether a value is of this kind; `null` is of each.
    pub fn accepts(self, value: &Value) -> bool {
        value.is_null()
            || match self {
                Self::Text | Self::Path => value.is_string(),
                Self::Hash => value.as_str().is_some_and(is_hash),
                Self::Count => value.is_u64(),
                Self::List => value.is_array(),
                Self::Object => value.is_object(),
                Self::Any => true,
            }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Path => "path",
            Self::Hash => "hash",
            Self::Count => "count",
            Self::List => "list",
            Self::Object => "object",
            Self::Any => "any",
        }
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
}

impl Severity {
    /// Returns the word that stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }
}

impl Phase {
    /// Returns the word that stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invocation => "invocation",
            Self::Parse => "parse",
            Self::Policy => "policy",
            Self::SemanticEdit => "semantic-edit",
            Self::Session => "session",
            Self::Obligation => "obligation",
            Self::Storage => "storage",
            Self::Io => "io",
            Self::Serialization => "serialization",
            Self::Transport => "transport",
            Self::Provider => "provider",
            Self::Internal => "internal",
        }
    }
}

impl ActionKind {
    /// Returns the word that stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inspect => "inspect",
            Self::VerifyCommand => "verify-command",
            Self::SourcePatch => "source-patch",
            Self::EffectCommand => "effect-command",
            Self::PolicyReview => "policy-review",
        }
    }

    /// Returns whether somebody has to agree first.
    pub fn requires_review(self) -> bool {
        matches!(self, Self::EffectCommand | Self::PolicyReview)
    }
}

impl Entry {
    /// Returns the id, `genesis/diagnostic/v1/<family>/<name>`.
    pub fn id(&self) -> String {
        format!("genesis/diagnostic/v1/{}", self.text)
    }

    /// Returns where the code is documented.
    pub fn documentation(&self) -> Value {
        json!([{"path": REFERENCE_PAGE, "anchor": self.text.replace('/', "-")}])
    }

    /// Returns the action that the repair plan proposes.
    ///
    /// # Panics
    /// Never: each code has an action, which the catalog's own test holds.
    pub fn first_action(&self) -> &'static Action {
        self.actions.first().expect("each code has an action")
    }

    /// Returns the entry as it stands in the published catalog.
    pub fn published(&self) -> Value {
        let (family, name) = self.text.split_once('/').unwrap_or((self.text, ""));
        let actions: Vec<Value> = self.actions.iter().map(Action::published).collect();
        let context = json!({
            "domain": self.domain,
            "kind": name,
            "facts": published_members(self.facts),
        });
        json!({
            "code": self.text,
            "id": self.id(),
            "error_class": family,
            "version": "v1",
            "severity": self.severity.as_str(),
            "phase": self.phase.as_str(),
            "exit_code": self.exit_code,
            "retryable": self.is_retryable,
            "parameters": published_members(self.parameters),
            "context": context,
            "wire": self.wire,
            "likely_causes": self.causes,
            "candidate_fix": self.fix,
            "next_safe_action": self.first_action().description,
            "safe_repair_actions": actions,
            "documentation": self.documentation(),
        })
    }
}

impl Action {
    fn published(&self) -> Value {
        let mut action = json!({
            "id": self.id,
            "kind": self.kind.as_str(),
            "description": self.description,
            "automaticEligible": !self.kind.requires_review(),
            "requiresReview": self.kind.requires_review(),
            "policyEffect": self.kind.policy_effect(),
            "obligationEffect": self.kind.obligation_effect(),
            "preconditions": self.kind.preconditions(),
            "postconditions": self.kind.postconditions(),
        });
        if !self.command.is_empty() {
            action["command"] = json!(self.command);
        }
        action
    }
}

fn published_members(members: &[Member]) -> Value {
    let pairs = members
        .iter()
        .map(|member| (member.name.to_owned(), Value::from(member.kind.word())));
    Value::Object(pairs.collect())
}

#[cfg(test)]
mod tests;
