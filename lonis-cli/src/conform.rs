//! `lonis conform`: whether a program in any language is a good provider, and how to mend it where it is not.
//!
//! The provider is asked everything that a host asks, and some things that it should refuse, always through the public
//! process layer: under its bounds, with an empty environment and a private directory. What comes back is judged by the
//! rules of `rule.rs`; nothing here trusts it. A tool is called with a generated input only if its contract says that it
//! changes nothing; others are called when the user gives an input for them.

mod calls;
mod decoded;
mod discovery;
mod failures;
mod flush;
mod observed;
mod places;
mod report;
mod rule;
mod sample;
mod target;

use std::path::Path;

use lonis::{ErrorKind, Json, ToolError, parse_document};

pub(crate) use report::Report;
pub(crate) use target::Target;

use crate::input;

use calls::Subject;
use failures::Failures;
use places::Places;

/// What the user chose.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// Native names of the tools to examine; empty: all.
    pub(crate) tools: Vec<String>,
    /// Inputs for tools by native name; without a name, for every tool that has none of its own.
    pub(crate) inputs: Vec<(Option<String>, Json)>,
}

impl Choices {
    /// Reads the value of `--input`: `JSON`, or `NAME=JSON` for one tool; `@FILE` in place of the JSON.
    ///
    /// # Errors
    /// `invalid_input` when the JSON is none or the file cannot be read.
    pub(crate) fn parse_input(text: &str) -> Result<(Option<String>, Json), ToolError> {
        let looks_like_json = text.trim_start().starts_with(['{', '[', '"', '@']);
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if !looks_like_json => (Some(name.to_owned()), value),
            _ => (None, text),
        };
        let value = match value.strip_prefix('@') {
            None => parse_document(value.as_bytes())?,
            Some(path) => input::file(Path::new(path))?,
        };
        Ok((name, value))
    }

    fn input(&self, tool: &str) -> Option<&Json> {
        let named = self
            .inputs
            .iter()
            .find(|(name, _)| name.as_deref() == Some(tool));
        named
            .or_else(|| self.inputs.iter().find(|(name, _)| name.is_none()))
            .map(|(_, input)| input)
    }

    fn wants(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|name| name == tool)
    }
}

/// Examines a provider.
///
/// # Errors
/// `io` when no sample file can be made below the temporary directory, `not_found` when a chosen tool is not there. What
/// is wrong with the provider is no error but rows of the report.
pub(crate) fn conform(
    target: &Target,
    choices: &Choices,
    temporary: &Path,
) -> Result<Report, ToolError> {
    let places = Places::below(temporary).map_err(|error| {
        ToolError::new(
            ErrorKind::Io,
            format!(
                "samples cannot be written to `{}`: {error}",
                temporary.display()
            ),
        )
    })?;
    let mut report = Report::new(target.name());
    let mut failures = Failures::default();
    let names = discovery::names(target, &mut report);
    if let Some(missing) = choices
        .tools
        .iter()
        .find(|tool| !names.iter().any(|name| name.as_str() == **tool))
    {
        let known: Vec<_> = names.iter().map(lonis::NativeName::as_str).collect();
        return Err(ToolError::new(
            ErrorKind::NotFound,
            format!("`{}` has no tool `{missing}`", target.name()),
        )
        .with_hint(format!("its tools are {}", known.join(", "))));
    }
    discovery::unknown(target, &mut report, &mut failures);
    for name in names.iter().filter(|name| choices.wants(name.as_str())) {
        if let Some(contract) = discovery::contract(target, name, &mut report) {
            let given = choices.input(name.as_str());
            Subject {
                target,
                name,
                contract: &contract,
                given,
                places: &places,
            }
            .examine(&mut report, &mut failures);
        }
    }
    failures.report(&mut report);
    Ok(report)
}

#[cfg(test)]
mod tests;
