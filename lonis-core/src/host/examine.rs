//! A look at a program that is about to be registered: its tools, and what its language needs of its surroundings.

use std::ffi::OsStr;
use std::path::Path;

use lonis_schema::{ErrorKind, ToolError};

use super::{Environment, Host, ProviderEntry, ProviderName, assemble};
use crate::ExecutableIdentity;

/// Runtimes that fail in places without `HOME`, or take all text for ASCII without `LANG`, without their versions.
const NEEDY_RUNTIMES: &[&str] = &[
    "bun", "deno", "java", "node", "nodejs", "npx", "perl", "php", "pypy", "python", "ruby", "uv",
    "uvx",
];

/// What was learnt of a program that is about to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Examined {
    /// The ids of its tools.
    pub tools: Vec<String>,
    /// Whether its language needs `base_env`; it was asked with that then.
    pub base_env: bool,
}

impl Host {
    /// Asks a program for its tools, as a provider that is about to be registered under a name.
    ///
    /// # Errors
    /// What its discovery fails with.
    pub fn examine(
        environment: &Environment,
        name: &ProviderName,
        command: &[String],
    ) -> Result<Examined, ToolError> {
        let mut entry = ProviderEntry::of_command(command);
        let bare = assemble::provider(&entry, &entry.execution, environment)?;
        // A program that is not there is told by the question.
        let path = environment.variable("PATH");
        let base_env = bare
            .program()
            .resolve()
            .is_ok_and(|program| runs_on_needy(&program, path));
        entry.execution.base_env = base_env.then_some(true);
        let provider = assemble::provider(&entry, &entry.execution, environment)?;
        let listing = provider.listing()?;
        if listing.tools.is_empty() {
            let reasons: Vec<String> = listing.refused.iter().map(ToString::to_string).collect();
            return Err(ToolError::new(
                ErrorKind::InvalidOutput,
                format!("the provider `{name}` offers no usable tool"),
            )
            .with_detail("refused", serde_json::json!(reasons)));
        }
        let tools = listing.tools.into_iter();
        Ok(Examined {
            tools: tools.map(|tool| tool.id.to_string()).collect(),
            base_env,
        })
    }
}

fn runs_on_needy(program: &Path, path: Option<&OsStr>) -> bool {
    ExecutableIdentity::of(program, path)
        .is_ok_and(|identity| identity.files().any(|file| is_needy(&file.path)))
}

fn is_needy(program: &Path) -> bool {
    let name = program.file_name().and_then(OsStr::to_str);
    let is_version = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-';
    name.is_some_and(|name| NEEDY_RUNTIMES.contains(&name.trim_end_matches(is_version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_is_known_by_its_name_with_and_without_a_version() {
        for (program, is_one) in [
            ("/usr/bin/node", true),
            ("/usr/bin/python3.11", true),
            ("python3", true),
            ("/opt/jdk-17/bin/java", true),
            ("/usr/bin/perl5.36.0", true),
            ("/bin/sh", false),
            ("/usr/bin/nodes", false),
            ("/usr/bin/lonis-python", false),
            ("/", false),
        ] {
            assert_eq!(is_needy(Path::new(program)), is_one, "{program}");
        }
    }
}
