//! One tool as a provider offers it: under its native name, its contract checked.

use std::collections::BTreeMap;
use std::fmt;

use lonis_schema::{BlockPayload, ErrorKind, Json, ToolContract, ToolError};
use serde_json::json;

use crate::{NativeName, SchemaCheck, Tool};

/// A tool and the name by which a host asks for it.
pub(super) struct Offered<P> {
    native: String,
    tool: Box<dyn Tool<P>>,
}

impl<P: BlockPayload> Offered<P> {
    pub(super) fn new(native: &str, tool: Box<dyn Tool<P>>) -> Self {
        Self {
            native: native.to_owned(),
            tool,
        }
    }

    pub(super) fn native(&self) -> &str {
        &self.native
    }

    pub(super) fn tool(&self) -> &dyn Tool<P> {
        &*self.tool
    }

    /// Returns the contract, which a tool may do without.
    pub(super) fn described(&self) -> Result<ToolContract, ToolError> {
        self.tool.contract().ok_or_else(|| {
            ToolError::new(
                ErrorKind::NotImplemented,
                format!("tool `{}` has no contract", self.native),
            )
        })
    }

    /// Checks an input against the contract's own schema, where it has one and the tool leaves that to its provider.
    pub(super) fn check_input(&self, input: &Json) -> Result<(), ToolError> {
        if self.tool.judges_input() {
            return Ok(());
        }
        let contract = self.tool.contract();
        let Some(schema) = contract.as_ref().and_then(ToolContract::input_json_schema) else {
            return Ok(());
        };
        SchemaCheck::compile(&schema.to_value())
            .map_err(|error| {
                ToolError::new(
                    ErrorKind::Internal,
                    format!("tool `{}`: {error}", self.native),
                )
            })?
            .check(&input.to_value())
            .map_err(ToolError::from)
    }

    /// Gives an error without a code of its own the code that the tool's table has for its kind.
    pub(super) fn with_mapped_code(&self, error: ToolError) -> ToolError {
        let kind = error.kind();
        if error.exit_code() != kind.exit_code() {
            return error;
        }
        let mapped = self
            .tool
            .exit_code_map()
            .iter()
            .find(|(word, code)| *word == kind.as_str() && *code != 0);
        match mapped {
            Some((_, code)) => error.with_exit_code(*code),
            None => error,
        }
    }

    /// Says what keeps a host from using the tool, and returns its name where that is of use.
    fn problems(&self, scope: Scope<'_>, problems: &mut Vec<String>) -> Option<NativeName> {
        let name = match NativeName::parse(&self.native) {
            Ok(name) => name,
            Err(error) => {
                problems.push(error.to_string());
                return None;
            }
        };
        let is_in_scope = match scope {
            Scope::Whole => true,
            // A schema that no input is checked against need not be looked at before a call.
            Scope::CallOf(called) => called == self.native && !self.tool.judges_input(),
        };
        if let Some(contract) = is_in_scope.then(|| self.tool.contract()).flatten() {
            self.contract_problems(&name, &contract, problems);
        }
        Some(name)
    }

    fn contract_problems(
        &self,
        name: &NativeName,
        contract: &ToolContract,
        problems: &mut Vec<String>,
    ) {
        let native = &self.native;
        if contract.name() != native && contract.name() != name.id().as_str() {
            problems.push(format!(
                "contract of tool `{native}` is for `{}`",
                contract.name()
            ));
        }
        // The name was compared above; a native one need not be a tool id.
        let findings = contract
            .check()
            .into_iter()
            .filter(|finding| finding.pointer() != "/name");
        problems.extend(findings.map(|finding| format!("contract of tool `{native}`: {finding}")));
        let schemas = [
            ("input_json_schema", contract.input_json_schema()),
            ("output_json_schema", contract.output_json_schema()),
        ];
        for (member, schema) in schemas {
            let Some(schema) = schema else { continue };
            if let Err(error) = SchemaCheck::compile(&schema.to_value()) {
                problems.push(format!("`{member}` of tool `{native}`: {error}"));
            }
        }
    }
}

impl<P> fmt::Debug for Offered<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.native)
    }
}

/// How much of a provider is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope<'a> {
    /// Everything that it says about itself.
    Whole,
    /// All names, and the contract of this tool: schemas take time to compile, and a call needs one of them.
    CallOf(&'a str),
}

/// Checks the tools of a provider, together.
///
/// # Errors
/// `internal`, with everything found in `details.problems`.
pub(super) fn check<P: BlockPayload>(
    tools: &[Offered<P>],
    scope: Scope<'_>,
) -> Result<(), ToolError> {
    let mut problems = Vec::new();
    let mut taken = BTreeMap::new();
    for offered in tools {
        let Some(name) = offered.problems(scope, &mut problems) else {
            continue;
        };
        if let Some(earlier) = taken.insert(name.id().clone(), offered.native()) {
            problems.push(format!(
                "tools `{earlier}` and `{}` both have the id `{}`",
                offered.native(),
                name.id()
            ));
        }
    }
    match problems.as_slice() {
        [] => Ok(()),
        [first, more @ ..] => {
            let message = match more.len() {
                0 => format!("provider is not usable: {first}"),
                count => format!("provider is not usable: {first}; and {count} more"),
            };
            Err(ToolError::new(ErrorKind::Internal, message)
                .with_detail("problems", json!(problems)))
        }
    }
}
