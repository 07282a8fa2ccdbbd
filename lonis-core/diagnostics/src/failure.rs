//! A command's failure: its cause, further findings, and what the command still has to show.

use lonis_schema::{ErrorKind, ToolError};
use serde_json::{Value, json};

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::envelope::{self, DIAGNOSTICS_SCHEMA, ERROR_KIND};
use crate::redact::Redactor;

/// The most diagnostics of one failure.
const MAX_ENTRIES: usize = 20;

/// A command's failure.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The cause.
    cause: Box<Diagnostic>,
    /// Further findings, one for each code.
    further: Vec<Diagnostic>,
    /// What the command still has to show, such as the results of obligations.
    result: Option<Box<Value>>,
}

impl From<Diagnostic> for Failure {
    fn from(cause: Diagnostic) -> Self {
        Self {
            cause: Box::new(cause),
            further: Vec::new(),
            result: None,
        }
    }
}

impl Failure {
    /// Adds a finding that is independent of the cause: one of a code that is there already stands in the parameters of that
    /// entry, as an item of `further`; beyond 20 entries none is added.
    #[must_use]
    pub fn and(mut self, finding: Diagnostic) -> Self {
        let mut known = std::iter::once(&mut *self.cause).chain(&mut self.further);
        if let Some(entry) = known.find(|entry| entry.code() == finding.code()) {
            entry.merge(&finding);
        } else if self.further.len() + 1 < MAX_ENTRIES {
            self.further.push(finding);
        }
        self
    }

    /// Adds what the command still has to show.
    #[must_use]
    pub fn with_result(mut self, result: Value) -> Self {
        self.result = Some(Box::new(result));
        self
    }

    /// Adds a fact to the cause's context where the code declares it and none of that name is known.
    #[must_use]
    pub fn with_fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        let entry = self.cause.code().entry();
        let value = value.into();
        let is_known = self.cause.all_facts().contains_key(name);
        let mut members = entry.facts.iter().chain(entry.parameters);
        if !is_known && members.any(|member| member.name == name && member.kind.accepts(&value)) {
            *self.cause = self.cause.with_fact(name, value);
        }
        self
    }

    /// Says whether an entry proposes a change of a policy.
    pub fn proposes(&self) -> bool {
        self.entries().any(Diagnostic::proposes)
    }

    /// Binds the changes of a policy that are proposed to the policy file as it stands: no bytes where there is none.
    #[must_use]
    pub fn under_policy_file(mut self, bytes: &[u8]) -> Self {
        self.cause.bind_proposal(bytes);
        for finding in &mut self.further {
            finding.bind_proposal(bytes);
        }
        self
    }

    /// Removes from every text where the known places of the machine are, and any other absolute path.
    #[must_use]
    pub fn redacted(mut self, redactor: &Redactor) -> Self {
        let scrub = |value: &mut Value| redactor.value(value);
        self.cause.scrub(&scrub);
        for finding in &mut self.further {
            finding.scrub(&scrub);
        }
        if let Some(result) = &mut self.result {
            redactor.value(result);
        }
        self
    }

    /// Returns the code of the cause.
    pub fn code(&self) -> Code {
        self.cause.code()
    }

    /// Returns the cause.
    pub fn cause(&self) -> &Diagnostic {
        &self.cause
    }

    /// Returns what the command still has to show.
    pub fn result(&self) -> Option<&Value> {
        self.result.as_deref()
    }

    /// Returns the exit code, which is that of the cause.
    pub fn exit_code(&self) -> u8 {
        self.cause.exit_code()
    }

    /// Returns the cause, then the further findings.
    pub fn entries(&self) -> impl Iterator<Item = &Diagnostic> {
        std::iter::once(&*self.cause).chain(&self.further)
    }

    /// Returns the envelope; `kind` is that of the command, which stands there where the failure has a result.
    pub fn envelope(&self, kind: Option<&str>) -> Value {
        let kind = kind.filter(|_| self.result.is_some()).unwrap_or(ERROR_KIND);
        let error = json!({
            "code": self.code().as_str(),
            "message": self.cause.message(),
            "context": self.cause.context().to_value(),
        });
        let mut whole = json!({
            "ok": false,
            "kind": kind,
            "error": error,
            "diagnostics_schema": DIAGNOSTICS_SCHEMA,
            "diagnostic_catalog": envelope::catalog(),
            "diagnostics": self.entry_values(),
        });
        if let Some(result) = self.result() {
            whole["data"] = result.clone();
        }
        whole
    }

    /// Returns the error of a provider's tool: the kind is the code, the details hold the diagnostics.
    pub fn tool_error(&self) -> ToolError {
        let mut details = json!({
            "schema": "genesis/error-details-v0.2",
            "diagnostics_schema": DIAGNOSTICS_SCHEMA,
            "diagnostic_catalog": envelope::catalog(),
            "diagnostics": self.entry_values(),
            "context": self.cause.context().to_value(),
        });
        if let Some(result) = self.result() {
            details["result"] = result.clone();
        }
        ToolError::new(ErrorKind::from(self.code().as_str()), self.cause.message())
            .with_exit_code(self.exit_code())
            .with_details(details)
    }

    fn entry_values(&self) -> Vec<Value> {
        self.entries().map(Diagnostic::to_value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutated(name: &str) -> Diagnostic {
        Diagnostic::new(Code::ObligationMutatedSnapshot, "session/test", name).with("name", name)
    }

    #[test]
    fn findings_of_one_code_are_one_entry_that_lists_them() {
        let other = Diagnostic::new(Code::ObligationTimeout, "session/test", "too long");
        let failure = Failure::from(mutated("0")).and(other);
        let failure = (1..=25).fold(failure, |failure, number| {
            failure.and(mutated(&number.to_string()))
        });
        let codes: Vec<Code> = failure.entries().map(Diagnostic::code).collect();
        assert_eq!(
            codes,
            [Code::ObligationMutatedSnapshot, Code::ObligationTimeout]
        );
        let parameters = failure.cause().parameters();
        assert_eq!(parameters["name"], "0");
        assert_eq!(
            parameters["further"][0],
            json!({"name": "1", "message": "1"})
        );
        assert_eq!(parameters["further"].as_array().map(Vec::len), Some(20));
        assert_eq!(parameters["omitted"], 5);
    }
}
