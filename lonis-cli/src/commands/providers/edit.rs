//! `lonis providers add` and `remove`: one table of the user or project file, comments and order kept.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use lonis::host::{CONFIG_FILE, Config, Environment, Host, ProviderName, TrustStore, project_file};
use lonis::{ErrorKind, Timestamp, ToolError};
use serde_json::json;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use crate::output::{DONE, Output};
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
    let tools = Host::examine(&environment, &name, &words)?;
    let file = Target::of(&environment, project)?;
    let mut document = file.read()?;
    let providers = table(document.as_table_mut(), "providers")?;
    if providers.contains_key(name.as_str()) {
        return Err(ToolError::new(
            ErrorKind::AlreadyRegistered,
            format!("`{}` has a provider `{name}` already", file.path.display()),
        )
        .with_hint(format!("`lonis providers remove {name}` takes it out")));
    }
    let mut entry = Table::new();
    entry.insert("command", command_item(&words));
    providers.insert(name.as_str(), Item::Table(entry));
    file.write(&document, &environment)?;
    if output.mode().is_machine() {
        output.document(
            &json!({ "added": name.as_str(), "file": file.path.to_string_lossy(), "tools": tools }),
        )?;
    } else {
        output.line(&format!(
            "added {name} with {} tools to {}",
            tools.len(),
            file.path.display()
        ))?;
    }
    Ok(DONE)
}

/// Takes a provider's table out.
pub(super) fn remove(name: &str, project: bool, output: &mut Output) -> Result<u8, ToolError> {
    let environment = surroundings::read()?;
    let file = Target::of(&environment, project)?;
    let mut document = file.read()?;
    let removed = table(document.as_table_mut(), "providers")?.remove(name);
    if removed.is_none() {
        return Err(ToolError::new(
            ErrorKind::NotFound,
            format!("`{}` has no provider `{name}`", file.path.display()),
        ));
    }
    file.write(&document, &environment)?;
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
            environment.directory().join(word).into_os_string()
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

/// The file that is edited, and whether its trust is carried on.
struct Target {
    path: PathBuf,
    project: bool,
}

impl Target {
    fn of(environment: &Environment, project: bool) -> Result<Self, ToolError> {
        let path = if project {
            project_file(environment.directory())
                .unwrap_or_else(|| environment.directory().join(CONFIG_FILE))
        } else {
            let folder = environment.config_folder();
            folder
                .ok_or_else(|| {
                    ToolError::new(ErrorKind::Io, "there is no user file: `HOME` is not set")
                })?
                .join(CONFIG_FILE)
        };
        Ok(Self { path, project })
    }

    /// The document as it stands, or an empty one; a file that the host would refuse is not edited.
    fn read(&self) -> Result<DocumentMut, ToolError> {
        if !self.path.exists() {
            return Ok(DocumentMut::new());
        }
        let bytes = Config::bytes(&self.path).map_err(|error| ToolError::from(&error))?;
        Config::parse(&self.path, &bytes, None).or_else(|error| {
            // Only a path that starts at home could depend on it, and that is no fault of the file.
            Config::parse(&self.path, &bytes, Some(Path::new("/")))
                .map_err(|_| ToolError::from(&error))
        })?;
        String::from_utf8_lossy(&bytes).parse().map_err(|error| {
            ToolError::new(
                ErrorKind::InvalidConfig,
                format!("`{}`: {error}", self.path.display()),
            )
        })
    }

    /// Replaces the file; the trust of a project file that was trusted, or is new, goes on.
    fn write(&self, document: &DocumentMut, environment: &Environment) -> Result<(), ToolError> {
        let failed = |error: std::io::Error| {
            ToolError::new(
                ErrorKind::Io,
                format!("`{}` cannot be written: {error}", self.path.display()),
            )
        };
        let store = environment
            .state_folder()
            .map(TrustStore::in_folder)
            .filter(|_| self.project);
        let was_trusted = store.as_ref().is_some_and(|store| {
            !self.path.exists()
                || fs::read(&self.path)
                    .is_ok_and(|bytes| store.trusts(&self.path, &bytes).unwrap_or(false))
        });
        let text = document.to_string();
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).map_err(failed)?;
        let fresh = folder.join(format!(".{CONFIG_FILE}.{}", std::process::id()));
        let mut file = fs::File::create(&fresh).map_err(failed)?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(failed)?;
        fs::rename(&fresh, &self.path).map_err(failed)?;
        if let Some(store) = store.filter(|_| was_trusted) {
            store
                .add(&self.path, text.as_bytes(), &Timestamp::now())
                .map_err(|error| ToolError::new(ErrorKind::Io, error.to_string()))?;
        }
        Ok(())
    }
}

fn invalid(message: String) -> ToolError {
    ToolError::new(ErrorKind::InvalidInput, message)
}
