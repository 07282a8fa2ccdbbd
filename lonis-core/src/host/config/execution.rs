//! Execution keys: what a child gets and what bounds it, the same in every table that may have them.

use std::path::PathBuf;

use super::ConfigError;
use super::document::{Section, Value};
use crate::Sandbox;
use crate::limits::{Bound, Limits};
use crate::process::Level;

/// How one table says that its children are run; what it leaves out is looked for in the next table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Execution {
    /// The bounds that are set.
    pub bounds: Limits,
    /// Variables set for the child.
    pub env: Option<Vec<(String, EnvValue)>>,
    /// Names of the host's variables that are handed on.
    pub pass_env: Option<Vec<String>>,
    /// Whether `HOME`, `TMPDIR` and `LANG` are given.
    pub base_env: Option<bool>,
    /// The child's working directory; unset: an empty private one.
    pub cwd: Option<PathBuf>,
    /// The child's file mode mask.
    pub umask: Option<u32>,
    /// A containment level that must be there.
    pub containment: Option<Level>,
    /// Whether calls are held to what the contract declares.
    pub sandbox: Option<SandboxMode>,
    /// Folders that a tool in a sandbox may write to, if it declares that it writes.
    pub writable: Option<Vec<PathBuf>>,
    /// Whether the provider or tool takes part at all.
    pub enabled: Option<bool>,
}

/// Whether the kernel holds a tool to its contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SandboxMode {
    /// It does not.
    Off,
    /// As far as this machine can.
    Contract,
    /// A call that this machine cannot hold to it is refused.
    Require,
}

/// The value of a variable set for a child.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EnvValue {
    /// This text.
    Literal(String),
    /// What the host's variable of this name holds; secret.
    Host(String),
    /// The content of this file less one final newline; secret.
    File(PathBuf),
}

impl Execution {
    pub(super) fn read(section: &mut Section<'_>) -> Result<Self, ConfigError> {
        let execution = Self {
            bounds: section.read("bounds", bounds)?.unwrap_or_default(),
            env: section.read("env", variables)?,
            pass_env: section.read("pass_env", names)?,
            base_env: section.read("base_env", Value::boolean)?,
            cwd: section.read("cwd", Value::path)?,
            umask: section.read("umask", umask)?,
            containment: section.read("containment", |value| {
                value.word(&[("group", Level::Group), ("tree", Level::Tree)])
            })?,
            sandbox: section.read("sandbox", |value| {
                value.word(&[
                    ("off", SandboxMode::Off),
                    ("contract", SandboxMode::Contract),
                    ("require", SandboxMode::Require),
                ])
            })?,
            writable: section.read("writable", paths)?,
            enabled: section.read("enabled", Value::boolean)?,
        };
        Ok(execution)
    }

    /// How calls are held to their contracts, where they are.
    pub(crate) fn sandbox(&self) -> Option<Sandbox> {
        let of_contract = || Sandbox::of_contract(self.writable.clone().unwrap_or_default());
        match self.sandbox? {
            SandboxMode::Off => None,
            SandboxMode::Contract => Some(of_contract()),
            SandboxMode::Require => Some(of_contract().required()),
        }
    }

    /// This table over another one: what is set here wins, each bound by itself.
    pub fn over(&self, below: &Self) -> Self {
        Self {
            bounds: self.bounds.over(&below.bounds),
            env: self.env.clone().or_else(|| below.env.clone()),
            pass_env: self.pass_env.clone().or_else(|| below.pass_env.clone()),
            base_env: self.base_env.or(below.base_env),
            cwd: self.cwd.clone().or_else(|| below.cwd.clone()),
            umask: self.umask.or(below.umask),
            containment: self.containment.or(below.containment),
            sandbox: self.sandbox.or(below.sandbox),
            writable: self.writable.clone().or_else(|| below.writable.clone()),
            enabled: self.enabled.or(below.enabled),
        }
    }
}

fn bounds(value: Value<'_>) -> Result<Limits, ConfigError> {
    let mut section = value.section("bounds")?;
    let mut limits = Limits::new();
    for bound in Bound::ALL {
        let place = section.get(bound.name());
        let Some(value) = place else { continue };
        let place = value.place();
        let limit = value.integer(bound.range())?;
        limits = limits
            .with(bound, limit)
            .map_err(|error| place.error(&error.to_string()))?;
    }
    section.finish()?;
    Ok(limits)
}

fn variables(value: Value<'_>) -> Result<Vec<(String, EnvValue)>, ConfigError> {
    let section = value.section("env")?;
    section
        .entries()
        .into_iter()
        .map(|(name, value)| Ok((variable_name(&value, name)?, env_value(value)?)))
        .collect()
}

fn names(value: Value<'_>) -> Result<Vec<String>, ConfigError> {
    value
        .elements()?
        .into_iter()
        .map(|element| {
            let place = element.place();
            let name = element.string()?;
            variable_name(&place, &name)
        })
        .collect()
}

fn paths(value: Value<'_>) -> Result<Vec<PathBuf>, ConfigError> {
    value.elements()?.into_iter().map(Value::path).collect()
}

fn variable_name(value: &Value<'_>, name: &str) -> Result<String, ConfigError> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(value.error(&format!("`{name}` is no name of a variable")));
    }
    Ok(name.to_owned())
}

fn env_value(value: Value<'_>) -> Result<EnvValue, ConfigError> {
    let place = value.place();
    let text = value.string()?;
    match text.split_once(':') {
        Some(("env", name)) => Ok(EnvValue::Host(variable_name(&place, name)?)),
        Some(("file", path)) => Ok(EnvValue::File(place.resolve(path)?)),
        Some(("text", literal)) => Ok(EnvValue::Literal(literal.to_owned())),
        Some(("cmd", _)) => {
            Err(place
                .error("`cmd:` is kept free; a value is a literal, `env:`, `file:` or `text:`"))
        }
        _ => Ok(EnvValue::Literal(text)),
    }
}

fn umask(value: Value<'_>) -> Result<u32, ConfigError> {
    let place = value.place();
    let text = value.string()?;
    let octal = text.len() <= 4
        && !text.is_empty()
        && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let mask = u32::from_str_radix(&text, 8)
        .ok()
        .filter(|mask| octal && *mask <= 0o777);
    mask.ok_or_else(|| {
        place.error(&format!(
            "a umask is an octal string from \"000\" to \"777\", here it is \"{text}\""
        ))
    })
}
