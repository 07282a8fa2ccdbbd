//! `lonis providers add` and `remove`: one table of the user or project file, comments and order kept.

use std::ffi::OsString;
use std::path::PathBuf;

use lonis::host::{Environment, Examined, Host, ProviderName};
use lonis::{ErrorKind, ToolError};
use serde_json::json;
use toml_edit::{Array, Item, Table, value};

use super::target::Target;
use crate::counted::counted;
use crate::output::{DONE, Output};
use crate::progress::Progress;
use crate::surroundings;

/// Asks the program for its tools, then writes its table.
pub(super) fn add(
    name: &str,
    command: &[OsString],
    project: bool,
    output: &mut Output,
) -> Result<u8, ToolError> {
    let environment = surroundings::read()?;
    let name = ProviderName::new(name).map_err(|error| invalid(error.to_string()))?;
    let words = words(&environment, command)?;
    let mut progress = Progress::begin(&format!("asking {name}"), output.mode());
    let Examined {
        tools, base_env, ..
    } = Host::examine(&environment, &name, &words)?;
    progress.end();
    let mut file = Target::of(&environment, project)?;
    let mut document = file.read()?;
    // In a file of comments alone they would come to stand behind what is added.
    let comment = document
        .is_empty()
        .then(|| document.trailing().as_str().map(str::to_owned))
        .flatten()
        .filter(|comment| !comment.is_empty());
    if comment.is_some() {
        document.set_trailing("");
    }
    let providers = table(document.as_table_mut(), "providers")?;
    if providers.contains_key(name.as_str()) {
        return Err(ToolError::new(
            ErrorKind::AlreadyRegistered,
            format!("`{}` has a provider `{name}` already", file.path.display()),
        )
        .with_hint(format!(
            "`lonis providers remove {name}{}` takes it out",
            if project { " --project" } else { "" }
        )));
    }
    let mut entry = Table::new();
    entry.insert("command", command_item(&words));
    if base_env {
        entry.insert("base_env", value(true));
    }
    if let Some(comment) = comment {
        entry.decor_mut().set_prefix(format!("{comment}\n"));
    }
    providers.insert(name.as_str(), Item::Table(entry));
    if !file.write(&document, &environment)? {
        output.note(format!(
            "the project file `{}` is not trusted, so that nothing of it is used; `lonis trust` shows what it would start and allows it",
            file.path.display()
        ));
    }
    if output.mode().is_machine() {
        output.document(
            &json!({ "added": name.as_str(), "file": file.path.to_string_lossy(), "tools": tools, "base_env": base_env }),
        )?;
    } else {
        output.line(&format!(
            "added {name} with {} to {}",
            counted(tools.len(), "tool"),
            file.path.display()
        ))?;
        if base_env {
            output.line(
                "`base_env = true` gives it `HOME`, `TMPDIR` and `LANG`, which its language needs",
            )?;
        }
        for tool in &tools {
            output.line(&format!("  {tool}"))?;
        }
    }
    Ok(DONE)
}

/// Takes a provider's table out.
pub(super) fn remove(name: &str, project: bool, output: &mut Output) -> Result<u8, ToolError> {
    let environment = surroundings::read()?;
    let mut file = Target::of(&environment, project)?;
    let mut document = file.read()?;
    let removed = table(document.as_table_mut(), "providers")?.remove(name);
    if removed.is_none() {
        return Err(ToolError::new(
            ErrorKind::NotFound,
            format!("`{}` has no provider `{name}`", file.path.display()),
        ));
    }
    if !file.write(&document, &environment)? {
        output.note(format!(
            "the project file `{}` is not trusted, so that nothing of it is used; `lonis trust` shows what it would start and allows it",
            file.path.display()
        ));
    }
    if output.mode().is_machine() {
        output.document(&json!({ "removed": name, "file": file.path.to_string_lossy() }))?;
    } else {
        output.line(&format!("removed {name} from {}", file.path.display()))?;
    }
    Ok(DONE)
}

/// The words of the command as the file can hold them; a path is made absolute, since the file stands elsewhere.
fn words(environment: &Environment, command: &[OsString]) -> Result<Vec<String>, ToolError> {
    let mut words = Vec::with_capacity(command.len());
    for (at, word) in command.iter().enumerate() {
        let is_path = at == 0 && word.as_encoded_bytes().contains(&b'/');
        let word = if is_path {
            // Without its `.` parts, which mean the same and read worse.
            let path = environment.directory().join(word);
            path.components().collect::<PathBuf>().into_os_string()
        } else {
            word.clone()
        };
        let text = word.into_string().map_err(|word| {
            invalid(format!(
                "`{}` is not UTF-8, which a file needs",
                word.to_string_lossy()
            ))
        })?;
        words.push(text);
    }
    Ok(words)
}

fn command_item(words: &[String]) -> Item {
    match words {
        [program] => value(program),
        words => value(words.iter().collect::<Array>()),
    }
}

fn table<'t>(parent: &'t mut Table, key: &str) -> Result<&'t mut Table, ToolError> {
    let item = parent.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        // `[providers.NAME]` says it all; an empty `[providers]` above would be noise.
        table.set_implicit(true);
        Item::Table(table)
    });
    item.as_table_mut().ok_or_else(|| {
        ToolError::new(
            ErrorKind::InvalidConfig,
            format!("`{key}` is written inline, which cannot be edited here"),
        )
    })
}

fn invalid(message: String) -> ToolError {
    ToolError::new(ErrorKind::InvalidInput, message)
}
