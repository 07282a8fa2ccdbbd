//! What is registered: every provider and plain tool that a file or a folder names, with the source it came from.
//!
//! Later sources win. What a later one replaces stays in the list with that state, so that a person can see why a
//! program is not the one expected. Nothing is started here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lonis_schema::ToolError;

use super::config::{Config, ConfigError, Execution, PlainTool, ProviderEntry, Written};
use super::environment::Environment;
use super::folders;
use super::source::{Skipped, Source};
use super::trust::TrustStore;
use crate::FileIdentity;
use crate::declared::Argument;
use crate::policy::Policy;

/// A look at a file that is no older than this is as good as another one: whoever changes the file could do so right
/// after that one just as well.
const FRESH: Duration = Duration::from_millis(10);

/// The file's name, in a project and in the user's configuration folder.
pub const CONFIG_FILE: &str = "lonis.toml";

/// Whether a registration takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Active,
    /// Its file says `enabled = false`.
    Disabled,
    /// A later source has one of the same name.
    Replaced,
}

/// What is registered.
#[derive(Debug, Clone)]
pub enum Registered {
    /// A program with many tools.
    Provider(Box<ProviderEntry>),
    /// A plain CLI as one tool.
    Plain(Box<PlainTool>),
}

/// One provider or plain tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Registration {
    /// A provider's name, or a plain tool's id.
    pub name: String,
    /// Where it came from.
    pub source: Source,
    /// Whether it takes part.
    pub standing: Standing,
    /// What it is.
    pub what: Registered,
    /// The execution keys that hold for it, those of `[defaults]` below its own.
    pub execution: Execution,
    /// The file that was seen in a folder, and when.
    seen: Option<(FileIdentity, Instant)>,
}

impl Registration {
    /// The file of its program, if that was looked at a moment ago.
    pub(super) fn just_seen(&self) -> Option<&FileIdentity> {
        let (file, at) = self.seen.as_ref()?;
        (at.elapsed() < FRESH).then_some(file)
    }

    /// Whether it is a provider that takes part, and so is asked for its tools.
    pub(super) fn is_asked(&self) -> bool {
        self.standing == Standing::Active && matches!(self.what, Registered::Provider(_))
    }
}

/// Everything registered, and what was said on the way.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Registrations {
    /// In the order that decides collisions: project file, user file, folders.
    pub list: Vec<Registration>,
    /// The rules about calls of every file in force.
    pub policy: Arc<Policy>,
    /// What stands in the folders and is not used.
    pub skipped: Vec<Skipped>,
    /// What was passed over, and why.
    pub notes: Vec<String>,
    /// The project file that was found and is not trusted.
    pub untrusted: Option<PathBuf>,
    /// The names in the list.
    names: BTreeSet<String>,
}

impl Registrations {
    /// Reads the files and lists the folders.
    ///
    /// # Errors
    /// `invalid_config` for a file in force that cannot be used.
    pub fn load(environment: &Environment) -> Result<Self, ToolError> {
        let mut loaded = Self::default();
        let files = loaded
            .files(environment)
            .map_err(|error| ToolError::from(&error))?;
        if environment.home().is_none() {
            loaded.notes.push(
                "`HOME` is not set, so that the user file, folder and cache may be left out"
                    .to_owned(),
            );
        }
        let mut defaults = Execution::default();
        for (_, config) in &files {
            // The project's file comes first, and what it sets wins key by key.
            defaults = defaults.over(&config.defaults);
        }
        let mut policy = Policy::default();
        for (_, config) in &files {
            policy.add(config.file.clone(), config.policy.clone());
        }
        loaded.policy = Arc::new(policy);
        for (source, config) in files {
            loaded.take(&source, config, &defaults);
        }
        loaded.folders(environment, &defaults);
        Ok(loaded)
    }

    /// Returns every program that a file would start, by the name that it has there, with its fixed words.
    pub fn commands(config: &Config) -> Vec<(String, Vec<String>)> {
        let providers = config.providers.iter().map(|(name, entry)| {
            (
                name.to_string(),
                std::iter::once(&entry.command)
                    .chain(&entry.args)
                    .cloned()
                    .collect(),
            )
        });
        let tools = config.tools.iter().map(|(id, tool)| {
            let words = tool.args.iter().map(Argument::shown);
            (
                id.to_string(),
                std::iter::once(tool.command.clone()).chain(words).collect(),
            )
        });
        providers.chain(tools).collect()
    }

    /// The files in force, the one that wins first.
    fn files(&mut self, environment: &Environment) -> Result<Vec<(Source, Config)>, ConfigError> {
        let home = environment.home();
        if let Some(chosen) = environment.variable("LONIS_CONFIG") {
            let path = environment.directory().join(chosen);
            let config = Config::parse(&path, &Config::bytes(&path)?, home.as_deref())?;
            return Ok(vec![(Source::ChosenFile(path), config)]);
        }
        let mut files = Vec::new();
        if let Some(path) = project_file(environment.directory()) {
            match Config::bytes(&path) {
                Ok(bytes) if self.trusts(environment, &path, &bytes) => {
                    let config = Config::parse(&path, &bytes, home.as_deref())?;
                    files.push((Source::ProjectFile(path), config));
                }
                Ok(_) => {}
                // A file that nobody can read was trusted by nobody, and may not stop what does not need it.
                Err(error) => self.leave_out(&path, &error.message),
            }
        }
        if let Some(path) = environment
            .config_folder()
            .map(|folder| folder.join(CONFIG_FILE))
            .filter(|path| path.exists())
        {
            let config = Config::parse(&path, &Config::bytes(&path)?, home.as_deref())?;
            files.push((Source::UserFile(path), config));
        }
        Ok(files)
    }

    fn trusts(&mut self, environment: &Environment, path: &Path, bytes: &[u8]) -> bool {
        let store = environment.state_folder().map(TrustStore::in_folder);
        let trusted = store.map_or(Ok(false), |store| store.trusts(path, bytes));
        let why = match trusted {
            Ok(true) => return true,
            Ok(false) => {
                "it is not trusted; `lonis trust --show` shows what it would start, `lonis trust` allows it"
                    .to_owned()
            }
            Err(error) => error.to_string(),
        };
        self.leave_out(path, &why);
        false
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        self.notes.push(format!(
            "the project file `{}` is not used: {why}",
            path.display()
        ));
        self.untrusted = Some(path.to_path_buf());
    }

    fn take(&mut self, source: &Source, config: Config, defaults: &Execution) {
        for written in config.into_written() {
            match written {
                Written::Provider(name, entry) => {
                    let execution = entry.execution.over(defaults);
                    let registered = Registered::Provider(entry);
                    self.add(name.as_str(), source, registered, execution, None);
                }
                Written::Tool(id, tool) => {
                    let execution = tool.execution.over(defaults);
                    self.add(
                        id.as_str(),
                        source,
                        Registered::Plain(tool),
                        execution,
                        None,
                    );
                }
            }
        }
    }

    fn folders(&mut self, environment: &Environment, defaults: &Execution) {
        let named = environment.variable("LONIS_PROVIDER_PATH").into_iter();
        for folder in named.flat_map(std::env::split_paths) {
            if folder.is_relative() && !folder.as_os_str().is_empty() {
                self.notes.push(format!(
                    "`{}` in `LONIS_PROVIDER_PATH` is left out: it is not absolute",
                    folder.display()
                ));
            }
        }
        let begun = Instant::now();
        let scanned = folders::scan(&folders::search_path(environment));
        for passed in scanned.passed_over {
            if passed.is_unsafe {
                self.notes.push(format!(
                    "`{}` is skipped: {}",
                    passed.path.display(),
                    passed.why
                ));
            }
            self.skipped.push(passed.into_skipped());
        }
        for found in scanned.found.into_iter().chain(scanned.hidden) {
            let Some(command) = found.path.to_str().map(str::to_owned) else {
                self.notes.push(format!(
                    "`{}` is skipped: its path is not UTF-8",
                    found.path.display()
                ));
                continue;
            };
            let entry = ProviderEntry::of_command(&[command]);
            let folder = found.path.parent().unwrap_or(Path::new("/")).to_path_buf();
            let registered = Registered::Provider(Box::new(entry));
            self.add(
                found.name.as_str(),
                &Source::Folder(folder),
                registered,
                defaults.clone(),
                Some((found.file, begun)),
            );
        }
    }

    /// Adds one; an earlier one of the same name came from a source that wins.
    fn add(
        &mut self,
        name: &str,
        source: &Source,
        what: Registered,
        execution: Execution,
        seen: Option<(FileIdentity, Instant)>,
    ) {
        let standing = if !self.names.insert(name.to_owned()) {
            Standing::Replaced
        } else if execution.enabled == Some(false) {
            Standing::Disabled
        } else {
            Standing::Active
        };
        self.list.push(Registration {
            name: name.to_owned(),
            source: source.clone(),
            standing,
            what,
            execution,
            seen,
        });
    }
}

/// Returns the project file of a directory: its own, or that of the nearest folder above it.
pub fn project_file(directory: &Path) -> Option<PathBuf> {
    directory
        .ancestors()
        .map(|folder| folder.join(CONFIG_FILE))
        .find(|path| fs::metadata(path).is_ok_and(|file| file.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn home(folder: &Path) -> Environment {
        Environment::new(folder.join("app/src")).with_variable("HOME", folder.join("home"))
    }

    fn standing<'a>(registrations: &'a Registrations, command: &str) -> &'a Standing {
        let found = registrations
            .list
            .iter()
            .find(|registration| match &registration.what {
                Registered::Provider(entry) => entry.command == command,
                Registered::Plain(tool) => tool.command == command,
            });
        &found.unwrap().standing
    }

    #[test]
    fn a_project_file_is_inert_until_it_is_trusted_and_wins_then() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
        let project = folder.path().join("app/lonis.toml");
        write(
            &project,
            "[providers.a]\ncommand='project-a'\n[defaults]\nbounds={timeout_millis=1}\n",
        );
        write(
            &folder.path().join("home/.config/lonis/lonis.toml"),
            "[providers.a]\ncommand='user-a'\n[providers.b]\ncommand='user-b'\nenabled=false\n\
             [defaults]\nbounds={timeout_millis=2,max_stdout_bytes=3}\n",
        );
        fs::create_dir_all(environment.directory()).unwrap();

        let before = Registrations::load(&environment).unwrap();
        assert_eq!(before.untrusted.as_deref(), Some(project.as_path()));
        assert!(
            before.notes[0].contains("not trusted"),
            "{:?}",
            before.notes
        );
        assert_eq!(before.list.len(), 2);
        assert_eq!(standing(&before, "user-a"), &Standing::Active);
        assert_eq!(standing(&before, "user-b"), &Standing::Disabled);

        let store = TrustStore::in_folder(environment.state_folder().unwrap());
        store
            .add(
                &project,
                &fs::read(&project).unwrap(),
                &"2026-08-10T12:00:00Z".parse().unwrap(),
            )
            .unwrap();
        let after = Registrations::load(&environment).unwrap();
        assert_eq!(standing(&after, "project-a"), &Standing::Active);
        assert_eq!(standing(&after, "user-a"), &Standing::Replaced);
        let bounds = after.list[0].execution.bounds;
        assert_eq!(bounds.value(crate::limits::Bound::TimeoutMillis), Some(1));
        assert_eq!(bounds.value(crate::limits::Bound::MaxStdoutBytes), Some(3));
    }

    #[test]
    fn a_chosen_file_stands_in_place_of_both_and_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        write(
            &folder.path().join("app/lonis.toml"),
            "[providers.a]\ncommand='project-a'\n",
        );
        let chosen = folder.path().join("chosen.toml");
        let environment = home(folder.path()).with_variable("LONIS_CONFIG", &chosen);
        let missing = Registrations::load(&environment).unwrap_err();
        assert_eq!(missing.kind().as_str(), "invalid_config");
        write(&chosen, "[providers.c]\ncommand='chosen'\n");
        let loaded = Registrations::load(&environment).unwrap();
        assert_eq!(loaded.list.len(), 1);
        assert_eq!(standing(&loaded, "chosen"), &Standing::Active);
    }
}
