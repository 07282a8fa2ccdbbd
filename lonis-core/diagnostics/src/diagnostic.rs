//! One failure, normalised: its code, its facts and everything that the catalog says of it.

use serde_json::{Map, Value, json};

use crate::catalog::{CATALOG_IDENTITY, CATALOG_VERSION, Member};
use crate::code::Code;
use crate::context::FailureContext;
use crate::plan::{self, PolicyProposal};
use crate::span::Span;

/// The most items of a list in the parameters; `omitted` counts the others.
const MAX_LIST_ITEMS: usize = 20;
/// The longest member of a finding that stands in the entry of another one, in bytes: what is longer is in the result.
const MAX_FURTHER_BYTES: usize = 256;
/// The longest message, in bytes; it is cut at a character's end.
const MAX_MESSAGE_BYTES: usize = 1024;

/// One failure, built where it happens.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    code: Code,
    operation: String,
    message: String,
    parameters: Map<String, Value>,
    facts: Map<String, Value>,
    primary_span: Option<Span>,
    related_spans: Vec<Span>,
    capability: Option<String>,
    proposal: Option<PolicyProposal>,
    exit_code: u8,
}

impl Diagnostic {
    /// Makes a diagnostic of a code, from what was being done and a lowercase fragment that says what went wrong.
    pub fn new(code: Code, operation: &str, message: impl Into<String>) -> Self {
        let mut message = message.into();
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        Self {
            code,
            operation: operation.to_owned(),
            message,
            parameters: Map::new(),
            facts: Map::new(),
            primary_span: None,
            related_spans: Vec::new(),
            capability: None,
            proposal: None,
            exit_code: code.entry().exit_code,
        }
    }

    /// Adds a parameter; one that the code does not declare, or of another kind, is left out.
    ///
    /// Of a list the first 20 items are kept, and `omitted` counts the others.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let mut value = value.into();
        let is_declared = declares(self.code.entry().parameters, name, &value);
        debug_assert!(
            is_declared,
            "`{}` declares no `{name}` that holds {value}",
            self.code
        );
        if !is_declared {
            return self;
        }
        if let Value::Array(items) = &mut value
            && items.len() > MAX_LIST_ITEMS
        {
            let omitted = items.len() - MAX_LIST_ITEMS;
            items.truncate(MAX_LIST_ITEMS);
            self.parameters.insert("omitted".to_owned(), omitted.into());
        }
        self.parameters.insert(name.to_owned(), value);
        self
    }

    /// Adds a fact to the context; one that the code does not declare, or of another kind, is left out.
    #[must_use]
    pub fn with_fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        let entry = self.code.entry();
        // A value stands in the parameters or in the context, not in both.
        if entry.parameters.iter().any(|member| member.name == name) {
            let is_there = self.parameters.contains_key(name);
            return if is_there {
                self
            } else {
                self.with(name, value)
            };
        }
        let is_declared = declares(entry.facts, name, &value);
        debug_assert!(
            is_declared,
            "the context of `{}` has no `{name}` that holds {value}",
            self.code
        );
        if is_declared {
            self.facts.insert(name.to_owned(), value);
        }
        self
    }

    /// Names the range that is to blame.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.primary_span = Some(span);
        self
    }

    /// Names a further range.
    #[must_use]
    pub fn beside(mut self, span: Span) -> Self {
        self.related_spans.push(span);
        self
    }

    /// Names the capability whose lack is the cause.
    #[must_use]
    pub fn lacking(mut self, capability: &str) -> Self {
        self.capability = Some(capability.to_owned());
        self
    }

    /// Adds the change of a policy that would mend it, for a review.
    #[must_use]
    pub fn proposing(mut self, proposal: PolicyProposal) -> Self {
        self.proposal = Some(proposal);
        self
    }

    /// Says whether a change of a policy is proposed.
    pub(crate) fn proposes(&self) -> bool {
        self.proposal.is_some()
    }

    /// Binds what is proposed to the bytes of a policy file.
    pub(crate) fn bind_proposal(&mut self, bytes: &[u8]) {
        if let Some(proposal) = &mut self.proposal {
            proposal.bind(bytes);
        }
    }

    /// Takes up another finding of the same code: what is short of its own stands in `further`, of which 20 are kept.
    pub(crate) fn merge(&mut self, finding: &Self) {
        let mut own = finding.parameters.clone();
        own.retain(|_, value| value.to_string().len() <= MAX_FURTHER_BYTES);
        let cut = finding.message.floor_char_boundary(MAX_FURTHER_BYTES);
        own.insert("message".to_owned(), finding.message[..cut].into());
        if let Some(span) = &finding.primary_span {
            own.insert("primary_span".to_owned(), json!(span));
        }
        let further = self
            .parameters
            .entry("further")
            .or_insert_with(|| json!([]));
        if let Value::Array(items) = further
            && items.len() < MAX_LIST_ITEMS
        {
            items.push(Value::Object(own));
            return;
        }
        let omitted = self.parameters.get("omitted").and_then(Value::as_u64);
        let omitted = omitted.unwrap_or(0) + 1;
        self.parameters.insert("omitted".to_owned(), omitted.into());
    }

    /// Sets the exit code of a child in place of the code's own.
    pub(crate) fn exiting(mut self, exit_code: u8) -> Self {
        self.exit_code = exit_code;
        self
    }

    /// Returns the code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns what went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns what was being done.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// Returns the exit code.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }

    /// Returns the code's own facts.
    pub fn parameters(&self) -> &Map<String, Value> {
        &self.parameters
    }

    /// Returns the context.
    pub fn context(&self) -> FailureContext {
        let text = self.code.as_str();
        FailureContext {
            domain: self.code.entry().domain.to_owned(),
            kind: text[self.code.family().len() + 1..].to_owned(),
            operation: self.operation.clone(),
            facts: self.facts.clone(),
            primary_span: self.primary_span.clone(),
            related_spans: self.related_spans.clone(),
        }
    }

    /// Returns the range that is to blame.
    pub(crate) fn primary_span(&self) -> Option<&Span> {
        self.primary_span.as_ref()
    }

    /// Returns the capability whose lack is the cause.
    pub(crate) fn capability(&self) -> Option<&str> {
        self.capability.as_deref()
    }

    /// Returns parameters and facts as one, for texts that name them.
    pub(crate) fn all_facts(&self) -> Map<String, Value> {
        let mut all = self.facts.clone();
        all.extend(self.parameters.clone());
        all
    }

    /// Changes every text that was put in, such as to leave out where the root stands.
    pub(crate) fn scrub(&mut self, scrub: &dyn Fn(&mut Value)) {
        let mut message = Value::String(std::mem::take(&mut self.message));
        scrub(&mut message);
        if let Value::String(message) = message {
            self.message = message;
        }
        // Whole, since the name of a member decides whether it is a place at all.
        for members in [&mut self.parameters, &mut self.facts] {
            let mut whole = Value::Object(std::mem::take(members));
            scrub(&mut whole);
            if let Value::Object(scrubbed) = whole {
                *members = scrubbed;
            }
        }
    }

    /// Returns the diagnostic as it stands on the wire.
    pub fn to_value(&self) -> Value {
        let entry = self.code.entry();
        let facts = self.all_facts();
        let causes: Vec<String> = entry
            .causes
            .iter()
            .map(|text| plan::filled(text, &facts))
            .collect();
        let actions: Vec<Value> = entry
            .actions
            .iter()
            .map(|action| {
                json!({
                    "id": action.id,
                    "kind": action.kind.as_str(),
                    "automaticEligible": !action.kind.requires_review(),
                    "description": plan::filled(action.description, &facts),
                })
            })
            .collect();
        json!({
            "id": entry.id(),
            "code": entry.text,
            "error_class": self.code.family(),
            "version": "v1",
            "catalog_version": CATALOG_VERSION,
            "catalog_identity_sha256": CATALOG_IDENTITY,
            "severity": entry.severity.as_str(),
            "phase": entry.phase.as_str(),
            "message": self.message,
            "exit_code": self.exit_code,
            "primary_span": self.primary_span,
            "related_spans": self.related_spans,
            "parameters": self.parameters,
            "blocking_capability": self.capability,
            "likely_causes": causes,
            "candidate_fix": plan::filled(entry.fix, &facts),
            "next_safe_action": plan::filled(entry.first_action().description, &facts),
            "safe_repair_actions": actions,
            "documentation": entry.documentation(),
            "repair_plan": plan::repair_plan(entry, &facts, self.proposal.as_ref()),
        })
    }
}

fn declares(members: &[Member], name: &str, value: &Value) -> bool {
    members
        .iter()
        .any(|member| member.name == name && member.kind.accepts(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut_and_counted() {
        let paths: Vec<Value> = (0..25).map(Value::from).collect();
        let diagnostic = Diagnostic::new(Code::SessionApplyConflict, "session/apply", "25 paths")
            .with("paths", paths);
        assert_eq!(
            diagnostic.parameters()["paths"].as_array().map(Vec::len),
            Some(20)
        );
        assert_eq!(diagnostic.parameters()["omitted"], 5);
    }

    #[test]
    fn a_value_stands_in_parameters_or_in_the_context() {
        let unknown = Diagnostic::new(Code::SessionNotFound, "session/status", "no session `a`")
            .with_fact("session", "a");
        assert_eq!(unknown.parameters()["session"], "a");
        assert!(unknown.context().facts.is_empty());
        let busy = Diagnostic::new(Code::SessionLockBusy, "session/stage", "locked")
            .with_fact("session", "a");
        assert!(busy.parameters().is_empty());
        assert_eq!(busy.context().facts["session"], "a");
    }
}
