//! `[providers.NAME]`: a program that hosts many tools.

use lonis_schema::ToolId;

use super::document::{Section, Value};
use super::{ConfigError, Execution};
use crate::host::name::ProviderName;

/// One provider as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ProviderEntry {
    /// The program: absolute, or a bare name that is looked for on the child's `PATH`.
    pub command: String,
    /// Arguments before those of the surface.
    pub args: Vec<String>,
    /// What is said in place of the usual arguments of the surface.
    pub surface: SurfaceArguments,
    /// Execution keys of the provider.
    pub execution: Execution,
    /// What is said of single tools, by native name.
    pub tools: Vec<(String, NativeTool)>,
}

impl ProviderEntry {
    /// Whether the file leaves out one tool of the provider, by its native name.
    pub(in crate::host) fn disables(&self, native: &str) -> bool {
        self.tools
            .iter()
            .any(|(name, tool)| name == native && tool.execution.enabled == Some(false))
    }

    /// The entry of a command and nothing else.
    pub(in crate::host) fn of_command(command: &[String]) -> Self {
        let (program, args) = command
            .split_first()
            .map_or((String::new(), &[][..]), |(program, args)| {
                (program.clone(), args)
            });
        Self {
            command: program,
            args: args.to_vec(),
            surface: SurfaceArguments::default(),
            execution: Execution::default(),
            tools: Vec::new(),
        }
    }
}

/// Arguments in place of those of the provider surface, each `None` where the usual ones hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SurfaceArguments {
    /// In place of `--mode json manifest`.
    pub manifest: Option<Vec<String>>,
    /// In place of `--mode json tools list`.
    pub tools_list: Option<Vec<String>>,
    /// In place of `--mode json tools describe`; the native name is appended.
    pub describe: Option<Vec<String>>,
    /// In place of `--mode json call`; the native name is appended.
    pub call: Option<Vec<String>>,
}

/// What a file says of one tool of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct NativeTool {
    /// The id it is registered under, in place of its mangled name.
    pub id: Option<ToolId>,
    /// Execution keys of this tool.
    pub execution: Execution,
}

pub(super) fn read(mut section: Section<'_>) -> Result<(ProviderName, ProviderEntry), ConfigError> {
    let name =
        ProviderName::new(section.name()).map_err(|error| section.error(&error.to_string()))?;
    let (command, mut args) = command(section.require("command")?)?;
    args.extend(section.read("args", Value::strings)?.unwrap_or_default());
    let surface = SurfaceArguments {
        manifest: section.read("manifest_args", Value::strings)?,
        tools_list: section.read("tools_list_args", Value::strings)?,
        describe: section.read("describe_args", Value::strings)?,
        call: section.read("call_args", Value::strings)?,
    };
    let execution = Execution::read(&mut section)?;
    let mut tools = Vec::new();
    for mut tool in section.sections("tools")? {
        let id = tool.read("id", tool_id)?;
        let execution = Execution::read(&mut tool)?;
        tool.finish()?;
        tools.push((tool.name().to_owned(), NativeTool { id, execution }));
    }
    section.finish()?;
    Ok((
        name,
        ProviderEntry {
            command,
            args,
            surface,
            execution,
            tools,
        },
    ))
}

/// A program, or an array of a program and its first arguments.
///
/// With a slash it is a path, which starts at the file's folder; without one it stays a name.
pub(super) fn command(value: Value<'_>) -> Result<(String, Vec<String>), ConfigError> {
    let place = value.place();
    let (program, args) = if value.is_array() {
        let mut words = value.strings()?.into_iter();
        let program = words
            .next()
            .ok_or_else(|| place.error("a command has at least the program"))?;
        (program, words.collect())
    } else {
        (value.string()?, Vec::new())
    };
    if program.is_empty() {
        return Err(place.error("a command is not empty"));
    }
    if !program.contains('/') {
        return Ok((program, args));
    }
    let path = place.resolve(&program)?;
    let text = path.into_os_string().into_string();
    text.map(|program| (program, args))
        .map_err(|path| place.error(&format!("`{}` is not UTF-8", path.to_string_lossy())))
}

pub(super) fn tool_id(value: Value<'_>) -> Result<ToolId, ConfigError> {
    let place = value.place();
    checked_id(&place, &value.string()?)
}

/// An id that a file may give: a tool id that is not one of the host's own.
pub(super) fn checked_id(place: &Value<'_>, text: &str) -> Result<ToolId, ConfigError> {
    let id: ToolId = text
        .parse()
        .map_err(|error| place.error(&format!("{error}")))?;
    if text.starts_with("lonis:") {
        return Err(place.error(&format!(
            "`{text}` is refused: ids under `lonis:` are the host's own"
        )));
    }
    Ok(id)
}
